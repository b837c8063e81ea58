/*
 * Joins streams; see cli/record/record_join.h, and docs/formats/stream.md for the bytes. Every part
 * is opened twice: first to see which have records, on which clocks, and when the earliest began;
 * then to write its methods, its threads and its records. A part that cannot be read is left out
 * and counted, since the others are worth having.
 */
#include "cli/record/record_join.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/memory/text_map.h"
#include "base/text/out.h"
#include "base/units.h"
#include "cli/file/load.h"
#include "cli/file/output.h"
#include "cli/wording.h"
#include "format/encode.h"
#include "format/joined_properties.h"
#include "format/last_seen.h"

struct joining {
    const struct tv_cli *cli;
    struct tv_record_part *parts;
    size_t count;
    struct tv_record_joined *joined;
    struct tv_out out;
    struct tv_arena arena;             /* of the lines of methods */
    struct tv_text_map number_of_line; /* of a method, without its id */
    uint32_t method_count, thread_count;
    bool has_clock[TV_CLOCK_COUNT]; /* of the first part with records */
    uint64_t start_ns;              /* of the earliest */
    uint64_t end_ns;
    struct tv_joined_properties properties;
    struct tv_text last_seen; /* of threads, by their new numbers */
    bool is_cut_early;
};

/* A part that is being written. */
struct part {
    const struct tv_opened *opened;
    struct tv_str program; /* stands before its threads' names; empty: nothing does */
    struct tv_map number_of_method, number_of_thread;
    uint32_t shift_us; /* that its wall times are later by, modulo 2^32 as the times are */
};

static bool is_joinable(const struct joining *joining, const struct tv_trace *trace)
{
    return trace->fixed.count && trace->unit_ns == TV_NS_PER_US &&
           (!joining->joined->processes ||
            memcmp(trace->has_clock, joining->has_clock, sizeof(joining->has_clock)) == 0);
}

/* Samples of several processes are one part. */
static size_t processes_of(const struct tv_trace *trace)
{
    const uint64_t count = tv_trace_number_of(trace, TV_STR("processes"));
    return count ? (size_t)count : 1;
}

/* Takes what the whole stream needs of a part. */
static void survey(struct joining *joining, struct tv_record_part *part,
                   const struct tv_trace *trace)
{
    const uint64_t start_ns = trace->start_time_ns;
    const uint64_t end_ns = start_ns + trace->elapsed_ns;
    const bool is_first = !joining->joined->processes;
    memcpy(joining->has_clock, trace->has_clock, sizeof(joining->has_clock));
    if (is_first || start_ns < joining->start_ns)
        joining->start_ns = start_ns;
    if (is_first || end_ns > joining->end_ns)
        joining->end_ns = end_ns;
    part->records = trace->fixed.count;
    const bool is_cut = trace->findings.of[TV_FINDING_RECORDING_CUT].count != 0;
    /* What a ring has is written at the end, and is no stream. */
    part->is_whole = (trace->summary.len != 0 || !trace->is_streaming) && !is_cut;
    joining->joined->processes += processes_of(trace);
    joining->joined->cut += !part->is_whole;
    joining->joined->machines += tv_trace_property_of(trace, TV_STR("java-program")).len != 0;
    joining->is_cut_early |= trace->is_cut_early;
    tv_joined_properties_add(&joining->properties, trace);
}

/* Opens a part and calls `work` with it. A file that is no trace is counted and skipped; it is no
 * failure. */
static enum tv_code with_part(struct joining *joining, struct tv_record_part *part,
                              enum tv_code (*work)(struct joining *joining,
                                                   struct tv_record_part *part,
                                                   struct tv_opened *opened, struct tv_error *err),
                              struct tv_error *err)
{
    struct tv_opened opened;
    struct tv_error why = {.code = TV_OK};
    tv_opened_init(&opened, joining->cli->alloc);
    enum tv_code code =
        tv_opened_open(&opened, part->path, &(struct tv_open_opts){.tell = NULL}, &why);
    if (code == TV_OK)
        code = work(joining, part, &opened, err);
    else if (code == TV_ERR_MEMORY)
        code = tv_fail_memory(err, 0);
    else
        code = TV_OK;
    tv_opened_release(&opened);
    return code;
}

static enum tv_code survey_part(struct joining *joining, struct tv_record_part *part,
                                struct tv_opened *opened, struct tv_error *err)
{
    (void)err;
    if (is_joinable(joining, &opened->trace))
        survey(joining, part, &opened->trace);
    else if (opened->trace.fixed.count)
        joining->joined->unread++;
    else if (part->pid)
        joining->joined->empty += opened->trace.is_streaming && !opened->trace.summary.len;
    return TV_OK;
}

