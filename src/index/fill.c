/* Writing calls where they belong; see index/fill.h. */
#include "index/fill.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "format/wire.h"
#include "index/block.h"

/* One thread of the chunk with all that its records need. */
struct lane {
    struct tv_fill_thread *thread;
    uint32_t *node; /* columns, of the thread's first call on */
    char *time[4];
    uint32_t raw_first[TV_CLOCK_COUNT]; /* of the thread */
    uint32_t raw_last[TV_CLOCK_COUNT];
    uint64_t wide_base[TV_CLOCK_COUNT]; /* what to add to a raw value of a wide thread */
    uint64_t axis_base;                 /* of folds */
    struct tv_index_fold *folds;        /* of the thread */
    struct tv_index_fold *fold;         /* being filled */
    uint64_t call_first;
    uint64_t *cell;
    bool is_wide;
};

struct shape {
    uint32_t len, thread_len;
    uint32_t time_at[TV_CLOCK_COUNT];
};

/* Time since the thread's first record. A narrow thread spans less than 2^32, so wraps cancel out.
 */
TV_INLINE uint64_t since_first(struct lane *lane, unsigned clock, uint32_t raw)
{
    if (TV_LIKELY(!lane->is_wide))
        return raw - lane->raw_first[clock];
    if (raw < lane->raw_last[clock])
        lane->wide_base[clock] += (uint64_t)1 << 32;
    lane->raw_last[clock] = raw;
    return lane->wide_base[clock] + raw - lane->raw_first[clock];
}

TV_INLINE void store_time(const struct lane *lane, unsigned column, uint64_t call, uint64_t value)
{
    if (TV_LIKELY(!lane->is_wide)) {
        uint32_t narrow = (uint32_t)value;
        memcpy(lane->time[column] + call * 4, &narrow, 4);
    } else {
        memcpy(lane->time[column] + call * 8, &value, 8);
    }
}

TV_INLINE uint64_t load_time(const struct lane *lane, unsigned column, uint64_t call)
{
    if (TV_LIKELY(!lane->is_wide)) {
        uint32_t narrow;
        memcpy(&narrow, lane->time[column] + call * 4, 4);
        return narrow;
    }
    uint64_t value;
    memcpy(&value, lane->time[column] + call * 8, 8);
    return value;
}

TV_INLINE void end_segment(const struct lane *lane, uint64_t axis)
{
    struct tv_fill_thread *thread = lane->thread;
    uint64_t len = axis - thread->segment_start;
    struct tv_index_fold *fold = lane->fold;
    size_t depth = thread->depth;
    bool is_idle = depth <= thread->adopters;
    if (depth && (len > fold->longest_len || (fold->longest_depth == TV_NONE && !is_idle))) {
        fold->longest_start = lane->axis_base + thread->segment_start;
        fold->longest_len = len;
        fold->longest_depth = (uint32_t)depth - 1;
        fold->longest_call = lane->call_first + lane->cell[-1] - 1;
    }
    thread->segment_start = axis;
}

static TV_NOINLINE void begin_fold(struct lane *lane, uint64_t axis)
{
    struct tv_fill_thread *thread = lane->thread;
    uint64_t ordinal = thread->record / TV_FOLD_LEN;
    if (ordinal >= thread->build->fold_count)
        return;
    lane->fold = &lane->folds[ordinal];
    size_t depth = thread->depth;
    *lane->fold = (struct tv_index_fold){
        .start = lane->axis_base + axis,
        .first_call = depth ? lane->call_first + lane->cell[-1] - 1 : UINT64_MAX,
        .longest_call = UINT64_MAX,
        .first_depth = depth ? (uint32_t)depth - 1 : TV_NONE,
        .longest_depth = TV_NONE,
    };
}

