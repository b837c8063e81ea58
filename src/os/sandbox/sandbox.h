/*
 * The sandbox: what a process gives up for good before it reads bytes that a stranger sent. Its
 * open files and its memory are all that it has afterwards.
 *
 * Three fences stand one behind the other, each held by the kernel:
 *
 * - a Landlock domain (os/sandbox/landlock.h): no file is opened by name, no TCP connection is
 * made;
 * - limits: no further descriptor, no further process;
 * - a filter of system calls (seccomp(2), by libseccomp): only those that read and write open
 *   files, get memory without executable pages, and wait for other threads. What a C library may
 *   try for its own comfort, like opening a file of /proc, fails; anything else ends the process at
 *   once, with SIGSYS.
 *
 * Threads that are to work in the sandbox are started between tv_sandbox_enter_landlock and
 * tv_sandbox_close, since nothing is started later; each must have come to its work by the time of
 * the latter.
 */
#ifndef TV_OS_SANDBOX_SANDBOX_H
#define TV_OS_SANDBOX_SANDBOX_H

#include <stdbool.h>

/* Which fences stand. */
struct tv_sandbox {
    bool has_landlock; /* false: the kernel has no Landlock */
    bool has_filter;   /* false: the program was built without libseccomp, or the kernel refused */
};

/* Closes the Landlock domain around the calling thread and the threads that it starts later. */
void tv_sandbox_enter_landlock(struct tv_sandbox *sandbox);
/* Sets limits and filter for all threads of the process. */
void tv_sandbox_close(struct tv_sandbox *sandbox);

/* Which fences would stand, found out by a process that enters the sandbox and ends. */
struct tv_sandbox tv_sandbox_probe(void);

#endif
