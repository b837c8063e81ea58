/*
 * top: the methods of the profile, or their classes or packages, sorted, filtered and cut to a
 * slice. Rows are made by analysis/question/top_question.h; this file reads the question out of a
 * request and writes the rows as JSON.
 */
#include "analysis/calls/call_steps.h"
#include "analysis/question/top_question.h"
#include "api/answers.h"
#include "api/query.h"
#include "api/route.h"
#include "api/routes/answer_parts.h"
#include "base/error.h"

#define DEFAULT_COUNT 20u

/* Reads which rows are asked for. Ranks name methods, so groups can neither list them nor be sorted
 * by them. */
static enum tv_code take_rows(const struct tv_params *params, struct tv_top_question *question,
                              struct tv_error *err)
{
    static const char *const kinds[] = {"class", "package"};
    struct tv_str text;
    unsigned kind = 0;
    uint64_t parts = 0;
    bool is_grouped = tv_params_find(params, "group", &text);
    TV_TRY(tv_params_choice(params, "group", kinds, TV_COUNT_OF(kinds), &kind, err));
    TV_TRY(tv_params_u64(params, "parts", 0, UINT32_MAX, &parts, err));
    question->package_parts = (uint32_t)parts;
    question->rows = TV_TOP_METHODS;
    if (is_grouped)
        question->rows = kind == 0 ? TV_TOP_CLASSES : TV_TOP_PACKAGES;
    if (is_grouped && (question->has_ranks || question->sort.key == TV_SORT_RANK))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "groups have no ranks");
    return TV_OK;
}

/* Totals of a set count each call once, even where methods of the set call each other; rows of
 * classes and packages are sums already, and have no such set. */
static enum tv_code take_set(const struct tv_params *params, struct tv_top_question *question,
                             struct tv_error *err)
{
    static const char *const words[TV_TOP_SET_COUNT] = {
        [TV_TOP_NO_SET] = "0", [TV_TOP_SET_OF_ALL] = "1", [TV_TOP_SET_OF_SLICE] = "page"};
    unsigned choice = TV_TOP_NO_SET;
    TV_TRY(tv_params_choice(params, "set", words, TV_TOP_SET_COUNT, &choice, err));
    question->set = (enum tv_top_set)choice;
    if (question->set == TV_TOP_SET_OF_SLICE && question->rows != TV_TOP_METHODS)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "groups have no set of a page");
    return TV_OK;
}

/* Fills the question from the query; what is not given is as docs/api.md says. */
static enum tv_code take_question(const struct tv_params *params, const struct tv_index *index,
                                  struct tv_top_question *question, struct tv_error *err)
{
    *question = (struct tv_top_question){.slice = {.count = DEFAULT_COUNT}};
    TV_TRY(tv_query_scope(params, index, &question->scope, err));
    TV_TRY(tv_query_idle(params, index, &question->scope, err));
    TV_TRY(tv_query_sort(params, index, TV_SORT_EXCLUSIVE, question->scope.measure, &question->sort,
                         err));
    TV_TRY(tv_query_slice(params, &question->slice, err));
    TV_TRY(tv_query_cut(params, &question->cut, err));
    TV_TRY(tv_params_truth(params, "ranks", &question->has_ranks, err));
    TV_TRY(tv_params_truth(params, "overhead", &question->has_overhead, err));
    TV_TRY(tv_params_truth(params, "allocated", &question->has_allocated, err));
    TV_TRY(tv_params_truth(params, "stayed", &question->has_stayed, err));
    TV_TRY(take_rows(params, question, err));
    TV_TRY(take_set(params, question, err));
    return tv_params_truth(params, "per_call", &question->has_percentiles, err);
}

/* Each of these writes a list, and returns how many of its rows are left out. */

/* Writes where each method stands, so that a slice of the rows can be asked for by place. */
static size_t write_ranks(struct tv_answer_writer *writer, const struct tv_top *top)
{
    size_t i = 0;
    tv_json_key(&writer->json, "ranks");
    tv_json_open_array(&writer->json);
    for (; i < top->count && tv_writer_room(writer); i++)
        tv_json_u64(&writer->json, writer->index->methods[top->methods[i]].rank);
    tv_json_close_array(&writer->json);
    return top->count - i;
}

/* An estimate with its margin. The margin is there only where leaf calls were cheap enough to tell
 * it (analysis/profile/overhead.h). */
static void write_overhead(struct tv_json *json, const struct tv_record_cost *cost,
                           const struct tv_top_overhead *overhead)
{
    tv_json_key_u64(json, "overhead_ns", overhead->part.ns);
    if (cost->has_margin) {
        tv_json_key_u64(json, "overhead_least_ns", overhead->part.least_ns);
        tv_json_key_u64(json, "overhead_most_ns", overhead->part.most_ns);
    }
    if (overhead->is_most)
        tv_json_key_truth(json, "mostly_overhead", true);
}