static void add_field(struct tv_text *line, struct tv_str field)
{
    tv_text_add_str(line, field);
    tv_text_add(line, "\t");
}

/* Tells a method, unless another part has told the same, and gives its number. */
static enum tv_code tell_method(struct joining *joining, struct part *part,
                                const struct tv_trace_method *method, struct tv_error *err)
{
    struct tv_text line;
    uint32_t *number;
    struct tv_str kept;
    tv_text_init(&line, joining->cli->alloc);
    add_field(&line, method->class_name);
    add_field(&line, method->name);
    add_field(&line, method->signature);
    tv_text_add_str(&line, method->file);
    if (method->line)
        tv_text_add(&line, "\t%d", (int)method->line);
    tv_text_add(&line, "\n");
    const struct tv_str text = tv_text_view(&line);
    enum tv_code code = line.code == TV_OK ? TV_OK : tv_fail_memory(err, text.len);
    if (code == TV_OK)
        code = tv_arena_keep(&joining->arena, text, &kept, err);
    if (code == TV_OK)
        code = tv_text_map_slot(&joining->number_of_line, kept, joining->method_count + 1, &number,
                                err);
    if (code == TV_OK && *number > joining->method_count) {
        char id[24];
        uint8_t head[TV_STREAM_METHOD_HEAD];
        const int id_len = snprintf(id, sizeof(id), "0x%x\t", (unsigned)*number << 2);
        const size_t len = text.len + (size_t)id_len;
        joining->method_count++;
        /* A line in a stream has at most UINT16_MAX bytes, and the new id may be longer than the
         * one that was read with the line. */
        const size_t told = len <= UINT16_MAX ? text.len : UINT16_MAX - (size_t)id_len;
        tv_out_bytes(&joining->out, head,
                     tv_encode_stream_method(head, (uint16_t)(told + (size_t)id_len)));
        tv_out_bytes(&joining->out, id, (size_t)id_len);
        tv_out_bytes(&joining->out, text.at, told);
    }
    if (code == TV_OK)
        code = tv_map_put(&part->number_of_method, method->id, *number, err);
    tv_text_release(&line);
    return code;
}

/* A number for a thread of the part, and its name in the stream. */
static enum tv_code tell_thread(struct joining *joining, struct part *part, uint32_t id,
                                struct tv_str name, struct tv_error *err)
{
    struct tv_text text;
    uint8_t head[TV_STREAM_THREAD_HEAD];
    if (joining->thread_count == UINT16_MAX)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "the processes have more than 65,535 threads together");
    TV_TRY(tv_map_put(&part->number_of_thread, id, ++joining->thread_count, err));
    tv_text_init(&text, joining->cli->alloc);
    if (part->program.len) {
        tv_text_add_str(&text, part->program);
        tv_text_add(&text, ": ");
    }
    tv_text_add_str(&text, name);
    const struct tv_str whole = tv_text_view(&text);
    const size_t len = whole.len < UINT16_MAX ? whole.len : UINT16_MAX;
    tv_out_bytes(&joining->out, head,
                 tv_encode_stream_thread(head, (uint16_t)joining->thread_count, (uint16_t)len));
    tv_out_bytes(&joining->out, whole.at, len);
    tv_text_release(&text);
    return TV_OK;
}

/* The new number of a key's method. One that nothing describes gets a number of its own. */
static enum tv_code method_number(struct joining *joining, struct part *part, uint64_t id,
                                  uint32_t *number, struct tv_error *err)
{
    uint32_t *slot;
    TV_TRY(tv_map_slot(&part->number_of_method, id, joining->method_count + 1, &slot, err));
    if (*slot > joining->method_count)
        joining->method_count = *slot;
    *number = *slot;
    return TV_OK;
}

