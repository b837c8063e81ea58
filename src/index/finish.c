/*
 * What the builder gathered becomes the block: open calls are closed, wall clocks of late threads moved to their
 * multiple of 2^32, rows copied into columns and their pages released one by one.
 *
 * Rows are copied by the pool: a node lies on one row, so no two tasks add to the same sum.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/finding.h"
#include "index/block.h"
#include "index/build.h"
#include "index/folds.h"
#include "index/methods.h"
#include "index/tree.h"

/* A finished thread: a line of the file, or an id that only records name; build NULL without records. */
struct final_thread {
    uint32_t id;
    bool is_listed;
    struct tv_str name;
    struct tv_build_thread *build;
};

struct finish {
    struct tv_builder *builder;
    struct tv_trace *trace;
    struct tv_index *index;
    struct tv_method_list methods;
    struct final_thread *threads;
    size_t thread_count, thread_cap;
    uint64_t wall_end; /* units: the latest wall time of any record, where threads' walls compare */
    uint64_t times_len;
    uint64_t text_len;
    uint32_t *thread_of_row; /* for the row tasks */
    size_t row_cap;
};

static uint64_t wall_multiple_of(const struct tv_builder *b, const struct tv_build_thread *thread)
{
    const struct tv_trace *trace = b->trace;
    const struct tv_thread_clock *wall = &thread->clock[TV_CLOCK_WALL];
    if (!trace->has_clock[TV_CLOCK_WALL] || !trace->has_common_axis || trace->clock_bits != 32 ||
        !trace->has_elapsed || thread->before_ix == TV_NONE)
        return 0;
    uint64_t elapsed = trace->elapsed_ns / trace->unit_ns;
    uint64_t before =
        (uint64_t)thread->before_wall + b->threads[thread->before_ix]->wall_multiple;
    if ((uint64_t)wall->high > elapsed || before <= (uint64_t)wall->first)
        return 0;
    uint64_t ahead = before - (uint64_t)wall->first;
    uint64_t nearest = (ahead >> 32) + ((ahead & UINT32_MAX) > 0x80000000u);
    uint64_t largest = (elapsed - (uint64_t)wall->high) >> 32;
    return (nearest < largest ? nearest : largest) << 32;
}

static void place_clocks(struct finish *f)
{
    for (size_t i = 0; i < f->builder->thread_count; i++) {
        struct tv_build_thread *thread = f->builder->threads[i];
        thread->wall_multiple = wall_multiple_of(f->builder, thread);
        uint64_t end = (uint64_t)thread->clock[TV_CLOCK_WALL].high + thread->wall_multiple;
        if (end > f->wall_end)
            f->wall_end = end;
    }
}

/* The end of calls still open, since the thread's first record. */
static uint64_t open_end(const struct finish *f, const struct tv_build_thread *thread,
                         enum tv_clock clock)
{
    const struct tv_thread_clock *own = &thread->clock[clock];
    if (clock == TV_CLOCK_CPU || !f->trace->has_common_axis)
        return (uint64_t)(own->high - own->first);
    return f->wall_end - thread->wall_multiple - (uint64_t)own->first;
}

/* Adds the time from the last record to the end as a segment of the call on top. */
static void end_last_segment(struct tv_build_thread *thread, uint64_t axis_end)
{
    struct tv_build_fold *fold = &thread->fold;
    uint64_t len = axis_end - thread->segment_start;
    fold->segments++;
    if (fold->longest_depth != TV_NONE && len <= fold->longest_len)
        return;
    fold->longest_len = len;
    fold->longest_start = thread->segment_start;
    fold->longest_depth = (uint32_t)thread->depth - 1;
    fold->longest_epoch = (uint32_t)thread->adopter_count;
    fold->longest_ordinal = thread->rows[thread->depth - 1].count - 1;
}

