/*
 * Landlock domains around threads: a thread gives up what it does not need, before it reads bytes
 * that nobody vouches for. The kernel holds the Landlock domain (Landlock, landlock(7)), so a
 * mistake of ours that lets such bytes take control of the thread does not take it down. Files that
 * are open already stay usable.
 *
 * A Landlock domain is around a thread and the threads that it starts, and all threads share the
 * program's memory: it stops what the thread asks the system for, and not what it writes over.
 * Where the kernel has no Landlock (Linux before 5.13, or switched off) everything runs without
 * Landlock domains.
 */
#ifndef TV_OS_SANDBOX_LANDLOCK_H
#define TV_OS_SANDBOX_LANDLOCK_H

#include <stdbool.h>
#include <stddef.h>

#define TV_LANDLOCK_FOLDERS_MOST 4u

/* What a thread in the Landlock domain may still do with files. */
struct tv_landlock {
    bool may_read; /* any file; false: it opens no file and no folder at all */
    /* In these folders, and below them, it may also write, make and remove files. */
    const char *folders[TV_LANDLOCK_FOLDERS_MOST];
    size_t folder_count;
};

/* The strictest Landlock domain, for those who read traces: their file is open. */
struct tv_landlock tv_landlock_for_readers(void);
/* Puts the calling thread, and every thread that it starts later, in the Landlock domain, for good.
 * In any Landlock domain no program can be started, and from Linux 6.7 on no TCP connection made.
 * False: the kernel has no Landlock, and nothing has changed. */
bool tv_landlock_close(const struct tv_landlock *domain);
/* Runs body(ctx) on a thread of its own in the Landlock domain, and waits for the end. False: the
 * body has run, but without a Landlock domain. */
bool tv_landlock_run(const struct tv_landlock *domain, void (*body)(void *ctx), void *ctx);

#endif
