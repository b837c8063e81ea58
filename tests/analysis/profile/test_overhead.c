/* How much of a trace is the tracing itself: by hand, with lies of the file, and where memory runs
 * out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/profile/overhead.h"
#include "analysis/world.h"
#include "support/failing_alloc.h"

#define LEAVES 5000u

/* Methods of the world, by what they do here. */
enum { CALLER, LEAF, WORK };

static struct world w;

/* A caller with `leaves` calls of a leaf, each of `leaf_us`, and one call of other work. */
static void build(const char *options, uint32_t leaves, uint32_t leaf_us)
{
    uint32_t time = 0;
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 3, .clock = "dual", .options = options});
    enter(&w.t, MAIN, M(CALLER), time);
    for (uint32_t i = 0; i < leaves; i++) {
        enter(&w.t, MAIN, M(LEAF), time);
        time += leaf_us;
        leave(&w.t, MAIN, M(LEAF), time);
    }
    enter(&w.t, MAIN, M(WORK), time);
    time += 10000;
    leave(&w.t, MAIN, M(WORK), time);
    leave(&w.t, MAIN, M(CALLER), time);
    world_read(&w);
}

static struct tv_record_cost cost_of(void)
{
    struct tv_record_cost cost;
    assert_int_equal(tv_record_cost_of(&w.index, tv_alloc_libc(), &cost, NULL), TV_OK);
    return cost;
}

static void expect_ns(double found, double expected)
{
    assert_int_equal((int64_t)(found * 1000), (int64_t)(expected * 1000));
}

static void an_enter_and_an_exit_are_two_records(void **state)
{
    (void)state;
    build("clock-call-overhead-nsec=100\nrecord-call-overhead-nsec=1001\n", 3, 1);
    struct tv_record_cost cost = cost_of();
    assert_true(cost.is_known);
    assert_false(cost.is_partial);
    assert_false(cost.has_margin); /* three leaf calls say nothing */
    expect_ns(cost.ns, 500.5);
    expect_ns(cost.least_ns, 500.5);
    expect_ns(cost.most_ns, 500.5);
    /* 5 calls, of which one is a root: 9 records lie within calls. */
    assert_int_equal(tv_overhead_of_all(&cost, &w.index, TV_CLOCK_CPU).ns, 9 * 1001 / 2);
    world_release(&w);
}

static void a_call_and_its_caller_are_told_apart(void **state)
{
    (void)state;
    build("record-call-overhead-nsec=40\nrecord-leaf-overhead-nsec=30\n"
          "record-calling-overhead-nsec=8\n",
          3, 1);
    struct tv_record_cost cost = cost_of();
    expect_ns(cost.leaf_ns, 30);
    expect_ns(cost.calling_ns, 8);
    expect_ns(cost.least_ns, 8);
    expect_ns(cost.most_ns, 30);
    const struct tv_recorded_calls leaves = {.calls = 5}, caller = {.calls = 1, .made = 4};
    assert_int_equal(tv_overhead_of(&cost, leaves, 1000).ns, 150);
    assert_int_equal(tv_overhead_of(&cost, caller, 1000).ns, 62);
    assert_int_equal(tv_overhead_of_all(&cost, &w.index, TV_CLOCK_CPU).ns, 5 * 30 + 4 * 8);
    world_release(&w);
    /* One part alone says nothing. */
    build("record-call-overhead-nsec=40\nrecord-leaf-overhead-nsec=30\n", 3, 1);
    expect_ns(cost_of().leaf_ns, 20);
    expect_ns(cost_of().calling_ns, 20);
    world_release(&w);
}

/* The records of LEAF and WORK in the world of `build`, with 3 leaves, by what of it is hidden. */
static void expect_recorded(const char *hidden, uint32_t levels, struct tv_recorded_calls of_caller,
                            struct tv_recorded_calls of_work)
{
    struct tv_recorded_calls recorded[WORLD_METHODS + 1] = {{0}};
    uint8_t is_hidden[WORLD_METHODS + 1] = {0};
    struct tv_sums sums;
    for (const char *method = hidden; *method; method++)
        is_hidden[world_method_ix(&w, (unsigned)(*method - '0'))] = 1;
    tv_sums_init(&sums, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, &(struct tv_selection){0}, NULL, NULL),
                     TV_OK);
    if (*hidden || levels)
        assert_int_equal(tv_sums_hide(&sums, is_hidden, levels, NULL), TV_OK);
    tv_recorded_calls_add(&sums, recorded);
    const struct tv_recorded_calls *caller = &recorded[world_method_ix(&w, CALLER)];
    const struct tv_recorded_calls *work = &recorded[world_method_ix(&w, WORK)];
    assert_int_equal(caller->calls, of_caller.calls);
    assert_int_equal(caller->made, of_caller.made);
    assert_int_equal(work->calls, of_work.calls);
    assert_int_equal(work->made, of_work.made);
    tv_sums_release(&sums);
}

