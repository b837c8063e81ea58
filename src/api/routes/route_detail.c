/*
 * detail: where the time of a call, a method or a scope went, and what it waited for. The rows are
 * made by analysis/question/detail_question.h.
 */
#include "analysis/question/detail_question.h"
#include "api/query.h"
#include "api/route.h"
#include "api/routes/answer_parts.h"
#include "base/error.h"

static const char *const subject_names[] = {
    [TV_DETAIL_SCOPE] = "scope", [TV_DETAIL_METHOD] = "method", [TV_DETAIL_CALL] = "call"};

/* A place names a call, else a method is asked about, else all that the scope has. */
static enum tv_code take_question(const struct tv_params *params, const struct tv_index *index,
                                  struct tv_detail_question *question, struct tv_error *err)
{
    struct tv_str text;
    bool has_method = tv_params_find(params, "method", &text);
    *question = (struct tv_detail_question){.subject = TV_DETAIL_SCOPE};
    TV_TRY(tv_query_scope(params, index, &question->scope, err));
    TV_TRY(tv_query_idle(params, index, &question->scope, err));
    if (tv_params_find(params, "thread", &text) || tv_params_find(params, "depth", &text) ||
        tv_params_find(params, "call", &text)) {
        if (has_method)
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "either a call or a method");
        question->subject = TV_DETAIL_CALL;
        return tv_query_call(params, index, &question->call, err);
    }
    if (!has_method)
        return TV_OK;
    question->subject = TV_DETAIL_METHOD;
    return tv_query_method(params, "method", index, &question->method_ix, err);
}

/* Writes where the longest call is, as the route `call` takes it, and when it was. */
static void write_longest(struct tv_answer_writer *writer, const struct tv_detail_row *row)
{
    const struct tv_index *index = writer->index;
    const struct tv_call_ref ref = row->longest;
    struct tv_json *json = &writer->json;
    if (!tv_call_is(ref))
        return;
    const struct tv_index_thread *thread = &index->threads[ref.thread_ix];
    enum tv_clock axis = tv_index_axis(index);
    uint64_t start = tv_index_start(index, thread, axis, ref.call);
    uint64_t duration = tv_index_duration(index, thread, axis, ref.call);
    tv_json_key(json, "longest");
    tv_json_open_object(json);
    tv_json_key_u64(json, "thread", thread->id);
    tv_json_key_u64(json, "depth", ref.depth);
    tv_json_key_u64(json, "call", tv_call_ordinal_in_row(index, ref));
    tv_json_key_u64(json, "start_ns", start * index->info->unit_ns);
    tv_json_key_u64(json, "end_ns", (start + duration) * index->info->unit_ns);
    tv_json_key_u64(json, "ns", row->longest_ns);
    tv_json_close_object(json);
}

/* Members that only some rows have (wait, steps passed on, longest call) are left out where they
 * say nothing. */
static void write_rows(struct tv_answer_writer *writer, const char *key,
                       const struct tv_detail_rows *rows)
{
    struct tv_json *json = &writer->json;
    tv_json_key(json, key);
    tv_json_open_array(json);
    for (size_t i = 0; i < rows->count; i++) {
        const struct tv_detail_row *row = &rows->of[i];
        tv_json_open_object(json);
        tv_write_rank(writer, row->method_ix);
        tv_json_key_u64(json, "calls", row->numbers.calls);
        tv_write_numbers(writer, &row->numbers);
        if (row->wait_ns)
            tv_json_key_u64(json, "wait_ns", row->wait_ns);
        if (row->passed_on)
            tv_json_key_u64(json, "passed_on", row->passed_on);
        write_longest(writer, row);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}

/* What the longest rows do not show, as one row of its own, so that the shares still add up to the
 * whole. */
static void write_rest(struct tv_answer_writer *writer, const char *key,
                       const struct tv_detail_rest *rest)
{
    struct tv_json *json = &writer->json;
    if (!rest->methods)
        return;
    tv_json_key(json, key);
    tv_json_open_object(json);
    tv_json_key_u64(json, "methods", rest->methods);
    tv_json_key_u64(json, "ns", rest->ns);
    tv_json_close_object(json);
}

/* The methods of all rows come last, when it is known which ranks were written. */
static enum tv_code write_answer(struct tv_request *request,
                                 const struct tv_detail_question *question,
                                 const struct tv_detail *detail, struct tv_error *err)
{
    struct tv_answer_writer writer;
    struct tv_json *json = &writer.json;
    tv_writer_init(&writer, request->api, &request->response->body);
    tv_json_open_object(json);
    tv_write_basis(&writer, question->scope.measure);
    tv_write_idle(&writer, &question->scope);
    tv_json_key_text(json, "subject", subject_names[question->subject]);
    tv_write_times(&writer, "total", detail->total_ns);
    tv_json_key_u64(json, "calls", detail->numbers.calls);
    tv_write_numbers(&writer, &detail->numbers);
    tv_write_times(&writer, "self", detail->self_ns);
    write_rows(&writer, "parts", &detail->parts);
    tv_json_key_u64(json, "more_parts", detail->more_parts);
    write_rows(&writer, "path", &detail->path);
    write_rows(&writer, "waits", &detail->waits);
    write_rest(&writer, "more_waits", &detail->more_waits);
    write_rest(&writer, "small_waits", &detail->small_waits);
    if (detail->hidden_wait_ns)
        tv_json_key_u64(json, "hidden_wait_ns", detail->hidden_wait_ns);
    if (tv_index_has_wait(writer.index))
        tv_write_unrecorded(&writer, detail->unrecorded_ns);
    tv_write_methods_apart(&writer);
    tv_json_close_object(json);
    return tv_writer_finish(&writer, err);
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_detail_question question;
    struct tv_detail detail;
    TV_TRY(take_question(&request->params, request->index, &question, err));
    TV_TRY(tv_detail_compute(&detail, request->index, &question, request->alloc, request->api->pool,
                             err));
    return write_answer(request, &question, &detail, err);
}

static const char *const params[] = {TV_SCOPE_PARAMS, TV_IDLE_PARAMS, TV_PLACE_PARAMS, "method",
                                     NULL};

const struct tv_route tv_route_detail = {"detail", TV_TYPE_JSON, params, run};