static enum tv_code put_record(struct joining *joining, struct part *part,
                               const struct tv_batch *batch, size_t i, struct tv_error *err)
{
    uint8_t record[TV_WIRE_TWO_TIMES_RECORD];
    const struct tv_trace *trace = &part->opened->trace;
    const uint32_t key = batch->key_action[i] & ~TV_WIRE_ACTION_MASK;
    const uint32_t thread = batch->thread_id[i];
    const uint32_t wall = (uint32_t)batch->time[TV_CLOCK_WALL][i] + part->shift_us;
    const uint32_t cpu = (uint32_t)batch->time[TV_CLOCK_CPU][i];
    uint32_t number;
    TV_TRY(method_number(joining, part, tv_trace_id_of_key(trace, key), &number, err));
    if (tv_map_get(&part->number_of_thread, thread) == TV_MAP_NONE)
        TV_TRY(tell_thread(joining, part, thread, TV_STR("thread"), err));
    const uint16_t row = (uint16_t)tv_map_get(&part->number_of_thread, thread);
    const uint32_t word = number << 2 | (batch->key_action[i] & TV_WIRE_ACTION_MASK);
    size_t len;
    if (joining->has_clock[TV_CLOCK_WALL] && joining->has_clock[TV_CLOCK_CPU])
        len = tv_encode_two_times_record(record, row, word, cpu, wall);
    else
        len = tv_encode_one_time_record(record, row, word,
                                        joining->has_clock[TV_CLOCK_WALL] ? wall : cpu);
    tv_out_bytes(&joining->out, record, len);
    return TV_OK;
}

static enum tv_code put_records(struct joining *joining, struct part *part,
                                struct tv_opened *opened, struct tv_error *err)
{
    struct tv_batch *batch;
    TV_TRY(tv_alloc_new(joining->cli->alloc, &batch, 1, sizeof(*batch), err));
    enum tv_code code = TV_OK;
    do {
        code = tv_trace_next(&opened->trace, batch, err);
        for (size_t i = 0; code == TV_OK && i < batch->count; i++)
            code = put_record(joining, part, batch, i, err);
    } while (code == TV_OK && batch->count);
    tv_alloc_release(joining->cli->alloc, &batch, 1, sizeof(*batch));
    return code;
}

/* When the part's threads were last seen, on the clock of the whole. */
static void take_last_seen(struct joining *joining, const struct part *part)
{
    const struct tv_trace *trace = &part->opened->trace;
    struct tv_str value = tv_trace_property_of(trace, TV_STR(TV_LAST_SEEN_KEY));
    const uint64_t shift_ns = trace->start_time_ns - joining->start_ns;
    struct tv_last_seen seen;
    while (tv_last_seen_next(&value, &seen)) {
        const uint32_t thread = tv_map_get(&part->number_of_thread, seen.thread);
        if (thread != TV_MAP_NONE)
            tv_text_add(&joining->last_seen, "%s%u:%llu:%llu",
                        tv_text_view(&joining->last_seen).len ? ";" : "", (unsigned)thread,
                        (unsigned long long)(seen.ns[TV_CLOCK_WALL] + shift_ns),
                        (unsigned long long)seen.ns[TV_CLOCK_CPU]);
    }
}

/* Adds what one process recorded to the joined trace. Its times count from its own start, so they
 * are shifted to that of the whole. Threads are named after their process only where there are
 * several. */
static enum tv_code put_part(struct joining *joining, struct tv_record_part *from,
                             struct tv_opened *opened, struct tv_error *err)
{
    const struct tv_trace *trace = &opened->trace;
    const struct tv_str java = tv_trace_property_of(trace, TV_STR("java-program"));
    const struct tv_str program = java.len ? java : tv_trace_property_of(trace, TV_STR("program"));
    struct tv_text name;
    struct part part = {.opened = opened,
                        .shift_us =
                            (uint32_t)((trace->start_time_ns - joining->start_ns) / TV_NS_PER_US)};
    if (!from->records)
        return TV_OK;
    tv_text_init(&name, joining->cli->alloc);
    tv_text_add_str(&name, program);
    tv_text_add(&name, "%s%lu", program.len ? " " : "",
                (unsigned long)(trace->has_pid ? trace->pid : from->pid));
    if (joining->joined->processes > 1 && processes_of(trace) == 1 && name.code == TV_OK)
        part.program = tv_text_view(&name);
    tv_map_init(&part.number_of_method, joining->cli->alloc);
    tv_map_init(&part.number_of_thread, joining->cli->alloc);
    enum tv_code code = name.code == TV_OK ? TV_OK : tv_fail_memory(err, 0);
    for (size_t i = 0; code == TV_OK && i < trace->method_count; i++)
        code = tell_method(joining, &part, &trace->methods[i], err);
    for (size_t i = 0; code == TV_OK && i < trace->thread_count; i++)
        code = tell_thread(joining, &part, trace->threads[i].id, trace->threads[i].name, err);
    if (code == TV_OK)
        code = put_records(joining, &part, opened, err);
    if (code == TV_OK)
        take_last_seen(joining, &part);
    tv_map_release(&part.number_of_thread);
    tv_map_release(&part.number_of_method);
    tv_text_release(&name);
    return code;
}

