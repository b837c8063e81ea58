/* A library for LD_PRELOAD that adds the seconds which a file says to the system's clock, for tests
 * of a clock that jumps. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long shift(void)
{
    const char *path = getenv("TRACEVIEW_TEST_SHIFT");
    FILE *file = path ? fopen(path, "r") : NULL;
    long seconds = 0;
    if (file) {
        if (fscanf(file, "%ld", &seconds) != 1)
            seconds = 0;
        (void)fclose(file);
    }
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int (*next)(clockid_t, struct timespec *);
    *(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
    int result = next(clock, now);
    if (clock == CLOCK_REALTIME)
        now->tv_sec += shift();
    return result;
}

time_t time(time_t *out)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact;
    (void)zone;
    (void)clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}
