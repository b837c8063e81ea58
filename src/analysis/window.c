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
    tv_alloc_free(window->alloc, window->boxes, window->box_count, sizeof(*window->boxes));
    tv_window_init(window, window->alloc);
}

enum tv_code tv_paint_box(struct tv_painting *painting, const struct tv_box *box,
                          struct tv_error *err)
{
    painting->is_full = painting->is_full || painting->other_count >= painting->other_limit;
    if (painting->is_full)
        return TV_OK;
    TV_TRY(tv_alloc_grow(painting->window->alloc, &painting->others, &painting->other_cap,
                         painting->other_count + 1, sizeof(*painting->others), err));
    painting->others[painting->other_count++] = *box;
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

/* Every n-th row of a depth stands for all where there are many. */
#define SAMPLE_STEP 8u
#define SAMPLE_LEAST_ROWS 64u

/* So many rows are counted at once before their sum is looked at. */
#define COUNT_BATCH 64u

static void clip_task(void *arg, size_t task_ix)
{
    const struct tv_painting *painting = arg;
    tv_depth_clip(painting, &painting->depths[task_ix]);
}

struct counting {
    const struct tv_painting *painting;
    uint32_t first; /* of the rows, and from one to the next */
    uint32_t step;
    size_t most;
    uint64_t *cuts; /* those of a row from its cut_first on; or NULL */
};

static void count_task(void *arg, size_t task_ix)
{
    const struct counting *counting = arg;
    struct tv_depth_row *row =
        &counting->painting->depths[counting->first + (uint32_t)task_ix * counting->step];
    uint64_t *cuts = counting->cuts ? counting->cuts + row->cut_first : NULL;
    tv_depth_count(counting->painting, row, counting->most, cuts);
}

static void count_rows(struct counting *counting, uint32_t count)
{
    const struct tv_pool *pool = counting->painting->pool;
    pool->run(pool->ctx, count_task, counting, count);
}

/* Whether every step-th row of a depth has at most `most` boxes together. */
static bool sample_fits(struct tv_painting *painting, uint32_t step, size_t most)
{
    struct counting counting = {painting, step / 2, step, most, NULL};
    size_t sum = 0;
    painting->finer = 0;
    for (; counting.first < painting->depth_count && sum <= most;
         counting.first += COUNT_BATCH * step) {
        uint32_t left = (painting->depth_count - counting.first + step - 1) / step;
        uint32_t count = left < COUNT_BATCH ? left : COUNT_BATCH;
        count_rows(&counting, count);
        for (uint32_t i = 0; i < count; i++) {
            sum += painting->depths[counting.first + i * step].counted;
            painting->finer += painting->depths[counting.first + i * step].finer;
        }
    }
    return sum <= most;
}

/* Puts the cuts of some rows behind those of the rows before, which end at *cut_end; false when
 * there is no room for them. */
static bool gather_cuts(struct tv_painting *painting, const struct counting *counting,
                        uint32_t count, size_t *room, size_t *cut_end)
{
    for (uint32_t i = 0; i < count; i++) {
        struct tv_depth_row *row = &painting->depths[counting->first + i];
        if (row->counted > *room)
            return false;
        memcpy(painting->cuts + *cut_end, counting->cuts + row->cut_first,
               row->counted * sizeof(*painting->cuts));
        row->cut_first = *cut_end;
        *cut_end += row->counted;
        *room -= row->counted;
        painting->finer += row->finer;
    }
    return true;
}

static void keep_cuts(struct tv_painting *painting, size_t cut_first, size_t cut_end)
{
    for (uint32_t i = 0; i < painting->depth_count; i++) {
        painting->depths[i].box_count = painting->depths[i].counted;
        painting->depths[i].box_cut_first = painting->depths[i].cut_first;
    }
    painting->cut_first = cut_first;
    painting->cut_count = cut_end - cut_first;
    painting->counted_pixel_ns = painting->pixel_ns;
}

/* Gives each row a place for no more cuts than it may have, beside those of its batch; returns the
 * room that a batch needs. */
static size_t place_cuts(struct tv_painting *painting, size_t most)
{
    size_t largest = 0;
    size_t room = 0;
    for (uint32_t i = 0; i < painting->depth_count; i++) {
        struct tv_depth_row *row = &painting->depths[i];
        uint64_t calls = row->end - row->first;
        room = i % COUNT_BATCH ? room : 0;
        row->cut_first = room;
        room += calls <= most ? (size_t)calls : most + 1;
        largest = room > largest ? room : largest;
    }
    return largest;
}

/* Cuts all rows of a depth into boxes; is_fit says whether there are at most `most`. Where not,
 * those that were found before stay. */
static enum tv_code cut_depths(struct tv_painting *painting, size_t most, bool *is_fit,
                               struct tv_error *err)
{
    struct counting counting = {.painting = painting, .step = 1, .most = most};
    size_t room = most;
    /* Room for two resolutions, and behind them for the rows that are counted at once. */
    TV_TRY(tv_alloc_grow(painting->window->alloc, &painting->cuts, &painting->cut_cap,
                         2 * most + place_cuts(painting, most), sizeof(*painting->cuts), err));
    size_t first = painting->cut_first ? 0 : most;
    size_t end = first;
    counting.cuts = painting->cuts + 2 * most;
    painting->finer = 0;
    *is_fit = true;
    for (; *is_fit && counting.first < painting->depth_count; counting.first += COUNT_BATCH) {
        uint32_t left = painting->depth_count - counting.first;
        uint32_t count = left < COUNT_BATCH ? left : COUNT_BATCH;
        count_rows(&counting, count);
        *is_fit = gather_cuts(painting, &counting, count, &room, &end);
    }
    if (*is_fit)
        keep_cuts(painting, first, end);
    return TV_OK;
}

/* No more boxes than this stand in every step-th row at a resolution: a pixel has at most a run of
 * small calls and one that is larger. */
static size_t bound_of(const struct tv_painting *painting, uint32_t step, uint64_t pixels)
{
    size_t bound = 0;
    for (uint32_t i = step / 2; i < painting->depth_count; i += step) {
        uint64_t calls = painting->depths[i].end - painting->depths[i].first;
        uint64_t boxes = 2 * (pixels + 2);
        bound += (size_t)(calls < boxes ? calls : boxes);
    }
    return bound;
}

/*
 * The finest resolution at which the rows of a depth fit, from the coarse end: a pass that fits
 * costs its boxes, and the passes before it half of that, a quarter ... Where there are many rows a
 * sample stands for all. A pass mostly tells that the next has too many.
 */
static enum tv_code choose_pixel(struct tv_painting *painting, struct tv_error *err)
{
    uint32_t step = painting->depth_count >= SAMPLE_LEAST_ROWS ? SAMPLE_STEP : 1;
    size_t share = painting->limit / step;
    uint64_t finest = painting->pixel_ns;
    uint64_t pixels = painting->opts->width;
    uint64_t fits = finest;
    size_t most = step > 1 ? share + share / 8 : share;
    painting->finer = 0;
    for (; pixels && bound_of(painting, step, pixels) > share; pixels /= 2)
        fits *= 2;
    while (fits > finest && painting->finer <= most) {
        bool is_fit;
        painting->pixel_ns = fits / 2;
        if (step > 1)
            is_fit = sample_fits(painting, step, most);
        else
            TV_TRY(cut_depths(painting, most, &is_fit, err));
        if (!is_fit)
            break;
        fits = painting->pixel_ns;
    }
    painting->pixel_ns = fits;
    painting->window->is_coarse = fits > finest;
    return TV_OK;
}

/* Folded rows and extents; their boxes are counted among the others. */
static enum tv_code paint_others(struct tv_painting *painting, struct tv_error *err)
{
    struct tv_window *window = painting->window;
    painting->other_count = 0;
    painting->is_full = false;
    for (uint32_t i = 0; i < window->row_count && !painting->is_full; i++) {
        struct tv_window_row *row = &window->rows[i];
        size_t before = painting->other_count;
        if (row->kind == TV_ROW_FOLDED)
            TV_TRY(tv_paint_folded(painting, row->thread_ix, err));
        else if (row->kind == TV_ROW_EXTENTS)
            TV_TRY(tv_paint_extents(painting, row->thread_ix, err));
        row->box_count = (uint32_t)(painting->other_count - before);
    }
    return TV_OK;
}

/* All rows at the painting's resolution, counted or painted, or until there are too many boxes. */
static enum tv_code try_pixel(struct tv_painting *painting, struct tv_error *err)
{
    bool is_fit = true;
    if (painting->counted_pixel_ns != painting->pixel_ns)
        TV_TRY(cut_depths(painting, painting->limit, &is_fit, err));
    painting->is_full = !is_fit;
    if (painting->is_full)
        return TV_OK;
    painting->other_limit = painting->limit - painting->cut_count;
    return paint_others(painting, err);
}

static void fill_task(void *arg, size_t task_ix)
{
    const struct tv_painting *painting = arg;
    const struct tv_depth_row *row = &painting->depths[task_ix];
    const struct tv_window *window = painting->window;
    if (!row->box_count)
        return; /* and perhaps there are no boxes at all */
    tv_depth_fill(painting, row, window->boxes + window->rows[row->row].box_first);
}

/* Puts the boxes of all rows one behind the other. */
static enum tv_code place_boxes(struct tv_painting *painting, struct tv_error *err)
{
    struct tv_window *window = painting->window;
    size_t others = 0;
    for (uint32_t i = 0; i < painting->depth_count; i++)
        window->rows[painting->depths[i].row].box_count = (uint32_t)painting->depths[i].box_count;
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
        memcpy(window->boxes + row->box_first, painting->others + others,
               row->box_count * sizeof(struct tv_box));
        others += row->box_count;
    }
    painting->pool->run(painting->pool->ctx, fill_task, painting, painting->depth_count);
    return TV_OK;
}

