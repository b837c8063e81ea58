/*
 * The cuts of all depth rows, and the finest resolution at which they fit the limit; see
 * analysis/timeline/window_rows.h.
 *
 * The resolution is searched from the coarse end: pixels are halved for as long as the boxes fit.
 * Counting a row costs its boxes, and the boxes roughly double with each step, so all passes
 * together cost about twice the last one. Passes are spared in two ways: each count gives a lower
 * bound for the next finer resolution, and where there are many rows a sample of them decides.
 *
 * Cuts of two resolutions are kept: those that fitted last, and those that are counted now. The
 * array of cuts has room for both, and then for the rows that are counted at the same time.
 */
#include <string.h>

#include "analysis/timeline/window_rows.h"
#include "base/alloc.h"
#include "base/error.h"

/* Where there are this many depth rows, every n-th stands for all while the
 * resolution is searched. */
#define SAMPLE_STEP 8u
#define SAMPLE_LEAST_ROWS 64u

/* Rows that are counted at the same time, before the limit is looked at again. */
#define COUNT_BATCH 64u

/* Some depth rows that are counted at the same time. */
struct counting {
    const struct tv_window_builder *builder;
    uint32_t first; /* the first row, and the distance from one row to the next */
    uint32_t step;
    size_t most;    /* boxes of one row: counting stops soon after */
    uint64_t *cuts; /* where the cuts go, a row's from its counted_cut_first on; NULL: nowhere */
};

static void count_task(void *arg, size_t task_ix)
{
    const struct counting *counting = arg;
    struct tv_depth_row *row =
        &counting->builder->depth_rows[counting->first + (uint32_t)task_ix * counting->step];
    if (counting->cuts)
        tv_depth_row_count_boxes(counting->builder, row, row->counted_cut_cap - 1,
                                 counting->cuts + row->counted_cut_first);
    else
        tv_depth_row_count_boxes(counting->builder, row, counting->most, NULL);
}

static void count_rows(struct counting *counting, uint32_t count)
{
    const struct tv_pool *pool = counting->builder->pool;
    pool->run(pool->ctx, count_task, counting, count);
}

/* Counts every step-th depth row, and says whether these rows have at most
 * `most` boxes together. */
static bool sample_fits(struct tv_window_builder *builder, uint32_t step, size_t most)
{
    struct counting counting = {builder, step / 2, step, most, NULL};
    size_t sum = 0;
    builder->least_finer = 0;
    for (; counting.first < builder->depth_row_count && sum <= most;
         counting.first += COUNT_BATCH * step) {
        uint32_t left = (builder->depth_row_count - counting.first + step - 1) / step;
        uint32_t count = left < COUNT_BATCH ? left : COUNT_BATCH;
        count_rows(&counting, count);
        for (uint32_t i = 0; i < count; i++) {
            sum += builder->depth_rows[counting.first + i * step].counted_boxes;
            builder->least_finer += builder->depth_rows[counting.first + i * step].least_finer;
        }
    }
    return sum <= most;
}

/* Appends the cuts of the counted rows to those of the rows before them, which end at *cut_end;
 * false when the rows have more boxes than *room, or more than were written. */
static bool append_cuts(struct tv_window_builder *builder, const struct counting *counting,
                        uint32_t count, size_t *room, size_t *cut_end)
{
    for (uint32_t i = 0; i < count; i++) {
        struct tv_depth_row *row = &builder->depth_rows[counting->first + i];
        if (row->counted_boxes > *room || row->counted_boxes >= row->counted_cut_cap)
            return false;
        memcpy(builder->cuts + *cut_end, counting->cuts + row->counted_cut_first,
               row->counted_boxes * sizeof(*builder->cuts));
        row->counted_cut_first = *cut_end;
        *cut_end += row->counted_boxes;
        *room -= row->counted_boxes;
        builder->least_finer += row->least_finer;
    }
    return true;
}

/* The resolution fits: its counts and cuts are those that boxes will be written from, unless
 * a finer one fits too. */
static void keep_cuts(struct tv_window_builder *builder, size_t cut_first, size_t cut_end)
{
    for (uint32_t i = 0; i < builder->depth_row_count; i++) {
        builder->depth_rows[i].box_count = builder->depth_rows[i].counted_boxes;
        builder->depth_rows[i].box_cut_first = builder->depth_rows[i].counted_cut_first;
    }
    builder->cut_first = cut_first;
    builder->cut_count = cut_end - cut_first;
    builder->cut_pixel_ns = builder->pixel_ns;
}

