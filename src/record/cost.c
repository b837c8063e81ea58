/*
 * What recording costs; see record/cost.h.
 *
 * Before a recording begins, the clocks are read and records are put by the code that the program
 * will run, into a block of the buffer that is cleared again. The median of a few rounds counts, so
 * that one switch to another thread in a round does no harm. The results go into the file, so that
 * readers can tell tracing from work.
 */
#include "record/cost.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "record/hot.h"
#include "record/recorder.h"
#include "record/session.h"

#define ROUNDS 7u
#define READINGS 1000u

/* A record with the clocks of a recording that has not begun. */
static TV_NOINLINE void put_for_measure(struct tv_thread *thread, const struct tv_hot *shared,
                                        uint32_t word)
{
    struct tv_pending_put pending;
    tv_hot_put(thread, shared, word, &pending);
}

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* A cost in ticks of `count` as nanoseconds of one, from the median of the rounds. */
static uint32_t cost_of_one(uint64_t *ticks, uint32_t count)
{
    qsort(ticks, ROUNDS, sizeof(*ticks), by_value);
    return (uint32_t)(tv_ticks_to_ns(tv_current.rate, ticks[ROUNDS / 2]) / count);
}

static void measure_clock(struct tv_thread *thread)
{
    uint64_t ticks[ROUNDS];
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t begin = tv_ticks_now(tv_current.rate.is_counter);
        for (unsigned i = 0; i < READINGS; i++) {
            uint64_t now = tv_ticks_now(tv_current.rate.is_counter);
            (void)tv_cpu_read(&thread->cpu, &tv_current.rate, now);
        }
        ticks[round] = tv_ticks_now(tv_current.rate.is_counter) - begin;
    }
    tv_current.clock_ns = cost_of_one(ticks, READINGS);
}

/* Ticks between two records of a block. */
static uint64_t ticks_between(const struct tv_slot *from, const struct tv_slot *to)
{
    return ((to->wall_and_low - from->wall_and_low) >> TV_SLOT_WORD_BITS);
}

/* What of the cost is recorded as time of a call that makes none, and of one that makes one. */
static void sum_up(const struct tv_block *block, uint32_t fours, uint64_t *leaf, uint64_t *caller)
{
    *leaf = *caller = 0;
    for (const struct tv_slot *slot = block->slots; slot < block->slots + 4 * fours; slot += 4) {
        *leaf += ticks_between(slot + 1, slot + 2);
        *caller += ticks_between(slot, slot + 1) + ticks_between(slot + 2, slot + 3);
    }
}

/* Puts enters and exits by the hot path itself, with a thread and a session of its own: nothing of
 * it reaches the recording. They are of calls that make one call, which makes none. The block
 * counts as used to its end, so that giving it back clears all slots. */
static void measure_call(struct tv_thread *thread, struct tv_block *block)
{
    struct tv_hot measured = {.start_ticks = 0, .rate = tv_current.rate};
    atomic_store(&measured.session, tv_current.session);
    uint64_t ticks[ROUNDS], leaf[ROUNDS], caller[ROUNDS];
    uint32_t fours = block->cap / 4;
    thread->session = tv_current.session;
    thread->limit = block->slots + block->cap;
    for (unsigned round = 0; round < ROUNDS; round++) {
        thread->at = block->slots;
        uint64_t begin = tv_ticks_now(tv_current.rate.is_counter);
        for (uint32_t i = 0; i < fours; i++) {
            put_for_measure(thread, &measured, tv_recorder_word(1, TV_RECORDER_ENTER));
            put_for_measure(thread, &measured, tv_recorder_word(1, TV_RECORDER_ENTER));
            put_for_measure(thread, &measured, tv_recorder_word(1, TV_RECORDER_EXIT));
            put_for_measure(thread, &measured, tv_recorder_word(1, TV_RECORDER_EXIT));
        }
        ticks[round] = tv_ticks_now(tv_current.rate.is_counter) - begin;
        sum_up(block, fours, &leaf[round], &caller[round]);
    }
    tv_current.call_ns = cost_of_one(ticks, 2 * fours);
    tv_current.leaf_ns = cost_of_one(leaf, fours);
    uint32_t with_callee_ns = cost_of_one(caller, fours);
    tv_current.calling_ns =
        with_callee_ns > tv_current.leaf_ns ? with_callee_ns - tv_current.leaf_ns : 0;
    block->used = block->cap;
}

bool tv_cost_measure(uint32_t hooks_ns)
{
    struct tv_thread scratch = {.session = 0};
    struct tv_block *block = tv_pool_take(&tv_current.pool, tv_current.pool.largest);
    if (!block)
        return false;
    tv_cpu_begin(&scratch.cpu, tv_current.has_cpu ? tv_cpu_best_source() : TV_CPU_NONE,
                 tv_current.rate);
    measure_clock(&scratch);
    tv_current.call_ns = tv_current.leaf_ns = tv_current.calling_ns = 0;
    if (!tv_current.interval_us) {
        measure_call(&scratch, block);
        /* Nobody knows which part of a hook comes before the reading of the clocks. */
        tv_current.call_ns += hooks_ns;
        tv_current.leaf_ns += hooks_ns / 2;
        tv_current.calling_ns += hooks_ns - hooks_ns / 2;
    }
    tv_pool_give(&tv_current.pool, block);
    return true;
}
