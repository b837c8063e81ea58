/* Copying a part of an open file into another one, by the kernel where it can. Any thread. */
#ifndef TV_OS_FILE_COPY_RANGE_H
#define TV_OS_FILE_COPY_RANGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"

/* Copies up to `len` bytes. Returns how many, fewer only where `from` ends; -1: the system refused,
 * and errno says why; some may be copied. Where the file system can share blocks between files, and
 * the offsets are multiples of them, no byte is moved. */
ssize_t tv_file_copy_range(int from, uint64_t from_off, int to, uint64_t to_off,
                           size_t len) TV_MUST_CHECK;

#endif
