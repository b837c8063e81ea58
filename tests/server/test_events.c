/* server/events: what a stream says, and when it is silent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/events.h"

#define SECOND 1000000000u

static const char *next(struct tv_events *events, const struct tv_state_view *view, uint64_t now_ns)
{
    static char out[TV_EVENTS_ROOM + 1];
    size_t len = tv_events_next(events, view, now_ns, out);
    out[len] = '\0';
    return out;
}

static void progress_is_said_when_it_changes(void **state)
{
    struct tv_state_view view = {.phase = TV_PHASE_LOADING, .of = 100, .step = "reading"};
    struct tv_events events = {.said_ns = 0};
    (void)state;
    assert_string_equal(
        next(&events, &view, 5),
        "event: progress\ndata: {\"done\": 0, \"of\": 100, \"step\": \"reading\"}\n\n");
    assert_string_equal(next(&events, &view, 6), "");
    view.done = 50;
    assert_string_equal(
        next(&events, &view, 7),
        "event: progress\ndata: {\"done\": 50, \"of\": 100, \"step\": \"reading\"}\n\n");
}

static void ready_is_said_once_then_pings(void **state)
{
    struct tv_state_view view = {.phase = TV_PHASE_READY};
    struct tv_events events = {.said_ns = 0};
    (void)state;
    assert_string_equal(next(&events, &view, 5), "event: ready\ndata: {}\n\n");
    assert_string_equal(next(&events, &view, 6), "");
    assert_string_equal(next(&events, &view, 5 + SECOND), "event: ping\ndata: {}\n\n");
    assert_string_equal(next(&events, &view, 6 + SECOND), "");
}

static void a_failure_lets_the_page_ask(void **state)
{
    struct tv_state_view view = {.phase = TV_PHASE_FAILED};
    struct tv_events events = {.said_ns = 0};
    (void)state;
    assert_string_equal(next(&events, &view, 5), "event: ready\ndata: {}\n\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress_is_said_when_it_changes),
        cmocka_unit_test(ready_is_said_once_then_pings),
        cmocka_unit_test(a_failure_lets_the_page_ask),
    };
    return cmocka_run_group_tests_name("server/events", tests, NULL, NULL);
}
