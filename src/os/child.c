/* Running another program; see os/child.h. */
#include "os/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NANOSECONDS_PER_SECOND UINT64_C(1000000000)
#define STATUS_NOT_STARTED 127

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

/* In the child: only what is allowed after a fork of a program that has threads. */
static void become(const struct tv_child *program, const sigset_t *mask, int told)
{
    char number[24];
    (void)snprintf(number, sizeof(number), "%d", (int)getpid());
    for (size_t i = 0; i < program->variable_count; i++) {
        if (program->variables[i].value)
            setenv(program->variables[i].name, program->variables[i].value, 1);
    }
    setenv(program->process_variable, number, 1);
    if (program->duration_ns && program->signal)
        signal(program->signal, SIG_IGN); /* until the program handles it */
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(program->words[0], words_of(program->words));
    int why = errno;
    if (write(told, &why, sizeof(why)) < 0)
        _exit(STATUS_NOT_STARTED);
    _exit(STATUS_NOT_STARTED);
}

/* Waits for the program's end, and sends it the signals when its time is over. */
static int wait_for(const struct tv_child *program, pid_t child, const sigset_t *ends)
{
    int status = 0;
    bool is_over = program->duration_ns == 0;
    struct timespec left = {.tv_sec = (time_t)(program->duration_ns / NANOSECONDS_PER_SECOND),
                            .tv_nsec = (long)(program->duration_ns % NANOSECONDS_PER_SECOND)};
    while (waitpid(child, &status, is_over ? 0 : WNOHANG) != child) {
        if (is_over || sigtimedwait(ends, NULL, &left) >= 0 || errno != EAGAIN)
            continue;
        is_over = true;
        if (program->signal)
            kill(child, program->signal);
        if (program->over)
            program->over(program->ctx, child);
        if (program->is_ended)
            kill(child, SIGTERM);
    }
    return status;
}

/* What the child could not do, or 0 once it became the program. */
static int read_failure(int told)
{
    int why = 0;
    ssize_t len;
    do
        len = read(told, &why, sizeof(why));
    while (len < 0 && errno == EINTR);
    return len == sizeof(why) ? why : 0;
}

/* Starts the child, and waits for it. Returns an errno. */
static int start_and_wait(const struct tv_child *program, const sigset_t *mask,
                          const sigset_t *ends, int *status)
{
    int told[2];
    if (pipe2(told, O_CLOEXEC) != 0)
        return errno;
    pid_t child = fork();
    if (child == 0)
        become(program, mask, told[1]);
    int why = child < 0 ? errno : 0;
    close(told[1]);
    if (!why)
        why = read_failure(told[0]);
    close(told[0]);
    if (child > 0)
        *status = wait_for(program, child, ends);
    return why;
}

enum tv_code tv_child_run(const struct tv_child *program, int *status, struct tv_error *err)
{
    sigset_t ends, mask;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigaddset(&ends, SIGINT); /* not ignored, since the program would inherit that */
    sigaddset(&ends, SIGQUIT);
    sigprocmask(SIG_BLOCK, &ends, &mask);
    int why = start_and_wait(program, &mask, &ends, status);
    /* A Ctrl-C that is pending was the program's. */
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    if (!why)
        return TV_OK;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s: %s", program->words[0], strerror(why));
}
