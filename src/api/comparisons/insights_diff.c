/*
 * insightsdiff: which insights are new, which are gone and which two traces both have, and below
 * them the whole answer of `insights` about each trace; see api/comparisons/insights_diff.h. A
 * change names insights by their places in these answers.
 */
#include "api/comparisons/insights_diff.h"

#include "api/answers.h"
#include "api/comparisons/sides_json.h"
#include "api/route.h"
#include "api/trace_pair.h"

static void write_changes(struct tv_json *json, const void *ctx)
{
    const struct tv_insight_changes *changes = ctx;
    tv_json_open_array(json);
    for (size_t i = 0; i < changes->count; i++) {
        const struct tv_insight_change *change = &changes->of[i];
        tv_json_open_object(json);
        tv_json_key_text(json, "standing", tv_insight_standing_words[change->standing]);
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
            if (change->places[side] != SIZE_MAX)
                tv_json_key_u64(json, tv_side_words[side], change->places[side]);
        }
        if (change->places[TV_SIDE_OLD] == SIZE_MAX || change->places[TV_SIDE_NEW] == SIZE_MAX) {
            tv_json_key_u64(json, "calls_there", change->lacking.calls);
            tv_json_key_u64(json, "ns_there", change->lacking.time_ns);
        }
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}

enum tv_code tv_answer_insights_diff(const struct tv_api *api, size_t old_trace,
                                     const struct tv_insight_changes *changes,
                                     struct tv_buffer *body, struct tv_error *err)
{
    return tv_sides_json(
        api, old_trace,
        &(struct tv_sides_plan){"changes", write_changes, changes, tv_answer_insights}, body, err);
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    const struct tv_api *api = request->api;
    struct tv_insight_changes changes;
    size_t old_trace;
    TV_TRY(tv_trace_pair_find_old(request, &old_trace, err));
    const struct tv_index *const indexes[TV_SIDE_COUNT] = {
        [TV_SIDE_OLD] = api->traces[old_trace].index, [TV_SIDE_NEW] = request->index};
    TV_TRY(tv_insight_changes_find(&changes, indexes, request->alloc, api->pool, err));
    return tv_answer_insights_diff(api, old_trace, &changes, &request->response->body, err);
}

static const char *const params[] = {"old", NULL};

const struct tv_route tv_route_insightsdiff = {"insightsdiff", TV_TYPE_JSON, params, run};
