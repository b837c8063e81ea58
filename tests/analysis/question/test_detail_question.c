/* Where the time of a call, a method and a scope went, against a plain reading of the calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/question/detail_question.h"
#include "analysis/world.h"

#define SEEDS 40

enum { RUN, LOAD, GET, PUT, MAP, INIT };

static struct world w;

static struct tv_detail_question question_of(enum tv_detail_subject subject)
{
    struct tv_detail_question question = {.subject = subject};
    tv_scope_init(&question.scope, &w.index);
    question.scope.measure = TV_MEASURE_WALL;
    return question;
}

static struct tv_detail ask(const struct tv_detail_question *question)
{
    struct tv_detail detail;
    assert_int_equal(tv_detail_compute(&detail, &w.index, question, tv_alloc_libc(), NULL, NULL),
                     TV_OK);
    return detail;
}

static struct tv_detail ask_call(unsigned thread, uint32_t depth, uint64_t ordinal)
{
    struct tv_detail_question question = question_of(TV_DETAIL_CALL);
    question.call = tv_call_at(&w.index, world_thread_ix(&w, thread), depth, ordinal);
    assert_true(tv_call_is(question.call));
    return ask(&question);
}

static void expect_row(const struct tv_detail_row *row, unsigned method, uint64_t calls,
                       uint64_t wall_us)
{
    assert_int_equal(row->method_ix, world_method_ix(&w, method));
    assert_int_equal(row->numbers.calls, calls);
    assert_int_equal(row->numbers.inclusive_ns[TV_CLOCK_WALL], wall_us * 1000);
}

/* run makes load twice; the second load waits in get for 25 ms, and in put for 1 ms. */
static void begin_waiting(void)
{
    world_begin(&w);
    world_enter(&w, MAIN, RUN, 0, 0);
    world_enter(&w, MAIN, LOAD, 1000, 1000);
    world_enter(&w, MAIN, GET, 1100, 1100);
    world_leave(&w, MAIN, GET, 1300, 1200);
    world_leave(&w, MAIN, LOAD, 2000, 1900);
    world_enter(&w, MAIN, LOAD, 3000, 2900);
    world_enter(&w, MAIN, MAP, 3000, 2900);
    world_enter(&w, MAIN, GET, 3100, 3000);
    world_leave(&w, MAIN, GET, 28200, 3100);
    world_enter(&w, MAIN, PUT, 28200, 3100);
    world_leave(&w, MAIN, PUT, 29300, 3200);
    world_leave(&w, MAIN, MAP, 29300, 3200);
    world_leave(&w, MAIN, LOAD, 30000, 3900);
    world_leave(&w, MAIN, RUN, 31000, 4900);
    world_enter(&w, WORKER, GET, 31000, 0);
    world_leave(&w, WORKER, GET, 91000, 0);
    world_end(&w);
}

static void a_call_tells_what_it_waited_for(void **state)
{
    (void)state;
    begin_waiting();
    struct tv_detail detail = ask_call(MAIN, 1, 1);
    assert_int_equal(detail.numbers.inclusive_ns[TV_CLOCK_WALL], 27000000);
    assert_int_equal(detail.numbers.inclusive_ns[TV_CLOCK_CPU], 1000000);
    assert_int_equal(tv_wait_of(&detail.numbers).inclusive_ns, 26000000);
    assert_int_equal(detail.self_ns[TV_CLOCK_WALL], 700000);
    assert_int_equal(detail.parts.count, 1);
    expect_row(&detail.parts.of[0], MAP, 1, 26300);
    assert_int_equal(detail.waits.count, 2);
    expect_row(&detail.waits.of[0], GET, 1, 25100);
    assert_int_equal(detail.waits.of[0].longest_ns, 25000000);
    assert_int_equal(detail.waits.of[0].wait_ns, 25000000);
    assert_int_equal(detail.waits.of[0].longest.depth, 3);
    expect_row(&detail.waits.of[1], PUT, 1, 1100);
    /* MAP passes nearly all of its time on to GET. */
    assert_int_equal(detail.path.count, 1);
    expect_row(&detail.path.of[0], GET, 1, 25100);
    assert_int_equal(detail.path.of[0].passed_on, 1);
    world_release(&w);
}

