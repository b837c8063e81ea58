/* Recording by looks: the recorder's own, and those that somebody tells of. */
#include "record/watch.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <traceview/record.h>

#include "record/content.h"
#include "record/recorder.h"
#include "record/sampling.h"

static struct tv_method method = TV_METHOD("work");
static struct tv_method inner = TV_METHOD("inner");
static struct tv_method short_one = TV_METHOD("short_one");

static void spin(uint64_t ms)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((uint64_t)(now.tv_sec - begin.tv_sec) * 1000 + (uint64_t)now.tv_nsec / 1000000 <
           (uint64_t)begin.tv_nsec / 1000000 + ms);
}

/* Many short calls and few long ones: what is seen follows the rule of enters and exits. */
static void *call_short_and_long(void *ctx)
{
    (void)ctx;
    for (int i = 0; i < 25; i++) {
        unsigned call = tv_method_enter(&method);
        for (int j = 0; j < 1000; j++) {
            unsigned short_call = tv_method_enter(&short_one);
            tv_method_exit(short_call);
        }
        unsigned long_call = tv_method_enter(&inner);
        spin(10);
        tv_method_exit(long_call);
        tv_method_exit(call);
    }
    return NULL;
}

static void an_interval_sees_long_calls_and_not_each_short_one(void **state)
{
    (void)state;
    pthread_t thread;
    assert_int_equal(tv_start_method_tracing_sampling(in_folder("seen"), 0, 0),
                     TV_TRACE_BAD_INTERVAL);
    assert_int_equal(tv_start_method_tracing_sampling(in_folder("seen"), 0, 500), TV_TRACE_OK);
    assert_int_equal(pthread_create(&thread, NULL, call_short_and_long, NULL), 0);
    (void)call_short_and_long(NULL);
    pthread_join(thread, NULL);
    assert_int_equal(tv_stop_method_tracing(), TV_TRACE_OK);
    struct content content = read_file("seen.trace");
    /* Of each thread at least one call of `work` and of `inner`: runs of equal stacks look like
     * one. */
    assert_in_range(content.enters, 4, 2000);
    assert_true(content.exits <= content.enters);
    assert_int_equal(content.unwinds, 0);
    assert_int_equal(content.falls, 0);
    assert_non_null(strstr(content.text, "inner\t()"));
    assert_null(strstr(content.text, "record-call-overhead-nsec="));
    assert_non_null(strstr(content.text, "sampling-interval-usec="));
}

static void stacks_that_another_tells_of_become_calls(void **state)
{
    static struct tv_stack_view view = {.depth = 2};
    (void)state;
    char path[PATH_MAX];
    assert_true(tv_recorder_path(path, in_folder("watched")));
    assert_null(tv_recorder_watch("early"));
    assert_int_equal(tv_recorder_start(&(struct tv_recorder_options){
                         .path = path, .interval_us = 1000, .is_watched = true}),
                     TV_TRACE_OK);
    struct tv_watched *watched = tv_recorder_watch("a watched thread");
    assert_non_null(watched);
    uint32_t outer = tv_recorder_method(&(struct tv_method_text){.name = "A.outer"});
    uint32_t in = tv_recorder_method(&(struct tv_method_text){.name = "A.inner"});
    view.methods[0] = outer;
    view.methods[1] = in;
    tv_recorder_saw(watched, &view, 1000000, 0);
    tv_recorder_saw(watched, &view, 2000000, 0); /* nothing has changed */
    view.methods[1] = outer;
    tv_recorder_saw(watched, &view, 3000000, 0);
    view.depth = 0;
    tv_recorder_saw(watched, &view, 4000000, 0);
    tv_recorder_tell_looks(
        &(struct tv_recorder_looks){.stacks = 4, .running = 3, .tick_us = 4000, .apart_us = 8000});
    assert_int_equal(tv_recorder_stop(NULL), TV_TRACE_OK);
    struct content content = read_file("watched.trace");
    assert_non_null(strstr(content.text, "\nsampled-stacks=4\nsampled-running-stacks=3\n"
                                         "sampling-tick-usec=4000\nsampling-apart-usec=8000\n"));
    assert_int_equal(content.enters, 3);
    assert_int_equal(content.exits, 3);
    assert_int_equal(content.falls, 0);
    assert_non_null(strstr(content.text, "1\ta watched thread\n"));
    assert_non_null(strstr(content.text, "A\tinner\t"));
}

