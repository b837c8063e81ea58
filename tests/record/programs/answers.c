/*
 * A server that waits a little and works a little: a partner in a process of its own sends it a
 * byte after a pause, and it works for some dozens of microseconds. By its first argument it waits
 * in epoll_wait, ppoll or read; by its second for that number of bytes. It reads the CPU clock of
 * its thread and the wall clock around each wait, and prints what the waits and all took, in ms,
 * how many waits were interrupted, and how often it left the processor by itself.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOT_INLINED __attribute__((noinline, noclone))
#define PAUSE_NS 300000

static volatile unsigned long sink;
static unsigned long interrupted;
static int bytes[2], watched;

static double us_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double cpu_us(void)
{
    return us_of(CLOCK_THREAD_CPUTIME_ID);
}

NOT_INLINED static void serve(void)
{
    unsigned long sum = 1;
    for (unsigned long i = 0; i < 60000; i++)
        sum = sum * 6364136223846793005UL + i;
    sink += sum;
}

/* Whether a byte is there. */
NOT_INLINED static int await(const char *manner)
{
    struct epoll_event event;
    struct pollfd file = {.fd = bytes[0], .events = POLLIN};
    int count = strcmp(manner, "epoll_wait") == 0 ? epoll_wait(watched, &event, 1, 5000)
                : strcmp(manner, "ppoll") == 0    ? ppoll(&file, 1, NULL, NULL)
                                                  : 1;
    interrupted += count < 0 && errno == EINTR;
    return count > 0;
}

static void send_bytes(long count)
{
    for (long i = 0; i < count; i++) {
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
        if (write(bytes[1], "", 1) != 1)
            break;
    }
    _exit(0);
}

int main(int count, char **words)
{
    const char *manner = count > 1 ? words[1] : "epoll_wait";
    struct epoll_event event = {.events = EPOLLIN};
    double waits_us = 0, waits_wall_us = 0, begin_us, begin_wall_us, whole_us = cpu_us();
    double wall_us = us_of(CLOCK_MONOTONIC);
    long left = count > 2 ? atol(words[2]) : 1000;
    char byte;
    if (pipe(bytes) != 0 || (watched = epoll_create1(0)) < 0 ||
        epoll_ctl(watched, EPOLL_CTL_ADD, bytes[0], &event) != 0)
        return 1;
    if (fork() == 0)
        send_bytes(left);
    while (left > 0) {
        begin_us = cpu_us();
        begin_wall_us = us_of(CLOCK_MONOTONIC);
        int is_there = await(manner);
        if (is_there && read(bytes[0], &byte, 1) == 1)
            left--;
        waits_wall_us += us_of(CLOCK_MONOTONIC) - begin_wall_us;
        waits_us += cpu_us() - begin_us;
        if (is_there)
            serve();
    }
    whole_us = cpu_us() - whole_us;
    wall_us = us_of(CLOCK_MONOTONIC) - wall_us;
    wait(NULL);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("waits %.3f\nall %.3f\nwaits_wall %.3f\nwall %.3f\n", waits_us / 1e3, whole_us / 1e3,
           waits_wall_us / 1e3, wall_us / 1e3);
    printf("interrupted %lu\nswitches %ld\n", interrupted, used.ru_nvcsw);
    return 0;
}
