/* What one call took, where durations are stored in few bytes and where in many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/calls/call.h"
#include "analysis/world.h"

#define SEEDS 30

static struct world w;

/* The index's call for one of the world's: the same thread, depth, method, start and end. */
static struct tv_call_ref ref_of(int call)
{
    const struct plain_call *plain = &w.calls[call];
    uint32_t thread_ix = world_thread_ix(&w, plain->thread);
    const struct tv_index_thread *thread = &w.index.threads[thread_ix];
    const struct tv_index_row *row = &w.index.rows[thread->row_first + plain->depth];
    for (uint64_t i = 0; i < row->call_count; i++) {
        struct tv_call_ref ref = {thread_ix, plain->depth, row->call_first + i};
        uint64_t start = tv_index_start(&w.index, thread, TV_CLOCK_WALL, ref.call) * 1000;
        uint64_t len = tv_index_duration(&w.index, thread, TV_CLOCK_WALL, ref.call) * 1000;
        if (start == plain->start[0] && start + len == plain->end[0] &&
            tv_call_method(&w.index, ref) == world_method_ix(&w, plain->method))
            return ref;
    }
    return TV_NO_CALL;
}

static void own_time_leaves_out_callees_however_long(void **state)
{
    uint32_t long_callees = 0;
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        world_long(&w, seed);
        for (int i = 0; i < w.call_count; i++) {
            const struct plain_call *call = &w.calls[i];
            uint64_t exclusive[TV_CLOCK_COUNT];
            struct tv_call_ref ref = ref_of(i);
            if (call->end[0] == call->start[0])
                continue; /* nothing tells calls of one moment apart */
            assert_true(tv_call_is(ref));
            tv_call_exclusive(&w.index, ref, exclusive);
            for (int clock = 0; clock < 2; clock++)
                assert_int_equal(exclusive[clock] * 1000,
                                 world_exclusive(&w, i, clock, 0, UINT64_MAX));
            long_callees += w.index.threads[ref.thread_ix].duration_len == 2 &&
                            call->parent != WORLD_NONE && call->end[0] - call->start[0] > 65535000;
        }
        world_release(&w);
    }
    assert_true(long_callees > 10);
}

static void durations_are_in_nanoseconds_on_every_clock(void **state)
{
    uint32_t on_both = 0;
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        world_long(&w, seed);
        for (int i = 0; i < w.call_count; i++) {
            const struct plain_call *call = &w.calls[i];
            uint64_t durations_ns[TV_CLOCK_COUNT];
            struct tv_call_ref ref = ref_of(i);
            if (call->end[0] == call->start[0])
                continue; /* nothing tells calls of one moment apart */
            assert_true(tv_call_is(ref));
            tv_call_durations(&w.index, ref, durations_ns);
            for (int clock = 0; clock < 2; clock++)
                assert_int_equal(durations_ns[clock], call->end[clock] - call->start[clock]);
            on_both += durations_ns[TV_CLOCK_WALL] && durations_ns[TV_CLOCK_CPU];
        }
        world_release(&w);
    }
    assert_true(on_both > 10);
}

/* Calls of one moment cannot be told apart by time: were the callees of that moment looked at again
 * for each call, this would be ten thousand million looks, and run out of time. */
static void calls_without_time_cost_no_look_at_callees(void **state)
{
    const uint32_t count = 100000;
    (void)state;
    world_begin(&w);
    for (uint32_t i = 0; i <= count; i++) {
        enter(&w.t, 1, M(0), 10);
        enter(&w.t, 1, M(1), 10);
        leave(&w.t, 1, M(1), i == count ? 30 : 10);
        leave(&w.t, 1, M(0), i == count ? 50 : 10);
    }
    world_read(&w);
    uint32_t thread_ix = world_thread_ix(&w, 1);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t exclusive[TV_CLOCK_COUNT];
        tv_call_exclusive(&w.index, tv_call_at(&w.index, thread_ix, 0, i), exclusive);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            assert_int_equal(exclusive[clock], 0);
    }
    uint64_t exclusive[TV_CLOCK_COUNT];
    tv_call_exclusive(&w.index, tv_call_at(&w.index, thread_ix, 0, count), exclusive);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        assert_int_equal(exclusive[clock], 20);
    world_release(&w);
}

/* Zeros where the CPU time belongs say nothing: not every call of such a trace waits. */
static void nothing_waits_where_the_cpu_clock_never_moves(void **state)
{
    (void)state;
    for (uint32_t cpu = 0; cpu < 2; cpu++) {
        world_begin(&w);
        world_enter(&w, 1, 0, 0, 0);
        world_leave(&w, 1, 0, 5000, cpu);
        world_end(&w);
        assert_int_equal(tv_call_is_waiting(&w.index, ref_of(0)), cpu > 0);
        world_release(&w);
    }
}

/* A thread without records at the end worked or waited, and nothing tells which. */
static void what_is_not_recorded_is_no_wait(void **state)
{
    (void)state;
    world_begin(&w);
    world_enter(&w, 1, 0, 0, 0);
    world_enter(&w, 1, 1, 1000, 1000);
    world_leave(&w, 1, 1, 4000, 1100);
    world_enter(&w, 1, 2, 5000, 2000);
    world_enter(&w, 2, 3, 6000, 0);
    world_leave(&w, 2, 3, 9000, 3000);
    world_end(&w);
    for (uint32_t depth = 0; depth < 2; depth++) {
        struct tv_call_ref open = tv_call_at(&w.index, world_thread_ix(&w, 1), depth, depth);
        uint64_t exclusive[TV_CLOCK_COUNT];
        assert_int_equal(tv_call_unrecorded(&w.index, open), 4000);
        assert_false(tv_call_is_waiting(&w.index, open));
        assert_int_equal(tv_call_exclusive_recorded(&w.index, open, exclusive), depth ? 4000 : 0);
        assert_int_equal(exclusive[TV_CLOCK_WALL], depth ? 0 : 2000);
        assert_int_equal(exclusive[TV_CLOCK_CPU], depth ? 0 : 1900);
    }
    struct tv_call_ref closed = tv_call_at(&w.index, world_thread_ix(&w, 1), 1, 0);
    assert_int_equal(tv_call_unrecorded(&w.index, closed), 0);
    assert_true(tv_call_is_waiting(&w.index, closed));
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_time_leaves_out_callees_however_long),
        cmocka_unit_test(durations_are_in_nanoseconds_on_every_clock),
        cmocka_unit_test(calls_without_time_cost_no_look_at_callees),
        cmocka_unit_test(nothing_waits_where_the_cpu_clock_never_moves),
        cmocka_unit_test(what_is_not_recorded_is_no_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
