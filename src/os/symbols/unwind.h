/*
 * Stacks of another process's threads, by elfutils' libdw: from the tables that compilers write for
 * exceptions, so no frame pointers are needed. The library is loaded when it is first needed. One
 * thread, which traces the process by ptrace(2).
 *
 * A thread that waits needs not be stopped: its stack pointer and the instruction are known to the
 * kernel, and code that keeps no frame pointer is followed with these alone; other stacks are known
 * again where they were followed once (kept_stacks.h).
 */
#ifndef TV_OS_SYMBOLS_UNWIND_H
#define TV_OS_SYMBOLS_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "base/error.h"

struct tv_stack_copy;
struct tv_unwind;

/* *unwind is NULL where libdw is not there, or was not when this program was built; *why says
 * which. */
enum tv_code tv_unwind_new(struct tv_unwind **unwind, pid_t process, const char **why,
                           struct tv_error *err) TV_MUST_CHECK;
void tv_unwind_free(struct tv_unwind *unwind);
/* Forgets which files the process has loaded: it became another program. */
void tv_unwind_forget(struct tv_unwind *unwind);

/* The process has mapped code there: where a file was known to be, another one may be now. */
void tv_unwind_mapped(struct tv_unwind *unwind, uint64_t address);

/* The stack of a thread that is stopped, innermost first: addresses within functions. False: there
 * are more than `cap`, or the outermost could not be found. */
bool tv_unwind_stack(struct tv_unwind *unwind, pid_t thread, uint64_t *addresses, size_t cap,
                     size_t *count);

/* The stack of which a copy was made while the thread ran on (os/stack_copy.h). It ends, and is not
 * whole, where more than the copy would be needed, since what the thread has there by now may be
 * another stack's: then *is_cut. */
bool tv_unwind_copy(struct tv_unwind *unwind, pid_t thread, const struct tv_stack_copy *copy,
                    uint64_t *addresses, size_t cap, size_t *count, bool *is_cut);

/* The stack of a thread that is not stopped, but waits in a system call: `code` is the instruction
 * behind the call, `stack` the stack pointer. *is_whole is what tv_unwind_stack() would return.
 * False: it cannot be known without stopping the thread. What is told is true only where the thread
 * has not run meanwhile. */
bool tv_unwind_waiting(struct tv_unwind *unwind, uint64_t code, uint64_t stack, uint64_t *addresses,
                       size_t cap, size_t *count, bool *is_whole);
/* Keeps the last stack of a thread that waits, by either of the above, for tv_unwind_waiting(). */
void tv_unwind_keep(struct tv_unwind *unwind, const uint64_t *addresses, size_t count,
                    bool is_whole);

/* The file that an address is of, as of the last stack. Texts last until the next stack. */
struct tv_unwind_file {
    const char *path;
    const char *code_file; /* which file of that name it is: base/code_file.h */
    uint64_t address;      /* as the file counts */
};

/* False: there is none. */
bool tv_unwind_file(struct tv_unwind *unwind, uint64_t address, struct tv_unwind_file *file);
/* Changes when addresses may be of other files than before. */
unsigned tv_unwind_generation(const struct tv_unwind *unwind);

#endif
