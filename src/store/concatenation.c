/*
 * Files one behind the other in a draft; see store/concatenation.h. What is copied is on its way to
 * the disk while the rest is copied, so that the sync at the end has little to do.
 */
#include "store/concatenation.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "os/file/copy_range.h"
#include "os/file/paths.h"
#include "os/file/unnamed_file.h"

/* Bytes between two looks at the disk: a multiple of all blocks of disks, since a file system
 * shares whole blocks only. */
#define STEP ((uint64_t)8 << 20)

uint64_t tv_concatenation_len(const struct tv_file_part *parts, size_t count)
{
    uint64_t len = 0;
    for (size_t i = 0; i < count; i++) {
        if (__builtin_add_overflow(len, parts[i].len, &len))
            return UINT64_MAX;
    }
    return len;
}

static enum tv_code copy(int from, int draft, uint64_t *end, uint64_t len, struct tv_error *err)
{
    for (uint64_t done = 0; done < len;) {
        const size_t step = len - done < STEP ? (size_t)(len - done) : (size_t)STEP;
        ssize_t got = tv_file_copy_range(from, done, draft, *end, step);
        if (got < 0)
            return tv_fail(err, tv_is_no_room(errno) ? TV_ERR_LIMIT : TV_ERR_SYSTEM, TV_NO_OFFSET,
                           "the parts of a file cannot be joined: %s", strerror(errno));
        if ((size_t)got != step)
            return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                           "a part of a file ends too early: check the store");
        tv_unnamed_file_send(draft, (off_t)*end, (off_t)got);
        done += step;
        *end += step;
    }
    return TV_OK;
}

enum tv_code tv_concatenation_write(int draft, const struct tv_file_part *parts, size_t count,
                                    tv_store_files_open open, void *ctx, struct tv_error *err)
{
    uint64_t end = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t len;
        int from;
        TV_TRY(open(ctx, &parts[i].name, &from, &len, err));
        enum tv_code code =
            len == parts[i].len
                ? copy(from, draft, &end, len, err)
                : tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                          "a part of a file has another length than it had: check the store");
        (void)close(from);
        TV_TRY(code);
    }
    return TV_OK;
}