static void fill_open_call(const struct tv_build_thread *thread, struct tv_row *row,
                           const uint64_t end[TV_CLOCK_COUNT])
{
    if (!thread->is_wide) {
        struct tv_narrow_call call;
        memcpy(&call, row->tail, sizeof(call));
        call.time[1] = (uint32_t)end[0] - call.time[0];
        call.time[3] = (uint32_t)end[1] - call.time[2];
        memcpy(row->tail, &call, sizeof(call));
        return;
    }
    struct tv_wide_call call;
    memcpy(&call, row->tail, sizeof(call));
    call.time[1] = end[0] - call.time[0];
    call.time[3] = end[1] - call.time[2];
    memcpy(row->tail, &call, sizeof(call));
}

static enum tv_code close_thread(struct finish *f, struct tv_build_thread *thread,
                                 struct tv_error *err)
{
    const struct tv_alloc *alloc = f->builder->alloc;
    enum tv_clock axis = f->trace->has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    if (thread->depth) {
        const uint64_t end[TV_CLOCK_COUNT] = {open_end(f, thread, TV_CLOCK_WALL),
                                              open_end(f, thread, TV_CLOCK_CPU)};
        if (!thread->is_wide && end[0] > UINT32_MAX) {
            for (size_t i = 0; i < thread->row_count; i++)
                TV_TRY(tv_row_widen(&thread->rows[i], alloc, err));
            thread->is_wide = 1;
        }
        for (size_t i = 0; i < thread->depth; i++)
            fill_open_call(thread, &thread->rows[i], end);
        end_last_segment(thread, end[axis] + (uint64_t)thread->clock[axis].first);
        tv_findings_add(&f->builder->findings, TV_FINDING_OPEN_AT_END, thread->depth,
                        thread->root_enter_offset);
    }
    if (thread->fold.segments) {
        TV_TRY(tv_alloc_grow(alloc, &thread->folds, &thread->fold_cap, thread->fold_count + 1,
                             sizeof(*thread->folds), err));
        thread->folds[thread->fold_count++] = thread->fold;
    }
    return tv_tree_number(thread, alloc, err);
}

static enum tv_code list_threads(struct finish *f, struct tv_error *err)
{
    const struct tv_trace *trace = f->trace;
    struct tv_builder *b = f->builder;
    TV_TRY(tv_alloc_new(b->alloc, &f->threads, trace->thread_count + b->thread_count,
                        sizeof(*f->threads), err));
    f->thread_cap = trace->thread_count + b->thread_count;
    for (size_t i = 0; i < trace->thread_count; i++) {
        uint32_t build_ix = tv_map_get(&b->thread_of_id, trace->threads[i].id);
        f->threads[f->thread_count++] = (struct final_thread){
            .id = trace->threads[i].id,
            .is_listed = true,
            .name = trace->threads[i].name,
            .build = build_ix == TV_MAP_NONE ? NULL : b->threads[build_ix]};
    }
    for (size_t i = 0; i < b->thread_count; i++) {
        uint32_t id = (uint32_t)b->threads[i]->id;
        if (tv_map_get(&trace->thread_of_id, id) != TV_MAP_NONE)
            continue;
        f->threads[f->thread_count++] =
            (struct final_thread){.id = id, .is_listed = false, .build = b->threads[i]};
        tv_findings_add(&b->findings, TV_FINDING_UNKNOWN_THREAD, 1, b->threads[i]->first_offset);
    }
    return TV_OK;
}

static uint64_t levels_of(uint64_t count)
{
    uint64_t total = 0;
    while (count > TV_LEVEL_FANOUT) {
        count = (count + TV_LEVEL_FANOUT - 1) / TV_LEVEL_FANOUT;
        total += count;
    }
    if (total)
        total += count > 1;
    return total;
}

/* Bytes of one time column of a thread, a multiple of 8. */
static uint64_t time_column_len(const struct tv_build_thread *thread)
{
    uint64_t len = thread->calls * (thread->is_wide ? 8 : 4);
    return (len + 7) / 8 * 8;
}

