/*
 * calldiff: what one call did beside another one of the trace, as the route `diff` tells it of two
 * traces: the methods that each of both called, with counts, times and why they differ. A call is
 * named by its place, THREAD.DEPTH.CALL as of the route `call`. Where in the tree calls changed
 * takes most of the time of large calls, and can be left out.
 */
#include "api/answers.h"
#include "api/diff_query.h"
#include "api/query.h"
#include "api/route.h"
#include "api/routes/comparison_json.h"
#include "api/routes/write_call.h"
#include "base/error.h"
#include "compare/comparison.h"

static void write_waits(struct tv_answer_writer *writer, const struct tv_detail_rows *waits)
{
    struct tv_json *json = &writer->json;
    tv_json_key(json, "waits");
    tv_json_open_array(json);
    for (size_t i = 0; i < waits->count; i++) {
        tv_json_open_object(json);
        tv_json_key_u64(json, "wait_ns", waits->of[i].wait_ns);
        tv_write_method(writer, waits->of[i].method_ix);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}

static void write_side(struct tv_answer_writer *writer, enum tv_side side,
                       const struct tv_compared_call *call)
{
    struct tv_json *json = &writer->json;
    tv_json_key(json, tv_side_words[side]);
    tv_json_open_object(json);
    tv_write_call(writer, call->ref, NULL);
    tv_write_method(writer, tv_call_method(writer->index, call->ref));
    tv_json_key_u64(json, "ordinal", call->rank.ordinal);
    tv_json_key_u64(json, "of", call->rank.of);
    if (side == TV_SIDE_OLD)
        tv_json_key_truth(json, "median", call->is_median);
    if (call->detail)
        write_waits(writer, &call->detail->waits);
    tv_json_close_object(json);
}

enum tv_code tv_answer_call_diff(const struct tv_api *api, const struct tv_comparison *comparison,
                                 const struct tv_compared_call calls[TV_SIDE_COUNT],
                                 struct tv_buffer *body, struct tv_error *err)
{
    struct tv_answer_writer writer;
    tv_writer_init(&writer, api, body);
    tv_json_open_object(&writer.json);
    tv_comparison_write_head(comparison, &writer.json);
    tv_json_key(&writer.json, "pair");
    tv_json_open_object(&writer.json);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        write_side(&writer, (enum tv_side)side, &calls[side]);
    tv_json_close_object(&writer.json);
    enum tv_code code =
        tv_comparison_write_lists(comparison, &writer.json, body, tv_api_answer_limit(api), err);
    if (code != TV_OK) {
        tv_writer_release(&writer);
        return code;
    }
    tv_json_close_object(&writer.json);
    return tv_writer_finish(&writer, err);
}

static enum tv_code add_call(const struct tv_request *request, enum tv_side side,
                             struct tv_comparison *comparison, struct tv_error *err)
{
    struct tv_call_ref call;
    TV_TRY(tv_query_call_of(&request->params, tv_side_words[side], request->index, &call, err));
    return tv_comparison_add_call(comparison, side, request->index, call, request->api->pool,
                                  tv_api_meant(request->api)->file, err);
}

static enum tv_code compare(const struct tv_request *request, struct tv_comparison *comparison,
                            struct tv_error *err)
{
    struct tv_comparison_opts opts = {.run_counts = {1, 1}};
    uint64_t wants_contexts = 1;
    TV_TRY(tv_diff_opts_take(&request->params, &opts, err));
    TV_TRY(tv_params_u64(&request->params, "contexts", 0, 1, &wants_contexts, err));
    TV_TRY(tv_comparison_begin(comparison, &opts, err));
    comparison->has_contexts = wants_contexts;
    TV_TRY(add_call(request, TV_SIDE_OLD, comparison, err));
    TV_TRY(add_call(request, TV_SIDE_NEW, comparison, err));
    TV_TRY(tv_comparison_finish(comparison, err));
    return tv_comparison_write(comparison, &request->response->body,
                               tv_api_answer_limit(request->api), err);
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_comparison comparison;
    tv_comparison_init(&comparison, request->alloc);
    enum tv_code code = compare(request, &comparison, err);
    tv_comparison_release(&comparison);
    return tv_diff_refuse(code, err);
}

static const char *const params[] = {"old", "new", "clock", "by", "least", "n", "contexts", NULL};

const struct tv_route tv_route_calldiff = {"calldiff", TV_TYPE_JSON, params, run};
