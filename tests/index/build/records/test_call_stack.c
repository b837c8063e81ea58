/* Records become calls: each rule of docs/numbers.md, "Calls", worked by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "index/made.h"

/* A dual trace of MAIN and WORKER. */
static void begin(struct trace_builder *t)
{
    build_text(t, (struct build_opts){.version = 3, .clock = "dual"});
}

static void nested_calls_lie_in_their_callers(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, FOO, 10);
    enter(&t, MAIN, BAR, 12);
    leave(&t, MAIN, BAR, 15);
    enter(&t, MAIN, BAR, 20);
    leave(&t, MAIN, BAR, 21);
    leave(&t, MAIN, FOO, 30);
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "foo 10+20 | bar 12+3, bar 20+1");
    expect_calls(&index, MAIN, TV_CLOCK_CPU, "foo 10+20 | bar 12+3, bar 20+1");
    expect_nodes(&index, MAIN, TV_CLOCK_WALL, "foo x1 20-16, foo.bar x2 4-4");
    expect_only(&index, TV_FINDING_KIND_COUNT);
    tv_index_release(&index);
}

static void each_thread_has_its_own_stack(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, FOO, 10);
    enter(&t, WORKER, FOO, 11);
    leave(&t, MAIN, FOO, 12);
    enter(&t, WORKER, BAR, 13);
    enter(&t, MAIN, BAZ, 14);
    leave(&t, WORKER, BAR, 15);
    leave(&t, MAIN, BAZ, 16);
    leave(&t, WORKER, FOO, 17);
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "foo 10+2, baz 14+2");
    expect_calls(&index, WORKER, TV_CLOCK_WALL, "foo 11+6 | bar 13+2");
    expect_only(&index, TV_FINDING_KIND_COUNT);
    tv_index_release(&index);
}

static void unwind_closes_like_an_exit(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, FOO, 10);
    enter(&t, MAIN, BAR, 12);
    unwind(&t, MAIN, BAR, 15);
    unwind(&t, MAIN, FOO, 15);
    unwind(&t, MAIN, BAZ, 20);
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "baz 10+10 | foo 10+5 | bar 12+3");
    expect_finding(&index, TV_FINDING_EXIT_WITHOUT_ENTER, 1, t.last_off);
    expect_only(&index, TV_FINDING_EXIT_WITHOUT_ENTER, TV_FINDING_KIND_COUNT);
    tv_index_release(&index);
}

static void exit_deeper_in_stack_closes_calls_above(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, FOO, 10);
    enter(&t, MAIN, BAR, 12);
    enter(&t, MAIN, BAZ, 13);
    leave(&t, MAIN, FOO, 20);
    size_t first = t.last_off;
    enter(&t, MAIN, FOO, 30);
    enter(&t, MAIN, BAR, 31);
    leave(&t, MAIN, FOO, 32);
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_WALL,
                 "foo 10+10, foo 30+2 | bar 12+8, bar 31+1 | baz 13+7");
    expect_finding(&index, TV_FINDING_EXIT_CLOSED_OTHERS, 2, first); /* exits, not calls */
    expect_only(&index, TV_FINDING_EXIT_CLOSED_OTHERS, TV_FINDING_KIND_COUNT);
    tv_index_release(&index);
}

static void exit_matches_the_innermost_call_of_its_method(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, FOO, 10);
    enter(&t, MAIN, FOO, 12);
    enter(&t, MAIN, BAR, 13);
    leave(&t, MAIN, FOO, 20);
    size_t odd = t.last_off;
    leave(&t, MAIN, FOO, 30);
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "foo 10+20 | foo 12+8 | bar 13+7");
    expect_finding(&index, TV_FINDING_EXIT_CLOSED_OTHERS, 1, odd);
    tv_index_release(&index);
}

