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

/* The changes, and what the sides are written from. */
struct named_changes {
    const struct tv_insight_changes *changes;
    bool is_renamed; /* the methods of the old side have the names of the new one */
};

static void write_changes(struct tv_json *json, const void *ctx)
{
    const struct named_changes *named = ctx;
    const struct tv_insight_changes *changes = named->changes;
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

/* The insights of both traces are there, and finding them takes most of the answer's time. What an
 * insight says may hang on names, so those of a trace under other names are found anew. */
static enum tv_code answer_side(const struct tv_api *api, const void *ctx, enum tv_side side,
                                struct tv_buffer *body, struct tv_error *err)
{
    const struct named_changes *named = ctx;
    if (named->is_renamed && side == TV_SIDE_OLD)
        return tv_answer_insights(api, body, err);
    return tv_answer_insights_found(api, &named->changes->sides[side], body, err);
}

static enum tv_code tell(const struct tv_api *api, size_t old_trace,
                         const struct named_changes *named, struct tv_buffer *body,
                         struct tv_error *err)
{
    const struct tv_sides_plan plan = {
        .key = "changes", .write = write_changes, .ctx = named, .answer_side = answer_side};
    return tv_sides_json(api, old_trace, &plan, body, err);
}

enum tv_code tv_answer_insights_diff(const struct tv_api *api, size_t old_trace,
                                     const struct tv_insight_changes *changes,
                                     struct tv_buffer *body, struct tv_error *err)
{
    return tell(api, old_trace, &(struct named_changes){changes, false}, body, err);
}

static enum tv_code answer(struct tv_request *request, size_t old_trace,
                           struct tv_matched_index *matched, struct tv_error *err)
{
    const struct tv_api *api = request->api;
    const struct tv_index *sides[TV_SIDE_COUNT] = {api->traces[old_trace].index, request->index};
    struct tv_insight_changes changes;
    TV_TRY(tv_matched_pair_make(&request->params, sides, matched, err));
    sides[TV_SIDE_OLD] = &matched->index;
    TV_TRY(tv_insight_changes_find(&changes, sides, request->alloc, api->pool, err));
    return tell(api, old_trace, &(struct named_changes){&changes, matched->methods != NULL},
                &request->response->body, err);
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_matched_index matched;
    size_t old_trace;
    TV_TRY(tv_trace_pair_find_old(request, &old_trace, err));
    tv_matched_index_init(&matched, request->alloc);
    enum tv_code code = answer(request, old_trace, &matched, err);
    tv_matched_index_release(&matched);
    return code;
}

static const char *const params[] = {"old", "matched", NULL};

const struct tv_route tv_route_insightsdiff = {"insightsdiff", TV_TYPE_JSON, params, run};
