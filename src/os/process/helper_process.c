/*
 * This program run again, as a helper; see os/process/helper_process.h. Three pipes lead to its
 * standard files. Between fork and exec only functions are called that are safe there, since the
 * caller has threads; a helper that cannot be started ends with NOT_STARTED.
 */
#include "os/process/helper_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/process/child.h"

#define SELF "/proc/self/exe"
#define NOT_STARTED 127
#define KILLED_STATUS 128

void tv_helper_init(struct tv_helper *helper)
{
    *helper = (struct tv_helper){.in = -1, .out = -1, .said = -1};
}

static void close_pair(int pair[2])
{
    for (unsigned i = 0; i < 2; i++) {
        if (pair[i] >= 0)
            (void)close(pair[i]);
    }
}

/* Runs in the child: only what is safe after a fork of a program that has threads. */
static void become(const char *const *words, int in, int out, int said)
{
    sigset_t none;
    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(said, STDERR_FILENO) < 0)
        _exit(NOT_STARTED);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGINT, SIG_DFL);
    tv_child_become(SELF, words);
    _exit(NOT_STARTED);
}

enum tv_code tv_helper_start(struct tv_helper *helper, const char *const *words,
                             struct tv_error *err)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, said[2] = {-1, -1};
    tv_helper_init(helper);
    const bool has_pipes = pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 &&
                           pipe2(said, O_CLOEXEC) == 0 && fcntl(out[0], F_SETFL, O_NONBLOCK) == 0 &&
                           fcntl(said[0], F_SETFL, O_NONBLOCK) == 0;
    const pid_t pid = has_pipes ? fork() : -1;
    if (pid == 0)
        become(words, in[0], out[1], said[1]);
    if (pid < 0) {
        const int why = errno;
        close_pair(in);
        close_pair(out);
        close_pair(said);
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "traceview cannot be started again: %s",
                       strerror(why));
    }
    (void)close(in[0]);
    (void)close(out[1]);
    (void)close(said[1]);
    *helper = (struct tv_helper){.pid = pid, .in = in[1], .out = out[0], .said = said[0]};
    return TV_OK;
}

void tv_helper_signal(const struct tv_helper *helper, int number)
{
    if (helper->pid > 0)
        (void)kill(helper->pid, number);
}

int tv_helper_end(struct tv_helper *helper)
{
    int status = 0;
    pid_t ended;
    if (helper->in >= 0)
        (void)close(helper->in);
    if (helper->out >= 0)
        (void)close(helper->out);
    if (helper->said >= 0)
        (void)close(helper->said);
    do
        ended = waitpid(helper->pid, &status, 0);
    while (ended < 0 && errno == EINTR);
    tv_helper_init(helper);
    return WIFEXITED(status) ? WEXITSTATUS(status) : KILLED_STATUS + WTERMSIG(status);
}
