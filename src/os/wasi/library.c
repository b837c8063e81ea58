/*
 * What the C library of WebAssembly lacks of what the files of os use, and programs, of which there
 * are none.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wasi/libc-find-relpath.h>

#include "base/error.h"
#include "os/process/program.h"

/* The first descriptor behind the standard ones: of the one folder that whoever runs the module
 * gives it. */
#define FIRST_FOLDER 3

/* The C library asks here for a folder and for the path below it. A path goes out as it is: only
 * the system knows which of its paths begin at a root. The buffer stays with the C library. */
int __wasilibc_find_relpath_alloc(const char *path, const char **abs, char **relative,
                                  size_t *relative_len, int can_realloc)
{
    size_t len = strlen(path) + 1;
    if (len > *relative_len) {
        char *longer = can_realloc ? realloc(*relative, len) : NULL;
        errno = can_realloc ? ENOMEM : ERANGE;
        if (!longer)
            return -1;
        *relative = longer;
        *relative_len = len;
    }
    memcpy(*relative, path, len);
    *abs = "";
    return FIRST_FOLDER;
}

/* WASI has no word for where a file lies as a whole: whoever runs the module says it
 * (packaging/npm/wasi.mjs). The length of the path, or an error below 0. */
__attribute__((import_module("traceview"), import_name("real_path"))) int
tv_host_real_path(const char *path, size_t len, char *into, size_t cap);

char *realpath(const char *restrict path, char *restrict resolved)
{
    if (!resolved)
        return NULL;
    const int len = tv_host_real_path(path, strlen(path), resolved, PATH_MAX - 1);
    if (len < 0) {
        errno = -len;
        return NULL;
    }
    resolved[len] = '\0';
    return resolved;
}

/* The reasons that people may meet, in the words of the C library that the program has. */
char *strerror(int error)
{
    static const struct {
        int error;
        char text[40];
    } reasons[] = {
        {EACCES, "Permission denied"},
        {EBADF, "Bad file descriptor"},
        {EBUSY, "Device or resource busy"},
        {EDQUOT, "Disk quota exceeded"},
        {EEXIST, "File exists"},
        {EFBIG, "File too large"},
        {EINVAL, "Invalid argument"},
        {EIO, "Input/output error"},
        {EISDIR, "Is a directory"},
        {ELOOP, "Too many levels of symbolic links"},
        {EMFILE, "Too many open files"},
        {ENAMETOOLONG, "File name too long"},
        {ENFILE, "Too many open files in system"},
        {ENODEV, "No such device"},
        {ENOENT, "No such file or directory"},
        {ENOMEM, "Cannot allocate memory"},
        {ENOSPC, "No space left on device"},
        {ENOTDIR, "Not a directory"},
        {ENXIO, "No such device or address"},
        {EPERM, "Operation not permitted"},
        {EPIPE, "Broken pipe"},
        {EROFS, "Read-only file system"},
        {ESPIPE, "Illegal seek"},
        {ETXTBSY, "Text file busy"},
        {EXDEV, "Invalid cross-device link"},
    };
    static char told[40];
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        if (reasons[i].error == error)
            return memcpy(told, reasons[i].text, sizeof(told));
    }
    return memcpy(told, "Unknown error", sizeof("Unknown error"));
}

enum tv_code tv_program_run(const char *const *words, struct tv_str input, int out_fd,
                            unsigned most_seconds, struct tv_error *err)
{
    (void)input, (void)out_fd, (void)most_seconds;
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s cannot be run from here", words[0]);
}
