/* Puts other files into the places of its own and of a library that it loads, and goes on. */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

#ifdef IS_NEW
#define first new_first
#define second new_second
#endif

static volatile unsigned long work;

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

__attribute__((noinline)) static void first(double seconds)
{
    const double end = cpu_s() + seconds;
    while (cpu_s() < end)
        for (int i = 0; i < 10000; i++)
            work++;
}

__attribute__((noinline)) static void second(double seconds)
{
    first(seconds);
}

static int load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    void *found = library ? dlsym(library, "entry") : NULL;
    void (*entry)(void);
    if (!found)
        return 1;
    *(void **)&entry = found;
    entry();
    return dlclose(library);
}

/* replaced [NEW-PROGRAM OLD-LIBRARY NEW-LIBRARY] */
int main(int count, char **words)
{
    second(count == 4 ? 0 : 0.1);
    if (count < 2)
        return 0;
    if (rename(words[1], words[0]) != 0)
        return 1;
    second(count == 4 ? 0 : 0.1);
    if (count < 4)
        return 0;
    if (rename(words[2], "./swapped.so") != 0 || load("./swapped.so") != 0 ||
        rename(words[3], "./swapped.so") != 0 || load("./swapped.so") != 0)
        return 1;
    return 0;
}
