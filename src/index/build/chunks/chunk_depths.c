/* Levels of a chunk; see index/build/chunks/chunk_depths.h. */
#include "index/build/chunks/chunk_depths.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "format/wire.h"

/* The group of an enter and three exits: one call, on the level that it begins on. */
#define ONE_CALL 14u

void tv_chunk_make_steps(struct tv_group_step steps[TV_GROUP_STEPS])
{
    for (unsigned actions = 0; actions < TV_GROUP_STEPS; actions++) {
        struct tv_group_step step = {.exits = 0};
        for (unsigned i = 0; i < TV_GROUP_LEN; i++) {
            unsigned action = actions >> (2 * i) & TV_WIRE_ACTION_MASK;
            if (step.rise < step.lowest)
                step.lowest = step.rise;
            step.exits |= (uint8_t)((action != TV_ACTION_ENTER) << i);
            step.rise = (int8_t)(step.rise + (action == TV_ACTION_ENTER ? 1 : -1));
            step.flags |= action == TV_ACTION_UNWIND ? TV_GROUP_UNWINDS : 0;
            step.flags |= action == TV_ACTION_RESERVED ? TV_GROUP_IS_ODD : 0;
        }
        step.bottom = step.rise < step.lowest ? step.rise : step.lowest;
        steps[actions] = step;
    }
}

enum tv_code tv_chunk_levels_resize(struct tv_chunk_thread *thread, const struct tv_alloc *alloc,
                                    size_t cap, size_t shift, struct tv_error *err)
{
    struct tv_chunk_level *levels;
    uint32_t *last = NULL;
    TV_TRY(tv_alloc_new(alloc, &levels, cap, sizeof(*levels), err));
    enum tv_code code = tv_alloc_new(alloc, &last, cap, sizeof(*last), err);
    if (code != TV_OK) {
        tv_alloc_free(alloc, levels, cap, sizeof(*levels));
        return code;
    }
    if (thread->level_cap) {
        memcpy(levels + shift, thread->levels, thread->level_cap * sizeof(*levels));
        memcpy(last + shift, thread->last, thread->level_cap * sizeof(*last));
    }
    tv_chunk_levels_release(thread, alloc);
    thread->levels = levels;
    thread->last = last;
    thread->level_cap = cap;
    thread->origin += shift;
    thread->at += shift;
    thread->low += shift;
    return TV_OK;
}

void tv_chunk_levels_release(struct tv_chunk_thread *thread, const struct tv_alloc *alloc)
{
    tv_alloc_free(alloc, thread->levels, thread->level_cap, sizeof(*thread->levels));
    tv_alloc_free(alloc, thread->last, thread->level_cap, sizeof(*thread->last));
    thread->levels = NULL;
    thread->last = NULL;
    thread->level_cap = 0;
}

enum tv_code tv_chunk_levels_enter(struct tv_chunk_thread *thread, const struct tv_alloc *alloc,
                                   uint32_t ordinal, struct tv_error *err)
{
    if (thread->at + 1 == thread->level_cap)
        TV_TRY(tv_chunk_levels_resize(thread, alloc, thread->level_cap * 2, 0, err));
    thread->levels[thread->at].groups[ONE_CALL]++;
    thread->last[thread->at] = tv_chunk_mark(ordinal, true);
    thread->at++;
    return TV_OK;
}

/* The calls of each level, and how many levels from 0 up have any. */
static enum tv_code count_calls(struct tv_chunk_thread *thread, const struct tv_alloc *alloc,
                                struct tv_error *err)
{
    TV_TRY(tv_alloc_new(alloc, &thread->calls, thread->level_cap, sizeof(*thread->calls), err));
    thread->call_cap = thread->level_cap;
    for (size_t level = thread->low; level < thread->level_cap; level++) {
        const struct tv_chunk_level *counted = &thread->levels[level];
        for (unsigned exits = 0; exits < TV_COUNT_OF(counted->groups) - 1; exits++) {
            size_t at = level;
            for (unsigned i = 0; i < TV_GROUP_LEN && counted->groups[exits]; i++) {
                bool is_exit = exits >> i & 1;
                if (is_exit)
                    at--;
                else
                    thread->calls[at++] += counted->groups[exits];
            }
        }
    }
    size_t end = thread->call_cap;
    while (end > thread->origin && !thread->calls[end - 1])
        end--;
    thread->level_count = end - thread->origin;
    return TV_OK;
}

/* The action and key of record `ordinal` of the chunk. */
static uint32_t word_at(struct tv_chunk_scan *scan, uint32_t ordinal)
{
    return tv_fixed_word(&scan->part, scan->first_record + ordinal);
}

/* The last record of a group that stands on `level`. lowest: the level that the mark is of. */
static uint32_t last_on_level(struct tv_chunk_scan *scan, uint32_t mark, size_t lowest,
                              size_t level)
{
    uint32_t ordinal = (mark - 1) >> 1;
    if ((mark - 1) & 1)
        return ordinal;
    unsigned actions = 0;
    for (unsigned i = 0; i < TV_GROUP_LEN; i++)
        actions |= (word_at(scan, ordinal + i) & TV_WIRE_ACTION_MASK) << (2 * i);
    uint32_t found = ordinal;
    size_t at = lowest - (size_t)(ptrdiff_t)scan->steps[actions].lowest;
    for (unsigned i = 0; i < TV_GROUP_LEN; i++) {
        if (at == level)
            found = ordinal + i;
        at += scan->steps[actions].exits >> i & 1 ? SIZE_MAX : 1;
    }
    return found;
}

static enum tv_code find_opened(struct tv_chunk_scan *scan, struct tv_chunk_thread *thread,
                                struct tv_error *err)
{
    size_t depth = thread->at - thread->low;
    TV_TRY(tv_alloc_new(scan->alloc, &thread->opened, depth, sizeof(*thread->opened), err));
    thread->depth = depth;
    for (size_t i = 0; i < depth; i++) {
        size_t level = thread->low + i;
        size_t lowest = level;
        for (size_t below = 1; below < TV_GROUP_LEN && below <= level; below++) {
            if (thread->last[level - below] > thread->last[lowest])
                lowest = level - below;
        }
        uint32_t ordinal = last_on_level(scan, thread->last[lowest], lowest, level);
        thread->opened[i] = word_at(scan, ordinal) & ~TV_WIRE_ACTION_MASK;
        if (i == 0)
            thread->root_record = scan->first_record + ordinal;
    }
    return TV_OK;
}

enum tv_code tv_chunk_levels_settle(struct tv_chunk_scan *scan, struct tv_chunk_thread *thread,
                                    struct tv_error *err)
{
    TV_TRY(count_calls(thread, scan->alloc, err));
    TV_TRY(find_opened(scan, thread, err));
    tv_chunk_levels_release(thread, scan->alloc);
    return TV_OK;
}
