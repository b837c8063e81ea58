/* os/waits: a wait ends by itself, by the clock that only goes forward. */
#include "os/waits.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/units.h"
#include "os/clock.h"

#define NS_PER_S UINT64_C(1000000000)

static uint64_t ns_of(struct timespec moment)
{
    return (uint64_t)moment.tv_sec * NS_PER_S + (uint64_t)moment.tv_nsec;
}

static void a_moment_is_as_long_after_now_as_was_said(void **state)
{
    static const uint64_t waits[] = {0, 1, NS_PER_S - 1, NS_PER_S, 3 * NS_PER_S + 7};
    (void)state;
    for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
        uint64_t before = tv_now_ns();
        struct timespec moment = tv_wait_until(waits[i]);
        uint64_t after = tv_now_ns();
        assert_in_range(ns_of(moment), before + waits[i], after + waits[i]);
        assert_in_range(moment.tv_nsec, 0, NS_PER_S - 1);
    }
}

static void the_longest_wait_does_not_wrap(void **state)
{
    (void)state;
    assert_int_equal(ns_of(tv_wait_until(UINT64_MAX)), INT64_MAX);
}

static void moments_become_fields_and_come_back(void **state)
{
    static const uint64_t moments[] = {0, 999999999, 1000000000, 1500000000, INT64_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof(moments) / sizeof(moments[0]); i++) {
        struct timespec fields = tv_timespec_of(moments[i]);
        assert_in_range(fields.tv_nsec, 0, 999999999);
        assert_true(tv_timespec_ns(fields.tv_sec, fields.tv_nsec) == moments[i]);
    }
}

/* UBSan stops this one where the sum is made of signed numbers. */
static void a_file_may_be_of_any_time(void **state)
{
    struct stat status = {.st_mtim = {.tv_sec = -1, .tv_nsec = 999999999}};
    (void)state;
    assert_true(tv_file_changed_ns(&status) == -1);
    status.st_mtim = (struct timespec){.tv_sec = INT64_MAX, .tv_nsec = 1};
    int64_t wrapped = tv_file_changed_ns(&status);
    status.st_mtim.tv_nsec = 2;
    assert_true(tv_file_changed_ns(&status) == wrapped + 1);
}

static void a_wait_that_nobody_ends_ends_in_time(void **state)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition;
    int failure = 0;
    (void)state;
    assert_true(tv_wait_init(&condition));
    uint64_t before = tv_now_ns();
    struct timespec end = tv_wait_until(20000000);
    (void)pthread_mutex_lock(&lock);
    while (!failure)
        failure = pthread_cond_timedwait(&condition, &lock, &end);
    (void)pthread_mutex_unlock(&lock);
    assert_int_equal(failure, ETIMEDOUT);
    assert_true(tv_now_ns() - before >= 20000000);
    (void)pthread_cond_destroy(&condition);
}

/* Of a child that expects a wait on this thread: how it ended. */
static int expect_in_child(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        (void)close(STDERR_FILENO); /* a sanitizer tells of the trap */
        tv_wait_expect();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void a_thread_that_must_not_wait_is_found_where_builds_assert(void **state)
{
    (void)state;
    assert_int_equal(expect_in_child(), 0);
    tv_wait_forbid(true);
    int status = expect_in_child();
#ifdef TV_ASSERTS
    assert_int_not_equal(status, 0);
#else
    assert_int_equal(status, 0);
#endif
    tv_wait_forbid(false);
    assert_int_equal(expect_in_child(), 0);
}

static void a_request_knows_what_it_has_waited_for(void **state)
{
    struct tv_waits waits = {{0}};
    (void)state;
    tv_waits_note(TV_WAIT_DATABASE, 0); /* of no request */
    assert_int_equal(tv_waits_of(TV_WAIT_DATABASE), 0);
    tv_waits_begin(&waits);
    tv_waits_note(TV_WAIT_DATABASE, tv_now_ns() - 3 * NS_PER_S);
    tv_waits_note(TV_WAIT_DATABASE, tv_now_ns() - 2 * NS_PER_S);
    tv_waits_note(TV_WAIT_FILES, tv_now_ns() + NS_PER_S); /* a clock that went back */
    assert_in_range(tv_waits_of(TV_WAIT_DATABASE), 5 * NS_PER_S, 6 * NS_PER_S);
    assert_int_equal(tv_waits_of(TV_WAIT_FILES), 0);
    assert_int_equal(tv_waits_of(TV_WAIT_THREAD), 0);
    tv_waits_begin(NULL);
    assert_int_equal(tv_waits_of(TV_WAIT_DATABASE), 0);
    assert_true(waits.ns[TV_WAIT_DATABASE] >= 5 * NS_PER_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moment_is_as_long_after_now_as_was_said),
        cmocka_unit_test(the_longest_wait_does_not_wrap),
        cmocka_unit_test(moments_become_fields_and_come_back),
        cmocka_unit_test(a_file_may_be_of_any_time),
        cmocka_unit_test(a_wait_that_nobody_ends_ends_in_time),
        cmocka_unit_test(a_request_knows_what_it_has_waited_for),
        cmocka_unit_test(a_thread_that_must_not_wait_is_found_where_builds_assert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
