/*
 * Writing the columns of nodes, and adding up calls; see index/build/node_sums.h.
 *
 * There are two rounds of tasks. In the first, pieces of nodes are copied from the trees, while
 * rows are added up and get their mipmaps. In the second, nodes are marked as recursive or not,
 * piece by piece, and their calls are added up for their methods; marking a piece needs the
 * parents, depths and methods of all nodes, so it can begin only when all are written.
 */
#include "index/build/node_sums.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/error.h"
#include "index/block.h"
#include "index/mipmap.h"

/* What the tasks share. */
struct summing {
    const struct tv_layout *layout;
    const struct tv_node_pieces *pieces;
    atomic_size_t written; /* pieces of nodes that are copied */
    struct tv_index *index;
    uint32_t mark_task_len; /* nodes that a task marks */
    atomic_bool is_adding;  /* a task is adding its calls to the methods */
    atomic_bool has_failed; /* a marking task failed; the first that failed sets code and error */
    enum tv_code code;
    struct tv_error error;
};

/* The calls of a row, and the sums that they are added to. Columns of a clock that the trace lacks
 * are NULL. */
struct adding {
    void *calls;
    void *inclusive[TV_CLOCK_COUNT];
    const uint32_t *node;                  /* by call of the thread */
    const void *durations[TV_CLOCK_COUNT]; /* by call of the thread */
    uint64_t first, end;                   /* the calls of the row, by their place in the thread */
};

/* Adds calls and both times in one loop, so that the processor waits for the lines of several calls
 * at once. */
#define DEFINE_ADD_UP(name, sum_type, type)                                                        \
    static void name(const struct adding *a)                                                       \
    {                                                                                              \
        const uint32_t *node = a->node;                                                            \
        const type *wall = a->durations[TV_CLOCK_WALL];                                            \
        const type *cpu = a->durations[TV_CLOCK_CPU];                                              \
        sum_type *calls = a->calls;                                                                \
        sum_type *wall_sum = a->inclusive[TV_CLOCK_WALL];                                          \
        sum_type *cpu_sum = a->inclusive[TV_CLOCK_CPU];                                            \
        for (uint64_t i = a->first; i < a->end; i++) {                                             \
            calls[node[i]]++;                                                                      \
            if (wall)                                                                              \
                wall_sum[node[i]] += (sum_type)wall[i];                                            \
            if (cpu)                                                                               \
                cpu_sum[node[i]] += (sum_type)cpu[i];                                              \
        }                                                                                          \
    }

DEFINE_ADD_UP(add_up_short, uint32_t, uint16_t)
DEFINE_ADD_UP(add_up_narrow, uint32_t, uint32_t)
DEFINE_ADD_UP(add_up_wide, uint32_t, uint64_t)
DEFINE_ADD_UP(add_up_short_widely, uint64_t, uint16_t)
DEFINE_ADD_UP(add_up_narrow_widely, uint64_t, uint32_t)
DEFINE_ADD_UP(add_up_wide_widely, uint64_t, uint64_t)

/* By the width of sums (32 or 64 bits), and of durations (16, 32 or 64). */
static void (*const add_ups[2][3])(const struct adding *a) = {
    {add_up_short, add_up_narrow, add_up_wide},
    {add_up_short_widely, add_up_narrow_widely, add_up_wide_widely}};

/* Adds for each long call of a row what its duration has above TV_LONG_DURATION, which is what
 * add_up takes from the column. */
static void add_up_long_calls(const struct tv_index *index, const struct tv_index_thread *thread,
                              const struct tv_index_row *row, enum tv_clock clock, void *sums)
{
    struct tv_index_long_calls long_calls = tv_index_long_calls_of(
        index, thread, clock, row->call_first, row->call_first + row->call_count);
    for (uint64_t i = 0; i < long_calls.count; i++) {
        uint32_t node = index->call_node[long_calls.at[i].call];
        uint64_t more = long_calls.at[i].duration - TV_LONG_DURATION;
        if (index->has_wide_sums)
            ((uint64_t *)sums)[node] += more;
        else
            ((uint32_t *)sums)[node] += (uint32_t)more;
    }
}

/* Adds the calls of a row to the sums of their nodes. */
static void add_up(const struct tv_index *index, const struct tv_index_thread *thread,
                   const struct tv_index_row *row)
{
    struct adding adding = {
        .calls = tv_block_section(index, TV_SECTION_NODE_CALLS),
        .inclusive = {tv_block_section(index, TV_SECTION_NODE_INCLUSIVE_WALL),
                      tv_block_section(index, TV_SECTION_NODE_INCLUSIVE_CPU)},
        .node = index->call_node + thread->call_first,
        .first = row->call_first - thread->call_first,
    };
    adding.end = adding.first + row->call_count;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!index->info->has_clock[clock])
            continue;
        adding.durations[clock] = index->times + thread->time_off[2 * clock + 1];
        add_up_long_calls(index, thread, row, (enum tv_clock)clock, adding.inclusive[clock]);
    }
    unsigned width = thread->duration_len == sizeof(uint16_t) ? 0 : thread->is_wide ? 2 : 1;
    add_ups[index->has_wide_sums][width](&adding);
}

