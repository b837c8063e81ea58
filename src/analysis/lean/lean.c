/*
 * Making a lean index; see analysis/lean/lean.h.
 *
 * The nodes tell how many calls stand on each level, so every call has its place before the first
 * one is read: threads, rows and columns are laid out from the nodes alone, a walk of each thread
 * fills them, and then the rows get their mipmaps.
 */
#include "analysis/lean/lean.h"

#include <string.h>

#include "analysis/lean/lean_walk.h"
#include "base/alloc.h"
#include "base/error.h"
#include "index/mipmap.h"
#include "index/segment_groups.h"

void tv_lean_init(struct tv_lean *lean, const struct tv_alloc *alloc)
{
    *lean = (struct tv_lean){.alloc = alloc};
    tv_buffer_init(&lean->hidden, alloc);
}

void tv_lean_release(struct tv_lean *lean)
{
    for (size_t i = 0; i < lean->block_count; i++)
        tv_alloc_release(lean->alloc, &lean->blocks[i].at, lean->blocks[i].cap,
                         lean->blocks[i].elem_len);
    tv_buffer_release(&lean->hidden);
    tv_lean_init(lean, lean->alloc);
}

/* While a lean index is made. */
struct making {
    struct tv_lean *lean;
    const struct tv_lean_nodes *nodes;
    const struct tv_pool *pool;
    struct tv_lean_columns columns;
    uint32_t row_count;
    uint64_t call_count;
    uint64_t times_len;
    uint64_t mipmap_words;
    uint64_t group_count; /* of all levels */
    uint64_t *nexts;      /* per row */
    struct tv_lean_open *open;
    uint64_t *open_first; /* per thread: its part of `open` */
    uint32_t *row_thread; /* per row */
};

/* Memory that the lean index owns; not cleared. */
static enum tv_code take(struct tv_lean *lean, void *out, uint64_t count, size_t elem_len,
                         struct tv_error *err)
{
    struct tv_lean_block *block = &lean->blocks[lean->block_count];
    tv_assert(lean->block_count < TV_LEAN_BLOCK_LIMIT);
    *block = (struct tv_lean_block){.elem_len = elem_len};
    if (count >= SIZE_MAX)
        return tv_fail(err, TV_ERR_MEMORY, TV_NO_OFFSET, "out of memory");
    TV_TRY(tv_alloc_grow(lean->alloc, &block->at, &block->cap, (size_t)count + 1, elem_len, err));
    lean->block_count++;
    memcpy(out, &block->at, sizeof(block->at));
    return TV_OK;
}

/* --- layout --- */

/* Threads and their rows, without what stands in them. */
static enum tv_code list_rows(struct making *m, struct tv_error *err)
{
    const struct tv_index *whole = m->lean->whole;
    struct tv_index_thread *threads;
    TV_TRY(take(m->lean, &threads, whole->thread_count, sizeof(*threads), err));
    m->columns.threads = threads;
    for (uint32_t i = 0; i < whole->thread_count; i++) {
        struct tv_lean_thread shown = tv_lean_nodes_of_thread(m->nodes, whole, i);
        threads[i] = whole->threads[i];
        threads[i].calls = shown.calls;
        threads[i].max_depth = shown.level_count;
        threads[i].row_first = m->row_count;
        /* Which calls are open or adopted is told of the whole's calls. */
        threads[i].open_depth = 0;
        threads[i].adopted_depth = 0;
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            threads[i].long_first[clock] = 0;
            threads[i].long_count[clock] = 0;
        }
        m->row_count += shown.level_count;
    }
    return TV_OK;
}

static void count_calls(struct making *m)
{
    const struct tv_index *whole = m->lean->whole;
    memset(m->columns.rows, 0, m->row_count * sizeof(*m->columns.rows));
    for (uint32_t i = 0; i < whole->thread_count; i++) {
        const struct tv_index_thread *thread = &whole->threads[i];
        uint32_t row_first = m->columns.threads[i].row_first;
        for (uint32_t node = thread->node_first; node < thread->node_first + thread->node_count;
             node++) {
            uint64_t calls = tv_index_node_calls(whole, node);
            if (m->nodes->levels[node] != TV_NONE && calls)
                m->columns.rows[row_first + m->nodes->levels[node]].call_count += calls;
        }
    }
}

/* Durations are as wide as starts, so that long ones need no list. */
static void place_columns(struct making *m, struct tv_index_thread *thread)
{
    size_t width = thread->is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    thread->duration_len = (uint8_t)width;
    thread->call_first = m->call_count;
    for (unsigned column = 0; column < 2 * TV_CLOCK_COUNT; column++) {
        thread->time_off[column] = m->times_len;
        if (m->lean->whole->info->has_clock[column / 2])
            m->times_len += (thread->calls * width + 7) / 8 * 8;
    }
}

