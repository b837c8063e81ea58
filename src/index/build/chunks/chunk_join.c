/*
 * Joining the scans of chunks; see index/build/chunks/chunk_builder.h.
 *
 * One thread goes through the chunks in the order of the file, and through the threads of each. It
 * knows of every thread of the trace how far its clocks are, how many calls it has at each depth,
 * and the keys of the calls that are open. What is known when a chunk begins becomes the state with
 * which the chunk is written: its slots, the keys of open calls, the wraps of clocks. Then the
 * chunk's own counts, exits and open calls are added. docs/index.md, "Join" has an example.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/finding.h"
#include "index/build/chunks/chunk_builder.h"

/* The most open calls that all chunks together may find when they begin: OPEN_PER_RECORD for each
 * record of the trace, and OPEN_FLOOR for any trace. With more open calls, keeping their keys for
 * every chunk costs more than the serial builder does. */
#define OPEN_PER_RECORD 4u
#define OPEN_FLOOR 1000000u

/* Makes room for the depths from -down to below `high`. */
static enum tv_code reach_depths(struct tv_chunk_builder *chunks, struct tv_joined_thread *joined,
                                 uint64_t down, uint64_t high, struct tv_error *err)
{
    if (down <= joined->origin && high <= joined->cap - joined->origin)
        return TV_OK;
    uint64_t *counts;
    size_t below = joined->origin;
    size_t above = joined->cap - joined->origin;
    size_t new_below = down <= below ? below : (size_t)down + below;
    size_t new_above = high <= above ? above : (size_t)high + above;
    TV_TRY(
        tv_alloc_new(chunks->builder.alloc, &counts, new_below + new_above, sizeof(*counts), err));
    if (joined->cap)
        memcpy(counts + (new_below - below), joined->depth_calls, joined->cap * sizeof(*counts));
    tv_alloc_release(chunks->builder.alloc, &joined->depth_calls, joined->cap, sizeof(*counts));
    joined->depth_calls = counts;
    joined->origin = new_below;
    joined->cap = new_below + new_above;
    return TV_OK;
}

/* Adds a thread to the builder, at its first record in the file. */
static enum tv_code begin_thread(struct tv_chunk_builder *chunks, size_t chunk, size_t i,
                                 struct tv_error *err)
{
    const struct tv_chunk_thread *scan = &chunks->scans[chunk].threads[i];
    struct tv_builder *b = &chunks->builder;
    struct tv_build_thread *thread;
    TV_TRY(tv_alloc_grow(b->alloc, &chunks->joined, &chunks->joined_cap, b->thread_count + 1,
                         sizeof(*chunks->joined), err));
    chunks->joined[b->thread_count] = (struct tv_joined_thread){.depth_calls = NULL};
    TV_TRY(tv_builder_add_thread(b, tv_chunks_thread_id(chunks, scan), &thread, err));
    tv_nodes_release(&thread->nodes); /* its first chunk brings them */
    thread->first_offset = tv_chunks_offset(chunks, scan->first_record);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        thread->clock[clock].first =
            (int64_t)((uint64_t)scan->high_first[clock] << 32 | scan->raw_first[clock]);
        thread->clock[clock].raw = scan->raw_first[clock];
    }
    thread->before_ix = b->last_ix;
    /* The record before is in this chunk, or it is the last one of the chunk before. */
    if (scan->before != TV_NONE) {
        thread->before_ix =
            tv_map_get(&b->thread_of_id,
                       tv_chunks_thread_id(chunks, &chunks->scans[chunk].threads[scan->before]));
        const struct tv_writer_thread *before = &chunks->writers[chunk].threads[scan->before];
        thread->before_wall = (int64_t)((before->wraps[TV_CLOCK_WALL] + scan->before_wraps) << 32 |
                                        scan->before_wall);
    } else if (b->last_ix != TV_NONE) {
        thread->before_wall = b->threads[b->last_ix]->clock[TV_CLOCK_WALL].high;
    }
    return TV_OK;
}

