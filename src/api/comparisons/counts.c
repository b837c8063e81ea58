/*
 * counts: the call lockfile of some traces (compare/call_lock.h), or with old ones what differs
 * from theirs, as `traceview counts --check` tells it. The lockfile is a text of the answer, byte
 * for byte what the command writes, so that it can be committed.
 */
#include "api/comparisons/counts.h"

#include "api/diff_query.h"
#include "api/query.h"
#include "api/route.h"
#include "base/text/json.h"
#include "compare/comparison.h"
#include "compare/counted_runs.h"

/* Always a pair; a method that the lock or the run lacks was called 0 times there. */
static void write_range(struct tv_json *json, const char *key, const struct tv_lock_line *line)
{
    tv_json_key(json, key);
    tv_json_open_array(json);
    tv_json_u64(json, line ? line->least : 0);
    tv_json_u64(json, line ? line->most : 0);
    tv_json_close_array(json);
}

static enum tv_code write_difference(struct tv_json *json,
                                     const struct tv_lock_difference *difference,
                                     struct tv_buffer *name, struct tv_error *err)
{
    TV_TRY(tv_lock_difference_name(difference, name, err));
    tv_json_open_object(json);
    tv_json_key_str(json, "method", tv_buffer_view(name));
    tv_json_key_text(json, "is", tv_lock_change_words[difference->change]);
    write_range(json, "locked", difference->locked);
    write_range(json, "calls", difference->run);
    tv_json_close_object(json);
    return TV_OK;
}

enum tv_code tv_answer_lock_changes(const struct tv_lock_changes *changes,
                                    const struct tv_call_lock *locked, struct tv_str of,
                                    struct tv_buffer *body, size_t limit, struct tv_error *err)
{
    const size_t most = limit - limit / 4;
    struct tv_json json;
    struct tv_buffer name;
    enum tv_code code = TV_OK;
    size_t i = 0;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_buffer_init(&name, changes->alloc);
    tv_json_open_object(&json);
    tv_json_key_str(&json, "lock", of);
    tv_json_key_u64(&json, "runs", locked->runs);
    tv_json_key_u64(&json, "methods", locked->count);
    tv_json_key_u64(&json, "differ", changes->broken);
    tv_json_key(&json, "differences");
    tv_json_open_array(&json);
    for (; code == TV_OK && i < changes->count && body->len + json.len < most; i++)
        code = write_difference(&json, &changes->of[i], &name, err);
    tv_json_close_array(&json);
    if (i < changes->count)
        tv_json_key_u64(&json, "left_out", changes->count - i);
    tv_json_close_object(&json);
    tv_buffer_release(&name);
    return code == TV_OK ? tv_json_finish(&json, err) : code;
}

/* What is asked: traces, and what of them is counted. */
struct question {
    struct tv_diff_sides sides;
    struct tv_lock_subject subject;
    struct tv_run_method from, until, per;
};

static enum tv_code take_question(const struct tv_request *request, struct question *question,
                                  struct tv_error *err)
{
    const struct tv_params *params = &request->params;
    struct tv_lock_subject *subject = &question->subject;
    TV_TRY(tv_diff_sides_take(request->api, params, &question->sides, err));
    (void)tv_params_find(params, "mine", &subject->mine);
    (void)tv_params_find(params, "first", &subject->from);
    (void)tv_params_find(params, "until", &subject->until);
    (void)tv_params_find(params, "per", &subject->per);
    if (!subject->from.len != !subject->until.len)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "first and until belong together");
    if (subject->from.len && subject->per.len)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "first with until, and per, are two ways to count");
    return TV_OK;
}

static enum tv_code count_trace(const struct tv_request *request, struct question *question,
                                const struct tv_api_trace *trace, struct tv_counted_runs *runs,
                                size_t run, struct tv_error *err)
{
    const struct tv_lock_subject *subject = &question->subject;
    const struct tv_index *index = trace->index;
    struct tv_call_counts_opts opts = {.mine = subject->mine};
    struct tv_error why = {.code = TV_OK};
    TV_TRY(tv_check_wanted(request->api->is_unwanted, err));
    if (tv_run_counts_check(index, &why) != TV_OK)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%.*s %s", tv_str_shown_len(trace->file),
                       trace->file.at, why.text);
    TV_TRY(tv_query_run_method(&request->params, "first", index, &question->from, &opts.from, err));
    TV_TRY(
        tv_query_run_method(&request->params, "until", index, &question->until, &opts.until, err));
    TV_TRY(tv_query_run_method(&request->params, "per", index, &question->per, &opts.per, err));
    return tv_counted_runs_add(runs, run, index, &opts, trace->file, err);
}