/* A segment ends where a shown call begins or ends. */
static void place_groups(struct making *m, struct tv_index_thread *thread)
{
    thread->group_first = m->group_count;
    thread->group_count = (2 * thread->calls + TV_SEGMENT_GROUP_LEN - 1) / TV_SEGMENT_GROUP_LEN;
    uint64_t count = thread->group_count;
    thread->group_level_count = count > 0;
    while (count > 1) {
        count = (count + TV_SEGMENT_GROUP_FANOUT - 1) / TV_SEGMENT_GROUP_FANOUT;
        thread->group_level_count++;
    }
    m->group_count += tv_segment_groups_total(thread->group_count);
}

/* `nexts` has the place of the next call of each level, which the walks count up as they write. */
static void place_rows(struct making *m)
{
    for (uint32_t i = 0; i < m->lean->whole->thread_count; i++) {
        struct tv_index_thread *thread = &m->columns.threads[i];
        place_columns(m, thread);
        place_groups(m, thread);
        for (uint32_t level = 0; level < thread->max_depth; level++) {
            struct tv_index_row *row = &m->columns.rows[thread->row_first + level];
            m->row_thread[thread->row_first + level] = i;
            m->nexts[thread->row_first + level] = m->call_count;
            row->call_first = m->call_count;
            row->mipmap_first = m->mipmap_words;
            m->call_count += row->call_count;
            m->mipmap_words += tv_mipmap_words(row->call_count, thread->is_wide);
        }
    }
}

static enum tv_code take_columns(struct making *m, struct tv_error *err)
{
    struct tv_lean *lean = m->lean;
    struct tv_lean_columns *columns = &m->columns;
    TV_TRY(take(lean, &columns->call_node, m->call_count, sizeof(*columns->call_node), err));
    TV_TRY(take(lean, &columns->times, m->times_len, 1, err));
    TV_TRY(take(lean, &columns->groups, m->group_count, sizeof(*columns->groups), err));
    TV_TRY(take(lean, &columns->mipmap_starts, m->mipmap_words, sizeof(uint32_t), err));
    TV_TRY(take(lean, &columns->mipmap_lens, m->mipmap_words, sizeof(uint32_t), err));
    TV_TRY(take(lean, &lean->origins, m->call_count, sizeof(*lean->origins), err));
    return take(lean, &lean->has_omitted, m->call_count, 1, err);
}

/* --- nodes --- */

static void add_exclusive(const struct tv_index *index, void *sums, uint32_t node, uint64_t time)
{
    if (index->has_wide_sums)
        ((uint64_t *)sums)[node] += time;
    else
        ((uint32_t *)sums)[node] += (uint32_t)time; /* within the node's inclusive time */
}

/* Gives the exclusive times of hidden nodes to the shown ones above them. */
static enum tv_code own_nodes(struct making *m, struct tv_error *err)
{
    struct tv_lean *lean = m->lean;
    const struct tv_index *whole = lean->whole;
    uint32_t *parents;
    uint32_t *levels;
    TV_TRY(take(lean, &parents, m->nodes->count, sizeof(*parents), err));
    TV_TRY(take(lean, &levels, m->nodes->count, sizeof(*levels), err));
    memcpy(parents, m->nodes->parents, m->nodes->count * sizeof(*parents));
    memcpy(levels, m->nodes->levels, m->nodes->count * sizeof(*levels));
    lean->levels = levels;
    lean->index.node_parent = parents;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        size_t width = whole->has_wide_sums ? sizeof(uint64_t) : sizeof(uint32_t);
        void *sums;
        if (!whole->info->has_clock[clock])
            continue;
        TV_TRY(take(lean, &sums, whole->node_count, width, err));
        memcpy(sums, whole->node_exclusive[clock], whole->node_count * width);
        for (uint32_t node = 0; node < whole->node_count; node++) {
            if (m->nodes->levels[node] == TV_NONE && parents[node] != TV_NONE)
                add_exclusive(whole, sums, parents[node],
                              tv_index_node_exclusive(whole, clock, node));
        }
        lean->index.node_exclusive[clock] = sums;
    }
    return TV_OK;
}

/* --- calls --- */

static void walk_task(void *arg, size_t task_ix)
{
    const struct making *m = arg;
    const struct tv_lean_walk walk = {
        .lean = m->lean,
        .columns = &m->columns,
        .nodes = m->nodes,
        .thread_ix = (uint32_t)task_ix,
        .is_unwanted = m->pool->is_unwanted,
        .open = m->open + m->open_first[task_ix],
        .nexts = m->nexts + m->columns.threads[task_ix].row_first,
    };
    if (m->columns.threads[task_ix].calls)
        tv_lean_walk_run(&walk);
}

