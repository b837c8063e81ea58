/*
 * Pulling a file so that nothing of it is pulled twice; see adb/adb.h.
 *
 * Bytes that came stay in the caller's file, and the rest follows when the device is back. The sync
 * service always begins at a file's beginning; so the device's `tail` gives the rest where it has a
 * shell of version 2, and elsewhere the sync service sends all of it again and the known part is
 * left out. Bytes beyond the length that the device tells are taken only when it tells a new one.
 * Before going on, length and time of the file are compared, since another file may stand
 * under its name by now.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "adb/adb.h"
#include "adb/connection.h"
#include "base/units.h"
#include "os/clock.h"
#include "os/file/paths.h"

#define LOOK_MS 250 /* how often a device that is gone is looked for */
/* A device that has come back this often without a single further byte has another trouble. */
#define MOST_TRIES_IN_VAIN 5u
#define OLD_LEN_MASK UINT64_C(0xffffffff) /* of lengths without has_stat_v2 */

struct fetching {
    struct tv_adb *adb;
    const struct tv_adb_target *target;
    struct tv_adb_fetch *fetch;
    uint64_t most;    /* bytes that the device says the file has */
    bool is_too_long; /* it sends more */
};

static bool tell(const struct fetching *fetching, bool is_waiting)
{
    const struct tv_adb_fetch *fetch = fetching->fetch;
    const uint64_t of = fetch->done < fetch->stat.len ? fetch->stat.len : fetch->done;
    return !fetch->tell || fetch->tell(fetch->ctx, fetch->done, of, is_waiting);
}

/* The most bytes that a file can have by what the device says of it: old devices tell lengths
 * modulo 4 GiB. */
static uint64_t most_of(const struct tv_adb_target *target, const struct tv_adb_stat *stat)
{
    return target->has_stat_v2 ? stat->len : stat->len + OLD_LEN_MASK + 1;
}

static enum tv_code check_there(const struct fetching *fetching, const struct tv_adb_stat *stat,
                                struct tv_error *err)
{
    if (stat->is_there)
        return TV_OK;
    return tv_adb_fail(fetching->adb, TV_ADB_REFUSED, err, "%s is not on the device",
                       fetching->fetch->path);
}

static enum tv_code look(struct fetching *fetching, struct tv_adb_stat *stat, struct tv_error *err)
{
    TV_TRY(tv_adb_stat(fetching->adb, fetching->target, fetching->fetch->path, stat, err));
    return check_there(fetching, stat, err);
}

/* Looks at the file before bytes behind its told end are taken: an app may have written them, but a
 * device that sends more than the file has would fill the disk. */
static enum tv_code check_length(struct fetching *fetching, uint64_t len, struct tv_error *err)
{
    struct tv_adb_stat now;
    if (len <= fetching->most)
        return TV_OK;
    TV_TRY(look(fetching, &now, err));
    fetching->most = most_of(fetching->target, &now);
    fetching->is_too_long = len > fetching->most;
    if (!fetching->is_too_long)
        return TV_OK;
    return tv_adb_fail(fetching->adb, TV_ADB_GARBAGE, err,
                       "the device sends more of %s than the %" PRIu64 " bytes that it says the "
                       "file has",
                       fetching->fetch->path, now.len);
}

/* Bytes go to the file at once and are counted only when they are there: what is pulled after the
 * device was gone begins behind them. */
static enum tv_code write_all(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    struct fetching *fetching = ctx;
    const uint8_t *at = bytes;
    TV_TRY(check_length(fetching, fetching->fetch->done + len, err));
    while (len) {
        ssize_t written = write(fetching->fetch->fd, at, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                           tv_is_no_room(errno) ? "no room here for %s of the device: %s"
                                                : "the bytes of %s cannot be written: %s",
                           fetching->fetch->path, strerror(errno));
        at += written;
        len -= (size_t)written;
        fetching->fetch->done += (uint64_t)written;
    }
    return tell(fetching, false) ? TV_OK
                                 : tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET, "cancelled");
}