/* Methods 0, 1 and 2 are CALLER, LEAF and WORK. */
static void recording_of_hidden_calls_is_in_their_callers_time(void **state)
{
    (void)state;
    build("record-call-overhead-nsec=40\n", 3, 1);
    expect_recorded("", 0, (struct tv_recorded_calls){1, 4}, (struct tv_recorded_calls){1, 0});
    expect_recorded("1", 0, (struct tv_recorded_calls){4, 4}, (struct tv_recorded_calls){1, 0});
    expect_recorded("", 1, (struct tv_recorded_calls){5, 4}, (struct tv_recorded_calls){0, 0});
    /* Hidden roots have no caller: their time is nobody's. */
    expect_recorded("01", 0, (struct tv_recorded_calls){0, 0}, (struct tv_recorded_calls){1, 0});
    world_release(&w);
}

static void reading_the_clocks_is_a_part_of_a_record(void **state)
{
    (void)state;
    build("clock-call-overhead-nsec=100\n", 3, 1);
    struct tv_record_cost cost = cost_of();
    assert_true(cost.is_known);
    assert_true(cost.is_partial);
    expect_ns(cost.ns, 100);
    world_release(&w);
}

static void the_shortest_leaf_calls_tell_the_margin(void **state)
{
    (void)state;
    build("record-call-overhead-nsec=1000\n", LEAVES, 2);
    struct tv_record_cost cost = cost_of();
    assert_true(cost.has_margin);
    expect_ns(cost.shortest_ns, 2000);
    expect_ns(cost.least_ns, 500 - 25); /* what a processor does beside the program's own */
    expect_ns(cost.ns, 500);
    expect_ns(cost.most_ns, 2000 * 1.25); /* where caches are not as at the start */
    world_release(&w);
    build("record-call-overhead-nsec=6000\n", LEAVES, 2);
    cost = cost_of();
    expect_ns(cost.least_ns, 2000 - 25); /* a call cannot take less than what recording it takes */
    expect_ns(cost.most_ns, 3000 * 1.25);
    world_release(&w);
    build("record-call-overhead-nsec=40\n", LEAVES, 2);
    expect_ns(cost_of().least_ns, 0);
    world_release(&w);
    build("clock-call-overhead-nsec=500\n", LEAVES, 2);
    cost = cost_of();
    expect_ns(cost.least_ns, 500); /* a part of a record: what all of it takes is not known */
    expect_ns(cost.most_ns, 2000);
    world_release(&w);
}

/* The recorder's own method, between the calls of a leaf. */
static void what_writing_took_is_tracing(void **state)
{
    uint8_t is_most[WORLD_METHODS + 1] = {0};
    (void)state;
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 3,
                                         .clock = "dual",
                                         .options = "record-call-overhead-nsec=1000\n",
                                         .methods = "0x10\tA\twork\t()V\tA.java\n"
                                                    "0x14\ttraceview\twriting\t()V\n"});
    enter(&w.t, MAIN, 0x10, 0);
    enter(&w.t, MAIN, 0x14, 100);
    leave(&w.t, MAIN, 0x14, 400);
    leave(&w.t, MAIN, 0x10, 1000);
    world_read(&w);
    struct tv_record_cost cost = cost_of();
    assert_int_not_equal(cost.writing, TV_NONE);
    assert_int_equal(cost.writing, tv_writing_method(&w.index));
    /* Three records lie within calls, and 300 us are all writing. */
    struct tv_overhead all = tv_overhead_of_all(&cost, &w.index, TV_CLOCK_CPU);
    assert_int_equal(all.ns, 300 * 1000 + 3 * 500);
    assert_int_equal(
        tv_overhead_of_method(&cost, cost.writing, (struct tv_recorded_calls){1, 0}, 300000)
            .least_ns,
        300000);
    assert_int_equal(
        tv_overhead_of_method(&cost, !cost.writing, (struct tv_recorded_calls){2, 0}, 300000).ns,
        1000);
    assert_int_equal(tv_overhead_mark(&w.index, TV_CLOCK_CPU, tv_alloc_libc(), is_most, NULL),
                     TV_OK);
    assert_true(is_most[cost.writing]);
    assert_false(is_most[!cost.writing]);
    world_release(&w);
}