static uint64_t text_len_of(const struct finish *f)
{
    const struct tv_trace *trace = f->trace;
    uint64_t len = trace->vm.len;
    for (size_t i = 0; i < f->thread_count; i++)
        len += f->threads[i].name.len;
    for (size_t i = 0; i < trace->property_count; i++)
        len += trace->properties[i].key.len + trace->properties[i].value.len;
    for (size_t i = 0; i < trace->method_count; i++) {
        const struct tv_trace_method *m = &trace->methods[i];
        len += m->class_name.len + m->name.len + m->signature.len + m->file.len;
    }
    /* "(0x" and ")" around at most 16 digits */
    return len + f->methods.unknown_count * 20;
}

static enum tv_code check_counts(const uint64_t counts[TV_SECTION_COUNT], struct tv_error *err)
{
    if (counts[TV_SECTION_NODE_METHOD] >= TV_NONE || counts[TV_SECTION_ROWS] >= TV_NONE ||
        counts[TV_SECTION_METHODS] >= TV_NONE || counts[TV_SECTION_THREADS] >= TV_NONE)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "more than 2^32 threads, methods, rows or calling contexts");
    return TV_OK;
}

static enum tv_code new_block(struct finish *f, struct tv_error *err)
{
    const struct tv_trace *trace = f->trace;
    uint64_t counts[TV_SECTION_COUNT] = {0};
    uint64_t clocks = (uint64_t)trace->has_clock[0] + trace->has_clock[1];
    counts[TV_SECTION_INFO] = 1;
    counts[TV_SECTION_PROPERTIES] = trace->property_count;
    counts[TV_SECTION_THREADS] = f->thread_count;
    counts[TV_SECTION_METHODS] = trace->method_count + f->methods.unknown_count;
    counts[TV_SECTION_METHOD_OF_RANK] = counts[TV_SECTION_METHODS];
    for (size_t i = 0; i < f->builder->thread_count; i++) {
        const struct tv_build_thread *thread = f->builder->threads[i];
        counts[TV_SECTION_ROWS] += thread->row_count;
        counts[TV_SECTION_NODE_METHOD] += tv_tree_node_count(thread);
        counts[TV_SECTION_CALL_NODE] += thread->calls;
        counts[TV_SECTION_TIMES] += time_column_len(thread) * clocks * 2;
        counts[TV_SECTION_FOLDS] += tv_folds_total(thread->fold_count);
        for (size_t row = 0; row < thread->row_count; row++)
            counts[TV_SECTION_LEVELS] += levels_of(thread->rows[row].count);
    }
    for (unsigned i = TV_SECTION_NODE_PARENT; i <= TV_SECTION_NODE_EXCLUSIVE_CPU; i++)
        counts[i] = counts[TV_SECTION_NODE_METHOD];
    counts[TV_SECTION_TEXT] = text_len_of(f);
    TV_TRY(check_counts(counts, err));
    return tv_block_new(f->index, f->builder->alloc, counts, err);
}

static uint64_t add_text(struct finish *f, struct tv_str text)
{
    char *to = tv_block_section(f->index, TV_SECTION_TEXT);
    uint64_t off = f->text_len;
    if (text.len)
        memcpy(to + off, text.at, text.len);
    f->text_len += text.len;
    return off;
}

static void write_method(struct finish *f, const struct tv_trace_method *from,
                         struct tv_index_method *to)
{
    to->id = from->id;
    to->class_len = (uint32_t)from->class_name.len;
    to->name_len = (uint32_t)from->name.len;
    to->signature_len = (uint32_t)from->signature.len;
    to->file_len = (uint32_t)from->file.len;
    to->line = from->line;
    to->class_off = add_text(f, from->class_name);
    to->name_off = add_text(f, from->name);
    to->signature_off = add_text(f, from->signature);
    to->file_off = add_text(f, from->file);
}

