/*
 * diff: what changed from old recordings to new ones (compare/comparison.h). Both sides are traces
 * that whoever answers has open; the one that is meant is the new side unless the question names
 * another. Defaults are those of `traceview diff`.
 */
#include "api/diff_query.h"
#include "api/query.h"
#include "api/route.h"
#include "api/routes/comparison_json.h"
#include "base/error.h"
#include "compare/comparison.h"
#include "compare/run_part.h"

static enum tv_code take_method(const struct tv_params *params, const char *name,
                                const struct tv_index *index, uint32_t *method,
                                struct tv_error *err)
{
    struct tv_str text;
    return tv_params_find(params, name, &text) ? tv_query_method(params, name, index, method, err)
                                               : TV_OK;
}

/* Methods and threads are found in each trace anew. */
static enum tv_code take_part(const struct tv_params *params, const struct tv_index *index,
                              struct tv_run_part *part, struct tv_str *thread, struct tv_error *err)
{
    *part = tv_run_part_all();
    TV_TRY(tv_params_u64(params, "from", 0, INT64_MAX, &part->from_ns, err));
    TV_TRY(tv_params_u64(params, "to", 0, INT64_MAX, &part->to_ns, err));
    part->threads = thread;
    part->thread_count = tv_params_find(params, "thread", thread);
    TV_TRY(take_method(params, "root", index, &part->root, err));
    TV_TRY(take_method(params, "first", index, &part->first, err));
    TV_TRY(take_method(params, "until", index, &part->until, err));
    bool is_between = part->first != TV_NONE;
    if (is_between != (part->until != TV_NONE))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "first and until belong together");
    if (is_between &&
        (part->thread_count || part->root != TV_NONE || part->from_ns || part->to_ns != UINT64_MAX))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "first and until say which part, so no other parameter does");
    return TV_OK;
}

static enum tv_code add_trace(const struct tv_request *request, const struct tv_api_trace *trace,
                              struct tv_comparison *comparison, size_t run, struct tv_error *err)
{
    struct tv_run_part part;
    struct tv_str thread;
    struct tv_run_numbers numbers;
    TV_TRY(tv_check_wanted(request->api->is_unwanted, err));
    TV_TRY(take_part(&request->params, trace->index, &part, &thread, err));
    tv_run_numbers_init(&numbers, request->alloc);
    enum tv_code code = tv_run_part_take(&part, trace->index, request->api->pool, &numbers, err);
    if (code == TV_OK)
        code = tv_comparison_add(comparison, run, trace->index, &numbers, trace->file, err);
    tv_run_numbers_release(&numbers);
    return code;
}

/* The file's name outlives the trace, which may be closed before the answer is written. */
static enum tv_code add_closed(const struct tv_request *request, struct tv_str name,
                               struct tv_comparison *comparison, size_t run, struct tv_error *err)
{
    const struct tv_api_opener *opener = request->api->opener;
    struct tv_api_trace trace;
    TV_TRY(opener->open(opener->ctx, name, &trace, err));
    enum tv_code code = tv_arena_keep(request->arena, trace.file, &trace.file, err);
    if (code == TV_OK)
        code = add_trace(request, &trace, comparison, run, err);
    opener->close(opener->ctx, &trace);
    return code;
}

static enum tv_code compare(const struct tv_request *request, const struct tv_diff_sides *sides,
                            struct tv_comparison *comparison, struct tv_error *err)
{
    struct tv_comparison_opts opts = {.run_counts = {sides->counts[0], sides->counts[1]}};
    TV_TRY(tv_diff_opts_take(&request->params, &opts, err));
    TV_TRY(tv_comparison_begin(comparison, &opts, err));
    for (size_t i = 0; i < tv_comparison_run_count(comparison); i++)
        TV_TRY(sides->of[i] ? add_trace(request, sides->of[i], comparison, i, err)
                            : add_closed(request, sides->names[i], comparison, i, err));
    TV_TRY(tv_diff_refuse(tv_comparison_finish(comparison, err), err));
    return tv_comparison_write(comparison, &request->response->body,
                               tv_api_answer_limit(request->api), err);
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_diff_sides sides;
    struct tv_comparison comparison;
    TV_TRY(tv_diff_sides_take_closed(request->api, &request->params, &sides, err));
    if (!sides.counts[TV_SIDE_OLD])
        return tv_params_missing("old", err);
    tv_comparison_init(&comparison, request->alloc);
    enum tv_code code = compare(request, &sides, &comparison, err);
    tv_comparison_release(&comparison);
    return code;
}

static const char *const params[] = {"old", "new",    "clock", "by",    "least", "n", "from",
                                     "to",  "thread", "root",  "first", "until", NULL};

const struct tv_route tv_route_diff = {"diff", TV_TYPE_JSON, params, run};
