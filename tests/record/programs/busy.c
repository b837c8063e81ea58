/*
 * A program that is not instrumented, to be looked at: main works, rests, and waits for a thread
 * that works meanwhile. How long each part takes is its own wall time, in milliseconds.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

__attribute__((noinline)) static unsigned long work_hard(double ms)
{
    volatile unsigned long sum = 0;
    double end = now_ms() + ms;
    while (now_ms() < end) {
        for (unsigned long i = 0; i < 10000; i++)
            sum += i;
    }
    return sum;
}

__attribute__((noinline)) static void take_a_rest(void)
{
    usleep(200000);
}

static void *work_beside(void *ms)
{
    return work_hard(*(double *)ms) ? ms : NULL;
}

int main(void)
{
    pthread_t thread;
    double ms = 300;
    volatile unsigned long sum = work_hard(100);
    pthread_create(&thread, NULL, work_beside, &ms);
    take_a_rest();
    pthread_join(thread, NULL);
    printf("%d\n", sum > 0);
    return 5;
}
