/* The bound of the cache: how much it may hold, and who has to go. Inside of os/cache.c only. */
#ifndef TV_OS_CACHE_ROOM_H
#define TV_OS_CACHE_ROOM_H

#include <stdint.h>

#include "os/cache.h"

/* What files are called while they are written. One that nobody wrote to for an hour was left
 * behind. */
#define TV_CACHE_DRAFT_PREFIX ".draft-"
#define TV_CACHE_DRAFT_LIFE_S 3600

/* The most that the user wishes it to hold, by $TRACEVIEW_CACHE_SIZE, else the default. */
uint64_t tv_cache_wish(void);
/*
 * Evicts until a file of that name and length fits, the least recently used first, and removes
 * drafts that were left behind. TV_ERR_LIMIT: it does not fit an empty cache, and nothing was
 * evicted.
 */
enum tv_code tv_cache_make_room(const struct tv_cache *cache, const char *name, uint64_t len,
                                struct tv_error *err) TV_MUST_CHECK;

#endif
