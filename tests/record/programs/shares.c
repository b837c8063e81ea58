/*
 * A program that knows what its functions cost: it reads the CPU clock of the thread around each of
 * them, and prints "name ms" at its end. By its first argument it works without a pause, in bursts
 * between waits, in the kernel, in threads, or in recursion; by its second for that number of
 * milliseconds of CPU time, in each thread.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOT_INLINED __attribute__((noinline, noclone))

enum { HEAVY, MIDDLE, LIGHT, COPY, PARTS };
static const char *const names[PARTS] = {"heavy", "middle", "light", "copy"};
static _Atomic long spent_us[PARTS];
static volatile unsigned long sink;

static double cpu_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* Each has a loop of its own, so that none stands for another. */
NOT_INLINED static void heavy(unsigned long turns)
{
    unsigned long sum = 1;
    for (unsigned long i = 0; i < turns; i++)
        sum = sum * 6364136223846793005UL + i;
    sink += sum;
}

NOT_INLINED static void middle(unsigned long turns)
{
    unsigned long sum = 2;
    for (unsigned long i = 0; i < turns; i++)
        sum = sum * 2862933555777941757UL + i;
    sink += sum;
}

NOT_INLINED static void light(unsigned long turns)
{
    unsigned long sum = 3;
    for (unsigned long i = 0; i < turns; i++)
        sum = sum * 3202034522624059733UL + i;
    sink += sum;
}

/* Nearly all of this is the kernel's. */
NOT_INLINED static void copy(unsigned long turns)
{
    static _Thread_local char bytes[1 << 16];
    int zero = open("/dev/zero", O_RDONLY);
    for (unsigned long i = 0; i < turns / 50000; i++)
        sink += read(zero, bytes, sizeof(bytes)) > 0;
    close(zero);
}

NOT_INLINED static unsigned long below(unsigned depth, unsigned long turns)
{
    if (depth)
        return below(depth - 1, turns) + 1;
    middle(turns);
    return 0;
}

static void spend(int part, unsigned long turns)
{
    double before = cpu_us();
    switch (part) {
    case HEAVY:
        heavy(turns);
        break;
    case MIDDLE:
        sink += below(20, turns);
        break;
    case LIGHT:
        light(turns);
        break;
    default:
        copy(turns);
    }
    spent_us[part] += (long)(cpu_us() - before);
}

/* A round takes a few milliseconds. */
static void work_round(const char *manner)
{
    spend(LIGHT, 300000);
    spend(HEAVY, 2000000);
    spend(MIDDLE, 1000000);
    if (strcmp(manner, "kernel") == 0)
        spend(COPY, 20000000);
    if (strcmp(manner, "bursts") == 0)
        usleep(7000);
    if (strcmp(manner, "short") == 0) { /* a burst for each part, none as long as a millisecond */
        for (int i = 0; i < 8; i++) {
            spend(LIGHT, 60000);
            usleep(3000);
            spend(HEAVY, 400000);
            usleep(2000);
        }
    }
}

struct wish {
    const char *manner;
    double ms;
};

static void *work(void *asked)
{
    const struct wish *wish = asked;
    double begin = cpu_us();
    while (cpu_us() - begin < wish->ms * 1e3)
        work_round(wish->manner);
    return NULL;
}

int main(int count, char **words)
{
    struct wish wish = {count > 1 ? words[1] : "steady", count > 2 ? atof(words[2]) : 500};
    int threads = strcmp(wish.manner, "threads") == 0 ? 4 : 0;
    pthread_t started[4];
    for (int i = 0; i < threads; i++)
        pthread_create(&started[i], NULL, work, &wish);
    for (int i = 0; i < threads; i++)
        pthread_join(started[i], NULL);
    if (!threads)
        work(&wish);
    for (int i = 0; i < PARTS; i++)
        printf("%s %.3f\n", names[i], (double)spent_us[i] / 1e3);
    struct timespec whole;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &whole);
    printf("all %.3f\n", (double)whole.tv_sec * 1e3 + (double)whole.tv_nsec / 1e6);
    return 0;
}