static void write_methods(struct finish *f)
{
    struct tv_index_method *methods = tv_block_section(f->index, TV_SECTION_METHODS);
    size_t known = f->trace->method_count;
    for (size_t i = 0; i < known; i++) {
        write_method(f, &f->trace->methods[i], &methods[i]);
        methods[i].is_known = 1;
    }
    for (size_t i = 0; i < f->methods.unknown_count; i++) {
        char name[24];
        uint64_t id = f->methods.unknown_ids[i];
        int len = snprintf(name, sizeof(name), "(0x%llx)", (unsigned long long)id);
        struct tv_trace_method method = {.id = id, .class_name = {name, (size_t)len}};
        write_method(f, &method, &methods[known + i]);
    }
}

static void write_properties(struct finish *f)
{
    struct tv_index_property *out = tv_block_section(f->index, TV_SECTION_PROPERTIES);
    for (size_t i = 0; i < f->trace->property_count; i++) {
        const struct tv_trace_property *from = &f->trace->properties[i];
        out[i].key_off = add_text(f, from->key);
        out[i].key_len = from->key.len;
        out[i].value_off = add_text(f, from->value);
        out[i].value_len = from->value.len;
    }
}

/* Where the next thread's part of each section begins. */
struct places {
    uint32_t node, row;
    uint64_t call, time, level, fold;
};

static void write_thread_times(const struct finish *f, const struct tv_build_thread *build,
                               struct tv_index_thread *thread, struct places *at)
{
    for (unsigned column = 0; column < 4; column++) {
        thread->time_off[column] = at->time;
        if (f->trace->has_clock[column / 2])
            at->time += time_column_len(build);
    }
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t multiple = clock == TV_CLOCK_WALL ? build->wall_multiple : 0;
        thread->base[clock] = (uint64_t)build->clock[clock].first + multiple;
        thread->first[clock] = thread->base[clock];
        thread->last[clock] = (uint64_t)build->clock[clock].high + multiple;
    }
}

static void write_thread(struct finish *f, const struct final_thread *from,
                         struct tv_index_thread *thread, struct places *at)
{
    const struct tv_build_thread *build = from->build;
    thread->id = from->id;
    thread->is_listed = from->is_listed;
    thread->name_off = add_text(f, from->name);
    thread->name_len = from->name.len;
    thread->row_first = at->row;
    thread->node_first = at->node;
    thread->call_first = at->call;
    thread->fold_first = at->fold;
    if (!build)
        return;
    thread->records = build->records;
    thread->calls = build->calls;
    thread->max_depth = (uint32_t)build->row_count;
    thread->node_count = tv_tree_node_count(build);
    thread->open_depth = (uint32_t)build->depth;
    thread->adopted_depth = (uint32_t)build->adopter_count;
    thread->is_wide = build->is_wide;
    thread->fold_count = build->fold_count;
    for (uint64_t count = build->fold_count; count;
         count = count > 1 ? (count + TV_FOLD_FANOUT - 1) / TV_FOLD_FANOUT : 0)
        thread->fold_level_count++;
    write_thread_times(f, build, thread, at);
    struct tv_index_row *rows = tv_block_section(f->index, TV_SECTION_ROWS);
    for (size_t i = 0; i < build->row_count; i++) {
        rows[at->row++] = (struct tv_index_row){.call_first = at->call,
                                                .call_count = build->rows[i].count,
                                                .level_first = at->level};
        at->call += build->rows[i].count;
        at->level += levels_of(build->rows[i].count);
    }
    at->node += thread->node_count;
    at->fold += tv_folds_total(build->fold_count);
}

static void write_nodes(struct finish *f, const struct tv_build_thread *build, uint32_t node_first)
{
    uint32_t *methods = tv_block_section(f->index, TV_SECTION_NODE_METHOD);
    tv_tree_link(build, node_first, tv_block_section(f->index, TV_SECTION_NODE_PARENT),
                 tv_block_section(f->index, TV_SECTION_NODE_DEPTH));
    for (uint32_t i = TV_FIRST_NODE; i < build->nodes.count; i++) {
        if (i != build->root)
            methods[node_first + build->final_node[i]] =
                tv_methods_of_key(&f->methods, f->trace, build->nodes.at[i].key);
    }
}

