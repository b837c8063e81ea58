/* One process at a time: for a file that several read, change and write anew (tv_file_replace), of
 * which otherwise one would lose what another has written. */
#ifndef TV_OS_FILE_LOCK_H
#define TV_OS_FILE_LOCK_H

#include "base/compiler.h"
#include "base/error.h"

struct tv_lock {
    int fd; /* the folder, or the file beside the path that has the lock; -1: not taken */
};

/* Waits for the lock of the path's folder, which is made where it is missing, for the user alone.
 * NFS locks no folder: there PATH.lock has the lock, and stays. Where the disk has no locks at all,
 * it is as if nobody else had it. Fails where another process
 * keeps it for ten seconds. The lock ends with its process at the latest. */
enum tv_code tv_lock_take(struct tv_lock *lock, const char *path,
                          struct tv_error *err) TV_MUST_CHECK;
void tv_lock_drop(struct tv_lock *lock);

#endif
