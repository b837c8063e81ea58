/* A stable merge sort of 32-bit ordinals by a comparison that has a context. */
#ifndef TV_BASE_MEMORY_SORT_H
#define TV_BASE_MEMORY_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

/* <0, 0, >0 as a sorts before, with, after b. */
typedef int (*tv_compare)(const void *ctx, uint32_t a, uint32_t b);

/* Sorts count ordinals in n log n steps; needs scratch memory for count ordinals meanwhile. */
enum tv_code tv_sort(const struct tv_alloc *alloc, uint32_t *items, size_t count,
                     tv_compare compare, const void *ctx, struct tv_error *err) TV_MUST_CHECK;

/* Sorts count rows of row_len bytes. `compare` is asked about positions of the rows as they are
 * before the sort; needs a copy of the rows meanwhile. On failure nothing has moved. */
enum tv_code tv_sort_rows(const struct tv_alloc *alloc, void *rows, size_t count, size_t row_len,
                          tv_compare compare, const void *ctx, struct tv_error *err) TV_MUST_CHECK;
/* Sorts numbers upwards; otherwise as tv_sort_rows. */
enum tv_code tv_sort_u64(const struct tv_alloc *alloc, uint64_t *numbers, size_t count,
                         struct tv_error *err) TV_MUST_CHECK;

#endif
