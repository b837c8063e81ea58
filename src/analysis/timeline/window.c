/*
 * A window at the finest resolution that fits the limit of boxes; see analysis/timeline/window.h.
 *
 * 1. The calls of each depth row that the window meets are found, and the finest resolution for the
 * depth rows alone. 2. At that resolution depth rows are cut, and folded and extents rows are made.
 * When there are too many boxes after all, the pixel is doubled and this step begins anew. 3. The
 * boxes of all rows are put one after the other, in the order of the question; those of depth rows
 * are written now.
 *
 * Depth rows are counted first and written last, since most of the boxes of a large window are
 * theirs.
 */
#include "analysis/timeline/window.h"

#include <string.h>

#include "analysis/selection/range.h"
#include "analysis/timeline/window_rows.h"
#include "base/alloc.h"
#include "base/error.h"

void tv_window_init(struct tv_window *window, const struct tv_alloc *alloc)
{
    *window = (struct tv_window){.alloc = alloc};
}

void tv_window_release(struct tv_window *window)
{
    tv_alloc_release(window->alloc, &window->rows, window->row_count, sizeof(*window->rows));
    tv_alloc_release(window->alloc, &window->boxes, window->box_count, sizeof(*window->boxes));
    tv_window_init(window, window->alloc);
}

static void clip_task(void *arg, size_t task_ix)
{
    const struct tv_window_builder *builder = arg;
    tv_depth_row_clip(builder, &builder->depth_rows[task_ix]);
}

/* Makes the folded and extents rows, which share what the depth rows have left of the limit. */
static enum tv_code build_other_rows(struct tv_window_builder *builder, struct tv_error *err)
{
    struct tv_window *window = builder->window;
    struct tv_box_list *other_boxes = &builder->other_boxes;
    other_boxes->count = 0;
    other_boxes->limit = builder->limit - builder->cut_count;
    other_boxes->is_full = false;
    for (uint32_t i = 0; i < window->row_count && !other_boxes->is_full; i++) {
        struct tv_window_row *row = &window->rows[i];
        size_t before = other_boxes->count;
        if (row->kind == TV_ROW_FOLDED)
            TV_TRY(tv_window_add_folded_row(builder, row->thread_ix, err));
        else if (row->kind == TV_ROW_EXTENTS)
            TV_TRY(tv_window_add_extents_row(builder, row->thread_ix, err));
        row->box_count = (uint32_t)(other_boxes->count - before);
    }
    builder->is_full = other_boxes->is_full;
    return TV_OK;
}

/* Cuts or makes all rows at the builder's resolution; is_full says that there
 * were too many boxes. */
static enum tv_code try_resolution(struct tv_window_builder *builder, struct tv_error *err)
{
    bool is_fit = true;
    if (builder->cut_pixel_ns != builder->pixel_ns)
        TV_TRY(tv_depth_rows_cut(builder, builder->limit, &is_fit, err));
    builder->is_full = !is_fit;
    if (builder->is_full)
        return TV_OK;
    return build_other_rows(builder, err);
}

static void write_task(void *arg, size_t task_ix)
{
    const struct tv_window_builder *builder = arg;
    const struct tv_depth_row *row = &builder->depth_rows[task_ix];
    const struct tv_window *window = builder->window;
    if (!row->box_count)
        return; /* the window may have no boxes at all */
    tv_depth_row_write_boxes(builder, row, window->boxes + window->rows[row->row].box_first);
}

/* Puts the boxes of all rows one after the other, in the order of the question. */
static enum tv_code join_rows(struct tv_window_builder *builder, struct tv_error *err)
{
    struct tv_window *window = builder->window;
    size_t other_boxes = 0;
    for (uint32_t i = 0; i < builder->depth_row_count; i++)
        window->rows[builder->depth_rows[i].row].box_count =
            (uint32_t)builder->depth_rows[i].box_count;
    for (uint32_t i = 0; i < window->row_count; i++) {
        window->rows[i].box_first = (uint32_t)window->box_count;
        window->box_count += window->rows[i].box_count;
    }
    TV_TRY(
        tv_alloc_new(window->alloc, &window->boxes, window->box_count, sizeof(struct tv_box), err));
    for (uint32_t i = 0; i < window->row_count; i++) {
        const struct tv_window_row *row = &window->rows[i];
        if (row->kind == TV_ROW_DEPTH || !row->box_count)
            continue;
        memcpy(window->boxes + row->box_first, builder->other_boxes.boxes + other_boxes,
               row->box_count * sizeof(struct tv_box));
        other_boxes += row->box_count;
    }
    builder->pool->run(builder->pool->ctx, write_task, builder, builder->depth_row_count);
    return TV_OK;
}

