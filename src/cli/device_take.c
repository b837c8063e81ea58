/*
 * Files of a device that come whole; see cli/device.h.
 *
 * A trace that has just been stopped is still being written, for as long as the device takes.
 * Nothing tells the end of that but the file: it stops growing, and what came is a trace with its
 * end. So it is pulled when its length and time have rested, looked at, and where the end is
 * missing, the rest is waited for and pulled behind what came.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/device.h"
#include "cli/progress.h"
#include "os/clock.h"

#define LOOK_MS 200u
/* Of a mode as the device has it. */
#define FILE_KIND 0170000u
#define FILE_FOLDER 0040000u
/* A file that has not grown for so long does not grow any more. A phone that writes a full buffer
 * of 64 MiB pauses for less. */
#define REST_NS UINT64_C(5000000000)
/* A device that is gone is waited for so long. */
#define DEVICE_WAIT_MS 60000u

struct taking {
    struct tv_device *device;
    struct tv_device_pull *pull;
    int fd;
    struct tv_progress progress;
    bool is_waiting; /* the user was told that the device is gone */
    struct tv_adb_stat stat;
};

static bool tell(void *ctx, uint64_t done, uint64_t of, bool is_waiting)
{
    struct taking *taking = ctx;
    const struct tv_cli *cli = taking->device->cli;
    if (is_waiting != taking->is_waiting) {
        tv_progress_clear(&taking->progress);
        if (is_waiting)
            tv_cli_note(cli, taking->device->target.model,
                        "it is gone at %.0f %% of the file: connect it again, and pulling goes on",
                        of ? 100.0 * (double)done / (double)of : 0.0);
        else
            tv_cli_note(cli, taking->device->target.model, "it is back");
        taking->is_waiting = is_waiting;
    }
    tv_record_tell_pull(&taking->device->teller, cli, done, of, is_waiting);
    return is_waiting || tv_progress_tell(&taking->progress, done, of);
}

static enum tv_code fetch(struct taking *taking, struct tv_error *err)
{
    struct tv_adb_fetch fetched = {.path = taking->pull->from,
                                   .fd = taking->fd,
                                   .wait_ms = DEVICE_WAIT_MS,
                                   .tell = tell,
                                   .ctx = taking};
    tv_progress_init(&taking->progress, taking->device->cli, taking->pull->to);
    tv_progress_phase(&taking->progress, "pulling", 100);
    enum tv_code code = tv_adb_fetch(&taking->device->adb, &taking->device->target, &fetched, err);
    tv_progress_clear(&taking->progress);
    return code;
}

static enum tv_code look(struct taking *taking, struct tv_adb_stat *stat, struct tv_error *err)
{
    struct tv_device *device = taking->device;
    TV_TRY(tv_adb_stat(&device->adb, &device->target, taking->pull->from, stat, err));
    if (stat->is_there && (stat->mode & FILE_KIND) == FILE_FOLDER)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%s is a folder on %s: name a file in it, or give the PACKAGE",
                       taking->pull->from, device->target.model);
    if (stat->is_there)
        return TV_OK;
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s is not on %s", taking->pull->from,
                   device->target.model);
}

/* False: the user has asked for an end. */
static bool pause_between_looks(const struct taking *taking)
{
    if (taking->pull->stopper)
        return tv_stopper_wait(taking->pull->stopper, LOOK_MS) != TV_STOP_SIGNAL;
    (void)poll(NULL, 0, LOOK_MS);
    return true;
}

/* Waits until the file has some length, more than `len`, and two looks find the same. *has_rested:
 * it never got longer. */
static enum tv_code wait_for_growth(struct taking *taking, uint64_t len, bool *has_rested,
                                    struct tv_error *err)
{
    struct tv_adb_stat before = {.is_there = false};
    const uint64_t begun_ns = tv_now_ns();
    *has_rested = false;
    for (;;) {
        TV_TRY(look(taking, &taking->stat, err));
        bool is_same = before.is_there && before.len == taking->stat.len &&
                       before.changed_s == taking->stat.changed_s;
        if (is_same && taking->stat.len > len)
            return TV_OK;
        *has_rested = is_same && tv_passed_ns(begun_ns, tv_now_ns()) > REST_NS;
        if (*has_rested)
            return TV_OK;
        before = taking->stat;
        if (!pause_between_looks(taking))
            return tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET, "cancelled");
    }
}

