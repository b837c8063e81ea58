/* os/process/starter: what a starter runs is outside of the domain of whoever asks. */
#include "os/process/starter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "os/sandbox/landlock.h"

struct tries {
    struct tv_starter *starter;
    bool is_here;    /* the file could be opened by the thread that asks */
    bool is_outside; /* and by the starter's */
    unsigned runs;
};

static bool opens(void)
{
    int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        (void)close(fd);
    return fd >= 0;
}

static void try_outside(void *ctx)
{
    struct tries *tries = ctx;
    tries->is_outside = opens();
    tries->runs++;
}

static void try_both(void *ctx)
{
    struct tries *tries = ctx;
    tries->is_here = opens();
    tv_starter_run(tries->starter, try_outside, tries);
    tv_starter_run(tries->starter, try_outside, tries);
}

static void what_it_runs_is_outside_of_the_domain(void **state)
{
    struct tv_starter starter;
    struct tries tries = {.starter = &starter};
    const struct tv_landlock domain = tv_landlock_for_readers();
    (void)state;
    assert_int_equal(tv_starter_start(&starter, NULL), TV_OK);
    bool has_landlock = tv_landlock_run(&domain, try_both, &tries);
    tv_starter_stop(&starter);
    assert_int_equal(tries.runs, 2);
    assert_true(tries.is_outside);
    assert_int_equal(tries.is_here, !has_landlock);
}

static void one_that_ran_nothing_stops(void **state)
{
    struct tv_starter starter;
    (void)state;
    assert_int_equal(tv_starter_start(&starter, NULL), TV_OK);
    tv_starter_stop(&starter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_runs_is_outside_of_the_domain),
        cmocka_unit_test(one_that_ran_nothing_stops),
    };
    return cmocka_run_group_tests_name("os/starter", tests, NULL, NULL);
}
