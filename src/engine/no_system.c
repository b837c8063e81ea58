/*
 * What the C library would ask of a system behind its formatted text: files, and the names of the
 * system's errors.
 *
 * The library names these functions, and nothing of ours calls them. Without the definitions here
 * the first would be imports of the module, which a page would have to bring, and the texts of
 * errors would make it longer. docs/engine.md.
 */
#include <string.h>
#include <wasi/api.h>

__wasi_errno_t __wasi_fd_close(__wasi_fd_t fd)
{
    (void)fd;
    return __WASI_ERRNO_NOSYS;
}

__wasi_errno_t __wasi_fd_seek(__wasi_fd_t fd, __wasi_filedelta_t offset, __wasi_whence_t whence,
                              __wasi_filesize_t *at)
{
    (void)fd;
    (void)offset;
    (void)whence;
    (void)at;
    return __WASI_ERRNO_NOSYS;
}

__wasi_errno_t __wasi_fd_write(__wasi_fd_t fd, const __wasi_ciovec_t *parts, size_t count,
                               __wasi_size_t *written)
{
    (void)fd;
    (void)parts;
    (void)count;
    (void)written;
    return __WASI_ERRNO_NOSYS;
}

char *strerror(int error)
{
    static char none[1];
    (void)error;
    return none;
}
