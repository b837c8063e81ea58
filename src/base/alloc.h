/* Memory by way of struct tv_alloc; sizes are checked, growth doubles. See traceview/alloc.h. */
#ifndef TV_BASE_ALLOC_H
#define TV_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

#include <traceview/alloc.h>
#include <traceview/error.h>

#include "base/compiler.h"

/* False when the result does not fit; *out is then untouched. */
bool tv_size_mul(size_t a, size_t b, size_t *out) TV_MUST_CHECK;
bool tv_size_add(size_t a, size_t b, size_t *out) TV_MUST_CHECK;

/* count elements of elem_len bytes, zeroed; count 0 gives NULL and TV_OK. Release with
 * tv_alloc_free. */
enum tv_code tv_alloc_new(const struct tv_alloc *alloc, void *out_pointer, size_t count,
                          size_t elem_len, struct tv_error *err) TV_MUST_CHECK;
void tv_alloc_free(const struct tv_alloc *alloc, void *block, size_t count, size_t elem_len);

/*
 * Makes room for `need` elements: *pointer and *cap are replaced, doubling; on failure both stay.
 * New elements are not cleared. `pointer` is the address of a pointer to any object type.
 */
enum tv_code tv_alloc_grow(const struct tv_alloc *alloc, void *pointer, size_t *cap, size_t need,
                           size_t elem_len, struct tv_error *err) TV_MUST_CHECK;
/* Cuts to exactly `count` elements; never fails (a block that cannot shrink stays). */
void tv_alloc_shrink(const struct tv_alloc *alloc, void *pointer, size_t *cap, size_t count,
                     size_t elem_len);

#endif
