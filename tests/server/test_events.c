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
    struct tv_state_view view = {
        .phase = TV_PHASE_LOADING, .end_no = 1, .of = 100, .step = "reading", .label = "a\"b"};
    struct tv_events events = {.said_ns = 0};
    (void)state;
    assert_string_equal(next(&events, &view, 5), "event: progress\ndata: {\"done\":0,\"of\":100,"
                                                 "\"step\":\"reading\",\"file\":\"a\\\"b\"}\n\n");
    assert_string_equal(next(&events, &view, 6), "");
    view.done = 50;
    assert_non_null(strstr(next(&events, &view, 7), "\"done\":50"));
    assert_string_equal(next(&events, &view, 8), "");
    view.step = "unpacking";
    assert_non_null(strstr(next(&events, &view, 9), "\"step\":\"unpacking\""));
}

static void ready_is_said_once_then_pings(void **state)
{
    struct tv_state_view view = {.shown_no = 1, .end_no = 2};
    struct tv_events events = {.said_ns = 0};
    (void)state;
    assert_string_equal(next(&events, &view, 5), "event: ready\ndata: {\"trace\":1}\n\n");
    assert_string_equal(next(&events, &view, 6), "");
    assert_string_equal(next(&events, &view, 5 + SECOND), "event: ping\ndata: {}\n\n");
    assert_string_equal(next(&events, &view, 6 + SECOND), "");
}

static void where_nothing_is_open_the_page_asks_too(void **state)
{
    struct tv_state_view view = {.end_no = 1};
    struct tv_events events = {.said_ns = 0};
    (void)state;
    assert_string_equal(next(&events, &view, 5), "event: ready\ndata: {\"trace\":0}\n\n");
    assert_string_equal(next(&events, &view, 6), "");
}

static void a_failure_has_its_reason_and_then_loading_is_over(void **state)
{
    struct tv_state_view view = {
        .shown_no = 1, .end_no = 2, .failure_no = 3, .label = "b", .failure = {.text = "is odd"}};
    struct tv_events events = {.said_ns = 0};
    (void)state;
    assert_string_equal(next(&events, &view, 5), "event: ready\ndata: {\"trace\":1}\n\n");
    assert_string_equal(next(&events, &view, 6), ""); /* a failure of before is no news */
    view.failure_no = 4;
    view.end_no = 3;
    assert_string_equal(next(&events, &view, 7),
                        "event: failed\ndata: {\"file\":\"b\",\"error\":\"is odd\"}\n\n");
    assert_string_equal(next(&events, &view, 8), "event: ready\ndata: {\"trace\":1}\n\n");
    view.failure_no = 5;
    view.has_refused_mapping = true;
    assert_string_equal(
        next(&events, &view, 9),
        "event: failed\ndata: {\"file\":\"b\",\"error\":\"is odd\",\"mapping\":true}\n\n");
    assert_string_equal(next(&events, &view, 9), "");
}

static void another_trace_is_ready_while_the_rest_of_it_is_read(void **state)
{
    struct tv_state_view view = {
        .shown_no = 1, .end_no = 2, .phase = TV_PHASE_LOADING, .of = 9, .step = "reading"};
    struct tv_events events = {.said_ns = 0};
    (void)state;
    assert_non_null(strstr(next(&events, &view, 5), "event: ready\n"));
    assert_non_null(strstr(next(&events, &view, 6), "event: progress\n"));
    view.shown_no = 2;
    assert_string_equal(next(&events, &view, 7), "event: ready\ndata: {\"trace\":2}\n\n");
    assert_string_equal(next(&events, &view, 8), "");
    view.end_no = 3;
    view.phase = TV_PHASE_SAVING;
    assert_string_equal(next(&events, &view, 9), "event: ready\ndata: {\"trace\":2}\n\n");
    assert_string_equal(next(&events, &view, 10), "");
}

static void a_new_recording_is_said_to_each_stream_until_it_is_read(void **state)
{
    struct tv_state_view view = {.shown_no = 1, .end_no = 2, .anew_no = 1};
    struct tv_events events = {.said_ns = 0};
    (void)state;
    assert_non_null(strstr(next(&events, &view, 5), "event: ready\n"));
    assert_string_equal(next(&events, &view, 6), "event: reload\ndata: {}\n\n");
    assert_string_equal(next(&events, &view, 7), "");
    view.shown_no = 2;
    view.anew_no = 0;
    assert_non_null(strstr(next(&events, &view, 8), "event: ready\n"));
    assert_string_equal(next(&events, &view, 9), "");
    view.anew_no = 1;
    assert_non_null(strstr(next(&events, &view, 10), "event: reload\n"));
}

static void the_longest_name_and_reason_fit(void **state)
{
    struct tv_state_view view = {.shown_no = 1, .end_no = 2};
    struct tv_events events = {.said_ns = 0};
    (void)state;
    (void)next(&events, &view, 5);
    memset(view.label, 1, sizeof(view.label) - 1); /* six bytes each */
    memset(view.failure.text, 1, sizeof(view.failure.text) - 1);
    view.failure_no = 1;
    assert_int_equal(strncmp(next(&events, &view, 6), "event: failed\n", 14), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress_is_said_when_it_changes),
        cmocka_unit_test(ready_is_said_once_then_pings),
        cmocka_unit_test(where_nothing_is_open_the_page_asks_too),
        cmocka_unit_test(a_failure_has_its_reason_and_then_loading_is_over),
        cmocka_unit_test(another_trace_is_ready_while_the_rest_of_it_is_read),
        cmocka_unit_test(a_new_recording_is_said_to_each_stream_until_it_is_read),
        cmocka_unit_test(the_longest_name_and_reason_fit),
    };
    return cmocka_run_group_tests_name("server/events", tests, NULL, NULL);
}