static enum tv_code write_threads(struct finish *f, struct tv_error *err)
{
    struct tv_index_thread *threads = tv_block_section(f->index, TV_SECTION_THREADS);
    struct tv_index_fold *folds = tv_block_section(f->index, TV_SECTION_FOLDS);
    enum tv_clock axis = tv_index_axis(f->index);
    struct places at = {0};
    TV_TRY(tv_alloc_new(f->builder->alloc, &f->thread_of_row, f->index->row_count,
                        sizeof(*f->thread_of_row), err));
    f->row_cap = f->index->row_count;
    for (size_t i = 0; i < f->thread_count; i++) {
        struct tv_build_thread *build = f->threads[i].build;
        write_thread(f, &f->threads[i], &threads[i], &at);
        if (!build)
            continue;
        write_nodes(f, build, threads[i].node_first);
        tv_folds_write(build, f->index->rows + threads[i].row_first,
                       axis == TV_CLOCK_WALL ? build->wall_multiple : 0,
                       folds + threads[i].fold_first);
        for (uint32_t row = 0; row < threads[i].max_depth; row++)
            f->thread_of_row[threads[i].row_first + row] = (uint32_t)i;
    }
    return TV_OK;
}

/* The columns of one row that its task fills. */
struct row_copy {
    const struct tv_build_thread *build;
    const struct tv_index_thread *thread;
    uint32_t *call_node;
    char *time[4]; /* NULL where the trace lacks the clock */
    uint64_t *node_calls;
    uint64_t *node_inclusive[TV_CLOCK_COUNT];
    uint64_t call; /* ordinal within the thread of the next call */
};

TV_INLINE void copy_call(const struct row_copy *copy, uint64_t call, uint32_t node,
                         const uint64_t time[4], bool is_wide)
{
    copy->call_node[copy->thread->call_first + call] = node;
    copy->node_calls[node]++;
    for (unsigned column = 0; column < 4; column++) {
        if (!copy->time[column])
            continue;
        if (is_wide) {
            memcpy(copy->time[column] + call * 8, &time[column], 8);
        } else {
            uint32_t narrow = (uint32_t)time[column];
            memcpy(copy->time[column] + call * 4, &narrow, 4);
        }
    }
    copy->node_inclusive[0][node] += time[1];
    copy->node_inclusive[1][node] += time[3];
}

static void copy_page(struct row_copy *copy, const char *calls, uint32_t count)
{
    const uint32_t *final_node = copy->build->final_node;
    uint32_t node_first = copy->thread->node_first;
    if (copy->build->is_wide) {
        for (uint32_t i = 0; i < count; i++) {
            struct tv_wide_call call;
            memcpy(&call, calls + i * sizeof(call), sizeof(call));
            copy_call(copy, copy->call + i, node_first + final_node[call.node], call.time, true);
        }
    } else {
        for (uint32_t i = 0; i < count; i++) {
            struct tv_narrow_call call;
            memcpy(&call, calls + i * sizeof(call), sizeof(call));
            const uint64_t time[4] = {call.time[0], call.time[1], call.time[2], call.time[3]};
            copy_call(copy, copy->call + i, node_first + final_node[call.node], time, false);
        }
    }
    copy->call += count;
}

