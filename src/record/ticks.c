/*
 * The clock of a recorder; see record/ticks.h.
 *
 * The processor's counter is trusted when three agree: CPUID says that it never stops or changes
 * its rate, the process may read it, and the kernel lists it as a clock source, which it does not
 * when cores differ. The rate is measured once per process, over 2 ms against CLOCK_MONOTONIC, and
 * kept as fixed-point numbers with 32 bits behind the point, so that a conversion is one
 * multiplication.
 */
#include "record/ticks.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"

#if TV_HAS_COUNTER
#include <cpuid.h>
#endif

#define FRACTION_BITS 32u
/* What the kernel still trusts as a clock: it takes the counter off this list when cores differ. */
#define CLOCK_SOURCES "/sys/devices/system/clocksource/clocksource0/available_clocksource"
/* A reading of both clocks is some 30 ns wide, so that the rate is known to a few parts in 10^5. */
#define MEASURE_NS UINT64_C(2000000)
#define READINGS 8

__extension__ typedef unsigned __int128 wide;

uint64_t tv_ticks_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return tv_timespec_ns(now.tv_sec, now.tv_nsec);
}

uint64_t tv_ticks_to_ns(struct tv_ticks_rate rate, uint64_t ticks)
{
    return (uint64_t)((wide)ticks * rate.ns_per_tick >> FRACTION_BITS);
}

uint64_t tv_ticks_from_ns(struct tv_ticks_rate rate, uint64_t ns)
{
    return (uint64_t)((wide)ns * rate.ticks_per_ns >> FRACTION_BITS);
}

#if TV_HAS_COUNTER

/* The counter and CLOCK_MONOTONIC at one moment. */
struct pair {
    uint64_t ticks, ns;
};

/* Both clocks at one moment: of several readings, the one that took the shortest. */
static struct pair read_pair(void)
{
    struct pair best = {0, 0};
    uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < READINGS; i++) {
        uint64_t before = __builtin_ia32_rdtsc();
        uint64_t ns = tv_ticks_monotonic_ns();
        uint64_t width = __builtin_ia32_rdtsc() - before;
        if (width < narrowest) {
            narrowest = width;
            best = (struct pair){before + width / 2, ns};
        }
    }
    return best;
}

/* Whether the counter never stops and never changes its rate, by CPUID 80000007h. */
static bool is_invariant(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & 1u << 8);
}

/* Whether this process may read the counter at all; sandboxes may forbid it. */
static bool is_readable(void)
{
    int mode = 0;
    return prctl(PR_GET_TSC, &mode) != 0 || mode == PR_TSC_ENABLE;
}

/* Whether the kernel lists the counter as a clock. */
static bool is_listed(void)
{
    char text[256];
    int file = open(CLOCK_SOURCES, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t len = read(file, text, sizeof(text) - 1);
    close(file);
    if (len <= 0)
        return false;
    text[len] = '\0';
    char *rest = NULL;
    for (char *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
        if (strcmp(word, "tsc") == 0)
            return true;
    }
    return false;
}

static struct tv_ticks_rate measure_counter(void)
{
    struct pair first = read_pair();
    while (tv_ticks_monotonic_ns() - first.ns < MEASURE_NS)
        continue;
    struct pair last = read_pair();
    uint64_t ticks = last.ticks - first.ticks;
    uint64_t ns = last.ns - first.ns;
    return (struct tv_ticks_rate){.is_counter = true,
                                  .ns_per_tick = (ns << FRACTION_BITS) / ticks,
                                  .ticks_per_ns = (ticks << FRACTION_BITS) / ns};
}

#endif

struct tv_ticks_rate tv_ticks_measure(void)
{
    static struct tv_ticks_rate rate;
    if (rate.ns_per_tick)
        return rate;
    rate = (struct tv_ticks_rate){.is_counter = false,
                                  .ns_per_tick = UINT64_C(1) << FRACTION_BITS,
                                  .ticks_per_ns = UINT64_C(1) << FRACTION_BITS};
#if TV_HAS_COUNTER
    if (is_invariant() && is_readable() && is_listed())
        rate = measure_counter();
#endif
    return rate;
}
