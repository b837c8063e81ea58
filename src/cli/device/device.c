/*
 * A device that a verb works with: opening, asking, the list of processes, what failed, and looking
 * at a trace that came; see cli/device/device.h. Questions go through one connection to the adb
 * server at a time, and a request to stop cancels them until tv_device_go_on(): from then on a
 * recording may have begun, and its end must be asked for also after Ctrl-C.
 *
 * What more than one verb needs (record, pull, processes) is here; what only recording needs is in
 * cli/record.
 */
#include "cli/device/device.h"

#include <stdio.h>
#include <string.h>

#include "analysis/health.h"
#include "analysis/profile/overhead.h"
#include "cli/file/index_cache.h"
#include "cli/file/load.h"
#include "cli/warnings.h"

/* `ps` has options for columns, and lists all processes on request, since Android 8. */
#define SDK_PS 26u

enum tv_code tv_device_open(struct tv_device *device, const struct tv_cli *cli, const char *serial,
                            const struct tv_stop_request *stop, struct tv_error *err)
{
    *device = (struct tv_device){.cli = cli};
    tv_adb_init(&device->adb, cli->alloc);
    device->adb.cancel_fd = stop->fd;
    return tv_adb_choose(&device->adb, serial, &device->target, err);
}

void tv_device_go_on(struct tv_device *device)
{
    device->adb.cancel_fd = -1;
}

enum tv_code tv_device_ask_version(struct tv_device *device, struct tv_error *err)
{
    TV_TRY(tv_adb_sdk(&device->adb, &device->target, &device->sdk, err));
    tv_profile_version(device->sdk, device->version);
    return TV_OK;
}

enum tv_code tv_device_ask_text(struct tv_device *device, const char *command,
                                struct tv_buffer *answer, int *status, struct tv_error *err)
{
    answer->len = 0;
    return tv_adb_ask(&device->adb, &device->target, command, answer, status, err);
}

enum tv_code tv_device_ask(struct tv_device *device, struct tv_buffer *command,
                           struct tv_buffer *answer, int *status, struct tv_error *err)
{
    TV_TRY(tv_buffer_append(command, "", 1, err));
    return tv_device_ask_text(device, (const char *)command->bytes, answer, status, err);
}

enum tv_code tv_device_processes(struct tv_device *device, struct tv_buffer *answer,
                                 struct tv_error *err)
{
    int status;
    return tv_device_ask_text(device, device->sdk >= SDK_PS ? "ps -A -o PID,NAME" : "ps", answer,
                              &status, err);
}

/* Says what failed, and for failures of the connection what helps. Returns a status. */
int tv_device_fail(const struct tv_device *device, const struct tv_error *err)
{
    const struct tv_adb *adb = &device->adb;
    const char *model = device->target.model[0] ? device->target.model : "the device";
    int status = tv_cli_fail(device->cli, NULL, err);
    bool is_closed = adb->trouble == TV_ADB_REFUSED && strstr(err->text, "closed");
    if (adb->trouble == TV_ADB_GARBAGE || is_closed)
        tv_cli_note(device->cli, model,
                    "it and adb do not understand each other: take its cable out and in, restart "
                    "it, or say `adb kill-server`, and try again");
    else if (adb->trouble == TV_ADB_SILENT)
        tv_cli_note(device->cli, model,
                    "it does not answer: unlock it, or take its cable out and in, and try again");
    return status;
}

static bool has_overflow(const struct tv_findings *findings)
{
    return findings->of[TV_FINDING_OVERFLOW].count != 0;
}

/* Whether nothing of the file is missing at its end. */
static bool has_end(const struct tv_findings *findings)
{
    static const enum tv_finding_kind missing[] = {
        TV_FINDING_PACKED_CUT, TV_FINDING_TRUNCATED_RECORD, TV_FINDING_MISSING_RECORDS,
        TV_FINDING_MISSING_END, TV_FINDING_NO_SUMMARY};
    for (size_t i = 0; i < TV_COUNT_OF(missing); i++) {
        if (findings->of[missing[i]].count)
            return false;
    }
    return true;
}