static void add_properties(struct tv_text *text, const struct tv_joined_properties *properties)
{
    for (size_t i = 0; i < TV_JOINED_PROPERTY_COUNT; i++) {
        const char *key;
        char value[TV_JOINED_PROPERTY_CAP];
        if (tv_joined_properties_get(properties, i, &key, value))
            tv_text_add(text, "%s=%s\n", key, value);
    }
}

/* Writes the summary, which is what a reader believes the clocks by. */
static void put_summary(struct joining *joining)
{
    struct tv_text text;
    uint8_t head[TV_STREAM_SUMMARY_HEAD];
    const bool has_wall = joining->has_clock[TV_CLOCK_WALL];
    const bool has_cpu = joining->has_clock[TV_CLOCK_CPU];
    tv_text_init(&text, joining->cli->alloc);
    tv_text_add(&text, "*version\n%d\ndata-file-overflow=%s\nclock=%s\n",
                has_wall && has_cpu ? 3 : 2, joining->is_cut_early ? "true" : "false",
                !has_cpu    ? "wall"
                : !has_wall ? "thread-cpu"
                            : "dual");
    tv_text_add(&text, "elapsed-time-usec=%llu\n",
                (unsigned long long)((joining->end_ns - joining->start_ns) / TV_NS_PER_US));
    add_properties(&text, &joining->properties);
    const struct tv_str last_seen = tv_text_view(&joining->last_seen);
    if (last_seen.len) {
        tv_text_add(&text, TV_LAST_SEEN_KEY "=");
        tv_text_add_str(&text, last_seen);
        tv_text_add(&text, "\n");
    }
    tv_text_add(&text, "processes=%zu\n*threads\n*methods\n*end\n", joining->joined->processes);
    const struct tv_str whole = tv_text_view(&text);
    tv_out_bytes(&joining->out, head, tv_encode_stream_summary(head, (uint32_t)whole.len));
    tv_out_text(&joining->out, whole);
    tv_text_release(&text);
}

static enum tv_code put_all(struct joining *joining, struct tv_error *err)
{
    uint8_t header[TV_WIRE_HEADER];
    const bool has_both = joining->has_clock[TV_CLOCK_WALL] && joining->has_clock[TV_CLOCK_CPU];
    tv_out_bytes(
        &joining->out, header,
        tv_encode_data_header(header, TV_WIRE_STREAMING | (has_both ? 3u : 2u),
                              joining->start_ns / TV_NS_PER_US,
                              has_both ? TV_WIRE_TWO_TIMES_RECORD : TV_WIRE_ONE_TIME_RECORD));
    for (size_t i = 0; i < joining->count; i++)
        TV_TRY(with_part(joining, &joining->parts[i], put_part, err));
    put_summary(joining);
    return tv_out_finish(&joining->out, err);
}

/* The stream of one process is the whole as it is. */
static enum tv_code take_the_one(const struct joining *joining, const char *path,
                                 struct tv_error *err)
{
    for (size_t i = 0; i < joining->count; i++) {
        const char *from = joining->parts[i].path;
        if (joining->parts[i].records && strcmp(from, path) != 0 && rename(from, path) != 0)
            return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s: %s", path, strerror(errno));
    }
    return TV_OK;
}

enum tv_code tv_record_join(const struct tv_cli *cli, struct tv_record_part *parts, size_t count,
                            const char *path, struct tv_record_joined *joined, struct tv_error *err)
{
    struct joining joining = {.cli = cli, .parts = parts, .count = count, .joined = joined};
    struct tv_output_file output;
    *joined = (struct tv_record_joined){.processes = 0};
    for (size_t i = 0; i < count; i++)
        TV_TRY(with_part(&joining, &parts[i], survey_part, err));
    if (joined->processes < 2)
        return take_the_one(&joining, path, err);
    TV_TRY(tv_output_open(&output, cli, path, TV_OUTPUT_TRACE, err));
    tv_out_init(&joining.out, tv_output_sink(&output));
    tv_arena_init(&joining.arena, cli->alloc);
    tv_text_map_init(&joining.number_of_line, cli->alloc);
    tv_text_init(&joining.last_seen, cli->alloc);
    enum tv_code code = put_all(&joining, err);
    tv_text_release(&joining.last_seen);
    tv_text_map_release(&joining.number_of_line);
    tv_arena_release(&joining.arena);
    return tv_output_close(&output, code, err);
}
