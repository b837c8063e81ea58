/*
 * Clocks; see os/clock.h. The monotonic clock never steps back and does not follow changes of the
 * time of day, so durations and waits are measured by it alone.
 */
#include "os/clock.h"

#include <sys/stat.h>
#include <time.h>

#include "base/units.h"

struct timespec tv_timespec_of(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / TV_NS_PER_S),
                             .tv_nsec = (long)(ns % TV_NS_PER_S)};
}

int64_t tv_file_changed_ns(const struct stat *status)
{
    return (int64_t)tv_timespec_ns(status->st_mtim.tv_sec, status->st_mtim.tv_nsec);
}

uint64_t tv_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return tv_timespec_ns(now.tv_sec, now.tv_nsec);
}

uint64_t tv_real_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return tv_timespec_ns(now.tv_sec, now.tv_nsec);
}

uint64_t tv_own_cpu_ns(void)
{
    struct timespec used;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return tv_timespec_ns(used.tv_sec, used.tv_nsec);
}
