/* Windows to columns; the layout is in docs/api.md, `window`. */
#include "api/pack_window.h"

#include "api/pack.h"
#include "base/error.h"

#define MAGIC "TVW1"
#define FLAG_COMPLETE 1u
#define FLAG_COARSE 2u
#define ROW_LEN 24u

static void pack_head(struct tv_pack *pack, const struct tv_window *window,
                      const struct tv_window_opts *opts)
{
    for (size_t i = 0; i < 4; i++)
        tv_pack_u8(pack, (uint8_t)MAGIC[i]);
    tv_pack_u32(pack, FLAG_COMPLETE | (window->is_coarse ? FLAG_COARSE : 0));
    tv_pack_f64(pack, (double)opts->from_ns);
    tv_pack_f64(pack, (double)opts->to_ns);
    tv_pack_f64(pack, (double)window->pixel_ns);
    tv_pack_u32(pack, window->row_count);
    tv_pack_u32(pack, (uint32_t)window->box_count);
    pack->pos = TV_PACK_HEAD_LEN;
}

static void pack_rows(struct tv_pack *pack, const struct tv_index *index,
                      const struct tv_window *window)
{
    for (uint32_t i = 0; i < window->row_count; i++) {
        const struct tv_window_row *row = &window->rows[i];
        tv_pack_u32(pack, index->threads[row->thread_ix].id);
        tv_pack_u32(pack, (uint32_t)row->kind);
        tv_pack_u32(pack, row->depth);
        tv_pack_u32(pack, row->box_first);
        tv_pack_u32(pack, row->box_count);
        tv_pack_u32(pack, 0);
    }
}

static void pack_boxes(struct tv_pack *pack, const struct tv_index *index,
                       const struct tv_window *window)
{
    const struct tv_box *boxes = window->boxes;
    for (size_t i = 0; i < window->box_count; i++)
        tv_pack_f64(pack, (double)boxes[i].start_ns);
    for (size_t i = 0; i < window->box_count; i++)
        tv_pack_f64(pack, (double)boxes[i].len_ns);
    for (size_t i = 0; i < window->box_count; i++)
        tv_pack_u32(pack, index->methods[boxes[i].method].rank);
    tv_pack_align(pack);
    for (size_t i = 0; i < window->box_count; i++)
        tv_pack_u32(pack, boxes[i].count);
    tv_pack_align(pack);
    for (size_t i = 0; i < window->box_count; i++)
        tv_pack_u32(pack, boxes[i].depth);
    tv_pack_align(pack);
    for (size_t i = 0; i < window->box_count; i++)
        tv_pack_u32(pack, boxes[i].call);
    tv_pack_align(pack);
    for (size_t i = 0; i < window->box_count; i++)
        tv_pack_u8(pack, (uint8_t)boxes[i].flags);
    tv_pack_align(pack);
}

enum tv_code tv_pack_window(struct tv_request *request, const struct tv_window *window,
                            const struct tv_window_opts *opts, struct tv_error *err)
{
    struct tv_pack pack;
    size_t count = window->box_count;
    size_t len = TV_PACK_HEAD_LEN + (size_t)window->row_count * ROW_LEN +
                 2 * tv_pack_column_len(count, 8) + 4 * tv_pack_column_len(count, 4) +
                 tv_pack_column_len(count, 1);
    TV_TRY(tv_pack_init(&pack, &request->response->body, len, err));
    pack_head(&pack, window, opts);
    pack_rows(&pack, request->index, window);
    pack_boxes(&pack, request->index, window);
    tv_assert(pack.pos == len);
    return TV_OK;
}
