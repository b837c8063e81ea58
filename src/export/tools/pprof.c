/*
 * A pprof profile: one sample for each calling context, with its exclusive time on each clock and
 * its calls. What `go tool pprof` reads, and many viewers since.
 *
 * Samples have labels for their thread and process. A method is a function and a location at the
 * method's first line, which is the only line that traces know. The file is one message whose
 * fields may come in any order, so a name is written just before what first needs it.
 *
 * Source: proto/profile.proto of the pprof project.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/bytes/protobuf_out.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"
#include "export/export_context.h"
#include "export/formats.h"

/* Fields of a profile. */
#define SAMPLE_TYPE 1u
#define SAMPLE 2u
#define MAPPING 3u
#define LOCATION 4u
#define FUNCTION 5u
#define STRING_TABLE 6u
#define TIME_NANOS 9u
#define DURATION_NANOS 10u
#define COMMENT 13u
#define DEFAULT_SAMPLE_TYPE 14u
/* Of the type of a value. */
#define TYPE_TYPE 1u
#define TYPE_UNIT 2u
/* Of a sample. */
#define SAMPLE_LOCATION_ID 1u
#define SAMPLE_VALUE 2u
#define SAMPLE_LABEL 3u
/* Of a label. */
#define LABEL_KEY 1u
#define LABEL_STR 2u
#define LABEL_NUM 3u
/* Of a mapping. */
#define MAPPING_ID 1u
#define MAPPING_FILENAME 5u
#define MAPPING_HAS_FUNCTIONS 7u
#define MAPPING_HAS_FILENAMES 8u
#define MAPPING_HAS_LINE_NUMBERS 9u
/* Of a location. */
#define LOCATION_ID 1u
#define LOCATION_MAPPING_ID 2u
#define LOCATION_LINE 4u
/* Of a line of a location. */
#define LINE_FUNCTION_ID 1u
#define LINE_LINE 2u
/* Of a function. */
#define FUNCTION_ID 1u
#define FUNCTION_NAME 2u
#define FUNCTION_SYSTEM_NAME 3u
#define FUNCTION_FILENAME 4u
#define FUNCTION_START_LINE 5u

/* The id of the only mapping: the trace. Readers say what the profile is of by its name. */
#define TRACE_MAPPING 1u

/* A location id as a varint. */
#define ID_MOST 5u
#define IDS_ROOM (TV_EXPORT_STACK_LEVELS * ID_MOST)

/* The stack of the node that was written last. Neighbours in the order of nodes share most of their
 * stacks, so a step costs what it changes, and not the depth. */
struct profile_stack {
    uint32_t nodes[TV_EXPORT_STACK_LEVELS]; /* from the root on: ascending, as callers come first */
    uint32_t begins[TV_EXPORT_STACK_LEVELS];  /* into ids: where the stack up to a node begins */
    uint32_t missing[TV_EXPORT_STACK_LEVELS]; /* callers of a node that are to be added */
    uint32_t depth;
    uint8_t ids[IDS_ROOM]; /* of locations, as samples have them: from the leaf to the end */
};

struct profiling {
    struct tv_export_context *context;
    struct tv_message_out message;
    struct tv_buffer name;
    struct profile_stack *stack;
    uint8_t *is_written; /* one per method: its function and its location */
    uint64_t strings;    /* entries of the string table so far */
    /* Entries of the string table. */
    uint64_t key_thread, key_tid, key_process, key_pid;
    /* Of the thread that is written. */
    uint64_t thread, process;
    uint64_t tid, pid;
};

/* Adds to the table of strings, whose first entry is the empty one. Returns the entry. */
static uint64_t put_string(struct profiling *profiling, struct tv_str text)
{
    if (profiling->strings && !text.len)
        return 0;
    tv_message_text(&profiling->message, STRING_TABLE, text);
    return profiling->strings++;
}

static uint64_t put_literal(struct profiling *profiling, const char *text)
{
    return put_string(profiling, tv_str_from(text));
}

/* The entries of the string table that a function needs, before the function itself. */
struct function_strings {
    uint64_t name, system_name, file;
};

/* Viewers show the short name; the system name tells overloads apart. */
static enum tv_code put_function_strings(struct profiling *profiling,
                                         const struct tv_export_method *method,
                                         struct function_strings *strings, struct tv_error *err)
{
    TV_TRY(tv_export_short_name(method, &profiling->name, err));
    strings->name = put_string(profiling, tv_buffer_view(&profiling->name));
    strings->system_name = strings->name;
    if (method->signature.len) {
        TV_TRY(tv_export_whole_name(method, &profiling->name, err));
        strings->system_name = put_string(profiling, tv_buffer_view(&profiling->name));
    }
    strings->file = put_string(profiling, method->file);
    return TV_OK;
}

