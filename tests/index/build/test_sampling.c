/* Which traces look sampled: docs/numbers.md, "Sampled traces". */
#include "index/build/sampling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "index/made.h"

/* `equal` records of MAIN that repeat their time, then others after a gap each. */
static uint32_t is_sampled(unsigned equal, unsigned apart, uint32_t gap, unsigned short_gaps)
{
    struct trace_builder t;
    struct tv_index index;
    uint32_t now = 1000;
    unsigned count = 0;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, now);
    for (unsigned i = 0; i < equal + apart; i++) {
        bool is_short = i >= equal && i < equal + short_gaps; /* 99 us */
        now += i < equal ? 0 : is_short ? 99 : gap;
        build_record(&t, (struct build_record){MAIN, BAR, count++ % 2 ? LEAVE : ENTER, now, now});
    }
    make_index(&index, &t);
    uint32_t found = index.info->is_sampled;
    tv_index_release(&index);
    return found;
}

static void half_of_the_records_must_repeat_their_time(void **state)
{
    (void)state;
    expect_number("half", is_sampled(10, 10, 100, 0), 1);
    expect_number("less", is_sampled(9, 10, 100, 0), 0);
    expect_number("all", is_sampled(10, 0, 100, 0), 0);
    expect_number("one record", is_sampled(0, 0, 100, 0), 0);
}

static void first_percentile_of_the_other_gaps_decides(void **state)
{
    (void)state;
    expect_number("all long", is_sampled(10, 10, 100, 0), 1);
    expect_number("all just short", is_sampled(10, 10, 99, 0), 0);
    expect_number("1 of 100", is_sampled(200, 100, 100, 1), 0);
    expect_number("0 of 100", is_sampled(200, 100, 100, 0), 1);
    expect_number("1 of 101", is_sampled(200, 101, 100, 1), 1);
    expect_number("2 of 200", is_sampled(200, 200, 100, 2), 0);
    expect_number("1 of 200", is_sampled(200, 200, 100, 1), 1);
}

static void unwind_tells_that_nothing_was_sampled(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 1000);
    enter(&t, MAIN, BAR, 1000);
    unwind(&t, MAIN, BAR, 200000);
    make_index(&index, &t);
    expect_number("sampled", index.info->is_sampled, 0);
    tv_index_release(&index);
}

/* A sampler with wall times in ms, whose looks find another method and its callee, and `exact`
 * calls behind them, each of 1 us of CPU time after another. */
static uint32_t is_sampled_in_ms(unsigned looks, unsigned exact)
{
    static const uint32_t stack[2] = {FOO, BAR};
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (unsigned i = 0; i <= looks; i++) {
        for (unsigned k = 0; i && k < 2; k++)
            build_record(&t, (struct build_record){MAIN, stack[1 - k], LEAVE, i * 700, i});
        for (unsigned k = 0; k < 2; k++)
            build_record(&t, (struct build_record){MAIN, stack[k], ENTER, i * 700, i});
    }
    for (unsigned i = 0; i < 2 * exact; i++)
        build_record(&t, (struct build_record){MAIN, BAZ, i % 2 ? LEAVE : ENTER,
                                               looks * 700 + i + 1, looks});
    make_index(&index, &t);
    uint32_t found = index.info->is_sampled;
    expect_finding(&index, TV_FINDING_UNIT_SUSPECT, looks > 28, TV_NO_OFFSET);
    tv_index_release(&index);
    return found;
}

static void wall_times_in_ms_have_the_gaps_of_both_clocks(void **state)
{
    (void)state;
    expect_number("sampled", is_sampled_in_ms(100, 0), 1);
    expect_number("2 of 202 gaps", is_sampled_in_ms(200, 1), 1);
    expect_number("4 of 204", is_sampled_in_ms(200, 2), 0);
    expect_number("exact", is_sampled_in_ms(100, 5000), 0);
    expect_number("not suspect", is_sampled_in_ms(20, 0), 0);
}

static void gaps_are_counted_within_a_thread(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t now = 200000 * (i / 2);
        enter(&t, MAIN, FOO, now);
        enter(&t, WORKER, FOO, now + 10);
    }
    make_index(&index, &t);
    expect_number("sampled", index.info->is_sampled, 1);
    tv_index_release(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_of_the_records_must_repeat_their_time),
        cmocka_unit_test(first_percentile_of_the_other_gaps_decides),
        cmocka_unit_test(unwind_tells_that_nothing_was_sampled),
        cmocka_unit_test(wall_times_in_ms_have_the_gaps_of_both_clocks),
        cmocka_unit_test(gaps_are_counted_within_a_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