/* The share of the recorded time that recording took. */
static double own_share(const struct tv_cli *cli, const struct tv_index *index)
{
    struct tv_record_cost cost;
    const struct tv_index_info *info = index->info;
    uint64_t total_ns = info->total[tv_index_default_clock(index)] * info->unit_ns;
    if (!total_ns || tv_record_cost_of(index, cli->alloc, &cost, NULL) != TV_OK || !cost.is_known)
        return 0;
    uint64_t own_ns = tv_overhead_of_all(&cost, index, tv_index_default_clock(index)).ns;
    return (double)own_ns / (double)total_ns;
}

/* What recording needs to know of the trace that has just come: whether it is whole, whether the
 * buffer was full, and how much of it is the app's own. */
static struct tv_device_trace describe(const struct tv_cli *cli, const struct tv_index *index)
{
    const struct tv_index_info *info = index->info;
    struct tv_overflow overflow;
    struct tv_device_trace trace = {.is_readable = true,
                                    .is_whole = has_end(&info->findings),
                                    .has_overflow = has_overflow(&info->findings),
                                    .records = info->records,
                                    .len = info->file_len,
                                    .findings = info->findings,
                                    .run_ns = info->has_elapsed ? info->elapsed_ns : 0,
                                    .own_share = own_share(cli, index),
                                    .is_sampled = info->is_sampled};
    if (tv_health_overflow(index, &overflow))
        trace.buffer_len = overflow.buffer_len;
    return trace;
}

/* Reads all of a trace; `as` is what warnings call it, NULL for none. */
static void read_all(const struct tv_cli *cli, const char *path, const char *as,
                     struct tv_device_trace *trace)
{
    struct tv_index index;
    struct tv_index_cache cached;
    bool was_saved;
    *trace = (struct tv_device_trace){.is_readable = false};
    tv_index_init(&index);
    if (tv_load(cli, path, &cached, &index, &was_saved, &trace->why) == TV_OK) {
        *trace = describe(cli, &index);
        if (as)
            tv_warn_of_trace(cli, as, &index);
    }
    tv_index_release(&index);
}

void tv_device_look(const struct tv_cli *cli, const char *path, struct tv_device_trace *trace)
{
    read_all(cli, path, path, trace);
}

/* Opens a trace without reading its records, which is enough where they have one length: they were
 * counted when the trace was opened. Any other trace is read in full. */
void tv_device_glance(const struct tv_cli *cli, const char *path, struct tv_device_trace *trace)
{
    struct tv_opened opened;
    tv_opened_init(&opened, cli->alloc);
    *trace = (struct tv_device_trace){.is_readable = false};
    enum tv_code code = tv_opened_open(&opened, path, NULL, &trace->why);
    bool is_counted = code == TV_OK && opened.trace.fixed.count;
    if (is_counted) {
        /* The reader judges what is behind the records only when they are taken. */
        opened.trace.format->skip_fixed(&opened.trace);
        *trace = (struct tv_device_trace){.is_readable = true,
                                          .is_whole = has_end(&opened.trace.findings),
                                          .has_overflow = has_overflow(&opened.trace.findings),
                                          .records = opened.trace.fixed.count,
                                          .len = opened.file.len,
                                          .findings = opened.trace.findings};
    }
    tv_opened_release(&opened);
    if (code == TV_OK && !is_counted)
        read_all(cli, path, NULL, trace);
}

/* A file that cannot be removed is told and is no failure: the trace is here already. */
void tv_device_remove(struct tv_device *device, const char *path)
{
    struct tv_buffer command, answer;
    struct tv_error err = {.code = TV_OK};
    int status = 0;
    tv_buffer_init(&command, device->cli->alloc);
    tv_buffer_init(&answer, device->cli->alloc);
    enum tv_code code = tv_buffer_append(&command, "rm -f ", 6, &err);
    if (code == TV_OK)
        code = tv_adb_quote(&command, tv_str_from(path), &err);
    if (code == TV_OK)
        code = tv_device_ask(device, &command, &answer, &status, &err);
    if (code != TV_OK || status != 0)
        tv_cli_note(device->cli, path, "it stays on the device: %s",
                    code != TV_OK ? err.text : "rm could not remove it");
    tv_buffer_release(&answer);
    tv_buffer_release(&command);
}
