/*
 * Making the layout of an index; see index/build/layout.h.
 *
 * First the clocks: a thread that begins late may start with a wall value that has wrapped before,
 * so its wall clock is moved by a multiple of 2^32. From the clocks follow the ends of open calls,
 * and from those the widths of times. Then threads are put in the order of the file's list, and
 * their rows and columns are placed one behind the other.
 *
 * Every choice here follows from counts and spans of whole threads, which both builders find alike,
 * so both make the same block.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/memory/search.h"
#include "format/cut_threads.h"
#include "format/last_seen.h"
#include "index/block.h"
#include "index/build/builder.h"
#include "index/build/context_tree.h"
#include "index/build/layout.h"
#include "index/build/long_durations.h"
#include "index/mipmap.h"
#include "index/segment_groups.h"

/* The multiple of 2^32 that brings the thread's first wall value nearest to the record before it in
 * the file, without putting its last record behind the elapsed time of the header, nor behind the
 * latest time that records may have. */
static uint64_t wall_multiple_of(struct tv_builder *b, struct tv_build_thread *thread)
{
    const struct tv_trace *trace = b->trace;
    const struct tv_thread_clock *wall = &thread->clock[TV_CLOCK_WALL];
    if (!trace->has_clock[TV_CLOCK_WALL] || !trace->has_common_axis || trace->clock_bits != 32 ||
        !trace->has_elapsed || thread->before_ix == TV_NONE)
        return 0;
    uint64_t elapsed = trace->elapsed_ns / trace->unit_ns;
    uint64_t before = (uint64_t)thread->before_wall + b->threads[thread->before_ix]->wall_multiple;
    if ((uint64_t)wall->high > elapsed || before <= (uint64_t)wall->first)
        return 0;
    uint64_t ahead = before - (uint64_t)wall->first;
    /* The nearest multiple to the record before; a tie goes to the smaller one. */
    uint64_t nearest = (ahead >> 32) + ((ahead & UINT32_MAX) > 0x80000000u);
    uint64_t largest = (elapsed - (uint64_t)wall->high) >> 32;
    uint64_t multiple = nearest < largest ? nearest : largest;
    uint64_t summable = (uint64_t)(tv_builder_latest(b) - wall->high) >> 32;
    if (multiple <= summable)
        return multiple << 32;
    tv_builder_report_far(b, thread, thread->first_offset);
    return summable << 32;
}

/* Moves `time`, which begins as the times of the thread's last record, on to when it was seen.
 * Whether its wall time is known then. */
static bool move_on(const struct tv_builder *b, const struct tv_build_thread *thread,
                    const struct tv_last_seen *seen, uint64_t time[TV_CLOCK_COUNT])
{
    time[TV_CLOCK_WALL] = thread->last[TV_CLOCK_WALL] + thread->wall_multiple;
    time[TV_CLOCK_CPU] = thread->last[TV_CLOCK_CPU];
    return tv_last_seen_move_on(b->trace, b->thread_count, seen, time);
}

static void set_last(struct tv_build_thread *thread, const uint64_t time[TV_CLOCK_COUNT])
{
    thread->last[TV_CLOCK_WALL] = time[TV_CLOCK_WALL] - thread->wall_multiple;
    thread->last[TV_CLOCK_CPU] = time[TV_CLOCK_CPU];
}

/* When threads were last seen that are in a call then. Of one whose CPU time then is not known,
 * nothing is known after its last record but that its calls went on. */
static void take_last_seen(struct tv_builder *b)
{
    struct tv_str value = tv_last_seen_of(b->trace);
    struct tv_last_seen seen;
    while (tv_last_seen_next(&value, &seen)) {
        const uint32_t build_ix = tv_map_get(&b->thread_of_id, seen.thread);
        if (build_ix == TV_MAP_NONE || !b->threads[build_ix]->depth)
            continue;
        struct tv_build_thread *thread = b->threads[build_ix];
        uint64_t time[TV_CLOCK_COUNT];
        const bool has_wall_end = move_on(b, thread, &seen, time);
        if (b->trace->has_clock[TV_CLOCK_CPU] && seen.ns[TV_CLOCK_CPU] < b->trace->unit_ns) {
            thread->has_open_until = has_wall_end;
            thread->open_until = time[TV_CLOCK_WALL];
        } else {
            thread->has_wall_end |= has_wall_end;
            set_last(thread, time);
        }
    }
}

/* The edges of the threads of a part. Its calls that are open at the end may last longer than
 * anything is known of their thread. */
