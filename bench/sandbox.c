/*
 * What the sandbox of a site's worker costs: makes the index of a trace again and again, in this
 * process and by a child, in turns.
 *
 *     sandbox FILE [ROUNDS [THREADS]]
 *
 * Prints one JSON object: for each round the nanoseconds of the index in this process (map, unpack,
 * build, seal, write to a file), of the job (the same by a child, and the full check of what it
 * wrote), and of the check alone.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "index/index.h"
#include "index/saved/saved.h"
#include "os/clock.h"
#include "os/file/file.h"
#include "os/memory/alloc.h"
#include "os/memory/mapping.h"
#include "os/process/pool.h"
#include "site/jobs/index_child.h"
#include "site/jobs/index_job.h"

#define HASH "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define ROUNDS_MOST 1000u

static void check(enum tv_code code, const struct tv_error *err)
{
    if (code == TV_OK)
        return;
    fprintf(stderr, "sandbox: %s\n", err->text);
    exit(1);
}

static void write_whole(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;
    while (len) {
        ssize_t done = write(fd, at, len);
        if (done <= 0) {
            perror("sandbox");
            exit(1);
        }
        at += done;
        len -= (size_t)done;
    }
}

static void index_here(const char *name, const struct tv_pool *pool, int draft)
{
    const struct tv_saved_source source = tv_index_job_source(HASH, "");
    const struct tv_build_opts opts = {.pool = pool};
    uint8_t head[TV_SAVED_HEAD_LEN];
    struct tv_error err;
    struct tv_file file;
    struct tv_trace trace;
    struct tv_index index;
    tv_file_init(&file, tv_os_alloc());
    tv_trace_init(&trace, tv_os_alloc());
    tv_index_init(&index);
    check(tv_file_open_alone(&file, name, NULL, &err), &err);
    check(tv_trace_open(&trace, file.bytes, file.len, NULL, &err), &err);
    check(tv_index_build(&index, &trace, &opts, &err), &err);
    check(tv_saved_seal(&index, &source, tv_os_alloc(), pool, head, &err), &err);
    write_whole(draft, head, sizeof(head));
    write_whole(draft, index.block, index.block_len);
    tv_index_release(&index);
    tv_trace_release(&trace);
    tv_file_release(&file);
}

static void check_here(const struct tv_pool *pool, int draft)
{
    const struct tv_saved_source source = tv_index_job_source(HASH, "");
    struct tv_error err;
    struct tv_mapping mapping;
    struct tv_index index;
    struct stat status;
    if (fstat(draft, &status) != 0)
        exit(1);
    check(tv_mapping_open(&mapping, draft, (size_t)status.st_size, &err), &err);
    check(tv_saved_open(&index, (struct tv_saved_bytes){mapping.bytes, mapping.len}, &source,
                        tv_os_alloc(), pool, &err),
          &err);
    check(tv_saved_check(&index, tv_os_alloc(), pool, &err), &err);
    tv_mapping_release(&mapping);
}

static void run_job(const char *name, const struct tv_pool *pool, unsigned threads, int draft)
{
    const struct tv_index_job job = {.alloc = tv_os_alloc(),
                                     .pool = pool,
                                     .memory = (uint64_t)8 << 30,
                                     .seconds = 600,
                                     .thread_count = threads};
    struct tv_error err;
    int raw = open(name, O_RDONLY | O_CLOEXEC);
    const struct tv_index_job_files files = {.raw_hash = HASH, .raw = raw, .mappings = ""};
    struct tv_index_job_made made;
    if (raw < 0 || tv_index_job_run(&job, &files, draft, &made, &err) != TV_INDEX_JOB_DONE) {
        fprintf(stderr, "sandbox: %s\n", raw < 0 ? "cannot be opened" : err.text);
        exit(1);
    }
    close(raw);
}

struct times {
    uint64_t here, job, check;
};

static struct times measure(const char *name, const struct tv_pool *pool, unsigned threads)
{
    struct times times;
    int drafts[2] = {memfd_create("a", MFD_CLOEXEC), memfd_create("b", MFD_CLOEXEC)};
    uint64_t begun = tv_now_ns();
    index_here(name, pool, drafts[0]);
    times.here = tv_now_ns() - begun;
    begun = tv_now_ns();
    run_job(name, pool, threads, drafts[1]);
    times.job = tv_now_ns() - begun;
    begun = tv_now_ns();
    check_here(pool, drafts[1]);
    times.check = tv_now_ns() - begun;
    close(drafts[0]);
    close(drafts[1]);
    return times;
}

static void print(const char *key, const struct times *times, unsigned count, size_t offset)
{
    printf("\"%s\": [", key);
    for (unsigned i = 0; i < count; i++)
        printf("%s%" PRIu64, i ? ", " : "",
               *(const uint64_t *)(const void *)((const char *)&times[i] + offset));
    printf("]");
}

int main(int argc, char **argv)
{
    static struct times times[ROUNDS_MOST];
    if (tv_index_child_is_asked(argc, argv))
        tv_index_child_run(argc, argv);
    unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 5;
    unsigned threads = argc > 3 ? (unsigned)atoi(argv[3]) : tv_processor_count();
    struct tv_error err;
    struct tv_workers *workers;
    if (argc < 2 || rounds > ROUNDS_MOST) {
        fputs("usage: sandbox FILE [ROUNDS [THREADS]]\n", stderr);
        return 2;
    }
    tv_mapping_handle_faults();
    check(tv_workers_new(&workers, tv_os_alloc(), threads, &err), &err);
    (void)measure(argv[1], tv_workers_pool(workers), threads);
    for (unsigned i = 0; i < rounds; i++)
        times[i] = measure(argv[1], tv_workers_pool(workers), threads);
    printf("{");
    print("here_ns", times, rounds, offsetof(struct times, here));
    printf(", ");
    print("job_ns", times, rounds, offsetof(struct times, job));
    printf(", ");
    print("check_ns", times, rounds, offsetof(struct times, check));
    printf("}\n");
    tv_workers_free(workers);
    return 0;
}
