/* What stops a thread for its tracer: its timer, each time it has used the timer's interval of CPU
 * time. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/process/thread_timer.h"

#define INTERVAL_NS UINT64_C(2000000)
#define INTERVALS 50

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void work(void)
{
    const uint64_t end_ns = cpu_ns() + INTERVALS * INTERVAL_NS;
    while (cpu_ns() < end_ns)
        continue;
}

/* It works or sleeps, and ends with 5, or with 4 where a signal of the timer came to it. */
static volatile sig_atomic_t is_disturbed;

static void note(int number)
{
    is_disturbed = number;
}

static void be_traced(int go, int works)
{
    char byte;
    signal(SIGURG, note);
    if (read(go, &byte, 1) != 1)
        _exit(3);
    if (works)
        work();
    else
        (void)nanosleep(&(struct timespec){.tv_nsec = INTERVALS * (long)INTERVAL_NS}, NULL);
    _exit(is_disturbed ? 4 : 5);
}

struct outcome {
    unsigned stops, others;
    int status;
};

/* Runs a child under a timer; false where this user gets none. */
static int trace(int works, int with_a_signal_of_its_own, struct outcome *outcome)
{
    struct tv_thread_timer timer = {.file = 0};
    int go[2], status;
    assert_int_equal(pipe(go), 0);
    pid_t child = fork();
    if (child == 0)
        be_traced(go[0], works);
    assert_int_equal(ptrace(PTRACE_SEIZE, child, NULL, NULL), 0);
    int is_started = tv_thread_timer_start(&timer, child, INTERVAL_NS);
    assert_int_equal(write(go[1], "", 1), 1);
    *outcome = (struct outcome){.stops = 0};
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        int is_timer = tv_thread_timer_has_stopped(&timer, child, WSTOPSIG(status));
        outcome->stops += is_timer != 0;
        if (with_a_signal_of_its_own && is_timer && outcome->stops == 2)
            assert_int_equal(kill(child, SIGURG), 0); /* it has its handler by now */
        outcome->others += !is_timer;
        (void)ptrace(PTRACE_CONT, child, NULL,
                     (void *)(uintptr_t)(is_timer ? 0 : WSTOPSIG(status)));
    }
    outcome->status = status;
    tv_thread_timer_stop(&timer);
    close(go[0]);
    close(go[1]);
    return is_started;
}

static void a_thread_that_runs_is_stopped_each_interval(void **state)
{
    struct outcome outcome;
    (void)state;
    if (!trace(1, 0, &outcome))
        skip();
    assert_in_range(outcome.stops, INTERVALS / 2, INTERVALS * 3 / 2);
    assert_int_equal(outcome.others, 0);
    assert_int_equal(WEXITSTATUS(outcome.status), 5);
}

static void a_thread_that_waits_is_left_alone(void **state)
{
    struct outcome outcome;
    (void)state;
    if (!trace(0, 0, &outcome))
        skip();
    assert_in_range(outcome.stops, 0, 1);
    assert_int_equal(WEXITSTATUS(outcome.status), 5);
}

static void a_signal_of_that_number_from_others_reaches_the_thread(void **state)
{
    struct outcome outcome;
    (void)state;
    if (!trace(1, 1, &outcome))
        skip();
    assert_int_equal(outcome.others, 1);
    assert_int_equal(WEXITSTATUS(outcome.status), 4);
}

static void a_thread_that_is_not_there_gets_none(void **state)
{
    struct tv_thread_timer timer = {.file = 0};
    pid_t child = fork();
    (void)state;
    if (child == 0)
        _exit(0);
    (void)waitpid(child, NULL, 0);
    assert_false(tv_thread_timer_start(&timer, child, INTERVAL_NS));
    assert_int_equal(timer.file, 0);
    tv_thread_timer_stop(&timer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_runs_is_stopped_each_interval),
        cmocka_unit_test(a_thread_that_waits_is_left_alone),
        cmocka_unit_test(a_signal_of_that_number_from_others_reaches_the_thread),
        cmocka_unit_test(a_thread_that_is_not_there_gets_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
