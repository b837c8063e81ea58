/* A library that waits, while it is being loaded, for a thread of its own. */
#include <pthread.h>

static void *run(void *ctx)
{
    return ctx;
}

__attribute__((constructor)) static void wait_for_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL) == 0)
        pthread_join(thread, NULL);
}
