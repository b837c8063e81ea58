/*
 * Files of a device that come whole; see cli/device/device.h.
 *
 * A trace that has just been stopped is still being written, for as long as the device takes.
 * Nothing tells the end of that but the file: it stops growing, and what came is a trace with its
 * end. So what is there is pulled at once. Where its length or time is another one afterwards, or
 * what came lacks its end, the file is waited for until it rests, and the rest is pulled behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/device/device.h"
#include "cli/terminal/progress.h"
#include "os/clock.h"

#define LOOK_MS 200u
/* Of a mode as the device has it. */
#define FILE_KIND 0170000u
#define FILE_FOLDER 0040000u
/* A file that has not grown for this long is complete. A phone that writes a full buffer of 64 MiB
 * pauses for less. */
#define REST_NS UINT64_C(5000000000)
/* How long to wait for a device that is gone. */
#define DEVICE_WAIT_MS 60000u

/* One file on its way from a device; pulling, waiting and judging share it. */
struct transfer {
    struct tv_device *device;
    struct tv_device_pull *pull;
    int fd;
    struct tv_progress progress;
    bool is_waiting;         /* the user was told that the device is gone */
    struct tv_adb_stat stat; /* of the file, at the last look */
    uint64_t len;            /* of what was pulled */
};

/* Called for every piece that comes and for every second of waiting. Returning false ends the pull,
 * but not while the device is away, when there is nothing to end. */
static bool tell(void *ctx, uint64_t done, uint64_t of, bool is_waiting)
{
    struct transfer *transfer = ctx;
    const struct tv_cli *cli = transfer->device->cli;
    if (is_waiting != transfer->is_waiting) {
        tv_progress_clear(&transfer->progress);
        if (is_waiting)
            tv_cli_note(cli, transfer->device->target.model,
                        "it is gone at %.0f %% of the file: connect it again, and pulling goes on",
                        of ? 100.0 * (double)done / (double)of : 0.0);
        else
            tv_cli_note(cli, transfer->device->target.model, "it is back");
        transfer->is_waiting = is_waiting;
    }
    tv_record_tell_pull(&transfer->device->teller, cli, done, of, is_waiting);
    return is_waiting || tv_progress_tell(&transfer->progress, done, of);
}

/* Refuses a file for which the disk here has no room, before any of it comes. */
static enum tv_code check_room(const struct transfer *transfer, struct tv_error *err)
{
    struct statvfs disk;
    const uint64_t has = transfer->len, len = transfer->stat.len;
    if (len <= has || fstatvfs(transfer->fd, &disk) != 0)
        return TV_OK; /* where the disk does not tell its room, writing will fail */
    if ((len - has) / (disk.f_frsize ? disk.f_frsize : 1) < disk.f_bavail)
        return TV_OK;
    return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                   "%s has %.1f GB, and there is no room for them here: make room, or name a file "
                   "elsewhere with -o",
                   transfer->pull->from, (double)len / 1e9);
}

/* Pulls what is there and has not come yet. Where the device goes away meanwhile, tv_adb_fetch()
 * waits for it and goes on; tell() says so to people and to a program that listens. */
static enum tv_code fetch(struct transfer *transfer, bool *has_all, struct tv_error *err)
{
    TV_TRY(check_room(transfer, err));
    struct tv_adb_fetch fetched = {.path = transfer->pull->from,
                                   .fd = transfer->fd,
                                   .wait_ms = DEVICE_WAIT_MS,
                                   .only_grows = transfer->pull->is_being_written,
                                   .tell = tell,
                                   .ctx = transfer,
                                   .stat = transfer->stat};
    tv_progress_init(&transfer->progress, transfer->device->cli, transfer->pull->to);
    tv_progress_phase(&transfer->progress, "pulling", 100);
    enum tv_code code =
        tv_adb_fetch(&transfer->device->adb, &transfer->device->target, &fetched, err);
    tv_progress_clear(&transfer->progress);
    transfer->stat = fetched.stat;
    transfer->len = fetched.done;
    *has_all = fetched.has_all;
    return code;
}

/* A file that has disappeared while it was being written is another case than one that was never
 * there, and says so. */
static enum tv_code look(struct transfer *transfer, struct tv_adb_stat *stat, struct tv_error *err)
{
    struct tv_device *device = transfer->device;
    TV_TRY(tv_adb_stat(&device->adb, &device->target, transfer->pull->from, stat, err));
    if (stat->is_there && (stat->mode & FILE_KIND) == FILE_FOLDER)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%s is a folder on %s: name a file in it, or give the PACKAGE",
                       transfer->pull->from, device->target.model);
    if (stat->is_there)
        return TV_OK;
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s is not on %s%s", transfer->pull->from,
                   device->target.model,
                   transfer->pull->is_being_written
                       ? ": another device has its serial number by now, or somebody has removed "
                         "the file"
                       : "");
}

/* Waits until two looks find the same, and more than was pulled. *has_rested: it never got longer,
 * for as long as a file pauses that is being written. */
