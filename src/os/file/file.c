/*
 * Finding, mapping, joining and unpacking the file of a trace; see os/file/file.h.
 *
 * A single plain file is mapped, so its pages are read as they are needed and never copied.
 * Everything else is in memory: pipes, pairs, and what was unpacked. What a name stands for is
 * decided by looking at the opened file, never at the name, which may mean another file a moment
 * later. Unpacking runs in a Landlock domain, since it is the first code that meets hostile bytes.
 */
#include "os/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "base/units.h"
#include "os/file/source.h"
#include "os/file/unpack.h"
#include "os/sandbox/landlock.h"

/* How often, in milliseconds, whoever waits for a pipe is asked whether to go on. */
#define WAIT_MS 100

static const struct tv_file_opts as_usual = {.only_regular = false};

void tv_file_init(struct tv_file *file, const struct tv_alloc *alloc)
{
    *file = (struct tv_file){.bytes = NULL};
    tv_buffer_init(&file->memory, alloc);
}

void tv_file_release(struct tv_file *file)
{
    tv_mapping_release(&file->mapping);
    tv_buffer_release(&file->memory);
    tv_file_init(file, file->memory.alloc);
}

int64_t tv_file_made_ns(const char *path)
{
#ifdef STATX_BTIME
    struct statx status;
    if (statx(AT_FDCWD, path, 0, STATX_BTIME, &status) != 0 || (status.stx_mask & STATX_BTIME) == 0)
        return 0;
    return status.stx_btime.tv_sec * (int64_t)TV_NS_PER_S + status.stx_btime.tv_nsec;
#else /* WebAssembly's system knows no such time */
    (void)path;
    return 0;
#endif
}

/* A source of bytes that may have to be waited for. */
struct waiting {
    int fd;
    const struct tv_inflate_opts *opts;
    uint64_t len;      /* bytes so far */
    uint64_t most_len; /* more are TV_ERR_LIMIT */
    uint64_t end;      /* the bytes end here, whether or not more could be read */
};

static enum tv_code too_long(uint64_t most_len, struct tv_error *err)
{
    return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "is longer than %llu MiB",
                   (unsigned long long)(most_len >> 20));
}

/* Reads what is there, or waits for it in short steps; between them the wait may be cancelled. */
static enum tv_code read_or_wait(void *ctx, uint8_t *into, size_t cap, size_t *len,
                                 struct tv_error *err)
{
    struct waiting *waiting = ctx;
    const struct tv_inflate_opts *opts = waiting->opts;
    struct pollfd pipe = {.fd = waiting->fd, .events = POLLIN};
    ssize_t got = -1;
    errno = EAGAIN;
    cap = cap < waiting->end - waiting->len ? cap : (size_t)(waiting->end - waiting->len);
    while (cap && got < 0 && (errno == EINTR || errno == EAGAIN)) {
        if (opts->progress && !opts->progress(opts->progress_ctx, waiting->len, 0))
            return tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET, "cancelled");
        errno = EAGAIN;
        if (poll(&pipe, 1, WAIT_MS) > 0)
            got = read(waiting->fd, into, cap);
    }
    *len = got < 0 ? 0 : (size_t)got;
    waiting->len += *len;
    if (got < 0 && cap)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be read: %s", strerror(errno));
    return waiting->len > waiting->most_len ? too_long(waiting->most_len, err) : TV_OK;
}

static enum tv_code read_whole(struct tv_file *file, int fd, const struct tv_file_opts *opts,
                               struct tv_error *err)
{
    struct waiting waiting = {.fd = fd,
                              .opts = &opts->unpack,
                              .most_len = opts->most_len ? opts->most_len : UINT64_MAX,
                              .end = UINT64_MAX};
    /* A file of /proc is a regular one, too, and says that it is empty; reading it may wait, or
     * never end. */
    if (opts->only_regular)
        waiting.end = tv_file_len_of(fd);
    const struct tv_source source = {.read = read_or_wait, .ctx = &waiting};
    TV_TRY(tv_source_read_all(source, &file->memory, err));
    file->bytes = file->memory.bytes;
    file->len = file->memory.len;
    return TV_OK;
}

/* Maps a regular file. Other files are read: pipes, sockets, files of /proc, whose length is told
 * as 0, and the second file of a pair, which is joined in memory. */
