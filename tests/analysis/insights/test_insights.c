/* What is found in traces that were made to have it, and that nothing is found in others. */
#include "analysis/insights/insights.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "analysis/selection/names.h"
#include "analysis/world.h"
#include "support/failing_alloc.h"

#define MAIN 1
#define WORKER 2

static struct world w;
static struct tv_insights found;

/* A call that lasts `wall` microseconds, of which it works `cpu`; *now and *used move on. */
static void call(unsigned thread, unsigned method, uint32_t wall, uint32_t cpu, uint32_t *now,
                 uint32_t *used)
{
    world_enter(&w, thread, method, *now, *used);
    *now += wall;
    *used += cpu;
    world_leave(&w, thread, method, *now, *used);
}

static void look(void)
{
    world_end(&w);
    assert_int_equal(tv_insights_find(&found, &w.index, tv_alloc_libc(), NULL, NULL), TV_OK);
}

/* The place of the first insight of a kind; found.count: there is none. */
static size_t first(enum tv_insight_kind kind)
{
    size_t at = 0;
    while (at < found.count && found.of[at].kind != kind)
        at++;
    return at;
}

static void one_call_of_many_is_slow(void **state)
{
    uint32_t now = 0;
    uint32_t used = 0;
    (void)state;
    world_begin(&w);
    for (int i = 0; i < 20; i++)
        call(MAIN, 1, 2000, 2000, &now, &used);
    /* The slow one calls what takes most of it, and that has a callee with less than half. */
    world_enter(&w, MAIN, 1, now, used);
    world_enter(&w, MAIN, 2, now + 1000, used + 1000);
    world_enter(&w, MAIN, 3, now + 2000, used + 2000);
    world_leave(&w, MAIN, 3, now + 12000, used + 12000);
    world_leave(&w, MAIN, 2, now + 41000, used + 41000);
    world_leave(&w, MAIN, 1, now + 42000, used + 42000);
    look();
    assert_int_equal(found.count, 1);
    const struct tv_insight *slow = &found.of[0];
    assert_int_equal(slow->kind, TV_INSIGHT_SLOW);
    assert_int_equal(slow->method, world_method_ix(&w, 1));
    assert_int_equal(slow->calls, 1);
    assert_int_equal(slow->of_calls, 21);
    assert_int_equal(slow->median_ns, 2000000);
    assert_int_equal(slow->from_ns, (uint64_t)now * 1000);
    assert_int_equal(slow->to_ns - slow->from_ns, 42000000);
    assert_int_equal(slow->at_stake_ns, 40000000);
    assert_int_equal(slow->other_method, world_method_ix(&w, 2));
    assert_int_equal(slow->other_amount, 40000000);
    world_release(&w);
}

static void the_callee_that_explains_a_slow_call_is_told_instead(void **state)
{
    uint32_t now = 0;
    uint32_t used = 0;
    (void)state;
    world_begin(&w);
    for (int i = 0; i < 10; i++) {
        uint32_t inner = i == 7 ? 50000 : 1000;
        world_enter(&w, MAIN, 0, now, used);
        now += 100;
        used += 100;
        call(MAIN, 1, inner, inner, &now, &used);
        now += 100;
        used += 100;
        world_leave(&w, MAIN, 0, now, used);
    }
    look();
    assert_int_equal(found.count, 1);
    assert_int_equal(found.of[0].method, world_method_ix(&w, 1));
    assert_int_equal(found.of[0].other_method, TV_NONE);
    world_release(&w);
}

static void the_main_thread_waits_and_another_works_meanwhile(void **state)
{
    uint32_t now = 0;
    uint32_t used = 0;
    uint32_t other_now = 10000;
    uint32_t other_used = 0;
    (void)state;
    world_begin(&w);
    call(MAIN, 0, 10000, 10000, &now, &used);
    world_enter(&w, MAIN, 2, now, used);
    call(WORKER, 3, 30000, 30000, &other_now, &other_used);
    call(WORKER, 4, 5000, 100, &other_now, &other_used);
    now += 50000;
    used += 1000;
    world_leave(&w, MAIN, 2, now, used);
    call(MAIN, 0, 10000, 10000, &now, &used);
    look();
    assert_int_equal(found.main_thread, world_thread_ix(&w, MAIN));
    assert_true(first(TV_INSIGHT_WAIT) < found.count);
    const struct tv_insight *wait = &found.of[first(TV_INSIGHT_WAIT)];
    assert_int_equal(wait->method, world_method_ix(&w, 2));
    assert_int_equal(wait->at_stake_ns, 49000000);
    assert_int_equal(wait->other_thread, world_thread_ix(&w, WORKER));
    assert_int_equal(wait->other_method, world_method_ix(&w, 3));
    assert_int_equal(wait->other_amount, 30000000);
    assert_int_equal(first(TV_INSIGHT_SLOW), found.count);
    world_release(&w);
}