/* The levels of a row from its finished durations. */
static void write_levels(const struct tv_index *index, const struct tv_index_thread *thread,
                         const struct tv_index_row *row, uint32_t *levels)
{
    enum tv_clock axis = tv_index_axis(index);
    const uint32_t *below = NULL; /* NULL: the calls themselves */
    uint64_t count = row->call_count;
    if (count <= TV_LEVEL_FANOUT)
        return;
    while (count > 1) {
        uint64_t above = (count + TV_LEVEL_FANOUT - 1) / TV_LEVEL_FANOUT;
        for (uint64_t i = 0; i < above; i++) {
            uint64_t end = (i + 1) * TV_LEVEL_FANOUT < count ? (i + 1) * TV_LEVEL_FANOUT : count;
            uint64_t best_len = 0;
            uint32_t best = TV_NONE;
            for (uint64_t j = i * TV_LEVEL_FANOUT; j < end; j++) {
                uint32_t call = below ? below[j] : (uint32_t)j;
                uint64_t len =
                    tv_index_duration(index, thread, axis, row->call_first + call);
                if (best == TV_NONE || len > best_len) {
                    best = call;
                    best_len = len;
                }
            }
            levels[i] = best;
        }
        below = levels;
        levels += above;
        count = above;
    }
}

static void copy_row(void *arg, size_t row_ix)
{
    const struct finish *f = arg;
    const struct tv_index *index = f->index;
    uint32_t thread_ix = f->thread_of_row[row_ix];
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    struct tv_build_thread *build = f->threads[thread_ix].build;
    struct tv_row *row = &build->rows[row_ix - thread->row_first];
    struct row_copy copy = {
        .build = build,
        .thread = thread,
        .call_node = tv_block_section(index, TV_SECTION_CALL_NODE),
        .node_calls = tv_block_section(index, TV_SECTION_NODE_CALLS),
        .node_inclusive = {tv_block_section(index, TV_SECTION_NODE_INCLUSIVE_WALL),
                           tv_block_section(index, TV_SECTION_NODE_INCLUSIVE_CPU)},
        .call = index->rows[row_ix].call_first - thread->call_first,
    };
    char *times = tv_block_section(index, TV_SECTION_TIMES);
    for (unsigned column = 0; column < 4; column++)
        copy.time[column] =
            f->trace->has_clock[column / 2] ? times + thread->time_off[column] : NULL;
    struct tv_row_page *page = row->first;
    while (page) {
        struct tv_row_page *next = page->next;
        copy_page(&copy, tv_row_page_calls(page), tv_row_page_count(row, page));
        tv_row_page_free(page, f->builder->alloc);
        page = next;
    }
    *row = (struct tv_row){.tail = NULL};
    uint32_t *levels = tv_block_section(index, TV_SECTION_LEVELS);
    write_levels(index, thread, &index->rows[row_ix], levels + index->rows[row_ix].level_first);
}

static void sum_roots(struct finish *f)
{
    struct tv_index_info *info = tv_block_section(f->index, TV_SECTION_INFO);
    struct tv_index_thread *threads = tv_block_section(f->index, TV_SECTION_THREADS);
    const struct tv_index *index = f->index;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        struct tv_index_thread *thread = &threads[i];
        for (uint32_t node = thread->node_first; node < thread->node_first + thread->node_count;
             node++) {
            if (index->node_parent[node] != TV_NONE)
                continue;
            for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
                thread->root_total[clock] += index->node_inclusive[clock][node];
        }
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            info->total[clock] += thread->root_total[clock];
        info->records += thread->records;
        info->calls += thread->calls;
        enum tv_clock axis = tv_index_axis(index);
        if (thread->records && thread->last[axis] > info->axis_len)
            info->axis_len = thread->last[axis];
    }
}

/* design.md, section 5: no unwind, half of the gaps zero, the first percentile of the others 100 us or more. */
static bool is_sampled(const struct tv_builder *b)
{
    uint64_t gaps = 0;
    for (size_t i = 0; i < b->thread_count; i++)
        gaps += b->threads[i]->records - 1;
    uint64_t others = gaps - b->gaps_zero;
    return !b->has_unwind && gaps && b->gaps_zero >= gaps - b->gaps_zero && others &&
           b->gaps_small < (others + 99) / 100;
}