/* The id of a method's function and of its location. Methods with most inclusive time have the
 * least ids, since they are in most stacks, where most ids take one byte so. */
static uint64_t id_of(const struct profiling *profiling, uint32_t method_ix)
{
    return (uint64_t)profiling->context->index->methods[method_ix].rank + 1;
}

/* Writes the function and the location of a method, where they are not written yet. */
static enum tv_code put_method(struct profiling *profiling, uint32_t method_ix,
                               struct tv_error *err)
{
    const struct tv_export_method *method = &profiling->context->names.methods[method_ix];
    struct tv_message_out *message = &profiling->message;
    struct function_strings strings;
    const uint64_t id = id_of(profiling, method_ix);
    if (profiling->is_written[method_ix])
        return TV_OK;
    profiling->is_written[method_ix] = 1;
    TV_TRY(put_function_strings(profiling, method, &strings, err));
    tv_message_begin(message, FUNCTION);
    tv_message_number(message, FUNCTION_ID, id);
    tv_message_number(message, FUNCTION_NAME, strings.name);
    tv_message_number(message, FUNCTION_SYSTEM_NAME, strings.system_name);
    if (strings.file)
        tv_message_number(message, FUNCTION_FILENAME, strings.file);
    if (method->line > 0)
        tv_message_number(message, FUNCTION_START_LINE, (uint64_t)method->line);
    tv_message_end(message);
    tv_message_begin(message, LOCATION);
    tv_message_number(message, LOCATION_ID, id);
    tv_message_number(message, LOCATION_MAPPING_ID, TRACE_MAPPING);
    tv_message_begin(message, LOCATION_LINE);
    tv_message_number(message, LINE_FUNCTION_ID, id);
    if (method->line > 0)
        tv_message_number(message, LINE_LINE, (uint64_t)method->line);
    tv_message_end(message);
    tv_message_end(message);
    return TV_OK;
}

/* 0 is the empty string and stands for "no such label". */
static void put_label(struct profiling *profiling, uint64_t key, uint32_t field, uint64_t value)
{
    struct tv_message_out *message = &profiling->message;
    if (!value)
        return;
    tv_message_begin(message, SAMPLE_LABEL);
    tv_message_number(message, LABEL_KEY, key);
    tv_message_number(message, field, value);
    tv_message_end(message);
}

/* One value for each sample type, in their order. */
static void put_values(struct profiling *profiling, uint32_t node)
{
    const struct tv_sums *sums = &profiling->context->stacks.sums;
    struct tv_message_out *message = &profiling->message;
    tv_message_begin(message, SAMPLE_VALUE);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (profiling->context->index->info->has_clock[clock])
            tv_message_packed(message, tv_sums_exclusive(sums, clock, node));
    }
    tv_message_packed(message, tv_sums_calls(sums, node));
    tv_message_end(message);
}

/* The stack is kept as the bytes that will be written, from the end of a room towards its
 * beginning: pprof wants the innermost location first, and pushing a callee then is a copy of a few
 * bytes. */
static enum tv_code push_node(struct profiling *profiling, uint32_t node, struct tv_error *err)
{
    struct profile_stack *stack = profiling->stack;
    uint32_t method_ix = profiling->context->stacks.sums.method[node];
    uint8_t id[TV_LEB_MOST];
    TV_TRY(put_method(profiling, method_ix, err));
    size_t len = tv_store_uleb(id, id_of(profiling, method_ix));
    uint32_t end = stack->depth ? stack->begins[stack->depth - 1] : IDS_ROOM;
    stack->begins[stack->depth] = end - (uint32_t)len;
    memcpy(stack->ids + stack->begins[stack->depth], id, len);
    stack->nodes[stack->depth++] = node;
    return TV_OK;
}

/* Makes the stack that of a node. What stands in it above the node's number are no callers of the
 * node. */
static enum tv_code take_stack(struct profiling *profiling, uint32_t node, struct tv_error *err)
{
    struct profile_stack *stack = profiling->stack;
    const uint32_t *parent = profiling->context->stacks.sums.parent;
    uint32_t missing = 0;
    for (uint32_t at = node; at != TV_NONE; at = parent[at]) {
        while (stack->depth && stack->nodes[stack->depth - 1] > at)
            stack->depth--;
        if (stack->depth && stack->nodes[stack->depth - 1] == at)
            break;
        stack->missing[missing++] = at;
    }
    if (missing && parent[stack->missing[missing - 1]] == TV_NONE)
        stack->depth = 0;
    while (missing)
        TV_TRY(push_node(profiling, stack->missing[--missing], err));
    return TV_OK;
}

