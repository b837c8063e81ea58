/*
 * levels: how deep the stacks of each thread are when packages are hidden, and how many calls are
 * then left out of the timeline. docs/api.md has the members.
 */
#include "api/lean_query.h"
#include "api/route.h"
#include "api/routes/answer_parts.h"
#include "base/error.h"

/* Without hidden packages there is no lean index, and the numbers are those of the whole one. */
static enum tv_code answer(struct tv_request *request, const struct tv_lean *lean,
                           struct tv_error *err)
{
    const struct tv_index *whole = request->index;
    const struct tv_index *shown = lean ? &lean->index : whole;
    struct tv_answer_writer writer;
    tv_writer_init(&writer, request->api, &request->response->body);
    struct tv_json *json = &writer.json;
    tv_json_open_object(json);
    tv_json_key(json, "threads");
    tv_json_open_array(json);
    for (uint32_t i = 0; i < whole->thread_count; i++) {
        tv_json_open_object(json);
        tv_json_key_u64(json, "id", whole->threads[i].id);
        tv_json_key_u64(json, "levels", shown->threads[i].max_depth);
        tv_json_key_u64(json, "calls", shown->threads[i].calls);
        tv_json_key_u64(json, "omitted", whole->threads[i].calls - shown->threads[i].calls);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
    tv_json_close_object(json);
    return tv_writer_finish(&writer, err);
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    return tv_lean_query_run(request, answer, err);
}

static const char *const params[] = {TV_HIDE_PARAM, NULL};

const struct tv_route tv_route_levels = {"levels", TV_TYPE_JSON, params, run};