static TV_NOINLINE enum tv_code note_late(const struct tv_fill *fill, struct lane *lane,
                                          struct tv_late_close close, struct tv_error *err)
{
    struct tv_fill_thread *thread = lane->thread;
    thread->earlier = thread->depth;
    if (thread->depth < thread->adopters)
        thread->adopters = thread->depth;
    TV_TRY(tv_alloc_grow(fill->alloc, &thread->late, &thread->late_cap, thread->late_count + 1,
                         sizeof(*thread->late), err));
    thread->late[thread->late_count++] = close;
    return TV_OK;
}

TV_MUST_CHECK TV_INLINE enum tv_code open_call(const struct tv_fill *fill, struct lane *lane,
                                               uint32_t key, const uint64_t now[TV_CLOCK_COUNT],
                                               uint64_t offset, struct shape shape,
                                               struct tv_error *err)
{
    struct tv_fill_thread *thread = lane->thread;
    size_t depth = thread->depth;
    uint32_t node;
    TV_TRY(tv_nodes_child(&thread->nodes, depth ? thread->stack[depth - 1] : TV_FIRST_NODE, key,
                          offset, &node, err));
    if (TV_UNLIKELY(depth == thread->stack_cap))
        TV_TRY(tv_alloc_grow(fill->alloc, &thread->stack, &thread->stack_cap, depth + 1,
                             sizeof(*thread->stack), err));
    uint64_t call = (*lane->cell)++;
    lane->cell++;
    lane->node[call] = node;
    thread->nodes.at[node].calls++;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (shape.time_at[clock])
            store_time(lane, 2 * clock, call, now[clock]);
    }
    thread->stack[depth] = node;
    thread->depth = depth + 1;
    return TV_OK;
}

TV_MUST_CHECK TV_INLINE enum tv_code close_call(const struct tv_fill *fill, struct lane *lane,
                                                const uint64_t now[TV_CLOCK_COUNT],
                                                struct shape shape, struct tv_error *err)
{
    struct tv_fill_thread *thread = lane->thread;
    uint64_t call = *--lane->cell - 1;
    uint32_t node = thread->stack[--thread->depth];
    if (TV_UNLIKELY(thread->depth < thread->earlier))
        return note_late(
            fill, lane, (struct tv_late_close){.call = call, .end = {now[0], now[1]}, .node = node},
            err);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!shape.time_at[clock])
            continue;
        uint64_t duration = now[clock] - load_time(lane, 2 * clock, call);
        store_time(lane, 2 * clock + 1, call, duration);
        thread->nodes.at[node].inclusive[clock] += duration;
    }
    return TV_OK;
}

TV_MUST_CHECK TV_INLINE enum tv_code fill_records(const struct tv_fill *fill, struct lane *lanes,
                                                  const uint32_t *lane_of_id,
                                                  const struct tv_trace *trace, struct shape shape,
                                                  struct tv_error *err)
{
    const unsigned axis = shape.time_at[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    const struct tv_chunk_scan *scan = fill->scan;
    uint64_t offset = trace->fixed.first_off + scan->first_record * shape.len;
    uint64_t end = offset + scan->record_count * shape.len;
    uint32_t last_id = TV_NONE;
    struct lane *lane = NULL;
    for (; offset < end; offset += shape.len) {
        const uint8_t *at = trace->bytes + offset;
        uint32_t id = shape.thread_len == 1 ? at[0] : tv_load_le16(at);
        uint32_t word = tv_load_le32(at + shape.thread_len);
        if (TV_UNLIKELY(id != last_id)) {
            lane = &lanes[lane_of_id[id] - 1];
            last_id = id;
        }
        uint64_t now[TV_CLOCK_COUNT] = {0, 0};
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            if (shape.time_at[clock])
                now[clock] = since_first(lane, clock, tv_load_le32(at + shape.time_at[clock]));
        }
        end_segment(lane, now[axis]);
        if ((word & TV_WIRE_ACTION_MASK) == TV_ACTION_ENTER)
            TV_TRY(open_call(fill, lane, word & ~TV_WIRE_ACTION_MASK, now, offset, shape, err));
        else
            TV_TRY(close_call(fill, lane, now, shape, err));
        if (TV_UNLIKELY(++lane->thread->record % TV_FOLD_LEN == 0))
            begin_fold(lane, now[axis]);
    }
    return TV_OK;
}