/* A sample is one node with its values; the stack of the node before is kept as far as both agree
 * (take_stack). */
static enum tv_code put_node(struct profiling *profiling, uint32_t node, struct tv_error *err)
{
    struct tv_message_out *message = &profiling->message;
    const struct profile_stack *stack = profiling->stack;
    TV_TRY(take_stack(profiling, node, err));
    const uint32_t begin = stack->begins[stack->depth - 1];
    tv_message_begin(message, SAMPLE);
    tv_message_bytes(message, SAMPLE_LOCATION_ID, stack->ids + begin, IDS_ROOM - begin);
    put_values(profiling, node);
    put_label(profiling, profiling->key_thread, LABEL_STR, profiling->thread);
    put_label(profiling, profiling->key_tid, LABEL_NUM, profiling->tid);
    put_label(profiling, profiling->key_process, LABEL_STR, profiling->process);
    put_label(profiling, profiling->key_pid, LABEL_NUM, profiling->pid);
    tv_message_end(message);
    return TV_OK;
}

/* Whether a node has something of its own: a caller may be there for what it called alone. */
static bool has_values(const struct tv_sums *sums, uint32_t node)
{
    uint64_t any = tv_sums_calls(sums, node);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        any |= tv_sums_exclusive(sums, clock, node);
    return any;
}

/* Names of threads and processes are labels, by which pprof can filter and group. */
static enum tv_code put_thread(struct profiling *profiling, uint32_t position, struct tv_error *err)
{
    struct tv_export_context *context = profiling->context;
    const struct tv_index *index = context->index;
    const struct tv_sums *sums = &context->stacks.sums;
    uint32_t thread_ix = tv_export_context_thread(context, position);
    struct tv_node_range nodes = tv_sums_nodes(sums, position);
    if (thread_ix == TV_NONE)
        return TV_OK;
    uint32_t process_ix = index->threads[thread_ix].process;
    TV_TRY(tv_export_thread_label(&context->names, index, thread_ix, &profiling->name, err));
    profiling->thread = put_string(profiling, tv_buffer_view(&profiling->name));
    profiling->process =
        process_ix == TV_NONE ? 0 : put_string(profiling, context->names.processes[process_ix]);
    profiling->tid = index->threads[thread_ix].id;
    profiling->pid = tv_export_pid(&context->names, index, thread_ix);
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        if (has_values(sums, node))
            TV_TRY(put_node(profiling, node, err));
        TV_TRY(tv_export_context_tell(context, tv_sums_calls(sums, node), err));
    }
    return TV_OK;
}

/* The strings are put before the message begins, since a message cannot be interrupted by another.
 */
static uint64_t put_type(struct profiling *profiling, const char *type, const char *unit)
{
    struct tv_message_out *message = &profiling->message;
    uint64_t type_entry = put_literal(profiling, type);
    uint64_t unit_entry = put_literal(profiling, unit);
    tv_message_begin(message, SAMPLE_TYPE);
    tv_message_number(message, TYPE_TYPE, type_entry);
    tv_message_number(message, TYPE_UNIT, unit_entry);
    tv_message_end(message);
    return type_entry;
}

/* The clocks that the trace has, and calls. Readers show first what the question is about; of a
 * wait, the wall time. */
static void put_types(struct profiling *profiling)
{
    static const char *const clock_names[TV_CLOCK_COUNT] = {"wall", "cpu"};
    const struct tv_export_context *context = profiling->context;
    enum tv_measure measure = context->opts->scope.measure;
    enum tv_clock first = measure == TV_MEASURE_CPU ? TV_CLOCK_CPU : TV_CLOCK_WALL;
    uint64_t shown_first = 0;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!context->index->info->has_clock[clock])
            continue;
        uint64_t type = put_type(profiling, clock_names[clock], "nanoseconds");
        if (clock == (unsigned)first)
            shown_first = type;
    }
    (void)put_type(profiling, "calls", "count");
    if (shown_first)
        tv_message_number(&profiling->message, DEFAULT_SAMPLE_TYPE, shown_first);
}

static void put_comment(struct profiling *profiling, const char *text)
{
    tv_message_number(&profiling->message, COMMENT, put_literal(profiling, text));
}

/* Says what of the trace is in the profile, where that is not all. */
static enum tv_code put_part(struct profiling *profiling, struct tv_error *err)
{
    static const char before[] = "a part of the trace: ";
    const struct tv_scope_part part = tv_export_part(profiling->context->opts);
    struct tv_buffer *words = &profiling->name;
    words->len = 0;
    TV_TRY(tv_buffer_append(words, before, sizeof(before) - 1, err));
    TV_TRY(tv_scope_word_part(&part, TV_SCOPE_ALL, words, err));
    if (words->len == sizeof(before) - 1)
        return TV_OK;
    uint64_t entry = put_string(profiling, tv_buffer_view(words));
    tv_message_number(&profiling->message, COMMENT, entry);
    return TV_OK;
}

