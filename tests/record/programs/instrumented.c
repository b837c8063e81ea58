/* A C program that knows nothing of being recorded, compiled with -finstrument-functions. The way
 * it ends is its argument. Prints the calls of each of its functions. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf place;
static volatile int is_bottom_far;

static int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int leaf(int n)
{
    return n + 1;
}

/* Leaves itself and those above it without a return. */
static int dive(int n)
{
    if (n == 0) {
        if (!is_bottom_far)
            longjmp(place, 1);
        return 0;
    }
    return dive(n - 1) + leaf(n);
}

static int jump(void)
{
    volatile int sum = 0;
    if (setjmp(place) == 0)
        sum += dive(5);
    sum += leaf(1);
    return sum;
}

static void *work(void *ctx)
{
    for (int i = 0; i < 100; i++)
        leaf(i);
    return ctx;
}

static void spin(void)
{
    if (write(1, "spins\n", 6) != 6)
        abort();
    for (;;) {
        leaf(0);
        usleep(1000);
    }
}

static void end(const char *manner)
{
    if (strcmp(manner, "_exit") == 0)
        _exit(3);
    if (strcmp(manner, "cleared") == 0) {
        clearenv();
        _exit(3);
    }
    if (strcmp(manner, "quick_exit") == 0)
        quick_exit(3);
    if (strcmp(manner, "alarm") == 0)
        raise(SIGALRM);
    if (strcmp(manner, "hangup") == 0)
        raise(SIGHUP);
    if (strcmp(manner, "trap") == 0)
        raise(SIGTRAP);
    if (strcmp(manner, "abort") == 0)
        abort();
    if (strcmp(manner, "segv") == 0)
        *(volatile int *)0 = 1;
    if (strcmp(manner, "spin") == 0)
        spin();
    if (strcmp(manner, "rest") == 0)
        usleep(400000);
    if (strcmp(manner, "interrupt") == 0)
        raise(SIGINT);
    if (strcmp(manner, "fork") == 0) {
        if (fork() == 0)
            _exit(fib(5) != 5);
        wait(NULL);
    }
    if (strcmp(manner, "daemon") == 0 && daemon(1, 1) != 0)
        abort();
    if (strcmp(manner, "closes") == 0) {
        for (int i = 3; i < 1024; i++)
            close(i);
    }
}

int main(int argc, char **argv)
{
    pthread_t thread[2];
    for (int i = 0; i < 20; i++)
        jump();
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    int sum = fib(15);
    end(argc > 1 ? argv[1] : "");
    printf("instrumented.fib 1973\ninstrumented.leaf 220\ninstrumented.dive 120\ninstrumented.jump "
           "20\n"
           "instrumented.work 2\ninstrumented.end 1\ninstrumented.main 1\n");
    return sum != 610;
}