static enum tv_code list_depths(struct tv_painting *painting, struct tv_error *err)
{
    const struct tv_window *window = painting->window;
    TV_TRY(tv_alloc_new(window->alloc, &painting->depths, window->row_count,
                        sizeof(*painting->depths), err));
    for (uint32_t i = 0; i < window->row_count; i++) {
        if (window->rows[i].kind == TV_ROW_DEPTH)
            painting->depths[painting->depth_count++].row = i;
    }
    painting->pool->run(painting->pool->ctx, clip_task, painting, painting->depth_count);
    return TV_OK;
}

static enum tv_code paint(struct tv_painting *painting, struct tv_error *err)
{
    TV_TRY(list_depths(painting, err));
    TV_TRY(choose_pixel(painting, err));
    TV_TRY(try_pixel(painting, err));
    while (painting->is_full) {
        painting->pixel_ns *= 2;
        painting->window->is_coarse = true;
        TV_TRY(try_pixel(painting, err));
    }
    painting->window->pixel_ns = painting->pixel_ns;
    return place_boxes(painting, err);
}

static enum tv_code compute(struct tv_window *window, const struct tv_index *index,
                            const struct tv_window_opts *opts, struct tv_error *err)
{
    struct tv_painting painting = {.window = window, .index = index, .opts = opts};
    struct tv_method_scan scan;
    bool needs_scan = false;
    uint64_t span = opts->to_ns - opts->from_ns;
    painting.pool = opts->pool ? opts->pool : tv_pool_serial();
    painting.pixel_ns = span / opts->width + (span % opts->width != 0);
    painting.limit = opts->box_limit ? opts->box_limit : TV_WINDOW_BOX_LIMIT;
    painting.extents = &scan;
    for (uint32_t i = 0; i < window->row_count; i++)
        needs_scan = needs_scan || window->rows[i].kind == TV_ROW_EXTENTS;
    tv_method_scan_init(&scan, window->alloc);
    tv_walker_init(&painting.walker, window->alloc);
    tv_walker_init(&painting.prober, window->alloc);
    enum tv_code code = TV_OK;
    if (needs_scan)
        code = tv_method_scan_prepare(&scan, index, &opts->extents_method, 1, err);
    if (code == TV_OK)
        code = paint(&painting, err);
    tv_alloc_free(window->alloc, painting.others, painting.other_cap, sizeof(struct tv_box));
    tv_alloc_free(window->alloc, painting.cuts, painting.cut_cap, sizeof(*painting.cuts));
    tv_alloc_free(window->alloc, painting.depths, window->row_count, sizeof(*painting.depths));
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
    enum tv_code code = compute(window, index, opts, err);
    if (code != TV_OK)
        tv_window_release(window);
    return code;
}
