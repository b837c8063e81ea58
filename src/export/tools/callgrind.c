/*
 * The format of callgrind (its manual, "Callgrind Format Specification"), for KCachegrind,
 * QCachegrind and callgrind_annotate: a function for each method with its exclusive nanoseconds on
 * each clock, and its calls of other methods with their count and inclusive nanoseconds.
 *
 * Readers take the inclusive time of a function to be the sum over its callers. So recursive calls
 * are counted and cost nothing: their time is part of that of an outermost call, here as in all
 * views. A thread is a function, too, which calls the methods of its root calls: it shows the
 * thread's time, and gives root calls a caller.
 *
 * Names are compressed: "(7) name" where a name stands first, "(7)" from then on.
 */
#include <string.h>

#include "analysis/profile/edges.h"
#include "base/error.h"
#include "base/memory/text_map.h"
#include "export/export_context.h"
#include "export/formats.h"

struct calling {
    struct tv_export_context *context;
    struct tv_edges edges;
    struct tv_buffer name;
    uint8_t *is_named;        /* by method: its name stands in the output */
    struct tv_numbers *own;   /* by method: its calls and exclusive times */
    uint32_t *file_of_method; /* by method: the number of its file; 0: not known yet */
    struct tv_text_map files; /* their numbers by name */
    uint32_t file_count;
    enum tv_clock clocks[TV_CLOCK_COUNT]; /* the events, in the order of the lines */
    unsigned clock_count;
};

static const char *const event_names[TV_CLOCK_COUNT] = {
    [TV_CLOCK_WALL] = "Wall_ns",
    [TV_CLOCK_CPU] = "CPU_ns",
};

/* The clock of the scope is the first event, which readers sort by. */
static void choose_clocks(struct calling *calling)
{
    const struct tv_export_context *context = calling->context;
    bool is_cpu_first = context->opts->scope.measure == TV_MEASURE_CPU;
    const enum tv_clock order[] = {is_cpu_first ? TV_CLOCK_CPU : TV_CLOCK_WALL,
                                   is_cpu_first ? TV_CLOCK_WALL : TV_CLOCK_CPU};
    for (unsigned i = 0; i < TV_CLOCK_COUNT; i++) {
        if (context->index->info->has_clock[order[i]])
            calling->clocks[calling->clock_count++] = order[i];
    }
}

static void put_name(struct calling *calling, struct tv_str name)
{
    struct tv_export_context *context = calling->context;
    if (tv_out_name(&context->out, name))
        context->result->changes[TV_EXPORT_NAMES_CHANGED]++;
}

/* "fl=(3) Main.java", with the word of the line that is wanted. */
static void put_file(struct calling *calling, const char *word, uint32_t file, struct tv_str name)
{
    struct tv_out *out = &calling->context->out;
    if (!file) {
        tv_out_add(out, "%s=???\n", word); /* what callgrind calls a file that it does not know */
        return;
    }
    tv_out_add(out, "%s=(%u)", word, file);
    if (file > calling->file_count) {
        calling->file_count = file;
        tv_out_text(out, TV_STR(" "));
        put_name(calling, name);
    }
    tv_out_text(out, TV_STR("\n"));
}

/* The file of a method. Its name is looked up once: it may be long, and stand before many calls. */
static enum tv_code put_file_of(struct calling *calling, const char *word, uint32_t method_ix,
                                struct tv_error *err)
{
    uint32_t *file = &calling->file_of_method[method_ix];
    struct tv_str name = calling->context->names.methods[method_ix].file;
    uint32_t *slot;
    if (!*file && name.len) {
        TV_TRY(tv_text_map_slot(&calling->files, name, calling->file_count + 1, &slot, err));
        *file = *slot;
    }
    put_file(calling, word, *file, name);
    return TV_OK;
}

/* "fn=(7) com.example.Main.run ()V" */
static enum tv_code put_method(struct calling *calling, const char *word, uint32_t method_ix,
                               struct tv_error *err)
{
    struct tv_out *out = &calling->context->out;
    tv_out_add(out, "%s=(%u)", word, method_ix + 1);
    if (!calling->is_named[method_ix]) {
        calling->is_named[method_ix] = 1;
        TV_TRY(
            tv_export_whole_name(&calling->context->names.methods[method_ix], &calling->name, err));
        tv_out_text(out, TV_STR(" "));
        put_name(calling, tv_buffer_view(&calling->name));
    }
    tv_out_text(out, TV_STR("\n"));
    return TV_OK;
}

