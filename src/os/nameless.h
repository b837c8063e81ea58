/* A new file that has no name until it is whole: nothing is left of it when the program is ended.
 */
#ifndef TV_OS_NAMELESS_H
#define TV_OS_NAMELESS_H

#include "base/compiler.h"

/* In the folder of `place`, for writing; -1 where the file system has none such. */
int tv_nameless_open(const char *place) TV_MUST_CHECK;
/* The same in an open folder, for the user alone. */
int tv_nameless_open_in(int folder) TV_MUST_CHECK;
/* Gives it a name that is free; else -1, and errno tells why. `folder` may be AT_FDCWD. */
int tv_nameless_name(int fd, int folder, const char *name) TV_MUST_CHECK;

#endif
