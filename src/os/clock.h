/* Time that only goes forward. Any number of threads. */
#ifndef TV_OS_CLOCK_H
#define TV_OS_CLOCK_H

#include <stdint.h>

/* Nanoseconds since some moment before the program began. */
uint64_t tv_now_ns(void);

#endif