static void take_cut_threads(struct tv_builder *b)
{
    struct tv_str value = tv_cut_threads_of(b->trace);
    struct tv_cut_thread cut;
    while (tv_cut_threads_next(&value, &cut)) {
        const uint32_t build_ix = tv_map_get(&b->thread_of_id, cut.thread);
        if (build_ix == TV_MAP_NONE)
            continue;
        struct tv_build_thread *thread = b->threads[build_ix];
        const struct tv_last_seen seen = {cut.thread,
                                          {cut.seen_ns[TV_CLOCK_WALL], cut.seen_ns[TV_CLOCK_CPU]}};
        const struct tv_last_seen until = {cut.thread, {[TV_CLOCK_WALL] = cut.open_until_ns}};
        uint64_t time[TV_CLOCK_COUNT];
        thread->began_before = cut.began_before;
        if (!thread->depth)
            continue;
        (void)move_on(b, thread, &seen, time);
        set_last(thread, time);
        thread->has_open_until = move_on(b, thread, &until, time);
        thread->open_until = time[TV_CLOCK_WALL];
    }
}

/* The thread of the record before has its multiple already, because threads stand in the order of
 * their first record. */
static void place_clocks(struct tv_layout *layout, struct tv_builder *b)
{
    for (size_t i = 0; i < b->thread_count; i++) {
        struct tv_build_thread *thread = b->threads[i];
        thread->wall_multiple = wall_multiple_of(b, thread);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            thread->last[clock] = (uint64_t)thread->clock[clock].high;
    }
    take_last_seen(b);
    take_cut_threads(b);
    for (size_t i = 0; i < b->thread_count; i++) {
        const struct tv_build_thread *thread = b->threads[i];
        uint64_t end = thread->has_open_until ? thread->open_until
                                              : thread->last[TV_CLOCK_WALL] + thread->wall_multiple;
        if (end > layout->wall_end)
            layout->wall_end = end;
    }
}

uint64_t tv_layout_open_end(const struct tv_layout *layout, const struct tv_builder *builder,
                            const struct tv_build_thread *thread, enum tv_clock clock)
{
    const struct tv_thread_clock *own = &thread->clock[clock];
    if (clock == TV_CLOCK_WALL && thread->has_open_until)
        return thread->open_until - thread->wall_multiple - (uint64_t)own->first;
    /* Without an axis in common nobody knows what other threads did later. */
    if (clock == TV_CLOCK_CPU || !builder->trace->has_common_axis || thread->has_wall_end)
        return thread->last[clock] - (uint64_t)own->first;
    return layout->wall_end - thread->wall_multiple - (uint64_t)own->first;
}

/* Puts the threads in the order of the index: those of the file's list, then those that only
 * records name. */
static enum tv_code list_threads(struct tv_layout *layout, struct tv_builder *b,
                                 struct tv_error *err)
{
    const struct tv_trace *trace = b->trace;
    layout->thread_cap = trace->thread_count + b->thread_count;
    TV_TRY(tv_alloc_new(b->alloc, &layout->threads, layout->thread_cap, sizeof(*layout->threads),
                        err));
    for (size_t i = 0; i < trace->thread_count; i++) {
        const uint32_t id = tv_trace_id_in_records(trace, i);
        uint32_t build_ix = tv_map_get(&b->thread_of_id, id);
        struct tv_build_thread *thread = build_ix == TV_MAP_NONE ? NULL : b->threads[build_ix];
        layout->threads[layout->thread_count++] = thread;
        if (thread && id != trace->threads[i].id)
            tv_findings_add(&b->findings, TV_FINDING_CUT_THREAD_ID, 1, thread->first_offset);
    }
    for (size_t i = 0; i < b->thread_count; i++) {
        if (tv_map_get(&trace->thread_of_id, b->threads[i]->id) != TV_MAP_NONE)
            continue;
        layout->threads[layout->thread_count++] = b->threads[i];
        tv_findings_add(&b->findings, TV_FINDING_UNKNOWN_THREAD, 1, b->threads[i]->first_offset);
    }
    return TV_OK;
}

/* Bytes of one element of a time column. */
static size_t time_len(const struct tv_build_thread *thread, unsigned column)
{
    bool is_start = column % 2 == 0;
    return is_start ? (thread->is_wide ? 8 : 4) : thread->duration_len;
}

/* Bytes of one time column of a thread, a multiple of 8. */
static uint64_t time_column_len(const struct tv_build_thread *thread, unsigned column)
{
    return (thread->calls * time_len(thread, column) + 7) / 8 * 8;
}