/* The calls of the file's records that began before the trace: they start with the thread. */
static void write_adopters(struct lane *lane, const struct tv_layout *layout,
                           const struct tv_index_thread *out)
{
    struct tv_fill_thread *thread = lane->thread;
    for (size_t i = 0; i < thread->adopters; i++) {
        uint64_t call = layout->rows[out->row_first + i].call_first - out->call_first;
        lane->node[call] = thread->stack[i];
        thread->nodes.at[thread->stack[i]].calls++;
        for (unsigned column = 0; column < 4; column += 2) {
            if (lane->time[column])
                store_time(lane, column, call, 0);
        }
    }
}

/* Grows the path of open calls, so that the stack holds nodes. */
static enum tv_code seed_nodes(const struct tv_fill *fill, struct tv_fill_thread *thread,
                               struct tv_error *err)
{
    TV_TRY(tv_nodes_init(&thread->nodes, fill->alloc, err));
    uint32_t node = TV_FIRST_NODE;
    for (size_t i = 0; i < thread->depth; i++) {
        uint64_t offset = thread->adopter_offsets ? thread->adopter_offsets[i] : TV_NO_OFFSET;
        TV_TRY(tv_nodes_child(&thread->nodes, node, thread->stack[i], offset, &node, err));
        thread->stack[i] = node;
    }
    return TV_OK;
}

static enum tv_code open_lane(const struct tv_fill *fill, struct tv_fill_thread *thread,
                              struct lane *lane, const struct tv_trace *trace,
                              const struct tv_layout *layout, struct tv_index *index,
                              struct tv_error *err)
{
    const struct tv_build_thread *build = thread->build;
    const struct tv_index_thread *out = build->out;
    uint32_t *call_node = tv_block_section(index, TV_SECTION_CALL_NODE);
    char *times = tv_block_section(index, TV_SECTION_TIMES);
    struct tv_index_fold *folds = tv_block_section(index, TV_SECTION_FOLDS);
    unsigned axis = trace->has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    *lane = (struct lane){.thread = thread,
                          .node = call_node + out->call_first,
                          .axis_base = out->base[axis],
                          .folds = folds + out->fold_first,
                          .fold = &thread->head,
                          .call_first = out->call_first,
                          .is_wide = build->is_wide};
    thread->head = (struct tv_index_fold){.longest_call = UINT64_MAX, .longest_depth = TV_NONE};
    for (unsigned column = 0; column < 4; column++) {
        if (trace->has_clock[column / 2])
            lane->time[column] = times + out->time_off[column];
    }
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        lane->raw_first[clock] = (uint32_t)build->clock[clock].first;
        lane->raw_last[clock] = thread->scan->raw_first[clock];
        lane->wide_base[clock] = thread->wraps[clock] << 32;
    }
    lane->cell = thread->scan->levels + thread->scan->origin;
    TV_TRY(seed_nodes(fill, thread, err));
    if (thread->record)
        return TV_OK;
    write_adopters(lane, layout, out);
    begin_fold(lane, 0);
    return TV_OK;
}

