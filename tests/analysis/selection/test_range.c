/* Ranges of time on a thread's clocks, and what they are of a row: by hand, at the edges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/selection/range.h"
#include "analysis/world.h"

static struct world w;

static struct tv_thread_range range_of(uint64_t from_ns, uint64_t to_ns)
{
    const struct tv_selection selection = {.has_range = true, .from_ns = from_ns, .to_ns = to_ns};
    return tv_thread_range_of(&w.index, world_thread_ix(&w, MAIN), &selection);
}

/* What a range is of one of MAIN's rows. */
static struct tv_slice slice_of(uint32_t depth, const struct tv_thread_range *range)
{
    uint32_t thread_ix = world_thread_ix(&w, MAIN);
    return tv_slice_of(&w.index, thread_ix, w.index.threads[thread_ix].row_first + depth, range);
}

/* The n-th call of one of MAIN's rows, as an ordinal over the whole trace. */
static uint64_t call_at(uint32_t depth, uint64_t n)
{
    uint32_t thread_ix = world_thread_ix(&w, MAIN);
    return w.index.rows[w.index.threads[thread_ix].row_first + depth].call_first + n;
}

static uint64_t inside_ns(uint64_t call, enum tv_clock clock, const struct tv_thread_range *range)
{
    return tv_call_inside_ns(&w.index, &w.index.threads[world_thread_ix(&w, MAIN)], clock, call,
                             range);
}

/* Load lasts until 40 us; there stand a put call of 3 us of CPU, and the start of get:
 * the thread's CPU time at the edge is that of its first record there, 34 us. */
static void begin_with_records_that_share_a_moment(void)
{
    world_begin(&w);
    world_enter(&w, MAIN, 0, 10, 10);
    world_enter(&w, MAIN, 1, 20, 14);
    world_enter(&w, MAIN, 3, 40, 34);
    world_leave(&w, MAIN, 3, 40, 37);
    world_leave(&w, MAIN, 1, 40, 38);
    world_enter(&w, MAIN, 2, 40, 39);
    world_leave(&w, MAIN, 2, 50, 45);
    world_leave(&w, MAIN, 0, 60, 50);
    world_end(&w);
}

static void first_record_at_an_edge_says_the_other_clock(void **state)
{
    (void)state;
    begin_with_records_that_share_a_moment();
    uint32_t thread_ix = world_thread_ix(&w, MAIN);
    assert_int_equal(tv_thread_time_at(&w.index, thread_ix, TV_CLOCK_CPU, 40000), 34000);
    assert_int_equal(tv_thread_time_at(&w.index, thread_ix, TV_CLOCK_WALL, 40000), 40000);
    /* Between records, rounded down; the last one before 40 us is at 20, the next after it 50. */
    assert_int_equal(tv_thread_time_at(&w.index, thread_ix, TV_CLOCK_CPU, 30000), 24000);
    assert_int_equal(tv_thread_time_at(&w.index, thread_ix, TV_CLOCK_CPU, 39999), 33999);
    assert_int_equal(tv_thread_time_at(&w.index, thread_ix, TV_CLOCK_CPU, 45000), 42000);
    assert_int_equal(tv_thread_time_at(&w.index, thread_ix, TV_CLOCK_CPU, 40001), 39000);
    /* Outside of all records, the nearest one's. */
    assert_int_equal(tv_thread_time_at(&w.index, thread_ix, TV_CLOCK_CPU, 5000), 10000);
    assert_int_equal(tv_thread_time_at(&w.index, thread_ix, TV_CLOCK_CPU, 70000), 50000);
    world_release(&w);
}

/* A call that ends on the range's last edge keeps only the CPU time before the first record there;
 * what it spends at that moment is in the range that begins there. */
