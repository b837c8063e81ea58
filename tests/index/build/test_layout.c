/* Where threads go, how wide their times are, and which multiple of 2^32 they begin in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "index/made.h"

#include "index/block.h"

#define WRAP ((uint64_t)1 << 32)

static void begin(struct trace_builder *t, const char *options)
{
    build_text(t, (struct build_opts){.version = 3, .clock = "dual", .options = options});
}

static void threads_stand_in_the_order_of_the_list_then_of_records(void **state)
{
    (void)state;
    static const uint32_t expected[] = {3, 1, 9, 7};
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual", .threads = "3\tc\n1\ta\n"});
    enter(&t, 9, FOO, 10);
    size_t first = t.last_off;
    enter(&t, 1, FOO, 11);
    enter(&t, 7, FOO, 12);
    make_index(&index, &t);
    expect_number("threads", index.thread_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        expect_number("id", index.threads[i].id, expected[i]);
        expect_number("place", tv_index_thread_of_id(&index, expected[i]), i);
        expect_number("is listed", index.threads[i].is_listed, i < 2);
        expect_number("length of name", tv_index_thread_name(&index, i).len, i < 2);
    }
    expect_finding(&index, TV_FINDING_UNKNOWN_THREAD, 2, first);
    expect_number("no thread", tv_index_thread_of_id(&index, 2), TV_NONE);
    tv_index_release(&index);
}

/* 70001 and 135538 end in 4465 and 4466; 65536 * 3 + 9 and 65536 * 4 + 9 both in 9, 65536 + 7 in
 * that of a listed thread, and 131072 in 0. */
static void records_with_the_low_bits_of_one_id_are_of_that_thread(void **state)
{
    (void)state;
    static const uint16_t records[] = {4466, 4465, 9, 7, 0};
    for (unsigned way = 0; way < 2; way++) {
        struct trace_builder t;
        struct tv_index index;
        build_text(&t, (struct build_opts){.version = 3,
                                           .clock = "dual",
                                           .threads = "70001\tmain\n135538\tb\n7\tc\n65543\td\n"
                                                      "196617\te\n262153\tf\n131072\tg\n"});
        enter(&t, records[0], FOO, 10);
        const size_t first = t.last_off;
        for (uint32_t i = 1; i < 5; i++)
            enter(&t, records[i], FOO, 10 + i);
        if (way)
            leave(&t, 9, BAR, 20); /* not for the chunked builder */
        make_index(&index, &t);
        expect_number("threads", index.thread_count, 9);
        expect_number("of main", thread_of(&index, 70001)->records, 1);
        expect_number("of b", thread_of(&index, 135538)->records, 1);
        expect_number("of c", thread_of(&index, 7)->records, 1);
        expect_number("is 9 listed", thread_of(&index, 9)->is_listed, 0);
        expect_number("is 0 listed", thread_of(&index, 0)->is_listed, 0);
        expect_number("without records",
                      thread_of(&index, 65543)->records + thread_of(&index, 196617)->records +
                          thread_of(&index, 262153)->records + thread_of(&index, 131072)->records,
                      0);
        expect_finding(&index, TV_FINDING_CUT_THREAD_ID, 2, first);
        tv_index_release(&index);
    }
}

static void thread_of_version_1_has_one_byte_in_records(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 1, .threads = "300\tmain\n2\tb\n"});
    enter(&t, 44, FOO, 10);
    leave(&t, 44, FOO, 12);
    make_index(&index, &t);
    expect_number("threads", index.thread_count, 2);
    expect_number("of main", thread_of(&index, 300)->calls, 1);
    tv_index_release(&index);
}

static void thread_without_records_has_zeros(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t, NULL);
    enter(&t, WORKER, FOO, 10);
    leave(&t, WORKER, FOO, 12);
    make_index(&index, &t);
    const struct tv_index_thread *thread = thread_of(&index, MAIN);
    expect_number("records, calls, rows, nodes, segment groups",
                  thread->records + thread->calls + thread->max_depth + thread->node_count +
                      thread->group_count + thread->group_level_count,
                  0);
    expect_number("times", thread->first[0] + thread->last[0] + thread->root_total[0], 0);
    tv_index_release(&index);
}

