/* Running another program to its end: graphviz draws graphs for us. */
#ifndef TV_OS_PROCESS_PROGRAM_H
#define TV_OS_PROCESS_PROGRAM_H

#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"

/*
 * Runs a program of $PATH; `words` are its name and its arguments, and end with NULL. It reads
 * `input`, writes to the open file `out_fd`, and says nothing else. TV_ERR_NOT_FOUND where there is
 * no such program, TV_ERR_LIMIT where it had to be ended after `most_seconds`, TV_ERR_SYSTEM where
 * it fails.
 */
enum tv_code tv_program_run(const char *const *words, struct tv_str input, int out_fd,
                            unsigned most_seconds, struct tv_error *err) TV_MUST_CHECK;

#endif
