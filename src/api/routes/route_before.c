/*
 * before: what methods of the trace that is meant were in an older one, in the same part of it
 * (api/trace_pair.h): the methods of a table, or, with a path, those that stand at one place of the
 * calling context tree (compare/place_rows.h). Methods of both are one where class, name and
 * signature are, without what virtual machines number (compare/method_join.h).
 */
#include "analysis/profile/profile.h"
#include "analysis/selection/method_by_name.h"
#include "api/query.h"
#include "api/route.h"
#include "api/routes/answer_parts.h"
#include "api/trace_pair.h"
#include "base/error.h"
#include "compare/comparison.h"
#include "compare/method_join.h"
#include "compare/place_rows.h"

#define PATH_LIMIT 256u
#define RANKS_MOST 2000u

struct question {
    struct tv_trace_pair pair;
    bool is_place; /* of the tree, and not of the table */
    struct tv_branch branch;
    uint32_t *steps; /* of the branch: places in `paths` */
    uint64_t *ranks;
    size_t rank_count;
    struct tv_join paths;              /* the methods of the path; used where there is one */
    struct tv_join join;               /* of both sides */
    uint64_t total_ns[TV_CLOCK_COUNT]; /* of the old side */
};

static enum tv_code take_question(const struct tv_request *request, struct question *question,
                                  struct tv_error *err)
{
    const struct tv_params *params = &request->params;
    struct tv_str text;
    TV_TRY(tv_trace_pair_take(request, &question->pair, err));
    question->is_place = tv_params_find(params, "path", &text);
    TV_TRY(tv_query_branch(params, request->index, PATH_LIMIT, &question->branch, err));
    TV_TRY(tv_params_list(params, "ranks", ',', &question->ranks, &question->rank_count, err));
    if (question->rank_count > RANKS_MOST)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "more than %u ranks", RANKS_MOST);
    return tv_arena_take(request->arena, (question->branch.path_len + 1) * sizeof(uint32_t),
                         &question->steps, err);
}

/* Numbers the methods of the path. */
static enum tv_code join_path(const struct tv_request *request, struct question *question,
                              struct tv_error *err)
{
    const struct tv_index *index = request->index;
    const struct tv_branch *branch = &question->branch;
    struct tv_method_row *rows;
    TV_TRY(tv_alloc_new(request->alloc, &rows, index->method_count, sizeof(*rows), err));
    for (size_t i = 0; i < branch->path_len; i++)
        rows[branch->path[i]].numbers.calls = 1;
    tv_join_begin(&question->paths, 1);
    enum tv_code code = tv_join_add(&question->paths, 0, index, rows, err);
    tv_alloc_release(request->alloc, &rows, index->method_count, sizeof(*rows));
    for (size_t i = 0; code == TV_OK && i < branch->path_len; i++)
        code = tv_join_find(&question->paths, index, branch->path[i], &question->steps[i], err);
    return code;
}

static enum tv_code number_methods(struct question *question, const struct tv_index *index,
                                   uint32_t *step_of, struct tv_error *err)
{
    for (uint32_t i = 0; i < index->method_count; i++)
        TV_TRY(tv_join_find(&question->paths, index, i, &step_of[i], err));
    return TV_OK;
}

static enum tv_code add_place(const struct tv_request *request, struct question *question,
                              enum tv_side side, const struct tv_sums *sums, struct tv_error *err)
{
    const size_t count = sums->index->method_count;
    struct tv_method_row *rows = NULL;
    uint32_t *step_of = NULL;
    enum tv_code code = tv_alloc_new(request->alloc, &step_of, count, sizeof(*step_of), err);
    if (code == TV_OK)
        code = tv_alloc_new(request->alloc, &rows, count, sizeof(*rows), err);
    if (code == TV_OK)
        code = number_methods(question, sums->index, step_of, err);
    const struct tv_tree_place place = {.direction = question->branch.direction,
                                        .steps = question->steps,
                                        .len = question->branch.path_len,
                                        .step_of = step_of};
    if (code == TV_OK)
        code = tv_place_rows(&place, sums, rows, err);
    if (code == TV_OK)
        code = tv_join_add(&question->join, side, sums->index, rows, err);
    tv_alloc_release(request->alloc, &rows, count, sizeof(*rows));
    tv_alloc_release(request->alloc, &step_of, count, sizeof(*step_of));
    return code;
}

static enum tv_code add_table(const struct tv_request *request, struct question *question,
                              enum tv_side side, const struct tv_sums *sums, struct tv_error *err)
{
    struct tv_profile profile;
    tv_profile_init(&profile, request->alloc);
    enum tv_code code = tv_profile_of_sums(&profile, sums, err);
    if (code == TV_OK)
        code = tv_join_add(&question->join, side, sums->index, profile.rows, err);
    tv_profile_release(&profile);
    return code;
}

