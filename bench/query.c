/*
 * Asks of a trace, in one process, what the page asks of it, and tells how long each answer takes:
 * timeline windows of 1600 pixels at zooms from the whole trace to a millionth of it, with all
 * packages and with half of them hidden, and every tab for ranges from all to a thousandth.
 *
 *     query FILE [ROUNDS [THREADS [QUESTION]]]
 *
 * Prints one JSON object a line: the question, the part of the trace and which place of it; for the
 * first time it was asked and for the median of the rounds, wall time, and the CPU time of all
 * threads, in nanoseconds; the length of the answer. With a QUESTION, only those that begin with
 * it.
 *
 * Just before a question is asked for the first time, as much memory as any needs is touched and
 * given back: a virtual machine may have handed pages that were free for a while to its host, and
 * getting them again can take thirty times as long as clearing them. So first answers are what the
 * program takes, with nothing of the question known to it. TV_QUERY_COLD=1 leaves that out.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/lean/lean.h"
#include "analysis/selection/range.h"
#include "api/api.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "index/index.h"
#include "os/clock.h"
#include "os/file/file.h"
#include "os/memory/alloc.h"
#include "os/process/pool.h"

#define MOST_ROUNDS 101
#define PLACES 5
#define WIDTH 1600
#define DEPTHS 110
/* 44 of the 97 packages of made traces (bench/generate.c). */
#define HALF "&hide=com.example.p1,com.example.p2,com.example.p3,com.example.p4"

struct asking {
    struct tv_api_trace trace;
    struct tv_api api; /* of that trace */
    uint64_t axis_len_ns;
    uint32_t thread_id; /* the one with most calls */
    uint32_t depths;    /* rows asked of it */
    uint32_t rank;      /* of the method with most calls */
    int rounds;
    const char *only; /* questions that begin so */
    bool is_warmed;
};

struct taken {
    uint64_t wall_ns;
    uint64_t cpu_ns;
    size_t bytes;
};

static uint64_t cpu_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int compare_taken(const void *a, const void *b)
{
    const struct taken *left = a;
    const struct taken *right = b;

    return (left->wall_ns > right->wall_ns) - (left->wall_ns < right->wall_ns);
}

static int compare_cpu(const void *a, const void *b)
{
    const struct taken *left = a;
    const struct taken *right = b;

    return (left->cpu_ns > right->cpu_ns) - (left->cpu_ns < right->cpu_ns);
}

static struct taken ask_once(const struct asking *asking, const char *route, const char *query)
{
    struct tv_api_response response;
    struct tv_error err = {.code = TV_OK};
    uint64_t cpu = cpu_now_ns();
    uint64_t wall = tv_now_ns();

    tv_api_response_init(&response, asking->api.alloc);
    enum tv_code code =
        tv_api_get(&asking->api, tv_str_from(route), tv_str_from(query), &response, &err);
    struct taken taken = {tv_now_ns() - wall, cpu_now_ns() - cpu, response.body.len};

    if (code != TV_OK || response.status != 200) {
        fprintf(stderr, "query: %s?%s: %.*s\n", route, query, (int)response.body.len,
                (const char *)response.body.bytes);
        exit(1);
    }
    tv_api_response_release(&response);
    return taken;
}

/* What a question takes for each node at most, and the rest, with some room. */
#define NODE_LEN ((size_t)256)
#define REST_LEN ((size_t)64 << 20)

static void warm_memory(const struct asking *asking)
{
    const struct tv_alloc *alloc = tv_os_alloc();
    size_t len = asking->trace.index->node_count * NODE_LEN + REST_LEN;
    void *block = asking->is_warmed ? alloc->resize(alloc->ctx, NULL, 0, len) : NULL;

    if (!block)
        return;
    memset(block, 1, len);
    (void)alloc->resize(alloc->ctx, block, len, 0);
}

