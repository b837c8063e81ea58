/* A device that a verb works with: what it is, commands for it, and files that come from it whole.
 */
#ifndef TV_CLI_DEVICE_DEVICE_H
#define TV_CLI_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "adb/adb.h"
#include "adb/profile.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/memory/buffer.h"
#include "cli/cli.h"
#include "cli/device/record_progress.h"
#include "os/file/paths.h"
#include "os/process/stop_request.h"

/* Where traces lie that `am` writes: a folder that shell, apps and the system may all write. */
#define TV_DEVICE_FOLDER "/data/local/tmp"

struct tv_device {
    const struct tv_cli *cli;
    struct tv_adb adb;
    struct tv_adb_target target;
    unsigned sdk;                         /* 0: not asked for yet */
    char version[TV_PROFILE_VERSION_CAP]; /* "Android 14", or "" */
    struct tv_record_teller teller;       /* of what is pulled */
};

/* Finds the device; `serial` as of tv_adb_choose. From here on signals of the stopper cancel
 * whatever waits for the device, unless tv_device_go_on is called. */
enum tv_code tv_device_open(struct tv_device *device, const struct tv_cli *cli, const char *serial,
                            const struct tv_stop_request *stop, struct tv_error *err) TV_MUST_CHECK;
/* From this call on a signal ends the step that follows, and does not cut a question to the device
 * short. */
void tv_device_go_on(struct tv_device *device);
/* Asks which Android it has. */
enum tv_code tv_device_ask_version(struct tv_device *device, struct tv_error *err) TV_MUST_CHECK;

/* Runs a command, and replaces `answer` by all that it says. The command gets a NUL at its end. */
enum tv_code tv_device_ask(struct tv_device *device, struct tv_buffer *command,
                           struct tv_buffer *answer, int *status,
                           struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_device_ask_text(struct tv_device *device, const char *command,
                                struct tv_buffer *answer, int *status,
                                struct tv_error *err) TV_MUST_CHECK;
/* All processes, as `ps` has them: for tv_profile_find_process. */
enum tv_code tv_device_processes(struct tv_device *device, struct tv_buffer *answer,
                                 struct tv_error *err) TV_MUST_CHECK;

/* Prints a failure, and what to do about a device that answers nothing, or nothing that makes
 * sense. Returns the status of the verb. */
int tv_device_fail(const struct tv_device *device, const struct tv_error *err);

/* What a trace that was pulled is. */
struct tv_device_trace {
    bool is_readable;
    bool is_whole;     /* its end is there */
    bool has_overflow; /* the buffer was full */
    uint64_t records, len;
    struct tv_findings findings;
    /* Set by tv_device_look alone: */
    uint64_t run_ns;     /* how long was recorded, as the file tells; 0: it does not */
    uint64_t buffer_len; /* that would have held it, after an overflow */
    double own_share;    /* of the time that is recording itself; 0: not known */
    bool is_sampled;
    struct tv_error why; /* it is not readable */
};

/* Reads the tables of a trace, and of its records only what tells whether all are there. */
void tv_device_glance(const struct tv_cli *cli, const char *path, struct tv_device_trace *trace);
/* Reads a trace, and warns of what is odd in it under its name. */
void tv_device_look(const struct tv_cli *cli, const char *path, struct tv_device_trace *trace);

struct tv_device_pull {
    const char *from;
    const char *to;
    struct tv_stop_request *stop; /* whose signals cancel */
    /* The file is still being written: it is waited for until its end is there. */
    bool is_being_written;
    /* Where the bytes are before the file has its name: given of one that is being written, else
     * set. */
    char part[TV_PATH_CAP];
    struct tv_device_trace trace; /* set, on success: at a glance */
};

/* Whether a file of this name may be replaced here: one that is there is a plain file. */
enum tv_code tv_device_check_name(const char *path, struct tv_error *err) TV_MUST_CHECK;
/*
 * Pulls a trace into a file: first beside it, as `part`, which stays where pulling fails, under a
 * name from which the next pull of the same file goes on. A file that is there is replaced. Waits
 * for a device that goes away in the middle. On success the file on the device is still there.
 */
enum tv_code tv_device_take(struct tv_device *device, struct tv_device_pull *pull,
                            struct tv_error *err) TV_MUST_CHECK;
/* Removes a file from the device; a failure is only reported. */
void tv_device_remove(struct tv_device *device, const char *path);

#endif
