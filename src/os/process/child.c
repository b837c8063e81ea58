/*
 * Running another program and waiting for it; see os/process/child.h.
 *
 * Signals that end programs are blocked in the parent while the child runs, and waited for: a
 * terminal sends Ctrl-C to both, and the parent must outlive the child to read what it leaves. The
 * child inherits the mask and the handlers that the parent had before. A pipe that closes at exec
 * tells whether the program could be started, and the errno if not.
 */
#include "os/process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "os/clock.h"

#define STATUS_NOT_STARTED 127
#define LOOK_NS (200 * TV_NS_PER_MS)
#define BEGIN_LOOK_NS (5 * TV_NS_PER_MS)
#define BEGIN_MOST_NS (2 * TV_NS_PER_S)

/* execvp() takes words that it may change, and does not. */
static char *const *words_of(const char *const *words)
{
    char *const *given;
    memcpy(&given, &words, sizeof(given));
    return given;
}

void tv_child_become(const char *path, const char *const *words)
{
    execv(path, words_of(words));
}

void tv_child_signals_take(struct tv_child_signals *signals)
{
    /* If SIGCHLD is ignored, the kernel reaps children by itself and none can be waited for. */
    const struct sigaction otherwise = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &otherwise, &signals->of_children);
    sigemptyset(&signals->waited_for);
    sigaddset(&signals->waited_for, SIGCHLD);
    sigaddset(&signals->waited_for, SIGINT); /* not ignored, since the program would inherit that */
    sigaddset(&signals->waited_for, SIGQUIT);
    sigaddset(&signals->waited_for, SIGTERM);
    sigaddset(&signals->waited_for, SIGHUP);
    if (signals->request)
        sigaddset(&signals->waited_for, signals->request);
    sigprocmask(SIG_BLOCK, &signals->waited_for, &signals->mask);
}