static void span_of_32_bits_stays_narrow(void **state)
{
    (void)state;
    for (uint32_t more = 0; more < 2; more++) {
        struct trace_builder t;
        struct tv_index index;
        begin(&t, NULL);
        enter(&t, MAIN, FOO, 10);
        enter(&t, MAIN, BAR, 0xf0000000u);
        leave(&t, MAIN, BAR, 0xf0000005u);
        leave(&t, MAIN, FOO, 9 + more); /* 2^32 - 1, and one more */
        make_index(&index, &t);
        expect_number("is wide", thread_of(&index, MAIN)->is_wide, more);
        expect_number("sums are wide", index.has_wide_sums, more);
        expect_calls(&index, MAIN, TV_CLOCK_CPU,
                     more ? "foo 10+4294967296 | bar 4026531840+5"
                          : "foo 10+4294967295 | bar 4026531840+5");
        tv_index_release(&index);
    }
}

static void thread_is_widened_half_way(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t, NULL);
    leave(&t, MAIN, BAZ, 10);
    for (uint32_t i = 0; i < 50; i++) {
        enter(&t, MAIN, FOO, i * 0x20000000u + 20);
        enter(&t, MAIN, BAR, i * 0x20000000u + 21);
        leave(&t, MAIN, BAR, i * 0x20000000u + 23);
        leave(&t, MAIN, FOO, i * 0x20000000u + 24);
    }
    make_index(&index, &t);
    const struct tv_index_thread *thread = thread_of(&index, MAIN);
    expect_number("is wide", thread->is_wide, 1);
    for (uint64_t i = 0; i < 50; i++) {
        uint64_t foo = index.rows[thread->row_first].call_first + 1 + i;
        uint64_t bar = index.rows[thread->row_first + 1].call_first + i;
        expect_number("start", tv_index_start(&index, thread, TV_CLOCK_WALL, foo),
                      i * 0x20000000u + 20);
        expect_number("start", tv_index_start(&index, thread, TV_CLOCK_CPU, bar),
                      i * 0x20000000u + 21);
        expect_number("duration", tv_index_duration(&index, thread, TV_CLOCK_WALL, foo), 4);
        expect_number("duration", tv_index_duration(&index, thread, TV_CLOCK_CPU, bar), 2);
    }
    tv_index_release(&index);
}

/* MAIN was last seen after all records; WORKER is not said to have been, and lasts as long as that.
 * A thread without open calls ends with its last record, whatever is said of it. */
static void an_open_call_lasts_until_its_thread_was_last_seen(void **state)
{
    (void)state;
    static const char *const options[] = {"last-seen-nsec=1:2000000:1500000\n",
                                          "last-seen-nsec=1:2000000:1500000;2:80000:0\n"};
    for (size_t i = 0; i < 2; i++) {
        struct trace_builder t;
        struct tv_index index;
        build_text(&t, (struct build_opts){.version = 3, .clock = "dual", .options = options[i]});
        enter(&t, MAIN, FOO, 10);
        enter(&t, MAIN, BAR, 11);
        enter(&t, WORKER, BAZ, 20);
        enter(&t, WORKER, BAR, 60);
        leave(&t, WORKER, BAR, 70);
        make_index(&index, &t);
        const struct tv_index_thread *thread = thread_of(&index, MAIN);
        expect_number("wall", tv_index_duration(&index, thread, TV_CLOCK_WALL, thread->call_first),
                      1990);
        expect_number("CPU", tv_index_duration(&index, thread, TV_CLOCK_CPU, thread->call_first),
                      1490);
        expect_number("inner CPU", tv_index_duration(&index, thread, TV_CLOCK_CPU, 1), 1489);
        expect_number("last", thread->last[TV_CLOCK_CPU], 1500);
        expect_number("open", thread->open_depth, 2);
        thread = thread_of(&index, WORKER);
        expect_number("worker",
                      tv_index_duration(&index, thread, TV_CLOCK_WALL, thread->call_first),
                      i == 1 ? 60 : 1980);
        expect_number("worker's CPU",
                      tv_index_duration(&index, thread, TV_CLOCK_CPU, thread->call_first), 50);
        tv_index_release(&index);
    }
}

/* How long MAIN's FOO takes on a clock; its last record is at 11 us on both, WORKER's at 70. */
static uint64_t open_for(struct build_opts opts, enum tv_clock clock)
{
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, opts);
    enter(&t, MAIN, FOO, 10);
    enter(&t, MAIN, BAR, 11);
    enter(&t, WORKER, BAZ, 70);
    make_index(&index, &t);
    const struct tv_index_thread *thread = thread_of(&index, MAIN);
    const uint64_t time = tv_index_duration(&index, thread, clock, thread->call_first);
    tv_index_release(&index);
    return time;
}