static void what_a_file_cannot_mean_is_not_known(void **state)
{
    static const char *const options[] = {
        "",
        "record-call-overhead-nsec=0\n",
        "record-call-overhead-nsec=x\n",
        "record-call-overhead-nsec=18446744073709551615\n",
        "clock-call-overhead-nsec=18446744073709551615\n",
        "record-call-overhead-nsec=40\ncalls-left-out=7\n",
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(options); i++) {
        build(options[i], 3, 1);
        struct tv_record_cost cost = cost_of();
        assert_false(cost.is_known);
        assert_int_equal(cost.left_out, strstr(options[i], "calls-left-out") ? 7 : 0);
        assert_int_equal(tv_overhead_of(&cost, (struct tv_recorded_calls){1, 1}, UINT64_MAX).ns, 0);
        world_release(&w);
    }
}

static void an_estimate_is_a_part_of_the_time(void **state)
{
    const struct tv_record_cost cost = {.is_known = true,
                                        .has_margin = true,
                                        .writing = TV_NONE,
                                        .ns = 10,
                                        .leaf_ns = 10,
                                        .calling_ns = 10,
                                        .least_ns = 5,
                                        .most_ns = 20};
    (void)state;
    struct tv_overhead overhead = tv_overhead_of(&cost, (struct tv_recorded_calls){2, 4}, 100);
    assert_int_equal(overhead.ns, 60);
    assert_int_equal(overhead.least_ns, 30);
    assert_int_equal(overhead.most_ns, 100);
    assert_true(tv_overhead_is_most(&overhead, 100));
    assert_true(tv_overhead_is_most(&overhead, 120));
    assert_false(tv_overhead_is_most(&overhead, 121));
    overhead = tv_overhead_of(&cost, (struct tv_recorded_calls){UINT64_MAX, UINT64_MAX}, 100);
    assert_int_equal(overhead.ns, 100);
    overhead = tv_overhead_of(&cost, (struct tv_recorded_calls){6, 0}, 0);
    assert_false(tv_overhead_is_most(&overhead, 0)); /* nothing is no part */
}

static void methods_that_are_mostly_tracing_are_marked(void **state)
{
    uint8_t is_most[WORLD_METHODS];
    (void)state;
    build("record-call-overhead-nsec=1000\n", LEAVES, 1);
    assert_int_equal(tv_overhead_mark(&w.index, TV_CLOCK_CPU, tv_alloc_libc(), is_most, NULL),
                     TV_OK);
    assert_true(is_most[world_method_ix(&w, LEAF)]);    /* 0.5 of each us */
    assert_false(is_most[world_method_ix(&w, CALLER)]); /* it took no time itself */
    assert_false(is_most[world_method_ix(&w, WORK)]);
    world_release(&w);
}

static enum tv_code mark(const struct tv_alloc *alloc, void *ctx)
{
    uint8_t is_most[WORLD_METHODS];
    (void)ctx;
    return tv_overhead_mark(&w.index, TV_CLOCK_CPU, alloc, is_most, NULL);
}

static void memory_that_runs_out_is_told(void **state)
{
    (void)state;
    build("record-call-overhead-nsec=1000\n", 3, 1);
    (void)failing_alloc_each(mark, NULL);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_enter_and_an_exit_are_two_records),
        cmocka_unit_test(a_call_and_its_caller_are_told_apart),
        cmocka_unit_test(recording_of_hidden_calls_is_in_their_callers_time),
        cmocka_unit_test(reading_the_clocks_is_a_part_of_a_record),
        cmocka_unit_test(the_shortest_leaf_calls_tell_the_margin),
        cmocka_unit_test(what_writing_took_is_tracing),
        cmocka_unit_test(what_a_file_cannot_mean_is_not_known),
        cmocka_unit_test(an_estimate_is_a_part_of_the_time),
        cmocka_unit_test(methods_that_are_mostly_tracing_are_marked),
        cmocka_unit_test(memory_that_runs_out_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
