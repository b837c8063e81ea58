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

/* A question about traces, which are taken one after the other. */
struct asking {
    const struct tv_request *request;
    struct tv_diff_sides sides;
    struct tv_hand_matches matches;
    struct tv_comparison comparison;
    struct tv_run_method root, first, until;
};

/* Methods and threads are found in each trace anew. */
static enum tv_code take_part(struct asking *asking, const struct tv_index *index,
                              struct tv_run_part *part, struct tv_str *thread, struct tv_error *err)
{
    const struct tv_params *params = &asking->request->params;
    *part = tv_run_part_all();
    TV_TRY(tv_params_u64(params, "from", 0, INT64_MAX, &part->from_ns, err));
    TV_TRY(tv_params_u64(params, "to", 0, INT64_MAX, &part->to_ns, err));
    part->threads = thread;
    part->thread_count = tv_params_find(params, "thread", thread);
    TV_TRY(tv_query_run_method(params, "root", index, &asking->root, &part->root, err));
    TV_TRY(tv_query_run_method(params, "first", index, &asking->first, &part->first, err));
    TV_TRY(tv_query_run_method(params, "until", index, &asking->until, &part->until, err));
    bool is_between = part->first != TV_NONE;
    if (is_between != (part->until != TV_NONE))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "first and until belong together");
    if (is_between &&
        (part->thread_count || part->root != TV_NONE || part->from_ns || part->to_ns != UINT64_MAX))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "first and until say which part, so no other parameter does");
    return TV_OK;
}

static enum tv_code add_index(struct asking *asking, const struct tv_index *index,
                              struct tv_str file, size_t run, struct tv_error *err)
{
    const struct tv_request *request = asking->request;
    struct tv_run_part part;
    struct tv_str thread;
    struct tv_run_numbers numbers;
    TV_TRY(tv_check_wanted(request->api->is_unwanted, err));
    TV_TRY(take_part(asking, index, &part, &thread, err));
    tv_run_numbers_init(&numbers, request->alloc);
    enum tv_code code = tv_run_part_take(&part, index, request->api->pool, &numbers, err);
    if (code == TV_OK)
        code = tv_comparison_add(&asking->comparison, run, index, &numbers, file, err);
    tv_run_numbers_release(&numbers);
    return code;
}

/* An old trace is added under the names that methods are matched by. */
static enum tv_code add_run(struct asking *asking, const struct tv_api_trace *trace, size_t run,
                            struct tv_error *err)
{
    struct tv_matched_index old_index;
    if (run >= asking->sides.counts[TV_SIDE_OLD])
        return add_index(asking, trace->index, trace->file, run, err);
    tv_matched_index_init(&old_index, asking->request->alloc);
    enum tv_code code = tv_matched_index_make(&old_index, &asking->matches, trace->index, err);
    if (code == TV_OK)
        code = add_index(asking, &old_index.index, trace->file, run, err);
    tv_matched_index_release(&old_index);
    return code;
}

/* Takes the names of methods that are matched from a new trace. */
static enum tv_code name_run(struct asking *asking, const struct tv_api_trace *trace, size_t run,
                             struct tv_error *err)
{
    return run < asking->sides.counts[TV_SIDE_OLD]
               ? TV_OK
               : tv_hand_matches_look(&asking->matches, trace->index, err);
}

typedef enum tv_code take_fn(struct asking *asking, const struct tv_api_trace *trace, size_t run,
                             struct tv_error *err);

/* The file's name outlives the trace, which may be closed before the answer is written. */
static enum tv_code take_closed(struct asking *asking, size_t run, take_fn *take,
                                struct tv_error *err)
{
    const struct tv_api_opener *opener = asking->request->api->opener;
    struct tv_api_trace trace;
    TV_TRY(opener->open(opener->ctx, asking->sides.names[run], &trace, err));
    enum tv_code code = tv_arena_keep(asking->request->arena, trace.file, &trace.file, err);
    if (code == TV_OK)
        code = take(asking, &trace, run, err);
    opener->close(opener->ctx, &trace);
    return code;
}

/* Takes the traces from `first` on. */
static enum tv_code take_runs(struct asking *asking, size_t first, take_fn *take,
                              struct tv_error *err)
{
    for (size_t i = first; i < tv_comparison_run_count(&asking->comparison); i++) {
        const struct tv_api_trace *trace = asking->sides.of[i];
        TV_TRY(trace ? take(asking, trace, i, err) : take_closed(asking, i, take, err));
    }
    return TV_OK;
}

/* New traces tell the names first, since old ones are added under these. */
static enum tv_code compare(struct asking *asking, struct tv_error *err)
{
    const struct tv_request *request = asking->request;
    const size_t *counts = asking->sides.counts;
    struct tv_comparison *comparison = &asking->comparison;
    struct tv_comparison_opts opts = {.run_counts = {counts[TV_SIDE_OLD], counts[TV_SIDE_NEW]}};
    TV_TRY(tv_diff_opts_take(&request->params, &opts, err));
    TV_TRY(tv_diff_matches_take(&request->params, &asking->matches, err));
    TV_TRY(tv_comparison_begin(comparison, &opts, err));
    if (asking->matches.count)
        TV_TRY(take_runs(asking, counts[TV_SIDE_OLD], name_run, err));
    TV_TRY(tv_hand_matches_check(&asking->matches, TV_SIDE_NEW, err));
    TV_TRY(take_runs(asking, 0, add_run, err));
    TV_TRY(tv_hand_matches_check(&asking->matches, TV_SIDE_OLD, err));
    TV_TRY(tv_diff_refuse(tv_comparison_finish(comparison, err), err));
    return tv_comparison_write(comparison, &request->response->body,
                               tv_api_answer_limit(request->api), err);
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct asking asking = {.request = request};
    TV_TRY(tv_diff_sides_take_closed(request->api, &request->params, &asking.sides, err));
    if (!asking.sides.counts[TV_SIDE_OLD])
        return tv_params_missing("old", err);
    tv_hand_matches_init(&asking.matches, request->alloc);
    tv_comparison_init(&asking.comparison, request->alloc);
    tv_run_method_init(&asking.root, request->alloc);
    tv_run_method_init(&asking.first, request->alloc);
    tv_run_method_init(&asking.until, request->alloc);
    enum tv_code code = compare(&asking, err);
    tv_run_method_release(&asking.until);
    tv_run_method_release(&asking.first);
    tv_run_method_release(&asking.root);
    tv_comparison_release(&asking.comparison);
    tv_hand_matches_release(&asking.matches);
    return code;
}

static const char *const params[] = {"old", "new",    "clock", "by",    "least", "n",       "from",
                                     "to",  "thread", "root",  "first", "until", "matched", NULL};

const struct tv_route tv_route_diff = {"diff", TV_TYPE_JSON, params, run};
