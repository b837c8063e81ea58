/*
 * Writes a v3 dual-clock trace of any size from a seed: a program whose call graph is a random
 * graph with a few popular callees a method, run by a main thread that has nearly all records and
 * some workers.
 *
 * The walk is one of depth around a mean: at each record a thread either calls one of the methods
 * that its current method calls, the popular ones more often, or returns. Recursion comes from
 * edges that lead back. A third of all calls have no length, as in real traces. Nothing is kept but
 * the stacks, so that the size of the file does not matter. The same options give the same bytes.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_LEN 14
#define HEADER_LEN 32
#define BUFFER_LEN (RECORD_LEN * 65536)
#define MOST_DEPTH 4000000
#define MOST_THREADS 65535
#define MOST_METHODS (UINT32_MAX / 8)

struct options {
    uint64_t records;
    uint64_t seed;
    uint64_t threads;
    uint64_t methods;
    uint64_t depth;        /* the mean */
    uint64_t fan_out;      /* callees of a method */
    uint64_t bursts;       /* mean run of records of one thread */
    uint64_t main_percent; /* of bursts; 0 makes all threads alike */
    uint64_t star;         /* not 0: one open call a thread, whose callees are leaves, all alike */
    const char *out;
};

struct thread {
    uint32_t *stack; /* methods */
    size_t depth;
    size_t cap;
    uint64_t cpu_us;
};

struct generator {
    struct options options;
    uint64_t random;
    struct thread *threads;
    uint64_t wall_us;
    FILE *file;
    size_t len;
    uint8_t buffer[BUFFER_LEN];
};

/* xorshift64*; Vigna, "An experimental exploration of Marsaglia's xorshift generators". */
static uint64_t next_random(struct generator *generator)
{
    generator->random ^= generator->random >> 12;
    generator->random ^= generator->random << 25;
    generator->random ^= generator->random >> 27;
    return generator->random * UINT64_C(2685821657736338717);
}

static uint64_t random_below(struct generator *generator, uint64_t limit)
{
    return (uint64_t)(((next_random(generator) >> 32) * limit) >> 32);
}