static enum tv_code take_fd(struct tv_file *file, int fd, const struct tv_file_opts *opts,
                            struct tv_error *err)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be looked at: %s",
                       strerror(errno));
    if (S_ISDIR(status.st_mode))
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "is a directory: %s",
                       opts->in_folder ? opts->in_folder
                                       : "name a trace file in it (what Apple Instruments saves as "
                                         ".trace opens in Xcode)");
    if (opts->most_len && (uint64_t)status.st_size > opts->most_len)
        return too_long(opts->most_len, err);
    bool is_at_start = S_ISREG(status.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
    if (!is_at_start || status.st_size <= 0 || file->memory.len)
        return read_whole(file, fd, opts, err);
    if ((uint64_t)status.st_size > SIZE_MAX) /* WebAssembly's memory has 4 GiB */
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "is longer than memory can be here");
    if (tv_mapping_open(&file->mapping, fd, (size_t)status.st_size, NULL) != TV_OK)
        return read_whole(file, fd, opts, err);
    tv_mapping_read_ahead(&file->mapping);
    file->bytes = file->mapping.bytes;
    file->len = file->mapping.len;
    return TV_OK;
}

/* Refuses devices, and pipes where only a file will do. */
static enum tv_code check_kind(int fd, bool only_regular, struct tv_error *err)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be looked at: %s",
                       strerror(errno));
    if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "is a device: name a file, or a pipe");
    if (only_regular && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "is a pipe: name a file");
    return TV_OK;
}

/* Opens without blocking: opening a pipe would wait for somebody who writes to it. */
static enum tv_code open_named(const char *name, bool only_regular, int *fd, struct tv_error *err)
{
    *fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0 && errno == ENOENT)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no such file: check the name");
    if (*fd < 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be opened: %s", strerror(errno));
    enum tv_code code = check_kind(*fd, only_regular, err);
    if (code != TV_OK)
        (void)close(*fd);
    return code;
}

static enum tv_code take_named(struct tv_file *file, const char *name,
                               const struct tv_file_opts *opts, struct tv_error *err)
{
    int fd;
    TV_TRY(open_named(name, opts->only_regular, &fd, err));
    enum tv_code code = take_fd(file, fd, opts, err);
    (void)close(fd);
    return code;
}

static bool join_name(char out[TV_FILE_NAME_CAP], struct tv_str stem, const char *suffix)
{
    int len =
        snprintf(out, TV_FILE_NAME_CAP, "%.*s%s",
                 (int)(stem.len < TV_FILE_NAME_CAP ? stem.len : TV_FILE_NAME_CAP), stem.at, suffix);
    return len > 0 && len < TV_FILE_NAME_CAP;
}

static bool is_there(const char *name)
{
    return access(name, F_OK) == 0;
}

/* Reads a pair into memory, the data file behind the key file, which is the file that a later
 * version would have written. */
static enum tv_code take_pair(struct tv_file *file, const char *key, const char *data,
                              const struct tv_file_opts *opts, struct tv_error *err)
{
    struct tv_file_opts regular = *opts;
    int fd;
    regular.only_regular = true;
    TV_TRY(open_named(key, true, &fd, err));
    enum tv_code code = read_whole(file, fd, &regular, err);
    (void)close(fd);
    if (code == TV_OK)
        code = take_named(file, data, &regular, err);
    return code;
}

/* The name without ".key" or ".data" at its end. */
static struct tv_str stem_of(const char *name)
{
    static const char *const suffixes[] = {".key", ".data"};
    struct tv_str text = tv_str_from(name);
    for (size_t i = 0; i < TV_COUNT_OF(suffixes); i++) {
        size_t len = strlen(suffixes[i]);
        if (text.len > len && memcmp(text.at + text.len - len, suffixes[i], len) == 0)
            return (struct tv_str){text.at, text.len - len};
    }
    return text;
}

/* A half of a pair stands for the pair even when a file of that name exists, since neither half
 * alone is a trace. */
size_t tv_file_parts(const char *name, char parts[TV_FILE_PARTS][TV_FILE_NAME_CAP])
{
    struct tv_str whole = tv_str_from(name);
    struct tv_str stem = stem_of(name);
    bool is_half = stem.len < whole.len;
    bool is_as_named = is_there(name) && !is_half;
    if (!is_as_named && !is_half && join_name(parts[0], whole, ".trace") && is_there(parts[0]))
        return 1;
    if (!is_as_named && join_name(parts[0], stem, ".key") && join_name(parts[1], stem, ".data") &&
        is_there(parts[0]) && is_there(parts[1]))
        return 2;
    return join_name(parts[0], whole, "") ? 1 : 0;
}

