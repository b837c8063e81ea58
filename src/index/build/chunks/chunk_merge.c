/* Joins the trees of chunks, and what they left for the end, in the order of chunks. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "index/block.h"
#include "index/build/chunks/chunk_builder.h"
#include "index/build/long_durations.h"
#include "index/segment_groups.h"

/* Afterwards final_node names the thread's nodes, and the chunk's own tree is gone: the first chunk
 * brings its whole tree. */
static enum tv_code join_nodes(struct chunks *c, struct tv_fill_thread *fill, struct tv_error *err)
{
    if (!fill->build->nodes.alloc) {
        fill->build->nodes = fill->nodes;
        fill->nodes = (struct tv_nodes){.alloc = NULL};
        return TV_OK;
    }
    TV_TRY(tv_alloc_new(c->builder.alloc, &fill->final_node, fill->nodes.count,
                        sizeof(*fill->final_node), err));
    fill->final_cap = fill->nodes.count;
    TV_TRY(tv_nodes_graft(&fill->build->nodes, &fill->nodes, fill->final_node, err));
    tv_nodes_release(&fill->nodes);
    return TV_OK;
}

/* Sets the duration of a call whose start stands in the columns, and adds it to the sums of its
 * node (NULL where none are kept). row, call: within the thread. */
static void close_call(struct chunks *c, const struct tv_index_thread *out, uint64_t row,
                       uint64_t call, const uint64_t end[TV_CLOCK_COUNT], struct tv_node_sums *sums)
{
    char *times = tv_block_section(c->index, TV_SECTION_TIMES);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!c->trace->has_clock[clock])
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
            tv_longs_store(durations, call, duration);
        else if (out->duration_len == 4)
            memcpy(durations + call * 4, &narrow, 4);
        else
            memcpy(durations + call * 8, &duration, 8);
        if (out->duration_len == 2 && duration >= TV_LONG_DURATION &&
            !tv_longs_add(&c->layout, out->row_first + row, clock, out->call_first + call,
                          duration))
            atomic_store(&c->is_over, true);
    }
}

/* The chunk's long calls, behind those of chunks before; those of a row closed in their order. */
static void add_longs(struct chunks *c, const struct tv_fill_thread *thread)
{
    const struct tv_index_thread *out = thread->build->out;
    for (size_t i = 0; i < thread->long_count; i++) {
        const struct tv_long_close *close = &thread->longs[i];
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            if (close->duration[clock] >= TV_LONG_DURATION &&
                !tv_longs_add(&c->layout, out->row_first + close->row, clock,
                              out->call_first + close->call, close->duration[clock]))
                atomic_store(&c->is_over, true);
        }
    }
}

static enum tv_code join_fill(struct chunks *c, size_t chunk, struct tv_error *err)
{
    struct tv_fill *fill = &c->fills[chunk];
    struct tv_index_fold *folds = tv_block_section(c->index, TV_SECTION_FOLDS);
    if (fill->code != TV_OK && err)
        *err = fill->error;
    if (fill->code != TV_OK)
        return fill->code;
    for (size_t i = 0; i < fill->scan->thread_count; i++) {
        struct tv_fill_thread *thread = &fill->threads[i];
        const struct tv_index_thread *out = thread->build->out;
        struct tv_node_sums *sums = thread->nodes.sums;
        for (size_t k = 0; k < thread->late_count; k++) {
            const struct tv_late_close *late = &thread->late[k];
            close_call(c, out, late->row, late->call, late->end,
                       sums ? &sums[thread->path[late->row]] : NULL);
        }
        TV_TRY(join_nodes(c, thread, err));
        add_longs(c, thread);
        uint64_t record = thread->record - thread->scan->records;
        if (record)
            tv_fold_join(&folds[out->fold_first + record / TV_FOLD_LEN], &thread->head);
    }
    return TV_OK;
}

void tv_chunks_merge(struct chunks *c)
{
    size_t next;
    do {
        if (atomic_exchange(&c->is_joining, true))
            return;
        while (c->join_code == TV_OK && c->join_next < c->chunk_count &&
               atomic_load(&c->is_filled[c->join_next]) && !atomic_load(&c->is_over)) {
            c->join_code = join_fill(c, c->join_next, &c->join_error);
            c->join_next++;
        }
        bool is_over = c->join_code != TV_OK || atomic_load(&c->is_over);
        next = is_over ? c->chunk_count : c->join_next;
        atomic_store(&c->is_joining, false);
    } while (next < c->chunk_count && atomic_load(&c->is_filled[next]));
}

enum tv_code tv_chunks_close_open(struct chunks *c, struct tv_build_thread *thread,
                                  struct tv_error *err)
{
    const struct tv_index_thread *out = thread->out;
    struct tv_nodes *nodes = &thread->nodes;
    if (!thread->depth)
        return TV_OK;
    const uint64_t end[TV_CLOCK_COUNT] = {
        tv_layout_open_end(&c->layout, &c->builder, thread, TV_CLOCK_WALL),
        tv_layout_open_end(&c->layout, &c->builder, thread, TV_CLOCK_CPU)};
    uint64_t call = 0;
    uint32_t node = TV_FIRST_NODE;
    const size_t filled = nodes->count;
    for (size_t i = 0; i < thread->depth; i++) {
        const struct tv_index_row *row = &c->layout.rows[out->row_first + i];
        call = row->call_first + row->call_count - 1;
        TV_TRY(tv_nodes_child(nodes, node, thread->stack[i].key, TV_NO_OFFSET, &node, err));
        if (nodes->count > filled) { /* the scan saw another call open here */
            atomic_store(&c->is_over, true);
            return TV_OK;
        }
        close_call(c, out, i, call - out->call_first, end, nodes->sums ? &nodes->sums[node] : NULL);
    }
    unsigned axis = c->trace->has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    struct tv_index_fold *folds = tv_block_section(c->index, TV_SECTION_FOLDS);
    struct tv_index_fold last = {
        .longest_start = out->last[axis],
        .longest_len = out->first[axis] + end[axis] - out->last[axis],
        .longest_call = call,
        .longest_depth = (uint32_t)thread->depth - 1,
    };
    tv_fold_join(&folds[out->fold_first + out->fold_count - 1], &last);
    return TV_OK;
}