static void fail(const char *what)
{
    fprintf(stderr, "generate: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void flush_buffer(struct generator *generator)
{
    if (fwrite(generator->buffer, 1, generator->len, generator->file) != generator->len)
        fail("writing");
    generator->len = 0;
}

static void store_le(uint8_t *at, uint64_t value, size_t len)
{
    for (size_t i = 0; i < len; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void put_record(struct generator *generator, uint64_t thread_ix, uint32_t method,
                       unsigned action)
{
    uint8_t *at = generator->buffer + generator->len;

    store_le(at, thread_ix + 1, 2);
    store_le(at + 2, (uint64_t)method * 4 + action, 4);
    store_le(at + 6, generator->threads[thread_ix].cpu_us, 4);
    store_le(at + 10, generator->wall_us, 4);
    generator->len += RECORD_LEN;
    if (generator->len == BUFFER_LEN)
        flush_buffer(generator);
}

/* Popularity falls steeply: of 10 callees the first gets six of seven calls. */
static uint32_t choose_callee(struct generator *generator, uint32_t method)
{
    uint64_t fan_out = generator->options.fan_out;
    uint64_t x = random_below(generator, 1u << 16);

    for (unsigned i = 0; i < 4; i++)
        x = x * x >> 16;
    uint64_t rank = x * fan_out >> 16;
    /* The graph is not stored: an edge is a hash of its caller and its rank. */
    uint64_t edge = (method * fan_out + rank + 1) * UINT64_C(0x9e3779b97f4a7c15);

    edge ^= edge >> 32;
    if (edge % 64 == 0) /* an edge to itself */
        return method;
    return (uint32_t)(edge % generator->options.methods);
}

static void push_method(struct thread *thread, uint32_t method)
{
    if (thread->depth == thread->cap) {
        thread->cap = thread->cap ? thread->cap * 2 : 64;
        thread->stack = realloc(thread->stack, thread->cap * sizeof(*thread->stack));
        if (!thread->stack)
            fail("memory");
    }
    thread->stack[thread->depth++] = method;
}

/* Clocks go on; a thread now and then waits, which only the wall clock sees. */
static void pass_time(struct generator *generator, struct thread *thread)
{
    uint64_t dice = random_below(generator, 1024);
    uint64_t spent = dice < 512 ? 0 : dice < 960 ? 1 : random_below(generator, 40);

    thread->cpu_us += spent;
    generator->wall_us += spent + (dice == 1023 ? random_below(generator, 300) : 0);
}

static void take_step(struct generator *generator, uint64_t thread_ix)
{
    struct thread *thread = &generator->threads[thread_ix];
    uint64_t mean = generator->options.depth;
    /* Below the mean it rather goes down, above it rather up. */
    uint64_t down = thread->depth >= 2 * mean ? 0 : 1024 - 512 * thread->depth / mean;

    pass_time(generator, thread);
    if (thread->depth == 0 || random_below(generator, 1024) < down) {
        uint32_t caller = thread->depth ? thread->stack[thread->depth - 1] : (uint32_t)thread_ix;

        push_method(thread, choose_callee(generator, caller));
        put_record(generator, thread_ix, thread->stack[thread->depth - 1], 0);
    } else {
        /* One exit in 256 is by exception. */
        unsigned action = random_below(generator, 256) ? 1 : 2;

        put_record(generator, thread_ix, thread->stack[--thread->depth], action);
    }
}

/* The first method calls, again and again, any of the others of its fan-out. */
static void take_star_step(struct generator *generator, uint64_t thread_ix)
{
    struct thread *thread = &generator->threads[thread_ix];

    pass_time(generator, thread);
    if (thread->depth == 2) {
        put_record(generator, thread_ix, thread->stack[--thread->depth], 1);
        return;
    }
    uint64_t leaf = 1 + random_below(generator, generator->options.fan_out);

    push_method(thread, thread->depth == 0 ? 0 : (uint32_t)(leaf % generator->options.methods));
    put_record(generator, thread_ix, thread->stack[thread->depth - 1], 0);
}

static void put_text(struct generator *generator)
{
    const struct options *options = &generator->options;

    fprintf(generator->file,
            "*version\n3\ndata-file-overflow=false\nclock=dual\nnum-method-calls=%llu\n"
            "clock-call-overhead-nsec=345\nvm=art\npid=4711\n*threads\n",
            (unsigned long long)options->records);
    for (uint64_t i = 0; i < options->threads; i++)
        fprintf(generator->file, i ? "%llu\tworker-%llu\n" : "%llu\tmain\n",
                (unsigned long long)i + 1, (unsigned long long)i);
    fputs("*methods\n", generator->file);
    for (uint64_t i = 0; i < options->methods; i++) {
        unsigned long long n = i;

        fprintf(generator->file,
                "0x%llx\tcom.example.p%llu.Class%llu\tmethod%llu\t(IJ)V\tClass%llu.java\n", n * 4,
                n % 97, n / 11, n, n / 11);
    }
    fputs("*end\n", generator->file);
}

static void put_header(struct generator *generator)
{
    uint8_t header[HEADER_LEN] = "SLOW";

    store_le(header + 4, 3, 2);
    store_le(header + 6, HEADER_LEN, 2);
    store_le(header + 8, 1000000, 8);
    store_le(header + 16, RECORD_LEN, 2);
    if (fwrite(header, 1, sizeof(header), generator->file) != sizeof(header))
        fail("writing");
}

struct burst {
    uint64_t thread_ix;
    uint64_t len;
};

/* By default nine of ten bursts are main's, and a worker's is an eighth as long. */
static struct burst next_burst(struct generator *generator)
{
    const struct options *options = &generator->options;
    uint64_t len = random_below(generator, 2 * options->bursts);

    if (options->main_percent == 0)
        return (struct burst){random_below(generator, options->threads), len};
    if (options->threads == 1 || random_below(generator, 100) < options->main_percent)
        return (struct burst){0, len};
    return (struct burst){1 + random_below(generator, options->threads - 1), len / 8};
}

static void put_records(struct generator *generator)
{
    struct burst burst = {0, 0};

    for (uint64_t i = 0; i < generator->options.records; i++) {
        if (burst.len == 0)
            burst = next_burst(generator);
        else
            burst.len--;
        if (generator->options.star)
            take_star_step(generator, burst.thread_ix);
        else
            take_step(generator, burst.thread_ix);
    }
    flush_buffer(generator);
}

static bool take_option(struct options *options, const char *name, const char *value)
{
    const struct {
        const char *name;
        uint64_t *value;
        uint64_t least, most;
    } known[] = {
        {"--records", &options->records, 0, UINT64_C(1) << 40},
        {"--seed", &options->seed, 0, UINT64_MAX},
        {"--threads", &options->threads, 1, MOST_THREADS},
        {"--methods", &options->methods, 1, MOST_METHODS},
        {"--depth", &options->depth, 1, MOST_DEPTH},
        {"--fan-out", &options->fan_out, 1, UINT32_MAX},
        {"--bursts", &options->bursts, 1, UINT32_MAX},
        {"--main-percent", &options->main_percent, 0, 100},
        {"--star", &options->star, 0, 1},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        char *end;

        if (strcmp(name, known[i].name) != 0)
            continue;
        *known[i].value = strtoull(value, &end, 10);
        return *value && !*end && *known[i].value >= known[i].least &&
               *known[i].value <= known[i].most;
    }
    options->out = value;
    return strcmp(name, "--out") == 0;
}

int main(int argc, char **argv)
{
    static struct generator generator = {
        .options = {.records = 1000000,
                    .seed = 1,
                    .threads = 8,
                    .methods = 5000,
                    .depth = 16,
                    .fan_out = 10,
                    .bursts = 20000,
                    .main_percent = 90},
    };
    struct options *options = &generator.options;

    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc || !take_option(options, argv[i], argv[i + 1])) {
            fputs("usage: generate [--records N] [--seed N] [--threads N] [--methods N] [--depth "
                  "N] [--fan-out N] [--bursts N] [--main-percent N] [--star 0|1] [--out FILE]\n",
                  stderr);
            return 2;
        }
    }
    generator.random = options->seed * 2 + 1;
    generator.file = options->out ? fopen(options->out, "wb") : stdout;
    if (!generator.file)
        fail(options->out);
    generator.threads = calloc(options->threads, sizeof(*generator.threads));
    if (!generator.threads)
        fail("memory");
    put_text(&generator);
    put_header(&generator);
    put_records(&generator);
    for (uint64_t i = 0; i < options->threads; i++)
        free(generator.threads[i].stack);
    free(generator.threads);
    if (fclose(generator.file) != 0)
        fail("writing");
    return 0;
}