static bool is_unit_suspect(const struct tv_builder *b)
{
    if (!b->trace->has_clock[TV_CLOCK_WALL] || !b->trace->has_clock[TV_CLOCK_CPU])
        return false;
    for (size_t i = 0; i < b->thread_count; i++) {
        const struct tv_thread_clock *clock = b->threads[i]->clock;
        uint64_t wall = (uint64_t)(clock[TV_CLOCK_WALL].high - clock[TV_CLOCK_WALL].first);
        uint64_t cpu = (uint64_t)(clock[TV_CLOCK_CPU].high - clock[TV_CLOCK_CPU].first);
        if (wall < cpu / 100 || (wall == cpu / 100 && cpu % 100))
            return true;
    }
    return false;
}

/* What is known before any column is filled; accessors need it. */
static void write_info(struct finish *f)
{
    const struct tv_trace *trace = f->trace;
    struct tv_index_info *info = tv_block_section(f->index, TV_SECTION_INFO);
    memcpy(info->format_name, trace->format_name, sizeof(info->format_name));
    info->version = trace->version;
    info->is_streaming = trace->is_streaming;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        info->has_clock[clock] = trace->has_clock[clock];
    info->has_common_axis = trace->has_common_axis;
    info->unit_ns = trace->unit_ns;
    info->is_sampled = is_sampled(f->builder);
    info->has_overflow = trace->has_overflow;
    info->has_pid = trace->has_pid;
    info->pid = trace->pid;
    info->property_count = (uint32_t)trace->property_count;
    info->start_time_ns = trace->start_time_ns;
    info->clock_overhead_ns = trace->clock_overhead_ns;
    info->file_len = trace->len;
    info->vm_off = add_text(f, trace->vm);
    info->vm_len = trace->vm.len;
}

static void write_findings(struct finish *f)
{
    struct tv_index_info *info = tv_block_section(f->index, TV_SECTION_INFO);
    if (is_unit_suspect(f->builder))
        tv_findings_add(&f->builder->findings, TV_FINDING_UNIT_SUSPECT, 1, TV_NO_OFFSET);
    info->findings = f->trace->findings;
    tv_findings_join(&info->findings, &f->builder->findings);
    info->has_elapsed = f->trace->has_elapsed;
    info->elapsed_ns =
        f->trace->has_elapsed ? f->trace->elapsed_ns : info->axis_len * info->unit_ns;
}

static enum tv_code fill_block(struct finish *f, const struct tv_pool *pool, struct tv_error *err)
{
    write_info(f);
    write_properties(f);
    write_methods(f);
    TV_TRY(write_threads(f, err));
    pool->run(pool->ctx, copy_row, f, f->index->row_count);
    tv_tree_sum_exclusive(f->index);
    TV_TRY(tv_tree_mark_recursive(f->index, f->builder->alloc, err));
    TV_TRY(tv_methods_profile(f->index, f->builder->alloc, err));
    sum_roots(f);
    write_findings(f);
    return TV_OK;
}

enum tv_code tv_builder_finish(struct tv_builder *builder, const struct tv_pool *pool,
                               struct tv_index *index, struct tv_error *err)
{
    struct finish f = {.builder = builder, .trace = builder->trace, .index = index};
    place_clocks(&f);
    enum tv_code code = list_threads(&f, err);
    for (size_t i = 0; code == TV_OK && i < builder->thread_count; i++)
        code = close_thread(&f, builder->threads[i], err);
    if (code == TV_OK)
        code = tv_methods_resolve(&f.methods, builder, err);
    if (code == TV_OK)
        code = new_block(&f, err);
    if (code == TV_OK)
        code = fill_block(&f, pool ? pool : tv_pool_serial(), err);
    if (code != TV_OK)
        tv_index_release(index);
    tv_methods_release(&f.methods);
    tv_alloc_free(builder->alloc, f.threads, f.thread_cap, sizeof(*f.threads));
    tv_alloc_free(builder->alloc, f.thread_of_row, f.row_cap, sizeof(*f.thread_of_row));
    return code;
}
