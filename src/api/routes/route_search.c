/*
 * search: which methods a pattern finds, best first, and how many calls they have in each thread.
 * Methods are told by rank alone; `methods` has the names of ranks.
 */
#include "analysis/selection/method_search.h"
#include "api/route.h"
#include "api/routes/answer_parts.h"
#include "base/error.h"

/* More methods than a page can mark; `complete` is then false. */
#define RANK_LIMIT 10000u

/* "complete" says that all that was found is listed, and that the trace is read whole. */
static enum tv_code write_answer(struct tv_request *request, const struct tv_search *search,
                                 size_t limit, struct tv_error *err)
{
    const struct tv_index *index = request->index;
    struct tv_answer_writer writer;
    tv_writer_init(&writer, request->api, &request->response->body);
    struct tv_json *json = &writer.json;
    tv_json_open_object(json);
    tv_json_key_truth(json, "complete",
                      search->count <= limit && !tv_api_meant(request->api)->part);
    tv_json_key_u64(json, "count", search->count);
    tv_json_key_u64(json, "calls", search->calls);
    tv_json_key(json, "ranks");
    tv_json_open_array(json);
    for (size_t i = 0; i < search->count && i < limit; i++)
        tv_json_u64(json, index->methods[search->methods[i]].rank);
    tv_json_close_array(json);
    tv_json_key(json, "threads");
    tv_json_open_array(json);
    uint64_t left_out = 0;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        bool is_left_out = search->thread_calls[i] && !tv_writer_room(&writer);
        left_out += is_left_out;
        if (!search->thread_calls[i] || is_left_out)
            continue;
        tv_json_open_object(json);
        tv_json_key_u64(json, "id", index->threads[i].id);
        tv_json_key_u64(json, "calls", search->thread_calls[i]);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
    tv_write_left_out(&writer, left_out);
    tv_json_close_object(json);
    return tv_writer_finish(&writer, err);
}

/* An empty pattern would match every method, so it counts as missing: the field of the page asks
 * only when something was typed. */
static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_search search;
    struct tv_str pattern;
    uint64_t limit = RANK_LIMIT;
    if (!tv_params_find(&request->params, "q", &pattern) || !pattern.len)
        return tv_params_missing("q", err);
    TV_TRY(tv_params_u64(&request->params, "n", 1, RANK_LIMIT, &limit, err));
    tv_search_init(&search, request->alloc);
    enum tv_code code = tv_search_run(&search, request->index, pattern, err);
    if (code == TV_OK)
        code = write_answer(request, &search, (size_t)limit, err);
    tv_search_release(&search);
    return code;
}

static const char *const params[] = {"q", "n", NULL};

const struct tv_route tv_route_search = {"search", TV_TYPE_JSON, params, run};
