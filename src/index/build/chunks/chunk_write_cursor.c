/*
 * The steps of writing a chunk that not every record takes; see
 * index/build/chunks/chunk_write_cursor.h.
 *
 * A segment group belongs to the chunk that has the record with which the group begins. What a
 * chunk adds to a group that was begun before it goes to shared_group, which the merge joins to the
 * group.
 */
#include "index/build/chunks/chunk_write_cursor.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "index/block.h"
#include "index/build/long_durations.h"

void tv_write_cursor_offer_segment(struct tv_write_cursor *cursor, const struct tv_writer_slot *top,
                                   uint64_t segment_start, uint64_t axis)
{
    struct tv_index_segment_group *group = cursor->group;
    size_t depth = tv_write_cursor_depth(cursor, top);
    uint64_t len = axis - segment_start;
    /* Where only adopting calls are open, the serial builder counts the time as idle at first, and
     * never takes an idle segment of length 0: so neither is it taken here. */
    bool is_idle = depth <= cursor->thread->adopting_open;
    if (!depth || (len <= group->longest_len && (group->longest_depth != TV_NONE || is_idle)))
        return;
    group->longest_start = cursor->axis_base + segment_start;
    group->longest_len = len;
    group->longest_depth = (uint32_t)depth - 1;
    group->longest_call = cursor->call_first + top[-1].next - 1;
}

void tv_write_cursor_begin_group(struct tv_write_cursor *cursor, uint64_t axis)
{
    const struct tv_writer_thread *thread = cursor->thread;
    uint64_t ordinal = thread->record / TV_SEGMENT_GROUP_LEN;
    if (ordinal >= thread->build->group_count)
        return; /* no record is left, and no call is open */
    cursor->group = &cursor->groups[ordinal];
    size_t depth = tv_write_cursor_depth(cursor, cursor->top);
    *cursor->group = (struct tv_index_segment_group){
        .start = cursor->axis_base + axis,
        .first_call = depth ? cursor->call_first + cursor->top[-1].next - 1 : UINT64_MAX,
        .longest_call = UINT64_MAX,
        .first_depth = depth ? (uint32_t)depth - 1 : TV_NONE,
        .longest_depth = TV_NONE,
    };
}

enum tv_code tv_write_cursor_add_cross_close(struct tv_write_cursor *cursor,
                                             struct tv_writer_slot *slot,
                                             const uint64_t end[TV_CLOCK_COUNT],
                                             const struct tv_alloc *alloc, struct tv_error *err)
{
    struct tv_writer_thread *thread = cursor->thread;
    size_t depth = tv_write_cursor_depth(cursor, slot);
    /* From this depth on, all calls to come are the chunk's own. */
    cursor->own_slots = slot;
    if (depth < thread->adopting_open)
        thread->adopting_open = depth;
    TV_TRY(tv_alloc_grow(alloc, &thread->cross_closes, &thread->cross_close_cap,
                         thread->cross_close_count + 1, sizeof(*thread->cross_closes), err));
    thread->cross_closes[thread->cross_close_count++] = (struct tv_cross_chunk_close){
        .call = slot->next - 1, .row = depth, .end = {end[0], end[1]}};
    return TV_OK;
}

/* The 16-bit columns get their marker for a long duration here; the duration itself goes to the
 * list of the chunk, since the order of the index's list is only known when chunks are merged. */
enum tv_code tv_write_cursor_close_long(const struct tv_write_cursor *cursor,
                                        const struct tv_writer_slot *slot,
                                        const uint64_t duration[TV_CLOCK_COUNT],
                                        const struct tv_alloc *alloc, struct tv_error *err)
{
    struct tv_writer_thread *thread = cursor->thread;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (cursor->time[2 * clock + 1])
            tv_long_durations_store(cursor->time[2 * clock + 1], slot->next - 1, duration[clock]);
    }
    if (duration[0] < TV_LONG_DURATION && duration[1] < TV_LONG_DURATION)
        return TV_OK;
    TV_TRY(tv_alloc_grow(alloc, &thread->long_calls, &thread->long_cap, thread->long_count + 1,
                         sizeof(*thread->long_calls), err));
    thread->long_calls[thread->long_count++] =
        (struct tv_long_call){.call = slot->next - 1,
                              .row = tv_write_cursor_depth(cursor, slot),
                              .duration = {duration[0], duration[1]}};
    return TV_OK;
}