static unsigned line_of(const struct calling *calling, uint32_t method_ix)
{
    int32_t line = calling->context->names.methods[method_ix].line;
    return line > 0 ? (unsigned)line : 0;
}

/* A line of a file, and what it cost on each clock. */
static void put_cost(const struct calling *calling, unsigned line,
                     const uint64_t times_ns[TV_CLOCK_COUNT])
{
    struct tv_out *out = &calling->context->out;
    tv_out_decimal(out, line);
    for (unsigned i = 0; i < calling->clock_count; i++) {
        tv_out_text(out, TV_STR(" "));
        tv_out_decimal(out, times_ns[calling->clocks[i]]);
    }
    tv_out_text(out, TV_STR("\n"));
}

/* The calls of a method by the function that is being written. */
static enum tv_code put_calls(struct calling *calling, uint32_t callee, unsigned from_line,
                              const struct tv_numbers *numbers, struct tv_error *err)
{
    TV_TRY(put_file_of(calling, "cfi", callee, err));
    TV_TRY(put_method(calling, "cfn", callee, err));
    tv_out_add(&calling->context->out, "calls=%llu %u\n", (unsigned long long)numbers->calls,
               line_of(calling, callee));
    put_cost(calling, from_line, numbers->inclusive_ns);
    return tv_export_context_tell(calling->context, numbers->calls, err);
}

/* Adds calls to those of an edge: a recursive one adds no time. */
static void add_calls(struct tv_numbers *sum, const struct tv_numbers *numbers, bool is_recursive)
{
    sum->calls += numbers->calls;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        sum->inclusive_ns[clock] += is_recursive ? 0 : numbers->inclusive_ns[clock];
}

/* Writes a method, whose calls of others are the edges from *at on. */
static enum tv_code put_function(struct calling *calling, uint32_t method_ix, size_t *at,
                                 struct tv_error *err)
{
    const struct tv_edges *edges = &calling->edges;
    unsigned line = line_of(calling, method_ix);
    tv_out_text(&calling->context->out, TV_STR("\n"));
    TV_TRY(put_file_of(calling, "fl", method_ix, err));
    TV_TRY(put_method(calling, "fn", method_ix, err));
    put_cost(calling, line, calling->own[method_ix].exclusive_ns);
    while (*at < edges->count && edges->of[*at].caller == method_ix) {
        uint32_t callee = edges->of[*at].callee;
        struct tv_numbers sum = {.calls = 0};
        for (; *at < edges->count && edges->of[*at].caller == method_ix &&
               edges->of[*at].callee == callee;
             ++*at)
            add_calls(&sum, &edges->of[*at].numbers, edges->of[*at].is_callee_recursive);
        TV_TRY(put_calls(calling, callee, line, &sum, err));
    }
    return TV_OK;
}

/* A function without calls and without time would only be a line more in KCachegrind's list. */
static enum tv_code put_functions(struct calling *calling, struct tv_error *err)
{
    uint32_t count = calling->context->index->method_count;
    size_t at = 0;
    for (uint32_t method_ix = 0; method_ix < count; method_ix++) {
        if (calling->own[method_ix].calls || calling->own[method_ix].inclusive_ns[0] ||
            calling->own[method_ix].inclusive_ns[1])
            TV_TRY(put_function(calling, method_ix, &at, err));
    }
    return TV_OK;
}

