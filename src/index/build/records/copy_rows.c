/*
 * Copying pages of calls into columns; see index/build/records/copy_rows.h.
 *
 * Each row is a task. A task releases a page as soon as the page is copied, so that no call is held
 * twice. The widths of a thread are constants in the loops over calls, which are made once for each
 * pair of widths.
 */
#include <string.h>

#include "base/alloc.h"
#include "index/block.h"
#include "index/build/builder.h"
#include "index/build/context_tree.h"
#include "index/build/long_durations.h"
#include "index/build/records/copy_rows.h"

/* What the tasks share. */
struct copy_task {
    const struct tv_layout *layout;
    struct tv_builder *builder;
    struct tv_index *index;
};

/* One row while it is copied. The columns begin with the first call of the thread. */
struct row_copy {
    const struct tv_layout *layout;
    size_t row_ix;
    const struct tv_build_thread *build;
    const struct tv_index_thread *thread;
    uint32_t *call_node;
    char *time[4]; /* NULL where the trace lacks the clock */
    uint64_t call; /* the next call, by its place in the thread */
};

/* Lists the call on each clock on which it is long. */
static TV_NOINLINE void add_long_calls(const struct row_copy *copy, uint64_t call,
                                       const uint64_t time[4])
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t duration = time[2 * clock + 1];
        if (copy->time[2 * clock + 1] && duration >= TV_LONG_DURATION) {
            bool has_room = tv_long_durations_add(copy->layout, copy->row_ix, clock,
                                                  copy->thread->call_first + call, duration);
            tv_assert(has_room);
            (void)has_room;
        }
    }
}

/* Writes one call. time as in an entry of a page. */
TV_INLINE void copy_call(const struct row_copy *copy, uint64_t call, uint32_t node,
                         const uint64_t time[4], uint32_t start_len, uint32_t duration_len)
{
    copy->call_node[copy->thread->call_first + call] = node;
    for (unsigned column = 0; column < 4; column++) {
        uint32_t len = column % 2 ? duration_len : start_len;
        uint32_t narrow = (uint32_t)time[column];
        if (!copy->time[column])
            continue;
        if (len == 2)
            tv_long_durations_store(copy->time[column], call, time[column]);
        else if (len == 4)
            memcpy(copy->time[column] + call * 4, &narrow, 4);
        else
            memcpy(copy->time[column] + call * 8, &time[column], 8);
    }
    if (duration_len == 2 && TV_UNLIKELY((time[1] | time[3]) >= TV_LONG_DURATION))
        add_long_calls(copy, call, time);
}

/* Copies `count` entries of 32-bit times; durations have 2 or 4 bytes in the column. */
TV_INLINE void copy_narrow(const struct row_copy *copy, const char *calls, uint32_t count,
                           uint32_t duration_len)
{
    for (uint32_t i = 0; i < count; i++) {
        struct tv_narrow_call call;
        memcpy(&call, calls + i * sizeof(call), sizeof(call));
        const uint64_t time[4] = {call.time[0], call.time[1], call.time[2], call.time[3]};
        copy_call(copy, copy->call + i, tv_final_node(copy->build, call.node), time, 4,
                  duration_len);
    }
}

static void copy_page(struct row_copy *copy, const char *calls, uint32_t count)
{
    if (copy->build->duration_len == 2)
        copy_narrow(copy, calls, count, 2);
    else if (!copy->build->is_wide)
        copy_narrow(copy, calls, count, 4);
    for (uint32_t i = 0; copy->build->is_wide && i < count; i++) {
        struct tv_wide_call call;
        memcpy(&call, calls + i * sizeof(call), sizeof(call));
        copy_call(copy, copy->call + i, tv_final_node(copy->build, call.node), call.time, 8, 8);
    }
    copy->call += count;
}

static void copy_row(void *arg, size_t row_ix)
{
    const struct copy_task *task = arg;
    uint32_t thread_ix = tv_layout_thread_of_row(task->layout, row_ix);
    const struct tv_index_thread *thread = &task->layout->out[thread_ix];
    struct tv_build_thread *build = task->layout->threads[thread_ix];
    struct tv_call_row *row = &build->rows[row_ix - thread->row_first];
    struct row_copy copy = {
        .layout = task->layout,
        .row_ix = row_ix,
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
    struct tv_row_buffer *page = tv_row_next_buffer(row, NULL);
    while (page) {
        struct tv_row_buffer *next = tv_row_next_buffer(row, page);
        copy_page(&copy, tv_row_buffer_calls(page), tv_row_buffer_count(row, page));
        tv_row_buffer_free(page, task->builder->alloc);
        page = next;
    }
    *row = (struct tv_call_row){.tail = NULL}; /* its pages are released */
}

void tv_rows_copy(const struct tv_layout *layout, struct tv_builder *builder,
                  const struct tv_pool *pool, struct tv_index *index)
{
    struct copy_task task = {.layout = layout, .builder = builder, .index = index};
    pool->run(pool->ctx, copy_row, &task, layout->row_count);
}
