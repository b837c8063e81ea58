/*
 * Adding up and renumbering the calls of a chunk; see index/build/chunks/chunk_nodes.h.
 *
 * The calls that a chunk opened on a thread are one stretch of each row: from first_calls, where
 * the slot began, to where the slot stands when the chunk is written. In the thread's first chunk
 * the adopting calls come on top of that: each stands before the stretch of its row.
 */
#include "index/build/chunks/chunk_nodes.h"

#include "index/block.h"

/* Columns that begin with the first call of a thread; NULL on a clock that the trace lacks. */
struct columns {
    struct tv_node_sums *sums; /* by node as it stands in `node`, from TV_FIRST_CHILD on */
    const uint32_t *node;
    const void *durations[TV_CLOCK_COUNT];
    uint32_t duration_len;
};

/* Calls from the prefetch of a node's sums to the call that is added to them. */
#define SUMS_AHEAD 24u

#define DEFINE_ADD_UP(name, type)                                                                  \
    static void name(const struct columns *columns, uint64_t first, uint64_t end)                  \
    {                                                                                              \
        const type *wall = columns->durations[TV_CLOCK_WALL];                                      \
        const type *cpu = columns->durations[TV_CLOCK_CPU];                                        \
        struct tv_node_sums *sums = columns->sums;                                                 \
        for (uint64_t i = first; i < end; i++) {                                                   \
            struct tv_node_sums *to = &sums[columns->node[i]];                                     \
            if (end - i > SUMS_AHEAD)                                                              \
                TV_PREFETCH_WRITE(&sums[columns->node[i + SUMS_AHEAD]]);                           \
            to->calls++;                                                                           \
            to->inclusive[TV_CLOCK_WALL] += wall ? wall[i] : 0;                                    \
            to->inclusive[TV_CLOCK_CPU] += cpu ? cpu[i] : 0;                                       \
        }                                                                                          \
    }

DEFINE_ADD_UP(add_up_short, uint16_t)
DEFINE_ADD_UP(add_up_narrow, uint32_t)

/* The columns of a thread of the chunk. */
static struct columns columns_of(const struct tv_writer_thread *thread,
                                 const struct tv_index *index, const struct tv_trace *trace)
{
    const struct tv_index_thread *out = thread->build->out;
    const uint32_t *call_node = tv_block_section(index, TV_SECTION_CALL_NODE);
    const char *times = tv_block_section(index, TV_SECTION_TIMES);
    struct columns columns = {.sums = thread->nodes.sums + TV_FIRST_CHILD,
                              .node = call_node + out->call_first,
                              .duration_len = out->duration_len};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (trace->has_clock[clock])
            columns.durations[clock] = times + out->time_off[2 * clock + 1];
    }
    return columns;
}

/* Adds for each long call what its duration has above TV_LONG_DURATION, which the column says. */
static void add_long_calls(const struct tv_writer_thread *thread, const struct columns *columns)
{
    for (size_t i = 0; i < thread->long_count; i++) {
        const struct tv_long_call *close = &thread->long_calls[i];
        struct tv_node_sums *to = &columns->sums[columns->node[close->call]];
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            if (close->duration[clock] >= TV_LONG_DURATION)
                to->inclusive[clock] += (uint32_t)close->duration[clock] - TV_LONG_DURATION;
        }
    }
}

static void sum_thread(struct tv_writer_thread *thread, const struct columns *columns)
{
    for (size_t slot = 0; slot < thread->slot_count; slot++) {
        uint64_t end = thread->slots[slot].next;
        /* Slot 0 is below the lowest depth of the chunk. On each of the next opened_count depths
         * the chunk leaves its last call open: that one counts, but has no duration yet. */
        bool is_open = slot > 0 && slot <= thread->scan->opened_count;
        if (is_open)
            columns->sums[columns->node[--end]].calls++;
        if (columns->duration_len == 2)
            add_up_short(columns, thread->first_calls[slot], end);
        else
            add_up_narrow(columns, thread->first_calls[slot], end);
    }
    /* The merge adds the durations of adopting calls, when it closes them. */
    for (size_t i = 0; thread->adopting_exits && i < thread->build->adopting_count; i++)
        thread->nodes.sums[thread->open_nodes[i]].calls++;
    add_long_calls(thread, columns);
}

void tv_chunk_sum(struct tv_chunk_writer *writer, const struct tv_layout *layout,
                  struct tv_index *index)
{
    for (size_t i = 0; i < writer->scan->thread_count && !layout->has_wide_sums; i++) {
        struct tv_writer_thread *thread = &writer->threads[i];
        writer->code = tv_nodes_make_sums(&thread->nodes, &writer->error);
        if (writer->code != TV_OK)
            return;
        struct columns columns = columns_of(thread, index, layout->trace);
        sum_thread(thread, &columns);
    }
}

/* Replaces numbers of nodes by ordinals. node_of: the thread's node for each node of the chunk's
 * tree; NULL where the two are the same, because the chunk was the first. */
static void renumber(uint32_t *node, uint64_t first, uint64_t end, const uint32_t *node_of,
                     uint32_t node_first)
{
    for (uint64_t i = first; i < end && !node_of; i++)
        node[i] += node_first;
    for (uint64_t i = first; i < end && node_of; i++)
        node[i] = node_of[node[i] + TV_FIRST_CHILD] - TV_FIRST_CHILD + node_first;
}

void tv_chunk_renumber(const struct tv_chunk_writer *writer, const struct tv_layout *layout,
                       struct tv_index *index)
{
    uint32_t *call_node = tv_block_section(index, TV_SECTION_CALL_NODE);
    for (size_t i = 0; i < writer->scan->thread_count; i++) {
        const struct tv_writer_thread *thread = &writer->threads[i];
        const struct tv_index_thread *out = thread->build->out;
        uint32_t *node = call_node + out->call_first;
        size_t adopting = thread->adopting_exits ? thread->build->adopting_count : 0;
        /* The first chunk of the first thread has ordinals already. */
        if (!thread->final_node && !out->node_first)
            continue;
        for (size_t k = 0; k < adopting; k++) {
            uint64_t call = layout->rows[out->row_first + k].call_first - out->call_first;
            renumber(node, call, call + 1, thread->final_node, out->node_first);
        }
        for (size_t slot = 0; slot < thread->slot_count; slot++)
            renumber(node, thread->first_calls[slot], thread->slots[slot].next, thread->final_node,
                     out->node_first);
    }
}
