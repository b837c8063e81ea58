/*
 * Comparing files by their bytes; see os/file/same_bytes.h. Two recordings of one length nearly
 * always differ in their first block, which has times, so only copies are read to the end.
 */
#include "os/file/same_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file/file.h"

#define BLOCK_LEN 16384u

/* Reads a block, a shorter one at the end of the file. Returns its length; -1: it cannot be read.
 */
static ssize_t read_block(int fd, uint8_t *block, uint64_t off)
{
    size_t len = 0;
    while (len < BLOCK_LEN) {
        const ssize_t got = pread(fd, block + len, BLOCK_LEN - len, (off_t)(off + len));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        len += (size_t)got;
    }
    return (ssize_t)len;
}

static bool have_same_bytes(int a, int b)
{
    uint8_t of_a[BLOCK_LEN];
    uint8_t of_b[BLOCK_LEN];
    for (uint64_t off = 0;; off += BLOCK_LEN) {
        const ssize_t len = read_block(a, of_a, off);
        if (len < 0 || read_block(b, of_b, off) != len || memcmp(of_a, of_b, (size_t)len) != 0)
            return false;
        if (len < (ssize_t)BLOCK_LEN)
            return true;
    }
}

/* The length of a regular file; 0 of what is none. */
static uint64_t len_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0
               ? (uint64_t)status.st_size
               : 0;
}

/* Not blocking: a pipe may have come into the place of a file since its length was asked. */
static bool is_copy(const char *a, const char *b)
{
    if (len_of(a) != len_of(b))
        return false;
    const int of_a = open(a, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const int of_b = open(b, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is_same = of_a >= 0 && of_b >= 0 && have_same_bytes(of_a, of_b);
    if (of_a >= 0)
        (void)close(of_a);
    if (of_b >= 0)
        (void)close(of_b);
    return is_same;
}

uint64_t tv_trace_len(const char *name)
{
    char parts[TV_FILE_PARTS][TV_FILE_NAME_CAP];
    uint64_t len = 0;
    const size_t count = strcmp(name, "-") == 0 ? 0 : tv_file_parts(name, parts);
    for (size_t i = 0; i < count; i++) {
        const uint64_t of_part = len_of(parts[i]);
        if (!of_part)
            return 0;
        len += of_part;
    }
    return len;
}

bool tv_trace_is_copy(const char *a, const char *b)
{
    char of_a[TV_FILE_PARTS][TV_FILE_NAME_CAP];
    char of_b[TV_FILE_PARTS][TV_FILE_NAME_CAP];
    const uint64_t len = tv_trace_len(a);
    if (!len || len != tv_trace_len(b))
        return false;
    const size_t count = tv_file_parts(a, of_a);
    if (tv_file_parts(b, of_b) != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!is_copy(of_a[i], of_b[i]))
            return false;
    }
    return true;
}