static void call_that_ends_on_the_edge_leaves_what_it_spends_there_to_the_next_range(void **state)
{
    (void)state;
    begin_with_records_that_share_a_moment();
    struct tv_thread_range before = range_of(10000, 40000);
    struct tv_thread_range after = range_of(40000, 60000);
    uint64_t load = call_at(1, 0);
    struct tv_slice slice = slice_of(1, &before);
    assert_int_equal(slice.first, load);
    assert_int_equal(slice.end, load + 1);
    assert_true(slice.last_is_cut);
    assert_int_equal(inside_ns(load, TV_CLOCK_WALL, &before), 20000);
    assert_int_equal(inside_ns(load, TV_CLOCK_CPU, &before), 20000);
    slice = slice_of(1, &after);
    assert_int_equal(slice.spanning, load);
    assert_false(slice.spanning_overlaps);
    assert_int_equal(slice.first, load + 1);
    assert_int_equal(slice.end, load + 2);
    assert_false(slice.last_is_cut);
    assert_int_equal(inside_ns(load, TV_CLOCK_WALL, &after), 0);
    assert_int_equal(inside_ns(load, TV_CLOCK_CPU, &after), 4000);
    world_release(&w);
}

static void call_over_an_edge_is_cut_and_one_inside_is_not(void **state)
{
    (void)state;
    begin_with_records_that_share_a_moment();
    struct tv_thread_range range = range_of(15000, 39999);
    struct tv_slice slice = slice_of(0, &range);
    assert_int_equal(slice.spanning, call_at(0, 0));
    assert_true(slice.spanning_overlaps);
    assert_int_equal(slice.first, slice.end);
    slice = slice_of(1, &range);
    assert_int_equal(slice.spanning, UINT64_MAX);
    assert_int_equal(slice.end - slice.first, 1);
    assert_true(slice.last_is_cut);
    range = range_of(15000, 40001);
    slice = slice_of(1, &range);
    assert_int_equal(slice.end - slice.first, 2);
    assert_true(slice.last_is_cut); /* get, which begins at 40 us */
    range = range_of(15000, 50001);
    slice = slice_of(1, &range);
    assert_int_equal(slice.end - slice.first, 2);
    assert_false(slice.last_is_cut);
    range = range_of(40001, 50000);
    slice = slice_of(1, &range);
    assert_int_equal(slice.first, slice.end);
    assert_int_equal(slice.spanning, call_at(1, 1));
    assert_true(slice.spanning_overlaps);
    range = range_of(50001, 55000);
    slice = slice_of(1, &range);
    assert_int_equal(slice.spanning, UINT64_MAX); /* get ended before */
    world_release(&w);
}

static void range_to_the_end_of_the_trace_cuts_nothing(void **state)
{
    (void)state;
    begin_with_records_that_share_a_moment();
    struct tv_thread_range range = range_of(0, 60000);
    assert_int_equal(range.from, 0);
    assert_int_equal(range.to, UINT64_MAX);
    for (uint32_t depth = 0; depth < 3; depth++) {
        struct tv_slice slice = slice_of(depth, &range);
        assert_int_equal(slice.first, call_at(depth, 0));
        assert_int_equal(slice.end - slice.first, depth == 1 ? 2 : 1);
        assert_false(slice.last_is_cut);
    }
    assert_int_equal(inside_ns(call_at(0, 0), TV_CLOCK_CPU, &range), 40000);
    const struct tv_selection all = {.from_ns = 20000, .to_ns = 30000};
    range = tv_thread_range_of(&w.index, world_thread_ix(&w, MAIN), &all);
    assert_int_equal(range.from_ns[TV_CLOCK_CPU], 0); /* has_range is false */
    assert_int_equal(range.to_ns[TV_CLOCK_CPU], UINT64_MAX);
    world_release(&w);
}

/* Records stand at whole microseconds, edges at nanoseconds. */
static void edge_between_units_takes_the_next_one(void **state)
{
    (void)state;
    begin_with_records_that_share_a_moment();
    struct tv_thread_range range = range_of(19001, 40001);
    assert_int_equal(range.from, 20);
    assert_int_equal(range.to, 41);
    range = range_of(19000, 40000);
    assert_int_equal(range.from, 19);
    assert_int_equal(range.to, 40);
    world_release(&w);
}

