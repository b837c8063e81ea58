/*
 * Parts of files; see os/file/read_part.h. RWF_NOWAIT takes what is in the page cache alone; file
 * systems that do not know it refuse it.
 */
#include "os/file/read_part.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "os/waits.h"

/* By its number: musl has no function for it before 1.2.5. */
#ifndef RWF_NOWAIT
#define RWF_NOWAIT 8
#endif

ssize_t tv_file_read_cached(int fd, uint64_t off, void *into, size_t cap)
{
    const struct iovec part = {.iov_base = into, .iov_len = cap};
    return syscall(SYS_preadv2, fd, &part, 1ul, (unsigned long)off, (unsigned long)(off >> 32),
                   RWF_NOWAIT);
}

ssize_t tv_file_read_part(int fd, uint64_t off, void *into, size_t cap)
{
    size_t len = 0;
    ssize_t got = 1;
    tv_wait_expect();
    while (len < cap && got) {
        got = pread(fd, (uint8_t *)into + len, cap - len, (off_t)(off + len));
        if (got < 0 && errno != EINTR)
            return -1;
        len += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)len;
}