static enum tv_code take_by_name(struct tv_file *file, const char *name,
                                 const struct tv_file_opts *opts, struct tv_error *err)
{
    char parts[TV_FILE_PARTS][TV_FILE_NAME_CAP];
    size_t count = tv_file_parts(name, parts);
    if (count == TV_FILE_PARTS)
        return take_pair(file, parts[0], parts[1], opts, err);
    return take_named(file, count ? parts[0] : name, opts, err);
}

enum tv_code tv_file_check(const struct tv_file *file, enum tv_code code, struct tv_error *err)
{
    struct tv_error reason;
    enum tv_code check =
        file->mapping.bytes ? tv_mapping_check(file->mapping.bytes, &reason) : TV_OK;
    if (check == TV_OK || code == TV_ERR_CANCELLED)
        return code;
    if (err)
        *err = reason;
    return check;
}

/* The arguments of inflate_file, which runs on a thread of its own. */
struct unpacking {
    struct tv_file *file;
    const struct tv_file_opts *opts;
    struct tv_buffer *unpacked;
    struct tv_error *err;
    enum tv_code code;
};

static void inflate_file(void *ctx)
{
    struct unpacking *unpacking = ctx;
    struct tv_file *file = unpacking->file;
    unpacking->code = tv_unpack(file->bytes, file->len, &unpacking->opts->unpack,
                                unpacking->unpacked, &file->is_cut, unpacking->err);
}

/* Replaces packed bytes by the bytes that they unpack to. */
static enum tv_code unpack(struct tv_file *file, const struct tv_file_opts *opts,
                           struct tv_error *err)
{
    struct tv_buffer unpacked;
    if (!tv_is_packed(file->bytes, file->len))
        return TV_OK;
    tv_buffer_init(&unpacked, file->memory.alloc);
    struct unpacking unpacking = {.file = file, .opts = opts, .unpacked = &unpacked, .err = err};
    const struct tv_landlock domain = tv_landlock_for_readers();
    (void)tv_landlock_run(&domain, inflate_file, &unpacking);
    enum tv_code code = tv_file_check(file, unpacking.code, err);
    tv_mapping_release(&file->mapping);
    tv_buffer_release(&file->memory);
    file->packed_len = file->len;
    file->memory = unpacked;
    file->bytes = unpacked.bytes;
    file->len = unpacked.len;
    return code;
}

/* Unpacks what was opened, and refuses an empty file. */
static enum tv_code finish_open(struct tv_file *file, enum tv_code code,
                                const struct tv_file_opts *opts, struct tv_error *err)
{
    if (code == TV_OK)
        code = unpack(file, opts, err);
    if (code == TV_OK && !file->len && file->is_cut)
        code = tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET,
                       "the packed data ends before anything could be unpacked: fetch it again");
    else if (code == TV_OK && !file->len)
        code = tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET, "is empty: %s",
                       opts->when_empty ? opts->when_empty : "record the trace again");
    if (code != TV_OK)
        tv_file_release(file);
    return code;
}

enum tv_code tv_file_open(struct tv_file *file, const char *name, const struct tv_file_opts *opts,
                          struct tv_error *err)
{
    bool is_input = strcmp(name, "-") == 0;
    opts = opts ? opts : &as_usual;
    return finish_open(file,
                       is_input ? take_fd(file, STDIN_FILENO, opts, err)
                                : take_by_name(file, name, opts, err),
                       opts, err);
}

enum tv_code tv_file_open_alone(struct tv_file *file, const char *name,
                                const struct tv_file_opts *opts, struct tv_error *err)
{
    opts = opts ? opts : &as_usual;
    return finish_open(file, take_named(file, name, opts, err), opts, err);
}

/* Asked before anything is shown: it must neither wait for a pipe nor take a byte out of one, so
 * only a regular file is opened, and without blocking. */
bool tv_file_opens_at_once(const char *name)
{
    uint8_t first[4];
    struct stat status;
    if (strcmp(name, "-") == 0)
        return false;
    if (stat(name, &status) != 0 || S_ISDIR(status.st_mode))
        return true; /* a name that stands for another file, or for none, is found out at once */
    if (!S_ISREG(status.st_mode))
        return false;
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t len = fd < 0 ? 0 : read(fd, first, sizeof(first));
    if (fd >= 0)
        (void)close(fd);
    return len <= 0 || tv_packing_of(first, (size_t)len) == TV_PACKING_NONE;
}
