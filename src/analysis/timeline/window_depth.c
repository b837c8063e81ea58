/*
 * A depth row: how its calls are cut into boxes, and the boxes written; see
 * analysis/timeline/window_rows.h.
 *
 * Calls of one row do not overlap. So the short calls that start in one pixel stand together, and
 * if a call as long as a pixel starts there too, it is the last of them, since it ends behind the
 * pixel. A box of short calls therefore ends where one search for the end of the pixel ends; the
 * mipmap of the row then finds its longest call (index/mipmap.h). Neither looks at all calls of the
 * box.
 */
#include "analysis/timeline/window_rows.h"

#include "base/error.h"
#include "index/mipmap.h"

/* Start and length of a call: units, axis clock. */
static uint64_t start_of(const struct tv_mipmap *row, uint64_t call)
{
    return tv_index_start(row->index, row->thread, row->axis, call);
}

static uint64_t len_of(const struct tv_mipmap *row, uint64_t call)
{
    return tv_index_duration(row->index, row->thread, row->axis, call);
}

static struct tv_mipmap mipmap_of(const struct tv_window_builder *builder,
                                  const struct tv_depth_row *row)
{
    const struct tv_index *index = builder->index;
    const struct tv_window_row *of = &builder->window->rows[row->row];
    return tv_mipmap_of(index, of->thread_ix, index->threads[of->thread_ix].row_first + of->depth);
}

/* A depth that the thread lacks is a row without calls. Edges are widened to whole units, so
 * that no call is lost. */
void tv_depth_row_clip(const struct tv_window_builder *builder, struct tv_depth_row *row)
{
    const struct tv_index *index = builder->index;
    const struct tv_window_row *of = &builder->window->rows[row->row];
    const struct tv_index_thread *thread = &index->threads[of->thread_ix];
    uint64_t unit_ns = index->info->unit_ns;
    uint64_t from = builder->opts->from_ns / unit_ns;
    uint64_t to = builder->opts->to_ns / unit_ns + 1;
    if (of->depth >= thread->max_depth)
        return;
    uint32_t row_ix = thread->row_first + of->depth;
    row->first = from ? tv_index_first_ending_after(index, of->thread_ix, row_ix, from - 1)
                      : index->rows[row_ix].call_first;
    row->end = tv_index_first_starting_at(index, of->thread_ix, row_ix, to);
    if (row->end < row->first)
        row->end = row->first;
}

/* One box while a row is cut: its calls, and whether pixels of half the size
 * would cut the box again. */
struct cut {
    uint64_t first;
    uint64_t end;
    bool is_finer;
    uint64_t prefetched_to; /* searches for the ends of the pixels before this one were prefetched;
                               UINT64_MAX: never prefetch */
};

/* The searches for the ends of the next pixels are prefetched together, so that they wait for
 * memory at the same time. That pays only where pixels have many calls: else the search before has
 * already read the same lines. */
#define PIXELS_AHEAD TV_MIPMAP_SEARCHES

static bool has_many_calls(const struct tv_window_builder *builder, const struct tv_depth_row *row)
{
    uint64_t pixels = (builder->opts->to_ns - builder->opts->from_ns) / builder->pixel_ns;
    return (row->end - row->first) / (pixels + 1) >= TV_MIPMAP_FANOUT;
}

static void prefetch_searches(const struct tv_window_builder *builder, const struct tv_mipmap *row,
                              uint64_t pixel, struct cut *cut)
{
    if (pixel < cut->prefetched_to)
        return;
    uint64_t ends[PIXELS_AHEAD];
    for (uint64_t i = 0; i < PIXELS_AHEAD; i++)
        ends[i] = tv_pixel_start(builder, pixel + i + 1);
    cut->prefetched_to = pixel + PIXELS_AHEAD;
    tv_mipmap_prefetch_searches(row, ends, PIXELS_AHEAD);
}

/* Finds the end of the box that begins at cut->first: a run of short calls, or one long call. */
static void find_end(const struct tv_window_builder *builder, const struct tv_mipmap *row,
                     uint64_t row_end, struct cut *cut)
{
    cut->end = cut->first + 1;
    cut->is_finer = false;
    if (tv_is_pixel_wide(builder, len_of(row, cut->first)))
        return;
    uint64_t start = start_of(row, cut->first);
    uint64_t pixel = tv_pixel_of(builder, start);
    uint64_t middle = tv_pixel_middle(builder, pixel);
    prefetch_searches(builder, row, pixel, cut);
    uint64_t end = tv_mipmap_skip_to(row, cut->first, tv_pixel_start(builder, pixel + 1));
    cut->end = end < row_end ? end : row_end;
    /* The last call may be a long one: then it is the next box. */
    if (tv_is_pixel_wide(builder, len_of(row, cut->end - 1)))
        cut->end--;
    cut->is_finer = start < middle && start_of(row, cut->end - 1) >= middle;
}

