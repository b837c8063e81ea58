/*
 * Info, tables and nodes of a block that may be forged; see index/saved/saved_check.h.
 *
 * The rows, calls, nodes, segment groups and long calls of each thread must begin where those of
 * the thread before end (struct edge), so they neither overlap nor leave gaps. Then the sums of
 * nodes, methods and threads are computed again from the calls. An index that passes may be read
 * like one that was built here, without further checks.
 */
#include "index/saved/saved_check.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "index/block.h"
#include "index/mipmap.h"
#include "index/saved/saved.h"
#include "index/segment_groups.h"

static bool text_fits(const struct tv_index *index, uint64_t off, uint64_t len)
{
    return off <= index->text_len && len <= index->text_len - off;
}

static bool counts_fit(const struct tv_index *index)
{
    for (unsigned i = TV_SECTION_NODE_METHOD; i <= TV_SECTION_NODE_EXCLUSIVE_CPU; i++) {
        uint64_t words = i >= TV_SECTION_NODE_CALLS && index->has_wide_sums ? 2 : 1;
        if (tv_block_count(index, (enum tv_section)i) != index->node_count * words)
            return false;
    }
    return tv_block_count(index, TV_SECTION_INFO) == 1 &&
           tv_block_count(index, TV_SECTION_MIPMAP_LENS) == index->mipmap_words &&
           tv_block_count(index, TV_SECTION_METHOD_OF_RANK) == index->method_count &&
           tv_block_count(index, TV_SECTION_PROPERTIES) == index->info->property_count;
}

static bool info_fits(const struct tv_index *index)
{
    const struct tv_index_info *info = index->info;
    bool has_wall = info->has_clock[TV_CLOCK_WALL];
    bool has_cpu = info->has_clock[TV_CLOCK_CPU];
    return (info->unit_ns == 1 || info->unit_ns == 1000) && (has_wall || has_cpu) &&
           memchr(info->format_name, 0, sizeof(info->format_name)) &&
           info->ranked_count <= index->method_count &&
           text_fits(index, info->vm_off, info->vm_len) && info->calls == index->call_count &&
           info->axis_len <= tv_saved_largest_time(index);
}

static bool properties_fit(const struct tv_index *index)
{
    for (uint32_t i = 0; i < index->info->property_count; i++) {
        const struct tv_index_property *property = &index->properties[i];
        if (!text_fits(index, property->key_off, property->key_len) ||
            !text_fits(index, property->value_off, property->value_len))
            return false;
    }
    return true;
}

static bool processes_fit(const struct tv_index *index)
{
    for (uint32_t i = 0; i < index->process_count; i++) {
        if (!text_fits(index, index->processes[i].name_off, index->processes[i].name_len))
            return false;
    }
    return true;
}

/* Where the next thread's part of each section begins. */
struct edge {
    uint64_t row, node, call, level, group, long_call;
};

/* Each column must lie within TIMES, at a multiple of 8. A column of a clock that is not there is
 * never read. */
static bool times_fit(const struct tv_index *index, const struct tv_index_thread *thread)
{
    uint64_t times_len = tv_block_count(index, TV_SECTION_TIMES);
    const uint64_t start_len = thread->is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    if (thread->duration_len != start_len &&
        (thread->is_wide || thread->duration_len != sizeof(uint16_t)))
        return false;
    for (unsigned column = 0; column < 4; column++) {
        uint64_t width = column % 2 ? thread->duration_len : start_len;
        uint64_t off = thread->time_off[column];
        if (!index->info->has_clock[column / 2])
            continue;
        if (off % sizeof(uint64_t) || off > times_len || (times_len - off) / width < thread->calls)
            return false;
    }
    return true;
}

/* The rows of a thread must hold all its calls, without a gap, and each row at least one call. */
static bool rows_fit(const struct tv_index *index, const struct tv_index_thread *thread,
                     struct edge *edge)
{
    for (uint32_t depth = 0; depth < thread->max_depth; depth++) {
        const struct tv_index_row *row = &index->rows[edge->row + depth];
        if (row->call_first != edge->call || !row->call_count ||
            row->call_count > index->call_count - edge->call || row->mipmap_first != edge->level)
            return false;
        edge->call += row->call_count;
        edge->level += tv_mipmap_words(row->call_count, thread->is_wide);
        if (edge->level > index->mipmap_words)
            return false;
    }
    edge->row += thread->max_depth;
    return edge->call - thread->call_first == thread->calls;
}

