/*
 * Stacks of another process's threads, by elfutils' libdw: from the tables that compilers write for
 * exceptions, so no frame pointers are needed. The library is loaded when it is first needed. One
 * thread, which traces the process by ptrace(2).
 */
#ifndef TV_OS_SYMBOLS_UNWIND_H
#define TV_OS_SYMBOLS_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "base/error.h"

struct tv_unwind;

/* *unwind is NULL where libdw is not there, or was not when this program was built; *why says
 * which. */
enum tv_code tv_unwind_new(struct tv_unwind **unwind, pid_t process, const char **why,
                           struct tv_error *err) TV_MUST_CHECK;
void tv_unwind_free(struct tv_unwind *unwind);
/* Forgets which files the process has loaded: it became another program. */
void tv_unwind_forget(struct tv_unwind *unwind);

/* The stack of a thread that is stopped, innermost first: addresses within functions. False: there
 * are more than `cap`, or the outermost could not be found. */
bool tv_unwind_stack(struct tv_unwind *unwind, pid_t thread, uint64_t *addresses, size_t cap,
                     size_t *count);

/* The file that an address is of, as of the last stack, and the address as the file counts. False:
 * there is none. The path lasts until the next stack. */
bool tv_unwind_file(struct tv_unwind *unwind, uint64_t address, const char **path,
                    uint64_t *in_file);
/* Changes when addresses may be of other files than before. */
unsigned tv_unwind_generation(const struct tv_unwind *unwind);

#endif
