/* A program for samples with lines: a loop, one that takes as long as three of it, and an inlined
 * function of another file. It prints the first loop's share of the CPU time of both, as the clock
 * has it: on a machine that others use, the same work may take twice as long a moment later. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lines.h"

static volatile uint64_t a, b;
static uint64_t first_ns, both_ns;

static uint64_t cpu_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static __attribute__((noinline)) void work(int n)
{
    uint64_t begin = cpu_ns();
    for (int i = 0; i < n; i++)
        a = a * 3 + 1; /* line 25 */
    first_ns += cpu_ns() - begin;
    for (int i = 0; i < 3 * n; i++)
        b = b * 3 + 1; /* line 28 */
    both_ns += cpu_ns() - begin;
}

static __attribute__((noinline)) void of_inlined(int n)
{
    for (int i = 0; i < n; i++)
        inlined(&a);
}

int main(int count, char **words)
{
    for (int i = 0; i < (count > 1 ? atoi(words[1]) : 1); i++) {
        work(1000000);
        of_inlined(1000000);
    }
    printf("%.3f\n", (double)first_ns / (double)both_ns);
    return 0;
}
