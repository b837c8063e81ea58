/* The program's allocator. A block of TV_OS_MAP_LEN bytes or more is a mapping of its own
 * (os/memory/mapping_cache.h), so that growing it moves pages instead of copying bytes; smaller
 * blocks are the C library's. Any number of threads may use it at once. */
#ifndef TV_OS_MEMORY_ALLOC_H
#define TV_OS_MEMORY_ALLOC_H

#include "base/alloc.h"
#include "os/memory/mapping_cache.h"

#define TV_OS_MAP_LEN TV_MAPPING_CACHE_LEAST_LEN

/* The allocator that gives released blocks back to the system at once. Static storage. */
const struct tv_alloc *tv_os_alloc(void);
/* The allocator that keeps some released blocks for blocks to come; `pages` must outlive it. */
struct tv_alloc tv_os_alloc_with(struct tv_mapping_cache *pages);

#endif
