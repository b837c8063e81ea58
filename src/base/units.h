/*
 * Units of time. Times are nanoseconds in 64 bits everywhere but where a file or another tool
 * counts in something else, so this is where what a system's clock tells, seconds and a rest,
 * becomes one number. The recorder and the agent of Java compile this header too, so it needs no
 * code.
 */
#ifndef TV_BASE_UNITS_H
#define TV_BASE_UNITS_H

#include <stdint.h>

#include "base/compiler.h"

#define TV_NS_PER_US UINT64_C(1000)
#define TV_NS_PER_MS UINT64_C(1000000)
#define TV_NS_PER_S UINT64_C(1000000000)

/* The two fields of a `struct timespec` as one number. Times of files come from a file system that
 * may hold any number of seconds: the sum wraps, as unsigned numbers do, and is never undefined. */
TV_INLINE uint64_t tv_timespec_ns(int64_t seconds, int64_t rest_ns)
{
    return (uint64_t)seconds * TV_NS_PER_S + (uint64_t)rest_ns;
}

#endif
