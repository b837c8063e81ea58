/* Copies of files of the store in a folder of this machine, of which each may be lost: a bound for
 * the bytes of them. */
#ifndef TV_STORE_CACHED_FILES_H
#define TV_STORE_CACHED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "store/store_files.h"

/* How long a copy stays that nobody uses. A file that was removed elsewhere goes from here by it.
 */
#define TV_CACHED_SECONDS 86400

/* Notes that the copy was used. */
void tv_cached_files_use(int fd);
/* Removes the copies that nobody has used for a day, and the least recently used ones until the
 * others have at most `most` bytes together. A copy that cannot be removed stays. */
void tv_cached_files_cut(const char *folder, uint64_t most, int64_t now,
                         const struct tv_alloc *alloc);

#define TV_CACHED_FOLDERS 256u
/* Removes the copies in one of the folders (`folder` is less than TV_CACHED_FOLDERS) that nobody
 * has used for a day, and those for which `is_kept` returns false, which may take long. Returns how
 * often `is_kept` was called. */
size_t tv_cached_files_sift(const char *path, unsigned folder, int64_t now,
                            bool (*is_kept)(void *ctx, const struct tv_hash *name), void *ctx);

#endif
