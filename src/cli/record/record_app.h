/* The steps of a recording on a device, between the device and the file; see
 * cli/record/record_device.h.
 */
#ifndef TV_CLI_RECORD_RECORD_APP_H
#define TV_CLI_RECORD_RECORD_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory/buffer.h"
#include "cli/device/device.h"
#include "cli/record/record_app_file.h"
#include "cli/record/record_device.h"
#include "os/process/stop_request.h"

struct tv_recorded_app {
    const struct tv_cli *cli;
    const struct tv_record_device *asked;
    struct tv_device device;
    struct tv_profile_wish wish;
    struct tv_stop_request stop;
    struct tv_buffer command, answer; /* of the last question */
    char package[TV_PROCESS_CAP];
    char process[TV_PROCESS_CAP]; /* its name, or its number where only that was given */
    uint64_t pid;                 /* 0: it does not run yet */
    char remote[TV_PATH_CAP];     /* the file on the device */
    struct tv_app_file file;      /* the file here */
    char old_buffer[32];          /* the property as it was */
    bool has_set_buffer;
    bool is_recording; /* on the device, as far as known */
    bool has_ended;    /* the process, while it was recorded */
    uint64_t begun_ns, ended_ns;
};

/* Finds the process, starts the app where that is asked for, and checks that nothing else records.
 * Where the app is recorded from its start, it does not run afterwards. */
enum tv_code tv_app_find(struct tv_recorded_app *app, struct tv_error *err) TV_MUST_CHECK;
/* Begins and ends the recording on the device. */
enum tv_code tv_app_begin(struct tv_recorded_app *app, struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_app_end(struct tv_recorded_app *app, struct tv_error *err) TV_MUST_CHECK;
/* Puts back the property that tv_app_begin set. */
void tv_app_put_back(struct tv_recorded_app *app);
/* Waits until the recording is to end, with a live line. */
void tv_app_watch(struct tv_recorded_app *app);
/* Why a recording is empty or cut, as far as the device's log tells: one line, or "". */
void tv_app_why(struct tv_recorded_app *app, char why[TV_PATH_CAP]);

#endif
