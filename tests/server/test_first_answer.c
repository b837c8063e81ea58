/* server/first_answer: the state, the settings and the trace in one answer. What it says of a trace
 * is compared with `info` in changing.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "os/clock.h"
#include "server/first_answer.h"
#include "shown.h"

#define SECOND_NS 1000000000u

static void begin(struct tv_viewer *viewer)
{
    *viewer = (struct tv_viewer){.alloc = tv_alloc_libc()};
    assert_int_equal(tv_traces_init(&viewer->traces, viewer->alloc, NULL), TV_OK);
}

/* Compares the answer with what is expected. */
static void expect_answer(struct tv_viewer *viewer, const char *expected)
{
    struct tv_http_response response;
    tv_http_response_init(&response, viewer->alloc);
    tv_first_send(viewer, viewer->traces.of[0], &response);
    struct tv_str body = tv_buffer_view(&response.owned);
    assert_int_equal(response.status, 200);
    if (!tv_str_equal(body, tv_str_from(expected)))
        fail_msg("answered %.*s", (int)body.len, body.at);
    tv_http_response_release(&response);
}

static void want(struct tv_viewer *viewer)
{
    struct tv_origin origin;
    tv_origin_init(&origin, TV_ORIGIN_FILE, "x.trace", TV_STR("x.trace"));
    tv_state_want(viewer->traces.of[0], &origin);
}

static void without_a_trace_it_says_so_at_once(void **state)
{
    struct tv_viewer viewer;
    (void)state;
    begin(&viewer);
    uint64_t begun_ns = tv_now_ns();
    expect_answer(&viewer, "{\"state\":{\"trace\":0,\"loading\":false,\"landlock\":false,\"saves\":"
                           "false}\n,\"settings\":{}\n}\n");
    assert_true(tv_now_ns() - begun_ns < SECOND_NS);
    tv_traces_release(&viewer.traces);
}

static void why_the_last_file_is_not_shown_is_told(void **state)
{
    const struct tv_error err = {.code = TV_ERR_FORMAT, .text = "it is \"odd\""};
    struct tv_viewer viewer;
    struct tv_origin origin;
    (void)state;
    begin(&viewer);
    want(&viewer);
    origin = take_wanted(viewer.traces.of[0]);
    assert_false(tv_state_finish(viewer.traces.of[0], &origin, err.code, &err));
    expect_answer(
        &viewer,
        "{\"state\":{\"trace\":0,\"loading\":false,\"landlock\":false,\"saves\":false,\"error\":"
        "\"it is \\\"odd\\\"\"}"
        "\n,\"settings\":{}\n}\n");
    tv_traces_release(&viewer.traces);
}

#define LOADING                                                                                    \
    "{\"state\":{\"trace\":0,\"loading\":true,\"landlock\":true,\"saves\":false}\n,\"settings\":{" \
    "}"                                                                                            \
    "\n}\n"

static void *wait_for_answer(void *arg)
{
    expect_answer(arg, LOADING);
    return NULL;
}

static bool has_waiter(const struct tv_state *state)
{
    pthread_mutex_lock(&state->group->lock);
    bool is_waiting = state->group->has_waiter;
    pthread_mutex_unlock(&state->group->lock);
    return is_waiting;
}

static void one_waits_a_second_for_a_trace_and_others_do_not(void **state)
{
    struct tv_viewer viewer;
    pthread_t waiting;
    (void)state;
    begin(&viewer);
    atomic_store(&viewer.is_in_landlock, true);
    want(&viewer);
    uint64_t begun_ns = tv_now_ns();
    assert_int_equal(pthread_create(&waiting, NULL, wait_for_answer, &viewer), 0);
    while (!has_waiter(viewer.traces.of[0]))
        (void)sched_yield();
    uint64_t asked_ns = tv_now_ns();
    expect_answer(&viewer, LOADING);
    assert_true(tv_now_ns() - asked_ns < SECOND_NS / 2);
    assert_int_equal(pthread_join(waiting, NULL), 0);
    assert_true(tv_now_ns() - begun_ns >= SECOND_NS);
    tv_traces_release(&viewer.traces);
}

static void settings_are_those_of_the_file(void **state)
{
    char path[] = "/tmp/traceview-test-XXXXXX";
    struct tv_viewer viewer;
    (void)state;
    begin(&viewer);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "{\"a\":1}", 7), 7);
    assert_int_equal(close(fd), 0);
    viewer.settings_path = path;
    expect_answer(&viewer, "{\"state\":{\"trace\":0,\"loading\":false,\"landlock\":false,\"saves\":"
                           "false}\n,\"settings\":{\"a\":1}}\n");
    assert_int_equal(truncate(path, 3), 0); /* no JSON any more */
    expect_answer(&viewer, "{\"state\":{\"trace\":0,\"loading\":false,\"landlock\":false,\"saves\":"
                           "false}\n,\"settings\":{}\n}\n");
    assert_int_equal(unlink(path), 0);
    tv_traces_release(&viewer.traces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_trace_it_says_so_at_once),
        cmocka_unit_test(why_the_last_file_is_not_shown_is_told),
        cmocka_unit_test(one_waits_a_second_for_a_trace_and_others_do_not),
        cmocka_unit_test(settings_are_those_of_the_file),
    };
    return cmocka_run_group_tests_name("server/first_answer", tests, NULL, NULL);
}
