/* Reading a part of an open file, with and without waiting for its disk. Any thread. */
#ifndef TV_OS_FILE_READ_PART_H
#define TV_OS_FILE_READ_PART_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads up to `cap` bytes from there on, as many as are in memory already. Returns how many; 0: the
 * file ends there; -1: they would have to be waited for, or the file system does not tell. */
ssize_t tv_file_read_cached(int fd, uint64_t off, void *into, size_t cap);
/* Reads up to `cap` bytes, and waits for them. Returns how many, fewer only where the file ends;
 * -1: the system refused, and errno says why. */
ssize_t tv_file_read_part(int fd, uint64_t off, void *into, size_t cap);

#endif
