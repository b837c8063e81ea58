/* Giving a file's room back to its disk while the file stays: for one that is read once more, from
 * its begin to its end. */
#ifndef TV_OS_FILE_HOLE_H
#define TV_OS_FILE_HOLE_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes that the user may still write to the disk of an open file; UINT64_MAX: it does not say. */
uint64_t tv_file_room(int fd);

/* The file has zeros there from now on, and the disk the whole pages of it; its length stays.
 * False: its file system cannot. */
bool tv_file_give_back(int fd, uint64_t from, uint64_t len);

#endif