static enum tv_code fill_lanes(struct tv_fill *fill, struct lane *lanes, uint32_t *lane_of_id,
                               const struct tv_trace *trace, const struct tv_layout *layout,
                               struct tv_index *index, struct tv_error *err)
{
    for (size_t i = 0; i < fill->scan->thread_count; i++) {
        TV_TRY(open_lane(fill, &fill->threads[i], &lanes[i], trace, layout, index, err));
        lane_of_id[fill->scan->threads[i].id] = (uint32_t)i + 1;
    }
    const struct tv_fixed_records *fixed = &trace->fixed;
    struct shape shape = {fixed->len, fixed->thread_len, {fixed->time_at[0], fixed->time_at[1]}};
    if (fixed->len == TV_WIRE_TWO_TIMES_RECORD && fixed->thread_len == 2 &&
        fixed->time_at[TV_CLOCK_WALL] == 10 && fixed->time_at[TV_CLOCK_CPU] == 6)
        return fill_records(fill, lanes, lane_of_id, trace,
                            (struct shape){TV_WIRE_TWO_TIMES_RECORD, 2, {10, 6}}, err);
    return fill_records(fill, lanes, lane_of_id, trace, shape, err);
}

void tv_fill_chunk(struct tv_fill *fill, const struct tv_trace *trace,
                   const struct tv_layout *layout, struct tv_index *index)
{
    struct lane *lanes = NULL;
    uint32_t *lane_of_id = NULL;
    size_t count = fill->scan->thread_count;
    fill->code = tv_alloc_new(fill->alloc, &lanes, count, sizeof(*lanes), &fill->error);
    if (fill->code == TV_OK)
        fill->code = tv_alloc_new(fill->alloc, &lane_of_id, TV_THREAD_IDS, sizeof(*lane_of_id),
                                  &fill->error);
    if (fill->code == TV_OK)
        fill->code = fill_lanes(fill, lanes, lane_of_id, trace, layout, index, &fill->error);
    tv_alloc_free(fill->alloc, lane_of_id, TV_THREAD_IDS, sizeof(*lane_of_id));
    tv_alloc_free(fill->alloc, lanes, count, sizeof(*lanes));
}

static void renumber_thread(struct tv_fill_thread *thread, const struct tv_layout *layout,
                            uint32_t *call_node)
{
    const struct tv_index_thread *out = thread->build->out;
    const struct tv_chunk_thread *scan = thread->scan;
    uint32_t *final = thread->final_node;
    for (size_t i = TV_FIRST_NODE; i < thread->final_cap; i++)
        final[i] = thread->build->final_node[final[i]];
    uint32_t *node = call_node + out->call_first;
    bool is_first = thread->adopter_offsets;
    for (size_t i = 0; is_first && i < thread->build->adopter_count; i++) {
        uint64_t call = layout->rows[out->row_first + i].call_first - out->call_first;
        node[call] = final[node[call]];
    }
    for (size_t level = scan->origin - scan->exit_count; level < scan->origin + scan->level_count;
         level++) {
        for (uint64_t call = thread->starts[level]; call < scan->levels[level]; call++)
            node[call] = final[node[call]];
    }
}

void tv_fill_renumber(struct tv_fill *fill, const struct tv_layout *layout, struct tv_index *index)
{
    uint32_t *call_node = tv_block_section(index, TV_SECTION_CALL_NODE);
    for (size_t i = 0; i < fill->scan->thread_count; i++)
        renumber_thread(&fill->threads[i], layout, call_node);
}

void tv_fill_release(struct tv_fill *fill)
{
    for (size_t i = 0; fill->threads && i < fill->thread_cap; i++) {
        struct tv_fill_thread *thread = &fill->threads[i];
        const struct tv_alloc *alloc = fill->alloc;
        if (thread->scan)
            tv_alloc_free(alloc, thread->starts, thread->scan->level_cap, sizeof(*thread->starts));
        tv_alloc_free(alloc, thread->stack, thread->stack_cap, sizeof(*thread->stack));
        tv_alloc_free(alloc, thread->final_node, thread->final_cap, sizeof(*thread->final_node));
        tv_alloc_free(alloc, thread->late, thread->late_cap, sizeof(*thread->late));
        tv_nodes_release(&thread->nodes);
    }
    tv_alloc_free(fill->alloc, fill->threads, fill->thread_cap, sizeof(*fill->threads));
    *fill = (struct tv_fill){.alloc = fill->alloc};
}
