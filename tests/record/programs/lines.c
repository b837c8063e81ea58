/* A program for samples with lines: a loop, one that takes as long as three of it, and an inlined
 * function of another file. */
#include <stdint.h>

#include "lines.h"

static volatile uint64_t a, b;

static __attribute__((noinline)) void work(int n)
{
    for (int i = 0; i < n; i++)
        a = a * 3 + 1; /* line 12 */
    for (int i = 0; i < 3 * n; i++)
        b = b * 3 + 1; /* line 14 */
}

static __attribute__((noinline)) void of_inlined(int n)
{
    for (int i = 0; i < n; i++)
        inlined(&a);
}

int main(void)
{
    for (int i = 0; i < 60; i++) {
        work(1000000);
        of_inlined(1000000);
    }
    return 0;
}
