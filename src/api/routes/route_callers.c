/*
 * callers: who calls a method and what it calls, in the four groups that
 * analysis/profile/relations.h tells. A row of a group is an edge between two methods: its `calls`
 * are the calls along the edge, `of_calls` what they are a part of.
 */
#include "analysis/question/callers_question.h"
#include "api/answers.h"
#include "api/query.h"
#include "api/route.h"
#include "api/routes/answer_parts.h"
#include "base/error.h"

/* The cut is 0 unless it is given: the page shows all callers and cuts them itself, and only
 * programs ask for less. */
static enum tv_code take_question(const struct tv_params *params, const struct tv_index *index,
                                  struct tv_callers_question *question, struct tv_error *err)
{
    TV_TRY(tv_query_scope(params, index, &question->scope, err));
    TV_TRY(tv_query_idle(params, index, &question->scope, err));
    TV_TRY(tv_query_sort(params, index, TV_SORT_INCLUSIVE, question->scope.measure, &question->sort,
                         err));
    question->cut = 0;
    TV_TRY(tv_query_cut(params, &question->cut, err));
    return tv_query_method(params, "method", index, &question->method_ix, err);
}

/* Writes the rows of a group, and returns how many are left out. */
static size_t write_group(struct tv_answer_writer *writer, const struct tv_relation_rows *group,
                          enum tv_relation relation)
{
    struct tv_json *json = &writer->json;
    tv_json_key(json, tv_relation_name(relation));
    tv_json_open_array(json);
    size_t i = 0;
    for (; i < group->count && tv_writer_room(writer); i++) {
        const struct tv_relation_row *row = &group->rows[i];
        tv_json_open_object(json);
        tv_write_rank(writer, row->method);
        tv_json_key_u64(json, "calls", row->numbers.calls);
        tv_json_key_u64(json, "of_calls", row->of_calls);
        tv_write_numbers(writer, &row->numbers);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
    return group->count - i;
}

/* Writes the method's numbers, the groups, whose times are parts of these, and the methods that are
 * met: a method may stand in all groups. */
static enum tv_code write_answer(const struct tv_api *api, const struct tv_callers *callers,
                                 const struct tv_callers_question *question, struct tv_buffer *body,
                                 struct tv_error *err)
{
    uint32_t method_ix = question->method_ix;
    const struct tv_relations *relations = &callers->relations;
    struct tv_answer_writer writer;
    tv_writer_init(&writer, api, body);
    struct tv_json *json = &writer.json;
    tv_json_open_object(json);
    tv_write_basis(&writer, question->scope.measure);
    tv_write_idle(&writer, &question->scope);
    tv_write_scope_unrecorded(&writer, &question->scope);
    tv_write_times(&writer, "total", callers->profile.total_ns);
    tv_json_key(json, "method");
    tv_json_open_object(json);
    tv_write_rank(&writer, method_ix);
    tv_write_method_numbers(&writer, &callers->profile.rows[method_ix]);
    tv_json_close_object(json);
    tv_write_times(&writer, "self", relations->self.exclusive_ns);
    uint64_t left_out = 0;
    uint64_t filtered = 0;
    for (unsigned i = 0; i < TV_RELATION_COUNT; i++) {
        left_out += write_group(&writer, &relations->groups[i], (enum tv_relation)i);
        filtered += relations->groups[i].left_out_count;
    }
    if (filtered)
        tv_json_key_u64(json, "filtered", filtered);
    tv_write_named_methods(&writer);
    tv_write_left_out(&writer, left_out);
    tv_json_close_object(json);
    return tv_writer_finish(&writer, err);
}

/* `traceview callers --json` calls this too, with the question that its options make. */
enum tv_code tv_answer_callers(const struct tv_api *api, const struct tv_callers_question *question,
                               struct tv_buffer *body, struct tv_error *err)
{
    struct tv_callers callers;
    tv_callers_init(&callers, api->alloc);
    enum tv_code code =
        tv_callers_compute(&callers, tv_api_meant(api)->index, question, api->pool, err);
    if (code == TV_OK)
        code = write_answer(api, &callers, question, body, err);
    tv_callers_release(&callers);
    return code;
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_callers_question question;
    TV_TRY(take_question(&request->params, request->index, &question, err));
    return tv_answer_callers(request->api, &question, &request->response->body, err);
}

static const char *const params[] = {
    TV_SCOPE_PARAMS, TV_IDLE_PARAMS, TV_SORT_PARAMS, "drop", "cut", "method", NULL};

const struct tv_route tv_route_callers = {"callers", TV_TYPE_JSON, params, run};