/* The first load is no part of the second: another call of the same node is not looked at. */
static void another_call_of_the_node_does_not_count(void **state)
{
    (void)state;
    begin_waiting();
    struct tv_detail detail = ask_call(MAIN, 1, 0);
    assert_int_equal(detail.numbers.calls, 1);
    assert_int_equal(detail.numbers.inclusive_ns[TV_CLOCK_WALL], 1000000);
    assert_int_equal(detail.waits.count, 1);
    assert_int_equal(detail.waits.of[0].longest_ns, 100000);
    struct tv_detail_question question = question_of(TV_DETAIL_METHOD);
    question.method_ix = world_method_ix(&w, LOAD);
    detail = ask(&question);
    assert_int_equal(detail.numbers.calls, 2);
    assert_int_equal(detail.waits.of[0].longest_ns, 25000000);
    world_release(&w);
}

/* The trace ends 7 ms after the last record of main, in the second load and the get that it made.
 */
static void what_is_not_recorded_is_told_of_each_subject(void **state)
{
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, RUN, 0, 0);
    world_enter(&w, MAIN, LOAD, 1000, 1000);
    world_leave(&w, MAIN, LOAD, 2000, 1900);
    world_enter(&w, MAIN, LOAD, 2000, 1900);
    world_enter(&w, MAIN, GET, 3000, 2900);
    world_enter(&w, WORKER, PUT, 0, 0);
    world_leave(&w, WORKER, PUT, 10000, 10000);
    world_end(&w);
    struct tv_detail_question question = question_of(TV_DETAIL_SCOPE);
    assert_int_equal(ask(&question).unrecorded_ns, 7000000);
    question.scope.selection =
        (struct tv_selection){.has_range = true, .from_ns = 1000000, .to_ns = 5000000};
    assert_int_equal(ask(&question).unrecorded_ns, 2000000);
    question = question_of(TV_DETAIL_METHOD);
    question.method_ix = world_method_ix(&w, LOAD);
    assert_int_equal(ask(&question).unrecorded_ns, 7000000);
    question.method_ix = world_method_ix(&w, PUT);
    assert_int_equal(ask(&question).unrecorded_ns, 0);
    assert_int_equal(ask_call(MAIN, 1, 0).unrecorded_ns, 0);
    assert_int_equal(ask_call(MAIN, 1, 1).unrecorded_ns, 7000000);
    assert_int_equal(ask_call(MAIN, 2, 0).unrecorded_ns, 7000000);
    world_release(&w);
}

static void a_scope_tells_the_roots_and_the_longest_wait(void **state)
{
    (void)state;
    begin_waiting();
    struct tv_detail_question question = question_of(TV_DETAIL_SCOPE);
    struct tv_detail detail = ask(&question);
    assert_int_equal(detail.parts.count, 2);
    expect_row(&detail.parts.of[0], GET, 1, 60000);
    expect_row(&detail.parts.of[1], RUN, 1, 31000);
    assert_int_equal(detail.self_ns[TV_CLOCK_WALL], 0);
    assert_int_equal(detail.waits.of[0].longest.thread_ix, world_thread_ix(&w, WORKER));
    question.scope.selection =
        (struct tv_selection){.has_range = true, .from_ns = 0, .to_ns = 31000000};
    detail = ask(&question);
    assert_int_equal(detail.parts.count, 1);
    assert_int_equal(detail.waits.of[0].longest.thread_ix, world_thread_ix(&w, MAIN));
    world_release(&w);
}

static void hidden_methods_give_their_time_to_the_subject(void **state)
{
    (void)state;
    begin_waiting();
    struct tv_detail_question question = question_of(TV_DETAIL_CALL);
    question.call = tv_call_at(&w.index, world_thread_ix(&w, MAIN), 1, 1);
    question.scope.methods.hidden = TV_STR("com.app.,com.lib.");
    struct tv_detail detail = ask(&question);
    assert_int_equal(detail.numbers.inclusive_ns[TV_CLOCK_WALL], 27000000);
    assert_int_equal(detail.self_ns[TV_CLOCK_WALL], 700000);
    assert_int_equal(detail.parts.count, 1);
    expect_row(&detail.parts.of[0], MAP, 1, 26300);
    assert_int_equal(detail.parts.of[0].numbers.exclusive_ns[TV_CLOCK_WALL], 26300000);
    assert_int_equal(detail.waits.count, 1);
    expect_row(&detail.waits.of[0], MAP, 1, 26300);
    world_release(&w);
}

/* --- waits, against the plain calls --- */

enum { HIDDEN_CODE = WORLD_METHODS };

