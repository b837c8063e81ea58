/*
 * Running this program once more as a child that reads a stranger's bytes, and seeing to it that
 * nothing is left of the child, whatever it does.
 *
 * The child has three open files and nothing else of its parent (but for files that it is given to
 * read beside): standard input is what it reads,
 * standard output what it writes, standard error takes one line of text, the reason where it fails.
 * It has a session of its own, an empty environment, limits of memory, time and output, and another
 * user where the parent is root. It closes the sandbox (os/sandbox/sandbox.h) itself, before its
 * first look at the input. It ends with its parent.
 */
#ifndef TV_OS_SANDBOX_SANDBOXED_CHILD_H
#define TV_OS_SANDBOX_SANDBOXED_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "base/error.h"

/* How a child ends by itself: its status. */
#define TV_CHILD_STATUS_DONE 0
#define TV_CHILD_STATUS_REFUSED 1 /* the input is to blame: another try would end the same way */
#define TV_CHILD_STATUS_FAILED 2  /* memory ran out: the input may be to blame */
#define TV_CHILD_STATUS_UNABLE 3  /* the system refused: the input is not to blame */

#define TV_CHILD_MORE_FILES 8u

struct tv_child_limits {
    uint64_t memory;   /* bytes of addresses (RLIMIT_AS) */
    uint64_t file_len; /* bytes of its output */
    unsigned cpu_s;    /* processor time of all its threads */
    unsigned wall_s;   /* from start to end */
};

struct tv_sandboxed_child {
    const char *const *words; /* arguments, the program's name first; ends with NULL */
    int in_fd;
    int out_fd;
    const int *more_fds; /* that the child may read, too: 3 and on there */
    size_t more_count;   /* at most TV_CHILD_MORE_FILES */
    struct tv_child_limits limits;
    bool has_user; /* the child runs as that user; the parent is root */
    uid_t user;
    gid_t group;
    /* Asked every now and then, at least once a second; false ends the child. May be NULL. */
    bool (*goes_on)(void *ctx);
    void *ctx;
};

enum tv_sandboxed_end {
    TV_CHILD_DONE,
    TV_CHILD_REFUSED, /* by the child itself, with its reason */
    TV_CHILD_BROKEN,  /* crashed, ran out of memory or time, or did what a sandbox forbids */
    TV_CHILD_UNABLE,  /* by itself: the system refused something */
    TV_CHILD_STOPPED, /* goes_on said so */
};

/*
 * Runs the child to its end. `err` has the reason unless it is done, and then what it wrote beside:
 * text of one line, valid UTF-8, whatever the child wrote; its code is TV_OK then. Fails with
 * TV_ERR_SYSTEM where no child could be started. Any number of threads may run children at once.
 */
enum tv_code tv_sandboxed_child_run(const struct tv_sandboxed_child *child,
                                    enum tv_sandboxed_end *end, struct tv_error *err) TV_MUST_CHECK;

#endif
