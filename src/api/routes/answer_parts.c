/*
 * Pieces of JSON that several routes write; see api/routes/answer_parts.h.
 *
 * A clock that the trace lacks is left out of every object of times, rather than shown as 0: a
 * reader then cannot take a missing clock for an idle thread.
 */
#include "api/routes/answer_parts.h"

#include "analysis/calls/stayed.h"
#include "analysis/health.h"
#include "analysis/question/scope.h"
#include "analysis/selection/names.h"
#include "base/alloc.h"
#include "base/error.h"

static const char *const clock_names[TV_CLOCK_COUNT] = {"wall", "cpu"};
static const char *const time_keys[TV_CLOCK_COUNT] = {"wall_ns", "cpu_ns"};

/* Keys, numbers and punctuation of a method in the list of methods: what its texts add to is less
 * than this. */
#define NAMED_METHOD_LEN 192u
/* The longest way in which JSON spells a byte: six characters, as in "\u0007". */
#define ESCAPED_LEN 6u

/* The sink of an answer: its body, up to the limit. */
static enum tv_code write_limited(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    struct tv_answer_writer *writer = ctx;
    if (len > writer->limit - writer->body->len)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "the answer is longer than %zu bytes: ask for less", writer->limit);
    return tv_buffer_append(writer->body, bytes, len, err);
}

/* Every route writes through this writer. It stops at the limit of an answer (write_limited) and
 * notes that, so that routes need not check each value that they write. */
void tv_writer_init(struct tv_answer_writer *writer, const struct tv_api *api,
                    struct tv_buffer *body)
{
    *writer = (struct tv_answer_writer){.index = tv_api_meant(api)->index,
                                        .error = {.code = TV_OK},
                                        .body = body,
                                        .limit = tv_api_answer_limit(api)};
    body->len = 0;
    tv_json_init(&writer->json, (struct tv_sink){.write = write_limited, .ctx = writer});
    tv_buffer_init(&writer->text, api->alloc);
}

void tv_writer_release(struct tv_answer_writer *writer)
{
    tv_alloc_release(writer->text.alloc, &writer->is_named, writer->index->method_count, 1);
    tv_buffer_release(&writer->text);
}

/* A failure of JSON comes before one that the writer noted: it is about bytes that are already
 * wrong. */
enum tv_code tv_writer_finish(struct tv_answer_writer *writer, struct tv_error *err)
{
    enum tv_code code = tv_json_finish(&writer->json, err);
    tv_writer_release(writer);
    if (code == TV_OK && writer->error.code != TV_OK) {
        code = writer->error.code;
        if (err)
            *err = writer->error;
    }
    return code;
}

size_t tv_writer_room(const struct tv_answer_writer *writer)
{
    size_t most = writer->limit - writer->limit / 4;
    size_t len = writer->body->len + writer->json.len + writer->names_len;
    return most > len ? most - len : 0;
}

void tv_write_left_out(struct tv_answer_writer *writer, uint64_t count)
{
    if (count)
        tv_json_key_u64(&writer->json, "left_out", count);
}

static struct tv_str cut(struct tv_str text)
{
    if (text.len > TV_ANSWER_TEXT_LIMIT)
        text.len = TV_ANSWER_TEXT_LIMIT;
    return text;
}

void tv_write_text(struct tv_answer_writer *writer, const char *key, struct tv_str text)
{
    tv_json_key_str(&writer->json, key, cut(text));
}

void tv_write_time_members(struct tv_answer_writer *writer, const uint64_t times_ns[TV_CLOCK_COUNT])
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (writer->index->info->has_clock[clock])
            tv_json_key_u64(&writer->json, time_keys[clock], times_ns[clock]);
    }
}

void tv_write_times(struct tv_answer_writer *writer, const char *key,
                    const uint64_t times_ns[TV_CLOCK_COUNT])
{
    tv_json_key(&writer->json, key);
    tv_json_open_object(&writer->json);
    tv_write_time_members(writer, times_ns);
    tv_json_close_object(&writer->json);
}

/* Wait is the difference of both clocks, so it is written only where the trace has both. */
void tv_write_numbers(struct tv_answer_writer *writer, const struct tv_numbers *numbers)
{
    struct tv_json *json = &writer->json;
    tv_write_times(writer, "inclusive", numbers->inclusive_ns);
    tv_write_times(writer, "exclusive", numbers->exclusive_ns);
    if (!tv_index_has_wait(writer->index))
        return;
    struct tv_wait wait = tv_wait_of(numbers);
    tv_json_key(json, "wait");
    tv_json_open_object(json);
    tv_json_key_u64(json, "inclusive_ns", wait.inclusive_ns);
    tv_json_key_u64(json, "exclusive_ns", wait.exclusive_ns);
    tv_json_close_object(json);
}

