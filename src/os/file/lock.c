/*
 * A lock between processes, by flock() on the folder of a file; see os/file/lock.h. The file itself
 * is another one each time it is replaced, so a lock on it would guard the old one. The kernel
 * drops the lock of a process that ends.
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

/* Whether another process still has the lock after all looks. */
static bool is_kept_by_another(int fd)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    for (unsigned i = 0; i < LOOKS_MOST; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR))
            return false;
        (void)nanosleep(&pause, NULL);
    }
    return true;
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
    if (!is_kept_by_another(lock->fd))
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
