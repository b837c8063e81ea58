/* Packed answers: heads, columns, and what is refused; memory that runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api/pack_window.h"
#include "asking.h"

static void window_packs_rows_and_columns(void **state)
{
    int status;
    (void)state;
    const char *body = ask("window", "width=100&rows=1:0-1,2:f,1:x&extents=0", &status);
    assert_int_equal(status, 200);
    assert_memory_equal(body, "TVW2", 4);
    assert_int_equal(answer_u32(4), 1); /* complete, not coarse, no CPU */
    assert_true(answer_f64(8) == 0 && answer_f64(16) == 100000 && answer_f64(24) == 1000);
    assert_int_equal(answer_u32(32), 4); /* two depths, folded, extents */
    assert_int_equal(answer_u32(36), 5);
    assert_int_equal(answer_u32(40), 0x01010101); /* numbers of one byte */
    /* The second row: depth 1 of main has bar and baz. */
    size_t row = 64 + 16;
    assert_int_equal(answer_u32(row), 1);
    assert_int_equal(answer_u32(row + 4), 1);
    assert_int_equal(answer_u32(row + 8), 1);
    assert_int_equal(answer_u32(row + 12), 2);
    size_t starts = 64 + 4 * 16;
    size_t ends = starts + 24; /* 5 x f32, to a multiple of 8 */
    size_t ranks = ends + 24;
    assert_true(answer_f32(starts + 4) == 10000 && answer_f32(starts + 8) == 50000);
    assert_true(answer_f32(ends) == 100000 && answer_f32(ends + 8) == 90000);
    assert_int_equal(answer_u8(ranks + 1), 2);
    assert_int_equal(answer_u8(ranks + 8), 1);      /* count */
    assert_int_equal(answer_u8(ranks + 16 + 1), 1); /* depth */
    assert_int_equal(answer_u8(ranks + 24 + 2), 1); /* call: baz is the second */
    assert_int_equal(answer_len(), ranks + 5 * 8);
}

static void packed_answers_from_a_part_are_not_complete(void **state)
{
    static const char *const questions[][2] = {
        {"window", "width=100&rows=1:f"}, {"overview", "width=100"}, {"flame", "width=100"}};
    const struct tv_api_part part = {.read_len = 12, .len = 100};
    int status;
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(questions); i++) {
        asked_trace.part = NULL;
        (void)ask(questions[i][0], questions[i][1], &status);
        uint32_t flags = answer_u32(4);
        assert_int_equal(flags & 1, 1);
        asked_trace.part = &part;
        (void)ask(questions[i][0], questions[i][1], &status);
        assert_int_equal(answer_u32(4), flags & ~1u);
    }
    asked_trace.part = NULL;
}

static void window_counts_times_from_its_start(void **state)
{
    (void)state;
    (void)ask("window", "width=100&rows=1:0-1&from=20000&to=60000", NULL);
    assert_int_equal(answer_u32(36), 3);
    size_t starts = 64 + 2 * 16;
    assert_true(answer_f32(starts) == -20000 && answer_f32(starts + 4) == -10000);
    assert_true(answer_f32(starts + 16) == 80000 && answer_f32(starts + 16 + 4) == 20000);
}

static void window_tells_cpu_shares_when_asked(void **state)
{
    (void)state;
    (void)ask("window", "width=100&rows=1:0-0,2:0-0&cpu=1", NULL);
    assert_int_equal(answer_u32(4), 1 | 4);
    size_t cpu = 64 + 2 * 16 + 2 * 8 + 5 * 8;
    assert_int_equal(answer_u8(cpu), 254);
    assert_int_equal(answer_u8(cpu + 1), 0);
    assert_int_equal(answer_len(), cpu + 8);
    (void)ask("overview", "cpu=1", NULL);
    assert_int_equal(answer_u32(4), 1 | 4);
    expect("window", "width=100&rows=1:f&cpu=2", 400, "cpu must be a whole number from 0 to 1");
}

static void window_has_room_for_what_fits_256_kib(void **state)
{
    (void)state;
    assert_int_equal(tv_pack_window_room(1), 10000);
    for (uint32_t row_count = 0; row_count <= 5000; row_count += 100) {
        size_t room = tv_pack_window_room(row_count);
        assert_true(room >= row_count);
        /* Two times, four numbers of four bytes, flags, CPU; each column to a multiple of 8. */
        assert_true(64 + 16 * row_count + room * 26 + 8 * 7 <= (size_t)256 * 1024);
    }
}

static void window_refuses_nonsense(void **state)
{
    (void)state;
    expect("window", "rows=1:f", 400, "parameter \\\"width\\\" is missing");
    expect("window", "width=10", 400, "parameter \\\"rows\\\" is missing");
    expect("window", "width=0&rows=1:f", 400, "width must be a whole number from 1");
    expect("window", "width=10&rows=1", 400, "rows must be THREAD:f");
    expect("window", "width=10&rows=1:g", 400, "rows must be THREAD:f");
    expect("window", "width=10&rows=1:3-2", 400, "rows must be THREAD:f");
    expect("window", "width=10&rows=5:f", 404, "no thread has the id 5");
    expect("window", "width=10&rows=1:x,2:x,1:x&extents=0", 400, "the extents of thread 1 twice");
    expect("window", "width=10&rows=1:x", 400, "parameter \\\"extents\\\" is missing");
    expect("window", "width=10&rows=1:f&from=9&to=8", 400, "from must be below to");
}