/* A pattern chooses rows of a table, and stacks of a tree. */
static enum tv_code add_side(const struct tv_request *request, struct question *question,
                             enum tv_side side, struct tv_error *err)
{
    struct tv_scope scope = question->pair.scopes[side];
    struct tv_stacks stacks;
    if (!question->is_place)
        scope.methods.pattern_count = 0;
    tv_stacks_init(&stacks, request->alloc);
    enum tv_code code =
        tv_stacks_compute(&stacks, question->pair.of[side]->index, &scope, request->api->pool, err);
    if (code == TV_OK && stacks.filter.hidden)
        code = tv_sums_hide(&stacks.sums, stacks.filter.hidden, 0, err);
    if (code == TV_OK)
        code = question->is_place ? add_place(request, question, side, &stacks.sums, err)
                                  : add_table(request, question, side, &stacks.sums, err);
    for (unsigned clock = 0; code == TV_OK && side == TV_SIDE_OLD && clock < TV_CLOCK_COUNT;
         clock++)
        question->total_ns[clock] = stacks.sums.total_ns[clock];
    tv_stacks_release(&stacks);
    return code;
}

/* Whether counts of both are those of their programs, else why not. */
static void write_counts(struct tv_answer_writer *writer, const struct tv_trace_pair *pair)
{
    struct tv_error why;
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        if (tv_run_counts_check(pair->of[side]->index, &why) != TV_OK) {
            tv_json_key_text(&writer->json, "no_counts", why.text);
            return;
        }
    }
}

/* A method of which several of one trace are one has no numbers of its own. */
static enum tv_code write_method(struct tv_answer_writer *writer, struct question *question,
                                 uint64_t rank, struct tv_error *err)
{
    const struct tv_index *index = question->pair.of[TV_SIDE_NEW]->index;
    uint32_t method;
    uint32_t place;
    TV_TRY(tv_method_by_rank(index, rank, &method, err));
    TV_TRY(tv_join_find(&question->join, index, method, &place, err));
    if (place == TV_NONE)
        return TV_OK;
    const struct tv_joined_method *joined = &question->join.methods[place];
    const struct tv_method_row *row = tv_join_row(&question->join, place, TV_SIDE_OLD);
    if (!joined->is_merged && !tv_method_row_has(row))
        return TV_OK;
    tv_json_open_object(&writer->json);
    tv_json_key_u64(&writer->json, "rank", rank);
    if (joined->is_merged)
        tv_json_key_truth(&writer->json, "merged", true);
    else
        tv_write_method_numbers(writer, row);
    tv_json_close_object(&writer->json);
    return TV_OK;
}

static enum tv_code write_methods(struct tv_answer_writer *writer, struct question *question,
                                  struct tv_error *err)
{
    size_t i = 0;
    tv_json_key(&writer->json, "methods");
    tv_json_open_array(&writer->json);
    for (; i < question->rank_count && tv_writer_room(writer); i++)
        TV_TRY(write_method(writer, question, question->ranks[i], err));
    tv_json_close_array(&writer->json);
    tv_write_left_out(writer, question->rank_count - i);
    return TV_OK;
}

/* Times are those of the old trace, on its clocks. */
static enum tv_code write_answer(const struct tv_request *request, struct question *question,
                                 struct tv_error *err)
{
    struct tv_answer_writer writer;
    tv_writer_init(&writer, request->api, &request->response->body);
    writer.index = question->pair.of[TV_SIDE_OLD]->index;
    tv_json_open_object(&writer.json);
    tv_write_text(&writer, "file", question->pair.of[TV_SIDE_OLD]->file);
    write_counts(&writer, &question->pair);
    tv_write_times(&writer, "total", question->total_ns);
    enum tv_code code = write_methods(&writer, question, err);
    if (code != TV_OK) {
        tv_writer_release(&writer);
        return code;
    }
    tv_json_close_object(&writer.json);
    return tv_writer_finish(&writer, err);
}

static enum tv_code answer(struct tv_request *request, struct question *question,
                           struct tv_error *err)
{
    TV_TRY(take_question(request, question, err));
    tv_join_begin(&question->join, TV_SIDE_COUNT);
    if (question->is_place)
        TV_TRY(join_path(request, question, err));
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        TV_TRY(add_side(request, question, (enum tv_side)side, err));
    return write_answer(request, question, err);
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct question question = {.ranks = NULL};
    tv_trace_pair_init(&question.pair, request->alloc);
    tv_join_init(&question.paths, request->alloc);
    tv_join_init(&question.join, request->alloc);
    enum tv_code code = answer(request, &question, err);
    tv_join_release(&question.join);
    tv_join_release(&question.paths);
    tv_trace_pair_release(&question.pair);
    return code;
}

static const char *const params[] = {TV_TRACE_PAIR_PARAMS, TV_BRANCH_PARAMS, "ranks", NULL};

const struct tv_route tv_route_before = {"before", TV_TYPE_JSON, params, run};
