/* Each allocation fails once: an error like another, nothing lost, nothing half built. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "index/made.h"

#include "support/failing_alloc.h"
#include "support/random_trace.h"

/* Builds with each allocation failing in turn, until one build needs no more. */
static void expect_every_failure_is_told(const struct tv_buffer *bytes,
                                         const struct tv_build_opts *opts)
{
    for (uint64_t n = 0;; n++) {
        struct failing_alloc failing;
        struct tv_index index;
        struct tv_error err = {.code = TV_OK};
        failing_alloc_init(&failing, n);
        enum tv_code code = build_index(&index, bytes, NULL, opts, &failing.alloc, &err);
        if (code != (failing.has_failed ? TV_ERR_MEMORY : TV_OK) || err.code != code)
            fail_msg("request %llu of way %d, chunks of %llu: %s, %s", (unsigned long long)n,
                     opts->way, (unsigned long long)opts->chunk_records, tv_code_name(code),
                     tv_code_name(err.code));
        if (code != TV_OK)
            assert_null(index.block);
        tv_index_release(&index);
        expect_number("live", failing.live, 0);
        expect_number("lies about lengths", failing.was_lied_to, 0);
        if (!failing.has_failed)
            return;
    }
}

static void expect_both_ways(struct trace_builder *t)
{
    const struct tv_build_opts ways[] = {
        {.way = TV_BUILD_SERIAL},
        {.way = TV_BUILD_BEST},
        {.way = TV_BUILD_BEST, .chunk_records = (t->bytes.len - t->header_off) / 14 / 3 + 1},
    };
    for (size_t i = 0; i < TV_COUNT_OF(ways); i++)
        expect_every_failure_is_told(&t->bytes, &ways[i]);
    build_release(t);
}

static void small_trace(void **state)
{
    (void)state;
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    leave(&t, MAIN, BAZ, 9);
    enter(&t, MAIN, FOO, 10);
    enter(&t, MAIN, BAR, 11);
    leave(&t, MAIN, BAR, 15);
    enter(&t, 7, 0x100, 16);
    enter(&t, WORKER, BAR, 17);
    leave(&t, WORKER, BAR, 18);
    expect_both_ways(&t);
}

static void random_trace_of_whole_calls(void **state)
{
    (void)state;
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    build_random(&t, (struct random_opts){
                         .seed = 1, .records = 130, .methods = 40, .threads = 2, .depth_most = 3});
    expect_both_ways(&t);
}

static void random_trace_of_all_that_is_odd(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct trace_builder t;
        build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
        build_random(&t, (struct random_opts){.seed = seed,
                                              .records = 200,
                                              .threads = 3,
                                              .methods = 25,
                                              .lost_enter = 30,
                                              .lost_exit = 30,
                                              .wrong_exit = 30,
                                              .reserved = 10,
                                              .zero = 5,
                                              .empty = 5,
                                              .fall = 5,
                                              .wrap = 20});
        expect_both_ways(&t);
    }
}

static void many_calls_from_before_the_trace(void **state)
{
    (void)state;
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < 40; i++)
        leave(&t, MAIN, FOO + 4 * (i % 3), i);
    expect_both_ways(&t);
}

static void call_that_is_widened_at_the_end(void **state)
{
    (void)state;
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 10);
    enter(&t, MAIN, BAR, 10);
    enter(&t, WORKER, BAR, 0x80000000u);
    leave(&t, WORKER, BAR, 0xf0000000u);
    enter(&t, WORKER, BAR, 50);
    expect_both_ways(&t);
}

/* Open methods are counted from the first mismatch on; eight of them fill the first table. */
static void calls_that_close_while_open_methods_are_counted(void **state)
{
    (void)state;
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < 8; i++)
        enter(&t, MAIN, FOO + 4 * i, 10 + i);
    leave(&t, MAIN, 0x100, 30);
    for (uint32_t i = 8; i--;)
        leave(&t, MAIN, FOO + 4 * i, 50 - i);
    expect_both_ways(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_trace),
        cmocka_unit_test(random_trace_of_whole_calls),
        cmocka_unit_test(random_trace_of_all_that_is_odd),
        cmocka_unit_test(many_calls_from_before_the_trace),
        cmocka_unit_test(call_that_is_widened_at_the_end),
        cmocka_unit_test(calls_that_close_while_open_methods_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
