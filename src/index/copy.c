/*
 * Pages of calls become columns. Rows are tasks for the pool; each releases its pages as it goes,
 * so that nothing is held twice. A call's node is written relative to its thread's first, which
 * tv_tables_write makes whole.
 */
#include <string.h>

#include "base/alloc.h"
#include "index/block.h"
#include "index/build.h"

struct copy_task {
    const struct tv_layout *layout;
    struct tv_builder *builder;
    struct tv_index *index;
};

/* The columns of one row that its task fills. */
struct row_copy {
    const struct tv_build_thread *build;
    const struct tv_index_thread *thread;
    uint32_t *call_node;
    char *time[4]; /* NULL where the trace lacks the clock */
    uint64_t call; /* ordinal within the thread of the next call */
};

TV_INLINE void copy_call(const struct row_copy *copy, uint64_t call, uint32_t node,
                         const uint64_t time[4], bool is_wide)
{
    copy->call_node[copy->thread->call_first + call] = node;
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
}

static void copy_page(struct row_copy *copy, const char *calls, uint32_t count)
{
    const uint32_t *final_node = copy->build->final_node;
    if (copy->build->is_wide) {
        for (uint32_t i = 0; i < count; i++) {
            struct tv_wide_call call;
            memcpy(&call, calls + i * sizeof(call), sizeof(call));
            copy_call(copy, copy->call + i, final_node[call.node], call.time, true);
        }
    } else {
        for (uint32_t i = 0; i < count; i++) {
            struct tv_narrow_call call;
            memcpy(&call, calls + i * sizeof(call), sizeof(call));
            const uint64_t time[4] = {call.time[0], call.time[1], call.time[2], call.time[3]};
            copy_call(copy, copy->call + i, final_node[call.node], time, false);
        }
    }
    copy->call += count;
}

static void copy_row(void *arg, size_t row_ix)
{
    const struct copy_task *task = arg;
    uint32_t thread_ix = task->layout->thread_of_row[row_ix];
    const struct tv_index_thread *thread = &task->layout->out[thread_ix];
    struct tv_build_thread *build = task->layout->threads[thread_ix].build;
    struct tv_row *row = &build->rows[row_ix - thread->row_first];
    struct row_copy copy = {
        .build = build,
        .thread = thread,
        .call_node = tv_block_section(task->index, TV_SECTION_CALL_NODE),
        .call = task->layout->rows[row_ix].call_first - thread->call_first,
    };
    char *times = tv_block_section(task->index, TV_SECTION_TIMES);
    for (unsigned column = 0; column < 4; column++) {
        bool has_clock = task->builder->trace->has_clock[column / 2];
        copy.time[column] = has_clock ? times + thread->time_off[column] : NULL;
    }
    struct tv_row_page *page = row->first;
    while (page) {
        struct tv_row_page *next = page->next;
        copy_page(&copy, tv_row_page_calls(page), tv_row_page_count(row, page));
        tv_row_page_free(page, task->builder->alloc);
        page = next;
    }
    *row = (struct tv_row){.tail = NULL};
}

void tv_rows_copy(const struct tv_layout *layout, struct tv_builder *builder,
                  const struct tv_pool *pool, struct tv_index *index)
{
    struct copy_task task = {.layout = layout, .builder = builder, .index = index};
    pool->run(pool->ctx, copy_row, &task, layout->row_count);
}
