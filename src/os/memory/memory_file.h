/* A file that is only in memory, for what another process is to write: once it is sealed nobody
 * changes it any more, whoever still has it open. */
#ifndef TV_OS_MEMORY_MEMORY_FILE_H
#define TV_OS_MEMORY_MEMORY_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* Opens an empty one to read and to write; -1 on failure, with the reason in errno. */
int tv_memory_file_open(void) TV_MUST_CHECK;
/* Seals it, and tells its length. False: somebody has it mapped to write, or the reason in errno.
 */
bool tv_memory_file_seal(int fd, uint64_t *len) TV_MUST_CHECK;

#endif
