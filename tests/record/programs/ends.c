/* Calls without an end, compiled with -finstrument-functions: the first argument says which.
 * "hot" runs in one call until it is ended; "exit" and "cancel" have threads that are ended in a
 * call. Prints how many calls of them there are. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define THREADS 10
#define THREAD_US 1000
#define MAIN_US 500000

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

int main(int count, char **words)
{
    pthread_t threads[THREADS];
    if (count < 2 || strcmp(words[1], "hot") == 0)
        hot();
    is_cancelled = strcmp(words[1], "cancel") == 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < THREADS; i++) {
        if (is_cancelled)
            pthread_cancel(threads[i]);
        pthread_join(threads[i], NULL);
    }
    usleep(MAIN_US);
    printf("ends.main 1\nends.run %d\nends.stay %d\n", THREADS, THREADS);
    return 0;
}
