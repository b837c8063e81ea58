/*
 * Opens and indexes a trace again and again in one process, as the program does, and tells how long
 * the full index took and what memory it needed beyond the mapped file.
 *
 *     index FILE [ROUNDS [THREADS]]
 *
 * Prints one JSON object: sizes and counts, the time of each round in nanoseconds (open to finished
 * index, over pages that a first look has brought in), the peak and the final size of what was
 * allocated, and the most that was resident, with the file. A round before the first is not
 * counted: a virtual machine may have given free memory back to its host, and takes thirty times as
 * long as the kernel to get a page of it again.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "base/error.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "index/index.h"
#include "os/clock.h"
#include "os/file/file.h"
#include "os/memory/alloc.h"
#include "os/memory/mapping_cache.h"
#include "os/process/pool.h"

#define PAGE_LEN 4096

/* The program's allocator, counted. Any number of threads. */
struct counted {
    struct tv_alloc alloc;
    struct tv_alloc os;
    struct tv_mapping_cache pages;
    _Atomic size_t now;
    _Atomic size_t peak;
};

/* Nothing is kept of what a round before released. */
static void begin_round(struct counted *counted)
{
    tv_mapping_cache_init(&counted->pages);
    counted->os = tv_os_alloc_with(&counted->pages);
}

static void end_round(struct counted *counted)
{
    tv_mapping_cache_release(&counted->pages);
}

static void *resize_counted(void *ctx, void *block, size_t old_len, size_t new_len)
{
    struct counted *counted = ctx;
    void *resized = counted->os.resize(counted->os.ctx, block, old_len, new_len);

    if (!resized && new_len)
        return NULL;
    size_t now = atomic_fetch_add(&counted->now, new_len - old_len) + new_len - old_len;
    size_t peak = atomic_load(&counted->peak);

    while (now > peak && !atomic_compare_exchange_weak(&counted->peak, &peak, now))
        ;
    return resized;
}

static int fail(const char *name, const struct tv_error *err)
{
    fprintf(stderr, "index: %s: %s\n", name, err->text);
    return 1;
}

static unsigned touch_pages(const struct tv_file *file)
{
    unsigned sum = 0;

    for (size_t i = 0; i < file->len; i += PAGE_LEN)
        sum += file->bytes[i];
    return sum;
}

/* One round; the numbers of the index go to *info. */
static enum tv_code build_once(const struct tv_file *file, const struct counted *counted,
                               const struct tv_pool *pool, struct tv_index *index,
                               struct tv_error *err)
{
    struct tv_trace trace;

    tv_trace_init(&trace, &counted->alloc);
    enum tv_code code =
        tv_trace_open(&trace, file->bytes, file->len, &(struct tv_read_opts){0}, err);

    if (code == TV_OK)
        code = tv_index_build(index, &trace, &(struct tv_build_opts){.pool = pool}, err);
    tv_trace_release(&trace);
    return code;
}

/* Processor time of all threads of this process: what a busy machine does not distort. */
struct taken {
    uint64_t user_ns;
    uint64_t system_ns; /* most of it hands out memory */
};

static uint64_t ns_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

static struct taken taken_until_now(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (struct taken){ns_of(usage.ru_utime), ns_of(usage.ru_stime)};
}

static void print_taken(struct taken begin, uint64_t rounds)
{
    struct taken end = taken_until_now();
    uint64_t user_ns = (end.user_ns - begin.user_ns) / rounds;
    uint64_t system_ns = (end.system_ns - begin.system_ns) / rounds;

    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    printf(", \"resident_bytes\": %" PRIu64, (uint64_t)usage.ru_maxrss * 1024);
    printf(", \"cpu_ns\": %" PRIu64 ", \"user_ns\": %" PRIu64 ", \"system_ns\": %" PRIu64,
           user_ns + system_ns, user_ns, system_ns);
}

static enum tv_code run_rounds(const struct tv_file *file, int rounds, const struct tv_pool *pool,
                               struct tv_error *err)
{
    struct counted counted = {.alloc = {resize_counted, NULL}};
    struct taken begun = {0};

    counted.alloc.ctx = &counted;
    printf("{\"bytes\": %zu, \"ns\": [", file->len);
    for (int round = -1; round < rounds; round++) {
        struct tv_index index;

        if (round == 0)
            begun = taken_until_now();
        begin_round(&counted);
        uint64_t begin = tv_now_ns();

        tv_index_init(&index);
        enum tv_code code = build_once(file, &counted, pool, &index, err);

        if (code != TV_OK)
            return code;
        if (round >= 0)
            printf("%s%" PRIu64, round ? ", " : "", tv_now_ns() - begin);
        if (round + 1 == rounds)
            printf("], \"records\": %" PRIu64 ", \"calls\": %" PRIu64 ", \"nodes\": %" PRIu32
                   ", \"threads\": %" PRIu32 ", \"index_bytes\": %zu",
                   index.info->records, index.info->calls, index.node_count, index.thread_count,
                   index.block_len);
        tv_index_release(&index);
        end_round(&counted);
    }
    print_taken(begun, (uint64_t)rounds);
    printf(", \"peak_bytes\": %zu, \"leaked_bytes\": %zu}\n", counted.peak, counted.now);
    return TV_OK;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 4) {
        fputs("usage: index FILE [ROUNDS [THREADS]]\n", stderr);
        return 2;
    }
    int rounds = argc > 2 ? atoi(argv[2]) : 5;

    if (rounds < 1)
        rounds = 1;
    unsigned threads = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    struct tv_error err = {.code = TV_OK};
    struct tv_workers *workers = NULL;
    struct tv_file file;

    tv_file_init(&file, tv_os_alloc());
    enum tv_code code = tv_file_open(&file, argv[1], NULL, &err);

    if (code == TV_OK)
        code = tv_workers_new(&workers, tv_os_alloc(), threads, &err);
    if (code == TV_OK) {
        unsigned sum = touch_pages(&file);

        code = run_rounds(&file, rounds, tv_workers_pool(workers), &err);
        fprintf(stderr, "%s", sum == 1 ? " " : ""); /* the look at the pages must not fall away */
    }
    tv_workers_free(workers);
    tv_file_release(&file);
    return code == TV_OK ? 0 : fail(argv[1], &err);
}
