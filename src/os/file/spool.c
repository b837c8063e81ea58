/*
 * Spools; see os/file/spool.h. A spool's file has no name, or loses it at once where the file
 * system cannot do that, so nothing is left of it when the program ends, however that happens.
 */
#include "os/file/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "os/file/paths.h"

/* The folder of spools. /tmp is the last choice, since it is often kept in memory. */
const char *tv_spool_folder(void)
{
    const char *chosen = getenv("TMPDIR");
    if (chosen && chosen[0] == '/')
        return chosen;
    return access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
}

void tv_spool_init(struct tv_spool *spool)
{
    *spool = (struct tv_spool){.fd = -1};
}

void tv_spool_release(struct tv_spool *spool)
{
    if (spool->fd >= 0)
        (void)close(spool->fd);
    tv_spool_init(spool);
}

static enum tv_code no_room(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                   "no room for it in %.100s: free some, or set TMPDIR", tv_spool_folder());
}

/* Whether a spool takes `len` bytes more behind its first `off`. */
static enum tv_code check_len(uint64_t off, uint64_t len, struct tv_error *err)
{
    if (off <= TV_SPOOL_MOST && len <= TV_SPOOL_MOST - off)
        return TV_OK;
    return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %llu GiB: open it by its name",
                   (unsigned long long)(TV_SPOOL_MOST >> 30));
}

/* Refuses a spool for which the disk has no room, before anything is uploaded. */
static enum tv_code check_room(const struct tv_spool *spool, uint64_t len, struct tv_error *err)
{
    struct statvfs disk;
    if (fstatvfs(spool->fd, &disk) != 0)
        return TV_OK; /* the disk does not tell its room: writing will fail if there is none */
    uint64_t blocks = (len + TV_SPOOL_SPARE) / (disk.f_frsize ? disk.f_frsize : 1);
    return blocks > disk.f_bavail ? no_room(err) : TV_OK;
}

/* Opens a file without a name, or makes one and removes its name at once. */
static int open_nameless(void)
{
    char path[TV_PATH_CAP];
    int fd = open(tv_spool_folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    int len = snprintf(path, sizeof(path), "%s/traceview-XXXXXX", tv_spool_folder());
    if (len <= 0 || (size_t)len >= sizeof(path))
        return -1;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        (void)unlink(path);
    return fd;
}

enum tv_code tv_spool_open(struct tv_spool *spool, uint64_t expected_len, struct tv_error *err)
{
    tv_spool_init(spool);
    TV_TRY(check_len(0, expected_len, err));
    spool->fd = open_nameless();
    if (spool->fd < 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no temporary file in %.100s: %s",
                       tv_spool_folder(), strerror(errno));
    enum tv_code code = check_room(spool, expected_len, err);
    if (code != TV_OK)
        tv_spool_release(spool);
    return code;
}

static enum tv_code failed(const char *what, struct tv_error *err)
{
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be %s in %.100s: %s", what,
                   tv_spool_folder(), strerror(errno));
}

enum tv_code tv_spool_append(struct tv_spool *spool, const void *bytes, size_t len,
                             struct tv_error *err)
{
    const char *at = bytes;
    TV_TRY(check_len(spool->len, len, err));
    while (len) {
        ssize_t written = write(spool->fd, at, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && tv_is_no_room(errno))
            return no_room(err);
        if (written <= 0)
            return failed("written", err);
        at += written;
        len -= (size_t)written;
        spool->len += (uint64_t)written;
    }
    return TV_OK;
}

/* The descriptor has a path in /proc, under which the file can be opened and mapped
 * like any other. */
void tv_spool_path(const struct tv_spool *spool, char path[TV_SPOOL_PATH_CAP])
{
    (void)snprintf(path, TV_SPOOL_PATH_CAP, "/proc/self/fd/%d", spool->fd);
}

enum tv_code tv_spool_read_at(const struct tv_spool *spool, uint64_t off, void *bytes, size_t len,
                              size_t *got, struct tv_error *err)
{
    for (*got = 0; *got < len;) {
        ssize_t part = pread(spool->fd, (char *)bytes + *got, len - *got, (off_t)(off + *got));
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return failed("read", err);
        if (!part)
            return TV_OK;
        *got += (size_t)part;
    }
    return TV_OK;
}

enum tv_code tv_spool_write_at(const struct tv_spool *spool, uint64_t off, const void *bytes,
                               size_t len, struct tv_error *err)
{
    TV_TRY(check_len(off, len, err));
    for (size_t done = 0; done < len;) {
        ssize_t part =
            pwrite(spool->fd, (const char *)bytes + done, len - done, (off_t)(off + done));
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0 && tv_is_no_room(errno))
            return no_room(err);
        if (part <= 0)
            return failed("written", err);
        done += (size_t)part;
    }
    return TV_OK;
}

enum tv_code tv_spool_cut(const struct tv_spool *spool, uint64_t len, struct tv_error *err)
{
    return ftruncate(spool->fd, (off_t)len) == 0 ? TV_OK : failed("cut", err);
}

enum tv_code tv_spool_file_len(const struct tv_spool *spool, uint64_t *len, struct tv_error *err)
{
    struct stat status;
    if (fstat(spool->fd, &status) != 0)
        return failed("looked at", err);
    *len = (uint64_t)status.st_size;
    return TV_OK;
}