static void exit_without_enter_adopts_all_calls_so_far(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, FOO, 10);
    leave(&t, MAIN, FOO, 12);
    enter(&t, MAIN, BAR, 13);
    leave(&t, MAIN, BAR, 15);
    leave(&t, MAIN, BAZ, 20);
    size_t odd = t.last_off;
    enter(&t, MAIN, FOO, 30);
    leave(&t, MAIN, FOO, 31);
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "baz 10+10, foo 30+1 | foo 10+2, bar 13+2");
    expect_nodes(&index, MAIN, TV_CLOCK_WALL,
                 "baz x1 10-6, baz.foo x1 2-2, baz.bar x1 2-2, foo x1 1-1");
    expect_number("began before", thread_of(&index, MAIN)->adopted_depth, 1);
    expect_finding(&index, TV_FINDING_EXIT_WITHOUT_ENTER, 1, odd);
    expect_only(&index, TV_FINDING_EXIT_WITHOUT_ENTER, TV_FINDING_KIND_COUNT);
    tv_index_release(&index);
}

static void adopting_calls_nest(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    leave(&t, MAIN, FOO, 10);
    size_t first = t.last_off;
    enter(&t, MAIN, BAZ, 11);
    leave(&t, MAIN, BAZ, 12);
    leave(&t, MAIN, FOO, 15);
    leave(&t, MAIN, BAR, 20);
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "bar 10+10 | foo 10+5 | foo 10+0, baz 11+1");
    expect_nodes(&index, MAIN, TV_CLOCK_WALL,
                 "bar x1 10-5, bar.foo x1 5-4, bar.foo.foo* x1 0-0, bar.foo.baz x1 1-1");
    expect_number("began before", thread_of(&index, MAIN)->adopted_depth, 3);
    expect_finding(&index, TV_FINDING_EXIT_WITHOUT_ENTER, 3, first);
    tv_index_release(&index);
}

static void later_root_of_the_same_method_shares_the_adopters_node(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, BAR, 10);
    leave(&t, MAIN, BAR, 12);
    leave(&t, MAIN, FOO, 15);
    enter(&t, MAIN, FOO, 20);
    enter(&t, MAIN, BAR, 21);
    leave(&t, MAIN, BAR, 22);
    leave(&t, MAIN, FOO, 23);
    make_index(&index, &t);
    expect_nodes(&index, MAIN, TV_CLOCK_WALL, "foo x2 8-5, foo.bar x2 3-3");
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "foo 10+5, foo 20+3 | bar 10+2, bar 21+1");
    tv_index_release(&index);
}

static void exit_nowhere_on_the_stack_is_dropped(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, FOO, 10);
    leave(&t, MAIN, BAR, 15);
    size_t first = t.last_off;
    unwind(&t, MAIN, BAZ, 16);
    leave(&t, MAIN, FOO, 20);
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "foo 10+10");
    expect_number("records", index.info->records, 4);
    expect_finding(&index, TV_FINDING_EXIT_NOT_ON_STACK, 2, first);
    expect_only(&index, TV_FINDING_EXIT_NOT_ON_STACK, TV_FINDING_KIND_COUNT);
    tv_index_release(&index);
}

/* The thread counts open methods only from its first mismatch on; it must know of earlier calls,
 * and of those that close and open afterwards. */
static void mismatches_are_judged_by_what_is_open_now(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, FOO, 10);
    enter(&t, MAIN, BAR, 11);
    leave(&t, MAIN, BAZ, 12); /* nowhere */
    leave(&t, MAIN, BAR, 13);
    leave(&t, MAIN, BAR, 14); /* no longer */
    enter(&t, MAIN, BAZ, 15);
    enter(&t, MAIN, BAR, 16);
    leave(&t, MAIN, BAZ, 17); /* now, and deeper */
    leave(&t, MAIN, BAR, 18); /* no longer */
    leave(&t, MAIN, FOO, 20);
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "foo 10+10 | bar 11+2, baz 15+2 | bar 16+1");
    expect_number("dropped", index.info->findings.of[TV_FINDING_EXIT_NOT_ON_STACK].count, 3);
    expect_number("closed", index.info->findings.of[TV_FINDING_EXIT_CLOSED_OTHERS].count, 1);
    tv_index_release(&index);
}

