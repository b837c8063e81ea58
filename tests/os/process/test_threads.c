/* Threads that are started together get their work, no signals, and are waited for. */
#include "os/process/threads.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MOST 5u

struct seen {
    atomic_uint started;
    atomic_uint without_signals;
};

static void *look(void *ctx)
{
    struct seen *seen = ctx;
    sigset_t held;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &held);
    atomic_fetch_add(&seen->started, 1);
    if (sigismember(&held, SIGTERM) == 1 && sigismember(&held, SIGHUP) == 1)
        atomic_fetch_add(&seen->without_signals, 1);
    return NULL;
}

static void all_have_run_when_they_are_joined(void **state)
{
    (void)state;
    pthread_t threads[MOST];
    struct seen seen = {.started = 0};
    unsigned count = tv_threads_start(threads, MOST, look, &seen);
    tv_threads_join(threads, count);
    assert_int_equal(count, MOST);
    assert_int_equal(atomic_load(&seen.started), MOST);
    assert_int_equal(atomic_load(&seen.without_signals), MOST);
}

static void who_starts_them_has_its_signals_again(void **state)
{
    (void)state;
    pthread_t threads[1];
    struct seen seen = {.started = 0};
    sigset_t before, after;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &before);
    tv_threads_join(threads, tv_threads_start(threads, 1, look, &seen));
    (void)pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(sigismember(&before, SIGTERM), sigismember(&after, SIGTERM));
    assert_int_equal(sigismember(&after, SIGTERM), 0);
}

static void none_is_none(void **state)
{
    (void)state;
    pthread_t threads[1];
    assert_int_equal(tv_threads_start(threads, 0, look, NULL), 0);
    tv_threads_join(threads, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_have_run_when_they_are_joined),
        cmocka_unit_test(who_starts_them_has_its_signals_again),
        cmocka_unit_test(none_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
