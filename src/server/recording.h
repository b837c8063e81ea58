/*
 * The routes by which the page records (docs/api.md, "Recording"): devices, processes, recording.
 * What asks a device or a program is a helper of the helper thread (server/helper_thread.h); here
 * requests become the words that it is started with, each of a kind that can be nothing but what it
 * is meant to be.
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

/* What is to be recorded. */
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

/* Reads the serial number of a device, if the parameters have one: it is of signs that can be
 * nothing else. */
enum tv_code tv_recording_serial(const struct tv_params *params, struct tv_str *serial,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Reads the parameters of a request. */
enum tv_code tv_recording_read(const struct tv_params *params, struct tv_recording_request *wish,
                               struct tv_error *err) TV_MUST_CHECK;
/* The words of the helper that records into the file of that path. */
void tv_recording_words(const struct tv_recording_request *wish, const char *path,
                        struct tv_helper_thread_words *words);
/* The name of the file: that of the process, with nothing in it that is more than a name, and the
 * time. */
#define TV_RECORDING_NAME_CAP 160u
void tv_recording_file_name(char name[TV_RECORDING_NAME_CAP], struct tv_str process,
                            const struct tm *when);

#endif