static void dropped_records_move_the_clock(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, FOO, 10);
    size_t open = t.last_off;
    leave(&t, MAIN, BAR, 50);
    build_record(&t, (struct build_record){MAIN, BAZ, RESERVED, 60, 60});
    size_t reserved = t.last_off;
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_CPU, "foo 10+50");
    expect_number("records", index.info->records, 3);
    expect_finding(&index, TV_FINDING_RESERVED_ACTION, 1, reserved);
    expect_finding(&index, TV_FINDING_OPEN_AT_END, 1, open);
    expect_only(&index, TV_FINDING_EXIT_NOT_ON_STACK, TV_FINDING_RESERVED_ACTION,
                TV_FINDING_OPEN_AT_END, TV_FINDING_KIND_COUNT);
    tv_index_release(&index);
}

static void reserved_action_makes_no_call(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    build_record(&t, (struct build_record){MAIN, FOO, RESERVED, 10, 10});
    size_t first = t.last_off;
    enter(&t, MAIN, FOO, 20);
    build_record(&t, (struct build_record){MAIN, FOO, RESERVED, 25, 25});
    leave(&t, MAIN, FOO, 30);
    leave(&t, MAIN, BAR, 40);
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "bar 10+30 | foo 20+10");
    expect_finding(&index, TV_FINDING_RESERVED_ACTION, 2, first);
    tv_index_release(&index);
}

static void thread_zero_is_kept_as_a_thread(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, FOO, 10);
    enter(&t, 0, BAR, 12);
    size_t first = t.last_off;
    leave(&t, 0, BAR, 15);
    leave(&t, MAIN, FOO, 20);
    make_index(&index, &t);
    expect_calls(&index, 0, TV_CLOCK_WALL, "bar 12+3");
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "foo 10+10");
    expect_finding(&index, TV_FINDING_THREAD_ZERO, 2, first);
    expect_finding(&index, TV_FINDING_UNKNOWN_THREAD, 1, first);
    expect_only(&index, TV_FINDING_THREAD_ZERO, TV_FINDING_UNKNOWN_THREAD, TV_FINDING_KIND_COUNT);
    tv_index_release(&index);
}

static void empty_record_neither_counts_nor_moves_the_clock(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, FOO, 10);
    build_record(&t, (struct build_record){0, 0, 0, 0, 0});
    size_t first = t.last_off;
    leave(&t, MAIN, FOO, 20);
    build_record(&t, (struct build_record){0, 0, 0, 0, 0});
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "foo 10+10");
    expect_number("records", index.info->records, 2);
    expect_finding(&index, TV_FINDING_EMPTY_RECORD, 2, first);
    expect_only(&index, TV_FINDING_EMPTY_RECORD, TV_FINDING_KIND_COUNT);
    tv_index_release(&index);
}

static void open_calls_last_to_the_latest_wall_time_of_any_record(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, WORKER, BAZ, 8);
    build_record(&t, (struct build_record){MAIN, FOO, ENTER, 10, 10});
    size_t first = t.last_off;
    build_record(&t, (struct build_record){MAIN, BAR, ENTER, 13, 20});
    leave(&t, WORKER, BAZ, 40);
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "foo 10+30 | bar 20+20");
    expect_calls(&index, MAIN, TV_CLOCK_CPU, "foo 10+3 | bar 13+0");
    expect_number("open", thread_of(&index, MAIN)->open_depth, 2);
    expect_number("open", thread_of(&index, WORKER)->open_depth, 0);
    expect_finding(&index, TV_FINDING_OPEN_AT_END, 2, first);
    expect_only(&index, TV_FINDING_OPEN_AT_END, TV_FINDING_KIND_COUNT);
    tv_index_release(&index);
}

static void open_calls_of_version_1_end_with_their_thread(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 1, .clock = "wall"});
    enter(&t, MAIN, FOO, 0);
    leave(&t, MAIN, BAR, 10);
    enter(&t, WORKER, BAR, 0);
    leave(&t, WORKER, BAR, 99);
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "foo 0+10");
    expect_number("common axis", index.info->has_common_axis, 0);
    tv_index_release(&index);
}

static void open_calls_end_with_their_thread_where_there_is_only_cpu(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 2, .clock = "thread-cpu"});
    enter(&t, MAIN, FOO, 5);
    enter(&t, MAIN, BAR, 10);
    enter(&t, WORKER, BAR, 0);
    leave(&t, WORKER, BAR, 99);
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_CPU, "foo 5+5 | bar 10+0");
    tv_index_release(&index);
}

