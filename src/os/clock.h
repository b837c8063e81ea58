/* Time that only goes forward. Any number of threads. */
#ifndef TV_OS_CLOCK_H
#define TV_OS_CLOCK_H

#include <stdint.h>

#include "base/compiler.h"

/* Nanoseconds since some moment before the program began. */
uint64_t tv_now_ns(void);

/* How long ago `since_ns` is at `now_ns`; 0 where another thread read the clock later. */
TV_INLINE uint64_t tv_passed_ns(uint64_t since_ns, uint64_t now_ns)
{
    return now_ns > since_ns ? now_ns - since_ns : 0;
}

#endif
