/* server/traces: numbers, who uses them, what is loaded next and what is closed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "os/clock.h"
#include "server/eviction.h"
#include "server/traces.h"

#define SECOND_NS 1000000000u
#define ROUNDS 300u

static struct tv_origin origin_of(const char *name)
{
    struct tv_origin origin;
    tv_origin_init(&origin, TV_ORIGIN_FILE, name, tv_str_from(name));
    return origin;
}

static uint64_t open_trace(struct tv_traces *traces, const char *name)
{
    struct tv_origin origin = origin_of(name);
    uint64_t number = 0;
    assert_int_equal(tv_traces_open(traces, &origin, &number, NULL), TV_OK);
    return number;
}

/* Loads what is wanted first, as the loader does, and says what it was. */
static void load_next(struct tv_traces *traces, const char *expected)
{
    struct tv_origin origin;
    struct tv_index index;
    struct tv_state *state = tv_traces_take_wanted(traces, &origin);
    assert_non_null(state);
    assert_string_equal(origin.label, expected);
    origin.stamp.of[0].inode = 1; /* a file that is there */
    tv_index_init(&index);
    assert_int_equal(tv_state_show(state, &index, &origin, 1, 1, NULL), TV_OK);
    assert_true(tv_state_finish(state, &origin, TV_OK, NULL));
    tv_state_end_saving(state);
    tv_traces_evict(traces);
    tv_traces_done(state);
}

static bool is_open(struct tv_traces *traces, uint64_t number)
{
    struct tv_state *state = tv_traces_take(traces, number);
    struct tv_shown *shown = tv_state_hold(state);
    tv_state_let_go(shown);
    tv_traces_leave(state);
    return shown != NULL;
}

static void begin(struct tv_traces *traces)
{
    assert_int_equal(tv_traces_init(traces, tv_alloc_libc(), NULL), TV_OK);
}

static void each_trace_gets_the_next_number(void **unused)
{
    struct tv_traces traces;
    (void)unused;
    begin(&traces);
    assert_int_equal(open_trace(&traces, "a"), 2);
    assert_int_equal(open_trace(&traces, "b"), 3);
    struct tv_state *third = tv_traces_take(&traces, 3);
    assert_string_equal(tv_state_look(third).label, "b");
    tv_traces_leave(third);
    assert_null(tv_traces_take(&traces, 0));
    assert_null(tv_traces_take(&traces, 4));
    assert_null(tv_traces_take(&traces, UINT64_MAX));
    assert_null(tv_traces_next(&traces, 3));
    assert_null(tv_traces_next(&traces, UINT64_MAX));
    tv_traces_release(&traces);
}

static void what_was_wanted_first_is_loaded_first(void **unused)
{
    struct tv_traces traces;
    (void)unused;
    begin(&traces);
    (void)open_trace(&traces, "a");
    (void)open_trace(&traces, "b");
    struct tv_origin again = origin_of("c"); /* a later wish of the same address */
    tv_state_want(traces.of[1], &again);
    assert_true(tv_traces_are_loading(&traces));
    load_next(&traces, "b");
    load_next(&traces, "c");
    assert_false(tv_traces_are_loading(&traces));
    tv_traces_release(&traces);
}

static void what_is_compared_waits_for_the_first(void **unused)
{
    struct tv_traces traces;
    struct tv_origin first = origin_of("new");
    struct tv_origin behind = origin_of("old");
    struct tv_origin taken;
    uint64_t number;
    (void)unused;
    begin(&traces);
    behind.is_behind_first = true;
    tv_state_want(traces.of[0], &first);
    assert_int_equal(tv_traces_open(&traces, &behind, &number, NULL), TV_OK);
    struct tv_state *state = tv_traces_take_wanted(&traces, &taken);
    assert_string_equal(taken.label, "new");
    (void)open_trace(&traces, "other"); /* is wanted later, and taken sooner */
    load_next(&traces, "other");
    assert_true(tv_traces_are_loading(&traces));
    /* It may be that the first one cannot be read. Nobody looks at the old one meanwhile: it waits
     * for a second. */
    const uint64_t ended_ns = tv_now_ns();
    (void)tv_state_finish(state, &taken, TV_ERR_FORMAT, &(struct tv_error){.code = TV_ERR_FORMAT});
    load_next(&traces, "old");
    assert_true(tv_passed_ns(ended_ns, tv_now_ns()) >= SECOND_NS * UINT64_C(9) / 10);
    tv_origin_release(&taken);
    tv_traces_done(state);
    tv_traces_release(&traces);
}

