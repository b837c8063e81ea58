/* Timers on the CPU time of threads. */
#include "record/cpu_timer.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define INTERVAL_NS UINT64_C(1000000)
#define WORK_NS UINT64_C(200000000)

static _Atomic unsigned calls;
static _Atomic uint64_t last_ns;

static void count(void *context)
{
    assert_non_null(context);
    calls++;
    last_ns = tv_cpu_timer_own_ns();
}

static void work(void)
{
    const uint64_t end_ns = tv_cpu_timer_own_ns() + WORK_NS;
    while (tv_cpu_timer_own_ns() < end_ns)
        continue;
}

static pid_t self(void)
{
    return (pid_t)syscall(SYS_gettid);
}

/* The kernel's ticks are 100 to 1,000 a second. */
static void a_thread_that_runs_is_interrupted(void **state)
{
    struct tv_cpu_timer timer;
    (void)state;
    calls = 0;
    assert_true(tv_cpu_timer_begin(count));
    assert_true(tv_cpu_timer_start(&timer, self(), INTERVAL_NS));
    uint64_t begin_ns = tv_cpu_timer_own_ns();
    work();
    tv_cpu_timer_stop(&timer);
    tv_cpu_timer_end();
    assert_in_range(calls, WORK_NS / 10000000 / 2, WORK_NS / INTERVAL_NS + 1);
    assert_in_range(last_ns, begin_ns, tv_cpu_timer_own_ns());
}

static void a_thread_that_waits_is_left_alone(void **state)
{
    struct tv_cpu_timer timer;
    (void)state;
    calls = 0;
    assert_true(tv_cpu_timer_begin(count));
    assert_true(tv_cpu_timer_start(&timer, self(), INTERVAL_NS));
    assert_int_equal(nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL), 0);
    tv_cpu_timer_stop(&timer);
    tv_cpu_timer_end();
    assert_in_range(calls, 0, 1);
}

/* A timer that goes on when nobody wants its calls does no harm, nor does that signal from others.
 */
static void nothing_is_called_after_the_end(void **state)
{
    struct tv_cpu_timer timer;
    (void)state;
    assert_true(tv_cpu_timer_begin(count));
    assert_true(tv_cpu_timer_start(&timer, self(), INTERVAL_NS));
    tv_cpu_timer_end();
    calls = 0;
    work();
    assert_int_equal(calls, 0);
    tv_cpu_timer_stop(&timer);
}

static void no_signal_of_others_is_taken(void **state)
{
    struct sigaction action;
    (void)state;
    assert_true(tv_cpu_timer_begin(count));
    calls = 0;
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        assert_int_equal(sigaction(number, NULL, &action), 0);
        if (action.sa_flags & SA_SIGINFO)
            assert_int_equal(raise(number), 0); /* not by a timer */
    }
    assert_int_equal(calls, 0);
    tv_cpu_timer_end();
}

static void a_thread_that_is_not_there_gets_none(void **state)
{
    struct tv_cpu_timer timer;
    (void)state;
    assert_true(tv_cpu_timer_begin(count));
    assert_false(tv_cpu_timer_start(&timer, 1, INTERVAL_NS)); /* of another process */
    assert_int_equal(timer.id, 0);
    tv_cpu_timer_stop(&timer);
    tv_cpu_timer_end();
}

static void the_child_of_a_fork_has_no_timers(void **state)
{
    struct tv_cpu_timer timer;
    int status = 0;
    (void)state;
    assert_true(tv_cpu_timer_begin(count));
    assert_true(tv_cpu_timer_start(&timer, self(), INTERVAL_NS));
    pid_t child = fork();
    if (child == 0) {
        tv_cpu_timer_after_fork();
        calls = 0;
        work();
        _exit(calls == 0 ? 5 : 6);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 5);
    tv_cpu_timer_stop(&timer);
    tv_cpu_timer_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_runs_is_interrupted),
        cmocka_unit_test(a_thread_that_waits_is_left_alone),
        cmocka_unit_test(nothing_is_called_after_the_end),
        cmocka_unit_test(no_signal_of_others_is_taken),
        cmocka_unit_test(a_thread_that_is_not_there_gets_none),
        cmocka_unit_test(the_child_of_a_fork_has_no_timers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
