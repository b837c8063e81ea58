/* Adding up and levelling rows; see index/sweep.h. */
#include "index/sweep.h"

#include "index/block.h"
#include "index/tree.h"

struct sweep {
    const struct tv_layout *layout;
    struct tv_index *index;
    enum tv_code code; /* of marking recursive nodes */
    struct tv_error error;
};

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
                uint64_t len = tv_index_duration(index, thread, axis, row->call_first + call);
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

#define DEFINE_ADD_UP(name, type)                                                                  \
    static void name(uint64_t *sums, const uint32_t *node, const void *durations, uint64_t count)  \
    {                                                                                              \
        const type *duration = durations;                                                          \
        for (uint64_t i = 0; i < count; i++)                                                       \
            sums[node[i]] += duration[i];                                                          \
    }

DEFINE_ADD_UP(add_up_short, uint16_t)
DEFINE_ADD_UP(add_up_narrow, uint32_t)
DEFINE_ADD_UP(add_up_wide, uint64_t)

static void add_up_longs(const struct tv_index *index, const struct tv_index_thread *thread,
                         const struct tv_index_row *row, enum tv_clock clock, uint64_t *sums)
{
    struct tv_index_longs longs =
        tv_index_longs_of(index, thread, clock, row->call_first, row->call_first + row->call_count);
    for (uint64_t i = 0; i < longs.count; i++)
        sums[index->call_node[longs.at[i].call]] += longs.at[i].duration - TV_LONG_DURATION;
}

static void add_up(const struct tv_index *index, const struct tv_index_thread *thread,
                   const struct tv_index_row *row)
{
    static const enum tv_section sections[TV_CLOCK_COUNT] = {TV_SECTION_NODE_INCLUSIVE_WALL,
                                                             TV_SECTION_NODE_INCLUSIVE_CPU};
    const uint32_t *node = index->call_node + row->call_first;
    uint64_t *calls = tv_block_section(index, TV_SECTION_NODE_CALLS);
    uint64_t first = row->call_first - thread->call_first;
    for (uint64_t i = 0; i < row->call_count; i++)
        calls[node[i]]++;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        const uint8_t *column = index->times + thread->time_off[2 * clock + 1];
        uint64_t *sums = tv_block_section(index, sections[clock]);
        if (!index->info->has_clock[clock])
            continue;
        if (thread->duration_len == 2) {
            add_up_short(sums, node, column + first * 2, row->call_count);
            add_up_longs(index, thread, row, (enum tv_clock)clock, sums);
        } else if (thread->is_wide) {
            add_up_wide(sums, node, column + first * 8, row->call_count);
        } else {
            add_up_narrow(sums, node, column + first * 4, row->call_count);
        }
    }
}

static void sweep_row(const struct sweep *sweep, size_t row_ix)
{
    const struct tv_index *index = sweep->index;
    const struct tv_index_row *row = &index->rows[row_ix];
    const struct tv_index_thread *thread = &index->threads[sweep->layout->thread_of_row[row_ix]];
    uint32_t *levels = tv_block_section(index, TV_SECTION_LEVELS);
    add_up(index, thread, row);
    write_levels(index, thread, row, levels + row->level_first);
}

/* The first task is the one that is not about a row. */
static void sweep_task(void *arg, size_t task_ix)
{
    struct sweep *sweep = arg;
    if (task_ix)
        sweep_row(sweep, task_ix - 1);
    else
        sweep->code = tv_tree_mark_recursive(sweep->index, sweep->layout->alloc, &sweep->error);
}

enum tv_code tv_sweep(const struct tv_layout *layout, const struct tv_pool *pool,
                      struct tv_index *index, struct tv_error *err)
{
    struct sweep sweep = {.layout = layout, .index = index};
    pool->run(pool->ctx, sweep_task, &sweep, layout->row_count + 1);
    if (sweep.code != TV_OK && err)
        *err = sweep.error;
    return sweep.code;
}
