/*
 * What the recorder costs a program: an enter and an exit with both clocks, with one, and while
 * nothing is traced, beside what reading the clocks by the C library costs; and how many records
 * threads make that all record without a pause.
 *
 * recorder calls FILE ROUNDS          one JSON object: nanoseconds of a pair, by round
 * recorder threads FILE COUNT PAIRS   one JSON object: seconds, and the records that FILE must have
 * recorder fib FILE FLAGS             records a tree of calls, for the size of FILE
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <traceview/record.h>

#define PAIRS 200000u
#define ROUNDS_MOST 100u
#define FIB 24u
#define BUFFER ((size_t)64 << 20)

static struct tv_method method = TV_METHOD("pair");
static volatile uint64_t kept;

static uint64_t read_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void call_pairs(uint64_t pairs)
{
    for (uint64_t i = 0; i < pairs; i++) {
        unsigned call = tv_method_enter(&method);
        tv_method_exit(call);
    }
}

static double ns_of_pairs(void)
{
    uint64_t begin = read_ns(CLOCK_MONOTONIC);
    call_pairs(PAIRS);
    return (double)(read_ns(CLOCK_MONOTONIC) - begin) / PAIRS;
}

static void must(enum tv_trace_status status)
{
    if (status != TV_TRACE_OK) {
        fprintf(stderr, "recorder: %s\n", tv_trace_status_text(status));
        exit(1);
    }
}

/* The second of two stretches: the first brings the buffer's pages. */
static double ns_of_traced_pairs(const char *file, unsigned flags)
{
    must(tv_start_method_tracing(file, BUFFER, flags));
    double first = ns_of_pairs();
    double second = ns_of_pairs();
    must(tv_stop_method_tracing());
    return first < second ? first : second;
}

static double ns_of_clock_pairs(void)
{
    uint64_t begin = read_ns(CLOCK_MONOTONIC);
    for (unsigned i = 0; i < PAIRS / 10; i++) {
        kept = read_ns(CLOCK_MONOTONIC) + read_ns(CLOCK_THREAD_CPUTIME_ID);
        kept = read_ns(CLOCK_MONOTONIC) + read_ns(CLOCK_THREAD_CPUTIME_ID);
    }
    return (double)(read_ns(CLOCK_MONOTONIC) - begin) / (PAIRS / 10.0);
}

static void print_times(const char *name, const double *ns, unsigned rounds)
{
    printf("\"%s\": [", name);
    for (unsigned i = 0; i < rounds; i++)
        printf("%s%.3f", i ? ", " : "", ns[i]);
    printf("]");
}

static void measure_calls(const char *file, unsigned rounds)
{
    static double both[ROUNDS_MOST], wall[ROUNDS_MOST], stopped[ROUNDS_MOST], clocks[ROUNDS_MOST];
    for (unsigned i = 0; i < rounds; i++) {
        both[i] = ns_of_traced_pairs(file, 0);
        wall[i] = ns_of_traced_pairs(file, TV_TRACE_WALL_CLOCK);
        stopped[i] = ns_of_pairs();
        clocks[i] = ns_of_clock_pairs();
    }
    printf("{");
    print_times("both", both, rounds);
    printf(", ");
    print_times("wall", wall, rounds);
    printf(", ");
    print_times("stopped", stopped, rounds);
    printf(", ");
    print_times("clock_gettime", clocks, rounds);
    printf("}\n");
}

static void *call_in_thread(void *pairs)
{
    call_pairs(*(const uint64_t *)pairs);
    return NULL;
}

static void measure_threads(const char *file, unsigned count, uint64_t pairs)
{
    pthread_t *thread = calloc(count, sizeof(*thread));
    uint64_t each = pairs / count;
    must(thread ? TV_TRACE_OK : TV_TRACE_NO_MEMORY);
    must(tv_start_method_tracing(file, 0, TV_TRACE_STREAMING));
    uint64_t begin = read_ns(CLOCK_MONOTONIC);
    for (unsigned i = 0; i < count; i++)
        pthread_create(&thread[i], NULL, call_in_thread, &each);
    for (unsigned i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    double seconds = (double)(read_ns(CLOCK_MONOTONIC) - begin) / 1e9;
    must(tv_stop_method_tracing());
    printf("{\"seconds\": %.6f, \"records\": %llu}\n", seconds,
           (unsigned long long)(2 * each * count));
    free(thread);
}

static unsigned fib(unsigned n)
{
    TV_TRACE_SCOPE("fib");
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "calls") == 0) {
        unsigned rounds = (unsigned)strtoul(argv[3], NULL, 10);
        measure_calls(argv[2], rounds < ROUNDS_MOST ? rounds : ROUNDS_MOST);
    } else if (argc == 5 && strcmp(argv[1], "threads") == 0) {
        measure_threads(argv[2], (unsigned)strtoul(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
    } else if (argc == 4 && strcmp(argv[1], "fib") == 0) {
        must(tv_start_method_tracing(argv[2], BUFFER, (unsigned)strtoul(argv[3], NULL, 0)));
        kept = fib(FIB);
        must(tv_stop_method_tracing());
    } else {
        return 2;
    }
    return 0;
}
