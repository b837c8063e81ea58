/*
 * Merging written chunks, in the order of the file; see index/build/chunks/chunk_builder.h.
 *
 * The order makes the result independent of which task ended first: nodes get their numbers in the
 * order of their first call over the whole trace, and long calls of a row come in the order of
 * their calls.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "index/block.h"
#include "index/build/chunks/chunk_builder.h"
#include "index/build/long_durations.h"
#include "index/segment_groups.h"

/* Merges the chunk's tree of a thread into the thread's tree, and releases it. The thread's first
 * chunk gives the thread its tree as a whole. */
static enum tv_code join_nodes(struct tv_chunk_builder *chunks, struct tv_writer_thread *writer,
                               struct tv_error *err)
{
    if (!writer->build->nodes.alloc) {
        writer->build->nodes = writer->nodes;
        writer->nodes = (struct tv_nodes){.alloc = NULL};
        return TV_OK;
    }
    TV_TRY(tv_alloc_new(chunks->builder.alloc, &writer->final_node, writer->nodes.count,
                        sizeof(*writer->final_node), err));
    writer->final_cap = writer->nodes.count;
    TV_TRY(tv_nodes_merge(&writer->build->nodes, &writer->nodes, writer->final_node, err));
    tv_nodes_release(&writer->nodes);
    return TV_OK;
}

/* Writes the duration of a call whose start stands in the columns, and adds it to the sums of its
 * node (NULL: sums are made later). row: depth of the call; call: place in the thread. */
static void close_call(struct tv_chunk_builder *chunks, const struct tv_index_thread *out,
                       uint64_t row, uint64_t call, const uint64_t end[TV_CLOCK_COUNT],
                       struct tv_node_sums *sums)
{
    char *times = tv_block_section(chunks->index, TV_SECTION_TIMES);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!chunks->trace->has_clock[clock])
            continue;
        char *starts = times + out->time_off[2 * (size_t)clock];
        char *durations = times + out->time_off[(size_t)2 * clock + 1];
        uint64_t start = 0;
        if (out->is_wide) {
            memcpy(&start, starts + call * 8, 8);
        } else {
            uint32_t narrow;
            memcpy(&narrow, starts + call * 4, 4);
            start = narrow;
        }
        uint64_t duration = end[clock] - start;
        uint32_t narrow = (uint32_t)duration;
        if (sums)
            sums->inclusive[clock] += narrow;
        if (out->duration_len == 2)
            tv_long_durations_store(durations, call, duration);
        else if (out->duration_len == 4)
            memcpy(durations + call * 4, &narrow, 4);
        else
            memcpy(durations + call * 8, &duration, 8);
        /* No room for a long call: the file has changed while it was read. */
        if (out->duration_len == 2 && duration >= TV_LONG_DURATION &&
            !tv_long_durations_add(&chunks->layout, out->row_first + row, clock,
                                   out->call_first + call, duration))
            atomic_store(&chunks->has_given_up, true);
    }
}

/* Lists the chunk's long calls behind the long calls of earlier chunks. Calls of a row close in
 * their order, so the list of each row stays sorted. */
static void add_long_calls(struct tv_chunk_builder *chunks, const struct tv_writer_thread *thread)
{
    const struct tv_index_thread *out = thread->build->out;
    for (size_t i = 0; i < thread->long_count; i++) {
        const struct tv_long_call *close = &thread->long_calls[i];
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            if (close->duration[clock] >= TV_LONG_DURATION &&
                !tv_long_durations_add(&chunks->layout, out->row_first + close->row, clock,
                                       out->call_first + close->call, close->duration[clock]))
                atomic_store(&chunks->has_given_up, true);
        }
    }
}