static void overview_has_the_busiest_threads(void **state)
{
    int status;
    (void)state;
    (void)ask("overview", "width=50&rows=1", &status);
    assert_int_equal(status, 200);
    assert_int_equal(answer_u32(32), 1);
    assert_int_equal(answer_u32(64), 1); /* main */
    expect("overview", "rows=0", 400, "rows must be a whole number from 1 to 64");
}

static void flame_packs_boxes_by_level(void **state)
{
    int status;
    (void)state;
    const char *body = ask("flame", "width=1000&threads=1&clock=wall", &status);
    assert_int_equal(status, 200);
    assert_memory_equal(body, "TVF1", 4);
    assert_int_equal(answer_u32(4), 1);
    assert_true(answer_f64(8) == 100000 && answer_f64(16) == 100000);
    assert_int_equal(answer_u32(24), 4);
    assert_int_equal(answer_u32(32), 3); /* levels */
    size_t values = 64 + 4 * 8;
    size_t ranks = values + 2 * 4 * 8;
    size_t parents = ranks + 2 * 16;
    assert_true(answer_f64(values + 8) == 40000);     /* baz first: the larger one */
    assert_true(answer_f64(values + 4 * 8) == 30000); /* foo itself */
    assert_int_equal(answer_u32(ranks + 4), 1);
    assert_int_equal(answer_u32(parents), UINT32_MAX);
    assert_int_equal(answer_u32(parents + 12), 2);
    (void)ask("flame", "width=1000&ops=drop:2;focus:0", &status);
    assert_int_equal(status, 200);
    assert_int_equal(answer_u32(24), 2);
}

static void flame_refuses_nonsense(void **state)
{
    (void)state;
    expect("flame", "", 400, "parameter \\\"width\\\" is missing");
    expect("flame", "width=9&ops=paint:3", 400, "ops must be focus:RANK");
    expect("flame", "width=9&ops=focus:x", 400, "ops must be focus:RANK");
    expect("flame", "width=9&ops=focus:77", 404, "no method has the rank 77");
    expect("flame", "width=9&path=0.77", 404, "no method has the rank 77");
}

/* An allocator that fails from the n-th time on, and counts what is held. */
struct meter {
    int left;
    long held;
};

static void *metered(void *ctx, void *block, size_t old_len, size_t new_len)
{
    struct meter *meter = ctx;
    if (new_len && meter->left-- <= 0)
        return NULL;
    meter->held += (new_len != 0) - (block != NULL);
    return tv_alloc_libc()->resize(tv_alloc_libc()->ctx, block, old_len, new_len);
}

static void every_route_survives_every_failed_allocation(void **state)
{
    static const char *const questions[][2] = {
        {"info", ""},
        {"top", "per_call=1&ranks=1&from=20000&threads=1,2&match=/a/&sort=name"},
        {"top", "group=package&from=20000&parts=1"},
        {"methods", "ranks=0,1"},
        {"callers", "method=a.B.foo&from=20000"},
        {"tree", "depth=3&match=foo&hide=x"},
        {"tree", "inverted=1&depth=3"},
        {"calls", "method=0&from=20000&sort=exclusive&min=1"},
        {"call", "method=0&ordinal=1&step=prev"},
        {"search", "q=ba"},
        {"window", "width=30&rows=1:0-9,2:f,1:x&extents=0&cpu=1"},
        {"window", "width=30&rows=1:0-9,2:f&hide=a.B"},
        {"call", "method=0&ordinal=1&step=parent&hide=a.C"},
        {"overview", ""},
        {"flame", "width=30&ops=recursion:0;merge:2"},
        {"flame", "width=30&ops=end:1&inverted=1&intime=1"},
        {"flame", "width=30&inverted=1&hide=a.C"},
        {"flame", "width=30&clock=wait"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
        enum tv_code code = TV_ERR_MEMORY;
        for (int count = 0; code != TV_OK; count++) {
            struct meter meter = {.left = count};
            const struct tv_alloc alloc = {.resize = metered, .ctx = &meter};
            struct tv_api api = asked;
            struct tv_api_response response;
            struct tv_error err;
            api.alloc = &alloc;
            tv_api_response_init(&response, &alloc);
            code = tv_api_get(&api, tv_str_from(questions[i][0]), tv_str_from(questions[i][1]),
                              &response, &err);
            assert_true(code == TV_OK || code == TV_ERR_MEMORY);
            assert_int_equal(response.status, code == TV_OK ? 200 : 500);
            tv_api_response_release(&response);
            assert_int_equal(meter.held, 0);
            assert_true(count < 1000);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(window_packs_rows_and_columns),
        cmocka_unit_test(packed_answers_from_a_part_are_not_complete),
        cmocka_unit_test(window_counts_times_from_its_start),
        cmocka_unit_test(window_tells_cpu_shares_when_asked),
        cmocka_unit_test(window_has_room_for_what_fits_256_kib),
        cmocka_unit_test(window_refuses_nonsense),
        cmocka_unit_test(overview_has_the_busiest_threads),
        cmocka_unit_test(flame_packs_boxes_by_level),
        cmocka_unit_test(flame_refuses_nonsense),
        cmocka_unit_test(every_route_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, asking_begin, asking_end);
}
