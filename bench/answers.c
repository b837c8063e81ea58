/*
 * Asks an index what the page and programs ask of it, and tells what each answer takes.
 *
 *     answers FILE
 *
 * Prints one JSON object a line: the question, the status and the bytes of the answer, the peak of
 * what was allocated for it beside the index, and the CPU time of this process, in nanoseconds. The
 * questions are those that grow most with a file that is made to hurt: whole lists, and all levels.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "api/api.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "index/index.h"
#include "os/file/file.h"
#include "os/memory/alloc.h"
#include "os/process/pool.h"

static const char *const questions[][2] = {
    {"info", ""},
    {"top", "n=0&per_call=1&ranks=1"},
    {"top", "n=0&group=package"},
    {"top", "n=0&match=/.*a/i"},
    {"callers", "method=0"},
    {"tree", "depth=2"},
    {"tree", "depth=31"},
    {"tree", "depth=31&inverted=1"},
    {"calls", "method=0&n=1000"},
    {"call", "method=0&ordinal=0"},
    {"search", "q=/./&n=10000"},
    {"window", "width=32768&rows=1:f,1:0-999"},
    {"overview", "width=16384&rows=64"},
    {"flame", "width=16384"},
    {"flame", "width=16384&inverted=1"},
    {"flame", "width=16384&ops=recursion:0;merge:1"},
};

/* The program's allocator, counted. Any number of threads. */
struct counted {
    struct tv_alloc alloc;
    _Atomic size_t now;
    _Atomic size_t peak;
};

static void *resize_counted(void *ctx, void *block, size_t old_len, size_t new_len)
{
    struct counted *counted = ctx;
    void *resized = tv_os_alloc()->resize(tv_os_alloc()->ctx, block, old_len, new_len);

    if (!resized && new_len)
        return NULL;
    size_t now = atomic_fetch_add(&counted->now, new_len - old_len) + new_len - old_len;
    size_t peak = atomic_load(&counted->peak);

    while (now > peak && !atomic_compare_exchange_weak(&counted->peak, &peak, now))
        ;
    return resized;
}

static uint64_t cpu_now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static enum tv_code ask(const struct tv_index *index, const struct tv_pool *pool,
                        const char *const question[2], struct tv_error *err)
{
    struct counted counted = {.alloc = {resize_counted, NULL}};
    struct tv_api_response response;
    uint64_t begin = cpu_now_ns();

    counted.alloc.ctx = &counted;
    const struct tv_api_trace trace = {.index = index, .file = TV_STR("hostile")};
    const struct tv_api api = {
        .alloc = &counted.alloc, .pool = pool, .traces = &trace, .trace_count = 1};
    tv_api_response_init(&response, &counted.alloc);
    enum tv_code code =
        tv_api_get(&api, tv_str_from(question[0]), tv_str_from(question[1]), &response, err);

    printf("{\"question\": \"%s?%s\", \"status\": %d, \"bytes\": %zu, \"peak_bytes\": %zu, "
           "\"cpu_ns\": %" PRIu64 "}\n",
           question[0], question[1], response.status, response.body.len, counted.peak,
           cpu_now_ns() - begin);
    tv_api_response_release(&response);
    return code;
}

static enum tv_code ask_all(const struct tv_file *file, const struct tv_pool *pool,
                            struct tv_error *err)
{
    struct tv_trace trace;
    struct tv_index index;

    tv_trace_init(&trace, tv_os_alloc());
    tv_index_init(&index);
    enum tv_code code = tv_trace_open(&trace, file->bytes, file->len, NULL, err);

    if (code == TV_OK)
        code = tv_index_build(&index, &trace, &(struct tv_build_opts){.pool = pool}, err);
    tv_trace_release(&trace);
    for (size_t i = 0; i < TV_COUNT_OF(questions) && code == TV_OK; i++)
        code = ask(&index, pool, questions[i], err);
    tv_index_release(&index);
    return code;
}

int main(int argc, char **argv)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_workers *workers = NULL;
    struct tv_file file;

    if (argc != 2) {
        fputs("usage: answers FILE\n", stderr);
        return 2;
    }
    tv_file_init(&file, tv_os_alloc());
    enum tv_code code = tv_file_open(&file, argv[1], NULL, &err);

    if (code == TV_OK)
        code = tv_workers_new(&workers, tv_os_alloc(), 0, &err);
    if (code == TV_OK)
        code = ask_all(&file, tv_workers_pool(workers), &err);
    tv_workers_free(workers);
    tv_file_release(&file);
    if (code != TV_OK)
        fprintf(stderr, "answers: %s: %s\n", argv[1], err.text);
    return code != TV_OK;
}