/* Pulls the file behind what is there; `now` is how the file stands afterwards. */
static enum tv_code receive_rest(struct fetching *fetching, struct tv_adb_stat *now,
                                 struct tv_error *err)
{
    struct tv_adb_pull pull = {.path = fetching->fetch->path,
                               .from = fetching->fetch->done,
                               .sink = {write_all, fetching}};
    TV_TRY(tv_adb_receive(fetching->adb, fetching->target, &pull, err));
    *now = pull.after;
    return check_there(fetching, now, err);
}

/* The path is quoted for the device's shell: a file name is anybody's text, and may have quotes and
 * semicolons in it. */
static enum tv_code run_tail(struct fetching *fetching, struct tv_buffer *command, int *status,
                             struct tv_error *err)
{
    char begin[48];
    struct tv_adb_shell shell = {.out = {write_all, fetching}};
    (void)snprintf(begin, sizeof(begin), "tail -c +%" PRIu64 " ", fetching->fetch->done + 1);
    TV_TRY(tv_buffer_append(command, begin, strlen(begin), err));
    TV_TRY(tv_adb_quote(command, tv_str_from(fetching->fetch->path), err));
    TV_TRY(tv_buffer_append(command, "", 1, err));
    shell.command = (const char *)command->bytes;
    enum tv_code code = tv_adb_run(fetching->adb, fetching->target, &shell, err);
    *status = shell.status;
    return code;
}

/* Nothing to leave out, or a shell that cannot tell failure from output: then the sync service
 * sends the file from its beginning. */
static enum tv_code fetch_rest(struct fetching *fetching, struct tv_adb_stat *now,
                               struct tv_error *err)
{
    struct tv_buffer command;
    int status = 0;
    if (!fetching->fetch->done || !fetching->target->has_shell_v2)
        return receive_rest(fetching, now, err);
    tv_buffer_init(&command, fetching->adb->alloc);
    enum tv_code code = run_tail(fetching, &command, &status, err);
    tv_buffer_release(&command);
    TV_TRY(code);
    /* Without `tail` on the device the sync service sends the rest. */
    return status != 0 ? receive_rest(fetching, now, err) : look(fetching, now, err);
}

static enum tv_code fail_changed(const struct fetching *fetching, struct tv_error *err)
{
    return tv_adb_fail(fetching->adb, TV_ADB_REFUSED, err,
                       "%s has changed on the device since its beginning was pulled: pull it anew",
                       fetching->fetch->path);
}

/* A failure to list counts as "not ready": the server may be restarting, and the caller asks again
 * until its time is over. */
static bool is_ready(struct tv_adb *adb, const char *serial)
{
    struct tv_adb_devices devices;
    bool found = false;
    tv_adb_devices_init(&devices, adb->alloc);
    if (tv_adb_list_devices(adb, &devices, NULL) == TV_OK) {
        for (size_t i = 0; i < devices.count; i++)
            found |= devices.of[i].state == TV_ADB_STATE_DEVICE &&
                     tv_str_equal(devices.of[i].serial, tv_str_from(serial));
    }
    tv_adb_devices_release(&devices);
    return found;
}

/* Waits until the device is back. If it does not come, the failure is `why`, the one that made it
 * go. */
static enum tv_code wait_for_device(struct fetching *fetching, const struct tv_error *why,
                                    struct tv_error *err)
{
    struct tv_adb *adb = fetching->adb;
    const enum tv_adb_trouble trouble = adb->trouble;
    const uint64_t begun_ns = tv_now_ns();
    struct pollfd cancel = {.fd = adb->cancel_fd, .events = POLLIN};
    while (tv_passed_ns(begun_ns, tv_now_ns()) < fetching->fetch->wait_ms * TV_NS_PER_MS) {
        if (!tell(fetching, true) || poll(&cancel, 1, LOOK_MS) > 0)
            return tv_adb_fail(adb, TV_ADB_CANCELLED, err, "cancelled");
        if (is_ready(adb, fetching->target->serial))
            return TV_OK;
    }
    adb->trouble = trouble;
    if (err)
        *err = *why;
    return why->code;
}