static enum tv_code check_counts(const struct tv_layout *layout, struct tv_error *err)
{
    if (layout->thread_count >= TV_NONE || layout->row_count >= TV_NONE)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than 2^32 threads or rows");
    return TV_OK;
}

/* Makes a thread wide when its calls that are open at the end do not fit 32 bits: they may end long
 * after the thread's own last record. */
static enum tv_code widen_for_open_calls(struct tv_layout *layout, struct tv_builder *b,
                                         struct tv_build_thread *thread, struct tv_error *err)
{
    if (!thread->depth)
        return TV_OK;
    tv_findings_add(&b->findings, TV_FINDING_OPEN_AT_END, thread->depth, thread->root_enter_offset);
    if (thread->is_wide || (tv_layout_open_end(layout, b, thread, TV_CLOCK_WALL) <= UINT32_MAX &&
                            tv_layout_open_end(layout, b, thread, TV_CLOCK_CPU) <= UINT32_MAX))
        return TV_OK;
    for (size_t i = 0; i < thread->row_count; i++)
        TV_TRY(tv_row_widen(&thread->rows[i], b->alloc, err));
    thread->is_wide = 1;
    return TV_OK;
}

/* Places the time columns of a thread, and sets its first and last times. */
static void place_times(struct tv_layout *layout, const struct tv_builder *b,
                        struct tv_build_thread *build, struct tv_index_thread *out)
{
    for (unsigned column = 0; column < 4; column++) {
        out->time_off[column] = layout->times_len;
        if (b->trace->has_clock[column / 2])
            layout->times_len += time_column_len(build, column);
    }
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t multiple = clock == TV_CLOCK_WALL ? build->wall_multiple : 0;
        out->first[clock] = (uint64_t)build->clock[clock].first + multiple;
        out->last[clock] = build->last[clock] + multiple;
    }
}

/* Whether a node sum of the thread may not fit 32 bits. Calls of one node follow each other, so
 * their times add up to no more than the span of the thread. */
static bool needs_wide_sums(const struct tv_layout *layout, const struct tv_builder *b,
                            const struct tv_build_thread *thread)
{
    uint64_t longest = thread->calls;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t span = (uint64_t)(thread->clock[clock].high - thread->clock[clock].first);
        uint64_t end = tv_layout_open_end(layout, b, thread, (enum tv_clock)clock);
        if (!b->trace->has_clock[clock])
            continue;
        longest = span > longest ? span : longest;
        longest = thread->depth && end > longest ? end : longest;
    }
    return longest > UINT32_MAX;
}

/* Gives each row of a thread its calls and its part of the mipmap. */
static void place_rows(struct tv_layout *layout, const struct tv_build_thread *build)
{
    struct tv_index_row *rows = layout->rows + build->out->row_first;
    for (size_t i = 0; i < build->row_count; i++) {
        uint64_t count = build->rows[i].count;
        rows[i] = (struct tv_index_row){.call_first = layout->call_count,
                                        .call_count = count,
                                        .mipmap_first = layout->mipmap_words};
        layout->call_count += count;
        layout->mipmap_words += tv_mipmap_words(count, build->is_wide);
    }
}

/* A call of each of the outermost rows may have an enter and have begun before all the same. */
static uint64_t adopted_depth(const struct tv_build_thread *build)
{
    const uint64_t most = build->row_count;
    const uint64_t began_before = build->began_before < most ? build->began_before : most;
    return began_before > build->adopting_count ? began_before : build->adopting_count;
}

/* Writes one thread. `next` holds the places where the thread's parts begin, and is moved on to
 * where the parts of the next thread begin. A thread without records is a copy of `next`. */
static void place_thread(struct tv_layout *layout, const struct tv_builder *b, uint32_t thread_ix,
                         struct tv_index_thread *next)
{
    const struct tv_trace *trace = b->trace;
    struct tv_build_thread *build = layout->threads[thread_ix];
    struct tv_index_thread *out = &layout->out[thread_ix];
    bool is_listed = thread_ix < trace->thread_count;
    *out = *next;
    out->id = is_listed ? trace->threads[thread_ix].id : (uint32_t)build->id;
    out->is_listed = is_listed;
    out->process = tv_map_get(&trace->process_of_thread, out->id); /* TV_NONE is TV_MAP_NONE */
    if (!build)
        return;
    out->records = build->records;
    out->calls = build->calls;
    out->max_depth = (uint32_t)build->row_count;
    out->open_depth = (uint32_t)build->depth;
    out->adopted_depth = (uint32_t)adopted_depth(build);
    out->is_wide = build->is_wide;
    out->duration_len = build->duration_len;
    out->group_count = build->group_count;
    for (uint64_t count = build->group_count; count;
         count = count > 1 ? (count + TV_SEGMENT_GROUP_FANOUT - 1) / TV_SEGMENT_GROUP_FANOUT : 0)
        out->group_level_count++;
    layout->has_wide_sums |= needs_wide_sums(layout, b, build);
    place_times(layout, b, build, out);
    place_rows(layout, build);
    next->row_first += out->max_depth;
    next->call_first = layout->call_count;
    next->group_first += tv_segment_groups_total(build->group_count);
}