static void product_wider_than_64_bits_is_divided_exactly(void **state)
{
    static const struct {
        uint64_t a, b, c, want;
    } cases[] = {
        {7, 9, 10, 6},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
        {UINT64_MAX, 3, 4, 13835058055282163711u},
        {UINT64_MAX - 1, UINT64_MAX, UINT64_MAX, UINT64_MAX - 1},
        {(uint64_t)1 << 63, 6, 8, 6917529027641081856u},
        {0x123456789abcdef0u, 0xfedcba9876543210u, 0xfedcba9876543211u, 0x123456789abcdeefu},
        {0xfffffffffffffff1u, 0xfffffffbu, 0xfffffffcu, 18446744069414584300u},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(tv_mul_div(cases[i].a, cases[i].b, cases[i].c), cases[i].want);
        assert_int_equal(tv_mul_div(cases[i].b, cases[i].a, cases[i].c), cases[i].want);
    }
}

/* Of each thread and each range: the wall time of its innermost open call after its last record. */
static void what_is_after_the_last_record_is_that_of_the_open_call(void **state)
{
    (void)state;
    uint64_t most = 0;
    for (uint32_t seed = 0; seed < 40; seed++) {
        uint32_t dice = seed + 1;
        world_any(&w, seed);
        const uint32_t edge = (uint32_t)(tv_axis_len_ns(&w.index) / 1000) + 1;
        for (unsigned part = 0; part < 8; part++) {
            struct tv_selection selection = {.has_range = part > 0};
            uint64_t sum = 0;
            selection.from_ns = UINT64_C(1000) * world_dice(&dice, edge);
            selection.to_ns = selection.from_ns + UINT64_C(1000) * world_dice(&dice, edge);
            for (int i = 0; i < w.call_count; i++) {
                const struct plain_call *call = &w.calls[i];
                const uint64_t own = world_own_unrecorded(&w, i);
                uint64_t from = call->end[0] - own;
                uint64_t to = call->end[0];
                from = part && from < selection.from_ns ? selection.from_ns : from;
                to = part && to > selection.to_ns ? selection.to_ns : to;
                if (!own || to <= from)
                    continue;
                sum += to - from;
                assert_int_equal(tv_thread_unrecorded_ns(
                                     &w.index, world_thread_ix(&w, call->thread), &selection),
                                 to - from);
            }
            assert_int_equal(tv_unrecorded_ns(&w.index, &selection), sum);
            most = sum > most ? sum : most;
        }
        world_release(&w);
    }
    assert_true(most > 0);
}

/* A thread whose CPU time is not known when it was last seen may have worked since its last record,
 * the end of an inner call; one whose CPU time is known did what that says. */
static void what_cpu_time_is_not_known_of_is_not_recorded(void **state)
{
    static const struct {
        const char *seen;
        uint64_t unrecorded_ns;
    } cases[] = {{"last-seen-nsec=1:5000000:0\n", 4970000},
                 {"last-seen-nsec=1:5000000:30000\n", 0},
                 {"last-seen-nsec=1:5000000:2000000\n", 0}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        world_begin(&w);
        build_release(&w.t);
        build_text(&w.t,
                   (struct build_opts){.version = 3, .clock = "dual", .options = cases[i].seen});
        enter(&w.t, MAIN, M(0), 10);
        enter(&w.t, MAIN, M(1), 20);
        leave(&w.t, MAIN, M(1), 30);
        enter(&w.t, WORKER, M(2), 40);
        world_read(&w);
        assert_int_equal(
            tv_thread_unrecorded_ns(&w.index, world_thread_ix(&w, MAIN), &(struct tv_selection){0}),
            cases[i].unrecorded_ns);
        assert_int_equal(tv_axis_len_ns(&w.index), 5000000);
        world_release(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_record_at_an_edge_says_the_other_clock),
        cmocka_unit_test(call_that_ends_on_the_edge_leaves_what_it_spends_there_to_the_next_range),
        cmocka_unit_test(call_over_an_edge_is_cut_and_one_inside_is_not),
        cmocka_unit_test(range_to_the_end_of_the_trace_cuts_nothing),
        cmocka_unit_test(edge_between_units_takes_the_next_one),
        cmocka_unit_test(what_is_after_the_last_record_is_that_of_the_open_call),
        cmocka_unit_test(product_wider_than_64_bits_is_divided_exactly),
        cmocka_unit_test(what_cpu_time_is_not_known_of_is_not_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
