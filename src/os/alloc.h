/*
 * The program's allocator: blocks of TV_OS_MAP_LEN bytes and more are mappings of their own
 * (os/pages.h), so that growing moves pages instead of copying bytes; smaller ones are the C
 * library's. Any number of threads at once.
 */
#ifndef TV_OS_ALLOC_H
#define TV_OS_ALLOC_H

#include "base/alloc.h"
#include "os/pages.h"

#define TV_OS_MAP_LEN TV_PAGES_LEAST_LEN

/* What is released goes back to the system at once. Static storage. */
const struct tv_alloc *tv_os_alloc(void);
/* Keeps some of what is released, for as long as the pages live. */
struct tv_alloc tv_os_alloc_with(struct tv_pages *pages);

#endif