void tv_layout_find(struct tv_layout *layout, struct tv_index *index)
{
    layout->out = tv_block_section(index, TV_SECTION_THREADS);
    layout->rows = tv_block_section(index, TV_SECTION_ROWS);
    for (size_t i = 0; i < layout->thread_count; i++) {
        if (layout->threads[i])
            layout->threads[i]->out = &layout->out[i];
    }
}

/* Threads are widened before anything is placed, because a wider thread moves all that stands
 * behind it. */
enum tv_code tv_layout_make(struct tv_layout *layout, struct tv_builder *builder,
                            struct tv_index *index, struct tv_error *err)
{
    *layout = (struct tv_layout){.alloc = builder->alloc, .trace = builder->trace};
    place_clocks(layout, builder);
    TV_TRY(list_threads(layout, builder, err));
    for (size_t i = 0; i < builder->thread_count; i++) {
        TV_TRY(widen_for_open_calls(layout, builder, builder->threads[i], err));
        tv_long_durations_choose_width(layout, builder, builder->threads[i]);
        layout->row_count += builder->threads[i]->row_count;
        layout->group_count += tv_segment_groups_total(builder->threads[i]->group_count);
    }
    TV_TRY(check_counts(layout, err));
    uint64_t counts[TV_SECTION_COUNT] = {0};
    tv_layout_column_counts(layout, counts);
    TV_TRY(tv_block_make(index, layout->alloc, counts, TV_PLACE_SECTION_COUNT, err));
    tv_layout_find(layout, index);
    struct tv_index_thread next = {.duration_len = 4};
    for (uint32_t i = 0; i < layout->thread_count; i++)
        place_thread(layout, builder, i, &next);
    return tv_long_durations_make(layout, builder, err);
}

void tv_layout_release(struct tv_layout *layout)
{
    if (!layout->alloc)
        return;
    tv_alloc_release(layout->alloc, &layout->threads, layout->thread_cap, sizeof(*layout->threads));
    tv_long_durations_release(layout);
    *layout = (struct tv_layout){.alloc = NULL};
}

uint32_t tv_layout_thread_of_row(const struct tv_layout *layout, uint64_t row_ix)
{
    return (uint32_t)tv_search_containing(
        TV_ASCENDING_FIELD(layout->out, layout->thread_count, struct tv_index_thread, row_first),
        row_ix);
}

void tv_layout_column_counts(const struct tv_layout *layout, uint64_t *counts)
{
    counts[TV_SECTION_THREADS] = layout->thread_count;
    counts[TV_SECTION_ROWS] = layout->row_count;
    counts[TV_SECTION_TIMES] = layout->times_len;
    counts[TV_SECTION_CALL_NODE] = layout->call_count;
    counts[TV_SECTION_SEGMENT_GROUPS] = layout->group_count;
}

enum tv_code tv_layout_new_columns(struct tv_layout *layout, struct tv_index *index,
                                   struct tv_error *err)
{
    uint64_t counts[TV_SECTION_COUNT] = {0};
    tv_layout_column_counts(layout, counts);
    TV_TRY(tv_block_make(index, layout->alloc, counts, TV_COLUMN_SECTION_COUNT, err));
    tv_layout_find(layout, index);
    return TV_OK;
}

/* A time column takes a multiple of 8 bytes; those behind the last call belong to no call. */
static void clear_column_ends(const struct tv_layout *layout, struct tv_index *index)
{
    char *times = tv_block_section(index, TV_SECTION_TIMES);
    for (size_t i = 0; i < layout->thread_count; i++) {
        const struct tv_build_thread *build = layout->threads[i];
        for (unsigned column = 0; build && column < 4; column++) {
            size_t len = (size_t)build->calls * time_len(build, column);
            if (layout->trace->has_clock[column / 2])
                memset(times + build->out->time_off[column] + len, 0,
                       (size_t)time_column_len(build, column) - len);
        }
    }
}

void tv_layout_clear_gaps(const struct tv_layout *layout, struct tv_index *index)
{
    clear_column_ends(layout, index);
    tv_block_clear_gaps(index);
}
