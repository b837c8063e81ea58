/* Whether processes may be looked at is tried on a child, which ends with the one that tries. */
#include "os/process/sampler.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define TRIES 40
#define STEP_NS 37000

/* This process gets the children of one that is killed, and waits for their ends: were one to wait
 * for ever, so would this. */
static void a_child_to_try_it_on_ends_with_its_parent(void **state)
{
    (void)state;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    for (long i = 0; i < TRIES; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        while (child == 0)
            (void)tv_sampler_is_forbidden();
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000 + i * STEP_NS}, NULL);
        assert_int_equal(kill(child, SIGKILL), 0);
        while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR)
            continue;
        assert_int_equal(errno, ECHILD);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_to_try_it_on_ends_with_its_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