/* Asks once and then ROUNDS times for each query. */
static void ask(const struct asking *asking, const char *name, double part, const char *route,
                char queries[][256], int query_count)
{
    if (strncmp(name, asking->only, strlen(asking->only)) != 0)
        return;
    for (int q = 0; q < query_count; q++) {
        struct taken rounds[MOST_ROUNDS];

        warm_memory(asking);
        struct taken first = ask_once(asking, route, queries[q]);

        for (int i = 0; i < asking->rounds; i++)
            rounds[i] = ask_once(asking, route, queries[q]);
        qsort(rounds, (size_t)asking->rounds, sizeof(rounds[0]), compare_cpu);
        uint64_t cpu_ns = rounds[asking->rounds / 2].cpu_ns;
        qsort(rounds, (size_t)asking->rounds, sizeof(rounds[0]), compare_taken);
        const struct taken *median = &rounds[asking->rounds / 2];

        printf("{\"question\": \"%s\", \"part\": %.7g, \"place\": %d, \"cold_ns\": %" PRIu64
               ", \"cold_cpu_ns\": %" PRIu64 ", \"ns\": %" PRIu64 ", \"cpu_ns\": %" PRIu64
               ", \"bytes\": %zu}\n",
               name, part, q, first.wall_ns, first.cpu_ns, median->wall_ns, cpu_ns, median->bytes);
        fflush(stdout);
    }
}

/* A part of the axis at the i-th of several places. */
static uint64_t place(const struct asking *asking, double part, int i, uint64_t *to)
{
    double len = (double)asking->axis_len_ns * part;
    uint64_t from = (uint64_t)(((double)asking->axis_len_ns - len) * (i + 0.5) / PLACES);

    *to = from + (uint64_t)len + 1;
    return from;
}

static void ask_windows(const struct asking *asking)
{
    static const struct {
        const char *name;
        const char *more;
        bool is_folded;
    } kinds[] = {{"window depths", "", false},
                 {"window folded", "", true},
                 {"window folded, cpu", "&cpu=1", true},
                 {"hidden depths", HALF, false},
                 {"hidden folded", HALF, true}};
    char queries[PLACES][256];
    char rows[64];

    for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
        if (kinds[kind].is_folded)
            (void)snprintf(rows, sizeof(rows), "%" PRIu32 ":f", asking->thread_id);
        else
            (void)snprintf(rows, sizeof(rows), "%" PRIu32 ":0-%" PRIu32, asking->thread_id,
                           asking->depths - 1);
        double part = 1;

        for (int zoom = 0; zoom <= 6; zoom++, part /= 10) {
            int count = zoom ? PLACES : 1;

            for (int i = 0; i < count; i++) {
                uint64_t to;
                uint64_t from = place(asking, part, i, &to);

                (void)snprintf(queries[i], sizeof(queries[i]),
                               "rows=%s&width=%d&from=%" PRIu64 "&to=%" PRIu64 "%s", rows, WIDTH,
                               from, to, kinds[kind].more);
            }
            ask(asking, kinds[kind].name, part, "window", queries, count);
        }
    }
}

/* The first window after packages were hidden, which waits for the lean index; later ones find it.
 */
static void ask_hiding(const struct asking *asking)
{
    char queries[1][256];

    (void)snprintf(queries[0], sizeof(queries[0]),
                   "rows=%" PRIu32 ":f&width=%d&from=0&to=%" PRIu64 HALF, asking->thread_id, WIDTH,
                   asking->axis_len_ns);
    ask(asking, "hiding", 1, "window", queries, 1);
    /* Where only later windows are asked for, none of them shall pay for the lean index. */
    if (strncmp(asking->only, "hidden", strlen("hidden")) == 0)
        (void)ask_once(asking, "window", queries[0]);
}

static void ask_tabs(const struct asking *asking)
{
    static const struct {
        const char *name;
        const char *route;
        const char *query; /* %u: the rank of the method with most calls */
    } tabs[] = {
        {"top", "top", "n=100&ranks=1&x=%u"},
        {"top per call", "top", "n=40&per_call=1&x=%u"},
        {"top by class", "top", "group=class&n=100&x=%u"},
        {"callers", "callers", "method=%u"},
        {"tree", "tree", "n=200&depth=3&x=%u"},
        {"tree inverted", "tree", "n=200&inverted=1&x=%u"},
        {"flame", "flame", "width=1600&x=%u"},
        {"flame inverted", "flame", "width=1600&inverted=1&x=%u"},
        {"flame without recursion", "flame", "width=1600&ops=recursion:%u"},
        {"calls", "calls", "method=%u&n=200"},
        {"calls by exclusive", "calls", "sort=exclusive&method=%u&n=200"},
        {"extents", "window", "width=1600&rows=%u:x&extents=%u"},
    };
    static const double parts[] = {1, 0.9, 0.5, 0.1, 0.01, 0.001};

    for (size_t tab = 0; tab < sizeof(tabs) / sizeof(tabs[0]); tab++) {
        for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++) {
            char queries[1][256];
            char query[128];
            uint64_t to;
            uint64_t from = place(asking, parts[p], PLACES / 2, &to);

            if (strcmp(tabs[tab].name, "extents") == 0)
                (void)snprintf(query, sizeof(query), tabs[tab].query, asking->thread_id,
                               asking->rank);
            else
                (void)snprintf(query, sizeof(query), tabs[tab].query, asking->rank);
            char *unused = strstr(query, "&x=");

            if (unused)
                *unused = '\0';
            if (p)
                (void)snprintf(queries[0], sizeof(queries[0]), "%s&from=%" PRIu64 "&to=%" PRIu64,
                               query, from, to);
            else
                (void)snprintf(queries[0], sizeof(queries[0]), "%s", query);
            ask(asking, tabs[tab].name, parts[p], tabs[tab].route, queries, 1);
        }
    }
}

