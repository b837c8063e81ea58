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

/*
 * The first call of [first, end) that starts at or after `time`, not `first` itself. Pixels of a
 * row mostly hold about as many calls as the one before, so the search goes out from `hint` calls
 * on, in steps that double, and then halves: what costs here is each part of the column that has to
 * come from memory.
 */
static uint64_t skip_to(const struct row_view *view, uint64_t first, uint64_t end, uint64_t time,
                        uint64_t hint)
{
    uint64_t low = first; /* starts before `time` */
    uint64_t high = end;  /* does not, or is the end */
    uint64_t step = 1 + hint / 8;
    uint64_t probe = hint && hint < end - first ? first + hint : first;
    if (start_of(view, probe) < time) {
        low = probe;
        for (; step < high - low; step *= 2) {
            if (start_of(view, low + step) >= time) {
                high = low + step;
                break;
            }
            low += step;
        }
    } else {
        high = probe;
        for (; step < high - low; step *= 2) {
            if (start_of(view, high - step) < time) {
                low = high - step;
                break;
            }
            high -= step;
        }
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (start_of(view, middle) < time)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The calls of a row that a window meets, those that touch its edges included. */
static void clip_row(const struct tv_painting *painting, uint32_t thread_ix, uint32_t row_ix,
                     uint64_t *first, uint64_t *end)
{
    const struct tv_index *index = painting->index;
    const struct tv_index_row *row = &index->rows[row_ix];
    uint64_t unit_ns = index->info->unit_ns;
    uint64_t from = painting->opts->from_ns / unit_ns;
    uint64_t to = painting->opts->to_ns / unit_ns + 1;
    *first =
        from ? tv_index_first_ending_after(index, thread_ix, row_ix, from - 1) : row->call_first;
    *end = tv_index_first_starting_at(index, thread_ix, row_ix, to);
    if (*end < *first)
        *end = *first;
}

/* The box of the calls [first, end), all smaller than a pixel. */
static enum tv_code paint_run(struct tv_painting *painting, const struct row_view *view,
                              struct tv_call_ref ref, uint64_t first, uint64_t end,
                              struct tv_error *err)
{
    const struct tv_index *index = painting->index;
    uint32_t row_ix = view->thread->row_first + ref.depth;
    uint64_t start = start_of(view, first);
    uint64_t len = start_of(view, end - 1) + len_of(view, end - 1) - start;
    if (painting->is_counted)
        return tv_paint_box(painting, NULL, err);
    ref.call = end - first > 1 ? tv_index_longest(index, ref.thread_ix, row_ix, first, end) : first;
    struct tv_box box = tv_box_of_call(painting, ref, start, len);
    box.count = end - first > UINT32_MAX ? UINT32_MAX : (uint32_t)(end - first);
    /* Only its ends and its longest are looked at: enough to tell, save in rare runs of one method.
     */
    const uint32_t *method = index->node_method;
    if (method[index->call_node[first]] != box.method ||
        method[index->call_node[end - 1]] != box.method)
        box.flags |= TV_BOX_MIXED;
    return tv_paint_box(painting, &box, err);
}

static enum tv_code paint_call(struct tv_painting *painting, const struct row_view *view,
                               struct tv_call_ref ref, struct tv_error *err)
{
    if (painting->is_counted)
        return tv_paint_box(painting, NULL, err);
    struct tv_box box =
        tv_box_of_own_call(painting, ref, start_of(view, ref.call), len_of(view, ref.call));
    return tv_paint_box(painting, &box, err);
}

enum tv_code tv_paint_depth(struct tv_painting *painting, uint32_t thread_ix, uint32_t depth,
                            struct tv_error *err)
{
    const struct tv_index *index = painting->index;
    struct row_view view = {index, &index->threads[thread_ix], tv_index_axis(index)};
    struct tv_call_ref ref = {thread_ix, depth, 0};
    uint64_t first;
    uint64_t end;
    uint64_t hint = 0;
    if (depth >= view.thread->max_depth)
        return TV_OK;
    clip_row(painting, thread_ix, view.thread->row_first + depth, &first, &end);
    while (first < end && !painting->is_full) {
        ref.call = first;
        if (tv_is_pixel_wide(painting, len_of(&view, first))) {
            TV_TRY(paint_call(painting, &view, ref, err));
            first++;
            continue;
        }
        uint64_t pixel = tv_pixel_of(painting, start_of(&view, first));
        uint64_t next = skip_to(&view, first, end, tv_pixel_start(painting, pixel + 1), hint);
        hint = next - first;
        uint64_t run_end = next;
        if (tv_is_pixel_wide(painting, len_of(&view, next - 1)))
            run_end--;
        TV_TRY(paint_run(painting, &view, ref, first, run_end, err));
        first = run_end;
    }
    return TV_OK;
}
