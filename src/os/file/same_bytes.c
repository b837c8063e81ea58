/*
 * Comparing files by their bytes; see os/file/same_bytes.h. Two recordings of one length nearly
 * always differ in their first block, which has times, so only copies are read to the end.
 */
#include "os/file/same_bytes.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file/file.h"

#define BLOCK_LEN 16384u

static bool have_same_bytes(FILE *a, FILE *b)
{
    uint8_t of_a[BLOCK_LEN];
    uint8_t of_b[BLOCK_LEN];
    size_t len = BLOCK_LEN;
    while (len == BLOCK_LEN) {
        len = fread(of_a, 1, BLOCK_LEN, a);
        if (fread(of_b, 1, BLOCK_LEN, b) != len || memcmp(of_a, of_b, len) != 0)
            return false;
    }
    return !ferror(a) && !ferror(b);
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
static FILE *open_file(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (fd >= 0 && !file)
        (void)close(fd);
    return file;
}

static bool is_copy(const char *a, const char *b)
{
    if (len_of(a) != len_of(b))
        return false;
    FILE *of_a = open_file(a);
    FILE *of_b = open_file(b);
    const bool is_same = of_a && of_b && have_same_bytes(of_a, of_b);
    if (of_a)
        (void)fclose(of_a);
    if (of_b)
        (void)fclose(of_b);
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