static void cpu_time_until_last_seen_needs_no_wall_clock(void **state)
{
    (void)state;
    struct build_opts opts = {
        .version = 2, .clock = "thread-cpu", .options = "last-seen-nsec=1:2000000:1500000\n"};
    expect_number("version 2", open_for(opts, TV_CLOCK_CPU), 1490);
    opts.version = 1;
    expect_number("version 1", open_for(opts, TV_CLOCK_CPU), 1);
}

/* A wall time below a unit of the trace is not known: the call lasts as long as the trace. So it
 * does where the property says what cannot be, and then all that it says of the thread is left out.
 */
static void last_seen_is_believed_as_far_as_it_can_be(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        uint64_t wall, cpu;
    } cases[] = {
        {"last-seen-nsec=1:0:1500000\n", 60, 1490},
        {"last-seen-nsec=1:999:1500000\n", 60, 1490},
        {"last-seen-nsec=1:2000000:0\n", 1990, 1},
        {"last-seen-nsec=1:2000000:999\n", 1990, 1},
        {"last-seen-nsec=1:2000999:1500999\n", 1990, 1490},
        {"last-seen-nsec=1:2000000:1500000;2:x\n", 60, 1},
        {"cut-threads=1:0:2000000:1500000:1500000\n", 1990, 1490},
        {"cut-threads=1:0:2000000:1500000:1500000;x\n", 60, 1},
        {"last-seen-nsec=1:18446744073709551615:18446744073709551615\n", 60, 1},
        {"last-seen-nsec=1:9223372036854775807:1500000\n", 60, 1},
        {"elapsed-time-usec=2000\nlast-seen-nsec=1:60002000000:1500000\n", 60001990, 1490},
        {"elapsed-time-usec=2000\nlast-seen-nsec=1:60002001000:1500000\n", 60, 1},
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        const struct build_opts opts = {.version = 3, .clock = "dual", .options = cases[i].options};
        expect_number("wall", open_for(opts, TV_CLOCK_WALL), cases[i].wall);
        expect_number("CPU", open_for(opts, TV_CLOCK_CPU), cases[i].cpu);
    }
}

/* MAIN's own records fit 32 bits; what WORKER does meanwhile does not. */
static void call_open_at_the_end_may_need_widening(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t, NULL);
    enter(&t, MAIN, BAZ, 5);
    leave(&t, MAIN, BAZ, 7);
    enter(&t, MAIN, FOO, 10);
    enter(&t, WORKER, BAR, 0x80000000u);
    leave(&t, WORKER, BAR, 0xf0000000u);
    enter(&t, WORKER, BAR, 50);
    leave(&t, WORKER, BAR, 60);
    make_index(&index, &t);
    expect_number("is wide", thread_of(&index, MAIN)->is_wide, 1);
    expect_number("is wide", thread_of(&index, WORKER)->is_wide, 0);
    expect_number("sums are wide", index.has_wide_sums, 1);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "baz 5+2, foo 10+4294967346");
    expect_calls(&index, MAIN, TV_CLOCK_CPU, "baz 5+2, foo 10+0");
    expect_nodes(&index, MAIN, TV_CLOCK_WALL, "baz x1 2-2, foo x1 4294967346-4294967346");
    tv_index_release(&index);
}

/* MAIN runs to `before` past a wrap, then WORKER begins at `first`. */
static uint64_t place_of_worker(const char *options, uint32_t before, uint32_t first)
{
    struct trace_builder t;
    struct tv_index index;
    begin(&t, options);
    enter(&t, MAIN, FOO, 0x90000000u);
    build_record(&t, (struct build_record){MAIN, FOO, LEAVE, 0x90000000u, before});
    build_record(&t, (struct build_record){WORKER, BAR, ENTER, 7, first});
    build_record(&t, (struct build_record){WORKER, BAR, LEAVE, 9, first + 5});
    make_index(&index, &t);
    const struct tv_index_thread *thread = thread_of(&index, WORKER);
    uint64_t place = thread->first[TV_CLOCK_WALL];
    expect_number("start", tv_index_start(&index, thread, TV_CLOCK_WALL, thread->call_first),
                  place);
    expect_number("cpu", tv_index_start(&index, thread, TV_CLOCK_CPU, thread->call_first), 7);
    expect_number("last", thread->last[TV_CLOCK_WALL], place + 5);
    tv_index_release(&index);
    return place;
}

