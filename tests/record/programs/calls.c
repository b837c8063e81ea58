/* A C program that records itself: calls NAME [FLAGS [MANNER]]. Threads, recursion and many
 * methods; the last lines of its output are "METHOD CALLS", which the trace must agree with. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <traceview/record.h>

#define THREADS 3

static unsigned fib_calls, leaf_calls;

static unsigned fib(unsigned n)
{
    TV_TRACE_SCOPE("fib");
    __atomic_fetch_add(&fib_calls, 1, __ATOMIC_RELAXED);
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void leaf(void)
{
    TV_TRACE_SCOPE("tree.leaf");
    __atomic_fetch_add(&leaf_calls, 1, __ATOMIC_RELAXED);
}

static void *work(void *name)
{
    tv_name_thread(name);
    fib(12);
    for (int i = 0; i < 1000; i++)
        leaf();
    return NULL;
}

/* The ways in which a program ends. */
static void end(const char *manner)
{
    if (strcmp(manner, "exit") == 0)
        exit(3);
    if (strcmp(manner, "_exit") == 0)
        _exit(3);
    if (strcmp(manner, "abort") == 0)
        abort();
    if (strcmp(manner, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(manner, "exec") == 0)
        execlp("true", "true", (char *)NULL);
    if (strcmp(manner, "fork") == 0 && fork() == 0) {
        for (int i = 0; i < 5000; i++)
            leaf();
        exit(0); /* with the destructors of the parent's library */
    }
}

int main(int argc, char **argv)
{
    char name[] = "worker 0";
    pthread_t thread[THREADS];
    unsigned flags = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 0;
    enum tv_trace_status status = tv_start_method_tracing(argv[1], 0, flags);
    if (status != TV_TRACE_OK) {
        fprintf(stderr, "%s\n", tv_trace_status_text(status));
        return 1;
    }
    work(name);
    for (int i = 0; i < THREADS; i++) {
        name[7] = (char)('1' + i);
        pthread_create(&thread[i], NULL, work, name);
        pthread_join(thread[i], NULL);
    }
    end(argc > 3 ? argv[3] : "");
    status = tv_stop_method_tracing();
    printf("calls.fib %u\ntree.leaf %u\n", fib_calls, leaf_calls);
    return status != TV_TRACE_OK;
}
