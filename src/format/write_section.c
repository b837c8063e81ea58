/* The text section as we write it: docs/formats/text.md. */
#include "base/error.h"
#include "format/writer.h"

#define NANOSECONDS_PER_MICROSECOND 1000u
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
                                       "pid"};

static void put_option(struct tv_out *out, struct tv_str key, struct tv_str value)
{
    tv_out_one_line(out, key);
    tv_out_text(out, TV_STR("="));
    tv_out_one_line(out, value);
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

static void put_other_options(const struct tv_writer *writer, struct tv_out *out,
                              enum tv_section_kind kind)
{
    uint64_t before = out->total;
    for (size_t i = 0; i < writer->trace.property_count; i++) {
        const struct tv_trace_property *property = &writer->trace.properties[i];
        uint64_t len = out->total - before + property->key.len + property->value.len;
        if (is_own_key(property->key) || !is_plain_key(property->key) ||
            (kind == TV_SECTION_PACKETS_SUMMARY && len > OPTIONS_MOST))
            continue;
        put_option(out, property->key, property->value);
    }
}

/* A packet summary must have an elapsed time in nanoseconds: readers tell layout D by it. */
static void put_options(const struct tv_writer *writer, struct tv_out *out,
                        enum tv_section_kind kind)
{
    const struct tv_trace *trace = &writer->trace;
    put_option(out, TV_STR("data-file-overflow"),
               trace->has_overflow ? TV_STR("true") : TV_STR("false"));
    put_option(out, TV_STR("clock"), clock_name(writer));
    if (trace->has_elapsed && kind == TV_SECTION_PACKETS_SUMMARY) {
        put_number(out, TV_STR("elapsed-time-nsec"), trace->elapsed_ns);
    } else if (trace->has_elapsed) {
        put_number(out, TV_STR("elapsed-time-usec"),
                   trace->elapsed_ns / NANOSECONDS_PER_MICROSECOND);
    } else if (kind == TV_SECTION_PACKETS_SUMMARY) {
        put_number(out, TV_STR("elapsed-time-nsec"), 0);
    }
    if (kind == TV_SECTION_TEXT)
        put_number(out, TV_STR("num-method-calls"), writer->record_count);
    if (trace->clock_overhead_ns)
        put_number(out, TV_STR("clock-call-overhead-nsec"), trace->clock_overhead_ns);
    if (trace->vm.len)
        put_option(out, TV_STR("vm"), trace->vm);
    if (trace->has_pid)
        put_number(out, TV_STR("pid"), trace->pid);
    put_other_options(writer, out, kind);
}

/* Threads whose ids the version cannot hold are left out. */
static void put_threads(const struct tv_writer *writer, struct tv_out *out)
{
    tv_out_text(out, TV_STR("*threads\n"));
    for (size_t i = 0; i < writer->trace.thread_count; i++) {
        const struct tv_trace_thread *thread = &writer->trace.threads[i];
        uint32_t id;
        if (!tv_writer_thread_id(writer, thread->id, &id))
            continue;
        tv_out_decimal(out, id);
        tv_out_text(out, TV_STR("\t"));
        tv_out_one_line(out, thread->name);
        tv_out_text(out, TV_STR("\n"));
    }
}

/* Whether a reader knows a signature as one; else it needs a column after it. */
static bool is_plain_signature(struct tv_str signature)
{
    return !signature.len || signature.at[0] == '(';
}

static void put_column(struct tv_out *out, struct tv_str text)
{
    tv_out_text(out, TV_STR("\t"));
    tv_out_one_line(out, text);
}

static void put_line_number(struct tv_out *out, int32_t line)
{
    tv_out_text(out, line < 0 ? TV_STR("\t-") : TV_STR("\t"));
    tv_out_decimal(out, line < 0 ? (uint64_t) - (int64_t)line : (uint64_t)line);
}

/* Writes no more columns than the method has, since readers tell the orders of columns by
 * their number. */
void tv_writer_put_method(struct tv_out *out, const struct tv_trace_method *method)
{
    bool has_file = method->file.len || method->line || !is_plain_signature(method->signature);
    tv_out_one_line(out, method->class_name);
    if (!method->name.len && !method->signature.len && has_file) {
        put_column(out, method->file); /* class, file, line: the page of Android 1.x */
        put_line_number(out, method->line);
    } else {
        if (method->name.len || method->signature.len)
            put_column(out, method->name);
        if (method->signature.len || has_file)
            put_column(out, method->signature);
        if (has_file)
            put_column(out, method->file);
        if (method->line)
            put_line_number(out, method->line);
    }
    tv_out_text(out, TV_STR("\n"));
}

static void put_methods(const struct tv_writer *writer, struct tv_out *out)
{
    tv_out_text(out, TV_STR("*methods\n"));
    for (size_t i = 0; i < writer->trace.method_count; i++) {
        uint64_t id;
        if (!tv_writer_method_id(writer, writer->trace.methods[i].id, &id))
            continue;
        tv_out_id(out, id);
        tv_out_text(out, TV_STR("\t"));
        tv_writer_put_method(out, &writer->trace.methods[i]);
    }
}

void tv_writer_put_section(const struct tv_writer *writer, struct tv_out *out, unsigned version,
                           enum tv_section_kind kind)
{
    tv_out_text(out, TV_STR("*version\n"));
    tv_out_decimal(out, version);
    tv_out_text(out, TV_STR("\n"));
    put_options(writer, out, kind);
    if (kind != TV_SECTION_PACKETS_SUMMARY) {
        put_threads(writer, out);
        if (kind == TV_SECTION_TEXT) {
            put_methods(writer, out);
        } else {
            tv_out_text(out, TV_STR("*methods\n"));
        }
    }
    tv_out_text(out, TV_STR("*end\n"));
}

struct tv_str tv_writer_cut(struct tv_str text)
{
    if (text.len > U16_MOST)
        text.len = U16_MOST;
    return text;
}

enum tv_code tv_writer_method_line(struct tv_writer *writer, const struct tv_trace_method *method,
                                   uint64_t new_id, enum tv_writer_id with_id, struct tv_str *line,
                                   struct tv_error *err)
{
    writer->line.len = 0;
    tv_out_init(&writer->line_out, tv_buffer_sink(&writer->line));
    if (with_id == TV_WRITER_WITH_ID) {
        tv_out_id(&writer->line_out, new_id);
        tv_out_text(&writer->line_out, TV_STR("\t"));
    }
    tv_writer_put_method(&writer->line_out, method);
    TV_TRY(tv_out_finish(&writer->line_out, err));
    *line = tv_writer_cut(tv_buffer_view(&writer->line));
    return TV_OK;
}
