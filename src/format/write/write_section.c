/*
 * The text section as we write it: docs/formats/text.md.
 *
 * Options that say what the trace means (clock, elapsed time, pid and so on) are written from the
 * writer's own state; other options are copied where a reader could not take them for anything
 * else. Names may hold any byte; tv_out_name changes bytes that would break a line, and names that
 * were changed are counted.
 */
#include "base/error.h"
#include "base/units.h"
#include "format/cut_threads.h"
#include "format/last_seen.h"
#include "format/source_findings.h"
#include "format/write/writer.h"

#define U16_MOST 65535u
/* The most bytes of a packet summary's options: its length has two bytes, so options that we do not
 * know are left out beyond this. */
#define OPTIONS_MOST 60000u

/* Options that are written from what the trace means, not copied. */
static const char *const own_keys[] = {"data-file-overflow",
                                       "clock",
                                       "elapsed-time-usec",
                                       "elapsed-time-nsec",
                                       "num-method-calls",
                                       "clock-call-overhead-nsec",
                                       "vm",
                                       "pid",
                                       TV_SOURCE_FINDINGS_KEY};

static void put_option(struct tv_out *out, struct tv_str key, struct tv_str value)
{
    tv_out_text(out, key);
    tv_out_text(out, TV_STR("="));
    (void)tv_out_name(out, value);
    tv_out_text(out, TV_STR("\n"));
}

static void put_number(struct tv_out *out, struct tv_str key, uint64_t value)
{
    tv_out_text(out, key);
    tv_out_text(out, TV_STR("="));
    tv_out_decimal(out, value);
    tv_out_text(out, TV_STR("\n"));
}

static struct tv_str clock_name(const struct tv_writer *writer)
{
    if (writer->has_clock[TV_CLOCK_WALL] && writer->has_clock[TV_CLOCK_CPU])
        return TV_STR("dual");
    return writer->has_clock[TV_CLOCK_WALL] ? TV_STR("wall") : TV_STR("thread-cpu");
}

static bool is_own_key(struct tv_str key)
{
    for (size_t i = 0; i < TV_COUNT_OF(own_keys); i++) {
        if (tv_str_equal(key, tv_str_from(own_keys[i])))
            return true;
    }
    return false;
}

