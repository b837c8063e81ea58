/* A window at the finest resolution that fits; see analysis/window.h. */
#include "analysis/window.h"

#include <string.h>

#include "analysis/range.h"
#include "analysis/window_rows.h"
#include "base/alloc.h"
#include "base/error.h"

void tv_window_init(struct tv_window *window, const struct tv_alloc *alloc)
{
    *window = (struct tv_window){.alloc = alloc};
}

void tv_window_release(struct tv_window *window)
{
    tv_alloc_free(window->alloc, window->rows, window->row_count, sizeof(*window->rows));
    tv_alloc_free(window->alloc, window->boxes, window->box_cap, sizeof(*window->boxes));
    tv_window_init(window, window->alloc);
}

enum tv_code tv_paint_box(struct tv_painting *painting, const struct tv_box *box,
                          struct tv_error *err)
{
    struct tv_window *window = painting->window;
    painting->is_full = painting->is_full || window->box_count >= painting->limit;
    if (painting->is_full)
        return TV_OK;
    if (!painting->is_counted) {
        TV_TRY(tv_alloc_grow(window->alloc, &window->boxes, &window->box_cap, window->box_count + 1,
                             sizeof(*window->boxes), err));
        window->boxes[window->box_count] = *box;
    }
    window->box_count++;
    return TV_OK;
}

uint32_t tv_cpu_share(const struct tv_index *index, const uint64_t times[TV_CLOCK_COUNT])
{
    uint64_t wall = times[TV_CLOCK_WALL];
    uint64_t cpu = times[TV_CLOCK_CPU];
    if (!index->info->has_clock[TV_CLOCK_WALL] || !index->info->has_clock[TV_CLOCK_CPU] || !wall)
        return TV_BOX_CPU_UNKNOWN;
    if (cpu >= wall)
        return TV_BOX_CPU_WHOLE;
    return (uint32_t)((double)cpu / (double)wall * TV_BOX_CPU_WHOLE + 0.5);
}

static uint32_t cpu_of_call(const struct tv_index *index, struct tv_call_ref ref)
{
    const struct tv_index_thread *thread = &index->threads[ref.thread_ix];
    uint64_t times[TV_CLOCK_COUNT] = {0, 0};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (index->info->has_clock[clock])
            times[clock] = tv_index_duration(index, thread, (enum tv_clock)clock, ref.call);
    }
    return tv_cpu_share(index, times);
}

struct tv_box tv_box_of_call(const struct tv_painting *painting, struct tv_call_ref ref,
                             uint64_t start, uint64_t len)
{
    const struct tv_index *index = painting->index;
    struct tv_box box = {
        .start_ns = start * index->info->unit_ns,
        .len_ns = len * index->info->unit_ns,
        .method = tv_call_method(index, ref),
        .count = 1,
        .depth = ref.depth,
        .call = (uint32_t)tv_call_ordinal_in_row(index, ref),
    };
    if (tv_call_is_open_at_end(index, ref))
        box.flags |= TV_BOX_OPEN_AT_END;
    if (tv_call_is_adopted(index, ref))
        box.flags |= TV_BOX_ADOPTED;
    if (painting->opts->has_cpu)
        box.cpu = cpu_of_call(index, ref);
    return box;
}

struct tv_box tv_box_of_own_call(const struct tv_painting *painting, struct tv_call_ref ref,
                                 uint64_t start, uint64_t len)
{
    struct tv_box box = tv_box_of_call(painting, ref, start, len);
    if (tv_call_is_waiting(painting->index, ref))
        box.flags |= TV_BOX_WAITING;
    return box;
}

static enum tv_code paint_row(struct tv_painting *painting, const struct tv_window_row *row,
                              struct tv_error *err)
{
    switch (row->kind) {
    case TV_ROW_FOLDED:
        return tv_paint_folded(painting, row->thread_ix, err);
    case TV_ROW_DEPTH:
        return tv_paint_depth(painting, row->thread_ix, row->depth, err);
    case TV_ROW_EXTENTS:
        return tv_paint_extents(painting, row->thread_ix, err);
    }
    return TV_OK;
}