/* The main thread worked or waited there: nothing tells which. */
static void what_the_main_thread_was_in_at_the_end_is_no_wait(void **state)
{
    uint32_t now = 0;
    uint32_t used = 0;
    uint32_t other_now = 150000;
    uint32_t other_used = 0;
    (void)state;
    world_begin(&w);
    call(MAIN, 0, 100000, 100000, &now, &used);
    world_enter(&w, MAIN, 1, now, used);
    world_enter(&w, MAIN, 2, now + 1000, used + 1000);
    call(WORKER, 3, 20000, 20000, &other_now, &other_used);
    look();
    assert_int_equal(first(TV_INSIGHT_WAIT), found.count);
    assert_true(first(TV_INSIGHT_OPEN) < found.count);
    const struct tv_insight *open = &found.of[first(TV_INSIGHT_OPEN)];
    assert_int_equal(open->method, world_method_ix(&w, 2));
    assert_int_equal(open->call.depth, 1);
    assert_int_equal(open->from_ns, 101000000);
    assert_int_equal(open->to_ns, 170000000);
    assert_int_equal(open->at_stake_ns, 69000000);
    world_release(&w);
}

enum { RUN = 0x4, POLL = 0x8, WAIT = 0xc, NEXT = 0x10, READ = 0x14, STOP = 0x18 };

static void begin_app(const char *clock, const char *options)
{
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t,
               (struct build_opts){
                   .version = 3,
                   .clock = clock,
                   .options = options,
                   .methods = "0x4\tcom.app.Main\trun\t()V\tMain.java\n"
                              "0x8\tandroid.os.MessageQueue\tnativePollOnce\t(JI)V\tQ.java\n"
                              "0xc\tjava.lang.Object\twait\t()V\tObject.java\n"
                              "0x10\tandroid.os.MessageQueue\tnext\t()V\tQ.java\n"
                              "0x14\tjava.net.SocketInputStream\tread\t()I\tS.java\n"
                              "0x18\tdalvik.system.VMDebug\tstopMethodTracing\t()V\tV.java\n"});
}

static void look_at_app(void)
{
    world_read(&w);
    assert_int_equal(tv_insights_find(&found, &w.index, tv_alloc_libc(), NULL, NULL), TV_OK);
}

#define OF_ART "vm=art\n"

/* A run of 9 s. The main thread is in a call, or in one by another, from 100 ms to 8.999 s, where
 * it waits. */
static void whoever_waits_through_most_of_the_trace_hangs_or_is_idle(void **state)
{
    static const struct {
        const char *options;
        uint32_t caller; /* 0: none */
        uint32_t method;
        bool is_told;
    } waits[] = {
        {OF_ART, 0, READ, true},        {OF_ART, 0, RUN, true},      {OF_ART, RUN, WAIT, true},
        {OF_ART, NEXT, POLL, false},    {OF_ART, NEXT, WAIT, false}, {"vm=dalvik\n", 0, WAIT, true},
        {"vm=jvm\n", RUN, WAIT, false}, {NULL, 0, WAIT, false},      {NULL, 0, READ, true}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(waits); i++) {
        begin_app("dual", waits[i].options);
        enter(&w.t, WORKER, RUN, 0);
        if (waits[i].caller)
            enter(&w.t, MAIN, waits[i].caller, 50000);
        enter(&w.t, MAIN, waits[i].method, 100000);
        build_record(&w.t, (struct build_record){MAIN, waits[i].method, LEAVE, 100010, 8999000});
        if (waits[i].caller)
            build_record(&w.t,
                         (struct build_record){MAIN, waits[i].caller, LEAVE, 100020, 8999010});
        leave(&w.t, WORKER, RUN, 9000000);
        look_at_app();
        const size_t place = first(TV_INSIGHT_WAIT);
        assert_int_equal(place < found.count, waits[i].is_told);
        if (waits[i].is_told)
            assert_int_equal(found.of[place].at_stake_ns, UINT64_C(8898990000));
        world_release(&w);
    }
}

/* The main thread has entered its last call at 0.1 s of a run of 9 s, in which another one logs. */
static void what_the_main_thread_hangs_in_is_told_however_early_it_was_entered(void **state)
{
    static const struct {
        const char *options;
        uint32_t method;
        bool is_told;
    } ends[] = {{OF_ART, RUN, true},    {OF_ART, READ, true},  {OF_ART, WAIT, true},
                {OF_ART, POLL, false},  {OF_ART, STOP, false}, {NULL, WAIT, false},
                {"vm=jvm\n", RUN, true}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(ends); i++) {
        begin_app("dual", ends[i].options);
        enter(&w.t, WORKER, RUN, 0);
        enter(&w.t, MAIN, ends[i].method, 100000);
        leave(&w.t, WORKER, RUN, 9000000);
        look_at_app();
        const size_t place = first(TV_INSIGHT_OPEN);
        assert_int_equal(place < found.count, ends[i].is_told);
        if (ends[i].is_told) {
            assert_int_equal(found.of[place].at_stake_ns, UINT64_C(8900000000));
            assert_int_equal(found.of[place].from_ns, 100000000);
            assert_int_equal(found.of[place].to_ns, UINT64_C(9000000000));
        }
        world_release(&w);
    }
}

