/*
 * A program that works in THREADS threads at once, all begun before any of them works, and tells
 * what their beginning and the rest took of a processor: sampled THREADS UNITS, UNITS of all
 * threads together. A unit is the same instructions each time, some microseconds.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define STACK_LEN ((size_t)64 << 10)
#define LEVELS 8

static pthread_barrier_t begun;
static long units_of_each;

__attribute__((noinline, noclone)) static unsigned long deep(unsigned long sum, int level)
{
    if (level)
        return deep(sum, level - 1) + 1;
    for (int i = 0; i < 20000; i++)
        sum = sum * 6364136223846793005u + 1442695040888963407u;
    return sum;
}

static void *work(void *ctx)
{
    unsigned long sum = (unsigned long)(size_t)ctx;
    pthread_barrier_wait(&begun);
    for (long i = 0; i < units_of_each; i++)
        sum += deep(sum, LEVELS);
    return (void *)(size_t)sum;
}

static double ms_of(struct timeval time)
{
    return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

int main(int count, char **words)
{
    if (count != 3)
        return 2;
    const long threads = strtol(words[1], NULL, 10);
    units_of_each = strtol(words[2], NULL, 10) / threads;
    pthread_t *all = calloc((size_t)threads, sizeof(*all));
    pthread_attr_t small;
    unsigned long sum = 0;
    struct rusage begin, used;
    if (!all || pthread_attr_init(&small) || pthread_attr_setstacksize(&small, STACK_LEN) ||
        pthread_barrier_init(&begun, NULL, (unsigned)threads + 1))
        return 1;
    for (long i = 0; i < threads; i++) {
        if (pthread_create(&all[i], &small, work, NULL) != 0)
            return 1;
    }
    getrusage(RUSAGE_SELF, &begin);
    pthread_barrier_wait(&begun);
    for (long i = 0; i < threads; i++) {
        void *of_one;
        pthread_join(all[i], &of_one);
        sum += (unsigned long)(size_t)of_one;
    }
    free(all);
    getrusage(RUSAGE_SELF, &used);
    const double begin_ms = ms_of(begin.ru_utime) + ms_of(begin.ru_stime);
    printf("{\"begin_ms\": %.3f, \"user_ms\": %.3f, \"sys_ms\": %.3f, \"sum\": %lu}\n", begin_ms,
           ms_of(used.ru_utime), ms_of(used.ru_stime), sum);
    return 0;
}
