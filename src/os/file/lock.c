/*
 * A lock between processes, by flock() on the folder of a file; see os/file/lock.h. The file itself
 * is another one each time it is replaced, so a lock on it would guard the old one. NFS locks only
 * what is open for writing, which no folder can be (EBADF), so a file beside it has the lock there.
 * The kernel drops the lock of a process that ends.
 */
#include "os/file/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "os/file/paths.h"

#define LOOK_NS 10000000
#define LOOKS_MOST 1000u

enum look { TAKEN, KEPT_BY_ANOTHER, NO_LOCKS };

static enum look look_for(int fd)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    for (unsigned i = 0; i < LOOKS_MOST; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return TAKEN;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return NO_LOCKS;
        (void)nanosleep(&pause, NULL);
    }
    return KEPT_BY_ANOTHER;
}

/* The file is never removed: another process may have opened it to wait for the lock. */
static enum look look_beside(struct tv_lock *lock, const char *path)
{
    char beside[TV_PATH_CAP];
    tv_lock_drop(lock);
    if (snprintf(beside, sizeof(beside), "%s.lock", path) >= (int)sizeof(beside))
        return NO_LOCKS;
    lock->fd = open(beside, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    return lock->fd < 0 ? NO_LOCKS : look_for(lock->fd);
}

enum tv_code tv_lock_take(struct tv_lock *lock, const char *path, struct tv_error *err)
{
    char folder[TV_PATH_CAP];
    const char *slash = strrchr(path, '/');
    lock->fd = -1;
    (void)snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) : 1,
                   slash ? path : ".");
    TV_TRY(tv_path_make_folders(path, err));
    lock->fd = open(folder[0] ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock->fd < 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be opened: %s", folder,
                       strerror(errno));
    enum look look = look_for(lock->fd);
    if (look == NO_LOCKS)
        look = look_beside(lock, path);
    if (look != KEPT_BY_ANOTHER)
        return TV_OK;
    tv_lock_drop(lock);
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "another traceview is busy with %s: try again",
                   path);
}

void tv_lock_drop(struct tv_lock *lock)
{
    if (lock->fd >= 0)
        (void)close(lock->fd);
    lock->fd = -1;
}
