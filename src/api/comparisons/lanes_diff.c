/*
 * lanesdiff: the frames and messages of two traces beside each other, and below them the whole
 * answer of `lanes` about each; see api/comparisons/lanes_diff.h.
 */
#include "api/comparisons/lanes_diff.h"

#include "api/answers.h"
#include "api/comparisons/sides_json.h"
#include "api/route.h"
#include "api/trace_pair.h"

void tv_lanes_diff_init(struct tv_lanes_diff *diff, const struct tv_alloc *alloc)
{
    *diff = (struct tv_lanes_diff){.budget_ns = TV_FRAME_BUDGET_NS};
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        tv_lanes_init(&diff->sides[side].lanes, alloc);
}

void tv_lanes_diff_release(struct tv_lanes_diff *diff)
{
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        tv_lanes_release(&diff->sides[side].lanes);
}

enum tv_code tv_lanes_diff_find(struct tv_lanes_diff *diff, enum tv_side side,
                                const struct tv_index *index, struct tv_error *err)
{
    struct tv_lanes_side *of = &diff->sides[side];
    TV_TRY(tv_lanes_find(&of->lanes, index, SIZE_MAX, err));
    of->is_judged = index->info->has_clock[TV_CLOCK_WALL];
    for (unsigned lane = 0; lane < TV_LANE_COUNT; lane++) {
        const struct tv_lane_items *items = &of->lanes.lanes[lane];
        for (size_t i = 0; i < items->count; i++)
            of->over[lane] += of->is_judged && items->of[i].len_ns > diff->budget_ns;
        if (lane != TV_LANE_PHASE)
            TV_TRY(tv_lanes_sort_longest(&of->lanes, (enum tv_lane)lane, err));
    }
    return TV_OK;
}

static void write_side(struct tv_json *json, const struct tv_lanes_diff *diff, enum tv_side side,
                       enum tv_lane lane)
{
    static const char *const keys[] = {"median_ns", "p95_ns", "worst_ns"};
    const struct tv_lane_items *items = &diff->sides[side].lanes.lanes[lane];
    const size_t places[] = TV_LANE_PLACES(items->count);
    tv_json_key(json, tv_side_words[side]);
    tv_json_open_object(json);
    tv_json_key_u64(json, "count", items->count);
    if (diff->sides[side].is_judged)
        tv_json_key_u64(json, "over_budget", diff->sides[side].over[lane]);
    for (size_t i = 0; items->count && i < TV_COUNT_OF(places); i++)
        tv_json_key_u64(json, keys[i], items->of[places[i]].len_ns);
    tv_json_close_object(json);
}

static void write_sides(struct tv_json *json, const void *ctx)
{
    static const struct {
        enum tv_lane lane;
        const char *key;
    } shown[] = {{TV_LANE_FRAME, "frames"}, {TV_LANE_MESSAGE, "messages"}};
    const struct tv_lanes_diff *diff = ctx;
    tv_json_open_object(json);
    tv_json_key_u64(json, "budget_ns", diff->budget_ns);
    for (size_t i = 0; i < TV_COUNT_OF(shown); i++) {
        tv_json_key(json, shown[i].key);
        tv_json_open_object(json);
        write_side(json, diff, TV_SIDE_OLD, shown[i].lane);
        write_side(json, diff, TV_SIDE_NEW, shown[i].lane);
        tv_json_close_object(json);
    }
    tv_json_close_object(json);
}

enum tv_code tv_answer_lanes_diff(const struct tv_api *api, size_t old_trace,
                                  const struct tv_lanes_diff *diff, struct tv_buffer *body,
                                  struct tv_error *err)
{
    const struct tv_sides_plan plan = {
        .key = "sides", .write = write_sides, .ctx = diff, .answer = tv_answer_lanes};
    return tv_sides_json(api, old_trace, &plan, body, err);
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    const struct tv_api *api = request->api;
    struct tv_lanes_diff diff;
    size_t old_trace;
    TV_TRY(tv_trace_pair_find_old(request, &old_trace, err));
    tv_lanes_diff_init(&diff, request->alloc);
    enum tv_code code =
        tv_params_u64(&request->params, "budget", 1, INT64_MAX, &diff.budget_ns, err);
    if (code == TV_OK)
        code = tv_lanes_diff_find(&diff, TV_SIDE_OLD, api->traces[old_trace].index, err);
    if (code == TV_OK)
        code = tv_lanes_diff_find(&diff, TV_SIDE_NEW, request->index, err);
    if (code == TV_OK)
        code = tv_answer_lanes_diff(api, old_trace, &diff, &request->response->body, err);
    tv_lanes_diff_release(&diff);
    return code;
}

static const char *const params[] = {"old", "budget", NULL};

const struct tv_route tv_route_lanesdiff = {"lanesdiff", TV_TYPE_JSON, params, run};
