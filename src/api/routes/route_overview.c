/*
 * What stands above the timeline, over the whole time axis. overview: the busiest threads, one
 * folded row each; the answer has the layout of `window`. curve: how much of one thread's time was
 * within calls, and how much of that on the CPU, bin by bin (analysis/timeline/curve.h).
 */
#include "analysis/selection/range.h"
#include "analysis/selection/thread_order.h"
#include "analysis/timeline/curve.h"
#include "analysis/timeline/window.h"
#include "api/pack_window.h"
#include "api/query.h"
#include "api/route.h"
#include "api/routes/answer_parts.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/sort.h"

#define DEFAULT_ROWS 8u
#define ROWS_LIMIT 64u
#define DEFAULT_WIDTH 1600u
#define DEFAULT_BINS 320u
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

static void write_bins(struct tv_json *json, const char *key, const uint64_t *bins, uint32_t count)
{
    tv_json_key(json, key);
    tv_json_open_array(json);
    for (uint32_t i = 0; i < count; i++)
        tv_json_u64(json, bins[i]);
    tv_json_close_array(json);
}

static enum tv_code run_curve(struct tv_request *request, struct tv_error *err)
{
    const struct tv_index *index = request->index;
    uint32_t thread_ix;
    uint64_t bins = DEFAULT_BINS;
    struct tv_curve curve;
    TV_TRY(tv_query_thread(&request->params, index, &thread_ix, err));
    TV_TRY(tv_params_u64(&request->params, "bins", 1, TV_CURVE_BIN_LIMIT, &bins, err));
    tv_curve_init(&curve, request->alloc);
    enum tv_code code =
        tv_curve_compute(&curve, index, thread_ix, (uint32_t)bins, request->api->pool, err);
    if (code == TV_OK) {
        struct tv_answer_writer writer;
        tv_writer_init(&writer, request->api, &request->response->body);
        struct tv_json *json = &writer.json;
        tv_json_open_object(json);
        tv_json_key_u64(json, "thread", index->threads[thread_ix].id);
        write_bins(json, "called_ns", curve.called_ns, curve.bin_count);
        write_bins(json, "cpu_ns", curve.cpu_ns, curve.bin_count);
        tv_json_close_object(json);
        code = tv_writer_finish(&writer, err);
    }
    tv_curve_release(&curve);
    return code;
}

static const char *const curve_params[] = {"thread", "bins", NULL};

const struct tv_route tv_route_curve = {"curve", TV_TYPE_JSON, curve_params, run_curve};