/* Every answer with numbers says what they are of: the clocks of the trace, the measure, how
 * serious the findings are, and whether the trace was sampled. */
void tv_write_basis(struct tv_answer_writer *writer, enum tv_measure measure)
{
    const struct tv_index_info *info = writer->index->info;
    struct tv_json *json = &writer->json;
    enum tv_severity worst;
    tv_json_key(json, "clocks");
    tv_json_open_array(json);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (info->has_clock[clock])
            tv_json_text(json, clock_names[clock]);
    }
    tv_json_close_array(json);
    tv_json_key(json, "clock");
    if (info->has_clock[TV_CLOCK_WALL] || info->has_clock[TV_CLOCK_CPU])
        tv_json_text(json, tv_measure_words[measure]);
    else
        tv_json_null(json);
    tv_json_key(json, "severity");
    if (tv_health_worst(writer->index, &worst))
        tv_json_text(json, tv_severity_name(worst));
    else
        tv_json_null(json);
    tv_json_key_truth(json, "sampled", info->is_sampled);
    if (tv_sampled_cpu_is_of_before(writer->index))
        tv_json_key_truth(json, "cpu_is_of_before", true);
}

/* Threads that were left out of the sums for idling, with what they waited: the page says what is
 * missing from its totals. */
void tv_write_idle(struct tv_answer_writer *writer, const struct tv_scope *scope)
{
    struct tv_json *json = &writer->json;
    if (!scope->idle_count)
        return;
    tv_json_key(json, "idle");
    tv_json_open_array(json);
    for (uint32_t i = 0; i < scope->idle_count; i++) {
        tv_json_open_object(json);
        tv_json_key_u64(json, "id", writer->index->threads[scope->idle[i].thread_ix].id);
        tv_json_key_u64(json, "wait_ns", scope->idle[i].wait_ns);
        tv_write_unrecorded(writer, scope->idle[i].unrecorded_ns);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}

void tv_write_unrecorded(struct tv_answer_writer *writer, uint64_t unrecorded_ns)
{
    if (unrecorded_ns)
        tv_json_key_u64(&writer->json, "unrecorded_ns", unrecorded_ns);
}

void tv_write_scope_unrecorded(struct tv_answer_writer *writer, const struct tv_scope *scope)
{
    if (scope->measure == TV_MEASURE_WAIT)
        tv_write_unrecorded(writer, tv_unrecorded_ns(writer->index, &scope->selection));
}

void tv_write_default_basis(struct tv_answer_writer *writer)
{
    struct tv_scope scope;
    tv_scope_init(&scope, writer->index);
    tv_write_basis(writer, scope.measure);
}

/* Writes the whole name and its parts: the parts are what a page shows one under the other. */
static void write_names(struct tv_answer_writer *writer, uint32_t method_ix)
{
    const struct tv_index *index = writer->index;
    enum tv_code code = tv_method_text(index, method_ix, &writer->text, &writer->error);
    if (code != TV_OK)
        writer->error.code = code; /* out of memory; tv_writer_finish tells it */
    tv_write_text(writer, "method", tv_buffer_view(&writer->text));
    tv_write_text(writer, "class", tv_method_class(index, method_ix));
    tv_write_text(writer, "name", tv_method_name(index, method_ix));
    tv_write_text(writer, "signature", tv_method_signature(index, method_ix));
    if (index->methods[method_ix].written_len)
        tv_write_text(writer, "written", tv_method_written(index, method_ix));
    if (index->methods[method_ix].is_synthesized)
        tv_json_key_truth(&writer->json, "synthesized", true);
    if (index->methods[method_ix].shares_name)
        tv_json_key_truth(&writer->json, "shares_whole_name", true);
}

/* `id` is what the file calls the method, and in hexadecimal, because ids may have 64 bits and
 * numbers of JavaScript have 53. */
void tv_write_method(struct tv_answer_writer *writer, uint32_t method_ix)
{
    const struct tv_index_method *method = &writer->index->methods[method_ix];
    struct tv_json *json = &writer->json;
    tv_json_key_u64(json, "rank", method->rank);
    tv_json_key(json, "id");
    tv_json_hex(json, method->id);
    write_names(writer, method_ix);
    tv_write_text(writer, "file", tv_method_file(writer->index, method_ix));
    tv_json_key_i64(json, "line", method->line);
}

/* At least the characters that JSON takes for a text: what is not printable ASCII may be escaped.
 */
static size_t most_escaped(struct tv_str text)
{
    size_t len = 0;
    text = cut(text);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.at[i];
        bool is_plain = c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
        len += is_plain ? 1 : ESCAPED_LEN;
    }
    return len;
}

