/*
 * From a window of boxes to columns; the layout is in docs/api.md, `window`.
 *
 * A window is asked for on every move of the timeline, so its answer is small: whole numbers are as
 * wide as the largest one of their column needs, and times are floats that count from the window's
 * start.
 */
#include "api/pack_window.h"

#include <string.h>

#include "api/pack.h"
#include "base/bytes.h"
#include "base/error.h"

#define MAGIC "TVW2"
#define FLAG_COARSE 2u
#define FLAG_CPU 4u
#define ROW_LEN 16u
#define WIDTHS_AT 40u

/* The columns of whole numbers. */
enum column { COLUMN_RANK, COLUMN_COUNT, COLUMN_DEPTH, COLUMN_CALL, COLUMN_TOTAL };

/* Bytes that a box takes at most: two times, the columns of whole numbers, flags and CPU share. */
#define BOX_LEN (8 + (size_t)COLUMN_TOTAL * 4 + 2)
/* Bytes that aligning all columns takes at most. */
#define ALIGN_LEN ((size_t)(4 + COLUMN_TOTAL) * 8)

struct layout {
    unsigned widths[COLUMN_TOTAL];
    bool has_cpu;
};

/* What a box has in a column of 32 bits. Columns of calls may have 32 or 64, and are written
 * elsewhere. */
static uint32_t number_of(const struct tv_index *index, const struct tv_box *box,
                          enum column column)
{
    switch (column) {
    case COLUMN_RANK:
        return index->methods[box->method].rank;
    case COLUMN_COUNT:
        return box->count;
    case COLUMN_DEPTH:
        return box->depth;
    case COLUMN_CALL:
    case COLUMN_TOTAL:
        break;
    }
    return box->call;
}

/* The width of each column. All numbers of a column are or-ed: the highest bit of the result is
 * that of the largest number, which alone decides the width. */
static struct layout layout_of(const struct tv_index *index, const struct tv_window *window,
                               const struct tv_window_opts *opts)
{
    struct layout layout = {.has_cpu = opts->has_cpu};
    uint32_t all[COLUMN_TOTAL] = {0};
    for (size_t i = 0; i < window->box_count; i++) {
        for (unsigned column = 0; column < COLUMN_TOTAL; column++)
            all[column] |= number_of(index, &window->boxes[i], (enum column)column);
    }
    for (unsigned column = 0; column < COLUMN_TOTAL; column++)
        layout.widths[column] = tv_pack_width(all[column]);
    return layout;
}

/* Bytes of the whole answer. */
static size_t len_of(const struct layout *layout, const struct tv_window *window)
{
    size_t count = window->box_count;
    size_t len = TV_PACK_HEAD_LEN + (size_t)window->row_count * ROW_LEN +
                 2 * tv_pack_column_len(count, 4) + tv_pack_column_len(count, 1);
    for (unsigned column = 0; column < COLUMN_TOTAL; column++)
        len += tv_pack_column_len(count, layout->widths[column]);
    return len + (layout->has_cpu ? tv_pack_column_len(count, 1) : 0);
}

/* The head has a fixed length and tells the counts of rows and boxes and the widths of the columns,
 * from which the page computes where the rows and each column stand. */
static void pack_head(struct tv_pack *pack, const struct tv_window *window,
                      const struct tv_window_opts *opts, const struct layout *layout)
{
    tv_pack_bytes(pack, MAGIC, 4);
    tv_pack_u32(pack, TV_PACK_COMPLETE | (window->is_coarse ? FLAG_COARSE : 0) |
                          (layout->has_cpu ? FLAG_CPU : 0));
    tv_pack_f64(pack, (double)opts->from_ns);
    tv_pack_f64(pack, (double)opts->to_ns);
    tv_pack_f64(pack, (double)window->pixel_ns);
    tv_pack_u32(pack, window->row_count);
    tv_pack_u32(pack, (uint32_t)window->box_count);
    pack->pos = WIDTHS_AT;
    for (unsigned column = 0; column < COLUMN_TOTAL; column++)
        tv_pack_u8(pack, (uint8_t)layout->widths[column]);
    pack->pos = TV_PACK_HEAD_LEN;
}

/* Rows come before the boxes and say how many boxes each has, so that the page can cut the columns
 * without looking at them. */
