/*
 * Lines of the access log; see site/log/access_log.h.
 *
 * Each line is one JSON object and one write(), so that several processes can append to one file.
 * The file is opened without blocking, and a line that cannot be written is dropped and counted: no
 * disk and no pipe can keep the site from answering. The log has no ids of traces, which may be
 * secrets, but a few bytes of their hash. Errors are limited to a few in a minute, and the next
 * line says how many were left out.
 */
#include "site/log/access_log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes/sha256.h"
#include "base/hex.h"
#include "base/memory/buffer.h"
#include "base/text/json.h"
#include "base/units.h"
#include "os/file/paths.h"

#define ERRORS_A_MINUTE 10u
/* The line of a request that took at least this long says what the request waited for. */
#define LONG_NS TV_NS_PER_S
#define MS_PER_MINUTE 60000u
/* Bytes of an id's hash that the log has: enough to follow one trace, too few to tell its id. */
#define ID_BYTES 4u
#define TIME_CAP 64u

struct tv_access_log {
    const struct tv_alloc *alloc;
    struct tv_metrics *metrics;
    bool is_none; /* nothing is written */
    bool is_file;
    bool is_socket;
    bool may_block; /* a write may wait for a reader, unless it is seen before that it need not */
    char path[TV_PATH_CAP];
    pthread_mutex_t lock; /* guards all below */
    int fd;
    uint64_t minute; /* of the last error */
    uint64_t errors; /* in that minute */
    uint64_t unwritten;
    uint64_t lost; /* lines since the last one that was written */
    bool is_cut;   /* of the last line only the beginning was written */
};

static enum tv_code open_file(const char *path, int *fd, struct tv_error *err)
{
    /* O_APPEND: several processes may append to one file. O_NONBLOCK: the path may be that of a
     * pipe that nobody reads. */
    *fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0640);
    return *fd >= 0 ? TV_OK
                    : tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "log %s cannot be opened: %s", path,
                              strerror(errno));
}

static void put_time(char text[TIME_CAP], uint64_t now_ms)
{
    char second[32] = "";
    struct tm parts;
    time_t now_s = (time_t)(now_ms / 1000);
    if (gmtime_r(&now_s, &parts))
        (void)strftime(second, sizeof(second), "%Y-%m-%dT%H:%M:%S", &parts);
    (void)snprintf(text, TIME_CAP, "%s.%03uZ", second, (unsigned)(now_ms % 1000));
}

/* Standard error, so that no write waits for who reads it: the threads that write are those that
 * answer. Whether a description of an open file blocks is shared with whoever else has it, so a
 * pipe or a terminal is opened once more, for this log alone. A regular file is not: two
 * descriptions would write over each other. */
