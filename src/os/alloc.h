/*
 * The program's allocator: blocks of TV_OS_MAP_LEN bytes and more are mappings of their own, so
 * that what is released goes back to the system at once and growing moves pages instead of copying
 * bytes; smaller ones are the C library's. Any number of threads at once.
 */
#ifndef TV_OS_ALLOC_H
#define TV_OS_ALLOC_H

#include <traceview/alloc.h>

#define TV_OS_MAP_LEN ((size_t)128 * 1024)

/* Static storage. */
const struct tv_alloc *tv_os_alloc(void);

#endif
