/*
 * overview: the busiest threads over the whole time axis, one folded row each: the strip above the
 * timeline. The answer has the layout of `window`.
 */
#include "analysis/selection/range.h"
#include "analysis/selection/thread_order.h"
#include "analysis/timeline/window.h"
#include "api/pack_window.h"
#include "api/route.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/sort.h"

#define DEFAULT_ROWS 8u
#define ROWS_LIMIT 64u
#define DEFAULT_WIDTH 1600u
#define WIDTH_LIMIT 16384u

/* Chooses threads that have calls, busiest first, one folded row each. */
static enum tv_code choose_rows(struct tv_request *request, size_t limit,
                                struct tv_window_row *rows, uint32_t *count, struct tv_error *err)
{
    const struct tv_index *index = request->index;
    uint32_t *threads = NULL;
    TV_TRY(tv_alloc_new(request->alloc, &threads, index->thread_count, sizeof(*threads), err));
    for (uint32_t i = 0; i < index->thread_count; i++)
        threads[i] = i;
    enum tv_code code =
        tv_sort(request->alloc, threads, index->thread_count, tv_thread_order, index, err);
    for (uint32_t i = 0; code == TV_OK && i < index->thread_count && *count < limit; i++) {
        if (index->threads[threads[i]].calls)
            rows[(*count)++] =
                (struct tv_window_row){.thread_ix = threads[i], .kind = TV_ROW_FOLDED};
    }
    tv_alloc_release(request->alloc, &threads, index->thread_count, sizeof(*threads));
    return code;
}

/* A trace without time has an axis of length 0, which would be an empty window, so it gets a length
 * of 1. */
static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_window_row rows[ROWS_LIMIT];
    uint32_t row_count = 0;
    uint64_t limit = DEFAULT_ROWS;
    uint64_t width = DEFAULT_WIDTH;
    uint64_t axis_len = tv_axis_len_ns(request->index);
    struct tv_window window;
    struct tv_window_opts opts = {.to_ns = axis_len ? axis_len : 1};
    TV_TRY(tv_params_truth(&request->params, "cpu", &opts.has_cpu, err));
    TV_TRY(tv_params_u64(&request->params, "rows", 1, ROWS_LIMIT, &limit, err));
    TV_TRY(tv_params_u64(&request->params, "width", 1, WIDTH_LIMIT, &width, err));
    TV_TRY(choose_rows(request, (size_t)limit, rows, &row_count, err));
    opts.width = (uint32_t)width;
    opts.box_limit = tv_pack_window_room(row_count);
    tv_window_init(&window, request->alloc);
    enum tv_code code = tv_window_compute(&window, request->index, rows, row_count, &opts, err);
    if (code == TV_OK)
        code = tv_pack_window(request, &window, &opts, err);
    tv_window_release(&window);
    return code;
}

static const char *const params[] = {"rows", "width", "cpu", NULL};

const struct tv_route tv_route_overview = {"overview", TV_TYPE_PACKED, params, run};