/* Pulls what grows, until its end is there or it grows no more. */
static enum tv_code take_growing(struct taking *taking, struct tv_error *err)
{
    struct tv_device_pull *pull = taking->pull;
    uint64_t len = 0;
    for (;;) {
        bool has_rested;
        TV_TRY(wait_for_growth(taking, len, &has_rested, err));
        if (has_rested)
            break;
        TV_TRY(fetch(taking, err));
        len = taking->stat.len;
        tv_device_look(taking->device->cli, pull->part, NULL, &pull->trace);
        if (pull->trace.is_whole)
            break;
    }
    if (len)
        return TV_OK;
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s is empty on %s: nothing was recorded",
                   pull->from, taking->device->target.model);
}

static enum tv_code take(struct taking *taking, struct tv_error *err)
{
    struct tv_device_pull *pull = taking->pull;
    return pull->is_being_written ? take_growing(taking, err) : fetch(taking, err);
}

/* The part has the time of the file in its name, so that no other recording is continued; it has
 * one when it is at rest. */
static enum tv_code open_part(struct taking *taking, struct tv_error *err)
{
    struct tv_device_pull *pull = taking->pull;
    bool has_rested;
    TV_TRY(pull->is_being_written ? look(taking, &taking->stat, err)
                                  : wait_for_growth(taking, 0, &has_rested, err));
    int len = pull->is_being_written ? snprintf(pull->part, TV_PATH_CAP, "%s.part", pull->to)
                                     : snprintf(pull->part, TV_PATH_CAP, "%s.%lld.part", pull->to,
                                                (long long)taking->stat.changed_s);
    if (len < 0 || len >= TV_PATH_CAP)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the path is too long");
    taking->fd = open(pull->part,
                      O_RDWR | O_CREAT | O_CLOEXEC | (pull->is_being_written ? O_TRUNC : 0), 0666);
    if (taking->fd < 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be written: %s", pull->part,
                       strerror(errno));
    return TV_OK;
}

/* Gives a part of what was being written the name by which the next pull goes on with it. */
static void keep_part(struct taking *taking, long long len)
{
    struct tv_device_pull *pull = taking->pull;
    char name[TV_PATH_CAP];
    int name_len =
        snprintf(name, sizeof(name), "%s.%lld.part", pull->to, (long long)taking->stat.changed_s);
    if (pull->is_being_written && name_len > 0 && (size_t)name_len < sizeof(name) &&
        rename(pull->part, name) == 0)
        memcpy(pull->part, name, (size_t)name_len + 1);
    tv_cli_note(taking->device->cli, pull->part, "what came is kept here, %lld bytes", len);
}

/* Keeps the part where it has bytes and the file has not got its name. */
static enum tv_code close_part(struct taking *taking, enum tv_code code, struct tv_error *err)
{
    const struct tv_device_pull *pull = taking->pull;
    off_t len = lseek(taking->fd, 0, SEEK_END);
    if (close(taking->fd) != 0 && code == TV_OK)
        code = tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be written: %s", pull->part,
                       strerror(errno));
    if (code == TV_OK && rename(pull->part, pull->to) != 0)
        code = tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be written: %s", pull->to,
                       strerror(errno));
    if (code != TV_OK && len == 0)
        (void)unlink(pull->part);
    else if (code != TV_OK)
        keep_part(taking, (long long)len);
    return code;
}

enum tv_code tv_device_take(struct tv_device *device, struct tv_device_pull *pull,
                            struct tv_error *err)
{
    struct taking taking = {.device = device, .pull = pull, .fd = -1};
    pull->trace = (struct tv_device_trace){.is_readable = false};
    TV_TRY(open_part(&taking, err));
    const int cancel_fd = device->adb.cancel_fd;
    if (pull->stopper)
        device->adb.cancel_fd = pull->stopper->fd;
    enum tv_code code = take(&taking, err);
    device->adb.cancel_fd = cancel_fd;
    return close_part(&taking, code, err);
}
