/*
 * The sections behind the columns of calls; see index/build/tables.h.
 *
 * Nodes get their methods first, because the number of methods must be known before the block is
 * made longer. Then the tables of the trace are copied, with all text behind each other in TEXT;
 * the structs have offsets into it. Last come the steps that add up: nodes, methods, threads, the
 * whole trace.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/memory/text_map.h"
#include "base/names/java_names.h"
#include "format/source_findings.h"
#include "index/block.h"
#include "index/build/builder.h"
#include "index/build/context_tree.h"
#include "index/build/long_durations.h"
#include "index/build/methods.h"
#include "index/build/node_sums.h"
#include "index/build/sampling.h"
#include "index/build/tables.h"
#include "index/segment_groups.h"

/* CPU time that a thread may seem to take beyond its wall time (docs/numbers.md, "Findings"). */
#define CPU_STEP_NS 20000000u

/* What the functions below share. */
struct tables {
    struct tv_layout *layout;
    struct tv_builder *builder;
    struct tv_trace *trace;
    struct tv_index *index;
    struct tv_method_list methods;
    uint64_t text_len; /* bytes of TEXT that are written */
    bool has_sums;     /* the trees of all threads have sums, so no row has to be added up */
};

/* Bytes of all text of the index, or a little more. */
static uint64_t text_len_of(const struct tables *tables)
{
    const struct tv_trace *trace = tables->trace;
    uint64_t len = trace->vm.len;
    for (size_t i = 0; i < trace->thread_count; i++)
        len += trace->threads[i].name.len;
    for (size_t i = 0; i < trace->process_count; i++)
        len += trace->processes[i].name.len;
    for (size_t i = 0; i < trace->property_count; i++)
        len += trace->properties[i].key.len + trace->properties[i].value.len;
    for (size_t i = 0; i < trace->method_count; i++) {
        const struct tv_trace_method *m = &trace->methods[i];
        len += tv_java_class_len(m->class_name) + m->name.len + m->signature.len + m->file.len +
               m->alternatives.len + m->inlined.len + m->written.len;
    }
    /* A method that nothing describes is shown by its id: "(0x", at most 16 digits, ")". */
    return len + tables->methods.unknown_count * 20;
}

/* Makes the block whole, and clears the sections that are added to or not written wholly. */
static enum tv_code extend_block(struct tables *tables, const struct tv_pool *pool,
                                 struct tv_error *err)
{
    struct tv_layout *layout = tables->layout;
    uint64_t counts[TV_SECTION_COUNT] = {0};
    tv_layout_column_counts(layout, counts);
    counts[TV_SECTION_INFO] = 1;
    counts[TV_SECTION_PROPERTIES] = tables->trace->property_count;
    counts[TV_SECTION_PROCESSES] = tables->trace->process_count;
    counts[TV_SECTION_METHODS] = tables->trace->method_count + tables->methods.unknown_count;
    counts[TV_SECTION_METHOD_OF_RANK] = counts[TV_SECTION_METHODS];
    for (unsigned i = TV_SECTION_NODE_METHOD; i < TV_SECTION_NODE_CALLS; i++)
        counts[i] = layout->node_count;
    for (unsigned i = TV_SECTION_NODE_CALLS; i <= TV_SECTION_NODE_EXCLUSIVE_CPU; i++)
        counts[i] = layout->node_count * (layout->has_wide_sums ? 2 : 1);
    counts[TV_SECTION_LONG_CALLS] = tv_long_durations_total(layout);
    counts[TV_SECTION_MIPMAP_STARTS] = layout->mipmap_words;
    counts[TV_SECTION_MIPMAP_LENS] = layout->mipmap_words;
    counts[TV_SECTION_TEXT] = text_len_of(tables);
    if (counts[TV_SECTION_METHODS] >= TV_NONE)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than 2^32 methods");
    TV_TRY(tv_block_make(tables->index, tables->builder->alloc, counts, TV_SECTION_COUNT, err));
    tv_layout_find(layout, tables->index);
    /* All other sections are written as a whole. */
    tv_block_clear(tables->index, TV_SECTION_INFO, TV_SECTION_METHOD_OF_RANK, pool);
    if (!tables->has_sums)
        tv_block_clear(tables->index, TV_SECTION_NODE_CALLS, TV_SECTION_NODE_INCLUSIVE_CPU, pool);
    return TV_OK;
}

