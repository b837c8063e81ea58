/* cli/progress: the line on a terminal, phase after phase. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/terminal/progress.h"

/* A terminal of 40 columns in place of stderr, which the width is asked of. */
static int master;
static int slave;
static int real_stderr;
static FILE *shown_on;
static struct tv_cli cli;

static int open_terminal(void **state)
{
    struct winsize size = {.ws_row = 24, .ws_col = 40};
    (void)state;
    tv_terminal_know_widths();
    (void)unsetenv("COLUMNS");
    (void)setenv("TERM", "xterm", 1);
    (void)setenv("LC_ALL", "C.UTF-8", 1);
    master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) || unlockpt(master))
        return -1;
    slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    real_stderr = dup(STDERR_FILENO);
    if (slave < 0 || ioctl(slave, TIOCSWINSZ, &size) || dup2(slave, STDERR_FILENO) < 0)
        return -1;
    shown_on = fdopen(dup(STDERR_FILENO), "w");
    cli = (struct tv_cli){.alloc = tv_alloc_libc(), .err = shown_on, .is_err_terminal = true};
    return shown_on ? 0 : -1;
}

static int close_terminal(void **state)
{
    (void)state;
    (void)dup2(real_stderr, STDERR_FILENO);
    (void)fclose(shown_on);
    (void)close(slave);
    return close(master);
}

static void wait_ms(long time_ms)
{
    struct timespec time = {.tv_nsec = time_ms * 1000000};
    (void)nanosleep(&time, NULL);
}

/* What was written to the terminal since the last call. */
static void expect_shown(const char *expected)
{
    char shown[200] = "";
    (void)fflush(shown_on);
    (void)fcntl(master, F_SETFL, O_NONBLOCK);
    ssize_t len = read(master, shown, sizeof(shown) - 1);
    shown[len > 0 ? len : 0] = 0;
    (void)dup2(real_stderr, STDERR_FILENO); /* where a failure is told */
    assert_string_equal(shown, expected);
    (void)dup2(slave, STDERR_FILENO);
}

static void a_short_task_shows_nothing(void **state)
{
    struct tv_progress progress;
    (void)state;
    tv_progress_init(&progress, &cli, "app.trace");
    tv_progress_reading(&progress);
    assert_true(tv_progress_tell(&progress, 90, 100));
    tv_progress_clear(&progress);
    expect_shown("");
}

/* Reading goes on at the half that unpacking has reached, and a builder that begins anew stays. */
static void phases_follow_each_other_and_never_fall(void **state)
{
    struct tv_progress progress;
    (void)state;
    tv_progress_init(&progress, &cli, "app.trace");
    tv_progress_unpacking(&progress);
    wait_ms(310);
    assert_true(tv_progress_tell(&progress, 50, 100));
    expect_shown("\rtraceview: unpacking app.trace  25 %\033[K");
    assert_true(tv_progress_tell(&progress, 100, 100)); /* too soon to be shown */
    expect_shown("");
    tv_progress_reading(&progress);
    wait_ms(110);
    assert_true(tv_progress_tell(&progress, 10, 100));
    expect_shown("\rtraceview: reading app.trace  55 %\033[K");
    wait_ms(110);
    assert_true(tv_progress_tell(&progress, 0, 100));
    expect_shown("\rtraceview: reading app.trace  55 %\033[K");
    wait_ms(110);
    assert_true(tv_progress_tell(&progress, 200, 100));
    expect_shown("\rtraceview: reading app.trace 100 %\033[K");
    tv_progress_clear(&progress);
    expect_shown("\r\033[K");
    tv_progress_clear(&progress);
    expect_shown("");
}

static void without_unpacking_reading_has_all_of_it(void **state)
{
    struct tv_progress progress;
    (void)state;
    tv_progress_init(&progress, &cli, "/home/user/traces/of/today/app.trace");
    tv_progress_unpacking(&progress);
    tv_progress_reading(&progress);
    wait_ms(310);
    assert_true(tv_progress_tell(&progress, 3, 4));
    expect_shown("\rtraceview: reading \u2026day/app.trace  75 %\033[K");
    tv_progress_clear(&progress);
    expect_shown("\r\033[K");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_task_shows_nothing),
        cmocka_unit_test(phases_follow_each_other_and_never_fall),
        cmocka_unit_test(without_unpacking_reading_has_all_of_it),
    };
    return cmocka_run_group_tests(tests, open_terminal, close_terminal);
}
