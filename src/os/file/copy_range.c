/*
 * Copying by copy_file_range(2); see os/file/copy_range.h. On XFS and btrfs it shares blocks;
 * elsewhere the kernel copies without a way through this process. Where it cannot (other file
 * systems on each side, an old kernel), or tells of an end where there may be none, bytes are read
 * and written.
 */
#include "os/file/copy_range.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "os/file/read_part.h"
#include "os/waits.h"

#define BLOCK ((size_t)64 * 1024)

/* As many as one block; 0 at the end. A write that the disk cuts short is gone on with. */
static ssize_t copy_block(int from, uint64_t from_off, int to, uint64_t to_off, size_t len)
{
    uint8_t block[BLOCK];
    ssize_t got = tv_file_read_part(from, from_off, block, len < BLOCK ? len : BLOCK);
    if (got <= 0)
        return got;
    return pwrite(to, block, (size_t)got, (off_t)to_off);
}

static ssize_t copy_some(int from, uint64_t from_off, int to, uint64_t to_off, size_t len,
                         bool *has_failed)
{
    off_t from_at = (off_t)from_off;
    off_t to_at = (off_t)to_off;
    ssize_t got = *has_failed ? 0 : copy_file_range(from, &from_at, to, &to_at, len, 0);
    if (got > 0 || (got < 0 && (errno == EINTR || errno == ENOSPC || errno == EDQUOT)))
        return got;
    *has_failed = true;
    return copy_block(from, from_off, to, to_off, len);
}

ssize_t tv_file_copy_range(int from, uint64_t from_off, int to, uint64_t to_off, size_t len)
{
    size_t done = 0;
    ssize_t got = 1;
    bool has_failed = false;
    tv_wait_expect();
    while (done < len && got) {
        got = copy_some(from, from_off + done, to, to_off + done, len - done, &has_failed);
        if (got < 0 && errno != EINTR)
            return -1;
        done += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)done;
}
