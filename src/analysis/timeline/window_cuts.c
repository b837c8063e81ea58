/*
 * Where the boxes of all rows of a depth end, and the finest resolution at which there are not too
 * many; see analysis/timeline/window_rows.h.
 */
#include <string.h>

#include "analysis/timeline/window_rows.h"
#include "base/alloc.h"
#include "base/error.h"

/* Every n-th row of a depth stands for all where there are many. */
#define SAMPLE_STEP 8u
#define SAMPLE_LEAST_ROWS 64u

/* So many rows are counted at once before their sum is looked at. */
#define COUNT_BATCH 64u

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
    if (counting->cuts)
        tv_depth_count(counting->painting, row, row->cut_room - 1, counting->cuts + row->cut_first);
    else
        tv_depth_count(counting->painting, row, counting->most, NULL);
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
        if (row->counted > *room || row->counted >= row->cut_room)
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

/* A pixel has at most a run of small calls and one that is larger; so a row has no more boxes than
 * this, with those that begin before the window. */
static size_t most_boxes(uint64_t pixels)
{
    return 2 * ((size_t)pixels + 2);
}

/* Gives each row a place for one cut more than it may have, beside those of its batch; returns the
 * room that a batch needs. */
static size_t place_cuts(struct tv_painting *painting, size_t most)
{
    const struct tv_window_opts *opts = painting->opts;
    size_t boxes = most_boxes((opts->to_ns - opts->from_ns) / painting->pixel_ns + 2);
    size_t largest = 0;
    size_t room = 0;
    most = most < boxes ? most : boxes;
    for (uint32_t i = 0; i < painting->depth_count; i++) {
        struct tv_depth_row *row = &painting->depths[i];
        uint64_t calls = row->end - row->first;
        room = i % COUNT_BATCH ? room : 0;
        row->cut_first = room;
        row->cut_room = (calls < most ? (size_t)calls : most) + 1;
        room += row->cut_room;
        largest = room > largest ? room : largest;
    }
    return largest;
}

/* Cuts all rows of a depth into boxes; is_fit says whether there are at most `most`. Where not,
 * those that were found before stay. */
enum tv_code tv_depths_cut(struct tv_painting *painting, size_t most, bool *is_fit,
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

/* No more boxes than this stand in every step-th row at a resolution. */
static size_t bound_of(const struct tv_painting *painting, uint32_t step, uint64_t pixels)
{
    size_t bound = 0;
    for (uint32_t i = step / 2; i < painting->depth_count; i += step) {
        uint64_t calls = painting->depths[i].end - painting->depths[i].first;
        uint64_t boxes = most_boxes(pixels);
        bound += (size_t)(calls < boxes ? calls : boxes);
    }
    return bound;
}

/*
 * The finest resolution at which the rows of a depth fit, from the coarse end: a pass that fits
 * costs its boxes, and the passes before it half of that, a quarter ... Where there are many rows a
 * sample stands for all. A pass mostly tells that the next has too many.
 */
enum tv_code tv_depths_choose_pixel(struct tv_painting *painting, struct tv_error *err)
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
            TV_TRY(tv_depths_cut(painting, most, &is_fit, err));
        if (!is_fit)
            break;
        fits = painting->pixel_ns;
    }
    painting->pixel_ns = fits;
    painting->window->is_coarse = fits > finest;
    return TV_OK;
}
