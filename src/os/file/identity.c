/*
 * The identity of a file; see os/file/identity.h.
 *
 * A checksum of a whole large file would take as long as reading it. So the identity has the
 * length, the time of change, both ends of the file and 64 blocks evenly between them. A change
 * that leaves length and time as they were and misses all blocks is not noticed.
 */
#include "os/file/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes/checksum.h"
#include "base/error.h"
#include "os/clock.h"

#define BLOCK_LEN ((uint64_t)4096)
#define BLOCK_COUNT 64u
/* Bytes of each end: the beginning has the tables of text traces, and the end is what a recorder
 * writes last. */
#define END_LEN ((uint64_t)16384)
#define WHOLE_LEN (2 * END_LEN + BLOCK_COUNT * BLOCK_LEN)

void tv_identity_init(struct tv_identity *identity)
{
    *identity = (struct tv_identity){.of = {1, 2}};
}

/* Adds the bytes [off, off + len), piece by piece. */
static bool add_bytes(struct tv_identity *identity, int fd, uint64_t off, uint64_t len)
{
    uint8_t piece[BLOCK_LEN];
    while (len) {
        size_t want = len < sizeof(piece) ? (size_t)len : sizeof(piece);
        ssize_t got = pread(fd, piece, want, (off_t)off);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false; /* the file was cut meanwhile */
        identity->of[0] = tv_checksum_mix(identity->of[0], tv_checksum(piece, (size_t)got));
        off += (uint64_t)got;
        len -= (uint64_t)got;
    }
    return true;
}

static bool add_content(struct tv_identity *identity, int fd, uint64_t len)
{
    if (len <= WHOLE_LEN)
        return add_bytes(identity, fd, 0, len);
    if (!add_bytes(identity, fd, 0, END_LEN) || !add_bytes(identity, fd, len - END_LEN, END_LEN))
        return false;
    /* The bytes between the ends are divided into equal shares, and the middle block of each share
     * is read. */
    uint64_t share = (len - 2 * END_LEN) / BLOCK_COUNT;
    for (uint64_t i = 0; i < BLOCK_COUNT; i++) {
        uint64_t off = END_LEN + i * share + (share - BLOCK_LEN) / 2;
        if (!add_bytes(identity, fd, off, BLOCK_LEN))
            return false;
    }
    return true;
}

static enum tv_code add_open(struct tv_identity *identity, int fd, struct tv_error *err)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "is not a regular file");
    uint64_t len = (uint64_t)status.st_size;
    uint64_t time = (uint64_t)tv_file_changed_ns(&status);
    identity->of[1] = tv_checksum_mix(tv_checksum_mix(identity->of[1], len), time);
    identity->len += len;
    if (!add_content(identity, fd, len))
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be read: %s", strerror(errno));
    return TV_OK;
}

enum tv_code tv_identity_add(struct tv_identity *identity, const char *path, struct tv_error *err)
{
    struct stat status;
    /* A pipe is not even opened: whoever waits to write to it would be let in, and then find nobody
     * who reads. */
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "is not a regular file");
    /* Not blocking: a pipe may have come into its place. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) {
        identity->of[1] = tv_checksum_mix(identity->of[1], UINT64_MAX);
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no such file");
    }
    if (fd < 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be opened: %s", strerror(errno));
    enum tv_code code = add_open(identity, fd, err);
    (void)close(fd);
    return code;
}
