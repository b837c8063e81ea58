/*
 * Whether two files have the same bytes: a recording that was copied is one recording, whatever
 * its copies are named.
 */
#ifndef TV_OS_FILE_SAME_BYTES_H
#define TV_OS_FILE_SAME_BYTES_H

#include <stdbool.h>
#include <stdint.h>

/* The length of the trace of that name, of both files of a pair; 0 where it is not all in regular
 * files. What lies packed is not unpacked. */
uint64_t tv_trace_len(const char *name);
/* Whether two traces, each by name as tv_file_open takes it, have the same files, byte for byte.
 * What cannot be read is no copy: whoever opens it says why. Traces of different lengths are not
 * read. */
bool tv_trace_is_copy(const char *a, const char *b);

#endif