/* Counts the thread in the finding clock_wrapped, once. */
static void report_wrap(struct tv_chunk_builder *chunks, struct tv_build_thread *thread,
                        uint64_t record)
{
    if (chunks->trace->clock_bits != 32) /* only the low half of a 64-bit time has wrapped */
        return;
    if (!thread->has_wrapped)
        tv_findings_add(&chunks->builder.findings, TV_FINDING_CLOCK_WRAPPED, 1,
                        tv_chunks_offset(chunks, record));
    thread->has_wrapped = true;
}

/* Moves the clocks of a thread to the end of the chunk, and tells the writer how often they had
 * wrapped when it began; false where a clock falls from the chunk before to this one. */
static bool join_clocks(struct tv_chunk_builder *chunks, struct tv_build_thread *thread,
                        struct tv_joined_thread *joined, const struct tv_chunk_thread *scan,
                        struct tv_writer_thread *writer)
{
    unsigned axis = chunks->trace->has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint32_t last = (uint32_t)thread->clock[clock].raw;
        uint64_t step = scan->raw_first[clock] - last;
        if (chunks->trace->clock_bits == 64) {
            uint64_t high = scan->high_first[clock];
            step = (high << 32 | scan->raw_first[clock]) - (uint64_t)thread->clock[clock].high;
            joined->wraps[clock] = high;
            if (thread->records && step >> 63)
                return false;
        } else if (step > TV_LARGEST_STEP) {
            return false;
        } else if (scan->raw_first[clock] < last) {
            joined->wraps[clock]++;
            report_wrap(chunks, thread, scan->first_record);
        }
        if (clock == axis && thread->records)
            tv_builder_count_gap(step, chunks->builder.small_gap, &chunks->builder.gaps_zero,
                                 &chunks->builder.gaps_small);
        writer->wraps[clock] = joined->wraps[clock];
        joined->wraps[clock] += scan->wraps[clock];
        thread->clock[clock].raw = scan->raw_last[clock];
        thread->clock[clock].high = (int64_t)(joined->wraps[clock] << 32 | scan->raw_last[clock]);
    }
    if (scan->wraps[0] || scan->wraps[1])
        report_wrap(chunks, thread, scan->wrap_record);
    return true;
}

/* Pushes the calls that the chunk leaves open. */
static enum tv_code push_open(struct tv_chunk_builder *chunks, struct tv_build_thread *thread,
                              const struct tv_chunk_thread *scan, struct tv_error *err)
{
    if (!scan->opened_count)
        return TV_OK;
    if (!thread->depth)
        thread->root_enter_offset = tv_chunks_offset(chunks, scan->root_record);
    TV_TRY(tv_alloc_grow(chunks->builder.alloc, &thread->stack, &thread->stack_cap,
                         thread->depth + scan->opened_count, sizeof(*thread->stack), err));
    for (size_t i = 0; i < scan->opened_count; i++)
        thread->stack[thread->depth++] = (struct tv_stacked_call){.key = scan->opened[i]};
    return TV_OK;
}

/* Takes the chunk's exits of calls from before the chunk. An exit of the call on top closes that
 * call, an exit of another method needs the serial builder, and an exit with an empty stack ends an
 * adopting call. Where exits name no method, each of these exits is of the call on top, and an
 * adopting call has no method that the trace knows: that needs the serial builder. */
