/*
 * Starting, watching and ending a sandboxed child; see os/sandbox/sandboxed_child.h.
 *
 * Between fork and exec only what signal-safety(7) allows is called, since the parent has threads.
 * The child is the leader of a session, thus of a process group. When the child has ended, but is
 * not yet reaped, its number cannot be another process's: then the whole group is killed.
 */
#include "os/sandbox/sandboxed_child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text/utf8.h"
#include "base/units.h"
#include "os/clock.h"
#include "os/memory/fault.h"

/* The child is this program itself, also where its file was replaced meanwhile. */
#define THIS_PROGRAM "/proc/self/exe"
#define STATUS_NOT_STARTED 127
/* How often goes_on is asked. */
#define TICK_MS 250
/* Pause between two looks at a child that has closed its reason and goes on. */
#define PAUSE_NS 10000000

/* A reason is one line; a child that writes this much writes something else. */
#define REASON_CAP 512u
#define WRITTEN_MOST ((uint64_t)64 * 1024)

/* --- in the child, before it is this program again --- */

static void say_and_end(const char *text)
{
    /* When writing fails, nobody can be told. */
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(STATUS_NOT_STARTED);
    _exit(STATUS_NOT_STARTED);
}

/* A lower limit that this program has itself cannot be raised, and stays. */
static bool limit(unsigned what, uint64_t soft, uint64_t hard)
{
    struct rlimit both;
    if (getrlimit(what, &both) != 0)
        return false;
    if (both.rlim_max > (rlim_t)hard)
        both.rlim_max = (rlim_t)hard;
    both.rlim_cur = both.rlim_max > (rlim_t)soft ? (rlim_t)soft : both.rlim_max;
    return setrlimit(what, &both) == 0;
}

static bool set_limits(const struct tv_child_limits *limits)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    /* The sanitizers reserve terabytes of addresses. */
    if (!limit(RLIMIT_AS, limits->memory, limits->memory))
        return false;
#endif
    return limit(RLIMIT_FSIZE, limits->file_len, limits->file_len) &&
           limit(RLIMIT_CPU, limits->cpu_s, (uint64_t)limits->cpu_s + 1) &&
           limit(RLIMIT_CORE, 0, 0);
}

static bool change_user(const struct tv_sandboxed_child *child)
{
    return !child->has_user ||
           (setgroups(0, NULL) == 0 && setresgid(child->group, child->group, child->group) == 0 &&
            setresuid(child->user, child->user, child->user) == 0);
}

/* Gives the child its three files. The parent has 0, 1 and 2 open, so the descriptors that are
 * copied are none of these and cannot overwrite one another. */
static bool take_files(const struct tv_sandboxed_child *child, int reason)
{
    return dup2(reason, STDERR_FILENO) >= 0 && dup2(child->in_fd, STDIN_FILENO) >= 0 &&
           dup2(child->out_fd, STDOUT_FILENO) >= 0;
}

/* Gives it the other files, in order from 3 on. They are moved behind these places first, since the
 * parent may have one of them there. Called when the first three are taken. */
static bool take_more_files(const struct tv_sandboxed_child *child)
{
    int moved[TV_CHILD_MORE_FILES];
    for (size_t i = 0; i < child->more_count; i++) {
        moved[i] = fcntl(child->more_fds[i], F_DUPFD, STDERR_FILENO + 1 + TV_CHILD_MORE_FILES);
        if (moved[i] < 0)
            return false;
    }
    for (size_t i = 0; i < child->more_count; i++) {
        if (dup2(moved[i], STDERR_FILENO + 1 + (int)i) < 0)
            return false;
    }
    return true;
}

