/*
 * Calls of one thread while they are being read: a row per depth, each a list of pages of entries.
 *
 * On a row at most one call is open and it is the last one, so opening appends an entry and closing
 * fills it in. Pages double up to a size that goes back to the system when released, so that
 * copying a row into the finished columns and releasing its pages needs no memory twice. Times are
 * in the file's unit relative to the thread's base; a thread whose span outgrows 32 bits is widened
 * once, as a whole.
 */
#ifndef TV_INDEX_BUILD_ROWS_H
#define TV_INDEX_BUILD_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

/* A call: 20 bytes narrow, 40 wide. The node comes first in both. */
struct tv_narrow_call {
    uint32_t node;
    uint32_t time[4]; /* wall start, wall duration, cpu start, cpu duration */
};

struct tv_wide_call {
    uint32_t node;
    uint32_t reserved;
    uint64_t time[4];
};

struct tv_row_page {
    struct tv_row_page *next; /* of the last one: the first */
    uint32_t len;             /* bytes of this page with its head */
    uint32_t count;           /* calls in it; kept current for all pages but a row's last */
};

/* One row. tail and room stand first: they are what the hot path touches. */
struct tv_row {
    char *tail;    /* the last call of the row, NULL when it has none */
    uint32_t room; /* calls that still fit behind tail */
    uint32_t last_count;
    uint64_t count; /* calls in the row */
    struct tv_row_page *last;
};

/* The calls of a page, one after the other. */
TV_INLINE char *tv_row_page_calls(struct tv_row_page *page)
{
    return (char *)page + sizeof(struct tv_row_page);
}

/* Adds a page behind the last one; afterwards room is above 0 and tail stands before its first
 * call. */
enum tv_code tv_row_add_page(struct tv_row *row, const struct tv_alloc *alloc, size_t call_len,
                             struct tv_error *err) TV_MUST_CHECK;
/* The page behind one, the first behind NULL; NULL behind the last. */
TV_INLINE struct tv_row_page *tv_row_next_page(const struct tv_row *row,
                                               const struct tv_row_page *page)
{
    if (page == row->last)
        return NULL;
    return page ? page->next : row->last->next;
}

/* Calls in a page of the row. */
uint32_t tv_row_page_count(const struct tv_row *row, const struct tv_row_page *page);
/* Replaces narrow calls by wide ones. On failure the row is as before. */
enum tv_code tv_row_widen(struct tv_row *row, const struct tv_alloc *alloc,
                          struct tv_error *err) TV_MUST_CHECK;
void tv_row_release(struct tv_row *row, const struct tv_alloc *alloc);
/* Releases one page that was taken out of a row. */
void tv_row_page_free(struct tv_row_page *page, const struct tv_alloc *alloc);

#endif
