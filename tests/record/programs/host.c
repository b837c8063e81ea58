/* Loads a library that holds the recorder itself (libtraceview-record.a), traces through it, and
 * unloads it while a thread that was recorded lives on: host NAME LIBRARY. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_barrier_t recorded, unloaded;
static void (*call)(void);

static void *live_on(void *ctx)
{
    call();
    pthread_barrier_wait(&recorded);
    pthread_barrier_wait(&unloaded);
    return ctx;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    void *library = dlopen(argv[argc - 1], RTLD_NOW);
    int (*start)(const char *);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    memcpy(&start, &(void *){dlsym(library, "start")}, sizeof(start));
    memcpy(&call, &(void *){dlsym(library, "plugged")}, sizeof(call));
    if (start(argv[1]) != 0)
        return 1;
    pthread_barrier_init(&recorded, NULL, 2);
    pthread_barrier_init(&unloaded, NULL, 2);
    pthread_create(&thread, NULL, live_on, NULL);
    call();
    pthread_barrier_wait(&recorded);
    dlclose(library); /* writes the file */
    pthread_barrier_wait(&unloaded);
    pthread_join(thread, NULL);
    printf("plugin.plugged 2\n");
    return 0;
}