static void clock_that_wraps_goes_on(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    build_record(&t, (struct build_record){MAIN, FOO, ENTER, 5, 0xffffff00u});
    build_record(&t, (struct build_record){MAIN, FOO, LEAVE, 9, 0x100});
    size_t first = t.last_off;
    build_record(&t, (struct build_record){WORKER, BAR, ENTER, 0xfffffff0u, 0x200});
    build_record(&t, (struct build_record){WORKER, BAR, LEAVE, 0x10, 0x300});
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "foo 4294967040+512");
    expect_calls(&index, WORKER, TV_CLOCK_CPU, "bar 4294967280+32");
    expect_finding(&index, TV_FINDING_CLOCK_WRAPPED, 2, first);
    expect_only(&index, TV_FINDING_CLOCK_WRAPPED, TV_FINDING_KIND_COUNT);
    tv_index_release(&index);
}

static void thread_that_wraps_often_counts_once(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, FOO, 0x90000000u);
    enter(&t, MAIN, BAR, 0x10000000u);
    size_t first = t.last_off;
    leave(&t, MAIN, BAR, 0xa0000000u);
    leave(&t, MAIN, FOO, 0x20000000u);
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_CPU,
                 "foo 2415919104+6710886400 | bar 4563402752+2415919104");
    expect_finding(&index, TV_FINDING_CLOCK_WRAPPED, 1, first);
    tv_index_release(&index);
}

static void clock_that_falls_is_raised_to_the_highest_before(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, FOO, 100);
    enter(&t, MAIN, BAR, 90);
    size_t first = t.last_off;
    leave(&t, MAIN, BAR, 95);
    enter(&t, MAIN, BAZ, 80);
    leave(&t, MAIN, BAZ, 105);
    leave(&t, MAIN, FOO, 110);
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "foo 100+10 | bar 100+0, baz 100+5");
    expect_finding(&index, TV_FINDING_CLOCK_BACKWARDS, 1, first); /* threads */
    expect_finding(&index, TV_FINDING_CPU_CLOCK_BACKWARDS, 1, first);
    expect_only(&index, TV_FINDING_CLOCK_BACKWARDS, TV_FINDING_CPU_CLOCK_BACKWARDS,
                TV_FINDING_KIND_COUNT);
    tv_index_release(&index);
}

/* A clock that falls makes no time of the other one doubtful. */
static void falls_are_of_one_clock(void **state)
{
    (void)state;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        const bool is_cpu = clock == TV_CLOCK_CPU;
        const enum tv_finding_kind kind =
            is_cpu ? TV_FINDING_CPU_CLOCK_BACKWARDS : TV_FINDING_CLOCK_BACKWARDS;
        struct trace_builder t;
        struct tv_index index;
        begin(&t);
        build_record(&t, (struct build_record){MAIN, FOO, ENTER, 100, 100});
        build_record(&t,
                     (struct build_record){MAIN, BAR, ENTER, is_cpu ? 90 : 101, is_cpu ? 101 : 90});
        size_t back = t.last_off;
        build_record(&t, (struct build_record){MAIN, BAR, LEAVE, 105, 105});
        build_record(&t, (struct build_record){MAIN, FOO, LEAVE, 110, 110});
        make_index(&index, &t);
        expect_finding(&index, kind, 1, back);
        expect_only(&index, kind, TV_FINDING_KIND_COUNT);
        tv_index_release(&index);
    }
}

/* 2^32 us less 60 s is the largest step forward. */
static void sixty_seconds_part_a_wrap_from_a_fall(void **state)
{
    (void)state;
    for (uint32_t more = 0; more < 2; more++) {
        struct trace_builder t;
        struct tv_index index;
        begin(&t);
        enter(&t, MAIN, FOO, 60000005);
        leave(&t, MAIN, FOO, 5 + more);
        make_index(&index, &t);
        expect_calls(&index, MAIN, TV_CLOCK_WALL,
                     more ? "foo 60000005+0" : "foo 60000005+4234967296");
        expect_finding(&index, TV_FINDING_CLOCK_BACKWARDS, more, t.last_off);
        expect_finding(&index, TV_FINDING_CLOCK_WRAPPED, !more, t.last_off);
        tv_index_release(&index);
    }
}