/* Begins the chunk's tree: adds the nodes of the calls that are open when the chunk begins, each
 * below the one before. Gives the slots of those calls their nodes. */
static enum tv_code add_open_nodes(struct tv_writer_thread *thread, const struct tv_alloc *alloc,
                                   struct tv_error *err)
{
    TV_TRY(tv_nodes_init(&thread->nodes, alloc, err));
    TV_TRY(tv_alloc_new(alloc, &thread->open_nodes, thread->open_count, sizeof(*thread->open_nodes),
                        err));
    uint32_t node = TV_FIRST_NODE;
    /* The lowest depth of the chunk: that of slots[1]. The call below it has slots[0]. */
    size_t lowest = thread->open_count - thread->scan->exit_count;
    if (!lowest)
        thread->slots[0].node = TV_FIRST_NODE;
    for (size_t i = 0; i < thread->open_count; i++) {
        uint64_t offset = thread->adopting_exits
                              ? thread->adopting_exits[thread->open_count - 1 - i].off
                              : TV_NO_OFFSET;
        TV_TRY(tv_nodes_child(&thread->nodes, node, thread->open_keys[i], offset, &node, err));
        thread->open_nodes[i] = node;
        if (i + 1 >= lowest)
            thread->slots[i + 1 - lowest].node = node;
    }
    tv_alloc_release(alloc, &thread->open_keys, thread->open_key_cap, sizeof(*thread->open_keys));
    thread->open_keys = NULL;
    thread->open_key_cap = 0;
    return TV_OK;
}

/* Writes the adopting calls of a thread: each is the first of its row, and starts with the thread
 * at 0. Their exits are cross-chunk closes. */
static void write_adopting_calls(struct tv_write_cursor *cursor, const struct tv_layout *layout)
{
    const struct tv_writer_thread *thread = cursor->thread;
    const struct tv_index_thread *out = thread->build->out;
    static const char zeros[8];
    for (size_t i = 0; i < thread->adopting_open; i++) {
        uint64_t call = layout->rows[out->row_first + i].call_first - out->call_first;
        size_t len = cursor->is_wide ? 8 : 4;
        cursor->node[call] = thread->open_nodes[i] - TV_FIRST_CHILD;
        for (unsigned column = 0; column < 4; column += 2) {
            if (cursor->time[column])
                memcpy(cursor->time[column] + call * len, zeros, len);
        }
    }
}

enum tv_code tv_write_cursor_open(struct tv_write_cursor *cursor, struct tv_writer_thread *thread,
                                  const struct tv_trace *trace, const struct tv_layout *layout,
                                  const struct tv_index *index, struct tv_error *err)
{
    const struct tv_build_thread *build = thread->build;
    const struct tv_index_thread *out = build->out;
    uint32_t *call_node = tv_block_section(index, TV_SECTION_CALL_NODE);
    char *times = tv_block_section(index, TV_SECTION_TIMES);
    struct tv_index_segment_group *groups = tv_block_section(index, TV_SECTION_SEGMENT_GROUPS);
    unsigned axis = trace->has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    struct tv_writer_slot *top = thread->slots + thread->scan->exit_count + 1;
    *cursor = (struct tv_write_cursor){.thread = thread,
                                       .top = top,
                                       .own_slots = top,
                                       .node = call_node + out->call_first,
                                       .axis_base = out->first[axis],
                                       .groups = groups + out->group_first,
                                       .group = &thread->shared_group,
                                       .call_first = out->call_first,
                                       .duration_len = build->duration_len,
                                       .is_wide = build->is_wide};
    thread->shared_group =
        (struct tv_index_segment_group){.longest_call = UINT64_MAX, .longest_depth = TV_NONE};
    for (unsigned column = 0; column < 4; column++) {
        if (trace->has_clock[column / 2])
            cursor->time[column] = times + out->time_off[column];
    }
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        cursor->raw_first[clock] = (uint32_t)build->clock[clock].first;
        cursor->raw_last[clock] = thread->scan->raw_first[clock];
        cursor->wide_base[clock] =
            tv_write_cursor_wide_base(cursor, clock, thread->wraps[clock] << 32);
    }
    TV_TRY(add_open_nodes(thread, layout->alloc, err));
    if (thread->record) /* an earlier chunk had the thread's first record */
        return TV_OK;
    write_adopting_calls(cursor, layout);
    tv_write_cursor_begin_group(cursor, 0);
    return TV_OK;
}