/* Signals as a new program expects to find them. */
static void reset_signals(void)
{
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        (void)signal(number, SIG_DFL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Runs in the child. The order matters: the change of user undoes the death signal, and limits
 * come after both. */
static void become(const struct tv_sandboxed_child *child, int reason, pid_t parent)
{
    char *const *words;
    char *no_variables[] = {NULL};
    /* execve does not write to its words, but says so only in its manual. */
    memcpy(&words, &child->words, sizeof(words));
    if (!take_files(child, reason) || !take_more_files(child))
        _exit(STATUS_NOT_STARTED);
    reset_signals();
    if (setsid() < 0 || !change_user(child))
        say_and_end("cannot become another user");
    /* After the change of user, which undoes it. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() != parent)
        say_and_end("its parent is gone");
    if (!set_limits(&child->limits))
        say_and_end("cannot be limited");
    /* All files of ours are closed by exec; this is for those of libraries. */
    (void)syscall(__NR_close_range, STDERR_FILENO + 1 + child->more_count, ~0u, 0u);
    (void)execve(THIS_PROGRAM, words, no_variables);
    say_and_end("the program cannot be started once more");
}

/* --- in the parent --- */

/* A child while it runs. */
struct watch {
    const struct tv_sandboxed_child *child;
    pid_t pid;
    int reason; /* where it writes its reason; -1: it has closed that */
    uint64_t end_ns;
    uint64_t written; /* bytes of the reason, kept or not */
    char text[REASON_CAP];
    size_t text_len;
    const char *fault; /* why it was ended; NULL: it was not */
    bool is_stopped;
};

/* Takes what the child wrote; what does not fit is counted and forgotten. */
static void read_reason(struct watch *watch)
{
    char more[REASON_CAP];
    ssize_t len = read(watch->reason, more, sizeof(more));
    if (len < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (len <= 0) {
        (void)close(watch->reason);
        watch->reason = -1;
        return;
    }
    size_t room = sizeof(watch->text) - watch->text_len;
    size_t kept = (size_t)len < room ? (size_t)len : room;
    memcpy(watch->text + watch->text_len, more, kept);
    watch->text_len += kept;
    watch->written += (uint64_t)len;
}

/* Whether the child may go on; if not, the watch has the reason. */
static bool may_go_on(struct watch *watch)
{
    const struct tv_sandboxed_child *child = watch->child;
    watch->is_stopped = child->goes_on && !child->goes_on(child->ctx);
    if (tv_now_ns() >= watch->end_ns)
        watch->fault = "took too long";
    else if (watch->written > WRITTEN_MOST)
        watch->fault = "wrote without end";
    return !watch->is_stopped && !watch->fault;
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) != 0 || info.si_pid == pid;
}

/* Waits for the child to write, or for a tick. */
static void wait_a_little(struct watch *watch)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    struct pollfd pipe = {.fd = watch->reason, .events = POLLIN};
    if (watch->reason < 0)
        (void)nanosleep(&pause, NULL);
    else if (poll(&pipe, 1, TICK_MS) > 0)
        read_reason(watch);
}

/* Reads what is left in the pipe of a child that has ended, without waiting. */
static void drain(struct watch *watch)
{
    (void)fcntl(watch->reason, F_SETFL, O_NONBLOCK);
    while (watch->reason >= 0 && watch->written <= WRITTEN_MOST) {
        uint64_t before = watch->written;
        read_reason(watch);
        if (watch->reason >= 0 && watch->written == before)
            break;
    }
}

/* Watches the child until it ends or must not go on, then kills its whole group. Returns the status
 * as waitpid() gives it. */
static int watch_to_end(struct watch *watch)
{
    int status = 0;
    while (!has_ended(watch->pid) && may_go_on(watch))
        wait_a_little(watch);
    (void)kill(-watch->pid, SIGKILL);
    /* A child that was just started may not have made its group yet, so it is killed by its own
     * number, too. */
    (void)kill(watch->pid, SIGKILL);
    while (waitpid(watch->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (watch->reason >= 0)
        drain(watch);
    if (watch->reason >= 0)
        (void)close(watch->reason);
    return status;
}

/* The first line of what the child wrote. It may write anything, so what is shown of it is escaped
 * as names are. */
static void tell_reason(const struct watch *watch, char *out, size_t cap)
{
    struct tv_str text = {watch->text, watch->text_len};
    struct tv_str line;
    char shown[TV_UTF8_SHOWN_MOST];
    size_t len = 0;
    if (!tv_str_split(&text, '\n', &line))
        line = TV_STR("");
    for (size_t at = 0; at < line.len;) {
        unsigned more = tv_utf8_put_shown(shown, tv_utf8_next(line, &at));
        if (more >= cap - len)
            break;
        memcpy(out + len, shown, more);
        len += more;
    }
    out[len] = '\0';
}

static void tell_signal(const struct watch *watch, int number, struct tv_error *err)
{
    if (number == SIGSYS)
        (void)tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                      "reading it asked the system for what no trace needs");
    else if (number == SIGXCPU || number == SIGKILL)
        (void)tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                      "reading it took more than %u s of processor time, or was killed",
                      watch->child->limits.cpu_s);
    else
        (void)tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "reading it crashed (signal %d)", number);
}

