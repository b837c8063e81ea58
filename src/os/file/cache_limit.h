/* The limit of the cache: how much it may hold, and which files are evicted. Used by
 * os/file/cache.c only. */
#ifndef TV_OS_FILE_CACHE_LIMIT_H
#define TV_OS_FILE_CACHE_LIMIT_H

#include <stdint.h>

#include "os/file/cache.h"

/* What the names of drafts begin with. A draft that nobody wrote to for an hour was left behind. */
#define TV_CACHE_DRAFT_PREFIX ".draft-"
#define TV_CACHE_DRAFT_LIFE_S 3600

/* The most bytes that the user wants the cache to hold: $TRACEVIEW_CACHE_SIZE, or the default. */
uint64_t tv_cache_wish(void);
/* Evicts files, the least recently used first, until a file of that name and length fits; removes
 * drafts that were left behind. TV_ERR_LIMIT: the file does not fit an empty cache, and nothing
 * was evicted. */
enum tv_code tv_cache_make_room(const struct tv_cache *cache, const char *name, uint64_t len,
                                struct tv_error *err) TV_MUST_CHECK;

#endif
