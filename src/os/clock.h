/*
 * Time that only goes forward, and moments in nanoseconds as the system's calls take and give them.
 * Any number of threads.
 */
#ifndef TV_OS_CLOCK_H
#define TV_OS_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "base/compiler.h"

/* Nanoseconds since some moment before the program began. */
uint64_t tv_now_ns(void);

/* Nanoseconds since 1970, by a clock that may be set. */
uint64_t tv_real_ns(void);

/* What the calling thread has used of a processor: on a busy machine a piece of work may take long
 * that takes little. */
uint64_t tv_own_cpu_ns(void);

/* A moment or a duration as the system's calls take it. */
struct timespec tv_timespec_of(uint64_t ns);

/* When the content of a file was changed last, since 1970. A file system may hold any time: one
 * that does not fit wraps, so that two times are the same or differ as they did, but their order is
 * lost. */
struct stat;
int64_t tv_file_changed_ns(const struct stat *status);

/* How long ago `since_ns` is at `now_ns`; 0 where another thread read the clock later. */
TV_INLINE uint64_t tv_passed_ns(uint64_t since_ns, uint64_t now_ns)
{
    return now_ns > since_ns ? now_ns - since_ns : 0;
}

#endif