static enum tv_sandboxed_end end_of_status(int status)
{
    if (status == TV_CHILD_STATUS_REFUSED)
        return TV_CHILD_REFUSED;
    return status == TV_CHILD_STATUS_UNABLE ? TV_CHILD_UNABLE : TV_CHILD_BROKEN;
}

/* What the end means: stopped by us, ended for a fault, crashed, or its own word. */
static enum tv_sandboxed_end judge(const struct watch *watch, int status, struct tv_error *err)
{
    struct tv_error reason;
    if (watch->is_stopped) {
        (void)tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET, "stopped");
        return TV_CHILD_STOPPED;
    }
    if (watch->fault) {
        (void)tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "reading it %s", watch->fault);
        return TV_CHILD_BROKEN;
    }
    if (WIFSIGNALED(status)) {
        tell_signal(watch, WTERMSIG(status), err);
        return TV_CHILD_BROKEN;
    }
    tell_reason(watch, reason.text, sizeof(reason.text));
    if (WEXITSTATUS(status) == TV_CHILD_STATUS_DONE) {
        (void)tv_fail(err, TV_OK, TV_NO_OFFSET, "%s", reason.text);
        return TV_CHILD_DONE;
    }
    enum tv_sandboxed_end end = end_of_status(WEXITSTATUS(status));
    (void)tv_fail(err, end == TV_CHILD_REFUSED ? TV_ERR_FORMAT : TV_ERR_SYSTEM, TV_NO_OFFSET, "%s",
                  reason.text[0] ? reason.text : "reading it failed without a reason");
    return end;
}

/* Signals are held back across the fork, so that none of the parent's handlers runs in the child.
 */
static pid_t start(const struct tv_sandboxed_child *child, int reason)
{
    sigset_t all, old;
    pid_t parent = getpid();
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    pid_t pid = fork();
    if (pid == 0)
        become(child, reason, parent);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return pid;
}

enum tv_code tv_sandboxed_child_run(const struct tv_sandboxed_child *child,
                                    enum tv_sandboxed_end *end, struct tv_error *err)
{
    int reason[2];
    *end = TV_CHILD_BROKEN;
    if (pipe2(reason, O_CLOEXEC) != 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no child can be started: %s",
                       strerror(errno));
    struct watch watch = {.child = child,
                          .reason = reason[0],
                          .end_ns = tv_now_ns() + child->limits.wall_s * TV_NS_PER_S};
    watch.pid = start(child, reason[1]);
    int failure = errno;
    (void)close(reason[1]);
    if (watch.pid < 0) {
        (void)close(reason[0]);
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no child can be started: %s",
                       strerror(failure));
    }
    int status = watch_to_end(&watch);
    *end = judge(&watch, status, err);
    if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_STARTED)
        return TV_ERR_SYSTEM;
    return TV_OK;
}