/* No thread logs after 0.1 s, where the main thread enters a call; the worker did at 0.05 s. */
static void all_threads_may_hang(void **state)
{
    static const struct {
        const char *clock;
        const char *options;
        uint32_t method;
        uint64_t at_stake_ns; /* 0: not told */
    } ends[] = {
        {"dual", OF_ART "elapsed-time-usec=9000000\n", RUN, UINT64_C(8900000000)},
        {"wall", OF_ART "elapsed-time-usec=9000000\n", WAIT, UINT64_C(8900000000)},
        {"dual", OF_ART "elapsed-time-usec=200000\n", RUN, 100000000},
        /* That is what stopping takes, and the second is no tenth of the run. */
        {"dual", OF_ART "elapsed-time-usec=199999\n", RUN, 0},
        {"dual", OF_ART "elapsed-time-usec=9000000\n", POLL, 0},
        {"dual", "elapsed-time-usec=9000000\n", WAIT, 0},
        {"dual", OF_ART, RUN, 0},
        {"thread-cpu", OF_ART "elapsed-time-usec=9000000\n", RUN, 0},
        /* What came last is lost. */
        {"dual", OF_ART "elapsed-time-usec=9000000\ndata-file-overflow=true\n", RUN, 0},
        {"dual", OF_ART "elapsed-time-usec=9000000\nnum-method-calls=9\n", RUN, 0},
        /* The records may be a turn of the clock later. */
        {"dual", OF_ART "elapsed-time-usec=4295067295\n", RUN, UINT64_C(4294967295000)},
        {"dual", OF_ART "elapsed-time-usec=4295067296\n", RUN, 0},
        /* Each look found the thread where it was until 0.1 s. */
        {"dual", OF_ART "elapsed-time-usec=9000000\nsampling-interval-usec=1000\n", RUN,
         UINT64_C(8900000000)},
        {"dual", OF_ART "elapsed-time-usec=9000000\nsampling-interval-usec=1000\n", POLL, 0},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(ends); i++) {
        begin_app(ends[i].clock, ends[i].options);
        enter(&w.t, MAIN, RUN, 0);
        enter(&w.t, WORKER, RUN, 50000);
        enter(&w.t, MAIN, ends[i].method, 100000);
        look_at_app();
        const size_t place = first(TV_INSIGHT_OPEN);
        assert_int_equal(place < found.count, ends[i].at_stake_ns != 0);
        if (ends[i].at_stake_ns)
            assert_int_equal(found.of[place].at_stake_ns, ends[i].at_stake_ns);
        world_release(&w);
    }
}

/* Forty calls of 2 ms, each around one of 1 ms, of which the main thread waits for a half; the last
 * but one works for 42 ms. Before the 21st a clock is set back by 10 s. */
static void write_falls(enum tv_clock fallen, bool has_fallen)
{
    for (uint32_t i = 0; i < 40; i++) {
        const uint32_t length = i == 38 ? 42000 : 2000;
        uint32_t times[TV_CLOCK_COUNT] = {20000000 + i * 4000, 20000000 + i * 2000};
        if (has_fallen && i >= 20)
            times[fallen] -= 10000000;
        if (i == 39) {
            times[TV_CLOCK_WALL] += 40000;
            times[TV_CLOCK_CPU] += 41000;
        }
        const uint32_t wall = times[TV_CLOCK_WALL];
        const uint32_t cpu = times[TV_CLOCK_CPU];
        build_record(&w.t, (struct build_record){MAIN, RUN, ENTER, cpu, wall});
        build_record(&w.t, (struct build_record){MAIN, READ, ENTER, cpu + 10, wall + 10});
        build_record(&w.t, (struct build_record){MAIN, READ, LEAVE, cpu + 20, wall + 1000});
        build_record(&w.t,
                     (struct build_record){MAIN, RUN, LEAVE, cpu + length - 980, wall + length});
    }
}