/* Writes a thread as a function that took no time itself. */
static enum tv_code put_thread(struct calling *calling, uint32_t position, struct tv_error *err)
{
    struct tv_export_context *context = calling->context;
    const struct tv_sums *sums = &context->stacks.sums;
    const struct tv_numbers nothing = {.calls = 0};
    struct tv_node_range nodes = tv_sums_nodes(sums, position);
    uint32_t thread_ix = tv_export_context_thread(context, position);
    if (thread_ix == TV_NONE)
        return TV_OK;
    tv_out_text(&context->out, TV_STR("\n"));
    put_file(calling, "fl", 0, TV_STR(""));
    tv_out_add(&context->out, "fn=(%u) thread %u ", context->index->method_count + 1 + thread_ix,
               context->index->threads[thread_ix].id);
    put_name(calling, context->names.threads[thread_ix]);
    tv_out_text(&context->out, TV_STR("\n"));
    put_cost(calling, 0, nothing.exclusive_ns);
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        struct tv_numbers numbers = tv_sums_numbers(sums, node);
        if (sums->parent[node] == TV_NONE && tv_sums_is_touched(sums, node))
            TV_TRY(put_calls(calling, sums->method[node], 0, &numbers, err));
    }
    return TV_OK;
}

/* `summary` is what KCachegrind takes as 100 %. Time of hidden packages is not in the file, so it
 * is not in the sum. */
static void put_head(struct calling *calling)
{
    struct tv_export_context *context = calling->context;
    const struct tv_sums *sums = &context->stacks.sums;
    struct tv_out *out = &context->out;
    tv_out_text(out, TV_STR("# callgrind format\nversion: 1\ncreator: traceview\ncmd: "));
    put_name(calling, context->names.file);
    tv_out_text(out, TV_STR("\npositions: line\n"
                            "event: Wall_ns : Wall time, ns\nevent: CPU_ns : CPU time, ns\n"
                            "events:"));
    for (unsigned i = 0; i < calling->clock_count; i++)
        tv_out_add(out, " %s", event_names[calling->clocks[i]]);
    tv_out_text(out, TV_STR("\nsummary:"));
    for (unsigned i = 0; i < calling->clock_count; i++)
        tv_out_add(out, " %llu",
                   (unsigned long long)(sums->total_ns[calling->clocks[i]] -
                                        sums->hidden_ns[calling->clocks[i]]));
    tv_out_text(out, TV_STR("\n"));
}

/* The own time of a method is added up over the edges that lead to it, so a method and its calls
 * come from the same numbers. */
static enum tv_code write_all(struct calling *calling, struct tv_error *err)
{
    struct tv_export_context *context = calling->context;
    uint32_t method_count = context->index->method_count;
    choose_clocks(calling);
    if (!calling->clock_count)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "this trace has no times, and callgrind's format needs some");
    TV_TRY(tv_alloc_new(context->alloc, &calling->is_named, method_count, 1, err));
    TV_TRY(tv_alloc_new(context->alloc, &calling->file_of_method, method_count,
                        sizeof(*calling->file_of_method), err));
    TV_TRY(tv_alloc_new(context->alloc, &calling->own, method_count, sizeof(*calling->own), err));
    TV_TRY(tv_edges_compute(&calling->edges, &context->stacks.sums, err));
    for (size_t i = 0; i < calling->edges.count; i++)
        tv_numbers_add(&calling->own[calling->edges.of[i].callee], &calling->edges.of[i].numbers);
    put_head(calling);
    TV_TRY(put_functions(calling, err));
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++)
        TV_TRY(put_thread(calling, tv_export_context_position(context, i), err));
    return TV_OK;
}

/* Tables of the size of the methods, which are given back here whatever failed. */
static enum tv_code write_callgrind(struct tv_export_context *context, struct tv_error *err)
{
    struct calling calling = {.context = context};
    uint32_t method_count = context->index->method_count;
    tv_edges_init(&calling.edges, context->alloc);
    tv_buffer_init(&calling.name, context->alloc);
    tv_text_map_init(&calling.files, context->alloc);
    enum tv_code code = write_all(&calling, err);
    tv_alloc_release(context->alloc, &calling.own, method_count, sizeof(*calling.own));
    tv_alloc_release(context->alloc, &calling.file_of_method, method_count,
                     sizeof(*calling.file_of_method));
    tv_alloc_release(context->alloc, &calling.is_named, method_count, 1);
    tv_text_map_release(&calling.files);
    tv_buffer_release(&calling.name);
    tv_edges_release(&calling.edges);
    return code;
}

const struct tv_export tv_export_callgrind = {
    .name = "callgrind",
    .suffix = ".callgrind",
    .media_type = "text/plain; charset=utf-8",
    .summary = "calls and times of each caller and callee: KCachegrind",
    .is_text = true,
    .write = write_callgrind,
};
