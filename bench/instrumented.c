/*
 * A program that does little but call functions, compiled with -finstrument-functions: what a call
 * costs under a recorder, measured by the program itself. Prints one JSON object: the calls that it
 * made, and their nanoseconds in three stretches.
 *
 * instrumented N       the stretches are fib(N)
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STRETCHES 3

static unsigned long long call_count;

__attribute__((no_instrument_function)) static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) static unsigned fib(unsigned n)
{
    call_count++;
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 20;
    uint64_t ns[STRETCHES];
    unsigned sum = 0;
    for (int i = 0; i < STRETCHES; i++) {
        uint64_t begin = now_ns();
        sum += fib(n);
        ns[i] = now_ns() - begin;
    }
    printf("{\"calls\": %llu, \"ns\": [%llu, %llu, %llu], \"sum\": %u}\n", call_count / STRETCHES,
           (unsigned long long)ns[0], (unsigned long long)ns[1], (unsigned long long)ns[2], sum);
    return 0;
}