static void a_wrong_clock_tells_nothing(void **state)
{
    static const struct {
        const char *clock;
        const char *options;
        enum tv_clock fallen;
        enum tv_clock told;
        bool has_fallen, is_slow_told, is_wait_told;
    } traces[] = {{"dual", NULL, TV_CLOCK_WALL, TV_CLOCK_WALL, false, true, true},
                  {"dual", NULL, TV_CLOCK_WALL, TV_CLOCK_CPU, true, true, false},
                  {"dual", NULL, TV_CLOCK_CPU, TV_CLOCK_WALL, true, true, false},
                  {"wall", NULL, TV_CLOCK_WALL, TV_CLOCK_WALL, true, false, false},
                  {"thread-cpu", NULL, TV_CLOCK_CPU, TV_CLOCK_CPU, true, false, false},
                  {"dual", "sampling-interval-usec=1000\n", TV_CLOCK_WALL, TV_CLOCK_WALL, true,
                   false, false}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(traces); i++) {
        begin_app(traces[i].clock, traces[i].options);
        write_falls(traces[i].fallen, traces[i].has_fallen);
        look_at_app();
        assert_int_equal(found.clock, traces[i].told);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            assert_int_equal(found.is_wrong[clock],
                             traces[i].has_fallen && traces[i].fallen == clock);
        assert_int_equal(first(TV_INSIGHT_WAIT) < found.count, traces[i].is_wait_told);
        assert_int_equal(first(TV_INSIGHT_SLOW) < found.count, traces[i].is_slow_told);
        assert_int_equal(found.count, traces[i].is_slow_told + traces[i].is_wait_told);
        if (traces[i].is_slow_told) {
            const struct tv_insight *slow = &found.of[first(TV_INSIGHT_SLOW)];
            const bool is_cpu = traces[i].told == TV_CLOCK_CPU;
            assert_int_equal(slow->clock, traces[i].told);
            assert_int_equal(slow->calls, 1);
            assert_int_equal(slow->took_ns, is_cpu ? 41020000 : 42000000);
            assert_int_equal(slow->median_ns, is_cpu ? 1020000 : 2000000);
        }
        world_release(&w);
    }
}

/* Wall times a thousand times too small, as is the elapsed time. */
static void a_wrong_unit_tells_nothing(void **state)
{
    (void)state;
    begin_app("dual", OF_ART "data-file-overflow=true\nelapsed-time-usec=900\n");
    for (uint32_t i = 0; i < 20; i++) {
        const uint32_t length = i == 7 ? 60000 : 2000;
        const uint32_t start = i * 2000 + (i > 7 ? 58000 : 0);
        build_record(&w.t, (struct build_record){MAIN, RUN, ENTER, start, start / 1000});
        build_record(
            &w.t, (struct build_record){MAIN, RUN, LEAVE, start + length, (start + length) / 1000});
    }
    look_at_app();
    assert_int_equal(found.clock, TV_CLOCK_CPU);
    assert_int_equal(found.why[TV_CLOCK_WALL], TV_FINDING_UNIT_SUSPECT);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.of[0].kind, TV_INSIGHT_SLOW);
    assert_int_equal(found.of[0].took_ns, 60000000);
    world_release(&w);
}

/* Nor does the one call of a trace need to have begun after the trace did. */
static void the_first_call_may_be_the_one_that_hangs(void **state)
{
    (void)state;
    begin_app("dual", OF_ART "elapsed-time-usec=9000000\n");
    enter(&w.t, MAIN, RUN, 0);
    look_at_app();
    assert_int_equal(found.count, 1);
    assert_int_equal(found.of[0].kind, TV_INSIGHT_OPEN);
    assert_int_equal(found.of[0].at_stake_ns, UINT64_C(9000000000));
    world_release(&w);
}

/* Of threads called main the one with records is meant, or the one with the number of the process.
 */
static void of_several_threads_called_main_one_is_meant(void **state)
{
    static const struct {
        bool has_records[2];
        const char *options;
        uint32_t thread; /* id; 0: none */
    } traces[] = {{{true, false}, NULL, 7},      {{false, true}, NULL, 8},
                  {{true, true}, NULL, 0},       {{false, false}, NULL, 0},
                  {{true, true}, "pid=8\n", 8},  {{true, false}, "pid=8\n", 7},
                  {{false, false}, "pid=8\n", 8}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(traces); i++) {
        world_begin(&w);
        build_release(&w.t);
        build_text(&w.t, (struct build_opts){.version = 3,
                                             .clock = "dual",
                                             .options = traces[i].options,
                                             .threads = "7\tmain\n8\tmain\n9\tother\n"});
        for (unsigned thread = 0; thread < 2; thread++) {
            if (traces[i].has_records[thread])
                build_record(&w.t, (struct build_record){7 + thread, 4, ENTER, 0, 0});
        }
        build_record(&w.t, (struct build_record){9, 4, ENTER, 0, 0});
        world_read(&w);
        uint32_t is = tv_main_thread(&w.index);
        assert_int_equal(is == TV_NONE ? 0 : w.index.threads[is].id, traces[i].thread);
        world_release(&w);
    }
}

