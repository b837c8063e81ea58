/*
 * From quads per depth to calls per depth and keys of open calls; see
 * index/build/chunks/chunk_depths.h.
 *
 * A quad is four records, and only its pattern of enters and exits says how the depth moves. The
 * scan therefore counts, at each depth, how often a quad of each pattern began there. At the end of
 * the chunk each pattern is gone through once, and its count is added at every depth where the
 * pattern has an enter.
 *
 * The keys of calls that stay open are not kept while scanning. A mark per depth tells the latest
 * quad whose lowest record stood there, or the latest single enter; at the end the records of the
 * quads that opened such calls are read once more. docs/index.md, "The chunked builder".
 */
#include "index/build/chunks/chunk_depths.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "format/wire.h"

/* The quad of an enter and three exits: it has one call, at the depth where it begins. An enter
 * that is taken alone is counted as such a quad. */
#define ONE_CALL 14u

/* Every action but an enter counts as an exit here: an unwind closes a call, and a quad with the
 * reserved action is never counted, because its flag sends the trace to the serial builder. */
void tv_chunk_make_steps(struct tv_quad_step steps[TV_QUAD_STEPS])
{
    for (unsigned actions = 0; actions < TV_QUAD_STEPS; actions++) {
        struct tv_quad_step step = {.exits = 0};
        for (unsigned i = 0; i < TV_QUAD_LEN; i++) {
            unsigned action = actions >> (2 * i) & TV_WIRE_ACTION_MASK;
            if (step.rise < step.lowest)
                step.lowest = step.rise;
            step.exits |= (uint8_t)((action != TV_ACTION_ENTER) << i);
            step.rise = (int8_t)(step.rise + (action == TV_ACTION_ENTER ? 1 : -1));
            step.flags |= action == TV_ACTION_UNWIND ? TV_QUAD_UNWINDS : 0;
            step.flags |= action == TV_ACTION_RESERVED ? TV_QUAD_NEEDS_SERIAL : 0;
        }
        step.bottom = step.rise < step.lowest ? step.rise : step.lowest;
        steps[actions] = step;
    }
}

/* New places are all 0: no quad was counted at these depths, and a mark of 0 is older than all
 * others. */
enum tv_code tv_chunk_depths_resize(struct tv_chunk_thread *thread, const struct tv_alloc *alloc,
                                    size_t cap, size_t shift, struct tv_error *err)
{
    struct tv_chunk_depth *depths;
    uint32_t *marks = NULL;
    TV_TRY(tv_alloc_new(alloc, &depths, cap, sizeof(*depths), err));
    enum tv_code code = tv_alloc_new(alloc, &marks, cap, sizeof(*marks), err);
    if (code != TV_OK) {
        tv_alloc_release(alloc, &depths, cap, sizeof(*depths));
        return code;
    }
    if (thread->depth_cap) {
        memcpy(depths + shift, thread->depths, thread->depth_cap * sizeof(*depths));
        memcpy(marks + shift, thread->marks, thread->depth_cap * sizeof(*marks));
    }
    tv_chunk_depths_release(thread, alloc);
    thread->depths = depths;
    thread->marks = marks;
    thread->depth_cap = cap;
    thread->origin += shift;
    thread->depth += shift;
    thread->lowest += shift;
    return TV_OK;
}

void tv_chunk_depths_release(struct tv_chunk_thread *thread, const struct tv_alloc *alloc)
{
    tv_alloc_release(alloc, &thread->depths, thread->depth_cap, sizeof(*thread->depths));
    tv_alloc_release(alloc, &thread->marks, thread->depth_cap, sizeof(*thread->marks));
    thread->depths = NULL;
    thread->marks = NULL;
    thread->depth_cap = 0;
}

enum tv_code tv_chunk_depths_enter(struct tv_chunk_thread *thread, const struct tv_alloc *alloc,
                                   uint32_t ordinal, struct tv_error *err)
{
    if (thread->depth + 1 == thread->depth_cap)
        TV_TRY(tv_chunk_depths_resize(thread, alloc, thread->depth_cap * 2, 0, err));
    thread->depths[thread->depth].quads[ONE_CALL]++;
    thread->marks[thread->depth] = tv_chunk_mark(ordinal, true);
    thread->depth++;
    return TV_OK;
}

/* Counts the calls of each depth, and the depths from 0 up that have calls. Each pattern of a quad
 * is gone through once per depth, however many quads had that pattern. */