static enum tv_code wait_for_growth(struct transfer *transfer, bool *has_rested,
                                    struct tv_error *err)
{
    const uint64_t begun_ns = tv_now_ns();
    const uint64_t longest_ns = transfer->pull->is_being_written ? REST_NS : 0;
    *has_rested = false;
    for (;;) {
        const struct tv_adb_stat before = transfer->stat;
        if (tv_stop_request_wait(transfer->pull->stop, LOOK_MS) == TV_STOP_SIGNAL)
            return tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET, "cancelled");
        TV_TRY(look(transfer, &transfer->stat, err));
        bool is_same =
            before.len == transfer->stat.len && before.changed_s == transfer->stat.changed_s;
        *has_rested = is_same && transfer->stat.len <= transfer->len &&
                      tv_passed_ns(begun_ns, tv_now_ns()) > longest_ns;
        if (*has_rested || (is_same && transfer->stat.len > transfer->len))
            return TV_OK;
    }
}

/* Pulls until the end of the trace is there, or the file grows no more. */
static enum tv_code take(struct transfer *transfer, struct tv_error *err)
{
    struct tv_device_pull *pull = transfer->pull;
    bool has_rested = false;
    while (!has_rested) {
        bool has_all;
        TV_TRY(fetch(transfer, &has_all, err));
        if (has_all)
            tv_device_glance(transfer->device->cli, pull->part, &pull->trace);
        if (has_all && pull->trace.is_whole)
            return TV_OK;
        TV_TRY(wait_for_growth(transfer, &has_rested, err));
    }
    if (transfer->len)
        return TV_OK;
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s is empty on %s: nothing was recorded",
                   pull->from, transfer->device->target.model);
}

/* Asked before the device is: a pull of minutes should not end at the name of the file. */
enum tv_code tv_device_check_name(const char *path, struct tv_error *err)
{
    struct stat there;
    if (stat(path, &there) != 0 || S_ISREG(there.st_mode))
        return TV_OK;
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   S_ISDIR(there.st_mode) ? "%s is a folder here: name a file in it with -o"
                                          : "%s is no plain file here: name another with -o",
                   path);
}

/* The part with which a later pull goes on: its name has the file's time, and stands for the device
 * and the file's path there, since apps give their traces all the same name. */
static bool name_part(const struct transfer *transfer, char name[TV_PATH_CAP])
{
    char whose[TV_ADB_SERIAL_CAP + TV_PATH_CAP];
    const int whose_len = snprintf(whose, sizeof(whose), "%s %s", transfer->device->target.serial,
                                   transfer->pull->from);
    const int len = snprintf(name, TV_PATH_CAP, "%s.%lld-%08x.part", transfer->pull->to,
                             (long long)transfer->stat.changed_s,
                             (unsigned)tv_hash_bytes(whose, strnlen(whose, (size_t)whose_len)));
    return len > 0 && len < TV_PATH_CAP;
}

/* What is there of a part is gone on with, unless the file is still being written. */
static enum tv_code open_part(struct transfer *transfer, struct tv_error *err)
{
    struct tv_device_pull *pull = transfer->pull;
    TV_TRY(tv_device_check_name(pull->to, err));
    TV_TRY(look(transfer, &transfer->stat, err));
    if (!pull->is_being_written && !name_part(transfer, pull->part))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the path is too long");
    transfer->fd = open(
        pull->part, O_RDWR | O_CREAT | O_CLOEXEC | (pull->is_being_written ? O_TRUNC : 0), 0666);
    if (transfer->fd < 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                       "%s cannot be written here: %s: name a file elsewhere with -o", pull->to,
                       strerror(errno));
    const off_t has = lseek(transfer->fd, 0, SEEK_END);
    transfer->len = has > 0 ? (uint64_t)has : 0;
    return TV_OK;
}

/* Gives a part the name by which the next pull goes on with it. */
static void keep_part(struct transfer *transfer, long long len)
{
    struct tv_device_pull *pull = transfer->pull;
    char name[TV_PATH_CAP];
    if (name_part(transfer, name) && rename(pull->part, name) == 0)
        memcpy(pull->part, name, sizeof(name));
    tv_cli_note(transfer->device->cli, pull->part, "what came is kept here, %lld bytes", len);
}

/* Gives the file its name, or keeps the part for the next pull. A part without bytes is removed. */
static enum tv_code close_part(struct transfer *transfer, enum tv_code code, struct tv_error *err)
{
    const struct tv_device_pull *pull = transfer->pull;
    off_t len = lseek(transfer->fd, 0, SEEK_END);
    if (close(transfer->fd) != 0 && code == TV_OK)
        code = tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be written: %s", pull->part,
                       strerror(errno));
    if (code == TV_OK && rename(pull->part, pull->to) != 0)
        code = tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be written: %s", pull->to,
                       strerror(errno));
    if (code != TV_OK && len == 0)
        (void)unlink(pull->part);
    else if (code != TV_OK)
        keep_part(transfer, (long long)len);
    return code;
}

/* Pulls one file. While it comes, the user's request to stop cancels a wait inside of adb as well.
 */
enum tv_code tv_device_take(struct tv_device *device, struct tv_device_pull *pull,
                            struct tv_error *err)
{
    struct transfer transfer = {.device = device, .pull = pull, .fd = -1};
    TV_TRY(open_part(&transfer, err));
    const int cancel_fd = device->adb.cancel_fd;
    device->adb.cancel_fd = pull->stop->fd;
    enum tv_code code = take(&transfer, err);
    device->adb.cancel_fd = cancel_fd;
    return close_part(&transfer, code, err);
}