/* No call of these takes a frame: what is at stake is what all of them took. */
static void many_small_calls_add_up(void **state)
{
    uint32_t now = 0;
    uint32_t used = 0;
    (void)state;
    world_begin(&w);
    for (int i = 0; i < 400; i++) {
        call(MAIN, 0, 11000, 11000, &now, &used);
        call(MAIN, 2, 14000, 50, &now, &used);
        call(MAIN, 3, i % 3 ? 1000 : 16000, i % 3 ? 1000 : 16000, &now, &used);
    }
    look();
    assert_int_equal(found.count, 2);
    assert_int_equal(found.least_ns, TV_INSIGHT_FRAME_NS);
    assert_int_equal(found.of[0].kind, TV_INSIGHT_WAIT);
    assert_int_equal(found.of[0].calls, 400);
    assert_int_equal(found.of[0].at_stake_ns, UINT64_C(400) * 13950 * 1000);
    assert_int_equal(found.of[1].kind, TV_INSIGHT_SLOW);
    assert_int_equal(found.of[1].calls, 134);
    assert_int_equal(found.of[1].at_stake_ns, UINT64_C(134) * 15000 * 1000);
    world_release(&w);
}

/* Of another thread nobody knows that it had something to do. */
/* Twenty calls of a method are equal but for what the recorder writes: once in a call of it, and
 * once for as long as a wait. */
static void what_the_recorder_writes_is_not_the_programs_doing(void **state)
{
    (void)state;
    for (int is_recorders = 0; is_recorders < 2; is_recorders++) {
        world_begin(&w);
        build_release(&w.t);
        build_text(&w.t,
                   (struct build_opts){.version = 3,
                                       .clock = "dual",
                                       .threads = "1\tmain\n",
                                       .methods = is_recorders ? "0x4\tA\twork\t()V\tA.java\n"
                                                                 "0x8\ttraceview\twriting\t()V\n"
                                                               : "0x4\tA\twork\t()V\tA.java\n"
                                                                 "0x8\tB\twriting\t()V\n"});
        uint32_t now = 0;
        uint32_t used = 0;
        for (uint32_t i = 0; i < 20; i++) {
            world_enter(&w, MAIN, 0, now, used);
            call(MAIN, 1, i == 5 || i == 9 ? 60000 : 100, i == 5 ? 60000 : 100, &now, &used);
            world_leave(&w, MAIN, 0, now += 2000, used += 2000);
        }
        look();
        if (is_recorders) {
            assert_int_equal(found.count, 0);
        } else {
            assert_int_not_equal(first(TV_INSIGHT_SLOW), found.count);
            assert_int_not_equal(first(TV_INSIGHT_WAIT), found.count);
        }
        world_release(&w);
    }
}

static void calls_of_other_threads_that_wait_are_not_told(void **state)
{
    uint32_t now = 0;
    uint32_t used = 0;
    (void)state;
    world_begin(&w);
    for (int i = 0; i < 10; i++)
        call(WORKER, 1, i == 5 ? 80000 : 1000, i == 5 ? 100 : 1000, &now, &used);
    look();
    assert_int_equal(found.count, 0);
    world_release(&w);
}

static void what_is_called_very_often_has_its_caller_told(void **state)
{
    const uint32_t calls = TV_INSIGHT_OFTEN_CALLS + 5000;
    (void)state;
    world_begin(&w);
    enter(&w.t, MAIN, M(0), 0);
    for (uint32_t i = 0; i < calls; i++) {
        enter(&w.t, MAIN, M(2), 10 + i * 4);
        leave(&w.t, MAIN, M(2), 12 + i * 4);
    }
    leave(&w.t, MAIN, M(0), 20 + calls * 4);
    world_read(&w);
    assert_int_equal(tv_insights_find(&found, &w.index, tv_alloc_libc(), NULL, NULL), TV_OK);
    assert_true(first(TV_INSIGHT_OFTEN) < found.count);
    const struct tv_insight *often = &found.of[first(TV_INSIGHT_OFTEN)];
    assert_int_equal(often->method, world_method_ix(&w, 2));
    assert_int_equal(often->calls, calls);
    assert_int_equal(often->of_calls, calls + 1);
    assert_int_equal(often->other_method, world_method_ix(&w, 0));
    assert_int_equal(often->other_amount, calls);
    assert_int_equal(often->at_stake_ns, (uint64_t)calls * 2000);
    world_release(&w);
}

static void equal_calls_are_nothing_to_tell(void **state)
{
    uint32_t now = 0;
    uint32_t used = 0;
    (void)state;
    world_begin(&w);
    for (int i = 0; i < 100; i++)
        call(MAIN, (unsigned)i % 4, 1500, 1500, &now, &used);
    look();
    assert_int_equal(found.count, 0);
    assert_int_equal(found.least_ns, 1500000);
    world_release(&w);
}

/* The file says that the run was ten times as long, and that recording a call took a third of it.
 */