/* A page that has drawn the first trace asks for the old one, which is read at once then. */
static void what_is_compared_is_read_when_somebody_looks(void **unused)
{
    struct tv_traces traces;
    struct tv_origin first = origin_of("new");
    struct tv_origin behind = origin_of("old");
    uint64_t number;
    (void)unused;
    begin(&traces);
    behind.is_behind_first = true;
    tv_state_want(traces.of[0], &first);
    assert_int_equal(tv_traces_open(&traces, &behind, &number, NULL), TV_OK);
    tv_state_visit(traces.of[0], 0); /* is no look at another one */
    assert_false(traces.group.are_others_asked);
    load_next(&traces, "new");
    tv_state_visit(traces.of[1], 0);
    assert_true(traces.group.are_others_asked);
    const uint64_t begin_ns = tv_now_ns();
    load_next(&traces, "old");
    assert_true(tv_passed_ns(begin_ns, tv_now_ns()) < SECOND_NS * UINT64_C(9) / 10);
    tv_traces_release(&traces);
}

/* One thread reads for an address at a time: the other one waits until it has left. */
static void an_address_has_one_thread_at_a_time(void **unused)
{
    struct tv_traces traces;
    struct tv_origin origin;
    struct tv_index index;
    (void)unused;
    begin(&traces);
    (void)open_trace(&traces, "a");
    struct tv_state *state = tv_traces_take_wanted(&traces, &origin);
    tv_index_init(&index);
    assert_int_equal(tv_state_show(state, &index, &origin, 1, 1, NULL), TV_OK);
    assert_true(tv_state_finish(state, &origin, TV_OK, NULL));
    assert_true(tv_traces_is_saving(&traces, state));
    struct tv_origin again = origin_of("b");
    tv_state_want(state, &again);
    assert_false(tv_traces_is_saving(&traces, state)); /* another one is wanted here */
    assert_false(tv_state_is_to_take(state));          /* and waits for this thread */
    tv_state_end_saving(state);
    tv_traces_done(state);
    load_next(&traces, "b");
    tv_traces_release(&traces);
}

static void saving_gives_way_to_a_trace_that_has_no_thread(void **unused)
{
    struct tv_traces traces;
    struct tv_origin origin;
    struct tv_index index;
    (void)unused;
    begin(&traces);
    (void)open_trace(&traces, "a");
    struct tv_state *state = tv_traces_take_wanted(&traces, &origin);
    tv_index_init(&index);
    assert_int_equal(tv_state_show(state, &index, &origin, 1, 1, NULL), TV_OK);
    assert_true(tv_state_finish(state, &origin, TV_OK, NULL));
    (void)open_trace(&traces, "b");
    assert_false(tv_traces_is_saving(&traces, state));
    traces.idle_count = 1; /* a thread that is about to take it */
    assert_true(tv_traces_is_saving(&traces, state));
    traces.idle_count = 0;
    tv_state_end_saving(state);
    tv_traces_done(state);
    tv_traces_release(&traces);
}

static void the_trace_that_was_looked_at_longest_ago_is_closed(void **unused)
{
    struct tv_traces traces;
    char name[16];
    (void)unused;
    begin(&traces);
    for (unsigned i = 0; i < TV_EVICTION_TRACES; i++) {
        (void)snprintf(name, sizeof(name), "%u", i);
        (void)open_trace(&traces, name);
        load_next(&traces, name);
    }
    tv_state_visit(traces.of[1], 0); /* the first of them, number 2 */
    (void)open_trace(&traces, "more");
    load_next(&traces, "more");
    assert_true(is_open(&traces, 2));
    assert_false(is_open(&traces, 3));
    assert_true(is_open(&traces, 4));
    tv_state_visit(traces.of[2], 0); /* somebody looks at the closed one */
    load_next(&traces, "1");
    assert_true(is_open(&traces, 3));
    assert_false(is_open(&traces, 4));
    tv_traces_release(&traces);
}

static void addresses_are_forgotten_unless_somebody_is_there(void **unused)
{
    struct tv_traces traces;
    struct tv_error err = {.code = TV_OK};
    (void)unused;
    begin(&traces);
    for (unsigned i = 1; i < TV_TRACES_MOST; i++) {
        (void)open_trace(&traces, "x");
        load_next(&traces, "x");
    }
    struct tv_state *held = tv_traces_take(&traces, 2); /* its page is open */
    assert_int_equal(open_trace(&traces, "y"), TV_TRACES_MOST + 1);
    assert_null(tv_traces_take(&traces, 3));
    assert_int_equal(traces.count, TV_TRACES_MOST);
    tv_traces_join(held);
    tv_traces_leave(held);
    tv_traces_leave(held);
    load_next(&traces, "y");
    assert_int_equal(open_trace(&traces, "z"), TV_TRACES_MOST + 2);
    assert_null(tv_traces_take(&traces, 2));             /* left, and looked at longest ago */
    struct tv_state *first = tv_traces_take(&traces, 1); /* the start of the program stays */
    assert_non_null(first);
    tv_traces_leave(first);
    for (unsigned i = 0; i < TV_TRACES_MOST; i++) {
        struct tv_origin origin = origin_of("w");
        uint64_t number;
        if (tv_traces_open(&traces, &origin, &number, &err) != TV_OK)
            break;
    }
    assert_int_equal(err.code, TV_ERR_CONFLICT); /* each has a trace on its way */
    assert_string_equal(err.text, "this viewer has 64 traces open: close the page of one of them");
    tv_traces_release(&traces);
}