static void mipmap_task(void *arg, size_t task_ix)
{
    const struct making *m = arg;
    const struct tv_mipmap mipmap =
        tv_mipmap_of(&m->lean->index, m->row_thread[task_ix], (uint32_t)task_ix);
    tv_mipmap_write(&mipmap, m->columns.mipmap_starts, m->columns.mipmap_lens);
}

/* What was laid out, as an index. */
static void view(const struct making *m)
{
    struct tv_index *index = &m->lean->index;
    index->alloc = NULL;
    index->block = NULL;
    index->block_len = 0;
    index->threads = m->columns.threads;
    index->rows = m->columns.rows;
    index->row_count = m->row_count;
    index->call_count = m->call_count;
    index->call_node = m->columns.call_node;
    index->times = m->columns.times;
    index->mipmap_starts = m->columns.mipmap_starts;
    index->mipmap_lens = m->columns.mipmap_lens;
    index->mipmap_words = m->mipmap_words;
    index->long_calls = NULL;
    index->long_count = 0;
    index->segment_groups = m->columns.groups;
    index->segment_group_count = m->group_count;
}

/* Room that the walks need, and that ends with them. */
struct scratch {
    size_t open_cap;
    size_t first_cap;
    size_t next_cap;
    size_t thread_cap;
};

/* Threads are walked at the same time: each writes only its own rows. */
static enum tv_code fill(struct making *m, struct scratch *scratch, struct tv_error *err)
{
    const struct tv_index *whole = m->lean->whole;
    const struct tv_alloc *alloc = m->lean->alloc;
    uint64_t depths = 0;
    TV_TRY(list_rows(m, err));
    TV_TRY(take(m->lean, &m->columns.rows, m->row_count, sizeof(*m->columns.rows), err));
    TV_TRY(tv_alloc_grow(alloc, &m->nexts, &scratch->next_cap, m->row_count + (size_t)1,
                         sizeof(*m->nexts), err));
    TV_TRY(tv_alloc_grow(alloc, &m->row_thread, &scratch->thread_cap, m->row_count + (size_t)1,
                         sizeof(*m->row_thread), err));
    TV_TRY(tv_alloc_grow(alloc, &m->open_first, &scratch->first_cap,
                         whole->thread_count + (size_t)1, sizeof(*m->open_first), err));
    for (uint32_t i = 0; i < whole->thread_count; i++) {
        m->open_first[i] = depths;
        depths += whole->threads[i].max_depth;
    }
    TV_TRY(tv_alloc_grow(alloc, &m->open, &scratch->open_cap, (size_t)depths + 1, sizeof(*m->open),
                         err));
    count_calls(m);
    place_rows(m);
    TV_TRY(take_columns(m, err));
    TV_TRY(own_nodes(m, err));
    view(m);
    m->pool->run(m->pool->ctx, walk_task, m, whole->thread_count);
    TV_TRY(tv_check_wanted(m->pool->is_unwanted, err));
    m->pool->run(m->pool->ctx, mipmap_task, m, m->row_count);
    return TV_OK;
}

static bool hides_calls(const struct tv_index *index, const uint8_t *hidden)
{
    for (uint32_t i = 0; hidden && i < index->method_count; i++) {
        if (hidden[i] && index->methods[i].calls)
            return true;
    }
    return false;
}

/* Where nothing is hidden the lean index is a view of the whole one, and takes no memory. */
enum tv_code tv_lean_make(struct tv_lean *lean, const struct tv_index *whole, const uint8_t *hidden,
                          const struct tv_pool *pool, struct tv_error *err)
{
    struct tv_lean_nodes nodes;
    struct scratch scratch = {.open_cap = 0};
    struct making making = {.lean = lean, .nodes = &nodes, .pool = pool ? pool : tv_pool_serial()};
    tv_lean_release(lean);
    lean->whole = whole;
    lean->index = *whole;
    lean->levels = whole->node_depth;
    if (!hides_calls(whole, hidden))
        return TV_OK;
    tv_lean_nodes_init(&nodes, lean->alloc);
    enum tv_code code = tv_lean_nodes_find(&nodes, whole, hidden, err);
    if (code == TV_OK)
        code = fill(&making, &scratch, err);
    tv_alloc_release(lean->alloc, &making.nexts, scratch.next_cap, sizeof(*making.nexts));
    tv_alloc_release(lean->alloc, &making.row_thread, scratch.thread_cap,
                     sizeof(*making.row_thread));
    tv_alloc_release(lean->alloc, &making.open_first, scratch.first_cap,
                     sizeof(*making.open_first));
    tv_alloc_release(lean->alloc, &making.open, scratch.open_cap, sizeof(*making.open));
    tv_lean_nodes_release(&nodes);
    if (code != TV_OK)
        tv_lean_release(lean);
    return code;
}