/* Copies a text behind those that are there; returns its offset in TEXT. */
static uint64_t add_text(struct tables *tables, struct tv_str text)
{
    char *to = tv_block_section(tables->index, TV_SECTION_TEXT);
    uint64_t off = tables->text_len;
    if (text.len)
        memcpy(to + off, text.at, text.len);
    tables->text_len += text.len;
    return off;
}

/* Writes the Java name of a class behind the texts that are there; returns its offset in TEXT. */
static uint64_t add_class(struct tables *tables, struct tv_str class_name)
{
    char *to = tv_block_section(tables->index, TV_SECTION_TEXT);
    uint64_t off = tables->text_len;
    tv_java_class_write(class_name, to + off);
    tables->text_len += tv_java_class_len(class_name);
    return off;
}

/* The texts of one method stand side by side in TEXT. */
static void write_method(struct tables *tables, const struct tv_trace_method *from,
                         struct tv_index_method *to)
{
    to->id = from->id;
    to->class_len = (uint32_t)tv_java_class_len(from->class_name);
    to->name_len = (uint32_t)from->name.len;
    to->signature_len = (uint32_t)from->signature.len;
    to->file_len = (uint32_t)from->file.len;
    to->line = from->line;
    to->class_off = add_class(tables, from->class_name);
    to->name_off = add_text(tables, from->name);
    to->signature_off = add_text(tables, from->signature);
    to->file_off = add_text(tables, from->file);
    to->is_synthesized = (uint8_t)from->is_synthesized;
    (void)add_text(tables, from->alternatives);
    (void)add_text(tables, from->inlined);
    to->inlined_len = (uint32_t)from->inlined.len;
    to->written_len = (uint32_t)from->written.len;
    to->written_off = add_text(tables, from->written);
}

/* The described methods, then the unknown ones, each with its id for a name. */
static void write_methods(struct tables *tables)
{
    struct tv_index_method *methods = tv_block_section(tables->index, TV_SECTION_METHODS);
    size_t known = tables->trace->method_count;
    for (size_t i = 0; i < known; i++) {
        write_method(tables, &tables->trace->methods[i], &methods[i]);
        methods[i].is_known = 1;
    }
    for (size_t i = 0; i < tables->methods.unknown_count; i++) {
        char hex[24];
        uint64_t id = tables->methods.unknown_ids[i];
        int len = snprintf(hex, sizeof(hex), "(0x%llx)", (unsigned long long)id);
        struct tv_str name =
            id == TV_METHOD_ID_UNKNOWN ? TV_STR("(unknown)") : (struct tv_str){hex, (size_t)len};
        struct tv_trace_method method = {.id = id, .class_name = name};
        write_method(tables, &method, &methods[known + i]);
    }
}

static void write_properties(struct tables *tables)
{
    struct tv_index_property *out = tv_block_section(tables->index, TV_SECTION_PROPERTIES);
    for (size_t i = 0; i < tables->trace->property_count; i++) {
        const struct tv_trace_property *from = &tables->trace->properties[i];
        out[i].key_off = add_text(tables, from->key);
        out[i].key_len = from->key.len;
        out[i].value_off = add_text(tables, from->value);
        out[i].value_len = from->value.len;
    }
}

static void write_processes(struct tables *tables)
{
    struct tv_index_process *out = tv_block_section(tables->index, TV_SECTION_PROCESSES);
    for (size_t i = 0; i < tables->trace->process_count; i++) {
        const struct tv_trace_process *from = &tables->trace->processes[i];
        out[i].id = from->id;
        out[i].name_off = add_text(tables, from->name);
        out[i].name_len = from->name.len;
    }
}

/* Adds the names of threads, and clears the room of TEXT that is left. All else of threads stands
 * in the block already. */
static void write_names(struct tables *tables)
{
    struct tv_index_thread *threads = tables->layout->out;
    for (size_t i = 0; i < tables->trace->thread_count; i++) {
        threads[i].name_off = add_text(tables, tables->trace->threads[i].name);
        threads[i].name_len = tables->trace->threads[i].name.len;
    }
    char *text = tv_block_section(tables->index, TV_SECTION_TEXT);
    memset(text + tables->text_len, 0, (size_t)(tables->index->text_len - tables->text_len));
}

/* Adds the inclusive times of root nodes to the total of their thread. */
static void sum_roots(const struct tv_index *index, struct tv_index_thread *thread)
{
    for (uint32_t i = 0; i < thread->node_count; i++) {
        uint32_t node = thread->node_first + i;
        if (index->node_parent[node] != TV_NONE)
            continue;
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            thread->root_total[clock] += tv_index_node_inclusive(index, clock, node);
    }
}