/* Class, name and signature stand there twice: in the whole name too. */
size_t tv_writer_name_len(const struct tv_answer_writer *writer, uint32_t method_ix)
{
    const struct tv_index *index = writer->index;
    const size_t written_len =
        index->methods[method_ix].written_len
            ? sizeof(",\"written\":\"\"") + most_escaped(tv_method_written(index, method_ix))
            : 0;
    return NAMED_METHOD_LEN + written_len + most_escaped(tv_method_file(index, method_ix)) +
           2 * (most_escaped(tv_method_class(index, method_ix)) +
                most_escaped(tv_method_name(index, method_ix)) +
                most_escaped(tv_method_signature(index, method_ix)));
}

/* Notes that the list of methods is to name the method, and how much room that takes. */
static void name_method(struct tv_answer_writer *writer, uint32_t method_ix)
{
    const struct tv_index *index = writer->index;
    if (!writer->is_named) {
        enum tv_code code = tv_alloc_new(writer->text.alloc, &writer->is_named, index->method_count,
                                         1, &writer->error);
        if (code != TV_OK) {
            writer->error.code = code; /* tv_writer_finish tells it */
            return;
        }
    }
    if (writer->is_named[method_ix])
        return;
    writer->is_named[method_ix] = 1;
    writer->names_len += tv_writer_name_len(writer, method_ix);
}

void tv_write_rank(struct tv_answer_writer *writer, uint32_t method_ix)
{
    tv_json_key_u64(&writer->json, "rank", writer->index->methods[method_ix].rank);
    name_method(writer, method_ix);
}

enum naming { NAMES_ALONE, NAMES_APART };

/* Methods that rows name by rank are listed once, by rank. Where names must be told apart, those
 * that share their class and name with another method say so. */
static void write_methods(struct tv_answer_writer *writer, enum naming naming)
{
    const struct tv_index *index = writer->index;
    struct tv_json *json = &writer->json;
    tv_json_key(json, "methods");
    tv_json_open_array(json);
    for (uint32_t rank = 0; writer->is_named && rank < index->method_count; rank++) {
        uint32_t method_ix = index->method_of_rank[rank];
        if (!writer->is_named[method_ix])
            continue;
        tv_json_open_object(json);
        tv_write_method(writer, method_ix);
        if (naming == NAMES_APART && tv_method_shares_name(index, method_ix))
            tv_json_key_truth(json, "shares_name", true);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}

void tv_write_named_methods(struct tv_answer_writer *writer)
{
    write_methods(writer, NAMES_ALONE);
}

void tv_write_methods_apart(struct tv_answer_writer *writer)
{
    write_methods(writer, NAMES_APART);
}

void tv_write_method_numbers(struct tv_answer_writer *writer, const struct tv_method_row *row)
{
    tv_json_key_u64(&writer->json, "calls", row->numbers.calls);
    tv_json_key_u64(&writer->json, "recursive_calls", row->recursive_calls);
    tv_write_numbers(writer, &row->numbers);
}

/* A method without calls has no percentiles, and an empty object. */
void tv_write_percentiles(struct tv_answer_writer *writer, const char *key,
                          const struct tv_method_percentiles *percentiles)
{
    struct tv_json *json = &writer->json;
    tv_json_key(json, key);
    tv_json_open_object(json);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!writer->index->info->has_clock[clock] || !percentiles->calls)
            continue;
        tv_json_key(json, time_keys[clock]);
        tv_json_open_object(json);
        tv_json_key_u64(json, "min", percentiles->of[clock].min_ns);
        tv_json_key_u64(json, "p50", percentiles->of[clock].p50_ns);
        tv_json_key_u64(json, "p95", percentiles->of[clock].p95_ns);
        tv_json_key_u64(json, "max", percentiles->of[clock].max_ns);
        tv_json_close_object(json);
    }
    tv_json_close_object(json);
}

/* Only kinds that were met are written, in the order of their list. */
void tv_write_findings(struct tv_answer_writer *writer)
{
    struct tv_json *json = &writer->json;
    tv_json_key(json, "findings");
    tv_json_open_array(json);
    for (unsigned i = 0; i < TV_FINDING_KIND_COUNT; i++) {
        enum tv_finding_kind kind = (enum tv_finding_kind)i;
        const struct tv_finding *finding = &writer->index->info->findings.of[i];
        if (!finding->count)
            continue;
        tv_json_open_object(json);
        tv_json_key_text(json, "kind", tv_finding_name(kind));
        tv_json_key_text(json, "severity", tv_severity_name(tv_finding_severity(kind)));
        tv_json_key_u64(json, "count", finding->count);
        tv_json_key(json, "offset");
        if (finding->offset == TV_NO_OFFSET)
            tv_json_null(json);
        else
            tv_json_u64(json, finding->offset);
        tv_json_key_text(json, "text", tv_finding_text(kind));
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}