void tv_child_signals_inherit(const struct tv_child_signals *signals)
{
    sigaction(SIGCHLD, &signals->of_children, NULL);
    sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

bool tv_child_signals_wait(struct tv_child_signals *signals, pid_t child,
                           const struct timespec *left)
{
    siginfo_t info;
    int number = left ? sigtimedwait(&signals->waited_for, &info, left)
                      : sigwaitinfo(&signals->waited_for, &info);
    signals->came = number;
    /* A signal of the terminal (SI_KERNEL) has reached the child as well; one that a process sent
     * came to this process alone, and is passed on. */
    if ((number == SIGTERM || number == SIGHUP) && info.si_code != SI_KERNEL)
        kill(child, number);
    return number >= 0 || errno != EAGAIN;
}

void tv_child_signals_give_back(const struct tv_child_signals *signals)
{
    /* Signals that are still pending were meant for the program, which has ended. */
    const struct timespec none = {.tv_sec = 0};
    while (sigtimedwait(&signals->waited_for, NULL, &none) >= 0)
        continue;
    sigaction(SIGCHLD, &signals->of_children, NULL);
    sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

/* Runs in the child, which takes over the caller's environment and the few variables of the
 * program. */
static void become(const struct tv_child *program, const struct tv_child_signals *signals, int told)
{
    char number[24];
    (void)snprintf(number, sizeof(number), "%d", (int)getpid());
    for (size_t i = 0; i < program->variable_count; i++) {
        if (program->variables[i].value)
            setenv(program->variables[i].name, program->variables[i].value, 1);
    }
    setenv(program->process_variable, number, 1);
    tv_child_signals_inherit(signals);
    execvp(program->words[0], words_of(program->words));
    int why = errno;
    if (write(told, &why, sizeof(why)) < 0)
        _exit(STATUS_NOT_STARTED);
    _exit(STATUS_NOT_STARTED);
}

/* Waits until the time of the program begins to count, or it has ended or had two seconds for that.
 */
static void wait_for_begin(const struct tv_child *program, pid_t child,
                           struct tv_child_signals *signals)
{
    const struct timespec look = tv_timespec_of(BEGIN_LOOK_NS);
    const uint64_t begin_ns = tv_now_ns();
    siginfo_t ended = {.si_pid = 0};
    while (program->duration_ns && program->has_begun && !program->has_begun(program->ctx) &&
           tv_now_ns() - begin_ns < BEGIN_MOST_NS &&
           waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && !ended.si_pid) {
        if (tv_child_signals_wait(signals, child, &look) && program->request &&
            signals->came == program->request)
            program->requested(program->ctx, child);
    }
}

/* Waits for the program's end; when its time is over, the caller is told, and it is ended where
 * that is wanted. */
static void wait_for(const struct tv_child *program, pid_t child, struct tv_child_signals *signals,
                     struct tv_child_end *end)
{
    bool is_over = program->duration_ns == 0;
    wait_for_begin(program, child, signals);
    uint64_t begin_ns = tv_now_ns();
    while (waitpid(child, &end->status, WNOHANG) != child) {
        /* A signal ends the wait, and the time goes on. */
        uint64_t past_ns = tv_now_ns() - begin_ns;
        uint64_t left_ns = past_ns < program->duration_ns ? program->duration_ns - past_ns : 0;
        if (program->look)
            program->look(program->ctx, past_ns);
        const bool is_look = program->look && (is_over || left_ns > LOOK_NS);
        const struct timespec left = tv_timespec_of(is_look ? LOOK_NS : left_ns);
        const bool has_come =
            tv_child_signals_wait(signals, child, is_over && !is_look ? NULL : &left);
        if (has_come && program->request && signals->came == program->request)
            program->requested(program->ctx, child);
        if (has_come || is_over || is_look)
            continue;
        is_over = true;
        if (program->over)
            program->over(program->ctx, child);
        end->was_told_to_end = program->is_ended;
        if (program->is_ended)
            kill(child, SIGTERM);
    }
}

/* The errno that kept the child from becoming the program; 0 once it did. */
static int read_failure(int told)
{
    int why = 0;
    ssize_t len;
    do
        len = read(told, &why, sizeof(why));
    while (len < 0 && errno == EINTR);
    return len == sizeof(why) ? why : 0;
}

/* Starts the child and waits for it. Returns an errno, 0 when the program was started. */
static int start_and_wait(const struct tv_child *program, struct tv_child_signals *signals,
                          struct tv_child_end *end)
{
    int told[2];
    if (pipe2(told, O_CLOEXEC) != 0)
        return errno;
    pid_t child = fork();
    if (child == 0)
        become(program, signals, told[1]);
    int why = child < 0 ? errno : 0;
    close(told[1]);
    if (!why)
        why = read_failure(told[0]);
    close(told[0]);
    if (child > 0)
        wait_for(program, child, signals, end);
    return why;
}

/* The CPU time of all children that have ended. */
static uint64_t children_cpu_ns(void)
{
    struct rusage used;
    if (getrusage(RUSAGE_CHILDREN, &used) != 0)
        return 0;
    return ((uint64_t)used.ru_utime.tv_sec + (uint64_t)used.ru_stime.tv_sec) * TV_NS_PER_S +
           ((uint64_t)used.ru_utime.tv_usec + (uint64_t)used.ru_stime.tv_usec) * 1000;
}

enum tv_code tv_child_run(const struct tv_child *program, struct tv_child_end *end,
                          struct tv_error *err)
{
    struct tv_child_signals signals = {.request = program->request};
    *end = (struct tv_child_end){.status = 0};
    const uint64_t before_ns = children_cpu_ns();
    tv_child_signals_take(&signals);
    int why = start_and_wait(program, &signals, end);
    tv_child_signals_give_back(&signals);
    end->why_not_started = why;
    end->cpu_ns = children_cpu_ns() - before_ns;
    if (!why)
        return TV_OK;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s: %s", program->words[0], strerror(why));
}
