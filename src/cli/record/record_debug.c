/*
 * Waits for a trace that an app writes by itself, and pulls it; see cli/record/record_debug.h.
 * Nothing on the device tells when an app begins a trace: the traces of the app are listed before,
 * then once a second, and the first file with content that is new or has changed is taken. Pulling
 * waits until the file rests (cli/device/device_pull.c).
 */
#include "cli/record/record_debug.h"

#include <stdio.h>
#include <string.h>

#include "cli/device/device_traces.h"
#include "cli/device/record_advice.h"
#include "cli/record/record_app_file.h"
#include "os/clock.h"
#include "os/process/child.h"

#define LOOK_MS 1000u

/* `before` and `now` are lists of the app's traces; what is in the second and not in the first is
 * the trace that is waited for. */
struct debugged {
    const struct tv_cli *cli;
    const struct tv_record_device *asked;
    struct tv_device device;
    struct tv_stop_request stop;
    struct tv_device_files before, now;
    char package[TV_PROCESS_CAP];
    struct tv_app_file file;
};

/* Whether a file was there, as it is, before. */
static bool was_there(const struct tv_device_files *before, const struct tv_device_file *file)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct tv_device_file *old = &before->of[i];
        if (!old->owner == !file->owner && strcmp(old->path, file->path) == 0)
            return old->len == file->len && old->changed_s == file->changed_s;
    }
    return false;
}

static enum tv_code list_now(struct debugged *debugged, struct tv_error *err)
{
    tv_device_files_release(&debugged->now);
    tv_device_files_init(&debugged->now, debugged->cli->alloc);
    return tv_device_find_traces(&debugged->device, debugged->asked->process, &debugged->now, err);
}

/* The first file with content that was not there before; NULL: none yet. */
static const struct tv_device_file *find_new(const struct debugged *debugged)
{
    for (size_t i = 0; i < debugged->now.count; i++) {
        const struct tv_device_file *file = &debugged->now.of[i];
        if (file->len && !was_there(&debugged->before, file))
            return file;
    }
    return NULL;
}

/* What was there before is listed once; a file counts as new when its name, length or time is not
 * among that. */
static enum tv_code wait_for_new(struct debugged *debugged, const struct tv_device_file **found,
                                 struct tv_error *err)
{
    const uint64_t begun_ns = tv_now_ns(), duration_ns = debugged->asked->duration_ns;
    TV_TRY(
        tv_device_find_traces(&debugged->device, debugged->asked->process, &debugged->before, err));
    tv_cli_note(debugged->cli, debugged->asked->process,
                "waiting on %s for a trace that the app writes (Debug.startMethodTracing, then "
                "Debug.stopMethodTracing)",
                debugged->device.target.model);
    for (;;) {
        TV_TRY(list_now(debugged, err));
        *found = find_new(debugged);
        if (*found)
            return TV_OK;
        bool is_over = duration_ns && tv_passed_ns(begun_ns, tv_now_ns()) >= duration_ns;
        if (is_over || tv_stop_request_wait(&debugged->stop, LOOK_MS) != TV_STOP_NOT)
            return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                           "%s wrote no trace: `traceview pull %s --list` lists older ones",
                           debugged->asked->process, debugged->asked->process);
    }
}

/* Reads the trace that came. The buffer's size was the app's own choice, so advice about options of
 * `record` would mislead, and the overflow is told here. */
static enum tv_code judge(const struct debugged *debugged, struct tv_error *err)
{
    const struct tv_profile_wish none = {.sampling_us = 0};
    struct tv_device_trace trace;
    tv_device_look(debugged->cli, debugged->file.local, &trace);
    if (!trace.is_readable) {
        if (err)
            *err = trace.why;
        return trace.why.code;
    }
    tv_cli_note(debugged->cli, debugged->file.local, "%llu bytes, %llu records",
                (unsigned long long)trace.len, (unsigned long long)trace.records);
    if (trace.has_overflow)
        tv_cli_note(debugged->cli, debugged->asked->process,
                    "the buffer was full: the app gives its size, as Debug.startMethodTracing("
                    "path, bytes)");
    trace.has_overflow = false;
    tv_record_advise_after(debugged->cli, debugged->asked->process, &none, debugged->device.sdk,
                           &trace, NULL);
    return TV_OK;
}

/* The file may still be written to: pulling waits until it rests. Its name on the device is the
 * same for each trace that an app writes, as a rule, so here it gets one of a recording. */
static enum tv_code bring(struct debugged *debugged, const struct tv_device_file *found,
                          struct tv_error *err)
{
    struct tv_device_pull pull = {
        .to = debugged->file.local, .stop = &debugged->stop, .is_being_written = true};
    TV_TRY(tv_app_file_take(&debugged->file, debugged->package, debugged->asked->output, err));
    memcpy(pull.part, debugged->file.part, sizeof(pull.part));
    TV_TRY(tv_device_take_file(&debugged->device, found, &pull, err));
    return judge(debugged, err);
}

/* Once a trace was found, keys are left to the terminal: what was found is brought. */
static enum tv_code run(struct debugged *debugged, struct tv_error *err)
{
    const struct tv_device_file *found;
    const char *process = debugged->asked->process;
    const size_t len = strcspn(process, ":");
    if (len >= sizeof(debugged->package))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the name of the package is too long");
    memcpy(debugged->package, process, len);
    TV_TRY(tv_device_open(&debugged->device, debugged->cli, debugged->asked->options->serial,
                          &debugged->stop, err));
    TV_TRY(tv_device_ask_version(&debugged->device, err));
    TV_TRY(wait_for_new(debugged, &found, err));
    tv_stop_request_leave_keys(&debugged->stop);
    tv_cli_note(debugged->cli, debugged->asked->process, "it writes %s", found->path);
    return bring(debugged, found, err);
}

/* The viewer takes the place of this process, so that its end is the end of the command. */
int tv_record_debug(const struct tv_cli *cli, const struct tv_record_device *asked)
{
    struct tv_error err = {.code = TV_OK};
    struct debugged debugged = {.cli = cli, .asked = asked, .device = {.cli = cli}};
    tv_device_files_init(&debugged.before, cli->alloc);
    tv_device_files_init(&debugged.now, cli->alloc);
    enum tv_code code = tv_stop_request_open(&debugged.stop, &err);
    if (code == TV_OK) {
        code = run(&debugged, &err);
        tv_app_file_release(&debugged.file);
        tv_stop_request_close(&debugged.stop);
    }
    tv_device_files_release(&debugged.now);
    tv_device_files_release(&debugged.before);
    if (code != TV_OK)
        return tv_device_fail(&debugged.device, &err);
    const char *const view[] = {"traceview", "view", debugged.file.local, NULL};
    if (!asked->options->no_view)
        tv_child_become("/proc/self/exe", view);
    return TV_STATUS_FINE;
}