static bool group_counts_fit(const struct tv_index *index, const struct tv_index_thread *thread,
                             struct edge *edge)
{
    uint32_t mipmap_words = 0;
    if (thread->group_first != edge->group ||
        thread->group_count > index->segment_group_count - edge->group)
        return false;
    for (uint64_t count = thread->group_count; count;
         count = count > 1 ? (count + TV_SEGMENT_GROUP_FANOUT - 1) / TV_SEGMENT_GROUP_FANOUT : 0)
        mipmap_words++;
    edge->group += tv_segment_groups_total(thread->group_count);
    return edge->group <= index->segment_group_count && thread->group_level_count == mipmap_words;
}

/* Whether the list of long calls is in the order of calls, and each listed call has the marker of a
 * long call in its column. Relies on times_fit. */
static bool long_calls_fit(const struct tv_index *index, const struct tv_index_thread *thread,
                           struct edge *edge)
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t count = thread->long_count[clock];
        if (thread->long_first[clock] != edge->long_call ||
            count > index->long_count - edge->long_call ||
            (count && (thread->duration_len != 2 || !index->info->has_clock[clock])))
            return false;
        /* The offset of a column was not checked where the trace lacks the clock, so the column is
         * found only where there are long calls, and thus the clock. */
        const uint8_t *column = count ? index->times + thread->time_off[2 * clock + 1] : NULL;
        uint64_t next = 0; /* call within the thread */
        for (uint64_t i = 0; i < count; i++) {
            const struct tv_index_long_call *entry = &index->long_calls[edge->long_call + i];
            uint64_t call = entry->call - thread->call_first;
            if (entry->call < thread->call_first || call < next || call >= thread->calls ||
                ((const uint16_t *)(const void *)column)[call] != TV_LONG_DURATION ||
                entry->duration < TV_LONG_DURATION)
                return false;
            next = call + 1;
        }
        edge->long_call += count;
    }
    return true;
}

static bool thread_fits(const struct tv_index *index, const struct tv_index_thread *thread,
                        struct edge *edge)
{
    if (thread->row_first != edge->row || thread->max_depth > index->row_count - edge->row ||
        thread->node_first != edge->node || thread->node_count > index->node_count - edge->node ||
        thread->call_first != edge->call)
        return false;
    edge->node += thread->node_count;
    return rows_fit(index, thread, edge) && group_counts_fit(index, thread, edge) &&
           thread->open_depth <= thread->max_depth && thread->adopted_depth <= thread->max_depth &&
           times_fit(index, thread) && long_calls_fit(index, thread, edge) &&
           text_fits(index, thread->name_off, thread->name_len) &&
           (thread->process == TV_NONE || thread->process < index->process_count);
}

static bool threads_fit(const struct tv_index *index)
{
    struct edge edge = {.row = 0};
    for (uint32_t i = 0; i < index->thread_count; i++) {
        if (!thread_fits(index, &index->threads[i], &edge))
            return false;
    }
    return edge.long_call == index->long_count && edge.row == index->row_count &&
           edge.node == index->node_count && edge.call == index->call_count &&
           edge.level == index->mipmap_words && edge.group == index->segment_group_count;
}

static bool methods_fit(const struct tv_index *index)
{
    for (uint32_t i = 0; i < index->method_count; i++) {
        const struct tv_index_method *method = &index->methods[i];
        if (!text_fits(index, method->class_off, method->class_len) ||
            !text_fits(index, method->name_off, method->name_len) ||
            !text_fits(index, method->signature_off, method->signature_len) ||
            !text_fits(index, method->file_off, method->file_len) ||
            !text_fits(index, method->written_off, method->written_len) ||
            method->inlined_len > method->written_off)
            return false;
        /* `rank` and method_of_rank lead to each other for every method, so both are permutations.
         */
        if (method->rank >= index->method_count || index->method_of_rank[method->rank] != i)
            return false;
    }
    return true;
}

