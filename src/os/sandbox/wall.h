/*
 * Walls around threads: a thread gives up what it does not need, before it reads bytes that nobody
 * vouches for. The kernel holds the wall (Landlock, landlock(7)), so a mistake of ours that lets
 * such bytes take control of the thread does not take it down. Files that are open already stay
 * usable.
 *
 * A wall is around a thread and the threads that it starts, and all threads share the program's
 * memory: it stops what the thread asks the system for, and not what it writes over. Where the
 * kernel has no Landlock (Linux before 5.13, or switched off) everything runs without walls.
 */
#ifndef TV_OS_SANDBOX_WALL_H
#define TV_OS_SANDBOX_WALL_H

#include <stdbool.h>
#include <stddef.h>

#define TV_WALL_FOLDERS_MOST 4u

/* What a thread behind the wall may still do with files. */
struct tv_wall {
    bool may_read; /* any file; false: it opens no file and no folder at all */
    /* In these folders, and below them, it may also write, make and remove files. */
    const char *folders[TV_WALL_FOLDERS_MOST];
    size_t folder_count;
};

/* The strictest wall, for those who read traces: their file is open. */
struct tv_wall tv_wall_for_readers(void);
/* Puts the calling thread, and every thread that it starts later, behind the wall, for good. Behind
 * any wall no program is started, and from Linux 6.7 on no TCP connection is made. False: the
 * kernel does not do that, and nothing has changed. */
bool tv_wall_close(const struct tv_wall *wall);
/* Runs body(ctx) on a thread of its own behind the wall, and waits for the end. False: the body has
 * run, but without a wall. */
bool tv_wall_run(const struct tv_wall *wall, void (*body)(void *ctx), void *ctx);

#endif
