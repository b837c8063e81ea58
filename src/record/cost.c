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

/* Puts enters and exits by the hot path itself, with a thread and a session of its own: nothing of
 * it reaches the recording. The block counts as used to its end, so that giving it back clears all
 * slots. */
static void measure_call(struct tv_thread *thread, struct tv_block *block)
{
    struct tv_hot measured = {.start_ticks = 0, .rate = tv_current.rate};
    atomic_store(&measured.session, tv_current.session);
    uint64_t ticks[ROUNDS];
    uint32_t pairs = block->cap / 2;
    thread->session = tv_current.session;
    thread->limit = block->slots + block->cap;
    for (unsigned round = 0; round < ROUNDS; round++) {
        thread->at = block->slots;
        uint64_t begin = tv_ticks_now(tv_current.rate.is_counter);
        for (uint32_t i = 0; i < pairs; i++) {
            put_for_measure(thread, &measured, tv_recorder_word(1, TV_RECORDER_ENTER));
            put_for_measure(thread, &measured, tv_recorder_word(1, TV_RECORDER_EXIT));
        }
        ticks[round] = tv_ticks_now(tv_current.rate.is_counter) - begin;
    }
    tv_current.call_ns = cost_of_one(ticks, pairs);
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
    if (tv_current.interval_us)
        tv_current.call_ns = 0;
    else
        measure_call(&scratch, block);
    tv_current.call_ns += tv_current.interval_us ? 0 : hooks_ns;
    tv_pool_give(&tv_current.pool, block);
    return true;
}