/* A parent stands before its children and on the same thread, so a walk up the callers always ends.
 */
static bool nodes_fit(const struct tv_index *index)
{
    for (uint32_t i = 0; i < index->thread_count; i++) {
        const struct tv_index_thread *thread = &index->threads[i];
        for (uint32_t n = 0; n < thread->node_count; n++) {
            uint32_t node = thread->node_first + n;
            uint32_t parent = index->node_parent[node];
            bool is_root = parent == TV_NONE;
            if (!is_root && (parent < thread->node_first || parent >= node))
                return false;
            uint32_t depth = is_root ? 0 : index->node_depth[parent] + 1;
            if (index->node_depth[node] != depth || depth >= thread->max_depth ||
                index->node_method[node] >= index->method_count)
                return false;
        }
    }
    return true;
}

/* Sums of one method, one thread, or the trace. */
struct part_sum {
    uint64_t calls;
    uint64_t recursive_calls;
    uint64_t inclusive[TV_CLOCK_COUNT];
    uint64_t exclusive[TV_CLOCK_COUNT];
};

/* The times of the callees of a node. */
struct callee_sum {
    uint64_t inclusive[TV_CLOCK_COUNT];
};

/*
 * A node's numbers are those of its calls, less those of its callees, which have the higher
 * ordinals and are done before. Nothing overflows:
 * calls of a row follow each other and end before 2^63.
 */
static bool node_sums_fit(const struct tv_index *index, const struct tv_saved_node *nodes,
                          struct callee_sum *callees, struct part_sum *methods)
{
    for (uint32_t node = index->node_count; node-- > 0;) {
        uint32_t parent = index->node_parent[node];
        struct part_sum *method = &methods[index->node_method[node]];
        bool is_recursive = index->node_flags[node] & TV_NODE_RECURSIVE;
        if (tv_index_node_calls(index, node) != nodes[node].calls)
            return false;
        *(is_recursive ? &method->recursive_calls : &method->calls) += nodes[node].calls;
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            uint64_t inclusive = nodes[node].inclusive[clock];
            uint64_t exclusive = inclusive - callees[node].inclusive[clock];
            if (exclusive > inclusive || tv_index_node_inclusive(index, clock, node) != inclusive ||
                tv_index_node_exclusive(index, clock, node) != exclusive)
                return false;
            if (parent != TV_NONE)
                callees[parent].inclusive[clock] += inclusive;
            method->inclusive[clock] += is_recursive ? 0 : inclusive;
            method->exclusive[clock] += exclusive;
        }
    }
    return true;
}

static bool method_sums_fit(const struct tv_index *index, const struct part_sum *sums)
{
    for (uint32_t i = 0; i < index->method_count; i++) {
        const struct tv_index_method *method = &index->methods[i];
        if (method->calls != sums[i].calls || method->recursive_calls != sums[i].recursive_calls ||
            memcmp(method->inclusive, sums[i].inclusive, sizeof(method->inclusive)) != 0 ||
            memcmp(method->exclusive, sums[i].exclusive, sizeof(method->exclusive)) != 0)
            return false;
    }
    return true;
}

/* Whether the totals of threads and of the trace are the sums of their root calls. The totals of
 * the trace must also fit 63 bits in nanoseconds. */
static bool totals_fit(const struct tv_index *index)
{
    uint64_t total[TV_CLOCK_COUNT] = {0};
    for (uint32_t i = 0; i < index->thread_count; i++) {
        const struct tv_index_thread *thread = &index->threads[i];
        uint64_t own[TV_CLOCK_COUNT] = {0};
        for (uint32_t n = 0; n < thread->node_count; n++) {
            uint32_t node = thread->node_first + n;
            for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
                own[clock] += index->node_parent[node] == TV_NONE
                                  ? tv_index_node_inclusive(index, clock, node)
                                  : 0;
        }
        if (memcmp(own, thread->root_total, sizeof(own)) != 0)
            return false;
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            total[clock] += own[clock];
            if (total[clock] > tv_saved_largest_time(index))
                return false;
        }
    }
    return memcmp(total, index->info->total, sizeof(total)) == 0;
}