/* When the last is known of a thread: its last record, or the end of calls that are open then. */
static uint64_t end_of(const struct tv_index *index, const struct tv_index_thread *thread,
                       enum tv_clock clock)
{
    if (!thread->open_depth)
        return thread->last[clock];
    const struct tv_index_row *row = &index->rows[thread->row_first];
    const uint64_t call = row->call_first + row->call_count - 1;
    const uint64_t end =
        tv_index_start(index, thread, clock, call) + tv_index_duration(index, thread, clock, call);
    return end > thread->last[clock] ? end : thread->last[clock];
}

/* Adds the numbers of threads up for the whole trace. */
static void sum_threads(struct tables *tables)
{
    struct tv_index_info *info = tv_block_section(tables->index, TV_SECTION_INFO);
    struct tv_index_thread *threads = tv_block_section(tables->index, TV_SECTION_THREADS);
    const struct tv_index *index = tables->index;
    enum tv_clock axis = tv_index_axis(index);
    for (uint32_t i = 0; i < index->thread_count; i++) {
        struct tv_index_thread *thread = &threads[i];
        sum_roots(index, thread);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            info->total[clock] += thread->root_total[clock];
        info->records += thread->records;
        info->calls += thread->calls;
        const uint64_t end = thread->records ? end_of(index, thread, axis) : 0;
        if (end > info->axis_len)
            info->axis_len = end;
    }
}

/* Whether the clocks of a thread tell how long it ran: what fell, wrapped or was lowered may not,
 * nor may a wall clock that can have wrapped once more while the thread logged nothing. */
static bool has_sure_clocks(const struct tv_trace *trace, const struct tv_build_thread *thread)
{
    const uint64_t high = (uint64_t)thread->clock[TV_CLOCK_WALL].high + thread->wall_multiple;
    const uint64_t elapsed = tv_trace_elapsed(trace);
    const bool may_wrap = trace->clock_bits == 32 && elapsed > high && (elapsed - high) >> 32;
    return !thread->has_fallen[TV_CLOCK_WALL] && !thread->has_fallen[TV_CLOCK_CPU] &&
           !thread->has_wrapped && !thread->is_too_far && !may_wrap;
}

/* Whether some thread took more than twice as much CPU time as wall time, which none does: then one
 * of the clocks has another unit than the file says. Some CPU clocks have steps of up to 16 ms, so
 * it must be more than that, too. */
static bool is_unit_suspect(const struct tv_builder *b)
{
    const uint64_t step = CPU_STEP_NS / b->trace->unit_ns;
    if (!b->trace->has_clock[TV_CLOCK_WALL] || !b->trace->has_clock[TV_CLOCK_CPU])
        return false;
    for (size_t i = 0; i < b->thread_count; i++) {
        const struct tv_thread_clock *clock = b->threads[i]->clock;
        uint64_t wall = (uint64_t)(clock[TV_CLOCK_WALL].high - clock[TV_CLOCK_WALL].first);
        uint64_t cpu = (uint64_t)(clock[TV_CLOCK_CPU].high - clock[TV_CLOCK_CPU].first);
        if (cpu / 2 > wall && cpu - wall > step && has_sure_clocks(b->trace, b->threads[i]))
            return true;
    }
    return false;
}

/* Writes what is known before nodes are added up, because the accessors need it for that. */
static void write_info(struct tables *tables)
{
    const struct tv_trace *trace = tables->trace;
    struct tv_index_info *info = tv_block_section(tables->index, TV_SECTION_INFO);
    memcpy(info->format_name, trace->format_name, sizeof(info->format_name));
    info->version = trace->version;
    info->is_streaming = trace->is_streaming;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        info->has_clock[clock] = trace->has_clock[clock];
    info->has_common_axis = trace->has_common_axis;
    info->unit_ns = trace->unit_ns;
    info->is_cut_early = trace->is_cut_early;
    info->has_pid = trace->has_pid;
    info->pid = trace->pid;
    info->property_count = (uint32_t)trace->property_count;
    info->start_time_ns = trace->start_time_ns;
    info->clock_overhead_ns = trace->clock_overhead_ns;
    info->file_len = trace->len;
    info->packed_len = trace->opts.packed_len;
    info->vm_off = add_text(tables, trace->vm);
    info->vm_len = trace->vm.len;
}