/* Says whose the times are that are not those of the trace. */
static enum tv_code put_comments(struct profiling *profiling, struct tv_error *err)
{
    const struct tv_export_context *context = profiling->context;
    uint64_t deep_calls = context->stacks.sums.deep_calls;
    char text[128];
    TV_TRY(put_part(profiling, err));
    if (context->opts->scope.selection.has_range)
        put_comment(profiling, "calls are cut at the edges of the range");
    if (context->opts->scope.methods.hidden.len)
        put_comment(profiling, "time of hidden methods is their callers'");
    if (deep_calls) {
        (void)snprintf(text, sizeof(text), "%llu calls are too deep: their time is their callers'",
                       (unsigned long long)deep_calls);
        put_comment(profiling, text);
    }
    return TV_OK;
}

/* A file of pprof has at least one mapping. This one says that functions, files and lines are
 * known, so that pprof does not look for a binary. */
static void put_mapping(struct profiling *profiling)
{
    struct tv_message_out *message = &profiling->message;
    uint64_t file = put_string(profiling, profiling->context->names.file);
    tv_message_begin(message, MAPPING);
    tv_message_number(message, MAPPING_ID, TRACE_MAPPING);
    tv_message_number(message, MAPPING_FILENAME, file);
    tv_message_number(message, MAPPING_HAS_FUNCTIONS, true);
    tv_message_number(message, MAPPING_HAS_FILENAMES, true);
    tv_message_number(message, MAPPING_HAS_LINE_NUMBERS, true);
    tv_message_end(message);
}

/* The date is that of the part's beginning, where the trace has one. */
static void put_times(struct profiling *profiling)
{
    const struct tv_export_context *context = profiling->context;
    const struct tv_selection *selection = &context->opts->scope.selection;
    uint64_t from_ns = selection->has_range ? selection->from_ns : 0;
    uint64_t to_ns = tv_axis_len_ns(context->index);
    uint64_t date_ns = tv_export_context_date_ns(context);
    if (selection->has_range && selection->to_ns < to_ns)
        to_ns = selection->to_ns;
    if (date_ns)
        tv_message_number(&profiling->message, TIME_NANOS, date_ns + from_ns);
    tv_message_number(&profiling->message, DURATION_NANOS, to_ns - from_ns);
}

/* The empty string is number 0, which the format demands; so it is put first. */
static enum tv_code put_profile(struct profiling *profiling, struct tv_error *err)
{
    struct tv_export_context *context = profiling->context;
    TV_TRY(
        tv_alloc_new(context->alloc, &profiling->is_written, context->index->method_count, 1, err));
    TV_TRY(tv_alloc_new(context->alloc, &profiling->stack, 1, sizeof(*profiling->stack), err));
    (void)put_literal(profiling, "");
    put_types(profiling);
    put_times(profiling);
    put_mapping(profiling);
    TV_TRY(put_comments(profiling, err));
    profiling->key_thread = put_literal(profiling, "thread");
    profiling->key_tid = put_literal(profiling, "tid");
    profiling->key_process = put_literal(profiling, "process");
    profiling->key_pid = put_literal(profiling, "pid");
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++)
        TV_TRY(put_thread(profiling, i, err));
    return TV_OK;
}

/* What the walk took is given back here, whatever failed. */
static enum tv_code write_pprof(struct tv_export_context *context, struct tv_error *err)
{
    struct profiling profiling = {.context = context};
    tv_message_init(&profiling.message, &context->out, context->alloc);
    tv_buffer_init(&profiling.name, context->alloc);
    enum tv_code code = put_profile(&profiling, err);
    tv_alloc_release(context->alloc, &profiling.is_written, context->index->method_count, 1);
    tv_alloc_release(context->alloc, &profiling.stack, 1, sizeof(*profiling.stack));
    tv_buffer_release(&profiling.name);
    tv_message_release(&profiling.message);
    return code;
}

const struct tv_export tv_export_pprof = {
    .name = "pprof",
    .suffix = ".pb.gz",
    .media_type = "application/gzip",
    .summary = "a profile of calling contexts, gzip: go tool pprof, speedscope",
    .is_gzip = true,
    .levels_most = TV_EXPORT_STACK_LEVELS,
    .held_names = TV_HELD_UTF8,
    .names_files = true,
    .names_processes = true,
    .write = write_pprof,
};
