/*
 * Which file it is, told from little of it, so that it costs as much for 10 GB as for 1 MB: length,
 * time of last change, both ends, and blocks spread evenly in between. A file of up to some hundred
 * KiB is read whole.
 *
 * Neither name, device nor inode count: a trace that was renamed, linked, or copied with its time
 * is the same. Whatever was written again is another, since its time is; a file that was changed in
 * the middle only, keeps its length, and had its time put back goes unnoticed when none of the
 * blocks was hit.
 */
#ifndef TV_OS_IDENTITY_H
#define TV_OS_IDENTITY_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"

struct tv_identity {
    uint64_t of[2];
    uint64_t len; /* bytes of all files together */
};

void tv_identity_init(struct tv_identity *identity);
/* Takes a file in; the order of files counts. TV_ERR_NOT_FOUND: there is none, which is taken in,
 * too. TV_ERR_SYSTEM: it is not a regular file, or cannot be read. */
enum tv_code tv_identity_add(struct tv_identity *identity, const char *path,
                             struct tv_error *err) TV_MUST_CHECK;

#endif