/* A call that is told of late has the time when it was: its CPU time fits into it. */
static void what_was_seen_some_time_ago_has_its_time(void **state)
{
    static struct tv_stack_view view = {.depth = 1};
    (void)state;
    char path[PATH_MAX];
    assert_true(tv_recorder_path(path, in_folder("late")));
    assert_int_equal(tv_recorder_start(&(struct tv_recorder_options){.path = path}), TV_TRACE_OK);
    struct tv_watched *watched = tv_recorder_watch("late");
    view.methods[0] = tv_recorder_method(&(struct tv_method_text){.name = "A.late"});
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    tv_recorder_saw(watched, &view, 1000000, 15000000);
    view.depth = 0;
    tv_recorder_saw(watched, &view, 13000000, 0);
    assert_int_equal(tv_recorder_stop(NULL), TV_TRACE_OK);
    struct content content = read_file("late.trace");
    assert_int_equal(content.records, 2);
    assert_int_equal(content.falls, 0);
    assert_in_range(content.last_cpu_us, 11990, 12010); /* not cut to the wall time, */
    assert_true(content.last_wall_us >= 20000);         /* which is that of the program */
}

/* One that rests keeps its calls; one that ends closes them, and its row is the next one's. */
static void carried_threads_share_rows_one_after_another(void **state)
{
    static struct tv_stack_view view = {.depth = 1};
    static struct tv_watched *own[TV_OWN_CARRIED_ROWS];
    (void)state;
    char path[PATH_MAX];
    assert_true(tv_recorder_path(path, in_folder("carried")));
    assert_int_equal(tv_recorder_start(&(struct tv_recorder_options){
                         .path = path, .interval_us = 1000, .is_watched = true}),
                     TV_TRACE_OK);
    view.methods[0] = tv_recorder_method(&(struct tv_method_text){.name = "A.carried"});
    for (size_t i = 0; i < TV_OWN_CARRIED_ROWS; i++) {
        own[i] = tv_recorder_watch_carried("own");
        assert_non_null(own[i]);
        tv_recorder_saw(own[i], &view, 1000, 0);
        tv_recorder_rest(own[i]);
    }
    for (uint64_t i = 0; i < 100; i++) {
        struct tv_watched *late = tv_recorder_watch_carried("late");
        assert_non_null(late);
        tv_recorder_saw(late, &view, 1000000, 0);
        tv_recorder_unwatch(late, 2000000);
    }
    struct tv_watched *last = tv_recorder_watch_carried("last");
    tv_recorder_saw(last, &view, 0, 0);
    tv_recorder_unwatch(last, 0);
    tv_recorder_saw(own[0], &view, 3000, 0); /* as before it rested */
    view.depth = 0;
    tv_recorder_saw(own[0], &view, 4000, 0);
    assert_int_equal(tv_recorder_stop(NULL), TV_TRACE_OK);
    struct content content = read_file("carried.trace");
    assert_int_equal(content.enters, TV_OWN_CARRIED_ROWS + 101);
    assert_int_equal(content.exits, 102);
    assert_int_equal(content.falls, 0);
    assert_int_equal(content.most_thread, TV_OWN_CARRIED_ROWS + 1);
    assert_non_null(strstr(content.text, "\tvirtual threads 1\n"));
    assert_null(strstr(content.text, "late"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_sees_long_calls_and_not_each_short_one),
        cmocka_unit_test(stacks_that_another_tells_of_become_calls),
        cmocka_unit_test(what_was_seen_some_time_ago_has_its_time),
        cmocka_unit_test(carried_threads_share_rows_one_after_another),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