/* Merges one chunk. */
static enum tv_code merge_chunk(struct tv_chunk_builder *chunks, size_t chunk, struct tv_error *err)
{
    struct tv_chunk_writer *writer = &chunks->writers[chunk];
    struct tv_index_segment_group *groups =
        tv_block_section(chunks->index, TV_SECTION_SEGMENT_GROUPS);
    if (writer->code != TV_OK && err)
        *err = writer->error;
    if (writer->code != TV_OK)
        return writer->code;
    for (size_t i = 0; i < writer->scan->thread_count; i++) {
        struct tv_writer_thread *thread = &writer->threads[i];
        const struct tv_index_thread *out = thread->build->out;
        struct tv_node_sums *sums = thread->nodes.sums;
        /* Calls of earlier chunks come before the chunk's own in their rows, so they are closed
         * first. */
        for (size_t k = 0; k < thread->cross_close_count; k++) {
            const struct tv_cross_chunk_close *close = &thread->cross_closes[k];
            close_call(chunks, out, close->row, close->call, close->end,
                       sums ? &sums[thread->open_nodes[close->row]] : NULL);
        }
        TV_TRY(join_nodes(chunks, thread, err));
        add_long_calls(chunks, thread);
        /* The chunk's first record of the thread, by its place in the thread: not the first of a
         * group where an earlier chunk began the group. */
        uint64_t record = thread->record - thread->scan->records;
        if (record)
            tv_segment_group_join(&groups[out->group_first + record / TV_SEGMENT_GROUP_LEN],
                                  &thread->shared_group);
    }
    return TV_OK;
}

/* One task merges at a time, and others that come meanwhile go on with their own chunks. A task may
 * be turned away just after the merging one has looked at its chunk for the last time, so the
 * merging task looks once more when it has let others in. */
void tv_chunks_merge(struct tv_chunk_builder *chunks)
{
    size_t next;
    do {
        if (atomic_exchange(&chunks->is_merging, true))
            return;
        while (chunks->merge_code == TV_OK && chunks->merge_next < chunks->chunk_count &&
               atomic_load(&chunks->is_written[chunks->merge_next]) &&
               !atomic_load(&chunks->has_given_up)) {
            chunks->merge_code = merge_chunk(chunks, chunks->merge_next, &chunks->merge_error);
            chunks->merge_next++;
        }
        bool has_given_up = chunks->merge_code != TV_OK || atomic_load(&chunks->has_given_up);
        next = has_given_up ? chunks->chunk_count : chunks->merge_next;
        atomic_store(&chunks->is_merging, false);
    } while (next < chunks->chunk_count && atomic_load(&chunks->is_written[next]));
}

/* Ends the calls that no record closes. The open call of each depth is the last call of its row,
 * and its node is found by following the keys of the stack down from the root. */
enum tv_code tv_chunks_close_open_calls(struct tv_chunk_builder *chunks,
                                        struct tv_build_thread *thread, struct tv_error *err)
{
    const struct tv_index_thread *out = thread->out;
    struct tv_nodes *nodes = &thread->nodes;
    if (!thread->depth)
        return TV_OK;
    const uint64_t end[TV_CLOCK_COUNT] = {
        tv_layout_open_end(&chunks->layout, &chunks->builder, thread, TV_CLOCK_WALL),
        tv_layout_open_end(&chunks->layout, &chunks->builder, thread, TV_CLOCK_CPU)};
    uint64_t call = 0;
    uint32_t node = TV_FIRST_NODE;
    const size_t written = nodes->count;
    for (size_t i = 0; i < thread->depth; i++) {
        const struct tv_index_row *row = &chunks->layout.rows[out->row_first + i];
        call = row->call_first + row->call_count - 1;
        TV_TRY(tv_nodes_child(nodes, node, thread->stack[i].key, TV_NO_OFFSET, &node, err));
        if (nodes->count > written) { /* no chunk wrote this call: the file has changed */
            atomic_store(&chunks->has_given_up, true);
            return TV_OK;
        }
        close_call(chunks, out, i, call - out->call_first, end,
                   nodes->sums ? &nodes->sums[node] : NULL);
    }
    /* From the thread's last record to the end, the call on top is innermost. */
    unsigned axis = chunks->trace->has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    struct tv_index_segment_group *groups =
        tv_block_section(chunks->index, TV_SECTION_SEGMENT_GROUPS);
    const uint64_t last_record =
        (uint64_t)thread->clock[axis].high + (axis == TV_CLOCK_WALL ? thread->wall_multiple : 0);
    struct tv_index_segment_group last = {
        .longest_start = last_record,
        .longest_len = out->first[axis] + end[axis] - last_record,
        .longest_call = call,
        .longest_depth = (uint32_t)thread->depth - 1,
    };
    tv_segment_group_join(&groups[out->group_first + out->group_count - 1], &last);
    return TV_OK;
}
