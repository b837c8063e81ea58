/*
 * Running another program with an input and a limit of time; see os/process/program.h. Its input
 * lies in a file in memory, so that nobody has to write while it reads.
 */
#include "os/process/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "os/clock.h"

/* Pause between two looks whether the program has ended. */
#define PAUSE_NS 5000000

/* What a shell says, too, when there is no such program. */
#define NO_SUCH_PROGRAM 127

/* A file in memory with the input, at its beginning; -1 on failure. */
static int open_input(struct tv_str input)
{
    int file = memfd_create("input", MFD_CLOEXEC);
    size_t done = 0;
    while (file >= 0 && done < input.len) {
        ssize_t written = write(file, input.at + done, input.len - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            (void)close(file);
            return -1;
        }
        done += (size_t)written;
    }
    if (file >= 0 && lseek(file, 0, SEEK_SET) != 0) {
        (void)close(file);
        return -1;
    }
    return file;
}

/* Turns the child into the program, without our signal mask and our standard files. */
static void become(const char *const *words, int input, int out_fd)
{
    char *const *arguments;
    int nowhere = open("/dev/null", O_RDWR);
    sigset_t none;
    if (dup2(input, STDIN_FILENO) < 0 || dup2(out_fd, STDOUT_FILENO) < 0 ||
        dup2(nowhere, STDERR_FILENO) < 0)
        _exit(1);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL); /* what is ignored stays so in a program that is started */
    /* execvp does not write to its words, but says so only in its manual. */
    memcpy(&arguments, &words, sizeof(arguments));
    (void)execvp(words[0], arguments);
    _exit(NO_SUCH_PROGRAM);
}

/* Waits until the child ends. False: its time was over, and it was killed. */
static bool wait_for(pid_t child, unsigned most_seconds, int *status)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    uint64_t end_ns = tv_now_ns() + most_seconds * TV_NS_PER_S;
    pid_t ended = 0;
    while (ended == 0 && tv_now_ns() < end_ns) {
        ended = waitpid(child, status, WNOHANG);
        if (ended == 0)
            (void)nanosleep(&pause, NULL);
    }
    if (ended != 0)
        return true;
    (void)kill(child, SIGKILL);
    (void)waitpid(child, status, 0);
    return false;
}

enum tv_code tv_program_run(const char *const *words, struct tv_str input, int out_fd,
                            unsigned most_seconds, struct tv_error *err)
{
    int status = 0;
    int file = open_input(input);
    pid_t child = file < 0 ? -1 : fork();
    if (child == 0)
        become(words, file, out_fd);
    if (file >= 0)
        (void)close(file);
    if (child < 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be started: %s", words[0],
                       strerror(errno));
    if (!wait_for(child, most_seconds, &status))
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "%s took longer than %u seconds", words[0],
                       most_seconds);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_SUCH_PROGRAM)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no program %s", words[0]);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s failed", words[0]);
    return TV_OK;
}
