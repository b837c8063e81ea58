/* A new file that has no name until it is complete, so nothing is left of it when the program
 * ends before. */
#ifndef TV_OS_FILE_UNNAMED_FILE_H
#define TV_OS_FILE_UNNAMED_FILE_H

#include <sys/types.h>

#include "base/compiler.h"

/* Opens such a file for writing, in the folder of the path `place`, with that mode less the umask;
 * -1 where the file system cannot do that. */
int tv_unnamed_file_open(const char *place, mode_t mode) TV_MUST_CHECK;
/* Opens a file without a name in an open folder, to write and to read, for the user alone; -1 where
 * the file system cannot do that. */
int tv_unnamed_file_open_in(int folder) TV_MUST_CHECK;
/* Gives the file a name that no file has; -1 on failure, with the reason in errno. `folder` may
 * be AT_FDCWD. */
int tv_unnamed_file_name(int fd, int folder, const char *name) TV_MUST_CHECK;
/* Begins to bring bytes that were written to the disk, and does not wait for them: a later fsync
 * finds less to do. On a file system that cannot do that nothing happens. */
void tv_unnamed_file_send(int fd, off_t from, off_t len);

#endif
