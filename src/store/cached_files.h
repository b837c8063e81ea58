/* Copies of files of the store in a folder of this machine, of which each may be lost: a bound for
 * the bytes of them. */
#ifndef TV_STORE_CACHED_FILES_H
#define TV_STORE_CACHED_FILES_H

#include <stdint.h>

#include "base/alloc.h"

/* How long a copy stays that nobody uses. A file that was removed elsewhere goes from here by it.
 */
#define TV_CACHED_SECONDS 86400

/* Notes that the copy was used. */
void tv_cached_files_use(int fd);
/* Removes copies until all others together have at most so many bytes, the least recently used
 * first, and those that nobody has used for a day. What fails stays. */
void tv_cached_files_cut(const char *folder, uint64_t most, int64_t now,
                         const struct tv_alloc *alloc);

#endif
