/* See support/random_trace.h. */
#include "support/random_trace.h"

#include <stdbool.h>

#define MOST_THREADS 64u
#define MOST_DEPTH 64u
#define WRAP_JUMP 0x80000000u
#define LARGEST_FALL 3000u

struct random_thread {
    unsigned id;
    unsigned depth; /* as it was, not as the records tell it */
    uint32_t stack[MOST_DEPTH];
    uint32_t cpu;
};

struct random_state {
    struct random_opts opts;
    uint64_t seed;
    uint32_t wall;
    struct random_thread threads[MOST_THREADS];
    struct random_thread *running;
};

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

unsigned random_below(uint64_t *state, unsigned end)
{
    return (unsigned)((random_next(state) >> 32) % end);
}

static bool happens(struct random_state *s, unsigned odds)
{
    return odds && random_below(&s->seed, 1000) < odds;
}

static uint32_t any_method(struct random_state *s)
{
    return 4 * (1 + random_below(&s->seed, s->opts.methods));
}

static void move_on(struct random_state *s)
{
    if (random_below(&s->seed, 4) == 0)
        s->running = &s->threads[random_below(&s->seed, s->opts.threads)];
    if (random_below(&s->seed, 3)) {
        uint32_t step = random_below(&s->seed, s->opts.step_usec + 1);
        s->wall += step;
        s->running->cpu += step / (1 + random_below(&s->seed, 3));
    }
    if (happens(s, s->opts.wrap))
        s->wall += WRAP_JUMP;
    if (happens(s, s->opts.wrap))
        s->running->cpu += WRAP_JUMP;
}

static struct build_record next_record(struct random_state *s)
{
    struct random_thread *thread = s->running;
    struct build_record record = {.thread = thread->id, .cpu = thread->cpu, .wall = s->wall};
    bool is_enter = thread->depth < s->opts.depth_most && random_below(&s->seed, 100) < 52;
    if (is_enter || !thread->depth) {
        record.method = any_method(s);
        thread->stack[thread->depth++] = record.method;
        record.action = ENTER;
        return record;
    }
    record.method = thread->stack[--thread->depth];
    record.action = happens(s, s->opts.unwind) ? UNWIND : LEAVE;
    if (happens(s, s->opts.wrong_exit))
        record.method = any_method(s);
    return record;
}

/* False where the record is to be lost. */
static bool spoil(struct random_state *s, struct build_record *record)
{
    if (record->action == ENTER ? happens(s, s->opts.lost_enter) : happens(s, s->opts.lost_exit))
        return false;
    if (happens(s, s->opts.reserved))
        record->action = RESERVED;
    if (happens(s, s->opts.zero))
        record->thread = 0;
    if (happens(s, s->opts.fall)) {
        record->wall -= random_below(&s->seed, LARGEST_FALL);
        record->cpu -= random_below(&s->seed, LARGEST_FALL);
    }
    if (happens(s, s->opts.empty))
        *record = (struct build_record){.thread = 0};
    return true;
}

static struct random_opts ordinary(struct random_opts opts)
{
    opts.threads = opts.threads ? opts.threads : 3;
    opts.methods = opts.methods ? opts.methods : 6;
    opts.depth_most = opts.depth_most ? opts.depth_most : 12;
    opts.step_usec = opts.step_usec ? opts.step_usec : 20;
    return opts;
}

void build_random(struct trace_builder *t, struct random_opts opts)
{
    struct random_state s = {.opts = ordinary(opts), .seed = opts.seed, .wall = 5000};
    for (unsigned i = 0; i < MOST_THREADS; i++)
        s.threads[i] = (struct random_thread){.id = i + 1, .cpu = 4000};
    s.running = s.threads;
    for (unsigned made = 0; made < opts.records;) {
        move_on(&s);
        struct build_record record = next_record(&s);
        if (spoil(&s, &record)) {
            build_record(t, record);
            made++;
        }
    }
}
