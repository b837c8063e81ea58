/*
 * Pieces of JSON that several routes write; see api/answer_parts.h.
 *
 * A clock that the trace lacks is left out of every object of times, rather than shown as 0: a
 * reader then cannot take a missing clock for an idle thread.
 */
#include "api/answer_parts.h"

#include "analysis/selection/names.h"
#include "base/error.h"

static const char *const clock_names[TV_CLOCK_COUNT] = {"wall", "cpu"};
static const char *const time_keys[TV_CLOCK_COUNT] = {"wall_ns", "cpu_ns"};

void tv_writer_init(struct tv_writer *writer, const struct tv_index *index, struct tv_buffer *body,
                    const struct tv_alloc *alloc)
{
    *writer = (struct tv_writer){.index = index, .error = {.code = TV_OK}};
    tv_json_init(&writer->json, tv_buffer_sink(body));
    tv_buffer_init(&writer->text, alloc);
}

void tv_writer_release(struct tv_writer *writer)
{
    tv_buffer_release(&writer->text);
}

enum tv_code tv_writer_finish(struct tv_writer *writer, struct tv_error *err)
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

void tv_write_time_members(struct tv_writer *writer, const uint64_t times_ns[TV_CLOCK_COUNT])
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (writer->index->info->has_clock[clock])
            tv_json_key_u64(&writer->json, time_keys[clock], times_ns[clock]);
    }
}

void tv_write_times(struct tv_writer *writer, const char *key,
                    const uint64_t times_ns[TV_CLOCK_COUNT])
{
    tv_json_key(&writer->json, key);
    tv_json_open_object(&writer->json);
    tv_write_time_members(writer, times_ns);
    tv_json_close_object(&writer->json);
}

/* The clocks are told in each answer, so that a reader need not ask `info` for them. */
void tv_write_clocks(struct tv_writer *writer)
{
    tv_json_key(&writer->json, "clocks");
    tv_json_open_array(&writer->json);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (writer->index->info->has_clock[clock])
            tv_json_text(&writer->json, clock_names[clock]);
    }
    tv_json_close_array(&writer->json);
}

/* Writes the whole name and its parts: the parts are what a page shows one under the other. */
static void write_names(struct tv_writer *writer, uint32_t method_ix)
{
    const struct tv_index *index = writer->index;
    struct tv_json *json = &writer->json;
    enum tv_code code = tv_method_text(index, method_ix, &writer->text, &writer->error);
    if (code != TV_OK)
        writer->error.code = code; /* out of memory; tv_writer_finish tells it */
    tv_json_key_str(json, "method", tv_buffer_view(&writer->text));
    tv_json_key_str(json, "class", tv_method_class(index, method_ix));
    tv_json_key_str(json, "name", tv_method_name(index, method_ix));
    tv_json_key_str(json, "signature", tv_method_signature(index, method_ix));
}

void tv_write_short_method(struct tv_writer *writer, uint32_t method_ix)
{
    tv_json_key_u64(&writer->json, "rank", writer->index->methods[method_ix].rank);
    write_names(writer, method_ix);
}

void tv_write_method(struct tv_writer *writer, uint32_t method_ix)
{
    const struct tv_index_method *method = &writer->index->methods[method_ix];
    struct tv_json *json = &writer->json;
    tv_json_key_u64(json, "rank", method->rank);
    tv_json_key(json, "id");
    tv_json_hex(json, method->id);
    write_names(writer, method_ix);
    tv_json_key_str(json, "file", tv_method_file(writer->index, method_ix));
    tv_json_key_i64(json, "line", method->line);
}

void tv_write_method_numbers(struct tv_writer *writer, const struct tv_method_row *row)
{
    tv_json_key_u64(&writer->json, "calls", row->numbers.calls);
    tv_json_key_u64(&writer->json, "recursive_calls", row->recursive_calls);
    tv_write_times(writer, "inclusive", row->numbers.inclusive_ns);
    tv_write_times(writer, "exclusive", row->numbers.exclusive_ns);
}

void tv_write_percentiles(struct tv_writer *writer, const char *key,
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
void tv_write_findings(struct tv_writer *writer)
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