static void open_stderr(struct tv_access_log *log)
{
    struct stat now;
    log->fd = STDERR_FILENO;
    if (fstat(STDERR_FILENO, &now) != 0 || S_ISREG(now.st_mode))
        return;
    log->is_socket = S_ISSOCK(now.st_mode);
    if (log->is_socket)
        return;
    int fd = open("/proc/self/fd/2", O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    log->may_block = fd < 0;
    if (fd >= 0)
        log->fd = fd;
}

/* A file that cannot be opened is told at the start, while somebody looks. */
enum tv_code tv_access_log_open(struct tv_access_log **log, const struct tv_alloc *alloc,
                                const char *where, struct tv_metrics *metrics, struct tv_error *err)
{
    struct tv_access_log *made;
    *log = NULL;
    TV_TRY(tv_alloc_new(alloc, &made, 1, sizeof(*made), err));
    enum tv_code code = TV_OK;
    made->alloc = alloc;
    made->metrics = metrics;
    made->is_file = strcmp(where, "stderr") != 0 && strcmp(where, "none") != 0;
    made->is_none = strcmp(where, "none") == 0;
    made->fd = -1;
    (void)snprintf(made->path, sizeof(made->path), "%s", where);
    if (made->is_file)
        code = open_file(where, &made->fd, err);
    else if (!made->is_none)
        open_stderr(made);
    if (code == TV_OK && pthread_mutex_init(&made->lock, NULL) != 0)
        code = tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no lock can be made");
    if (code == TV_OK)
        *log = made;
    else
        tv_alloc_release(alloc, &made, 1, sizeof(*made));
    return code;
}

void tv_access_log_close(struct tv_access_log *log)
{
    if (!log)
        return;
    if (log->fd >= 0 && log->fd != STDERR_FILENO)
        (void)close(log->fd);
    (void)pthread_mutex_destroy(&log->lock);
    tv_alloc_release(log->alloc, &log, 1, sizeof(*log));
}

/* For logrotate: the old file was renamed, and lines go on in a new one. No line is lost or split,
 * since the lock is held while they change. */
enum tv_code tv_access_log_reopen(struct tv_access_log *log, struct tv_error *err)
{
    int fd;
    if (!log->is_file)
        return TV_OK;
    TV_TRY(open_file(log->path, &fd, err));
    (void)pthread_mutex_lock(&log->lock);
    int old = log->fd;
    log->fd = fd;
    (void)pthread_mutex_unlock(&log->lock);
    (void)close(old);
    return TV_OK;
}

/* By one call, since others append to the same file. Returns how many bytes were written. */
static size_t write_at_once(const struct tv_access_log *log, const void *bytes, size_t len)
{
    struct pollfd room = {.fd = log->fd, .events = POLLOUT};
    if (log->may_block && poll(&room, 1, 0) != 1)
        return 0;
    ssize_t written = log->is_socket ? send(log->fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL)
                                     : write(log->fd, bytes, len);
    return written > 0 ? (size_t)written : 0;
}

/* Says how many lines are missing here, once there is room for lines again. */
static void tell_lost(struct tv_access_log *log, uint64_t now_ms)
{
    char time[TIME_CAP];
    char text[128];
    put_time(time, now_ms);
    int len = snprintf(text, sizeof(text), "%s{\"time\":\"%s\",\"lost_lines\":%llu}\n",
                       log->is_cut ? "\n" : "", time, (unsigned long long)log->lost);
    if (write_at_once(log, text, (size_t)len) != (size_t)len)
        return;
    log->lost = 0;
    log->is_cut = false;
}

/* Neither a disk that is full nor a reader that reads nothing keeps the site from answering: the
 * line is lost then, and counted. */
static void write_line(struct tv_access_log *log, uint64_t now_ms, const struct tv_buffer *line)
{
    (void)pthread_mutex_lock(&log->lock);
    if (log->lost)
        tell_lost(log, now_ms);
    size_t written = log->lost ? 0 : write_at_once(log, line->bytes, line->len);
    bool is_lost = written != line->len;
    log->lost += is_lost;
    log->is_cut |= is_lost && written > 0;
    (void)pthread_mutex_unlock(&log->lock);
    if (is_lost)
        tv_metrics_add(log->metrics, TV_COUNTER_LOG_LOST, 1);
}

static void write_time(struct tv_json *json, uint64_t now_ms)
{
    char text[TIME_CAP];
    put_time(text, now_ms);
    tv_json_key_text(json, "time", text);
}

static void write_id(struct tv_json *json, struct tv_str id)
{
    uint8_t digest[TV_SHA256_LEN];
    char text[2 * ID_BYTES];
    tv_sha256(id, digest);
    tv_hex_put(text, digest, ID_BYTES);
    tv_json_key_str(json, "id", (struct tv_str){text, sizeof(text)});
}

/* Where a request that took long spent its time, in microseconds; the rest was work of its own, and
 * waiting for its client. */
static void write_waits(struct tv_json *json, const struct tv_waits *waits)
{
    static const char *const names[TV_WAIT_KINDS] = {
        [TV_WAIT_THREAD] = "thread", [TV_WAIT_DATABASE] = "database", [TV_WAIT_FILES] = "files"};
    tv_json_key(json, "waited_us");
    tv_json_open_object(json);
    for (unsigned i = 0; i < TV_WAIT_KINDS; i++)
        tv_json_key_u64(json, names[i], waits->ns[i] / 1000);
    tv_json_close_object(json);
}

/* Paths are not written, only routes: a path may hold what somebody typed. */
static void write_fields(struct tv_json *json, const struct tv_access *access)
{
    char address[TV_ADDRESS_TEXT];
    tv_address_text(&access->client, address);
    write_time(json, access->now_ms);
    tv_json_key_text(json, "method", access->method);
    tv_json_key_text(json, "route", access->route ? access->route : "");
    if (access->id.len)
        write_id(json, access->id);
    tv_json_key_u64(json, "status", (uint64_t)(access->status > 0 ? access->status : 0));
    tv_json_key_truth(json, "whole", access->is_whole);
    tv_json_key_u64(json, "received", access->received);
    tv_json_key_u64(json, "sent", access->sent);
    tv_json_key_u64(json, "us", access->ns / 1000);
    tv_json_key_text(json, "client", address);
    if (access->user.len)
        tv_json_key_str(json, "user", access->user);
    if (access->right)
        tv_json_key_text(json, "right", access->right);
    if (access->ns >= LONG_NS)
        write_waits(json, &access->waits);
}

/* A line that cannot be written is counted and dropped (metrics), since no request may wait for a
 * log. */
void tv_access_log_write(struct tv_access_log *log, const struct tv_access *access)
{
    struct tv_buffer line;
    struct tv_json json;
    if (log->is_none)
        return;
    tv_buffer_init(&line, log->alloc);
    tv_json_init(&json, tv_buffer_sink(&line));
    tv_json_open_object(&json);
    write_fields(&json, access);
    tv_json_close_object(&json);
    if (tv_json_finish(&json, NULL) == TV_OK)
        write_line(log, access->now_ms, &line);
    else
        tv_metrics_add(log->metrics, TV_COUNTER_LOG_LOST, 1);
    tv_buffer_release(&line);
}

/* Whether one more error may be written in this minute. *unwritten: how many were left out since
 * the last one. */
static bool may_write_error(struct tv_access_log *log, uint64_t now_ms, uint64_t *unwritten)
{
    uint64_t minute = now_ms / MS_PER_MINUTE;
    (void)pthread_mutex_lock(&log->lock);
    if (log->minute != minute)
        log->errors = 0;
    log->minute = minute;
    bool may = log->errors < ERRORS_A_MINUTE;
    *unwritten = log->unwritten;
    log->errors += may;
    log->unwritten = may ? 0 : log->unwritten + 1;
    (void)pthread_mutex_unlock(&log->lock);
    return may;
}

/* Errors of the site itself, a bounded number in a time; the others are counted and told with the
 * next one. */
void tv_access_log_error(struct tv_access_log *log, uint64_t now_ms, const char *what,
                         const struct tv_error *failure)
{
    struct tv_buffer line;
    struct tv_json json;
    uint64_t unwritten;
    tv_metrics_add(log->metrics, TV_COUNTER_ERRORS, 1);
    if (log->is_none || !may_write_error(log, now_ms, &unwritten))
        return;
    tv_buffer_init(&line, log->alloc);
    tv_json_init(&json, tv_buffer_sink(&line));
    tv_json_open_object(&json);
    write_time(&json, now_ms);
    tv_json_key_text(&json, "error", failure->text);
    tv_json_key_text(&json, "while", what);
    if (unwritten)
        tv_json_key_u64(&json, "unwritten_errors", unwritten);
    tv_json_close_object(&json);
    if (tv_json_finish(&json, NULL) == TV_OK)
        write_line(log, now_ms, &line);
    tv_buffer_release(&line);
}