static enum tv_code pop_exits(struct tv_chunk_builder *chunks, struct tv_build_thread *thread,
                              struct tv_joined_thread *joined, const struct tv_chunk_thread *scan,
                              struct tv_error *err)
{
    const bool has_names = !chunks->trace->fixed.has_bare_exits;
    for (size_t i = 0; i < scan->exit_count; i++) {
        const uint32_t key = scan->exits[i].key;
        if (thread->depth) {
            chunks->needs_serial |= thread->stack[--thread->depth].key != key && has_names;
            continue;
        }
        chunks->needs_serial |= !has_names;
        if (chunks->needs_serial)
            return TV_OK;
        TV_TRY(tv_alloc_grow(chunks->builder.alloc, &joined->adopting_exits,
                             &joined->adopting_exit_cap, thread->adopting_count + 1,
                             sizeof(*joined->adopting_exits), err));
        struct tv_adopting_exit exit = {.key = key,
                                        .off = tv_chunks_offset(chunks, scan->exits[i].record)};
        joined->adopting_exits[thread->adopting_count++] = exit;
        tv_findings_add(&chunks->builder.findings, TV_FINDING_EXIT_WITHOUT_ENTER, 1, exit.off);
    }
    return TV_OK;
}

/* Adds the chunk's calls per depth to the thread's. Before that, the thread's counts are where the
 * chunk's calls of each depth begin in their row: they become the slots of the writer. */
static enum tv_code join_depths(struct tv_chunk_builder *chunks,
                                const struct tv_build_thread *thread,
                                struct tv_joined_thread *joined, const struct tv_chunk_thread *scan,
                                struct tv_writer_thread *writer, struct tv_error *err)
{
    /* Depth 0 of the chunk, as a depth of the thread: each open call took the thread one depth up,
     * and each adopting call one down. */
    int64_t base = (int64_t)thread->depth - (int64_t)thread->adopting_count;
    int64_t low = base - (int64_t)scan->exit_count - 1;
    int64_t high = base + (int64_t)scan->depth_count;
    TV_TRY(reach_depths(chunks, joined, low < 0 ? (uint64_t)-low : 0, high > 0 ? (uint64_t)high : 0,
                        err));
    size_t count = scan->exit_count + 1 + scan->depth_count;
    TV_TRY(tv_alloc_new(chunks->builder.alloc, &writer->slots, count + 1, sizeof(*writer->slots),
                        err));
    writer->slot_count = count;
    TV_TRY(tv_alloc_new(chunks->builder.alloc, &writer->first_calls, count,
                        sizeof(*writer->first_calls), err));
    const uint32_t *calls = scan->calls + (scan->origin - scan->exit_count - 1);
    for (size_t i = 0; i < count; i++) {
        uint64_t *total = joined->depth_calls + ((int64_t)joined->origin + low + (int64_t)i);
        writer->slots[i].next = *total;
        writer->slots[i].end = *total + calls[i];
        *total += calls[i];
    }
    if (high > (int64_t)joined->depth_count)
        joined->depth_count = (size_t)high;
    return TV_OK;
}

/* Joins one thread of a chunk. */
static enum tv_code join_scanned_thread(struct tv_chunk_builder *chunks, size_t chunk, size_t i,
                                        struct tv_error *err)
{
    struct tv_builder *b = &chunks->builder;
    struct tv_chunk_thread *scan = &chunks->scans[chunk].threads[i];
    struct tv_writer_thread *writer = &chunks->writers[chunk].threads[i];
    uint32_t thread_ix = tv_map_get(&b->thread_of_id, tv_chunks_thread_id(chunks, scan));
    if (thread_ix == TV_MAP_NONE) {
        thread_ix = (uint32_t)b->thread_count;
        TV_TRY(begin_thread(chunks, chunk, i, err));
    }
    struct tv_build_thread *thread = b->threads[thread_ix];
    struct tv_joined_thread *joined = &chunks->joined[thread_ix];
    unsigned axis = chunks->trace->has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    *writer = (struct tv_writer_thread){.build = thread,
                                        .scan = scan,
                                        .record = thread->records,
                                        .record_end = thread->records + scan->records};
    /* The segment that goes on began at the thread's last record in an earlier chunk. */
    if (thread->records)
        writer->segment_start = (uint64_t)(thread->clock[axis].high - thread->clock[axis].first);
    if (!join_clocks(chunks, thread, joined, scan, writer)) {
        chunks->needs_serial = true;
        return TV_OK;
    }
    chunks->open_total += thread->depth;
    TV_TRY(
        tv_alloc_new(b->alloc, &writer->open_keys, thread->depth, sizeof(*writer->open_keys), err));
    for (size_t k = 0; k < thread->depth; k++)
        writer->open_keys[k] = thread->stack[k].key;
    writer->open_count = thread->depth;
    writer->open_key_cap = thread->depth;
    writer->adopted_before = thread->adopting_count;
    TV_TRY(join_depths(chunks, thread, joined, scan, writer, err));
    TV_TRY(pop_exits(chunks, thread, joined, scan, err));
    TV_TRY(push_open(chunks, thread, scan, err));
    thread->records += scan->records;
    tv_chunk_thread_release(scan, chunks->builder.alloc);
    return TV_OK;
}