static void lost_data_stands_before_the_cost_of_tracing(void **state)
{
    (void)state;
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 3,
                                         .clock = "dual",
                                         .options = "data-file-overflow=true\n"
                                                    "elapsed-time-usec=1000000\n"
                                                    "record-call-overhead-nsec=1000000\n"});
    for (uint32_t i = 0; i < 33; i++) {
        enter(&w.t, MAIN, FOO, 3000 * i);
        leave(&w.t, MAIN, FOO, 3000 * (i + 1));
    }
    world_read(&w);
    assert_int_equal(tv_insights_find(&found, &w.index, tv_alloc_libc(), NULL, NULL), TV_OK);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.of[0].kind, TV_INSIGHT_OVERFLOW);
    assert_int_equal(found.of[0].at_stake_ns, 1000000000 - 99000000);
    assert_int_equal(found.of[0].other_amount, 1000000000);
    assert_int_equal(found.of[1].kind, TV_INSIGHT_OVERHEAD);
    assert_int_equal(found.of[1].other_amount, 99000000);
    /* Half of the cost of a root call is outside of it. */
    assert_int_equal(found.of[1].at_stake_ns, 33 * 500000);
    world_release(&w);
}

/* Whatever the trace, the list obeys its rules. */
static void lists_are_short_ordered_and_above_the_threshold(void **state)
{
    size_t all = 0;
    (void)state;
    for (uint32_t seed = 0; seed < 60; seed++) {
        world_any(&w, seed);
        assert_int_equal(tv_insights_find(&found, &w.index, tv_alloc_libc(), NULL, NULL), TV_OK);
        assert_true(found.count <= TV_INSIGHTS_MOST);
        for (size_t i = 0; i < found.count; i++) {
            const struct tv_insight *insight = &found.of[i];
            assert_true(insight->at_stake_ns >= found.least_ns);
            if (i && found.of[i - 1].kind != TV_INSIGHT_OVERFLOW)
                assert_true(insight->at_stake_ns <= found.of[i - 1].at_stake_ns);
            if (insight->kind == TV_INSIGHT_SLOW)
                assert_true(insight->to_ns - insight->from_ns >=
                            insight->median_ns * TV_INSIGHT_SLOW_TIMES);
            assert_int_equal(insight->method != TV_NONE && tv_call_is(insight->call)
                                 ? tv_call_method(&w.index, insight->call)
                                 : insight->method,
                             insight->method);
        }
        all += found.count;
        world_release(&w);
    }
    assert_true(all > 20);
}

/* A trace with `count` methods A.m0, A.m1, ..., of id 4, 8, ..., and behind them Object.wait. */
static void begin_with_methods(uint32_t count, const char *clock)
{
    struct tv_buffer lines;
    tv_buffer_init(&lines, tv_alloc_libc());
    for (uint32_t i = 0; i <= count; i++) {
        char line[64];
        int len = i < count ? snprintf(line, sizeof(line), "0x%x\tA\tm%u\t()V\n", 4 * (i + 1), i)
                            : snprintf(line, sizeof(line), "0x%x\tjava.lang.Object\twait\t()V\n",
                                       4 * (i + 1));
        assert_int_equal(tv_buffer_append(&lines, line, (size_t)len, NULL), TV_OK);
    }
    assert_int_equal(tv_buffer_append(&lines, "", 1, NULL), TV_OK);
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 3,
                                         .clock = clock,
                                         .threads = "1\tmain\n",
                                         .methods = (const char *)lines.bytes});
    tv_buffer_release(&lines);
}

/* However many candidates come to nothing: each of these methods is slow once, and only because it
 * waited; one more, with less at stake than any of them, worked. */
static void what_only_waits_inside_hides_no_slow_call(void **state)
{
    enum { METHODS = 2000 };
    uint32_t now = 0;
    (void)state;
    begin_with_methods(METHODS, "wall");
    for (uint32_t i = 0; i < METHODS; i++) {
        for (int k = 0; k < 20; k++) {
            enter(&w.t, MAIN, 4 * (i + 1), now++);
            leave(&w.t, MAIN, 4 * (i + 1), now++);
        }
        const bool works = i == METHODS / 2;
        enter(&w.t, MAIN, 4 * (i + 1), now++);
        if (!works)
            enter(&w.t, MAIN, 4 * (METHODS + 1), now);
        now += works ? 20000 : 25000;
        if (!works)
            leave(&w.t, MAIN, 4 * (METHODS + 1), now);
        leave(&w.t, MAIN, 4 * (i + 1), now++);
    }
    world_read(&w);
    assert_int_equal(tv_insights_find(&found, &w.index, tv_alloc_libc(), NULL, NULL), TV_OK);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.of[0].kind, TV_INSIGHT_SLOW);
    assert_true(tv_str_equal(tv_method_name(&w.index, found.of[0].method), TV_STR("m1000")));
    world_release(&w);
}