static bool is_hidden(unsigned method, bool hides)
{
    return hides && (method == GET || method == PUT || method == MAP);
}

static uint64_t wait_of(const uint64_t times[2], uint64_t most)
{
    uint64_t wait = times[0] > times[1] ? times[0] - times[1] : 0;
    return wait < most ? wait : most;
}

/* What each method's own code took on both clocks; hidden code belongs to the shown caller around
 * it, and to nobody where there is none. */
static void sum_own_code(unsigned thread, uint64_t from, uint64_t to, bool hides,
                         uint64_t own[WORLD_METHODS + 1][2], uint64_t whole[2])
{
    for (int i = 0; i < w.call_count; i++) {
        int shown = i;
        if ((thread && w.calls[i].thread != thread) || !world_overlaps(&w, i, from, to))
            continue;
        while (shown != WORLD_NONE && is_hidden(w.calls[shown].method, hides))
            shown = w.calls[shown].parent;
        unsigned of = shown == WORLD_NONE ? HIDDEN_CODE : w.calls[shown].method;
        for (int clock = 0; clock < 2; clock++) {
            own[of][clock] += world_exclusive(&w, i, clock, from, to);
            whole[clock] +=
                w.calls[i].parent == WORLD_NONE ? world_inside(&w, i, clock, from, to) : 0;
        }
    }
}

static void expect_waits(unsigned thread, uint64_t from, uint64_t to, bool hides)
{
    uint64_t own[WORLD_METHODS + 1][2] = {{0}};
    uint64_t times[2] = {0};
    struct tv_detail_rest large = {0};
    struct tv_detail_rest small = {0};
    struct tv_detail_rest told = {0};
    uint32_t thread_ix = thread ? world_thread_ix(&w, thread) : 0;
    struct tv_detail_question question = question_of(TV_DETAIL_SCOPE);
    question.scope.selection = (struct tv_selection){.has_range = true,
                                                     .from_ns = from,
                                                     .to_ns = to,
                                                     .threads = thread ? &thread_ix : NULL,
                                                     .thread_count = thread ? 1 : 0};
    if (hides)
        question.scope.methods.hidden = TV_STR("com.lib.,java.");
    struct tv_detail detail = ask(&question);
    sum_own_code(thread, from, to, hides, own, times);
    uint64_t whole = wait_of(times, UINT64_MAX);
    for (unsigned method = 0; method < WORLD_METHODS; method++) {
        uint64_t wait = wait_of(own[method], whole);
        struct tv_detail_rest *rest = wait < whole / 100 ? &small : &large;
        rest->methods += wait > 0;
        rest->ns += wait;
    }
    for (size_t i = 0; i < detail.waits.count; i++)
        told.ns += detail.waits.of[i].wait_ns;
    assert_int_equal(tv_wait_of(&detail.numbers).inclusive_ns, whole);
    assert_int_equal(detail.waits.count + detail.more_waits.methods, large.methods);
    assert_int_equal(told.ns + detail.more_waits.ns, large.ns);
    assert_int_equal(detail.small_waits.methods, small.methods);
    assert_int_equal(detail.small_waits.ns, small.ns);
    assert_int_equal(detail.hidden_wait_ns, wait_of(own[HIDDEN_CODE], whole));
}

/* Every wait is told: in a row, as one of more methods, as small, or as hidden. */
static void each_wait_has_its_place_whatever_is_chosen(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        world_any(&w, seed);
        for (unsigned choice = 0; choice < 12; choice++) {
            const uint64_t from = choice % 3 ? w.latest / 4 : 0;
            const uint64_t to = choice % 3 == 2 ? w.latest / 2 : w.latest + 1000;
            expect_waits(choice / 3 % 2 ? MAIN : 0, from, to, choice >= 6);
        }
        world_release(&w);
    }
}

/* Three large waits in hidden code are no small ones. */
static void waits_in_hidden_code_are_told_as_such(void **state)
{
    (void)state;
    begin_waiting();
    struct tv_detail_question question = question_of(TV_DETAIL_SCOPE);
    question.scope.methods.hidden = TV_STR("com.lib.,java.");
    struct tv_detail detail = ask(&question);
    assert_int_equal(detail.hidden_wait_ns, 60000000);
    assert_int_equal(detail.small_waits.methods, 0);
    assert_int_equal(detail.more_waits.methods, 0);
    world_release(&w);
}

/* The times of a call and of what it made, call by call. */
static uint64_t duration(int call, int clock)
{
    return w.calls[call].end[clock] - w.calls[call].start[clock];
}

