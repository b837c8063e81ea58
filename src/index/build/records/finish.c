/*
 * The end of the serial builder: open calls are closed, and rows are copied into columns.
 *
 * Until tv_layout_make has seen all threads, nobody knows when calls end that are open at the end,
 * and whether a thread is wide for it. So the layout comes first, then open calls are closed in
 * their rows, then all is written to the block.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "index/block.h"
#include "index/build/builder.h"
#include "index/build/context_tree.h"
#include "index/build/records/copy_rows.h"
#include "index/build/records/records.h"
#include "index/build/segment_groups_write.h"
#include "index/build/tables.h"

/* Ends the records of a thread. The segment group being filled becomes the last one, if it has a
 * segment, or will have one because calls are open. Releases what is no longer needed: a file may
 * name very many threads. */
static void end_records(const struct tv_builder *b, struct tv_build_thread *thread)
{
    thread->group_count += thread->group->segments || thread->depth;
    tv_alloc_release(b->alloc, &thread->stack, thread->stack_cap, sizeof(*thread->stack));
    thread->stack = NULL;
    thread->stack_cap = 0;
    tv_alloc_shrink(b->alloc, &thread->row_room, &thread->row_cap,
                    thread->row_front + thread->row_count, sizeof(*thread->row_room));
    thread->rows = thread->row_count ? thread->row_room + thread->row_front : NULL;
    tv_nodes_finish(&thread->nodes);
}

/* Adds the time from the thread's last segment to the end, in which the call on top is innermost.
 */
static void end_last_segment(struct tv_build_thread *thread, uint64_t axis_end)
{
    struct tv_build_segment_group *group = &thread->groups[thread->group_count - 1];
    uint64_t len = axis_end - thread->segment_start;
    if (group->longest_depth != TV_NONE && len <= group->longest_len)
        return;
    group->longest_len = len;
    group->longest_start = thread->segment_start;
    group->longest_depth = (uint32_t)thread->depth - 1;
    group->longest_epoch = (uint32_t)thread->adopting_count;
    group->longest_ordinal = thread->rows[thread->depth - 1].count - 1;
}

/* Closes the calls of a thread that are open at the end of the trace. */
static void close_thread(const struct tv_layout *layout, const struct tv_builder *b,
                         struct tv_build_thread *thread)
{
    enum tv_clock axis = b->trace->has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    if (!thread->depth)
        return;
    const uint64_t end[TV_CLOCK_COUNT] = {tv_layout_open_end(layout, b, thread, TV_CLOCK_WALL),
                                          tv_layout_open_end(layout, b, thread, TV_CLOCK_CPU)};
    for (size_t i = 0; i < thread->depth; i++)
        tv_build_close(thread, i, end);
    end_last_segment(thread, end[axis] + (uint64_t)thread->clock[axis].first);
}

/* Writes the segment groups of all threads to the block. */
static void write_groups(const struct tv_layout *layout, const struct tv_builder *b,
                         struct tv_index *index)
{
    struct tv_index_segment_group *groups = tv_block_section(index, TV_SECTION_SEGMENT_GROUPS);
    for (size_t i = 0; i < b->thread_count; i++) {
        struct tv_build_thread *thread = b->threads[i];
        const struct tv_index_row *rows = layout->rows + thread->out->row_first;
        uint64_t multiple = b->trace->has_clock[TV_CLOCK_WALL] ? thread->wall_multiple : 0;
        tv_segment_groups_write(thread, rows, multiple, groups + thread->out->group_first);
        tv_build_thread_drop_groups(thread, b->alloc);
    }
}

static enum tv_code finish(struct tv_layout *layout, struct tv_builder *builder,
                           const struct tv_pool *pool, struct tv_index *index, struct tv_error *err)
{
    for (size_t i = 0; i < builder->thread_count; i++)
        end_records(builder, builder->threads[i]);
    TV_TRY(tv_layout_make(layout, builder, index, err));
    /* Nothing asks for a thread by its id any more. */
    tv_map_release(&builder->thread_of_id);
    for (size_t i = 0; i < builder->thread_count; i++)
        close_thread(layout, builder, builder->threads[i]);
    write_groups(layout, builder, index);
    TV_TRY(tv_context_tree_number(layout, builder, err));
    TV_TRY(tv_layout_new_columns(layout, index, err));
    tv_rows_copy(layout, builder, pool, index);
    for (size_t i = 0; i < builder->thread_count; i++)
        tv_build_thread_drop_rows(builder->threads[i], builder->alloc);
    return tv_tables_write(layout, builder, pool, index, err);
}

enum tv_code tv_builder_finish(struct tv_builder *builder, const struct tv_pool *pool,
                               struct tv_index *index, struct tv_error *err)
{
    struct tv_layout layout = {.alloc = NULL};
    enum tv_code code = finish(&layout, builder, pool, index, err);
    if (code != TV_OK)
        tv_index_release(index);
    tv_layout_release(&layout);
    return code;
}
