/* What the kernel tells of threads that wait, run, or are gone, without stopping them. */
#include "os/process/thread_facts.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define TRIES 2000

static volatile unsigned long sum;

/* A child that blocks SIGURG and then waits for a byte, or for its end, or counts. */
static pid_t start(int pipe_end, int works)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    sigset_t blocked;
    char byte;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGURG);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    (void)prctl(PR_SET_NAME, "a) S 1 name");
    while (works)
        sum++;
    _exit(read(pipe_end, &byte, 1) == 1 ? 0 : 1);
}

static void end(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* A child needs some time until it does what it is for. */
static void await_state(pid_t child, char state)
{
    char name[TV_THREAD_NAME_CAP] = "";
    for (int i = 0; i < TRIES; i++) {
        tv_thread_name(child, child, name);
        if (strcmp(name, "a) S 1 name") == 0 && tv_thread_state(child, child) == state)
            return;
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    fail_msg("the child is in state %c", tv_thread_state(child, child));
}

static void a_thread_that_waits_tells_where(void **state)
{
    struct tv_wait_place first = {.code = 0}, again = {.code = 0};
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    pid_t child = start(ends[0], 0);
    await_state(child, 'S');
    const struct tv_thread_schedule counts = tv_thread_schedule_of(child, child);
    if (!tv_thread_wait_place(child, child, &first)) {
        end(child);
        skip(); /* a kernel without that file */
    }
    assert_true(tv_thread_wait_place(child, child, &again));
    assert_int_equal(first.code, again.code);
    assert_int_equal(first.stack, again.stack);
    /* It was not disturbed: it had no turn on a processor since. */
    assert_int_equal(tv_thread_schedule_of(child, child).turns, counts.turns);
    assert_true(counts.turns > 0 && counts.cpu_ns > 0);
    assert_true(tv_thread_blocks(child, child, SIGURG));
    assert_false(tv_thread_blocks(child, child, SIGUSR1));
    end(child);
    close(ends[0]);
    close(ends[1]);
}

static void a_thread_that_runs_waits_nowhere(void **state)
{
    struct tv_wait_place place;
    (void)state;
    pid_t child = start(-1, 1);
    await_state(child, 'R');
    const struct tv_thread_schedule before = tv_thread_schedule_of(child, child);
    assert_false(tv_thread_wait_place(child, child, &place));
    for (int i = 0; i < TRIES && tv_thread_schedule_of(child, child).cpu_ns == before.cpu_ns; i++)
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    assert_true(tv_thread_schedule_of(child, child).cpu_ns > before.cpu_ns);
    end(child);
}

/* The files stay open over the thread's end, and then tell nothing, whoever has its number. */
static void what_is_asked_again_is_the_same(void **state)
{
    struct tv_thread_files files = {.schedule = 0};
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    pid_t child = start(ends[0], 0);
    await_state(child, 'S');
    const struct tv_thread_schedule first = tv_thread_schedule_again(&files, child, child);
    assert_int_equal(tv_thread_state_again(&files, child, child), 'S');
    const struct tv_thread_files opened = files;
    const struct tv_thread_schedule again = tv_thread_schedule_again(&files, child, child);
    const struct tv_thread_schedule once = tv_thread_schedule_of(child, child);
    assert_true(opened.schedule > 0 && opened.state > 0 && first.turns > 0);
    assert_int_equal(files.schedule, opened.schedule);
    assert_int_equal(again.turns, first.turns);
    assert_int_equal(again.cpu_ns, once.cpu_ns);
    assert_int_equal(kill(child, SIGSTOP), 0);
    for (int i = 0; i < TRIES && tv_thread_state(child, child) != 'T'; i++)
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    assert_int_equal(tv_thread_state_again(&files, child, child), 'T');
    assert_int_equal(files.state, opened.state);
    end(child);
    assert_int_equal(tv_thread_schedule_again(&files, child, child).turns, 0);
    assert_int_equal(tv_thread_state_again(&files, child, child), 'X');
    tv_thread_files_close(&files);
    assert_int_equal(files.schedule + files.state, 0);
    assert_int_equal(tv_thread_schedule_again(&files, child, child).turns, 0);
    assert_int_equal(tv_thread_state_again(&files, child, child), 'X');
    assert_int_equal(files.schedule + files.state, 0);
    close(ends[0]);
    close(ends[1]);
}

static void *tell_own_number(void *number)
{
    *(pid_t *)number = (pid_t)syscall(SYS_gettid);
    assert_int_equal(tv_thread_process(*(pid_t *)number), getpid());
    return NULL;
}

static void a_thread_is_of_a_process(void **state)
{
    pthread_t thread;
    pid_t number = 0;
    (void)state;
    assert_int_equal(tv_thread_process(getpid()), getpid());
    assert_int_equal(pthread_create(&thread, NULL, tell_own_number, &number), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(number != 0 && number != getpid());
}

static void handle_nothing(int number)
{
    (void)number;
}

static void a_process_handles_what_it_has_a_handler_for(void **state)
{
    struct sigaction before;
    const struct sigaction handled = {.sa_handler = handle_nothing};
    (void)state;
    assert_int_equal(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = SIG_IGN}, &before), 0);
    assert_false(tv_process_handles(getpid(), SIGUSR1));
    assert_int_equal(sigaction(SIGUSR1, &handled, NULL), 0);
    assert_true(tv_process_handles(getpid(), SIGUSR1));
    assert_false(tv_process_handles(getpid(), SIGUSR2));
    assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
}

static void nothing_is_told_of_a_thread_that_is_gone(void **state)
{
    struct tv_wait_place place;
    char name[TV_THREAD_NAME_CAP] = "x";
    (void)state;
    pid_t child = start(-1, 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(tv_thread_state(child, child), 'X');
    assert_false(tv_thread_blocks(child, child, SIGURG));
    assert_false(tv_process_handles(child, SIGURG));
    assert_false(tv_thread_wait_place(child, child, &place));
    assert_int_equal(tv_thread_schedule_of(child, child).turns, 0);
    tv_thread_name(child, child, name);
    assert_string_equal(name, "");
    assert_int_equal(tv_thread_process(child), child);
    assert_false(tv_process_lacks_rights(child));
    assert_false(tv_process_lacks_rights(getpid()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_waits_tells_where),
        cmocka_unit_test(a_thread_that_runs_waits_nowhere),
        cmocka_unit_test(what_is_asked_again_is_the_same),
        cmocka_unit_test(a_thread_is_of_a_process),
        cmocka_unit_test(a_process_handles_what_it_has_a_handler_for),
        cmocka_unit_test(nothing_is_told_of_a_thread_that_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