static void pack_rows(struct tv_pack *pack, const struct tv_index *index,
                      const struct tv_window *window)
{
    for (uint32_t i = 0; i < window->row_count; i++) {
        const struct tv_window_row *row = &window->rows[i];
        tv_pack_u32(pack, index->threads[row->thread_ix].id);
        tv_pack_u32(pack, (uint32_t)row->kind);
        tv_pack_u32(pack, row->depth);
        tv_pack_u32(pack, row->box_count);
    }
}

/* A time as a float from the window's start on: floats have 24 bits, which are then spent on what
 * is near the window, so that a box is exact to a small part of a pixel. */
static float time_from(uint64_t time_ns, uint64_t from_ns)
{
    return time_ns < from_ns ? -(float)(from_ns - time_ns) : (float)(time_ns - from_ns);
}

/* Packs a column of whole numbers. The loop keeps the place of the next number in a variable of its
 * own: through pack->at the compiler would load that place anew after every byte, which might have
 * changed it for all that the compiler knows. */
static void pack_numbers(struct tv_pack *pack, const struct tv_index *index,
                         const struct tv_window *window, enum column column, unsigned width)
{
    uint8_t *at = pack->at + pack->pos;
    for (size_t i = 0; i < window->box_count; i++, at += width) {
        uint32_t number = number_of(index, &window->boxes[i], column);
        if (width == 1)
            at[0] = (uint8_t)number;
        else if (width == 2)
            tv_store_le16(at, (uint16_t)number);
        else
            tv_store_le32(at, number);
    }
    pack->pos += window->box_count * width;
    tv_pack_align(pack);
}

/* Packs where boxes start, or where they end. */
static void pack_times(struct tv_pack *pack, const struct tv_window *window, uint64_t from_ns,
                       bool is_end)
{
    uint8_t *at = pack->at + pack->pos;
    for (size_t i = 0; i < window->box_count; i++) {
        const struct tv_box *box = &window->boxes[i];
        float time = time_from(box->start_ns + (is_end ? box->len_ns : 0), from_ns);
        uint32_t bits;
        memcpy(&bits, &time, sizeof(bits));
        tv_store_le32(at + 4 * i, bits);
    }
    pack->pos += window->box_count * 4;
    tv_pack_align(pack);
}

/* Each column is aligned, so the page can lay typed arrays over the answer without a copy. */
static void pack_boxes(struct tv_pack *pack, const struct tv_index *index,
                       const struct tv_window *window, uint64_t from_ns,
                       const struct layout *layout)
{
    const struct tv_box *boxes = window->boxes;
    size_t count = window->box_count;
    pack_times(pack, window, from_ns, false);
    pack_times(pack, window, from_ns, true);
    for (unsigned column = 0; column < COLUMN_TOTAL; column++)
        pack_numbers(pack, index, window, (enum column)column, layout->widths[column]);
    for (size_t i = 0; i < count; i++)
        tv_pack_u8(pack, (uint8_t)boxes[i].flags);
    tv_pack_align(pack);
    if (!layout->has_cpu)
        return;
    for (size_t i = 0; i < count; i++)
        tv_pack_u8(pack, (uint8_t)boxes[i].cpu);
    tv_pack_align(pack);
}

uint32_t tv_pack_window_room(uint32_t row_count)
{
    size_t taken = TV_PACK_HEAD_LEN + (size_t)row_count * ROW_LEN + ALIGN_LEN;
    size_t room = taken < TV_WINDOW_BYTES ? (TV_WINDOW_BYTES - taken) / BOX_LEN : 0;
    return room < TV_WINDOW_BOX_LIMIT ? (uint32_t)room : TV_WINDOW_BOX_LIMIT;
}

_Static_assert((TV_WINDOW_BYTES - TV_PACK_HEAD_LEN - ALIGN_LEN) / (BOX_LEN + ROW_LEN) >=
                   TV_WINDOW_ROW_LIMIT,
               "there is room for a box in each row");

/* The length is computed before the first byte is written, because the room is taken at once; the
 * assertion holds both computations together. */
enum tv_code tv_pack_window(struct tv_request *request, const struct tv_window *window,
                            const struct tv_window_opts *opts, struct tv_error *err)
{
    struct tv_pack pack;
    struct layout layout = layout_of(request->index, window, opts);
    size_t len = len_of(&layout, window);
    TV_TRY(tv_pack_init(&pack, &request->response->body, len, err));
    pack_head(&pack, window, opts, &layout);
    pack_rows(&pack, request->index, window);
    pack_boxes(&pack, request->index, window, opts->from_ns, &layout);
    tv_assert(pack.pos == len);
    return TV_OK;
}
