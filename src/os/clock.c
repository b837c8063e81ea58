/*
 * The system's monotonic clock. It never steps back and does not follow changes of the time of day,
 * so durations and waits are measured by it alone.
 */
#include "os/clock.h"

#include <time.h>

#define NS_PER_S 1000000000u

uint64_t tv_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}
