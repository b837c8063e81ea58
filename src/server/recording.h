/*
 * The routes by which the page records (docs/api.md, "Recording"): devices, processes, recording. A
 * helper process of the helper thread (server/helper_thread.h) talks to devices and programs. Here
 * requests become the words of its command line, each in a form that can have no other meaning.
 */
#ifndef TV_SERVER_RECORDING_H
#define TV_SERVER_RECORDING_H

#include <stdbool.h>
#include <time.h>

#include "api/params.h"
#include "server/helper_thread.h"
#include "server/viewer.h"

/* These answer from a struct tv_view_request (server/routes.h), where there is a helper thread. */
void tv_recording_devices(void *asked, struct tv_http_response *response);
void tv_recording_processes(void *asked, struct tv_http_response *response);
void tv_recording_state(void *asked, struct tv_http_response *response);
void tv_recording_change(void *asked, struct tv_http_response *response);

/* Opens a trace that was recorded, for the page that the recording was started on. */
void tv_recording_open(struct tv_viewer *viewer, const char *path);

/* What the page asks to record. */
struct tv_recording_request {
    struct tv_str serial;   /* of a device; empty: a Java program of this computer */
    struct tv_str name;     /* of the process, for the name of the file */
    uint64_t pid;           /* 0: the app is started */
    struct tv_str package;  /* of an app that is started */
    struct tv_str activity; /* its class; empty: the one that a launcher starts */
    unsigned begin;         /* place in tv_recording_begins */
    unsigned mode;          /* place in tv_recording_modes */
    uint64_t buffer_mb;     /* 0: as usual */
    uint64_t duration_s;    /* 0: until it is stopped */
};
extern const char *const tv_recording_modes[], *const tv_recording_begins[];

/* Reads the serial number of a device, if the parameters have one. Its characters can have no other
 * meaning on a command line. */
enum tv_code tv_recording_serial(const struct tv_params *params, struct tv_str *serial,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Reads the parameters of a request. */
enum tv_code tv_recording_read(const struct tv_params *params, struct tv_recording_request *wish,
                               struct tv_error *err) TV_MUST_CHECK;
/* The words of the helper that records into the file of that path. */
void tv_recording_words(const struct tv_recording_request *wish, const char *path,
                        struct tv_helper_thread_words *words);
/* Makes the name of the file: the name of the process, with only characters that are safe in a
 * file's name, and the time. */
#define TV_RECORDING_NAME_CAP 160u
void tv_recording_file_name(char name[TV_RECORDING_NAME_CAP], struct tv_str process,
                            const struct tm *when);

#endif
