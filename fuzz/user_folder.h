/*
 * For the fuzzers of what the program keeps in the user's folders: a folder of their own, in memory
 * where the system has that, and files in it that hold the input.
 */
#ifndef TV_FUZZ_USER_FOLDER_H
#define TV_FUZZ_USER_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory/buffer.h"
#include "os/file/paths.h"

/* The path of a file in the folder, which is made the first time and removed when the fuzzer ends.
 */
void fuzz_kept_path(char path[TV_PATH_CAP], const char *name);
void fuzz_kept_write(const char *path, const uint8_t *bytes, size_t len);
/* Whether the file has these bytes. */
bool fuzz_kept_is(const char *path, struct tv_str bytes);

#endif
