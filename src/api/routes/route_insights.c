/*
 * insights: what of the trace is worth a look, found by analysis/insights/insights.h. Each insight
 * says how much time is at stake, and names the call and the method that show it; which members an
 * insight has depends on its kind. traceview-insights(1) has them.
 */
#include "analysis/insights/insights.h"
#include "api/answers.h"
#include "api/route.h"
#include "api/routes/answer_parts.h"
#include "api/routes/write_call.h"
#include "base/error.h"

/* A call is told as in the route `call`. */
static void write_insight(struct tv_answer_writer *writer, const struct tv_insight *insight)
{
    struct tv_json *json = &writer->json;
    tv_json_open_object(json);
    tv_json_key_text(json, "kind", tv_insight_kind_name(insight->kind));
    tv_json_key_u64(json, "at_stake_ns", insight->at_stake_ns);
    if (insight->margin_ns)
        tv_json_key_u64(json, "margin_ns", insight->margin_ns);
    if (insight->kind == TV_INSIGHT_PACKAGE)
        tv_json_key_str(json, "package", tv_insight_package(writer->index, insight));
    if (insight->method != TV_NONE)
        tv_write_rank(writer, insight->method);
    if (insight->calls)
        tv_json_key_u64(json, "calls", insight->calls);
    if (insight->waited_calls)
        tv_json_key_u64(json, "waited_calls", insight->waited_calls);
    if (insight->of_calls)
        tv_json_key_u64(json, "of_calls", insight->of_calls);
    if (insight->kind == TV_INSIGHT_SLOW)
        tv_json_key_u64(json, "median_ns", insight->median_ns);
    if (tv_call_is(insight->call)) {
        tv_json_key(json, "call");
        tv_json_open_object(json);
        tv_write_call(writer, insight->call, NULL);
        tv_json_close_object(json);
    }
    if (insight->other_method != TV_NONE) {
        tv_json_key(json, "other");
        tv_json_open_object(json);
        if (insight->other_thread != TV_NONE)
            tv_json_key_u64(json, "thread", writer->index->threads[insight->other_thread].id);
        tv_write_rank(writer, insight->other_method);
        tv_json_key_u64(json, insight->kind == TV_INSIGHT_OFTEN ? "calls" : "ns",
                        insight->other_amount);
        tv_json_close_object(json);
    } else if (insight->other_amount) {
        tv_json_key_u64(json, "of_ns", insight->other_amount);
    }
    tv_json_close_object(json);
}

/* Where a clock is wrong: which, by which finding, and on which one insights are told. */
static void write_wrong_clocks(struct tv_json *json, const struct tv_insights *insights)
{
    static const char *const words[TV_CLOCK_COUNT] = {
        [TV_CLOCK_WALL] = "wall", [TV_CLOCK_CPU] = "cpu"};
    if (!insights->is_wrong[TV_CLOCK_WALL] && !insights->is_wrong[TV_CLOCK_CPU])
        return;
    tv_json_key(json, "wrong_clocks");
    tv_json_open_object(json);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (insights->is_wrong[clock])
            tv_json_key_text(json, words[clock], tv_finding_name(insights->why[clock]));
    }
    tv_json_close_object(json);
    if (!insights->is_wrong[insights->clock])
        tv_json_key_text(json, "told_clock", words[insights->clock]);
}

/* The methods of all insights come last; those that share class and name with another say so. */
enum tv_code tv_answer_insights_found(const struct tv_api *api, const struct tv_insights *insights,
                                      struct tv_buffer *body, struct tv_error *err)
{
    struct tv_answer_writer writer;
    tv_writer_init(&writer, api, body);
    struct tv_json *json = &writer.json;
    tv_json_open_object(json);
    tv_write_default_basis(&writer);
    tv_json_key_u64(json, "least_ns", insights->least_ns);
    if (insights->main_thread != TV_NONE)
        tv_json_key_u64(json, "main_thread",
                        tv_api_meant(api)->index->threads[insights->main_thread].id);
    write_wrong_clocks(json, insights);
    tv_json_key(json, "insights");
    tv_json_open_array(json);
    for (size_t i = 0; i < insights->count; i++)
        write_insight(&writer, &insights->of[i]);
    tv_json_close_array(json);
    tv_write_methods_apart(&writer);
    tv_json_close_object(json);
    return tv_writer_finish(&writer, err);
}

enum tv_code tv_answer_insights(const struct tv_api *api, struct tv_buffer *body,
                                struct tv_error *err)
{
    struct tv_insights insights;
    TV_TRY(tv_insights_find(&insights, tv_api_meant(api)->index, api->alloc, api->pool, err));
    return tv_answer_insights_found(api, &insights, body, err);
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    return tv_answer_insights(request->api, &request->response->body, err);
}

static const char *const params[] = {NULL};

const struct tv_route tv_route_insights = {"insights", TV_TYPE_JSON, params, run};