/* Each of many methods waited once, one after the other a little longer. */
static void the_longest_of_many_waits_are_told(void **state)
{
    enum { METHODS = 2000 };
    uint32_t now = 0;
    (void)state;
    begin_with_methods(METHODS, "dual");
    for (uint32_t i = 0; i < METHODS; i++) {
        build_record(&w.t, (struct build_record){MAIN, 4 * (i + 1), ENTER, 40 * i, now});
        now += 20000 + i;
        build_record(&w.t, (struct build_record){MAIN, 4 * (i + 1), LEAVE, 40 * i + 30, now});
    }
    world_read(&w);
    assert_int_equal(tv_insights_find(&found, &w.index, tv_alloc_libc(), NULL, NULL), TV_OK);
    assert_int_equal(found.count, TV_INSIGHTS_OF_KIND_MOST);
    for (uint32_t i = 0; i < found.count; i++) {
        assert_int_equal(found.of[i].kind, TV_INSIGHT_WAIT);
        assert_int_equal(found.of[i].at_stake_ns, (20000 + METHODS - 1 - i - 30) * 1000);
    }
    world_release(&w);
}

/* --- against the plain calls of the world --- */

static uint64_t duration_of(int call)
{
    return w.calls[call].end[0] - w.calls[call].start[0];
}

/* Whether the call merely waited, by the rule of docs/numbers.md. */
static bool has_waited(int call)
{
    const struct plain_call *plain = &w.calls[call];
    uint64_t half = duration_of(call) / 1000 / 2 * 1000; /* in microseconds, as the trace has it */
    if (world_thread_ix(&w, plain->thread) != found.main_thread)
        return plain->end[1] - plain->start[1] <
               (duration_of(call) - world_unrecorded(&w, call)) / 1000 / 2 * 1000;
    uint64_t all = world_exclusive(&w, call, 0, 0, UINT64_MAX);
    uint64_t wall = all - world_own_unrecorded(&w, call);
    uint64_t cpu = world_exclusive(&w, call, 1, 0, UINT64_MAX);
    return wall > cpu && wall - cpu >= 100000 && (wall - cpu) * 2 >= wall && all >= half;
}

/* Of a call of another thread most of which is not recorded nothing is told. */
static bool is_unrecorded(int call)
{
    return world_thread_ix(&w, w.calls[call].thread) != found.main_thread &&
           world_unrecorded(&w, call) > duration_of(call) / 1000 / 2 * 1000;
}

/* The median as the nearest rank: the least of the method's durations that half of them reach. */
static uint64_t median_of(uint32_t method_ix)
{
    uint64_t median = UINT64_MAX;
    for (int i = 0; i < w.call_count; i++) {
        uint64_t reached = 0;
        uint64_t all = 0;
        for (int k = 0; k < w.call_count; k++) {
            bool is = world_method_ix(&w, w.calls[k].method) == method_ix;
            all += is;
            reached += is && duration_of(k) <= duration_of(i);
        }
        if (world_method_ix(&w, w.calls[i].method) == method_ix && 2 * reached >= all &&
            duration_of(i) < median)
            median = duration_of(i);
    }
    return median;
}

/* Each number of the sentence, and each word: "N of M calls were slow: the longest of these took
 * T". */
static void expect_slow(const struct tv_insight *insight)
{
    uint64_t slow = 0;
    uint64_t waited = 0;
    uint64_t all = 0;
    uint64_t longest = 0;
    uint64_t median = median_of(insight->method);
    uint64_t limit = median + found.each_ns / 1000 * 1000;
    if (limit < median * TV_INSIGHT_SLOW_TIMES)
        limit = median * TV_INSIGHT_SLOW_TIMES;
    for (int i = 0; i < w.call_count; i++) {
        if (world_method_ix(&w, w.calls[i].method) != insight->method)
            continue;
        all++;
        if (duration_of(i) < limit || is_unrecorded(i))
            continue;
        bool has = has_waited(i);
        waited += has;
        slow += !has;
        if (!has && duration_of(i) > longest)
            longest = duration_of(i);
    }
    assert_int_equal(insight->median_ns, median);
    assert_int_equal(insight->of_calls, all);
    assert_int_equal(insight->calls, slow);
    assert_int_equal(insight->waited_calls, waited);
    assert_int_equal(insight->to_ns - insight->from_ns, longest);
}

/* "main waited T in N of M calls; the longest wait is that at X" */
static void expect_wait(const struct tv_insight *insight)
{
    uint64_t calls = 0;
    uint64_t all = 0;
    uint64_t sum = 0;
    uint64_t longest = 0;
    uint64_t longest_start = 0;
    for (int i = 0; i < w.call_count; i++) {
        uint64_t wall = world_exclusive(&w, i, 0, 0, UINT64_MAX) - world_own_unrecorded(&w, i);
        uint64_t cpu = world_exclusive(&w, i, 1, 0, UINT64_MAX);
        uint64_t wait = wall > cpu ? wall - cpu : 0;
        if (world_method_ix(&w, w.calls[i].method) != insight->method)
            continue;
        all++;
        if (world_thread_ix(&w, w.calls[i].thread) != found.main_thread ||
            wait < found.each_ns / 1000 * 1000 || wait < wall / 2)
            continue;
        calls++;
        sum += wait;
        if (wait > longest || (wait == longest && w.calls[i].start[0] == insight->from_ns)) {
            longest = wait;
            longest_start = w.calls[i].start[0];
        }
    }
    assert_int_equal(insight->of_calls, all);
    assert_int_equal(insight->calls, calls);
    assert_int_equal(insight->at_stake_ns, sum);
    assert_int_equal(insight->from_ns, longest_start);
}