/* Puts the findings of the reader and of the builder together, and whether the trace was sampled,
 * which needs one of them. Without an elapsed time in the header, the measured one takes its place.
 */
static enum tv_code write_findings(struct tables *tables, struct tv_error *err)
{
    struct tv_index_info *info = tv_block_section(tables->index, TV_SECTION_INFO);
    const bool is_suspect = is_unit_suspect(tables->builder);
    bool is_sampled;
    TV_TRY(tv_sampling_find(&is_sampled, tables->builder, is_suspect, err));
    info->is_sampled = is_sampled;
    if (is_suspect)
        tv_findings_add(&tables->builder->findings, TV_FINDING_UNIT_SUSPECT, 1, TV_NO_OFFSET);
    if (tv_index_has_idle_cpu(tables->index))
        tv_findings_add(&tables->builder->findings, TV_FINDING_CPU_CLOCK_IDLE, 1, TV_NO_OFFSET);
    info->findings = tables->trace->findings;
    tv_findings_join(&info->findings, &tables->builder->findings);
    tv_source_findings_take(tv_trace_property_of(tables->trace, TV_STR(TV_SOURCE_FINDINGS_KEY)),
                            &info->findings);
    info->has_elapsed = tables->trace->has_elapsed;
    info->elapsed_ns =
        tables->trace->has_elapsed ? tables->trace->elapsed_ns : info->axis_len * info->unit_ns;
    return TV_OK;
}

/* Marks the methods with calls that have one whole name. The class, name and signature of a method
 * stand side by side in TEXT, and are compared as they stand there. */
static enum tv_code mark_same_names(struct tables *tables, struct tv_error *err)
{
    struct tv_index_method *methods = tv_block_section(tables->index, TV_SECTION_METHODS);
    struct tv_text_map first_of;
    enum tv_code code = TV_OK;
    tv_text_map_init(&first_of, tables->builder->alloc);
    for (uint32_t i = 0; code == TV_OK && i < tables->index->info->ranked_count; i++) {
        const uint32_t ix = tables->index->method_of_rank[i];
        struct tv_index_method *method = &methods[ix];
        const size_t len = (size_t)method->class_len + method->name_len + method->signature_len;
        uint32_t *first;
        code = tv_text_map_slot(&first_of, tv_index_text(tables->index, method->class_off, len), ix,
                                &first, err);
        if (code == TV_OK && *first != ix)
            method->shares_name = methods[*first].shares_name = 1;
    }
    tv_text_map_release(&first_of);
    return code;
}

/* The order is forced: the size of the block follows from the number of methods, sums need the
 * methods of all nodes, and ranks need to know which clock moves. */
enum tv_code tv_tables_write(struct tv_layout *layout, struct tv_builder *builder,
                             const struct tv_pool *pool, struct tv_index *index,
                             struct tv_error *err)
{
    struct tables tables = {
        .layout = layout, .builder = builder, .trace = builder->trace, .index = index};
    tables.has_sums = true;
    for (size_t i = 0; i < builder->thread_count; i++)
        tables.has_sums &= builder->threads[i]->nodes.sums != NULL;
    struct tv_node_pieces pieces;
    TV_TRY(tv_trace_rename_methods(builder->trace, err));
    TV_TRY(tv_context_tree_cut(layout, &pieces, err));
    enum tv_code code = tv_methods_resolve(&tables.methods, builder, layout, &pieces, pool, err);
    if (code == TV_OK)
        code = extend_block(&tables, pool, err);
    if (code == TV_OK) {
        write_info(&tables);
        write_properties(&tables);
        write_processes(&tables);
        write_methods(&tables);
        tv_methods_release(&tables.methods); /* the steps below need the memory */
        write_names(&tables);
        tv_long_durations_write(layout, layout->out,
                                tv_block_section(index, TV_SECTION_LONG_CALLS));
        code = tv_node_sums_write(layout, &pieces, pool, index, err);
    }
    if (code == TV_OK) {
        sum_threads(&tables); /* ranks depend on which clock moves */
        code = tv_methods_profile(index, pool, builder->alloc, err);
    }
    if (code == TV_OK)
        code = mark_same_names(&tables, err);
    if (code == TV_OK)
        code = write_findings(&tables, err);
    if (code == TV_OK)
        tv_layout_clear_gaps(layout, index);
    tv_methods_release(&tables.methods);
    tv_alloc_release(layout->alloc, &pieces.at, pieces.count, sizeof(*pieces.at));
    return code;
}