static void choose(struct asking *asking)
{
    const struct tv_index *index = asking->trace.index;
    uint64_t most = 0;

    for (uint32_t i = 0; i < index->thread_count; i++) {
        const struct tv_index_thread *thread = &index->threads[i];

        if (thread->calls < most || !thread->max_depth)
            continue;
        most = thread->calls;
        asking->thread_id = thread->id;
        asking->depths = thread->max_depth < DEPTHS ? thread->max_depth : DEPTHS;
    }
    most = 0;
    for (uint32_t i = 0; i < index->method_count; i++) {
        const struct tv_index_method *method = &index->methods[i];

        if (method->calls + method->recursive_calls <= most)
            continue;
        most = method->calls + method->recursive_calls;
        asking->rank = method->rank;
    }
    asking->axis_len_ns = tv_axis_len_ns(index);
}

static enum tv_code run(const char *name, struct asking *asking, unsigned threads,
                        struct tv_error *err)
{
    struct tv_mapping_cache pages;
    struct tv_workers *workers = NULL;
    struct tv_file file;
    struct tv_trace trace;
    struct tv_index index;
    struct tv_lean_cache leans;

    tv_mapping_cache_init(&pages);
    const struct tv_alloc alloc = tv_os_alloc_with(&pages);
    tv_lean_cache_init(&leans, &alloc, 1);
    tv_file_init(&file, &alloc);
    tv_trace_init(&trace, &alloc);
    tv_index_init(&index);
    enum tv_code code = tv_file_open(&file, name, NULL, err);

    if (code == TV_OK)
        code = tv_workers_new(&workers, &alloc, threads, err);
    if (code == TV_OK)
        code = tv_trace_open(&trace, file.bytes, file.len, &(struct tv_read_opts){0}, err);
    if (code == TV_OK)
        code = tv_index_build(&index, &trace,
                              &(struct tv_build_opts){.pool = tv_workers_pool(workers)}, err);
    tv_trace_release(&trace);
    if (code == TV_OK && !index.call_count)
        fprintf(stderr, "query: %s: no calls to ask for\n", name);
    if (code == TV_OK && index.call_count) {
        asking->trace =
            (struct tv_api_trace){.index = &index, .file = tv_str_from(name), .leans = &leans};
        asking->api = (struct tv_api){.alloc = &alloc,
                                      .pool = tv_workers_pool(workers),
                                      .traces = &asking->trace,
                                      .trace_count = 1};
        choose(asking);
        ask_hiding(asking);
        ask_windows(asking);
        ask_tabs(asking);
    }
    tv_lean_cache_release(&leans);
    tv_index_release(&index);
    tv_workers_free(workers);
    tv_file_release(&file);
    tv_mapping_cache_release(&pages);
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 5) {
        fputs("usage: query FILE [ROUNDS [THREADS [QUESTION]]]\n", stderr);
        return 2;
    }
    struct asking asking = {.rounds = argc > 2 ? atoi(argv[2]) : 5,
                            .only = argc > 4 ? argv[4] : "",
                            .is_warmed = !getenv("TV_QUERY_COLD")};
    unsigned threads = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    struct tv_error err = {.code = TV_OK};

    if (asking.rounds < 1 || asking.rounds > MOST_ROUNDS)
        asking.rounds = 5;
    enum tv_code code = run(argv[1], &asking, threads, &err);

    if (code != TV_OK)
        fprintf(stderr, "query: %s: %s\n", argv[1], err.text);
    return code == TV_OK ? 0 : 1;
}
