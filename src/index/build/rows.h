/*
 * Calls of one thread while the serial builder reads them: a row per depth, each a list of buffers
 * with one entry per call.
 *
 * At most one call of a row is open, and it is the last one. So opening a call appends an entry,
 * and closing it writes the durations into that entry. Pages double in length, up to one that the
 * allocator gives back to the system when it is released: so while rows are copied into columns
 * and their buffers released one by one, no call takes memory twice.
 *
 * Times are in units since the thread's first record. All entries of a thread are narrow until a
 * time does not fit 32 bits; then all are widened, once.
 */
#ifndef TV_INDEX_BUILD_ROWS_H
#define TV_INDEX_BUILD_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

/* The entry of a call: 20 bytes narrow, 40 wide. */
struct tv_narrow_call {
    uint32_t node;
    uint32_t time[4]; /* wall start, wall duration, CPU start, CPU duration */
};

struct tv_wide_call {
    uint32_t node;
    uint32_t reserved;
    uint64_t time[4];
};

struct tv_row_buffer {
    struct tv_row_buffer *next; /* a ring: behind the last buffer comes the first */
    uint32_t len;               /* bytes, this head included */
    uint32_t count;             /* calls; of the last buffer, the row knows it (last_count) */
};

/* One row. The fields that opening and closing a call touch stand first. */
struct tv_call_row {
    char *tail;          /* entry of the last call; NULL when the row has none */
    uint32_t room;       /* entries that still fit the last buffer */
    uint32_t last_count; /* calls in the last buffer */
    uint64_t count;      /* calls in the row */
    struct tv_row_buffer *last;
};

/* The entries of a buffer, side by side. */
TV_INLINE char *tv_row_buffer_calls(struct tv_row_buffer *buffer)
{
    return (char *)buffer + sizeof(struct tv_row_buffer);
}

/* Adds a buffer behind the last one. Afterwards room is above 0, and tail is one entry before the
 * first of the buffer: appending moves tail on first. */
enum tv_code tv_row_add_buffer(struct tv_call_row *row, const struct tv_alloc *alloc,
                               size_t call_len, struct tv_error *err) TV_MUST_CHECK;
/* The buffer behind `buffer`, or the first buffer where `buffer` is NULL; NULL behind the last
 * buffer. */
TV_INLINE struct tv_row_buffer *tv_row_next_buffer(const struct tv_call_row *row,
                                                   const struct tv_row_buffer *buffer)
{
    if (buffer == row->last)
        return NULL;
    return buffer ? buffer->next : row->last->next;
}

/* Calls in one buffer of the row. */
uint32_t tv_row_buffer_count(const struct tv_call_row *row, const struct tv_row_buffer *buffer);
/* Replaces the narrow entries of a row by wide ones. On failure the row is as before. */
enum tv_code tv_row_widen(struct tv_call_row *row, const struct tv_alloc *alloc,
                          struct tv_error *err) TV_MUST_CHECK;
void tv_row_release(struct tv_call_row *row, const struct tv_alloc *alloc);
/* Releases one buffer. A caller that releases the buffers of a row one by one must clear the row.
 */
void tv_row_buffer_free(struct tv_row_buffer *buffer, const struct tv_alloc *alloc);

#endif