static void sentences_say_what_the_calls_did(void **state)
{
    size_t told[TV_INSIGHT_KINDS] = {0};
    size_t of_several = 0;
    (void)state;
    for (uint32_t seed = 0; seed < 90; seed++) {
        world_any(&w, seed);
        assert_int_equal(tv_insights_find(&found, &w.index, tv_alloc_libc(), NULL, NULL), TV_OK);
        for (size_t i = 0; i < found.count; i++) {
            const struct tv_insight *insight = &found.of[i];
            told[insight->kind]++;
            of_several += insight->calls > 1;
            if (insight->kind == TV_INSIGHT_SLOW)
                expect_slow(insight);
            else if (insight->kind == TV_INSIGHT_WAIT)
                expect_wait(insight);
        }
        world_release(&w);
    }
    assert_true(told[TV_INSIGHT_SLOW] > 5 && told[TV_INSIGHT_WAIT] > 5 && of_several > 5);
}

/* One slow call is so because of what it made, and is the longest all the same. */
static void a_call_that_another_explains_counts_and_may_be_the_longest(void **state)
{
    uint32_t now = 0;
    uint32_t used = 0;
    (void)state;
    world_begin(&w);
    for (int i = 0; i < 14; i++) {
        uint32_t own = i == 9 ? 100000 : 1000;
        uint32_t inner = i == 2 ? 200000 : 1000;
        world_enter(&w, MAIN, 0, now, used);
        now += own;
        used += own;
        call(MAIN, 1, inner, inner, &now, &used);
        world_leave(&w, MAIN, 0, now, used);
    }
    look();
    assert_int_equal(found.count, 2);
    assert_int_equal(found.of[0].method, world_method_ix(&w, 1));
    const struct tv_insight *slow = &found.of[1];
    assert_int_equal(slow->method, world_method_ix(&w, 0));
    assert_int_equal(slow->calls, 2);
    assert_int_equal(slow->of_calls, 14);
    assert_int_equal(slow->to_ns - slow->from_ns, 201000000);
    assert_int_equal(slow->other_method, world_method_ix(&w, 1));
    assert_int_equal(slow->other_amount, 200000000);
    /* What the other insight tells is not at stake twice. */
    assert_int_equal(slow->at_stake_ns, 101000000 - 2000000);
    world_release(&w);
}

static enum tv_code find(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_error err;
    (void)ctx;
    return tv_insights_find(&found, &w.index, alloc, NULL, &err);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    world_long(&w, 3);
    (void)failing_alloc_each(find, NULL);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_call_of_many_is_slow),
        cmocka_unit_test(the_callee_that_explains_a_slow_call_is_told_instead),
        cmocka_unit_test(the_main_thread_waits_and_another_works_meanwhile),
        cmocka_unit_test(many_small_calls_add_up),
        cmocka_unit_test(of_several_threads_called_main_one_is_meant),
        cmocka_unit_test(what_the_main_thread_was_in_at_the_end_is_no_wait),
        cmocka_unit_test(whoever_waits_through_most_of_the_trace_hangs_or_is_idle),
        cmocka_unit_test(what_the_main_thread_hangs_in_is_told_however_early_it_was_entered),
        cmocka_unit_test(all_threads_may_hang),
        cmocka_unit_test(the_first_call_may_be_the_one_that_hangs),
        cmocka_unit_test(a_wrong_clock_tells_nothing),
        cmocka_unit_test(a_wrong_unit_tells_nothing),
        cmocka_unit_test(calls_of_other_threads_that_wait_are_not_told),
        cmocka_unit_test(what_is_called_very_often_has_its_caller_told),
        cmocka_unit_test(equal_calls_are_nothing_to_tell),
        cmocka_unit_test(lost_data_stands_before_the_cost_of_tracing),
        cmocka_unit_test(lists_are_short_ordered_and_above_the_threshold),
        cmocka_unit_test(what_the_recorder_writes_is_not_the_programs_doing),
        cmocka_unit_test(what_only_waits_inside_hides_no_slow_call),
        cmocka_unit_test(the_longest_of_many_waits_are_told),
        cmocka_unit_test(sentences_say_what_the_calls_did),
        cmocka_unit_test(a_call_that_another_explains_counts_and_may_be_the_longest),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
