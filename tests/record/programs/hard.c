/* A program that makes it hard to be recorded, compiled with -finstrument-functions: what it does
 * is its first argument. Prints the calls of its functions, where that is to be exact. */
#define _GNU_SOURCE /* execvpe and environ */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define THREADS 1000
#define THREAD_STACK 65536
#define ROUNDS 300
#define NOBODY 65534
#define MEMORY_LEFT 3000000 /* a thread of that stack fits, its open calls do not */

static volatile int zero;

static int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void *run(void *ctx)
{
    fib(1);
    return ctx;
}

/* Until the stack is full. */
static int fall(int n)
{
    volatile char there[1000] = {(char)n};
    return fall(n + 1) + there[zero];
}

/* The process's address space, in bytes. */
static size_t space(void)
{
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%zu", &pages) != 1)
        exit(1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static int start_thread(void)
{
    pthread_t thread;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, THREAD_STACK);
    int error = pthread_create(&thread, &small, run, NULL);
    return error ? error : pthread_join(thread, NULL);
}

static void load(const char *path, const char *function)
{
    void *library = dlopen(path, RTLD_NOW);
    if (!library)
        exit(1);
    void *found = dlsym(library, function);
    void (*call)(void);
    memcpy(&call, &found, sizeof(call));
    if (call)
        call();
    dlclose(library);
}

/* Loads and unloads a library again and again, while another thread does so with another. */
static void *churn(void *path)
{
    const char *name = strrchr(*(char **)path, '/') + 1;
    char function[32] = "";
    memcpy(function, name, strcspn(name, "."));
    for (int i = 0; i < ROUNDS; i++)
        load(*(char **)path, function);
    return NULL;
}

/* Puts a program in the place of this one, by one of the functions that do. */
static void become(const char *path, const char *manner)
{
    char *const words[] = {(char *)path, NULL};
    if (strcmp(manner, "execv") == 0)
        execv(path, words);
    else if (strcmp(manner, "execve") == 0)
        execve(path, words, environ);
    else if (strcmp(manner, "execvp") == 0)
        execvp(path, words);
    else if (strcmp(manner, "execvpe") == 0)
        execvpe(path, words, environ);
    else if (strcmp(manner, "execl") == 0)
        execl(path, path, (char *)NULL);
    else if (strcmp(manner, "execle") == 0)
        execle(path, path, (char *)NULL, environ);
    else if (strcmp(manner, "execlp") == 0)
        execlp(path, path, (char *)NULL);
    else if (strcmp(manner, "fexecve") == 0)
        fexecve(open(path, O_RDONLY), words, environ);
}

int main(int argc, char **argv)
{
    const char *manner = argc > 1 ? argv[1] : "";
    if (strcmp(manner, "user") == 0) {
        fib(5);
        if (chdir(argv[2]) != 0 || chroot(".") != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
            return 1;
        for (int i = 0; i < 100; i++)
            fib(20);
    } else if (strcmp(manner, "churn") == 0) {
        pthread_t thread[2];
        for (int i = 0; i < 2; i++)
            pthread_create(&thread[i], NULL, churn, argv + 2 + i);
        for (int i = 0; i < 2; i++)
            pthread_join(thread[i], NULL);
        printf("loaded.loaded %d\nloaded.other %d\nhard.load %d\nhard.churn 2\nhard.main 1\n",
               ROUNDS, ROUNDS, 2 * ROUNDS);
    } else if (strcmp(manner, "limited") == 0) {
        fib(20);
    } else if (strcmp(manner, "exec") == 0) {
        fib(20);
        become(argv[2], argv[3]);
        fib(10); /* the program was not there */
        return 7;
    } else if (strcmp(manner, "overflow") == 0) {
        return fall(0);
    } else if (strcmp(manner, "load") == 0) {
        load(argv[2], "");
        printf("waits.wait_for_thread 1\nwaits.run 1\nhard.load 1\nhard.main 1\n");
    } else if (strcmp(manner, "replace") == 0) {
        load(argv[2], "loaded");
        load(argv[3], "other");
        printf("loaded.loaded 1\nloaded.other 1\nhard.load 2\nhard.main 1\n");
    } else if (strcmp(manner, "limit") == 0) {
        struct rlimit limit = {space() + MEMORY_LEFT, space() + MEMORY_LEFT};
        setrlimit(RLIMIT_AS, &limit);
        return start_thread();
    } else if (strcmp(manner, "closed") == 0) { /* no file can be opened any more */
        struct rlimit limit = {0, 0};
        for (int i = 3; i < 1024; i++)
            close(i);
        setrlimit(RLIMIT_NOFILE, &limit);
        fib(20);
    } else if (strcmp(manner, "threads") == 0) {
        size_t before = space();
        for (int i = 0; i < THREADS; i++)
            start_thread();
        printf("hard.fib %d\nhard.run %d\nhard.start_thread %d\nhard.space 2\nhard.main 1\n",
               THREADS, THREADS, THREADS);
        return space() - before > (size_t)64 * 1024 * 1024;
    }
    return 0;
}