static void late_thread_begins_in_the_nearest_multiple(void **state)
{
    (void)state;
    static const char elapsed[] = "elapsed-time-usec=99999999999\n";
    expect_number("near after", place_of_worker(elapsed, 0x100, 0x120), WRAP + 0x120);
    expect_number("near before", place_of_worker(elapsed, 0x100, 0xf0), WRAP + 0xf0);
    expect_number("before the wrap", place_of_worker(elapsed, 0x100, 0xffffff00u), 0xffffff00u);
    expect_number("tie", place_of_worker(elapsed, 0x100, 0x80000100u), 0x80000100u);
    expect_number("one past the tie", place_of_worker(elapsed, 0x101, 0x80000100u),
                  WRAP + 0x80000100u);
}

static void late_thread_stays_within_the_elapsed_time(void **state)
{
    (void)state;
    expect_number("fits", place_of_worker("elapsed-time-usec=4294967589\n", 0x100, 0x120),
                  WRAP + 0x120); /* 2^32 + 0x125 */
    expect_number("does not", place_of_worker("elapsed-time-usec=4294967588\n", 0x100, 0x120),
                  0x120);
    expect_number("nothing does", place_of_worker("elapsed-time-usec=1\n", 0x100, 0x120), 0x120);
    expect_number("unknown", place_of_worker(NULL, 0x100, 0x120), 0x120);
}

static void groups_of_a_late_thread_move_with_it(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t, "elapsed-time-usec=99999999999\n");
    enter(&t, MAIN, FOO, 0x90000000u);
    leave(&t, MAIN, FOO, 0x100);
    enter(&t, WORKER, BAR, 0x120);
    leave(&t, WORKER, BAR, 0x130);
    make_index(&index, &t);
    const struct tv_index_segment_group *group =
        &index.segment_groups[thread_of(&index, WORKER)->group_first];
    expect_number("start", group->start, WRAP + 0x120);
    expect_number("longest", group->longest_start, WRAP + 0x120);
    expect_number("length", group->longest_len, 0x10);
    tv_index_release(&index);
}

/* Version 1 starts every thread at 0. */
static void threads_of_version_1_stand_as_they_are(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 1,
                                       .clock = "wall",
                                       .options = "elapsed-time-usec=99999999999\n"});
    enter(&t, MAIN, FOO, 0x90000000u);
    leave(&t, MAIN, FOO, 0x100);
    enter(&t, WORKER, BAR, 0x120);
    leave(&t, WORKER, BAR, 0x130);
    make_index(&index, &t);
    expect_calls(&index, WORKER, TV_CLOCK_WALL, "bar 288+16");
    tv_index_release(&index);
}

static void trace_lacks_columns_of_a_clock_that_it_lacks(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 2, .clock = "wall"});
    enter(&t, MAIN, FOO, 10);
    leave(&t, MAIN, FOO, 30);
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "foo 10+20");
    expect_number("cpu of all", index.info->total[TV_CLOCK_CPU], 0);
    expect_number("cpu of a node", tv_index_node_inclusive(&index, TV_CLOCK_CPU, 0), 0);
    expect_number("axis", tv_index_axis(&index), TV_CLOCK_WALL);
    expect_number("default", tv_index_default_clock(&index), TV_CLOCK_WALL);
    tv_index_release(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_stand_in_the_order_of_the_list_then_of_records),
        cmocka_unit_test(records_with_the_low_bits_of_one_id_are_of_that_thread),
        cmocka_unit_test(thread_of_version_1_has_one_byte_in_records),
        cmocka_unit_test(thread_without_records_has_zeros),
        cmocka_unit_test(span_of_32_bits_stays_narrow),
        cmocka_unit_test(thread_is_widened_half_way),
        cmocka_unit_test(an_open_call_lasts_until_its_thread_was_last_seen),
        cmocka_unit_test(cpu_time_until_last_seen_needs_no_wall_clock),
        cmocka_unit_test(last_seen_is_believed_as_far_as_it_can_be),
        cmocka_unit_test(call_open_at_the_end_may_need_widening),
        cmocka_unit_test(late_thread_begins_in_the_nearest_multiple),
        cmocka_unit_test(late_thread_stays_within_the_elapsed_time),
        cmocka_unit_test(groups_of_a_late_thread_move_with_it),
        cmocka_unit_test(threads_of_version_1_stand_as_they_are),
        cmocka_unit_test(trace_lacks_columns_of_a_clock_that_it_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
