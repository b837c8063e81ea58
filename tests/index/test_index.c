/* Building an index, and looking things up in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "index/made.h"

#include "index/model.h"
#include "support/failing_alloc.h"
#include "support/random_trace.h"

static void look_ups_agree_with_walking(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct trace_builder t;
        struct tv_index index;
        build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
        build_random(&t, (struct random_opts){.seed = seed,
                                              .records = 400,
                                              .methods = 3,
                                              .depth_most = 1 + (unsigned)seed % 7,
                                              .lost_enter = seed % 2 ? 5 : 0});
        make_index(&index, &t);
        expect_lookups(&index, seed);
        tv_index_release(&index);
    }
}

static bool count_progress(void *ctx, uint64_t done, uint64_t of)
{
    uint64_t *calls = ctx;
    assert_true(done <= of);
    return ++*calls < 3;
}

static void expect_cancelled(enum tv_build_way way)
{
    struct trace_builder t;
    struct tv_index index;
    struct tv_error err;
    struct failing_alloc failing;
    uint64_t calls = 0;
    failing_alloc_init(&failing, NEVER_FAIL);
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < 2000; i++)
        enter(&t, MAIN, FOO, i);
    const struct tv_build_opts opts = {
        .way = way, .chunk_records = 100, .progress = count_progress, .progress_ctx = &calls};
    const struct tv_read_opts read_opts = {.batch_len = 3};
    assert_int_equal(build_index(&index, &t.bytes, &read_opts, &opts, &failing.alloc, &err),
                     TV_ERR_CANCELLED);
    assert_int_equal(err.code, TV_ERR_CANCELLED);
    expect_number("calls of progress", calls, 3);
    assert_null(index.block);
    tv_index_release(&index);
    expect_number("live", failing.live, 0);
    build_release(&t);
}

static void build_that_is_cancelled_leaves_nothing(void **state)
{
    (void)state;
    expect_cancelled(TV_BUILD_SERIAL);
    expect_cancelled(TV_BUILD_BEST);
}

static void unfit_file_is_an_error_and_leaves_nothing(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    struct tv_error err;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    t.bytes.len = 5;
    assert_true(build_index(&index, &t.bytes, NULL, NULL, tv_alloc_libc(), &err) != TV_OK);
    assert_null(index.block);
    tv_index_release(&index);
    build_release(&t);
}

static void options_may_be_left_out(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 1);
    assert_int_equal(build_index(&index, &t.bytes, NULL, NULL, tv_alloc_libc(), NULL), TV_OK);
    expect_number("calls", index.call_count, 1);
    build_release(&t);
    tv_index_release(&index);
}

static void properties_are_found_by_their_key(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    make_index(&index, &t);
    assert_true(tv_str_equal(tv_index_property_of(&index, TV_STR("clock")), TV_STR("dual")));
    assert_null(tv_index_property_of(&index, TV_STR("cloc")).at);
    assert_null(tv_index_property_of(&index, TV_STR("")).at);
    tv_index_release(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(look_ups_agree_with_walking),
        cmocka_unit_test(build_that_is_cancelled_leaves_nothing),
        cmocka_unit_test(unfit_file_is_an_error_and_leaves_nothing),
        cmocka_unit_test(options_may_be_left_out),
        cmocka_unit_test(properties_are_found_by_their_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