/* The lock of the traces of a side. */
static enum tv_code lock_side(const struct tv_request *request, struct question *question,
                              enum tv_side side, struct tv_call_lock *lock, struct tv_error *err)
{
    const struct tv_diff_sides *sides = &question->sides;
    const size_t first = side == TV_SIDE_NEW ? sides->counts[TV_SIDE_OLD] : 0;
    struct tv_counted_runs runs;
    enum tv_code code = TV_OK;
    tv_counted_runs_init(&runs, request->alloc);
    tv_counted_runs_begin(&runs, sides->counts[side]);
    for (size_t i = 0; code == TV_OK && i < sides->counts[side]; i++)
        code = count_trace(request, question, sides->of[first + i], &runs, i, err);
    struct tv_lock_subject subject = question->subject;
    subject.from = tv_run_method_source(&question->from, subject.from);
    subject.until = tv_run_method_source(&question->until, subject.until);
    subject.per = tv_run_method_source(&question->per, subject.per);
    if (code == TV_OK)
        code = tv_diff_refuse(tv_counted_runs_lock(&runs, &subject, lock, err), err);
    tv_counted_runs_release(&runs);
    return code;
}

/* {"runs", "methods", "lock"}; a lockfile is whole or not there. */
static enum tv_code write_lock(const struct tv_request *request, const struct tv_call_lock *lock,
                               struct tv_error *err)
{
    struct tv_buffer *body = &request->response->body;
    struct tv_json json;
    struct tv_buffer text;
    tv_buffer_init(&text, request->alloc);
    enum tv_code code = tv_call_lock_write(lock, tv_buffer_sink(&text), err);
    if (code == TV_OK && text.len > tv_api_answer_limit(request->api) / 2)
        code = tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "the lockfile is too long for an answer: name packages, mine=");
    if (code == TV_OK) {
        tv_json_init(&json, tv_buffer_sink(body));
        tv_json_open_object(&json);
        tv_json_key_u64(&json, "runs", lock->runs);
        tv_json_key_u64(&json, "methods", lock->count);
        tv_json_key_str(&json, "lock", tv_buffer_view(&text));
        tv_json_close_object(&json);
        code = tv_json_finish(&json, err);
    }
    tv_buffer_release(&text);
    return code;
}

static enum tv_code write_changes(const struct tv_request *request, const struct question *question,
                                  const struct tv_call_lock locks[TV_SIDE_COUNT],
                                  struct tv_error *err)
{
    struct tv_lock_changes changes;
    tv_lock_changes_init(&changes, request->alloc);
    enum tv_code code =
        tv_diff_refuse(tv_call_locks_match(&locks[TV_SIDE_OLD], &locks[TV_SIDE_NEW], err), err);
    if (code == TV_OK)
        code = tv_lock_changes_find(&changes, &locks[TV_SIDE_OLD], &locks[TV_SIDE_NEW], err);
    if (code == TV_OK)
        code = tv_answer_lock_changes(&changes, &locks[TV_SIDE_OLD], question->sides.of[0]->file,
                                      &request->response->body, tv_api_answer_limit(request->api),
                                      err);
    tv_lock_changes_release(&changes);
    return code;
}

static enum tv_code answer(struct tv_request *request, struct question *question,
                           struct tv_error *err)
{
    struct tv_call_lock locks[TV_SIDE_COUNT];
    struct tv_error why = {.code = TV_OK};
    TV_TRY(take_question(request, question, err));
    const bool has_old = question->sides.counts[TV_SIDE_OLD] > 0;
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        tv_call_lock_init(&locks[side], request->alloc);
    enum tv_code code = lock_side(request, question, TV_SIDE_NEW, &locks[TV_SIDE_NEW], err);
    if (code == TV_OK && has_old)
        code = lock_side(request, question, TV_SIDE_OLD, &locks[TV_SIDE_OLD], err);
    if (code == TV_OK && !locks[TV_SIDE_OLD].count &&
        tv_call_lock_check(&locks[TV_SIDE_NEW], &why) != TV_OK)
        code = tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s", why.text);
    if (code == TV_OK)
        code = has_old ? write_changes(request, question, locks, err)
                       : write_lock(request, &locks[TV_SIDE_NEW], err);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        tv_call_lock_release(&locks[side]);
    return code;
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct question question = {.subject = {.mine = {NULL, 0}}};
    struct tv_run_method *const methods[] = {&question.from, &question.until, &question.per};
    for (size_t i = 0; i < TV_COUNT_OF(methods); i++)
        tv_run_method_init(methods[i], request->alloc);
    enum tv_code code = answer(request, &question, err);
    for (size_t i = 0; i < TV_COUNT_OF(methods); i++)
        tv_run_method_release(methods[i]);
    return code;
}

static const char *const params[] = {"old", "new", "mine", "first", "until", "per", NULL};

const struct tv_route tv_route_counts = {"counts", TV_TYPE_JSON, params, run};