/* Where the plain call stands in its row. */
static struct tv_call_ref ref_of(int call)
{
    uint64_t before = 0;
    for (int i = 0; i < w.call_count; i++) {
        bool is_row =
            w.calls[i].thread == w.calls[call].thread && w.calls[i].depth == w.calls[call].depth;
        before += is_row && i < call && w.calls[i].start[0] <= w.calls[call].start[0];
    }
    return tv_call_at(&w.index, world_thread_ix(&w, w.calls[call].thread), w.calls[call].depth,
                      before);
}

static bool is_exactly(struct tv_call_ref ref, int call)
{
    const struct tv_index_thread *thread = &w.index.threads[ref.thread_ix];
    bool is = tv_call_is(ref) &&
              tv_call_method(&w.index, ref) == world_method_ix(&w, w.calls[call].method);
    for (int clock = 0; clock < 2 && is; clock++)
        is = tv_index_start(&w.index, thread, (enum tv_clock)clock, ref.call) *
                     w.index.info->unit_ns ==
                 w.calls[call].start[clock] &&
             tv_index_duration(&w.index, thread, (enum tv_clock)clock, ref.call) *
                     w.index.info->unit_ns ==
                 duration(call, clock);
    return is;
}

/* Of random traces: a call's own time and its parts add up to its duration on both clocks, and the
 * parts are what its callees took. Callees of no wall time may be anyone's at its edges. */
static void parts_and_self_add_up_to_each_call(void **state)
{
    unsigned checked = 0;
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        world_any(&w, seed);
        for (int i = 0; i < w.call_count; i += 7) {
            struct tv_detail_question question = question_of(TV_DETAIL_CALL);
            uint64_t callees = 0;
            uint64_t parts = 0;
            question.call = ref_of(i);
            if (!is_exactly(question.call, i))
                continue;
            struct tv_detail detail = ask(&question);
            for (int k = 0; k < w.call_count; k++)
                callees += w.calls[k].parent == i ? duration(k, 0) : 0;
            for (size_t k = 0; k < detail.parts.count; k++)
                parts += detail.parts.of[k].numbers.inclusive_ns[TV_CLOCK_WALL];
            for (int clock = 0; clock < 2; clock++)
                assert_int_equal(detail.numbers.inclusive_ns[clock], duration(i, clock));
            assert_int_equal(parts, callees); /* six methods have room among eight parts */
            assert_int_equal(detail.self_ns[TV_CLOCK_WALL], duration(i, 0) - callees);
            checked++;
        }
        world_release(&w);
    }
    assert_in_range(checked, 500, SEEDS * WORLD_CALLS);
}

static void methods_equal_their_profile(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        world_any(&w, seed);
        for (uint32_t i = 0; i < w.index.method_count; i++) {
            const struct tv_index_method *method = &w.index.methods[i];
            struct tv_detail_question question = question_of(TV_DETAIL_METHOD);
            question.method_ix = i;
            struct tv_detail detail = ask(&question);
            assert_int_equal(detail.numbers.calls, method->calls + method->recursive_calls);
            uint64_t sum = detail.self_ns[TV_CLOCK_WALL];
            for (size_t k = 0; k < detail.parts.count; k++)
                sum += detail.parts.of[k].numbers.inclusive_ns[TV_CLOCK_WALL];
            assert_int_equal(sum, method->inclusive[TV_CLOCK_WALL] * w.index.info->unit_ns);
            assert_int_equal(detail.numbers.inclusive_ns[TV_CLOCK_WALL], sum);
            assert_int_equal(detail.numbers.exclusive_ns[TV_CLOCK_WALL],
                             method->exclusive[TV_CLOCK_WALL] * w.index.info->unit_ns);
        }
        world_release(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_tells_what_it_waited_for),
        cmocka_unit_test(another_call_of_the_node_does_not_count),
        cmocka_unit_test(what_is_not_recorded_is_told_of_each_subject),
        cmocka_unit_test(a_scope_tells_the_roots_and_the_longest_wait),
        cmocka_unit_test(each_wait_has_its_place_whatever_is_chosen),
        cmocka_unit_test(waits_in_hidden_code_are_told_as_such),
        cmocka_unit_test(hidden_methods_give_their_time_to_the_subject),
        cmocka_unit_test(parts_and_self_add_up_to_each_call),
        cmocka_unit_test(methods_equal_their_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
