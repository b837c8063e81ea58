/*
 * Landlock by its system calls, for which the C library has no functions; see
 * os/sandbox/landlock.h.
 *
 * The numbers are those of the kernel's header, written down here since the header of a system may
 * be older than its kernel. The kernel tells the version that it knows, and rights that came later
 * are left out. A ruleset lists the rights that are taken away; rules give some of them back below
 * folders; restrict_self makes it hold for the calling thread and all threads and programs that it
 * starts, for good.
 */
#include "os/sandbox/landlock.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/memory/fault.h"

/* What can be done with files: a bit each. */
#define EXECUTE (UINT64_C(1) << 0)
#define READ_FILE (UINT64_C(1) << 2)
#define READ_FOLDER (UINT64_C(1) << 3)
#define IOCTL_DEVICE (UINT64_C(1) << 15)
/* All bits of the first version: read, write, execute, make and remove each kind of file. */
#define FIRST_VERSION ((UINT64_C(1) << 13) - 1)
#define REFER (UINT64_C(1) << 13)    /* move between folders; version 2 */
#define TRUNCATE (UINT64_C(1) << 14) /* version 3 */
/* TCP: bind and connect; version 4. */
#define CONNECT (UINT64_C(1) << 1)
/* Reach processes outside of the Landlock domain by abstract sockets and by signals; version 6. */
#define SCOPES UINT64_C(3)

/* These numbers are the same on every processor; older headers lack them. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
#define ASK_VERSION 1u
#define RULE_OF_FOLDER 1

/* A kernel that knows less of this struct takes it if the rest is zero. */
struct ruleset {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

/* The kernel's struct has 12 bytes without a gap; here those are the first 12. */
struct folder_rule {
    uint64_t allowed;
    int32_t folder;
};

struct tv_landlock tv_landlock_for_readers(void)
{
    return (struct tv_landlock){.may_read = false};
}

static uint64_t known_files(long version)
{
    uint64_t known = FIRST_VERSION;
    if (version >= 2)
        known |= REFER;
    if (version >= 3)
        known |= TRUNCATE;
    if (version >= 5)
        known |= IOCTL_DEVICE;
    return known;
}

/* A folder that is not there is left out, since nothing can be written in it. */
static bool allow_folder(int ruleset, const char *path, uint64_t allowed)
{
    int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return true;
    const struct folder_rule rule = {.allowed = allowed, .folder = folder};
    bool is_added = syscall(SYS_landlock_add_rule, ruleset, RULE_OF_FOLDER, &rule, 0u) == 0;
    (void)close(folder);
    return is_added;
}

/* False leaves the thread as it was. */
bool tv_landlock_close(const struct tv_landlock *domain)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, ASK_VERSION);
    if (version < 1)
        return false;
    uint64_t handled = known_files(version);
    if (domain->may_read)
        handled &= ~(READ_FILE | READ_FOLDER);
    const struct ruleset attributes = {.files = handled,
                                       .network = version >= 4 ? CONNECT : 0,
                                       .scopes = version >= 6 ? SCOPES : 0};
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0u);
    if (ruleset < 0)
        return false;
    bool is_made = true;
    for (size_t i = 0; i < domain->folder_count && is_made; i++)
        is_made = allow_folder(ruleset, domain->folders[i], handled & ~EXECUTE);
    /* The kernel requires that no program started here gains privileges: a program of root's would
     * not expect to be in a Landlock domain. */
    is_made = is_made && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
              syscall(SYS_landlock_restrict_self, ruleset, 0u) == 0;
    (void)close(ruleset);
    return is_made;
}

struct landlock_run {
    const struct tv_landlock *domain;
    void (*body)(void *ctx);
    void *ctx;
    bool is_in_landlock;
};

static void *run(void *arg)
{
    struct landlock_run *run = arg;
    run->is_in_landlock = tv_landlock_close(run->domain);
    run->body(run->ctx);
    return NULL;
}

/* A thread of its own, since a domain cannot be left again. If no thread can be started, the body
 * runs on the calling thread without a domain. */
bool tv_landlock_run(const struct tv_landlock *domain, void (*body)(void *ctx), void *ctx)
{
    struct landlock_run run_in = {.domain = domain, .body = body, .ctx = ctx};
    pthread_t thread;
    sigset_t old;
    tv_fault_hold_signals(&old);
    int failure = pthread_create(&thread, NULL, run, &run_in);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (failure)
        body(ctx);
    else
        (void)pthread_join(thread, NULL);
    return run_in.is_in_landlock;
}
