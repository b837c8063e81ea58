/*
 * A program whose processes work: a child of fork(2) whose thread becomes another program while
 * others work, one of vfork(2), one of posix_spawn(3), one that is killed and leaves a child of its
 * own, one that is stopped for a while, and one whose end nobody waits for by its number. It prints
 * "function ms" for what each function took, in all processes, as it has been told to work, and
 * "all ms" as the kernel has it.
 */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOT_INLINED __attribute__((noinline, noclone))
#define WORK_MS 100

extern char **environ;
static volatile unsigned long sink;

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

NOT_INLINED static void work(void)
{
    const double end = cpu_ms() + WORK_MS;
    while (cpu_ms() < end) {
        for (unsigned long i = 0; i < 100000; i++)
            sink += i;
    }
}

NOT_INLINED static void in_thread(void)
{
    work();
    sink++;
}

NOT_INLINED static void in_vfork(void)
{
    work();
    sink++;
}

NOT_INLINED static void in_fork(void)
{
    work();
    sink++;
}

NOT_INLINED static void in_exec(void)
{
    work();
    sink++;
}

static pthread_barrier_t all_have_worked;

static void *work_beside(void *unused)
{
    in_thread();
    pthread_barrier_wait(&all_have_worked);
    pause();
    return unused;
}

/* Whichever thread calls it, the program that begins has one thread, under the first one's number.
 */
static void *work_and_become(void *unused)
{
    in_thread();
    pthread_barrier_wait(&all_have_worked);
    execl("./children", "children", "exec", (char *)NULL);
    return unused;
}

static int end_of(pid_t child)
{
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

static pid_t start(char *word)
{
    char *words[] = {"children", word, NULL};
    pid_t child = 0;
    return posix_spawn(&child, "./children", NULL, NULL, words, environ) == 0 ? child : 0;
}

static void with_threads(void)
{
    pthread_t threads[3];
    pthread_barrier_init(&all_have_worked, NULL, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, i == 2 ? work_and_become : work_beside, NULL);
    for (;;)
        pause();
}

static double spent_ms(int who)
{
    struct rusage used;
    getrusage(who, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
}

int main(int count, char **words)
{
    int status = 0;
    pid_t child;
    if (count > 1 && strcmp(words[1], "stops") == 0) {
        in_fork();
        raise(SIGSTOP);
    }
    if (count > 1) {
        in_exec();
        return 0;
    }
    if ((child = fork()) == 0)
        with_threads();
    const int of_threads = end_of(child);
    if ((child = vfork()) == 0) {
        in_vfork();
        _exit(3);
    }
    const int of_vfork = end_of(child);
    const int of_spawn = end_of(start("exec"));
    if ((child = fork()) == 0) {
        child = fork();
        in_fork();
        if (child > 0 && end_of(child) == 0)
            abort();
        _exit(0);
    }
    const int of_abort = end_of(child);
    child = start("stops");
    waitpid(child, &status, WUNTRACED);
    const int is_stopped = WIFSTOPPED(status);
    kill(child, SIGCONT);
    const int of_stop = end_of(child);
    if (fork() == 0) {
        in_fork();
        _exit(0);
    }
    while (wait(NULL) > 0)
        continue;
    printf("in_thread %d\nin_vfork %d\nin_fork %d\nin_exec %d\nall %.3f\n", 2 * WORK_MS + WORK_MS,
           WORK_MS, 4 * WORK_MS, 3 * WORK_MS, spent_ms(RUSAGE_SELF) + spent_ms(RUSAGE_CHILDREN));
    return of_threads == 0 && WEXITSTATUS(of_vfork) == 3 && of_spawn == 0 &&
                   WTERMSIG(of_abort) == SIGABRT && is_stopped && of_stop == 0
               ? 0
               : 1;
}
