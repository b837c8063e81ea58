/* Calls without an end, compiled with -finstrument-functions: the first argument says which.
 * "hot" runs in one call until it is ended; "exit" and "cancel" have threads that are ended in a
 * call. "late" calls nothing for a while; "calls" has many short ones. Prints how many calls there
 * are. "chain" does as its handlers find: it calls a handler that was there before, and says so. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define THREADS 10
#define THREAD_US 1000
#define MAIN_US 500000
#define RESTS 1000

static volatile unsigned work;
static int is_cancelled;

static void hot(void)
{
    for (;;)
        work++;
}

static void stay(void)
{
    usleep(THREAD_US);
    if (is_cancelled)
        pause();
    pthread_exit(NULL);
}

static void *run(void *ctx)
{
    stay();
    return ctx;
}

static void rest(void)
{
    usleep(THREAD_US);
}

static int rest_often(void)
{
    for (int i = 0; i < RESTS; i++)
        rest();
    printf("ends.rest %d\n", RESTS);
    return 0;
}

static void (*handler_before)(int);

static void hand_on(int number)
{
    if (handler_before != SIG_DFL && handler_before != SIG_IGN)
        handler_before(number);
}

/* By both ways, a default that is restored, too: all are the default as long as nobody handles
 * them. */
static int chain(void)
{
    struct sigaction before, ours = {.sa_handler = hand_on};
    rest();
    handler_before = signal(SIGUSR1, hand_on);
    raise(SIGUSR1);
    sigaction(SIGUSR2, &ours, &before);
    raise(SIGUSR2);
    printf("ends.%s 1\n", before.sa_handler == SIG_DFL ? "chain" : "other");
    sigaction(SIGUSR2, NULL, &before);
    printf("ends.%s 2\n", before.sa_handler == hand_on ? "hand_on" : "other");
    printf("ends.rest 1\n");
    fflush(stdout);
    signal(SIGUSR1, SIG_DFL);
    if (signal(SIGUSR1, SIG_DFL) == SIG_DFL)
        raise(SIGUSR1);
    return 1;
}

static int end_calls(const char *manner)
{
    pthread_t threads[THREADS];
    if (strcmp(manner, "hot") == 0)
        hot();
    is_cancelled = strcmp(manner, "cancel") == 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < THREADS; i++) {
        if (is_cancelled)
            pthread_cancel(threads[i]);
        pthread_join(threads[i], NULL);
    }
    usleep(MAIN_US);
    printf("ends.end_calls 1\nends.run %d\nends.stay %d\n", THREADS, THREADS);
    return 0;
}

__attribute__((no_instrument_function)) int main(int count, char **words)
{
    const char *manner = count > 1 ? words[1] : "hot";
    if (strcmp(manner, "late") == 0)
        usleep(MAIN_US);
    if (strcmp(manner, "chain") == 0)
        return chain();
    return strcmp(manner, "late") == 0 || strcmp(manner, "calls") == 0 ? rest_often()
                                                                       : end_calls(manner);
}