/* Overhead and percentiles are there for rows of the slice only, so they are found by the place in
 * the slice. */
static size_t write_methods(struct tv_answer_writer *writer, const struct tv_top *top)
{
    struct tv_json *json = &writer->json;
    tv_json_key(json, "methods");
    tv_json_open_array(json);
    size_t i = 0;
    for (; i < top->slice.len && tv_writer_room(writer); i++) {
        uint32_t method = top->methods[top->slice.first + i];
        tv_json_open_object(json);
        tv_write_method(writer, method);
        tv_write_method_numbers(writer, &top->profile.rows[method]);
        if (top->overhead)
            write_overhead(json, &top->record_cost, &top->overhead[i]);
        if (top->stayed_ns)
            tv_json_key_u64(json, "stayed_ns", top->stayed_ns[method]);
        if (top->allocated) {
            tv_json_key_u64(json, "allocated_bytes", top->allocated[method].own);
            tv_json_key_u64(json, "allocated_bytes_with_callees", top->allocated[method].all);
        }
        if (top->percentiles)
            tv_write_percentiles(writer, "per_call", &top->percentiles[i]);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
    return top->slice.len - i;
}

/* A group has a name and numbers, and no rank by which one could ask for it. */
static size_t write_groups(struct tv_answer_writer *writer, const struct tv_top *top)
{
    struct tv_json *json = &writer->json;
    tv_json_key(json, "groups");
    tv_json_open_array(json);
    size_t i = 0;
    for (; i < top->slice.len && tv_writer_room(writer); i++) {
        const struct tv_group_row *row = &top->groups.rows[top->slice.first + i];
        tv_json_open_object(json);
        tv_write_text(writer, "name", row->name);
        tv_json_key_u64(json, "methods", row->methods);
        tv_json_key_u64(json, "calls", row->numbers.calls);
        tv_write_numbers(writer, &row->numbers);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
    return top->slice.len - i;
}

/* The rows as one: inclusive time counts once where they call each other. */
static void write_set(struct tv_answer_writer *writer, const struct tv_set_totals *set)
{
    struct tv_json *json = &writer->json;
    tv_json_key(json, "set");
    tv_json_open_object(json);
    tv_json_key_u64(json, "methods", set->methods);
    tv_json_key_u64(json, "calls", set->numbers.calls);
    tv_write_numbers(writer, &set->numbers);
    tv_json_close_object(json);
}

/* Totals come before the rows: a reader makes shares of them as the rows come. */
static enum tv_code write_answer(const struct tv_api *api, const struct tv_top_question *question,
                                 const struct tv_top *top, struct tv_buffer *body,
                                 struct tv_error *err)
{
    struct tv_answer_writer writer;
    tv_writer_init(&writer, api, body);
    struct tv_json *json = &writer.json;
    tv_json_open_object(json);
    tv_write_basis(&writer, question->scope.measure);
    tv_write_idle(&writer, &question->scope);
    tv_write_scope_unrecorded(&writer, &question->scope);
    tv_write_times(&writer, "total", top->profile.total_ns);
    if (question->scope.methods.hidden.len)
        tv_write_times(&writer, "hidden", top->profile.hidden_ns);
    tv_json_key_u64(json, "count", top->count);
    if (question->scope.selection.set)
        tv_json_key_u64(json, "chosen",
                        tv_call_set_count(tv_api_meant(api)->index, &question->scope.selection));
    if (question->set != TV_TOP_NO_SET)
        write_set(&writer, &top->set);
    uint64_t left_out = question->has_ranks ? write_ranks(&writer, top) : 0;
    left_out +=
        question->rows == TV_TOP_METHODS ? write_methods(&writer, top) : write_groups(&writer, top);
    tv_write_left_out(&writer, left_out);
    tv_json_close_object(json);
    return tv_writer_finish(&writer, err);
}

/* `traceview top --json` calls this too, so that the command and the page cannot disagree. */
enum tv_code tv_answer_top(const struct tv_api *api, const struct tv_top_question *question,
                           struct tv_buffer *body, struct tv_error *err)
{
    struct tv_top top;
    tv_top_init(&top, api->alloc);
    enum tv_code code = tv_top_compute(&top, tv_api_meant(api)->index, question, api->pool, err);
    if (code == TV_OK)
        code = write_answer(api, question, &top, body, err);
    tv_top_release(&top);
    return code;
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_top_question question;
    TV_TRY(take_question(&request->params, request->index, &question, err));
    return tv_answer_top(request->api, &question, &request->response->body, err);
}

static const char *const params[] = {TV_SCOPE_PARAMS, TV_IDLE_PARAMS,  "drop",     "cut",
                                     TV_SORT_PARAMS,  TV_SLICE_PARAMS, "per_call", "ranks",
                                     "overhead",      "allocated",     "stayed",   "group",
                                     "parts",         "set",           NULL};

const struct tv_route tv_route_top = {"top", TV_TYPE_JSON, params, run};
