/* Bounds of memory. And each allocation fails once: an error like another, nothing lost, nothing
 * half built. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "index/made.h"
#include "index/memory.h"

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

/* The records are read once more, to tell whether the trace was sampled. */
static void wall_times_of_another_unit(void **state)
{
    (void)state;
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    build_record(&t, (struct build_record){MAIN, FOO, ENTER, 0, 10});
    build_record(&t, (struct build_record){WORKER, FOO, ENTER, 0, 10});
    build_record(&t, (struct build_record){MAIN, FOO, LEAVE, 30000, 40});
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

static const uint64_t mib = (uint64_t)1 << 20;

/* Five kilobytes of packets become an index of 3 GiB, and 15 MB of them, not packed, one of 1.2
 * GiB. That a build keeps to the bound is tried by tests/cli/bombs.py. */
static void an_index_is_bounded_by_what_its_file_was_made_of(void **state)
{
    (void)state;
    const struct {
        struct tv_made_of of;
        uint64_t most_mib;
        bool is_liftable;
    } cases[] = {
        {{.len = 10 * mib}, 11 * 64, false},
        {{.len = 15 * mib}, 1024 - 256, true},
        {{.len = 32 * mib}, 1024 - 256, true},
        {{.len = 15 * mib, .is_trusted = true}, 16 * 64, false},
        {{.len = 56 * mib}, 56 * 32 - 256, true},
        {{.len = 4096 * mib}, (uint64_t)4096 * 32 - 256, true},
        {{.len = UINT64_MAX, .is_trusted = true}, SIZE_MAX / mib, false},
        {{.len = mib, .packed_len = 5000}, 2 * 64, false},
        {{.len = 56 * mib, .packed_len = 5000}, 1024 - 256, true},
        {{.len = 56 * mib, .packed_len = 5000, .is_trusted = true}, 57 * 64, false},
        {{.len = 1000 * mib, .packed_len = 20 * mib}, 2000 - 256, true},
        {{.len = 40 * mib, .packed_len = 30 * mib}, 40 * 32 - 256, true},
        {{.len = 56 * mib, .packed_len = UINT64_MAX}, 56 * 32 - 256, true},
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        expect_number("most", tv_memory_of_index(&cases[i].of) / mib, cases[i].most_mib);
        expect_number("liftable", tv_memory_is_liftable(&cases[i].of), cases[i].is_liftable);
    }
}

static void an_answer_gets_what_the_index_leaves(void **state)
{
    (void)state;
    const struct {
        struct tv_made_of of;
        uint64_t block_mib;
        uint64_t most_mib;
    } cases[] = {
        {{.len = 5 * mib}, 20, 6 * 64},
        {{.len = 56 * mib}, 500, (56 * 32 - 128 - 500) / 2},
        {{.len = 22 * mib}, 508, (1024 - 128 - 508) / 2},
        {{.len = 22 * mib, .is_trusted = true}, 508, 23 * 64},
        {{.len = 56 * mib, .packed_len = 5000}, 500, (1024 - 128 - 500) / 2},
        {{.len = 56 * mib, .packed_len = 5000, .is_trusted = true}, 500, 57 * 64},
        {{.len = 56 * mib, .packed_len = 5000}, 1024 - 256, 128},
        {{.len = 56 * mib, .packed_len = 5000}, 3000, 128},
        {{.len = mib, .packed_len = 5000}, 100, 2 * 64},
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        const struct tv_index index = {.block_len = (size_t)(cases[i].block_mib * mib),
                                       .made_of = cases[i].of};
        expect_number("most", tv_memory_of_answer(&index) / mib, cases[i].most_mib);
    }
}

static void expect_told(struct tv_made_of of, const char *expected)
{
    const struct tv_index index = {.made_of = of};
    struct tv_error err = {.code = TV_OK};
    struct tv_limit limit;
    char *block = NULL;
    tv_limit_init(&limit, tv_alloc_libc(), 5);
    enum tv_code code = tv_alloc_new(&limit.alloc, &block, 6, 1, &err);
    code = tv_memory_tell(&limit, code, &index, "too much: ask for less", &err);
    assert_int_equal(code, TV_ERR_LIMIT);
    assert_string_equal(err.text, expected);
}

static void what_lifts_the_bound_is_named(void **state)
{
    (void)state;
    expect_told((struct tv_made_of){.len = mib}, "too much: ask for less");
    expect_told((struct tv_made_of){.len = 56 * mib},
                "too much: ask for less, or give the command --unpack-all if you trust the file");
    expect_told((struct tv_made_of){.len = 56 * mib, .packed_len = 5000, .is_trusted = true},
                "too much: ask for less");
    expect_told((struct tv_made_of){.len = 56 * mib, .packed_len = 5000},
                "too much: ask for less, or give the command --unpack-all if you trust the file");
}

/* Without it, answers from a saved index would be bounded as those of a file that was not packed.
 */
static void an_index_knows_how_long_its_file_was_when_packed(void **state)
{
    (void)state;
    const struct tv_read_opts opts = {.packed_len = 77, .is_trusted = true};
    struct trace_builder t;
    struct tv_index index;
    struct tv_error err = {.code = TV_OK};
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 10);
    assert_int_equal(build_index(&index, &t.bytes, &opts, NULL, tv_alloc_libc(), &err), TV_OK);
    expect_number("length", index.made_of.len, t.bytes.len);
    expect_number("packed", index.made_of.packed_len, 77);
    expect_number("saved", index.info->packed_len, 77);
    assert_true(index.made_of.is_trusted);
    tv_index_release(&index);
    build_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_is_bounded_by_what_its_file_was_made_of),
        cmocka_unit_test(an_answer_gets_what_the_index_leaves),
        cmocka_unit_test(what_lifts_the_bound_is_named),
        cmocka_unit_test(an_index_knows_how_long_its_file_was_when_packed),
        cmocka_unit_test(small_trace),
        cmocka_unit_test(random_trace_of_whole_calls),
        cmocka_unit_test(random_trace_of_all_that_is_odd),
        cmocka_unit_test(many_calls_from_before_the_trace),
        cmocka_unit_test(wall_times_of_another_unit),
        cmocka_unit_test(call_that_is_widened_at_the_end),
        cmocka_unit_test(calls_that_close_while_open_methods_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
