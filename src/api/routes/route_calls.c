/*
 * calls: all calls of a method in a scope: percentiles and a histogram of their durations, and a
 * slice of the calls themselves. The slice is short, since the table of the viewer asks for the
 * rows that it shows.
 */
#include <string.h>

#include "analysis/calls/calls.h"
#include "api/query.h"
#include "api/route.h"
#include "api/routes/answer_parts.h"
#include "api/routes/write_call.h"
#include "base/error.h"

#define DEFAULT_COUNT 50u
#define COUNT_LIMIT 1000u

/* Writes the bars of the histogram: how many calls lasted from `from_ns` to just below `to_ns`. */
static void write_histogram(struct tv_answer_writer *writer, const struct tv_call_list *calls,
                            enum tv_measure measure)
{
    struct tv_json *json = &writer->json;
    tv_json_key(json, "histogram");
    tv_json_open_object(json);
    tv_json_key_text(json, "clock", tv_measure_words[measure]);
    tv_json_key(json, "bars");
    tv_json_open_array(json);
    for (size_t i = 0; i < calls->bar_count; i++) {
        tv_json_open_object(json);
        tv_json_key_u64(json, "from_ns", calls->bars[i].from_ns);
        tv_json_key_u64(json, "to_ns", calls->bars[i].to_ns);
        tv_json_key_u64(json, "count", calls->bars[i].count);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
    tv_json_close_object(json);
}

/* The histogram and the percentiles are of all calls, the list has those of the slice. */
static enum tv_code write_answer(struct tv_request *request, const struct tv_call_list *calls,
                                 const struct tv_scope *scope, const struct tv_calls_opts *opts,
                                 struct tv_error *err)
{
    struct tv_answer_writer writer;
    tv_writer_init(&writer, request->api, &request->response->body);
    struct tv_json *json = &writer.json;
    tv_json_open_object(json);
    tv_write_basis(&writer, opts->measure);
    tv_write_idle(&writer, scope);
    tv_json_key_u64(json, "rank", request->index->methods[opts->method].rank);
    tv_json_key_u64(json, "count", calls->count);
    tv_json_key_u64(json, "listed", calls->listed);
    tv_write_percentiles(&writer, "stats", &calls->percentiles);
    write_histogram(&writer, calls, opts->measure);
    tv_json_key(json, "calls");
    tv_json_open_array(json);
    for (size_t i = 0; i < calls->slice_len; i++) {
        tv_json_open_object(json);
        tv_write_call(&writer, calls->slice[i].ref, NULL);
        tv_json_key_u64(json, "ordinal", calls->slice[i].ordinal);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
    tv_json_close_object(json);
    return tv_writer_finish(&writer, err);
}

/* The words of `sort`, each with its key and with its order unless `order` asks for another.
 * "wall", "cpu" and "wait" sort by duration on that clock, the other words on the clock of the
 * scope. */
static const struct {
    const char *word;
    enum tv_calls_key key;
    enum tv_order order;
} sorts[] = {
    {"slowest", TV_CALLS_BY_DURATION, TV_DESCENDING},
    {"first", TV_CALLS_BY_START, TV_ASCENDING},
    {"wall", TV_CALLS_BY_DURATION, TV_DESCENDING},
    {"cpu", TV_CALLS_BY_DURATION, TV_DESCENDING},
    {"wait", TV_CALLS_BY_DURATION, TV_DESCENDING},
    {"exclusive", TV_CALLS_BY_EXCLUSIVE, TV_DESCENDING},
    {"thread", TV_CALLS_BY_THREAD, TV_ASCENDING},
};

/* Reads `sort` and `order`. A word that is a clock needs that clock in the trace. */
static enum tv_code take_sort(struct tv_request *request, struct tv_calls_opts *opts,
                              struct tv_error *err)
{
    static const char *const orders[] = {"desc", "asc"};
    const char *words[TV_COUNT_OF(sorts)];
    unsigned sort = 0;
    for (size_t i = 0; i < TV_COUNT_OF(sorts); i++)
        words[i] = sorts[i].word;
    TV_TRY(tv_params_choice(&request->params, "sort", words, TV_COUNT_OF(sorts), &sort, err));
    unsigned order = (unsigned)sorts[sort].order;
    TV_TRY(tv_params_choice(&request->params, "order", orders, TV_COUNT_OF(orders), &order, err));
    opts->key = sorts[sort].key;
    opts->order = (enum tv_order)order;
    for (unsigned measure = 0; measure < TV_MEASURE_COUNT; measure++) {
        if (strcmp(words[sort], tv_measure_words[measure]) == 0)
            return tv_measure_check(request->index, opts->key_measure = (enum tv_measure)measure,
                                    err);
    }
    opts->key_measure = opts->measure;
    return TV_OK;
}

/* `min` and `max` bound the calls that are listed, by their duration. */
static enum tv_code take_opts(struct tv_request *request, struct tv_scope *scope,
                              struct tv_calls_opts *opts, struct tv_error *err)
{
    const struct tv_params *params = &request->params;
    uint64_t offset = 0;
    uint64_t limit = DEFAULT_COUNT;
    TV_TRY(tv_query_scope(params, request->index, scope, err));
    TV_TRY(tv_query_idle(params, request->index, scope, err));
    opts->selection = scope->selection;
    opts->measure = scope->measure;
    TV_TRY(tv_query_method(params, "method", request->index, &opts->method, err));
    TV_TRY(take_sort(request, opts, err));
    TV_TRY(tv_params_u64(params, "min", 0, INT64_MAX, &opts->least_ns, err));
    TV_TRY(tv_params_u64(params, "max", 1, UINT64_MAX, &opts->below_ns, err));
    TV_TRY(tv_params_u64(params, "offset", 0, INT64_MAX, &offset, err));
    TV_TRY(tv_params_u64(params, "n", 1, COUNT_LIMIT, &limit, err));
    opts->offset = (size_t)offset;
    opts->limit = (size_t)limit;
    opts->pool = request->api->pool;
    return TV_OK;
}

/* The list may have as many entries as the method has calls, so its room is taken from the limited
 * memory of the answer and given back before the next request. */
static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_calls_opts opts = {.limit = 0};
    struct tv_scope scope;
    struct tv_call_list calls;
    TV_TRY(take_opts(request, &scope, &opts, err));
    tv_calls_init(&calls, request->alloc);
    enum tv_code code = tv_calls_compute(&calls, request->index, &opts, err);
    if (code == TV_OK)
        code = write_answer(request, &calls, &scope, &opts, err);
    tv_calls_release(&calls);
    return code;
}

static const char *const params[] = {TV_SCOPE_PARAMS, TV_IDLE_PARAMS, "method", "sort", "order",
                                     "min",           "max",          "offset", "n",    NULL};

const struct tv_route tv_route_calls = {"calls", TV_TYPE_JSON, params, run};