/* Lists the depth rows among the window's rows, and finds the calls that the window meets. */
static enum tv_code list_depth_rows(struct tv_window_builder *builder, struct tv_error *err)
{
    const struct tv_window *window = builder->window;
    TV_TRY(tv_alloc_new(window->alloc, &builder->depth_rows, window->row_count,
                        sizeof(*builder->depth_rows), err));
    for (uint32_t i = 0; i < window->row_count; i++) {
        if (window->rows[i].kind == TV_ROW_DEPTH)
            builder->depth_rows[builder->depth_row_count++].row = i;
    }
    builder->pool->run(builder->pool->ctx, clip_task, builder, builder->depth_row_count);
    return TV_OK;
}

/* Steps 1 to 3 of the top of this file. Doubling ends: at the coarsest, a row has a few boxes. */
static enum tv_code build(struct tv_window_builder *builder, struct tv_error *err)
{
    TV_TRY(list_depth_rows(builder, err));
    TV_TRY(tv_depth_rows_choose_pixel(builder, err));
    TV_TRY(try_resolution(builder, err));
    while (builder->is_full) {
        builder->pixel_ns *= 2;
        builder->window->is_coarse = true;
        TV_TRY(try_resolution(builder, err));
    }
    builder->window->pixel_ns = builder->pixel_ns;
    return join_rows(builder, err);
}

/* The scan for extents is prepared once, and only if a row needs it: it goes over all nodes. */
static enum tv_code compute(struct tv_window *window, const struct tv_index *index,
                            const struct tv_window_opts *opts, struct tv_error *err)
{
    struct tv_window_builder builder = {.window = window,
                                        .index = opts->lean ? &opts->lean->index : index,
                                        .whole = index,
                                        .lean = opts->lean,
                                        .opts = opts};
    struct tv_method_scan scan;
    bool needs_scan = false;
    uint64_t span = opts->to_ns - opts->from_ns;
    builder.pool = opts->pool ? opts->pool : tv_pool_serial();
    builder.pixel_ns = span / opts->width + (span % opts->width != 0);
    builder.limit = opts->box_limit ? opts->box_limit : TV_WINDOW_BOX_LIMIT;
    builder.extents = &scan;
    for (uint32_t i = 0; i < window->row_count; i++)
        needs_scan = needs_scan || window->rows[i].kind == TV_ROW_EXTENTS;
    tv_method_scan_init(&scan, window->alloc);
    enum tv_code code = TV_OK;
    if (needs_scan && !opts->extents_of)
        code = tv_method_scan_prepare(&scan, index, &opts->extents_method, 1, err);
    if (code == TV_OK)
        code = build(&builder, err);
    tv_alloc_release(window->alloc, &builder.other_boxes.boxes, builder.other_boxes.cap,
                     sizeof(struct tv_box));
    tv_alloc_release(window->alloc, &builder.cuts, builder.cut_cap, sizeof(*builder.cuts));
    tv_alloc_release(window->alloc, &builder.depth_rows, window->row_count,
                     sizeof(*builder.depth_rows));
    tv_method_scan_release(&scan);
    return code;
}

/* The rows of the question are copied, since the window outlives them. */
enum tv_code tv_window_compute(struct tv_window *window, const struct tv_index *index,
                               const struct tv_window_row *rows, uint32_t row_count,
                               const struct tv_window_opts *opts, struct tv_error *err)
{
    tv_window_release(window);
    if (opts->from_ns >= opts->to_ns || !opts->width)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "an empty window");
    if (row_count > TV_WINDOW_ROW_LIMIT)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u rows in one window",
                       TV_WINDOW_ROW_LIMIT);
    TV_TRY(tv_alloc_new(window->alloc, &window->rows, row_count, sizeof(*rows), err));
    window->row_count = row_count;
    if (row_count)
        memcpy(window->rows, rows, row_count * sizeof(*rows));
    enum tv_code code = compute(window, index, opts, err);
    if (code != TV_OK)
        tv_window_release(window);
    return code;
}
