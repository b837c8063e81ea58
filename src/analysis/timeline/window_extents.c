/*
 * An extents row: the outermost calls of one method, or of a set, in a thread, whatever their
 * depth.
 *
 * Calls are found depth by depth, not by time. So short calls are gathered in one box per pixel,
 * long calls are boxes of their own, and all boxes are sorted by start at the end.
 */
#include "analysis/timeline/window_rows.h"

#include "analysis/calls/set_calls.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/sort.h"

/* The boxes of one extents row while its calls are visited. */
struct collector {
    const struct tv_window_builder *builder; /* over the whole index */
    const struct tv_alloc *alloc;
    /* First one box per pixel of the window, empty while its count is 0; then the long calls. */
    struct tv_box *boxes;
    uint64_t *longest; /* per pixel: length of its longest call, units */
    size_t pixel_count;
    size_t count;
    size_t cap;
    uint64_t pixel_first; /* number of the window's first pixel */
    enum tv_code code;    /* the first failure: a visitor cannot return one */
    struct tv_error *err;
};

/* Adds a short call to the box of the pixel in which it starts; one that starts before the window
 * counts to the first pixel. The box spans all its calls and says what the longest of them is. */
static void add_small_call(struct collector *collector, struct tv_call_ref ref, uint64_t start,
                           uint64_t len)
{
    uint64_t unit_ns = collector->builder->index->info->unit_ns;
    uint64_t start_ns = start * unit_ns;
    uint64_t end_ns = start_ns + len * unit_ns;
    uint64_t pixel = start_ns / collector->builder->pixel_ns;
    size_t at = pixel > collector->pixel_first ? (size_t)(pixel - collector->pixel_first) : 0;
    if (at >= collector->pixel_count)
        at = collector->pixel_count - 1;
    struct tv_box *box = &collector->boxes[at];
    struct tv_box old = *box;
    if (!old.count || len > collector->longest[at]) {
        *box = tv_box_of_call(collector->builder, ref, start, len);
        collector->longest[at] = len;
    }
    if (!old.count)
        return;
    uint64_t old_end_ns = old.start_ns + old.len_ns;
    box->start_ns = old.start_ns < start_ns ? old.start_ns : start_ns;
    box->len_ns = (old_end_ns > end_ns ? old_end_ns : end_ns) - box->start_ns;
    box->count = old.count < UINT32_MAX ? old.count + 1 : old.count;
}

/* Visits an outermost call. */
static void add_outermost(void *ctx, const struct tv_method_scan_row *row, uint64_t call)
{
    struct collector *collector = ctx;
    const struct tv_window_builder *builder = collector->builder;
    const struct tv_index *index = builder->index;
    if (collector->code != TV_OK)
        return;
    enum tv_clock axis = tv_index_axis(index);
    uint64_t start = tv_index_start(index, row->thread, axis, call);
    uint64_t len = tv_index_duration(index, row->thread, axis, call);
    struct tv_call_ref ref = {row->thread_ix, row->row_ix - row->thread->row_first, call};
    if (!tv_is_pixel_wide(builder, len)) {
        add_small_call(collector, ref, start, len);
        return;
    }
    struct tv_box box = tv_box_of_single_call(builder, ref, start, len);
    collector->code = tv_alloc_grow(collector->alloc, &collector->boxes, &collector->cap,
                                    collector->count + 1, sizeof(box), collector->err);
    if (collector->code == TV_OK)
        collector->boxes[collector->count++] = box;
}

/* Visits a call of the method. Recursive calls lie inside an outermost one and are left out. */
static void add_call(void *ctx, const struct tv_method_scan_row *row, uint32_t slot, uint64_t call)
{
    const struct collector *collector = ctx;
    const struct tv_index *index = collector->builder->index;
    (void)slot;
    if (!(index->node_flags[index->call_node[call]] & TV_NODE_RECURSIVE))
        add_outermost(ctx, row, call);
}

static int compare_boxes(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_box *boxes = ctx;
    return (boxes[a].start_ns > boxes[b].start_ns) - (boxes[a].start_ns < boxes[b].start_ns);
}

/* Sorts the boxes that have calls, and appends them to the window's. */
static enum tv_code append_boxes(struct collector *collector, struct tv_box_list *list,
                                 struct tv_error *err)
{
    uint32_t *items = NULL;
    size_t count = 0;
    TV_TRY(tv_alloc_new(collector->alloc, &items, collector->count, sizeof(*items), err));
    for (size_t i = 0; i < collector->count; i++) {
        if (collector->boxes[i].count)
            items[count++] = (uint32_t)i;
    }
    enum tv_code code =
        tv_sort(collector->alloc, items, count, compare_boxes, collector->boxes, err);
    for (size_t i = 0; code == TV_OK && i < count; i++)
        code = tv_box_list_append(list, collector->alloc, &collector->boxes[items[i]], 1, err);
    tv_alloc_release(collector->alloc, &items, collector->count, sizeof(*items));
    return code;
}

/* Extents are those of the whole index even where packages are hidden. There is one gathered box
 * for each pixel of the window; long calls are appended behind these. */
enum tv_code tv_window_add_extents_row(struct tv_window_builder *builder, uint32_t thread_ix,
                                       struct tv_error *err)
{
    const struct tv_alloc *alloc = builder->window->alloc;
    struct tv_selection selection = {.has_range = true,
                                     .from_ns = builder->opts->from_ns,
                                     .to_ns = builder->opts->to_ns,
                                     .threads = &thread_ix,
                                     .thread_count = 1};
    struct tv_window_builder whole = *builder;
    whole.index = builder->whole;
    whole.lean = NULL;
    struct collector collector = {.builder = &whole, .alloc = alloc, .err = err};
    collector.pixel_first = selection.from_ns / builder->pixel_ns;
    collector.pixel_count =
        (size_t)(selection.to_ns / builder->pixel_ns - collector.pixel_first) + 1;
    TV_TRY(tv_alloc_new(alloc, &collector.boxes, collector.pixel_count, sizeof(*collector.boxes),
                        err));
    collector.count = collector.pixel_count;
    collector.cap = collector.pixel_count;
    enum tv_code code = tv_alloc_new(alloc, &collector.longest, collector.pixel_count,
                                     sizeof(*collector.longest), err);
    if (code == TV_OK) {
        if (builder->opts->extents_of)
            tv_call_set_visit(builder->whole, builder->opts->extents_of, &selection, add_outermost,
                              &collector);
        else
            tv_method_scan_run(builder->extents, &selection, add_call, &collector);
        code = collector.code;
    }
    if (code == TV_OK)
        code = append_boxes(&collector, &builder->other_boxes, err);
    tv_alloc_release(alloc, &collector.longest, collector.pixel_count, sizeof(*collector.longest));
    tv_alloc_release(alloc, &collector.boxes, collector.cap, sizeof(*collector.boxes));
    return code;
}
