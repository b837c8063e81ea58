/*
 * The identity of a file, told from little of its content, so that it costs as much for 10 GB as
 * for 1 MB: length, time of last change, both ends, and blocks spread evenly in between. A file of
 * up to some hundred KiB is read whole.
 *
 * Name, device and inode do not count: a trace that was renamed, linked, or copied with its time is
 * the same. A file that was written again is another one, since its time is. One change goes
 * unnoticed: in the middle of a file, between the blocks, with the length kept and the time put
 * back.
 */
#ifndef TV_OS_FILE_IDENTITY_H
#define TV_OS_FILE_IDENTITY_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"

struct tv_identity {
    uint64_t of[2]; /* checksums: of the content that is read, and of lengths and times */
    uint64_t len;   /* bytes of all files of the trace together */
};

void tv_identity_init(struct tv_identity *identity);
/* Adds a file; the order of files counts. TV_ERR_NOT_FOUND when there is no such file, which is
 * added as a fact too. TV_ERR_SYSTEM when it is not a regular file, or cannot be read. */
enum tv_code tv_identity_add(struct tv_identity *identity, const char *path,
                             struct tv_error *err) TV_MUST_CHECK;

#endif