/* Whether a key can stand at the start of a line and be taken for nothing else. */
static bool is_plain_key(struct tv_str key)
{
    for (size_t i = 0; i < key.len; i++) {
        char c = key.at[i];
        if (c != '-' && c != '_' && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9'))
            return false;
    }
    return true;
}

/* Other readers fail on a line that is not two parts around one "=". */
static bool is_plain_option(const struct tv_trace_property *property)
{
    return is_plain_key(property->key) && property->value.len &&
           tv_str_find(property->value, TV_STR("="), TV_CASE_EXACT) == SIZE_MAX;
}

static bool has_property(const struct tv_writer *writer, struct tv_str key, struct tv_str value)
{
    return !writer->names || writer->names->has_property(key, value);
}

/* Properties about threads, whose parts begin with an id: "1:2000000000:17000;2:...". They hold
 * where wall times of all threads compare. */
static bool is_of_threads(struct tv_str key)
{
    return tv_str_equal(key, TV_STR(TV_LAST_SEEN_KEY)) ||
           tv_str_equal(key, TV_STR(TV_CUT_THREADS_KEY));
}

static bool can_have(const struct tv_writer *writer, const struct tv_trace_property *property)
{
    return is_plain_option(property) &&
           (!is_of_threads(property->key) || writer->family->has_common_axis);
}

/* Begins the part of a property that tells of a thread, with the id that the thread has in the
 * output. Whether the output has the thread. */
static bool begin_part(const struct tv_writer *writer, struct tv_out *out, struct tv_str key,
                       uint32_t thread, bool *is_begun)
{
    const uint32_t ix = tv_map_get(&writer->thread_of_id, thread);
    if (ix == TV_MAP_NONE || writer->threads[ix].new_id == TV_MAP_NONE)
        return false;
    if (!*is_begun)
        tv_out_text(out, key);
    tv_out_text(out, *is_begun ? TV_STR(";") : TV_STR("="));
    tv_out_decimal(out, writer->threads[ix].new_id);
    *is_begun = true;
    return true;
}

static void put_field(struct tv_out *out, uint64_t number)
{
    tv_out_text(out, TV_STR(":"));
    tv_out_decimal(out, number);
}

/* A time of a thread as records have it: a reader of the trace takes whole units of it, and in a
 * version with a finer unit nothing may be added to these. */
static void put_time(const struct tv_writer *writer, struct tv_out *out, uint64_t time_ns)
{
    const uint32_t from_ns = writer->trace.unit_ns, to_ns = writer->family->unit_ns;
    put_field(out, time_ns - time_ns % (from_ns > to_ns ? from_ns : to_ns));
}

static bool put_last_seen(const struct tv_writer *writer, struct tv_out *out, struct tv_str value)
{
    struct tv_last_seen seen;
    bool is_begun = false;
    while (tv_last_seen_next(&value, &seen)) {
        if (!begin_part(writer, out, TV_STR(TV_LAST_SEEN_KEY), seen.thread, &is_begun))
            continue;
        put_time(writer, out, seen.ns[TV_CLOCK_WALL]);
        put_time(writer, out, seen.ns[TV_CLOCK_CPU]);
    }
    return is_begun;
}

static bool put_cut_threads(const struct tv_writer *writer, struct tv_out *out, struct tv_str value)
{
    struct tv_cut_thread cut;
    bool is_begun = false;
    while (tv_cut_threads_next(&value, &cut)) {
        if (!begin_part(writer, out, TV_STR(TV_CUT_THREADS_KEY), cut.thread, &is_begun))
            continue;
        put_field(out, cut.began_before);
        put_time(writer, out, cut.open_until_ns);
        put_time(writer, out, cut.seen_ns[TV_CLOCK_WALL]);
        put_time(writer, out, cut.seen_ns[TV_CLOCK_CPU]);
    }
    return is_begun;
}

/* Writes a property about threads with the ids that they have in the output. A value that is not of
 * its kind stays as it is: without what is wrong in it, readers would believe the rest. */
static void put_of_threads(const struct tv_writer *writer, struct tv_out *out,
                           const struct tv_trace_property *property)
{
    const bool is_last_seen = tv_str_equal(property->key, TV_STR(TV_LAST_SEEN_KEY));
    if (is_last_seen ? !tv_last_seen_is(property->value) : !tv_cut_threads_is(property->value))
        put_option(out, property->key, property->value);
    else if (is_last_seen ? put_last_seen(writer, out, property->value)
                          : put_cut_threads(writer, out, property->value))
        tv_out_text(out, TV_STR("\n"));
}

/* The summary of packets has a length of two bytes, so what does not fit is left out and counted.
 */
static void put_other_options(struct tv_writer *writer, struct tv_out *out,
                              enum tv_section_kind kind)
{
    uint64_t before = out->total;
    uint64_t left_out = 0;
    for (size_t i = 0; i < writer->trace.property_count; i++) {
        const struct tv_trace_property *property = &writer->trace.properties[i];
        uint64_t len = out->total - before + property->key.len + property->value.len;
        if (is_own_key(property->key) || !has_property(writer, property->key, property->value))
            continue;
        if (!can_have(writer, property) ||
            (kind == TV_SECTION_PACKETS_SUMMARY && len > OPTIONS_MOST))
            left_out++;
        else if (is_of_threads(property->key))
            put_of_threads(writer, out, property);
        else
            put_option(out, property->key, property->value);
    }
    writer->result.changes[TV_WRITE_OPTIONS_LEFT_OUT] = left_out;
}

/* Where the elapsed time is not known, there is none: a packet summary without it is of layout D
 * still, since C is told by its microseconds. */
static void put_options(struct tv_writer *writer, struct tv_out *out, enum tv_section_kind kind)
{
    const struct tv_trace *trace = &writer->trace;
    put_option(out, TV_STR("data-file-overflow"),
               trace->is_cut_early || writer->is_cut ? TV_STR("true") : TV_STR("false"));
    if (writer->is_cut)
        put_option(out, TV_STR("recording-cut"), TV_STR("true"));
    put_option(out, TV_STR("clock"), clock_name(writer));
    if (trace->has_elapsed && kind == TV_SECTION_PACKETS_SUMMARY) {
        put_number(out, TV_STR("elapsed-time-nsec"), trace->elapsed_ns);
    } else if (trace->has_elapsed) {
        put_number(out, TV_STR("elapsed-time-usec"), trace->elapsed_ns / TV_NS_PER_US);
    }
    if (kind == TV_SECTION_TEXT)
        put_number(out, TV_STR("num-method-calls"), writer->result.records);
    if (trace->clock_overhead_ns)
        put_number(out, TV_STR("clock-call-overhead-nsec"), trace->clock_overhead_ns);
    if (trace->vm.len && has_property(writer, TV_STR("vm"), trace->vm))
        put_option(out, TV_STR("vm"), trace->vm);
    if (trace->has_pid && has_property(writer, TV_STR("pid"), TV_STR("")))
        put_number(out, TV_STR("pid"), trace->pid);
    if (writer->left_out)
        put_number(out, TV_STR("calls-left-out"), writer->left_out->calls);
    if (writer->left_out && writer->left_out->short_calls)
        put_number(out, TV_STR("short-calls-left-out"), writer->left_out->short_calls);
    tv_source_findings_put(out, tv_trace_property_of(trace, TV_STR(TV_SOURCE_FINDINGS_KEY)),
                           &writer->found);
    put_other_options(writer, out, kind);
}

/* In text a name must not be empty: Perfetto refuses such a file. */
static void put_thread(struct tv_writer *writer, struct tv_out *out,
                       const struct tv_write_thread *thread, enum tv_section_kind kind)
{
    struct tv_str name = tv_writer_thread_name(writer, thread);
    bool is_counted = kind == TV_SECTION_TEXT;
    if (thread->new_id == TV_MAP_NONE)
        return;
    tv_out_decimal(out, thread->new_id);
    tv_out_text(out, TV_STR("\t"));
    if (!name.len && is_counted) {
        tv_out_text(out, TV_STR("thread "));
        tv_out_decimal(out, thread->id);
        writer->result.changes[TV_WRITE_THREADS_NAMED]++;
    }
    if (tv_out_name(out, name) && is_counted)
        writer->result.changes[TV_WRITE_NAMES_CHANGED]++;
    tv_out_text(out, TV_STR("\n"));
}

/* The threads of the trace's list in its order, then those that only records name. */
static void put_threads(struct tv_writer *writer, struct tv_out *out, enum tv_section_kind kind)
{
    const struct tv_trace *trace = &writer->trace;
    tv_out_text(out, TV_STR("*threads\n"));
    for (size_t i = 0; i < trace->thread_count; i++) {
        uint32_t ix = tv_map_get(&writer->thread_of_id, tv_trace_id_in_records(trace, i));
        put_thread(writer, out, &writer->threads[ix], kind);
    }
    for (size_t i = 0; i < writer->thread_count; i++) {
        if (tv_map_get(&trace->thread_of_id, writer->threads[i].id) == TV_MAP_NONE)
            put_thread(writer, out, &writer->threads[i], kind);
    }
}

/* Whether a reader knows a signature as one; else it needs a column after it. */
static bool is_plain_signature(struct tv_str signature)
{
    return !signature.len || signature.at[0] == '(';
}

static bool put_column(struct tv_out *out, struct tv_str text)
{
    tv_out_text(out, TV_STR("\t"));
    return tv_out_name(out, text);
}

static void put_line_number(struct tv_out *out, int32_t line)
{
    tv_out_text(out, line < 0 ? TV_STR("\t-") : TV_STR("\t"));
    tv_out_decimal(out, line < 0 ? (uint64_t) - (int64_t)line : (uint64_t)line);
}

/* Writes class [TAB name [TAB signature [TAB file [TAB line]]]] and a line end; no more columns
 * than the method has, since readers tell the orders of columns by their number. */
static void put_columns(struct tv_writer *writer, struct tv_out *out,
                        const struct tv_trace_method *method)
{
    bool has_file = method->file.len || method->line || !is_plain_signature(method->signature);
    bool is_changed = tv_out_name(out, method->class_name);
    if (!method->name.len && !method->signature.len && has_file) {
        is_changed |= put_column(out, method->file); /* class, file, line: Android 1.x */
        put_line_number(out, method->line);
    } else {
        if (method->name.len || method->signature.len)
            is_changed |= put_column(out, method->name);
        if (method->signature.len || has_file)
            is_changed |= put_column(out, method->signature);
        if (has_file)
            is_changed |= put_column(out, method->file);
        if (method->line)
            put_line_number(out, method->line);
    }
    writer->result.changes[TV_WRITE_NAMES_CHANGED] += is_changed;
    tv_out_text(out, TV_STR("\n"));
}

/* Writes the columns of a method with the names of the output (writer->names). A failure to name it
 * is kept as the failure of the output. */
static void put_method(struct tv_writer *writer, struct tv_out *out,
                       const struct tv_trace_method *method)
{
    struct tv_trace_method named = *method;
    if (writer->names && writer->out.error.code == TV_OK)
        (void)writer->names->method(writer->names->ctx, &named, &writer->out.error);
    if (writer->out.error.code == TV_OK)
        put_columns(writer, out, &named);
}

static void put_methods(struct tv_writer *writer, struct tv_out *out)
{
    tv_out_text(out, TV_STR("*methods\n"));
    for (size_t i = 0; i < writer->trace.method_count; i++) {
        uint64_t id;
        if (!tv_writer_method_id(writer, writer->trace.methods[i].id, &id)) {
            writer->result.changes[TV_WRITE_METHODS_LEFT_OUT]++;
            continue;
        }
        tv_out_id(out, id);
        tv_out_text(out, TV_STR("\t"));
        put_method(writer, out, &writer->trace.methods[i]);
    }
}

void tv_writer_put_section(struct tv_writer *writer, struct tv_out *out, unsigned version,
                           enum tv_section_kind kind)
{
    tv_out_text(out, TV_STR("*version\n"));
    tv_out_decimal(out, version);
    tv_out_text(out, TV_STR("\n"));
    put_options(writer, out, kind);
    if (kind != TV_SECTION_PACKETS_SUMMARY) {
        put_threads(writer, out, kind);
        if (kind == TV_SECTION_TEXT) {
            put_methods(writer, out);
        } else {
            tv_out_text(out, TV_STR("*methods\n"));
        }
    }
    tv_out_text(out, TV_STR("*end\n"));
}

/* Gives the line that was put together, cut to the 65,535 bytes that its u2 length can count. */
static enum tv_code finish_line(struct tv_writer *writer, struct tv_str *line, struct tv_error *err)
{
    TV_TRY(tv_out_finish(&writer->line_out, err));
    *line = tv_buffer_view(&writer->line);
    if (line->len > U16_MOST) {
        line->len = U16_MOST;
        writer->result.changes[TV_WRITE_NAMES_CHANGED]++;
    }
    return TV_OK;
}

static void begin_line(struct tv_writer *writer)
{
    writer->line.len = 0;
    tv_out_init(&writer->line_out, tv_buffer_sink(&writer->line));
}

enum tv_code tv_writer_method_line(struct tv_writer *writer, const struct tv_trace_method *method,
                                   uint64_t new_id, enum tv_writer_id with_id, struct tv_str *line,
                                   struct tv_error *err)
{
    begin_line(writer);
    if (with_id == TV_WRITER_WITH_ID) {
        tv_out_id(&writer->line_out, new_id);
        tv_out_text(&writer->line_out, TV_STR("\t"));
    }
    put_method(writer, &writer->line_out, method);
    return finish_line(writer, line, err);
}

enum tv_code tv_writer_name(struct tv_writer *writer, const struct tv_write_thread *thread,
                            struct tv_str *name, struct tv_error *err)
{
    begin_line(writer);
    if (tv_out_name(&writer->line_out, tv_writer_thread_name(writer, thread)))
        writer->result.changes[TV_WRITE_NAMES_CHANGED]++;
    return finish_line(writer, name, err);
}
