/*
 * A program whose methods' own times are known, compiled with -finstrument-functions: what `top
 * --overhead` makes of its recording is held against them (bench/known_costs.py). What a method
 * does itself is a chain of multiplications that wait for each other, or of reads through memory,
 * of a known length; the time of one link is measured between the recorded stretches, without a
 * call, so that a busy machine slows both down. Prints one JSON array: for each case its method,
 * its calls and its own nanoseconds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STRETCHES 40
#define RULER_STEPS 200000u
#define CHAIN_LEN (1u << 19) /* of 16 bytes: larger than most second caches */
#define UNRECORDED __attribute__((no_instrument_function))
#define ALONE __attribute__((noinline))

struct link {
    struct link *next;
    uint64_t unused;
};

static volatile uint64_t seed = 88172645463325252u;
static struct link *chain, *at;

UNRECORDED static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

UNRECORDED __attribute__((always_inline)) static inline void multiply(unsigned steps)
{
    uint64_t value = seed;
    for (unsigned i = 0; i < steps; i++) {
        value *= 6364136223846793005u;
        __asm__ volatile("" : "+r"(value));
    }
    __asm__ volatile("" : : "r"(value));
}

UNRECORDED __attribute__((always_inline)) static inline void chase(unsigned steps)
{
    struct link *link = at;
    for (unsigned i = 0; i < steps; i++)
        link = link->next;
    __asm__ volatile("" : "+r"(link));
    at = link;
}

ALONE static void nothing(void)
{
    multiply(0);
}

ALONE static void tiny(void)
{
    multiply(10);
}

ALONE static void middle(void)
{
    multiply(100);
}

ALONE static void lengthy(void)
{
    multiply(1000);
}

ALONE static void one_callee(void)
{
    multiply(30);
    nothing();
}

ALONE static void ten_callees(void)
{
    for (int i = 0; i < 10; i++) {
        multiply(10);
        nothing();
    }
}

__attribute__((always_inline)) static inline void inlined(void)
{
    multiply(20);
}

ALONE static void of_inlined(void)
{
    multiply(20);
    inlined();
    inlined();
}

ALONE static unsigned fib(unsigned n)
{
    multiply(15);
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

ALONE static void chased(void)
{
    chase(5);
}

#define ONE(n)                                                                                     \
    ALONE static void one_##n(void)                                                                \
    {                                                                                              \
        multiply(25);                                                                              \
    }
#define EIGHT(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7)
EIGHT(0)
EIGHT(1)
EIGHT(2)
EIGHT(3)
EIGHT(4)
EIGHT(5)
EIGHT(6)
EIGHT(7)
#define NAMES(n)                                                                                   \
    one_##n##0, one_##n##1, one_##n##2, one_##n##3, one_##n##4, one_##n##5, one_##n##6, one_##n##7
static void (*const many[])(void) = {NAMES(0), NAMES(1), NAMES(2), NAMES(3),
                                     NAMES(4), NAMES(5), NAMES(6), NAMES(7)};

UNRECORDED static unsigned count_fib(unsigned n)
{
    return n < 2 ? 1 : 1 + count_fib(n - 1) + count_fib(n - 2);
}

static double multiply_ns, chase_ns; /* of a step, summed up over the stretches */

/* What a step takes on average, interruptions and all: the recorded calls have these, too. */
UNRECORDED static void measure_steps(void)
{
    uint64_t begin = now_ns();
    multiply(RULER_STEPS);
    uint64_t between = now_ns();
    chase(RULER_STEPS / 10);
    uint64_t end = now_ns();
    multiply_ns += (double)(between - begin) / RULER_STEPS / 2;
    chase_ns += (double)(end - between) / (RULER_STEPS / 10) / 2;
}

/* One ring through all links, in an order that no prefetcher follows. */
UNRECORDED static void make_chain(void)
{
    chain = calloc(CHAIN_LEN, sizeof(*chain));
    if (!chain)
        exit(1);
    uint64_t place = 0;
    for (uint64_t i = 0; i < CHAIN_LEN; i++) {
        uint64_t next = (place * 1664525u + 1013904223u) % CHAIN_LEN;
        chain[place].next = &chain[next];
        place = next;
    }
    at = chain;
}

UNRECORDED static void stretch(void)
{
    for (int i = 0; i < 5000; i++)
        nothing();
    for (int i = 0; i < 5000; i++)
        tiny();
    for (int i = 0; i < 3000; i++)
        middle();
    for (int i = 0; i < 1000; i++)
        lengthy();
    for (int i = 0; i < 3000; i++)
        one_callee();
    for (int i = 0; i < 1000; i++)
        ten_callees();
    for (int i = 0; i < 1500; i++)
        of_inlined();
    fib(15);
    for (int i = 0; i < 2000; i++)
        chased();
    for (int i = 0; i < 5120; i++)
        many[i % 64]();
}

UNRECORDED static void print_case(const char *method, unsigned calls, double steps, double step_ns)
{
    printf("{\"method\": \"%s\", \"calls\": %u, \"own_ns\": %.0f}", method, calls * STRETCHES,
           calls * steps * step_ns);
}

UNRECORDED int main(void)
{
    const unsigned fib_calls = count_fib(15);
    make_chain();
    for (int i = 0; i < STRETCHES; i++) {
        measure_steps();
        stretch();
        measure_steps();
    }
    const struct {
        const char *method;
        unsigned calls, steps;
        double step_ns; /* summed over the stretches, each of which makes this many calls */
    } cases[] = {{"nothing", 5000 + 3000 + 10000, 0, multiply_ns},
                 {"tiny", 5000, 10, multiply_ns},
                 {"middle", 3000, 100, multiply_ns},
                 {"lengthy", 1000, 1000, multiply_ns},
                 {"one_callee", 3000, 30, multiply_ns},
                 {"ten_callees", 1000, 100, multiply_ns},
                 {"inlined", 3000, 20, multiply_ns},
                 {"fib", fib_calls, 15, multiply_ns},
                 {"chased", 2000, 5, chase_ns},
                 {"one_00", 80, 25, multiply_ns}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        printf(i ? ", " : "[");
        print_case(cases[i].method, cases[i].calls, cases[i].steps, cases[i].step_ns);
    }
    printf("]\n");
    return 0;
}