/* Joins one chunk. */
static enum tv_code join_scan(struct tv_chunk_builder *chunks, size_t chunk, struct tv_error *err)
{
    struct tv_chunk_scan *scan = &chunks->scans[chunk];
    struct tv_chunk_writer *writer = &chunks->writers[chunk];
    writer->scan = scan;
    TV_TRY(tv_alloc_new(chunks->builder.alloc, &writer->threads, scan->thread_count,
                        sizeof(*writer->threads), err));
    writer->thread_cap = scan->thread_count;
    for (size_t i = 0; i < scan->thread_count && !chunks->needs_serial; i++)
        TV_TRY(join_scanned_thread(chunks, chunk, i, err));
    if (chunks->needs_serial)
        return TV_OK;
    chunks->builder.last_ix =
        tv_map_get(&chunks->builder.thread_of_id,
                   tv_chunks_thread_id(chunks, &scan->threads[scan->last_thread]));
    chunks->builder.has_unwind |= scan->has_unwind;
    chunks->builder.gaps_zero += scan->gaps_zero;
    chunks->builder.gaps_small += scan->gaps_small;
    uint64_t most = OPEN_FLOOR + chunks->trace->fixed.count * OPEN_PER_RECORD;
    chunks->needs_serial = chunks->open_total > most;
    return TV_OK;
}

/* Whether a wrap of a clock may be later than the trace lasted: the serial builder knows of each
 * wrap whether it is. Without falls no wrap is later than the thread's last record. */
static bool may_wrap_too_late(const struct tv_chunk_builder *chunks)
{
    const struct tv_builder *b = &chunks->builder;
    const uint64_t elapsed = tv_trace_elapsed(b->trace);
    if (b->trace->clock_bits != 32)
        return false;
    for (size_t i = 0; i < b->thread_count; i++) {
        const struct tv_thread_clock *clock = b->threads[i]->clock;
        if (chunks->joined[i].wraps[TV_CLOCK_WALL] &&
            tv_wrap_is_too_late(clock[TV_CLOCK_WALL].high, elapsed))
            return true;
        if (chunks->joined[i].wraps[TV_CLOCK_CPU] &&
            tv_wrap_is_too_late(clock[TV_CLOCK_CPU].high - clock[TV_CLOCK_CPU].first, elapsed))
            return true;
    }
    return false;
}

enum tv_code tv_chunks_join_scans(struct tv_chunk_builder *chunks, struct tv_error *err)
{
    for (size_t chunk = 0; chunk < chunks->chunk_count; chunk++) {
        if (chunks->scans[chunk].code != TV_OK) {
            if (err)
                *err = chunks->scans[chunk].error;
            return chunks->scans[chunk].code;
        }
        chunks->needs_serial |= chunks->scans[chunk].needs_serial;
    }
    for (size_t chunk = 0; chunk < chunks->chunk_count && !chunks->needs_serial; chunk++)
        TV_TRY(join_scan(chunks, chunk, err));
    chunks->needs_serial = chunks->needs_serial || may_wrap_too_late(chunks) ||
                           tv_builder_is_too_far(&chunks->builder);
    return TV_OK;
}
