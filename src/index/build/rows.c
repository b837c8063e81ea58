/*
 * Pages of calls; see index/build/rows.h.
 *
 * Pages are a ring that the row holds by its last buffer: the first buffer is behind the last, so
 * appending a buffer and walking all buffers need no second pointer in the row.
 */
#include "index/build/rows.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* A damaged file may have very many rows of one call, so a first buffer has room for one. */
#define FIRST_PAGE_CALLS 1u
/* Bytes. The program's allocator maps blocks of this length by themselves
 * (os/memory/mapping_cache.h). */
#define LARGEST_PAGE_LEN (256u * 1024u)

/* Pages of a row double up to a largest one: most rows of a file with many threads have few calls,
 * and long rows need few buffers. */
enum tv_code tv_row_add_buffer(struct tv_call_row *row, const struct tv_alloc *alloc,
                               size_t call_len, struct tv_error *err)
{
    size_t len = row->last ? (size_t)row->last->len * 2
                           : sizeof(struct tv_row_buffer) + FIRST_PAGE_CALLS * call_len;
    if (len > LARGEST_PAGE_LEN)
        len = LARGEST_PAGE_LEN;
    struct tv_row_buffer *buffer = alloc->resize(alloc->ctx, NULL, 0, len);
    if (!buffer)
        return tv_fail_memory(err, len);
    *buffer = (struct tv_row_buffer){.next = buffer, .len = (uint32_t)len};
    /* The buffer that was last gets its final count, and hands the ring on. */
    if (row->last) {
        row->last->count = row->last_count;
        buffer->next = row->last->next;
        row->last->next = buffer;
    }
    row->last = buffer;
    row->last_count = 0;
    row->tail = tv_row_buffer_calls(buffer) - call_len;
    row->room = (uint32_t)((len - sizeof(struct tv_row_buffer)) / call_len);
    return TV_OK;
}

uint32_t tv_row_buffer_count(const struct tv_call_row *row, const struct tv_row_buffer *buffer)
{
    return buffer == row->last ? row->last_count : buffer->count;
}

/* The wide entry of a narrow one. */
static void widen_call(const struct tv_narrow_call *narrow, struct tv_wide_call *wide)
{
    wide->node = narrow->node;
    wide->reserved = 0;
    for (unsigned i = 0; i < 4; i++)
        wide->time[i] = narrow->time[i];
}

/* Copies the narrow calls into a second row and then replaces the first, so a failure leaves the
 * row as it was. */
enum tv_code tv_row_widen(struct tv_call_row *row, const struct tv_alloc *alloc,
                          struct tv_error *err)
{
    const size_t wide_len = sizeof(struct tv_wide_call);
    struct tv_call_row wide = {.tail = NULL};
    for (struct tv_row_buffer *buffer = NULL; (buffer = tv_row_next_buffer(row, buffer));) {
        const char *narrow = tv_row_buffer_calls(buffer);
        uint32_t count = tv_row_buffer_count(row, buffer);
        for (uint32_t i = 0; i < count; i++) {
            enum tv_code code = wide.room ? TV_OK : tv_row_add_buffer(&wide, alloc, wide_len, err);
            if (code != TV_OK) {
                tv_row_release(&wide, alloc);
                return code;
            }
            struct tv_narrow_call from;
            struct tv_wide_call to;
            memcpy(&from, narrow + i * sizeof(from), sizeof(from));
            widen_call(&from, &to);
            wide.tail += wide_len;
            memcpy(wide.tail, &to, sizeof(to));
            wide.room--;
            wide.last_count++;
        }
    }
    wide.count = row->count;
    tv_row_release(row, alloc);
    *row = wide;
    return TV_OK;
}

void tv_row_buffer_free(struct tv_row_buffer *buffer, const struct tv_alloc *alloc)
{
    tv_alloc_release(alloc, &buffer, buffer->len, 1);
}

void tv_row_release(struct tv_call_row *row, const struct tv_alloc *alloc)
{
    struct tv_row_buffer *buffer = tv_row_next_buffer(row, NULL);
    while (buffer) {
        struct tv_row_buffer *next = tv_row_next_buffer(row, buffer);
        tv_row_buffer_free(buffer, alloc);
        buffer = next;
    }
    *row = (struct tv_call_row){.tail = NULL};
}