/* A wall clock may be set back by any time. It has not wrapped where that would end more than a
 * minute behind the elapsed time of the header, whichever clock that was taken from. */
static void wrap_later_than_the_trace_lasted_is_a_fall(void **state)
{
    (void)state;
    static const struct {
        const char *elapsed;
        bool is_fall;
    } cases[] = {
        {"elapsed-time-usec=201000000\n", true},
        {"elapsed-time-usec=80000100\n", true},
        {"elapsed-time-usec=4314967295\n", true},
        {"elapsed-time-usec=4314967296\n", false},
        {"elapsed-time-usec=99999999999\n", false},
        {"elapsed-time-usec=0\n", false},
        {NULL, false},
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct trace_builder t;
        struct tv_index index;
        bool is_fall = cases[i].is_fall;
        build_text(&t,
                   (struct build_opts){.version = 3, .clock = "dual", .options = cases[i].elapsed});
        build_record(&t, (struct build_record){MAIN, FOO, ENTER, 1, 200000000});
        build_record(&t, (struct build_record){MAIN, BAR, ENTER, 2, 80000000});
        size_t back = t.last_off;
        build_record(&t, (struct build_record){MAIN, BAR, LEAVE, 3, 80000100});
        build_record(&t, (struct build_record){MAIN, FOO, LEAVE, 9, 200000200});
        make_index(&index, &t);
        expect_calls(&index, MAIN, TV_CLOCK_WALL,
                     is_fall ? "foo 200000000+200 | bar 200000000+0"
                             : "foo 200000000+4294967496 | bar 4374967296+100");
        expect_calls(&index, MAIN, TV_CLOCK_CPU, "foo 1+8 | bar 2+1");
        expect_finding(&index, is_fall ? TV_FINDING_CLOCK_BACKWARDS : TV_FINDING_CLOCK_WRAPPED, 1,
                       back);
        expect_only(&index, is_fall ? TV_FINDING_CLOCK_BACKWARDS : TV_FINDING_CLOCK_WRAPPED,
                    TV_FINDING_KIND_COUNT);
        tv_index_release(&index);
    }
}

/* The CPU clock of a thread counts from the thread's own zero, and begins anew where its id is
 * given to another thread: it has not wrapped where the thread would have used more than a minute
 * more than the elapsed time since its first record. */
static void cpu_time_longer_than_the_trace_lasted_is_a_fall(void **state)
{
    (void)state;
    static const struct {
        const char *elapsed;
        bool is_fall;
    } cases[] = {
        {"elapsed-time-usec=201\n", true},
        {"elapsed-time-usec=4114967295\n", true},
        {"elapsed-time-usec=4114967296\n", false},
        {NULL, false},
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct trace_builder t;
        struct tv_index index;
        bool is_fall = cases[i].is_fall;
        build_text(&t,
                   (struct build_opts){.version = 3, .clock = "dual", .options = cases[i].elapsed});
        build_record(&t, (struct build_record){MAIN, FOO, ENTER, 200000000, 1});
        build_record(&t, (struct build_record){MAIN, FOO, LEAVE, 80000000, 9});
        size_t back = t.last_off;
        make_index(&index, &t);
        expect_calls(&index, MAIN, TV_CLOCK_CPU,
                     is_fall ? "foo 200000000+0" : "foo 200000000+4174967296");
        expect_finding(&index, is_fall ? TV_FINDING_CPU_CLOCK_BACKWARDS : TV_FINDING_CLOCK_WRAPPED,
                       1, back);
        tv_index_release(&index);
    }
}

/* The file's value falls back behind the wrap; what counts stays beyond it. */
static void wraps_are_judged_after_raising(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, FOO, 0xfffffff0u);
    enter(&t, MAIN, BAR, 0x10);
    size_t wrapped = t.last_off;
    leave(&t, MAIN, BAR, 0xfffffff8u);
    size_t fell = t.last_off;
    leave(&t, MAIN, FOO, 0x20);
    make_index(&index, &t);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "foo 4294967280+48 | bar 4294967312+0");
    expect_finding(&index, TV_FINDING_CLOCK_WRAPPED, 1, wrapped);
    expect_finding(&index, TV_FINDING_CLOCK_BACKWARDS, 1, fell);
    tv_index_release(&index);
}

