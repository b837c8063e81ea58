/* The system's monotonic clock. */
#include "os/clock.h"

#include <errno.h>
#include <time.h>

#define NS_PER_S 1000000000u

uint64_t tv_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void tv_sleep_ns(uint64_t duration_ns)
{
    struct timespec left = {.tv_sec = (time_t)(duration_ns / NS_PER_S),
                            .tv_nsec = (long)(duration_ns % NS_PER_S)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}
