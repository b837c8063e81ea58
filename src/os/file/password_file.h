/* Passwords that a setting names a file of, so that nobody who lists processes sees them. */
#ifndef TV_OS_FILE_PASSWORD_FILE_H
#define TV_OS_FILE_PASSWORD_FILE_H

#include <stddef.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

/* No file that is longer has a password. */
#define TV_PASSWORD_CAP 4097

/* Reads the first line of a file, without its end; `file` NULL or "": the password is "". Errors
 * begin with `setting`, and none repeats what stands in the file: TV_ERR_ARGUMENT where the line is
 * empty or has a NUL, else those of tv_file_read_small. The caller forgets the password when it was
 * used. */
enum tv_code tv_password_read(char password[TV_PASSWORD_CAP], const char *file, const char *setting,
                              const struct tv_alloc *alloc, struct tv_error *err) TV_MUST_CHECK;
/* Writes over it, wherever it stands. */
void tv_password_forget(void *password, size_t len);

#endif