/* The most boxes of a row: a pixel has at most a run of short calls and one long call. A few boxes
 * more are of calls that begin before the window. */
static size_t most_boxes(uint64_t pixels)
{
    return 2 * ((size_t)pixels + 2);
}

/* Gives each row room for its cuts and one more, by which a row that has too many is known; rows of
 * one batch do not overlap. Returns the room that a batch needs. */
static size_t reserve_cuts(struct tv_window_builder *builder, size_t most)
{
    const struct tv_window_opts *opts = builder->opts;
    size_t boxes = most_boxes((opts->to_ns - opts->from_ns) / builder->pixel_ns + 2);
    size_t largest = 0;
    size_t room = 0;
    most = most < boxes ? most : boxes;
    for (uint32_t i = 0; i < builder->depth_row_count; i++) {
        struct tv_depth_row *row = &builder->depth_rows[i];
        uint64_t calls = row->end - row->first;
        room = i % COUNT_BATCH ? room : 0;
        row->counted_cut_first = room;
        row->counted_cut_cap = (calls < most ? (size_t)calls : most) + 1;
        room += row->counted_cut_cap;
        largest = room > largest ? room : largest;
    }
    return largest;
}

/* Stops with the batch in which the limit is passed. The new cuts are written where the kept ones
 * are not, so these survive a resolution that does not fit. */
enum tv_code tv_depth_rows_cut(struct tv_window_builder *builder, size_t most, bool *is_fit,
                               struct tv_error *err)
{
    struct counting counting = {.builder = builder, .step = 1, .most = most};
    size_t room = most;
    /* Room for two resolutions, then for the rows of a batch. */
    TV_TRY(tv_alloc_grow(builder->window->alloc, &builder->cuts, &builder->cut_cap,
                         2 * most + reserve_cuts(builder, most), sizeof(*builder->cuts), err));
    size_t first = builder->cut_first ? 0 : most;
    size_t end = first;
    counting.cuts = builder->cuts + 2 * most;
    builder->least_finer = 0;
    *is_fit = true;
    for (; *is_fit && counting.first < builder->depth_row_count; counting.first += COUNT_BATCH) {
        uint32_t left = builder->depth_row_count - counting.first;
        uint32_t count = left < COUNT_BATCH ? left : COUNT_BATCH;
        count_rows(&counting, count);
        *is_fit = append_cuts(builder, &counting, count, &room, &end);
    }
    if (*is_fit)
        keep_cuts(builder, first, end);
    return TV_OK;
}

/* An upper bound for the boxes of every step-th row, without counting: at most one per
 * call, and most_boxes. */
static size_t box_bound(const struct tv_window_builder *builder, uint32_t step, uint64_t pixels)
{
    size_t bound = 0;
    for (uint32_t i = step / 2; i < builder->depth_row_count; i += step) {
        uint64_t calls = builder->depth_rows[i].end - builder->depth_rows[i].first;
        uint64_t boxes = most_boxes(pixels);
        bound += (size_t)(calls < boxes ? calls : boxes);
    }
    return bound;
}

/* The coarsest resolution tried is the first at which the upper bound fits. From there pixels are
 * halved until the boxes do not fit, or the lower bound of the last count says that they will not.
 * The result of a sample is only likely to fit: tv_depth_rows_cut has the last word (window.c). */
enum tv_code tv_depth_rows_choose_pixel(struct tv_window_builder *builder, struct tv_error *err)
{
    uint32_t step = builder->depth_row_count >= SAMPLE_LEAST_ROWS ? SAMPLE_STEP : 1;
    size_t share = builder->limit / step; /* of the sampled rows */
    uint64_t finest = builder->pixel_ns;
    uint64_t pixels = builder->opts->width;
    uint64_t fits = finest;
    /* A sample may be a little too full: its rows need not be like the others. */
    size_t most = step > 1 ? share + share / 8 : share;
    builder->least_finer = 0;
    for (; pixels && box_bound(builder, step, pixels) > share; pixels /= 2)
        fits *= 2;
    while (fits > finest && builder->least_finer <= most) {
        bool is_fit;
        builder->pixel_ns = fits / 2;
        if (step > 1)
            is_fit = sample_fits(builder, step, most);
        else
            TV_TRY(tv_depth_rows_cut(builder, most, &is_fit, err));
        if (!is_fit)
            break;
        fits = builder->pixel_ns;
    }
    builder->pixel_ns = fits;
    builder->window->is_coarse = fits > finest;
    return TV_OK;
}