/* Writes parent and method of some nodes, and their sums where the tree has them. */
static void write_nodes(const struct summing *summing, const struct tv_node_run *run)
{
    const struct tv_index *index = summing->index;
    const struct tv_nodes *nodes = &run->thread->nodes;
    uint32_t *parents = tv_block_section(index, TV_SECTION_NODE_PARENT);
    uint32_t *methods = tv_block_section(index, TV_SECTION_NODE_METHOD);
    uint32_t *calls = tv_block_section(index, TV_SECTION_NODE_CALLS);
    uint32_t *wall = tv_block_section(index, TV_SECTION_NODE_INCLUSIVE_WALL);
    uint32_t *cpu = tv_block_section(index, TV_SECTION_NODE_INCLUSIVE_CPU);
    for (uint32_t i = run->first; i < run->end; i++) {
        uint32_t parent = nodes->parent[i];
        if (i == run->thread->root)
            continue;
        uint32_t node = tv_final_node(run->thread, i);
        parents[node] = parent == run->thread->root ? TV_NONE : tv_final_node(run->thread, parent);
        methods[node] = nodes->methods[i];
        if (!nodes->sums)
            continue;
        calls[node] = nodes->sums[i].calls;
        wall[node] = nodes->sums[i].inclusive[TV_CLOCK_WALL];
        cpu[node] = nodes->sums[i].inclusive[TV_CLOCK_CPU];
    }
}

/* Adds a row up, if need be, and writes its mipmap. */
static void finish_row(const struct summing *summing, size_t row_ix)
{
    const struct tv_index *index = summing->index;
    const struct tv_index_row *row = &index->rows[row_ix];
    uint32_t thread_ix = tv_layout_thread_of_row(summing->layout, row_ix);
    if (!summing->layout->threads[thread_ix]->nodes.sums)
        add_up(index, &index->threads[thread_ix], row);
    const struct tv_mipmap mipmap = tv_mipmap_of(index, thread_ix, (uint32_t)row_ix);
    tv_mipmap_write(&mipmap, tv_block_section(index, TV_SECTION_MIPMAP_STARTS),
                    tv_block_section(index, TV_SECTION_MIPMAP_LENS));
}

/* The first tasks are pieces of nodes, the others are rows. The task that ends the last piece sets
 * the depths of all nodes, in one pass: a depth needs the depth of the parent. */
static void sum_task(void *arg, size_t task_ix)
{
    struct summing *summing = arg;
    struct tv_node_run run;
    if (task_ix >= summing->pieces->count) {
        finish_row(summing, task_ix - summing->pieces->count);
        return;
    }
    struct tv_node_piece piece = summing->pieces->at[task_ix];
    while (tv_context_tree_take_run(summing->layout, &piece, &run))
        write_nodes(summing, &run);
    if (atomic_fetch_add(&summing->written, 1) + 1 == summing->pieces->count)
        tv_context_tree_set_depths(summing->index);
}

/* Releases the trees: the block has their nodes now. */
static void drop_nodes(const struct tv_layout *layout)
{
    for (size_t i = 0; i < layout->thread_count; i++) {
        if (layout->threads[i])
            tv_build_thread_drop_nodes(layout->threads[i], layout->alloc);
    }
}

/* Adds what a task has counted to the methods. Other tasks spin meanwhile, which is short: there
 * are no more methods than nodes of a task. */
static void add_calls(struct summing *summing, const struct tv_marked_method *marked)
{
    struct tv_index_method *methods = tv_block_section(summing->index, TV_SECTION_METHODS);
    while (atomic_exchange(&summing->is_adding, true))
        ;
    for (uint32_t i = 0; i < summing->index->method_count; i++) {
        methods[i].calls += marked[i].calls[0];
        methods[i].recursive_calls += marked[i].calls[1];
    }
    atomic_store(&summing->is_adding, false);
}

/* Marks one piece of nodes. */
static enum tv_code mark(struct summing *summing, size_t piece, struct tv_error *err)
{
    const struct tv_alloc *alloc = summing->layout->alloc;
    struct tv_index *index = summing->index;
    uint32_t first = (uint32_t)piece * summing->mark_task_len;
    uint32_t left = index->node_count - first;
    uint32_t end = first + (left < summing->mark_task_len ? left : summing->mark_task_len);
    struct tv_marked_method *methods;
    TV_TRY(tv_alloc_new(alloc, &methods, index->method_count, sizeof(*methods), err));
    enum tv_code code = tv_context_tree_mark_recursive(index, first, end, methods, alloc, err);
    if (code == TV_OK)
        add_calls(summing, methods);
    tv_alloc_release(alloc, &methods, index->method_count, sizeof(*methods));
    return code;
}

/* The first task releases the trees, the others mark pieces of nodes. */
static void mark_task(void *arg, size_t task_ix)
{
    struct summing *summing = arg;
    struct tv_error err;
    if (!task_ix) {
        drop_nodes(summing->layout);
        return;
    }
    enum tv_code code = mark(summing, task_ix - 1, &err);
    if (code == TV_OK || atomic_exchange(&summing->has_failed, true))
        return;
    summing->code = code;
    summing->error = err;
}

/* The second round has one task more than pieces: task 0 releases the trees, which nobody needs
 * once their nodes stand in the block. */
enum tv_code tv_node_sums_write(const struct tv_layout *layout, const struct tv_node_pieces *pieces,
                                const struct tv_pool *pool, struct tv_index *index,
                                struct tv_error *err)
{
    struct summing summing = {.layout = layout,
                              .pieces = pieces,
                              .index = index,
                              .mark_task_len = tv_context_tree_mark_task_len(index)};
    size_t mark_count =
        index->node_count / summing.mark_task_len + (index->node_count % summing.mark_task_len > 0);
    pool->run(pool->ctx, sum_task, &summing, pieces->count + layout->row_count);
    pool->run(pool->ctx, mark_task, &summing, mark_count + 1);
    if (summing.code != TV_OK && err)
        *err = summing.error;
    return summing.code;
}
