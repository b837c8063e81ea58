/*
 * The sandbox of a process that reads an upload; see os/sandbox/sandbox.h.
 *
 * Two layers: a Landlock domain, closed before threads start, and a filter of system calls
 * (seccomp) for all threads, closed when everything is open that is needed. The filter allows what
 * reading one file and writing another takes, lets a few calls fail that libraries can do without,
 * and kills the process at any other. tests/os hold the list from both sides: jobs over every trace
 * work, and programs that try anything else end.
 */
#include "os/sandbox/sandbox.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"
#include "os/sandbox/landlock.h"

#ifdef TV_HAS_SECCOMP
#include <seccomp.h>
#endif

/* Open files of a sandbox: its input, its output, the reason, and the input's mapping
 * (os/memory/mapping.h). */
#define MOST_FILES 4u

void tv_sandbox_enter_landlock(struct tv_sandbox *sandbox)
{
    const struct tv_landlock domain = tv_landlock_for_readers();
    sandbox->has_landlock = tv_landlock_close(&domain);
}

#ifdef TV_HAS_SECCOMP

/* System calls that are allowed with any arguments. */
static const int allowed[] = {
    SCMP_SYS(read),
    SCMP_SYS(write),
    SCMP_SYS(lseek),
    SCMP_SYS(close),
    SCMP_SYS(fstat),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(brk),
    SCMP_SYS(futex),
    SCMP_SYS(sched_yield),
    SCMP_SYS(getrandom),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    /* The sanitizers' own; the last two a thread of theirs asks for that begins to run late. */
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(nanosleep),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),
#endif
};

/* Calls that fail instead of ending the process: a C library may try them to learn how many
 * processors or how much memory there is, and does without. */
static const int failing[] = {
    SCMP_SYS(open),      SCMP_SYS(openat),     SCMP_SYS(access),     SCMP_SYS(faccessat),
    SCMP_SYS(stat),      SCMP_SYS(lstat),      SCMP_SYS(newfstatat), SCMP_SYS(statx),
    SCMP_SYS(readlink),  SCMP_SYS(readlinkat), SCMP_SYS(sysinfo),    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(prlimit64), SCMP_SYS(ioctl),
};

/* Allows a call for memory unless it asks for memory that can be executed. */
static bool add_memory_call(scmp_filter_ctx filter, int call)
{
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1,
                            SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) == 0;
}

static bool fill(scmp_filter_ctx filter)
{
    /* The filter is for all threads, not only for the calling one. */
    bool is_filled = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 &&
                     add_memory_call(filter, SCMP_SYS(mmap)) &&
                     add_memory_call(filter, SCMP_SYS(mprotect));
    for (size_t i = 0; i < TV_COUNT_OF(allowed) && is_filled; i++)
        is_filled = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0) == 0;
    for (size_t i = 0; i < TV_COUNT_OF(failing) && is_filled; i++)
        is_filled = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), failing[i], 0) == 0;
    return is_filled;
}

static bool close_filter(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    if (!filter)
        return false;
    bool is_loaded = fill(filter) && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return is_loaded;
}

#else

static bool close_filter(void)
{
    return false;
}

#endif

static void limit(unsigned what, rlim_t most)
{
    const struct rlimit both = {.rlim_cur = most, .rlim_max = most};
    (void)setrlimit(what, &both);
}

/* Limits of the process go first; after the filter they could not be set any more. */
void tv_sandbox_close(struct tv_sandbox *sandbox)
{
    /* Other processes of the user may neither look into this one nor stop it in a debugger. */
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    limit(RLIMIT_NOFILE, MOST_FILES);
    limit(RLIMIT_NPROC, 0);
    sandbox->has_filter = close_filter();
}

/* The layers that a process which tries them reports by its exit status. */
#define HAS_LANDLOCK 1
#define HAS_FILTER 2

/* Tries the sandbox in a child, since neither layer can be taken off again. */
struct tv_sandbox tv_sandbox_probe(void)
{
    struct tv_sandbox sandbox = {.has_landlock = false};
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        tv_sandbox_enter_landlock(&sandbox);
        tv_sandbox_close(&sandbox);
        _exit((sandbox.has_landlock ? HAS_LANDLOCK : 0) | (sandbox.has_filter ? HAS_FILTER : 0));
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (child > 0 && WIFEXITED(status)) {
        sandbox.has_landlock = (WEXITSTATUS(status) & HAS_LANDLOCK) != 0;
        sandbox.has_filter = (WEXITSTATUS(status) & HAS_FILTER) != 0;
    }
    return sandbox;
}