/* The room that checking needs. */
struct room {
    const struct tv_alloc *alloc;
    struct tv_saved_calls calls;
    struct callee_sum *callees;
    struct part_sum *methods;
};

static enum tv_code take_room(struct room *room, const struct tv_index *index, struct tv_error *err)
{
    const struct tv_alloc *alloc = room->alloc;
    struct tv_saved_calls *calls = &room->calls;
    size_t nodes = index->node_count;
    calls->index = index;
    TV_TRY(tv_alloc_new(alloc, &calls->thread_of_row, index->row_count, sizeof(uint32_t), err));
    TV_TRY(tv_alloc_new(alloc, &calls->row_fits, index->row_count, 1, err));
    TV_TRY(tv_alloc_new(alloc, &calls->thread_fits, index->thread_count, 1, err));
    TV_TRY(tv_alloc_new(alloc, &calls->nodes, nodes, sizeof(*calls->nodes), err));
    TV_TRY(tv_alloc_new(alloc, &room->callees, nodes, sizeof(*room->callees), err));
    return tv_alloc_new(alloc, &room->methods, index->method_count, sizeof(*room->methods), err);
}

static void give_back_room(struct room *room, const struct tv_index *index)
{
    const struct tv_alloc *alloc = room->alloc;
    struct tv_saved_calls *calls = &room->calls;
    size_t nodes = index->node_count;
    tv_alloc_release(alloc, &room->methods, index->method_count, sizeof(*room->methods));
    tv_alloc_release(alloc, &room->callees, nodes, sizeof(*room->callees));
    tv_alloc_release(alloc, &calls->nodes, nodes, sizeof(*calls->nodes));
    tv_alloc_release(alloc, &calls->thread_fits, index->thread_count, 1);
    tv_alloc_release(alloc, &calls->row_fits, index->row_count, 1);
    tv_alloc_release(alloc, &calls->thread_of_row, index->row_count, sizeof(uint32_t));
}

static void list_nodes(const struct tv_index *index, struct tv_saved_node *nodes)
{
    for (uint32_t i = 0; i < index->thread_count; i++) {
        const struct tv_index_thread *thread = &index->threads[i];
        for (uint32_t n = 0; n < thread->node_count; n++) {
            uint32_t node = thread->node_first + n;
            nodes[node].row = thread->row_first + index->node_depth[node];
            nodes[node].parent = index->node_parent[node];
        }
    }
}

/* What does not fit, or NULL. Each step takes for granted what the steps before it found. */
static const char *find_misfit(struct room *room, const struct tv_index *index,
                               const struct tv_pool *pool)
{
    list_nodes(index, room->calls.nodes);
    if (!tv_saved_calls_fit(&room->calls, pool))
        return "calls";
    if (!node_sums_fit(index, room->calls.nodes, room->callees, room->methods))
        return "times of nodes";
    if (!method_sums_fit(index, room->methods))
        return "times of methods";
    return totals_fit(index) ? NULL : "totals";
}

/* Each step relies on what the steps before it have shown, and calls are looked at only when all
 * tables fit. */
enum tv_code tv_saved_check(const struct tv_index *index, const struct tv_alloc *alloc,
                            const struct tv_pool *pool, struct tv_error *err)
{
    struct room room = {.alloc = alloc};
    const char *misfit = NULL;
    if (tv_block_count(index, TV_SECTION_INFO) != 1 || !counts_fit(index) || !info_fits(index))
        misfit = "counts";
    else if (!properties_fit(index) || !processes_fit(index) || !threads_fit(index))
        misfit = "threads";
    else if (!methods_fit(index) || !nodes_fit(index))
        misfit = "methods or nodes";
    if (!misfit) {
        enum tv_code code = take_room(&room, index, err);
        if (code == TV_OK)
            misfit = find_misfit(&room, index, pool);
        give_back_room(&room, index);
        if (code != TV_OK)
            return code;
    }
    if (misfit)
        return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET, "%s do not fit together", misfit);
    return TV_OK;
}
