/*
 * A row of the extents of a method: its outermost calls, of any depth.
 *
 * Calls come row by row, so small ones are gathered per pixel and all are sorted at the end.
 */
#include "analysis/timeline/window_rows.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"

struct gathering {
    struct tv_painting *painting;
    const struct tv_alloc *alloc;
    struct tv_box
        *boxes; /* the pixels of the window first, those with count 0 are empty; then wide calls */
    uint64_t *longest; /* per pixel */
    size_t pixel_count;
    size_t count;
    size_t cap;
    uint64_t pixel_first;
    enum tv_code code;
    struct tv_error *err;
};

static void gather_small(struct gathering *gathering, struct tv_call_ref ref, uint64_t start,
                         uint64_t len)
{
    uint64_t unit_ns = gathering->painting->index->info->unit_ns;
    uint64_t start_ns = start * unit_ns;
    uint64_t end_ns = start_ns + len * unit_ns;
    uint64_t pixel = start_ns / gathering->painting->pixel_ns;
    size_t at = pixel > gathering->pixel_first ? (size_t)(pixel - gathering->pixel_first) : 0;
    if (at >= gathering->pixel_count)
        at = gathering->pixel_count - 1;
    struct tv_box *box = &gathering->boxes[at];
    struct tv_box old = *box;
    if (!old.count || len > gathering->longest[at]) {
        *box = tv_box_of_call(gathering->painting, ref, start, len);
        gathering->longest[at] = len;
    }
    if (!old.count)
        return;
    uint64_t old_end_ns = old.start_ns + old.len_ns;
    box->start_ns = old.start_ns < start_ns ? old.start_ns : start_ns;
    box->len_ns = (old_end_ns > end_ns ? old_end_ns : end_ns) - box->start_ns;
    box->count = old.count < UINT32_MAX ? old.count + 1 : old.count;
}

static void gather(void *ctx, const struct tv_method_scan_row *row, uint32_t slot, uint64_t call)
{
    struct gathering *gathering = ctx;
    struct tv_painting *painting = gathering->painting;
    const struct tv_index *index = painting->index;
    (void)slot;
    if (index->node_flags[index->call_node[call]] & TV_NODE_RECURSIVE || gathering->code != TV_OK)
        return;
    enum tv_clock axis = tv_index_axis(index);
    uint64_t start = tv_index_start(index, row->thread, axis, call);
    uint64_t len = tv_index_duration(index, row->thread, axis, call);
    struct tv_call_ref ref = {row->thread_ix, row->row_ix - row->thread->row_first, call};
    if (!tv_is_pixel_wide(painting, len)) {
        gather_small(gathering, ref, start, len);
        return;
    }
    struct tv_box box = tv_box_of_own_call(painting, ref, start, len);
    gathering->code = tv_alloc_grow(gathering->alloc, &gathering->boxes, &gathering->cap,
                                    gathering->count + 1, sizeof(box), gathering->err);
    if (gathering->code == TV_OK)
        gathering->boxes[gathering->count++] = box;
}

static int compare_boxes(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_box *boxes = ctx;
    return (boxes[a].start_ns > boxes[b].start_ns) - (boxes[a].start_ns < boxes[b].start_ns);
}

static enum tv_code paint_gathered(struct gathering *gathering, struct tv_error *err)
{
    uint32_t *items = NULL;
    size_t count = 0;
    TV_TRY(tv_alloc_new(gathering->alloc, &items, gathering->count, sizeof(*items), err));
    for (size_t i = 0; i < gathering->count; i++) {
        if (gathering->boxes[i].count)
            items[count++] = (uint32_t)i;
    }
    enum tv_code code =
        tv_sort(gathering->alloc, items, count, compare_boxes, gathering->boxes, err);
    for (size_t i = 0; code == TV_OK && i < count; i++)
        code = tv_add_boxes(&gathering->painting->others, gathering->alloc,
                            &gathering->boxes[items[i]], 1, err);
    tv_alloc_free(gathering->alloc, items, gathering->count, sizeof(*items));
    return code;
}

enum tv_code tv_paint_extents(struct tv_painting *painting, uint32_t thread_ix,
                              struct tv_error *err)
{
    const struct tv_alloc *alloc = painting->window->alloc;
    struct tv_selection selection = {.has_range = true,
                                     .from_ns = painting->opts->from_ns,
                                     .to_ns = painting->opts->to_ns,
                                     .threads = &thread_ix,
                                     .thread_count = 1};
    struct gathering gathering = {.painting = painting, .alloc = alloc, .err = err};
    gathering.pixel_first = selection.from_ns / painting->pixel_ns;
    gathering.pixel_count =
        (size_t)(selection.to_ns / painting->pixel_ns - gathering.pixel_first) + 1;
    TV_TRY(tv_alloc_new(alloc, &gathering.boxes, gathering.pixel_count, sizeof(*gathering.boxes),
                        err));
    gathering.count = gathering.pixel_count;
    gathering.cap = gathering.pixel_count;
    enum tv_code code = tv_alloc_new(alloc, &gathering.longest, gathering.pixel_count,
                                     sizeof(*gathering.longest), err);
    if (code == TV_OK) {
        tv_method_scan_run(painting->extents, &selection, gather, &gathering);
        code = gathering.code;
    }
    if (code == TV_OK)
        code = paint_gathered(&gathering, err);
    tv_alloc_free(alloc, gathering.longest, gathering.pixel_count, sizeof(*gathering.longest));
    tv_alloc_free(alloc, gathering.boxes, gathering.cap, sizeof(*gathering.boxes));
    return code;
}