static void at_the_end_nothing_more_is_taken(void **unused)
{
    struct tv_traces traces;
    struct tv_origin origin;
    (void)unused;
    begin(&traces);
    (void)open_trace(&traces, "a");
    struct tv_state *state = tv_traces_take_wanted(&traces, &origin);
    (void)open_trace(&traces, "b");
    tv_traces_end(&traces);
    assert_false(tv_traces_wait_until_idle(&traces, 1000000));
    assert_false(tv_state_tell(state, "reading", 1, 2));
    assert_false(tv_state_finish(state, &origin, TV_ERR_CANCELLED, NULL));
    tv_traces_done(state);
    assert_true(tv_traces_wait_until_idle(&traces, SECOND_NS));
    assert_int_equal(open_trace(&traces, "c"), 4); /* a request may come late */
    assert_null(tv_traces_take_wanted(&traces, &origin));
    tv_traces_release(&traces);
}

static void *load_all(void *arg)
{
    struct tv_traces *traces = arg;
    struct tv_origin origin;
    struct tv_state *state;
    while ((state = tv_traces_take_wanted(traces, &origin))) {
        struct tv_index index;
        tv_index_init(&index);
        origin.stamp.of[0].inode = 1;
        if (tv_state_show(state, &index, &origin, 1, 1, NULL) == TV_OK &&
            tv_state_finish(state, &origin, TV_OK, NULL))
            tv_state_end_saving(state);
        tv_traces_evict(traces);
        tv_traces_done(state);
    }
    return NULL;
}

/* Asks all over the table while traces are opened, closed and forgotten. */
static void *ask_all(void *arg)
{
    struct tv_traces *traces = arg;
    struct tv_state *state;
    for (unsigned i = 0; i < ROUNDS; i++) {
        for (uint64_t number = 0; (state = tv_traces_next(traces, number));) {
            number = state->number;
            tv_state_visit(state, 100000);
            struct tv_shown *shown = tv_state_hold(state);
            tv_state_let_go(shown);
            if (i % 7 == 0)
                tv_state_cancel(state);
            tv_traces_leave(state);
        }
    }
    return NULL;
}

static void many_ask_while_traces_come_and_go(void **unused)
{
    struct tv_traces traces;
    pthread_t loaders[TV_TRACES_LOADERS];
    pthread_t askers[2];
    unsigned opened = 0;
    (void)unused;
    begin(&traces);
    for (unsigned i = 0; i < TV_TRACES_LOADERS; i++)
        assert_int_equal(pthread_create(&loaders[i], NULL, load_all, &traces), 0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&askers[i], NULL, ask_all, &traces), 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct tv_origin origin = origin_of("x");
        uint64_t number;
        opened += tv_traces_open(&traces, &origin, &number, NULL) == TV_OK;
    }
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_join(askers[i], NULL), 0);
    tv_traces_end(&traces);
    assert_true(tv_traces_wait_until_idle(&traces, 60u * (uint64_t)SECOND_NS));
    for (unsigned i = 0; i < TV_TRACES_LOADERS; i++)
        assert_int_equal(pthread_join(loaders[i], NULL), 0);
    assert_true(opened >= TV_TRACES_MOST - 1);
    assert_int_equal(traces.last_number, opened + 1);
    for (size_t i = 0; i < traces.count; i++)
        assert_int_equal(traces.of[i]->user_count, 1);
    tv_traces_release(&traces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_trace_gets_the_next_number),
        cmocka_unit_test(what_was_wanted_first_is_loaded_first),
        cmocka_unit_test(what_is_compared_waits_for_the_first),
        cmocka_unit_test(what_is_compared_is_read_when_somebody_looks),
        cmocka_unit_test(an_address_has_one_thread_at_a_time),
        cmocka_unit_test(saving_gives_way_to_a_trace_that_has_no_thread),
        cmocka_unit_test(the_trace_that_was_looked_at_longest_ago_is_closed),
        cmocka_unit_test(addresses_are_forgotten_unless_somebody_is_there),
        cmocka_unit_test(at_the_end_nothing_more_is_taken),
        cmocka_unit_test(many_ask_while_traces_come_and_go),
    };
    return cmocka_run_group_tests_name("server/traces", tests, NULL, NULL);
}
