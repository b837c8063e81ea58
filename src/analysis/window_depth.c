/*
 * A row of one depth.
 *
 * Calls smaller than a pixel that start in the same one stand together, and at most one larger call
 * starts there, as the last; so one search for the pixel's end cuts a run, and the levels tell its
 * longest call.
 */
#include "analysis/window_rows.h"

#include "base/error.h"

/* A row's calls on the axis clock. */
struct row_view {
    const struct tv_index *index;
    const struct tv_index_thread *thread;
    enum tv_clock axis;
};

static uint64_t start_of(const struct row_view *view, uint64_t call)
{
    return tv_index_start(view->index, view->thread, view->axis, call);
}

static uint64_t len_of(const struct row_view *view, uint64_t call)
{
    return tv_index_duration(view->index, view->thread, view->axis, call);
}

static struct row_view view_of(const struct tv_painting *painting, const struct tv_depth_row *row)
{
    const struct tv_index *index = painting->index;
    uint32_t thread_ix = painting->window->rows[row->row].thread_ix;
    return (struct row_view){index, &index->threads[thread_ix], tv_index_axis(index)};
}

void tv_depth_clip(const struct tv_painting *painting, struct tv_depth_row *row)
{
    const struct tv_index *index = painting->index;
    const struct tv_window_row *of = &painting->window->rows[row->row];
    const struct tv_index_thread *thread = &index->threads[of->thread_ix];
    uint64_t unit_ns = index->info->unit_ns;
    uint64_t from = painting->opts->from_ns / unit_ns;
    uint64_t to = painting->opts->to_ns / unit_ns + 1;
    if (of->depth >= thread->max_depth)
        return;
    uint32_t row_ix = thread->row_first + of->depth;
    row->first = from ? tv_index_first_ending_after(index, of->thread_ix, row_ix, from - 1)
                      : index->rows[row_ix].call_first;
    row->end = tv_index_first_starting_at(index, of->thread_ix, row_ix, to);
    if (row->end < row->first)
        row->end = row->first;
}

/* A box while a row is cut: its calls, and whether pixels of half the size would cut it again. */
struct cut {
    uint64_t first;
    uint64_t end;
    bool is_finer;
};

/* A box is a run of small calls that start in one pixel, or a large call. hint: how many calls the
 * run before had. */
static void find_end(const struct tv_painting *painting, const struct row_view *view,
                     uint64_t row_end, uint64_t *hint, struct cut *cut)
{
    cut->end = cut->first + 1;
    cut->is_finer = false;
    if (tv_is_pixel_wide(painting, len_of(view, cut->first)))
        return;
    uint64_t start = start_of(view, cut->first);
    uint64_t pixel = tv_pixel_of(painting, start);
    uint64_t middle = tv_pixel_middle(painting, pixel);
    /* Pixels of a row mostly hold about as many calls as the one before. */
    cut->end = tv_index_skip_to(view->index, view->thread, cut->first, row_end,
                                tv_pixel_start(painting, pixel + 1), *hint);
    *hint = cut->end - cut->first;
    /* At most one call of a pixel or more starts there, as the last. */
    if (tv_is_pixel_wide(painting, len_of(view, cut->end - 1)))
        cut->end--;
    cut->is_finer = start < middle && start_of(view, cut->end - 1) >= middle;
}

void tv_depth_count(const struct tv_painting *painting, struct tv_depth_row *row, size_t most,
                    uint64_t *cuts)
{
    const struct row_view view = view_of(painting, row);
    struct cut cut = {.end = row->first};
    uint64_t hint = 0;
    row->finer = 0;
    for (row->counted = 0; row->counted <= most && cut.end < row->end; row->counted++) {
        cut.first = cut.end;
        find_end(painting, &view, row->end, &hint, &cut);
        row->finer += 1 + (size_t)cut.is_finer;
        if (cuts)
            cuts[row->counted] = cut.end - row->first;
    }
}

/* The box of the calls [first, end), all smaller than a pixel. */
static struct tv_box box_of_run(const struct tv_painting *painting, const struct row_view *view,
                                struct tv_call_ref ref, uint64_t first, uint64_t end)
{
    const struct tv_index *index = painting->index;
    uint32_t row_ix = view->thread->row_first + ref.depth;
    uint64_t start = start_of(view, first);
    uint64_t len = start_of(view, end - 1) + len_of(view, end - 1) - start;
    ref.call = end - first > 1 ? tv_index_longest(index, ref.thread_ix, row_ix, first, end) : first;
    struct tv_box box = tv_box_of_call(painting, ref, start, len);
    box.count = end - first > UINT32_MAX ? UINT32_MAX : (uint32_t)(end - first);
    /* Only its ends and its longest are looked at: enough to tell, save in rare runs of one method.
     */
    const uint32_t *method = index->node_method;
    if (method[index->call_node[first]] != box.method ||
        method[index->call_node[end - 1]] != box.method)
        box.flags |= TV_BOX_MIXED;
    return box;
}

/* What boxes so far ahead are made from is asked for while others are made: first what their calls
 * have, later what that leads to. */
#define BOXES_AHEAD 4u
#define BOXES_NEAR 2u
/* The longest call of a run is looked for all over its durations, unless they are many more. */
#define LINE_LEN 64u
#define MOST_LINES 48u

static void ask_for_calls(const struct row_view *view, uint64_t first, uint64_t end)
{
    const struct tv_index *index = view->index;
    uint64_t len = view->thread->duration_len;
    const uint8_t *durations = index->times + view->thread->time_off[2 * (unsigned)view->axis + 1] +
                               (first - view->thread->call_first) * len;
    TV_PREFETCH(&index->call_node[first]);
    TV_PREFETCH(&index->call_node[end - 1]);
    for (uint64_t at = 0; at < (end - first) * len && at < MOST_LINES * LINE_LEN; at += LINE_LEN)
        TV_PREFETCH(durations + at);
}

static void ask_for_methods(const struct row_view *view, uint64_t first, uint64_t end)
{
    TV_PREFETCH(&view->index->node_method[view->index->call_node[first]]);
    TV_PREFETCH(&view->index->node_method[view->index->call_node[end - 1]]);
}

void tv_depth_fill(const struct tv_painting *painting, const struct tv_depth_row *row,
                   struct tv_box *boxes)
{
    const struct tv_window_row *of = &painting->window->rows[row->row];
    const struct row_view view = view_of(painting, row);
    const uint64_t *cuts = painting->cuts + row->box_cut_first;
    uint64_t first = row->first;
    for (size_t i = 0; i < row->box_count; i++) {
        uint64_t end = row->first + cuts[i];
        if (i + BOXES_AHEAD < row->box_count)
            ask_for_calls(&view, row->first + cuts[i + BOXES_AHEAD - 1],
                          row->first + cuts[i + BOXES_AHEAD]);
        if (i + BOXES_NEAR < row->box_count)
            ask_for_methods(&view, row->first + cuts[i + BOXES_NEAR - 1],
                            row->first + cuts[i + BOXES_NEAR]);
        struct tv_call_ref ref = {of->thread_ix, of->depth, first};
        bool is_own = end - first == 1 && tv_is_pixel_wide(painting, len_of(&view, first));
        boxes[i] =
            is_own ? tv_box_of_own_call(painting, ref, start_of(&view, first), len_of(&view, first))
                   : box_of_run(painting, &view, ref, first, end);
        first = end;
    }
}