static const struct listed_facts nanoseconds = {
    .has_clock = {true, true}, .has_common_axis = true, .clock_bits = 64, .unit_ns = 1};

static void clock_of_64_bits_falls_whenever_it_is_smaller(void **state)
{
    (void)state;
    static const struct listed_record records[] = {
        {MAIN, FOO, ENTER, 10, 0x7000000000, 500},
        {MAIN, BAR, ENTER, 11, 1, 510},
        {MAIN, BAR, LEAVE, 12, 0x7000000001, 520},
        {MAIN, FOO, LEAVE, 13, 0x7000000005, 530},
    };
    struct tv_index index;
    make_listed(&index, &nanoseconds, records, 4);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "0x4 481036337152+5 | 0x8 481036337152+1");
    expect_finding(&index, TV_FINDING_CLOCK_BACKWARDS, 1, 510);
    expect_finding(&index, TV_FINDING_CLOCK_WRAPPED, 0, 0);
    tv_index_release(&index);
}

static void first_time_below_zero_is_a_fall(void **state)
{
    (void)state;
    static const struct listed_record records[] = {
        {MAIN, FOO, ENTER, 10, (uint64_t)-5, 500},
        {MAIN, BAR, ENTER, 11, (uint64_t)-3, 510},
        {MAIN, BAR, LEAVE, 12, 4, 520},
        {MAIN, FOO, LEAVE, 13, 9, 530},
    };
    struct tv_index index;
    make_listed(&index, &nanoseconds, records, 4);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "0x4 0+9 | 0x8 0+4");
    expect_finding(&index, TV_FINDING_CLOCK_BACKWARDS, 1, 500);
    tv_index_release(&index);
}

static void trace_without_records_has_no_calls(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    make_index(&index, &t);
    expect_number("calls", index.call_count, 0);
    expect_number("threads", index.thread_count, 2);
    expect_number("nodes", index.node_count, 0);
    expect_number("segment groups", index.segment_group_count, 0);
    expect_only(&index, TV_FINDING_KIND_COUNT);
    tv_index_release(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_calls_lie_in_their_callers),
        cmocka_unit_test(each_thread_has_its_own_stack),
        cmocka_unit_test(unwind_closes_like_an_exit),
        cmocka_unit_test(exit_deeper_in_stack_closes_calls_above),
        cmocka_unit_test(exit_matches_the_innermost_call_of_its_method),
        cmocka_unit_test(exit_without_enter_adopts_all_calls_so_far),
        cmocka_unit_test(adopting_calls_nest),
        cmocka_unit_test(later_root_of_the_same_method_shares_the_adopters_node),
        cmocka_unit_test(exit_nowhere_on_the_stack_is_dropped),
        cmocka_unit_test(mismatches_are_judged_by_what_is_open_now),
        cmocka_unit_test(dropped_records_move_the_clock),
        cmocka_unit_test(reserved_action_makes_no_call),
        cmocka_unit_test(thread_zero_is_kept_as_a_thread),
        cmocka_unit_test(empty_record_neither_counts_nor_moves_the_clock),
        cmocka_unit_test(open_calls_last_to_the_latest_wall_time_of_any_record),
        cmocka_unit_test(open_calls_of_version_1_end_with_their_thread),
        cmocka_unit_test(open_calls_end_with_their_thread_where_there_is_only_cpu),
        cmocka_unit_test(clock_that_wraps_goes_on),
        cmocka_unit_test(thread_that_wraps_often_counts_once),
        cmocka_unit_test(clock_that_falls_is_raised_to_the_highest_before),
        cmocka_unit_test(falls_are_of_one_clock),
        cmocka_unit_test(sixty_seconds_part_a_wrap_from_a_fall),
        cmocka_unit_test(wrap_later_than_the_trace_lasted_is_a_fall),
        cmocka_unit_test(cpu_time_longer_than_the_trace_lasted_is_a_fall),
        cmocka_unit_test(wraps_are_judged_after_raising),
        cmocka_unit_test(clock_of_64_bits_falls_whenever_it_is_smaller),
        cmocka_unit_test(first_time_below_zero_is_a_fall),
        cmocka_unit_test(trace_without_records_has_no_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
