/*
 * A program with a known difference: forty functions that each work for as many turns of a loop,
 * compiled with -finstrument-functions. bench/record_sets.py records it with and without.
 *
 * planted TURNS PERCENT CALLS part_07 works PERCENT percent longer, and part_11 is called CALLS
 * times more, without work
 */
#include <stdio.h>
#include <stdlib.h>

#define QUIET __attribute__((no_instrument_function))

QUIET static void work(unsigned long turns)
{
    volatile unsigned long sum = 0;
    for (unsigned long i = 0; i < turns; i++)
        sum += i;
}

#define FIVE(X, n, a, b, c, d, e) X(n##a) X(n##b) X(n##c) X(n##d) X(n##e)
#define TEN(X, n) FIVE(X, n, 0, 1, 2, 3, 4) FIVE(X, n, 5, 6, 7, 8, 9)
#define PARTS(X) TEN(X, 0) TEN(X, 1) TEN(X, 2) TEN(X, 3)

#define DEFINE(n)                                                                                  \
    __attribute__((noinline)) static void part_##n(unsigned long turns)                            \
    {                                                                                              \
        work(turns);                                                                               \
    }
PARTS(DEFINE)

#define NAME(n) part_##n,
static void (*const parts[])(unsigned long) = {PARTS(NAME)};

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "planted TURNS PERCENT CALLS\n");
        return 2;
    }
    unsigned long turns = strtoul(argv[1], NULL, 10);
    unsigned long percent = strtoul(argv[2], NULL, 10);
    unsigned long calls = strtoul(argv[3], NULL, 10);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        parts[i](i == 7 ? turns / 100 * (100 + percent) : turns);
    for (unsigned long i = 0; i < calls; i++)
        parts[11](0);
    return 0;
}