static bool may_come_back(enum tv_adb_trouble trouble)
{
    return trouble == TV_ADB_GONE || trouble == TV_ADB_SILENT || trouble == TV_ADB_OFFLINE ||
           trouble == TV_ADB_NOT_THERE || trouble == TV_ADB_NO_DEVICE ||
           trouble == TV_ADB_UNAUTHORISED;
}

static bool is_same(const struct tv_adb_stat *one, const struct tv_adb_stat *other)
{
    return one->len == other->len && one->changed_s == other->changed_s;
}

/* Whether everything that the file has now was pulled. Old devices tell lengths modulo 4 GiB. */
static bool has_all(const struct fetching *fetching, const struct tv_adb_stat *now)
{
    const uint64_t mask = fetching->target->has_stat_v2 ? UINT64_MAX : OLD_LEN_MASK;
    return (fetching->fetch->done & mask) == (now->len & mask);
}

/* Whether the file has less than was pulled. Lengths modulo 4 GiB cannot tell. */
static bool is_shorter(const struct fetching *fetching, const struct tv_adb_stat *now)
{
    return fetching->target->has_stat_v2 && now->len < fetching->fetch->done;
}

/* Pulls what was not pulled yet, and looks whether that is all by now: the app may still be
 * writing. */
static enum tv_code try_once(struct fetching *fetching, struct tv_error *err)
{
    struct tv_adb_fetch *fetch = fetching->fetch;
    struct tv_adb_stat now;
    TV_TRY(fetch_rest(fetching, &now, err));
    if (is_shorter(fetching, &now))
        return fail_changed(fetching, err);
    fetch->has_all = has_all(fetching, &now);
    if (!fetch->has_all && is_same(&now, &fetch->stat))
        return tv_adb_fail(fetching->adb, TV_ADB_REFUSED, err,
                           "the device says that %s has %" PRIu64 " bytes, and sent %" PRIu64
                           ": pull it again",
                           fetch->path, now.len, fetch->done);
    fetch->stat = now;
    return TV_OK;
}

/* A device that was gone may be back with another file of the same name. */
static enum tv_code look_again(struct fetching *fetching, struct tv_error *err)
{
    struct tv_adb_fetch *fetch = fetching->fetch;
    struct tv_adb_stat now;
    TV_TRY(look(fetching, &now, err));
    bool has_grown = fetch->only_grows && now.len >= fetch->stat.len;
    if ((!has_grown && !is_same(&now, &fetch->stat)) || is_shorter(fetching, &now))
        return fail_changed(fetching, err);
    fetch->stat = now;
    return TV_OK;
}

/* Tries again as long as the device comes back and each return brings at least a byte. */
enum tv_code tv_adb_fetch(struct tv_adb *adb, const struct tv_adb_target *target,
                          struct tv_adb_fetch *fetch, struct tv_error *err)
{
    struct fetching fetching = {
        .adb = adb, .target = target, .fetch = fetch, .most = most_of(target, &fetch->stat)};
    struct tv_error why = {.code = TV_OK};
    unsigned in_vain = 0;
    off_t end = lseek(fetch->fd, 0, SEEK_END);
    if (end < 0)
        return tv_adb_fail(adb, TV_ADB_HERE, err, "the file for %s: %s", fetch->path,
                           strerror(errno));
    fetch->done = (uint64_t)end;
    if (is_shorter(&fetching, &fetch->stat))
        return fail_changed(&fetching, err);
    enum tv_code code = try_once(&fetching, &why);
    while (code != TV_OK) {
        const uint64_t before = fetch->done;
        if (!may_come_back(adb->trouble) || in_vain > MOST_TRIES_IN_VAIN || !fetch->wait_ms)
            break;
        TV_TRY(wait_for_device(&fetching, &why, err));
        code = look_again(&fetching, &why);
        if (code == TV_OK)
            code = try_once(&fetching, &why);
        in_vain = fetch->done > before ? 0 : in_vain + 1;
    }
    if (fetching.is_too_long)
        adb->trouble = TV_ADB_GARBAGE; /* and not one of this computer, as failures to write are */
    if (code != TV_OK && err)
        *err = why;
    return code;
}
