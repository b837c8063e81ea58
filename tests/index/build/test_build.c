/* Times that are too large to be added up over all threads are lowered, by either builder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/encode.h"
#include "format/packet_builder.h"
#include "index/made.h"

#define NS_PER_US 1000u
/* Threads of the trace with 32-bit times, and how far each of its records goes. */
#define THREADS 1600u
#define STEP_US UINT64_C(0xf0000000)
#define RECORD_LEN 14u

/* Adds a time to a sum of nanoseconds that must stay below 2^63. */
static void add_units(uint64_t *sum_ns, uint64_t units, uint64_t unit_ns)
{
    uint64_t ns;
    assert_false(__builtin_mul_overflow(units, unit_ns, &ns));
    assert_false(__builtin_add_overflow(*sum_ns, ns, sum_ns));
    assert_true(*sum_ns <= INT64_MAX);
}

/* No sum over all threads overflows, and the sums of the trace are those of its threads. */
static void expect_sums(const struct tv_index *index)
{
    const struct tv_index_info *info = index->info;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t ends_ns = 0;
        uint64_t total_ns = 0;
        uint64_t exclusive_ns = 0;
        for (uint32_t i = 0; i < index->thread_count; i++) {
            add_units(&ends_ns, index->threads[i].last[clock], info->unit_ns);
            add_units(&total_ns, index->threads[i].root_total[clock], info->unit_ns);
        }
        for (uint32_t i = 0; i < index->method_count; i++) {
            assert_true(index->methods[i].inclusive[clock] <= info->total[clock]);
            add_units(&exclusive_ns, index->methods[i].exclusive[clock], info->unit_ns);
        }
        expect_number("total", info->total[clock] * info->unit_ns, total_ns);
        expect_number("exclusive time", exclusive_ns, total_ns);
    }
}

/* One call of a thread in a block of its own; returns the offset of its exit. */
static size_t add_call(struct trace_builder *t, uint32_t thread, uint64_t start, uint64_t end)
{
    struct block_builder block = {.len = 0};
    add_dual(&block, FOO_ADDRESS, start, 0);
    size_t exit = block.len;
    add_dual(&block, FOO_ADDRESS | LEAVE, end, 3);
    packet_thread(t, thread, "thread");
    packet_block(t, thread, &block);
    return t->last_off + TV_PACKET_BLOCK_HEAD + exit;
}

static void clocks_of_64_bits_that_span_all(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_packets(&t, 5, 0);
    packet_tables(&t);
    (void)add_call(&t, TID, 0, 10);
    size_t first = add_call(&t, 2, 5, INT64_MAX);
    (void)add_call(&t, 3, 6, INT64_MAX - 1);
    (void)add_call(&t, 4, INT64_MAX - 8, INT64_MAX - 7); /* begins too late */
    packet_summary(&t, 5, "clock=dual\nelapsed-time-nsec=10\n");
    make_index(&index, &t);
    expect_calls(&index, TID, TV_CLOCK_WALL, "foo 0+10");
    expect_calls(&index, 2, TV_CLOCK_WALL, "foo 5+2305843009213693946");
    expect_calls(&index, 3, TV_CLOCK_WALL, "foo 6+2305843009213693945");
    expect_calls(&index, 4, TV_CLOCK_WALL, "foo 2305843009213693951+0");
    expect_calls(&index, 2, TV_CLOCK_CPU, "foo 0+3");
    expect_finding(&index, TV_FINDING_CLOCK_TOO_FAR, 3, first);
    expect_sums(&index);
    tv_index_release(&index);
}

/* What fits is left alone, to the last nanosecond. */
static void times_that_add_up_stay(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_packets(&t, 5, 0);
    packet_tables(&t);
    (void)add_call(&t, TID, 0, INT64_MAX / 2);
    (void)add_call(&t, 2, 1, INT64_MAX / 2);
    packet_summary(&t, 5, "clock=dual\nelapsed-time-nsec=10\n");
    make_index(&index, &t);
    expect_calls(&index, 2, TV_CLOCK_WALL, "foo 1+4611686018427387902");
    expect_finding(&index, TV_FINDING_CLOCK_TOO_FAR, 0, 0);
    expect_sums(&index);
    tv_index_release(&index);
}

/* Adds one call of a thread that takes `steps` steps; returns where its first record stands. */
static size_t add_steps(struct trace_builder *t, unsigned thread, uint64_t steps)
{
    enter(t, thread, FOO, 0);
    size_t first = t->last_off;
    for (uint64_t i = 1; i < steps; i++) {
        enter(t, thread, BAR, (uint32_t)(i * STEP_US));
        i++;
        leave(t, thread, BAR, (uint32_t)(i * STEP_US));
    }
    return first;
}

/* Calls that are open at the end last as long as the longest thread, so times add up quickly. */
static void clocks_of_32_bits_with_many_wraps(void **state)
{
    (void)state;
    const uint64_t latest = INT64_MAX / NS_PER_US / THREADS;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    size_t first = add_steps(&t, MAIN, THREADS);
    for (unsigned thread = MAIN + 1; thread <= THREADS; thread++)
        enter(&t, thread, FOO, 0);
    make_index(&index, &t);
    expect_number("last", thread_of(&index, MAIN)->last[TV_CLOCK_WALL], latest);
    expect_number("open call", thread_of(&index, THREADS)->root_total[TV_CLOCK_WALL], latest);
    expect_finding(&index, TV_FINDING_CLOCK_TOO_FAR, 1,
                   first + (latest / STEP_US + 1) * RECORD_LEN);
    expect_sums(&index);
    tv_index_release(&index);
}

/* A thread that would begin where the one before ended, and so would end too late. */
static void wraps_before_a_thread(void **state)
{
    (void)state;
    const uint64_t latest = INT64_MAX / NS_PER_US / THREADS;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3,
                                       .clock = "wall",
                                       .options = "elapsed-time-usec=9000000000000\n"});
    (void)add_steps(&t, MAIN, THREADS * 3 / 4);
    size_t first = add_steps(&t, WORKER, THREADS / 4);
    for (unsigned thread = WORKER + 1; thread <= THREADS; thread++)
        enter(&t, thread, FOO, 0);
    make_index(&index, &t);
    const struct tv_index_thread *worker = thread_of(&index, WORKER);
    assert_true(worker->first[TV_CLOCK_WALL] > latest / 2);
    assert_true(worker->last[TV_CLOCK_WALL] > latest - UINT32_MAX);
    assert_true(worker->last[TV_CLOCK_WALL] <= latest);
    expect_finding(&index, TV_FINDING_CLOCK_TOO_FAR, 1, first);
    expect_sums(&index);
    tv_index_release(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_of_64_bits_that_span_all),
        cmocka_unit_test(times_that_add_up_stay),
        cmocka_unit_test(clocks_of_32_bits_with_many_wraps),
        cmocka_unit_test(wraps_before_a_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