static enum tv_code count_calls(struct tv_chunk_thread *thread, const struct tv_alloc *alloc,
                                struct tv_error *err)
{
    TV_TRY(tv_alloc_new(alloc, &thread->calls, thread->depth_cap, sizeof(*thread->calls), err));
    thread->call_cap = thread->depth_cap;
    for (size_t depth = thread->lowest; depth < thread->depth_cap; depth++) {
        const struct tv_chunk_depth *counted = &thread->depths[depth];
        /* The last pattern, four exits, has no call. */
        for (unsigned exits = 0; exits < TV_COUNT_OF(counted->quads) - 1; exits++) {
            size_t at = depth;
            for (unsigned i = 0; i < TV_QUAD_LEN && counted->quads[exits]; i++) {
                bool is_exit = exits >> i & 1;
                if (is_exit)
                    at--;
                else
                    thread->calls[at++] += counted->quads[exits];
            }
        }
    }
    size_t end = thread->call_cap; /* one place behind the highest depth with calls */
    while (end > thread->origin && !thread->calls[end - 1])
        end--;
    thread->depth_count = end - thread->origin;
    return TV_OK;
}

/* The action and key of record `ordinal` of the chunk. */
static uint32_t word_at(struct tv_chunk_scan *scan, uint32_t ordinal)
{
    return tv_fixed_word(&scan->part, scan->first_record + ordinal);
}

/* The last record at `depth` that the mark stands for: the marked record itself, or, where a quad
 * is marked, the quad's last record at that depth. lowest: the depth that has the mark, which is
 * the lowest depth of the quad. */
static uint32_t last_at_depth(struct tv_chunk_scan *scan, uint32_t mark, size_t lowest,
                              size_t depth)
{
    uint32_t ordinal = (mark - 1) >> 1;
    if ((mark - 1) & 1)
        return ordinal;
    unsigned actions = 0;
    for (unsigned i = 0; i < TV_QUAD_LEN; i++)
        actions |= (word_at(scan, ordinal + i) & TV_WIRE_ACTION_MASK) << (2 * i);
    /* The quad begins as far above its lowest depth as its actions say. */
    uint32_t found = ordinal;
    size_t at = lowest - (size_t)(ptrdiff_t)scan->steps[actions].lowest;
    for (unsigned i = 0; i < TV_QUAD_LEN; i++) {
        if (at == depth)
            found = ordinal + i;
        at += scan->steps[actions].exits >> i & 1 ? SIZE_MAX : 1;
    }
    return found;
}

/* Finds the keys of the calls that the chunk leaves open: at each depth from the lowest one to
 * below the current one, the thread opened a call and did not come back. */
static enum tv_code find_opened(struct tv_chunk_scan *scan, struct tv_chunk_thread *thread,
                                struct tv_error *err)
{
    size_t opened_count = thread->depth - thread->lowest;
    TV_TRY(tv_alloc_new(scan->alloc, &thread->opened, opened_count, sizeof(*thread->opened), err));
    thread->opened_count = opened_count;
    for (size_t i = 0; i < opened_count; i++) {
        size_t depth = thread->lowest + i;
        /* The depth with the latest mark among this one and the three below (chunk_depths.h). */
        size_t lowest = depth;
        for (size_t below = 1; below < TV_QUAD_LEN && below <= depth; below++) {
            if (thread->marks[depth - below] > thread->marks[lowest])
                lowest = depth - below;
        }
        uint32_t ordinal = last_at_depth(scan, thread->marks[lowest], lowest, depth);
        thread->opened[i] = word_at(scan, ordinal) & ~TV_WIRE_ACTION_MASK;
        if (i == 0)
            thread->root_record = scan->first_record + ordinal;
    }
    return TV_OK;
}

/* Packed records were scanned without their keys. Where exits name no method, the keys of these say
 * nothing. */
static void name_exits(struct tv_chunk_scan *scan, struct tv_chunk_thread *thread)
{
    const struct tv_fixed_records *fixed = &scan->part.trace->fixed;
    for (size_t i = 0; fixed->is_packed && !fixed->has_bare_exits && i < thread->exit_count; i++)
        thread->exits[i].key =
            tv_fixed_word(&scan->part, thread->exits[i].record) & ~TV_WIRE_ACTION_MASK;
}

enum tv_code tv_chunk_depths_finish(struct tv_chunk_scan *scan, struct tv_chunk_thread *thread,
                                    struct tv_error *err)
{
    TV_TRY(count_calls(thread, scan->alloc, err));
    TV_TRY(find_opened(scan, thread, err));
    name_exits(scan, thread);
    tv_chunk_depths_release(thread, scan->alloc);
    return TV_OK;
}