/* All rows at the painting's resolution, or until there are too many boxes. */
static enum tv_code paint_rows(struct tv_painting *painting, struct tv_error *err)
{
    struct tv_window *window = painting->window;
    window->box_count = 0;
    painting->is_full = false;
    for (uint32_t i = 0; i < window->row_count && !painting->is_full; i++) {
        struct tv_window_row *row = &window->rows[i];
        row->box_first = (uint32_t)window->box_count;
        TV_TRY(paint_row(painting, row, err));
        row->box_count = (uint32_t)window->box_count - row->box_first;
    }
    return TV_OK;
}

/* Every n-th row of a depth stands for all when only an estimate is needed. */
#define SAMPLE_STEP 8u
#define SAMPLE_LEAST_ROWS 32u

/* Counts the boxes of every step-th row of a depth, up to `limit`. */
static enum tv_code count_depths(struct tv_painting *painting, uint32_t step, size_t limit,
                                 struct tv_error *err)
{
    struct tv_window *window = painting->window;
    size_t limit_of_all = painting->limit;
    enum tv_code code = TV_OK;
    window->box_count = 0;
    painting->limit = limit;
    painting->is_full = false;
    painting->is_counted = true;
    for (uint32_t i = step / 2; code == TV_OK && i < window->row_count && !painting->is_full;
         i += step) {
        if (window->rows[i].kind == TV_ROW_DEPTH)
            code = tv_paint_depth(painting, window->rows[i].thread_ix, window->rows[i].depth, err);
    }
    painting->limit = limit_of_all;
    painting->is_counted = false;
    return code;
}

/*
 * Rows of a depth are counted, so that the right resolution is mostly known before any box is made.
 * Where there are many, a sample tells when a resolution is clearly too fine, or will do. Folded
 * rows and extents have at most two boxes a pixel, and are painted to be counted.
 */
static enum tv_code paint_if_it_fits(struct tv_painting *painting, struct tv_error *err)
{
    bool needs_count = true;
    if (painting->window->row_count >= SAMPLE_LEAST_ROWS) {
        size_t share = painting->limit / SAMPLE_STEP;
        TV_TRY(count_depths(painting, SAMPLE_STEP, share + share / 4, err));
        if (painting->is_full)
            return TV_OK;
        needs_count = painting->window->box_count > share - share / 4;
    }
    if (needs_count) {
        TV_TRY(count_depths(painting, 1, painting->limit, err));
        if (painting->is_full)
            return TV_OK;
    }
    return paint_rows(painting, err);
}

static enum tv_code find_resolution(struct tv_painting *painting, struct tv_error *err)
{
    TV_TRY(paint_if_it_fits(painting, err));
    while (painting->is_full) {
        painting->pixel_ns *= 2;
        painting->window->is_coarse = true;
        TV_TRY(paint_if_it_fits(painting, err));
    }
    return TV_OK;
}

static enum tv_code paint(struct tv_window *window, const struct tv_index *index,
                          const struct tv_window_opts *opts, struct tv_error *err)
{
    struct tv_painting painting = {.window = window, .index = index, .opts = opts};
    struct tv_method_scan scan;
    bool needs_scan = false;
    uint64_t span = opts->to_ns - opts->from_ns;
    painting.pixel_ns = span / opts->width + (span % opts->width != 0);
    painting.limit = opts->box_limit ? opts->box_limit : TV_WINDOW_BOX_LIMIT;
    for (uint32_t i = 0; i < window->row_count; i++)
        needs_scan = needs_scan || window->rows[i].kind == TV_ROW_EXTENTS;
    tv_method_scan_init(&scan, window->alloc);
    tv_walker_init(&painting.walker, window->alloc);
    tv_walker_init(&painting.prober, window->alloc);
    enum tv_code code = TV_OK;
    if (needs_scan)
        code = tv_method_scan_prepare(&scan, index, &opts->extents_method, 1, err);
    painting.extents = &scan;
    if (code == TV_OK)
        code = find_resolution(&painting, err);
    window->pixel_ns = painting.pixel_ns;
    tv_walker_release(&painting.prober);
    tv_walker_release(&painting.walker);
    tv_method_scan_release(&scan);
    return code;
}

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
    enum tv_code code = paint(window, index, opts, err);
    if (code != TV_OK)
        tv_window_release(window);
    return code;
}