void tv_depth_row_count_boxes(const struct tv_window_builder *builder, struct tv_depth_row *row,
                              size_t most, uint64_t *cuts)
{
    struct cut cut = {.end = row->first};
    row->counted_boxes = 0;
    row->least_finer = 0;
    if (row->first == row->end)
        return; /* the thread may lack this depth */
    const struct tv_mipmap mipmap = mipmap_of(builder, row);
    cut.prefetched_to = has_many_calls(builder, row) ? 0 : UINT64_MAX;
    for (; row->counted_boxes <= most && cut.end < row->end; row->counted_boxes++) {
        cut.first = cut.end;
        find_end(builder, &mipmap, row->end, &cut);
        row->least_finer += 1 + (size_t)cut.is_finer;
        if (cuts)
            cuts[row->counted_boxes] = cut.end - row->first;
    }
}

/* The calls [first, end) of a box, and the longest of them. */
struct run {
    uint64_t first;
    uint64_t end;
    struct tv_longest_call longest;
    bool is_found; /* `longest` is complete */
};

/* The box of a run. Where a box tells one call (method, depth, ordinal), it is the run's longest.
 */
static struct tv_box box_of_run(const struct tv_window_builder *builder,
                                const struct tv_mipmap *row, struct tv_call_ref ref,
                                const struct run *run)
{
    const struct tv_index *index = builder->index;
    uint64_t last = run->end - 1;
    uint64_t start = start_of(row, run->first);
    ref.call = run->longest.call;
    if (run->first == last && tv_is_pixel_wide(builder, len_of(row, last)))
        return tv_box_of_single_call(builder, ref, start, len_of(row, last));
    struct tv_box box =
        tv_box_of_call(builder, ref, start, start_of(row, last) + len_of(row, last) - start);
    uint64_t count = run->end - run->first;
    box.count = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
    /* Only three calls are looked at: that tells all mixed runs but rare ones whose ends and
     * longest call share a method. */
    const uint32_t *method = index->node_method;
    if (method[index->call_node[run->first]] != box.method ||
        method[index->call_node[last]] != box.method)
        box.flags |= TV_BOX_MIXED;
    return box;
}

/* Boxes that are made together, step by step: each step prefetches for all of them what
 * the next step reads. */
#define RUNS 16u

/* Searches the longest call of each run, one level of the mipmap at a time for all runs. */
static void find_longest(const struct tv_mipmap *row, struct run runs[RUNS], size_t count)
{
    size_t left = count;
    for (size_t i = 0; i < count; i++)
        tv_mipmap_prefetch_longest(row, runs[i].first, runs[i].end);
    for (size_t i = 0; i < count; i++) {
        runs[i].longest = tv_mipmap_longest(row, runs[i].first, runs[i].end);
        runs[i].is_found = false;
    }
    while (left) {
        for (size_t i = 0; i < count; i++) {
            if (runs[i].is_found || tv_mipmap_narrow(row, &runs[i].longest))
                continue;
            runs[i].is_found = true;
            left--;
        }
    }
}

/* Writes the boxes of some runs. Each loop reads what the loop before
 * prefetched: call, node, method. */
static void write_runs(const struct tv_window_builder *builder, const struct tv_mipmap *row,
                       struct tv_call_ref ref, struct run runs[RUNS], size_t count,
                       struct tv_box *boxes)
{
    const struct tv_index *index = builder->index;
    for (size_t i = 0; i < count; i++) {
        TV_PREFETCH(&index->call_node[runs[i].first]);
        TV_PREFETCH(&index->call_node[runs[i].end - 1]);
        tv_mipmap_prefetch_call(row, runs[i].first);
        tv_mipmap_prefetch_call(row, runs[i].end - 1);
    }
    find_longest(row, runs, count);
    for (size_t i = 0; i < count; i++) {
        TV_PREFETCH(&index->call_node[runs[i].longest.call]);
        TV_PREFETCH(&index->node_method[index->call_node[runs[i].first]]);
        TV_PREFETCH(&index->node_method[index->call_node[runs[i].end - 1]]);
    }
    for (size_t i = 0; i < count; i++)
        TV_PREFETCH(&index->node_method[index->call_node[runs[i].longest.call]]);
    for (size_t i = 0; i < count; i++)
        boxes[i] = box_of_run(builder, row, ref, &runs[i]);
}

/* Boxes are written several at a time, so that the searches for their longest calls can share waits
 * for memory. */
void tv_depth_row_write_boxes(const struct tv_window_builder *builder,
                              const struct tv_depth_row *row, struct tv_box *boxes)
{
    const struct tv_window_row *of = &builder->window->rows[row->row];
    const struct tv_mipmap mipmap = mipmap_of(builder, row);
    const struct tv_call_ref ref = {.thread_ix = of->thread_ix, .depth = of->depth};
    const uint64_t *cuts = builder->cuts + row->box_cut_first;
    struct run runs[RUNS];
    uint64_t first = row->first;
    size_t held = 0;
    for (size_t i = 0; i < row->box_count; i++) {
        runs[held++] = (struct run){.first = first, .end = row->first + cuts[i]};
        first = row->first + cuts[i];
        if (held < RUNS && i + 1 < row->box_count)
            continue;
        write_runs(builder, &mipmap, ref, runs, held, boxes + i + 1 - held);
        held = 0;
    }
}
