/* See analysis/world.h. */
#include "analysis/world.h"

#include "index/build/build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void demand(bool is_true, const char *what)
{
    if (is_true)
        return;
    (void)fprintf(stderr, "world: %s\n", what);
    abort();
}

void world_begin(struct world *w)
{
    memset(w, 0, sizeof(*w));
    build_text(&w->t, (struct build_opts){
                          .version = 3,
                          .clock = "dual",
                          .threads = "1\tmain\n2\tworker\n3\tBinder:1\n4\tidle\n",
                          .methods = "0x4\tcom.app.Main\trun\t()V\tMain.java\t10\n"
                                     "0x8\tcom.app.Main\tLoad\t(I)V\tMain.java\t20\n"
                                     "0xc\tcom.lib.List\tget\t(I)J\tList.java\t30\n"
                                     "0x10\tcom.lib.List\tput\t(J)V\tList.java\t40\n"
                                     "0x14\tjava.util.Map\tget\t(I)J\tMap.java\t50\n"
                                     "0x18\tx\t<init>\t()V\tx.java\t60\n",
                      });
    for (int i = 0; i <= WORLD_THREADS; i++)
        w->top[i] = WORLD_NONE;
    tv_trace_init(&w->trace, tv_alloc_libc());
    tv_index_init(&w->index);
}

static void note_record(struct world *w, unsigned thread, uint32_t wall, uint32_t cpu)
{
    demand(w->record_count[thread] < 2 * WORLD_CALLS, "too many records");
    w->records[thread][w->record_count[thread]++] =
        (struct plain_record){{wall * (uint64_t)1000, cpu * (uint64_t)1000}};
    if (wall * (uint64_t)1000 > w->latest)
        w->latest = wall * (uint64_t)1000;
}

void world_enter(struct world *w, unsigned thread, unsigned method, uint32_t wall, uint32_t cpu)
{
    build_record(&w->t, (struct build_record){thread, M(method), ENTER, cpu, wall});
    note_record(w, thread, wall, cpu);
    demand(w->call_count < WORLD_CALLS, "too many calls");
    w->calls[w->call_count] = (struct plain_call){
        .thread = thread,
        .method = method,
        .parent = w->top[thread],
        .is_open = true,
        .start = {wall * (uint64_t)1000, cpu * (uint64_t)1000},
    };
    w->top[thread] = w->call_count++;
}

void world_leave(struct world *w, unsigned thread, unsigned method, uint32_t wall, uint32_t cpu)
{
    build_record(&w->t, (struct build_record){thread, M(method), LEAVE, cpu, wall});
    note_record(w, thread, wall, cpu);
    int at = w->top[thread];
    if (at == WORLD_NONE) {
        demand(w->call_count < WORLD_CALLS, "too many calls");
        at = w->call_count++;
        w->calls[at] =
            (struct plain_call){.thread = thread, .method = method, .parent = WORLD_NONE};
        memcpy(w->calls[at].start, w->records[thread][0].time, sizeof(w->calls[at].start));
        for (int i = 0; i < at; i++) {
            if (w->calls[i].thread == thread && w->calls[i].parent == WORLD_NONE)
                w->calls[i].parent = at;
        }
    }
    demand(w->calls[at].method == method, "leaves what it is not in");
    w->calls[at].is_open = false;
    w->calls[at].end[0] = wall * (uint64_t)1000;
    w->calls[at].end[1] = cpu * (uint64_t)1000;
    w->top[thread] = w->calls[at].parent;
}

static void finish_calls(struct world *w)
{
    for (int i = 0; i < w->call_count; i++) {
        struct plain_call *call = &w->calls[i];
        if (call->is_open) {
            call->end[0] = w->latest;
            call->end[1] = w->records[call->thread][w->record_count[call->thread] - 1].time[1];
        }
        for (int at = call->parent; at != WORLD_NONE; at = w->calls[at].parent) {
            call->depth++;
            if (w->calls[at].method == call->method)
                call->is_recursive = true;
        }
    }
}

void world_read(struct world *w)
{
    struct tv_error err = {.code = TV_OK};
    demand(tv_trace_open(&w->trace, w->t.bytes.bytes, w->t.bytes.len,
                         &(struct tv_read_opts){.batch_len = 0}, &err) == TV_OK,
           err.text);
    demand(tv_index_build(&w->index, &w->trace, &(struct tv_build_opts){.pool = NULL}, &err) ==
               TV_OK,
           err.text);
}

void world_end(struct world *w)
{
    finish_calls(w);
    world_read(w);
    demand(w->index.call_count == (uint64_t)w->call_count, "the index has other calls");
}

void world_release(struct world *w)
{
    tv_index_release(&w->index);
    tv_trace_release(&w->trace);
    build_release(&w->t);
}

uint32_t world_dice(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

/* A step of this many microseconds makes calls whose duration takes more than two bytes. */
#define LONG_STEP 66000u

/* A program of `records` records and `methods` methods, whose calls stand up to `depth_wish` on top
 * of each other; every `long_every`-th record comes after a long step. */
static void make_program(struct world *w, uint32_t state, uint32_t records, uint32_t methods,
                         uint32_t depth_wish, uint32_t long_every)
{
    uint32_t cpu[WORLD_THREADS + 1] = {0, 0, 100, 3000, 0};
    uint32_t wall = 7;
    world_begin(w);
    for (uint32_t i = 0; i < records; i++) {
        unsigned thread = 1 + world_dice(&state, 4) % (WORLD_THREADS - 1);
        uint32_t step = world_dice(&state, 3) ? 0 : world_dice(&state, 40);
        wall += world_dice(&state, 60) ? step : step * (long_every ? 1 : 200);
        if (long_every && i % long_every == long_every - 1) {
            wall += LONG_STEP;
            cpu[thread] += LONG_STEP;
        }
        cpu[thread] += world_dice(&state, 2) ? world_dice(&state, step + 2) : 0;
        int top = w->top[thread];
        unsigned depth = 0;
        for (int at = top; at != WORLD_NONE; at = w->calls[at].parent)
            depth++;
        bool enters = world_dice(&state, 2 * depth_wish) >= depth;
        if (enters || (top == WORLD_NONE && world_dice(&state, 8)))
            world_enter(w, thread, world_dice(&state, methods), wall, cpu[thread]);
        else
            world_leave(w, thread,
                        top == WORLD_NONE ? world_dice(&state, methods) : w->calls[top].method,
                        wall, cpu[thread]);
    }
    world_end(w);
}

void world_random(struct world *w, uint32_t seed)
{
    uint32_t state = seed * 2654435761u + 12345u;
    uint32_t records = 20 + world_dice(&state, 400);
    uint32_t depth_wish = 2 + world_dice(&state, 12);
    make_program(w, state, records, WORLD_METHODS, depth_wish, 0);
}

void world_dense(struct world *w, uint32_t seed)
{
    uint32_t state = seed * 2654435761u + 54321u;
    uint32_t records = 300 + world_dice(&state, 400);
    make_program(w, state, records, 2, 1 + world_dice(&state, 2), 0);
}

void world_long(struct world *w, uint32_t seed)
{
    uint32_t state = seed * 2654435761u + 98765u;
    make_program(w, state, 800, 3, 3, 390);
}

void world_any(struct world *w, uint32_t seed)
{
    if (seed % 5 == 4)
        world_long(w, seed);
    else
        (seed % 2 ? world_dense : world_random)(w, seed);
}

void world_one_in_another(struct world *w)
{
    world_begin(w);
    world_enter(w, MAIN, 0, 0, 0);
    world_enter(w, MAIN, 2, 1000, 10);
    world_leave(w, MAIN, 2, 2000, 20);
    world_leave(w, MAIN, 0, 1235567, 30);
    world_end(w);
}

uint64_t world_cpu_at(const struct world *w, unsigned thread, uint64_t wall_ns)
{
    const struct plain_record *records = w->records[thread];
    int count = w->record_count[thread];
    if (wall_ns == UINT64_MAX)
        return UINT64_MAX;
    for (int i = 0; i < count; i++) {
        if (records[i].time[0] < wall_ns)
            continue;
        if (records[i].time[0] == wall_ns || i == 0)
            return records[i].time[1];
        const struct plain_record *before = &records[i - 1];
        return before->time[1] + (records[i].time[1] - before->time[1]) *
                                     (wall_ns - before->time[0]) /
                                     (records[i].time[0] - before->time[0]);
    }
    return count ? records[count - 1].time[1] : 0;
}

uint64_t world_inside(const struct world *w, int call, int clock, uint64_t from, uint64_t to)
{
    const struct plain_call *c = &w->calls[call];
    if (clock == 1) {
        from = from ? world_cpu_at(w, c->thread, from) : 0;
        to = world_cpu_at(w, c->thread, to);
    }
    uint64_t start = c->start[clock] > from ? c->start[clock] : from;
    uint64_t end = c->end[clock] < to ? c->end[clock] : to;
    return end > start ? end - start : 0;
}

bool world_overlaps(const struct world *w, int call, uint64_t from, uint64_t to)
{
    const struct plain_call *c = &w->calls[call];
    if (c->start[0] == c->end[0])
        return c->start[0] >= from && c->start[0] < to;
    return c->start[0] < to && c->end[0] > from;
}

uint64_t world_exclusive(const struct world *w, int call, int clock, uint64_t from, uint64_t to)
{
    uint64_t left = world_inside(w, call, clock, from, to);
    for (int i = 0; i < w->call_count; i++) {
        if (w->calls[i].parent == call)
            left -= world_inside(w, i, clock, from, to);
    }
    return left;
}

uint64_t world_unrecorded(const struct world *w, int call)
{
    const struct plain_call *c = &w->calls[call];
    return c->is_open ? c->end[0] - w->records[c->thread][w->record_count[c->thread] - 1].time[0]
                      : 0;
}

uint64_t world_own_unrecorded(const struct world *w, int call)
{
    for (int i = 0; i < w->call_count; i++) {
        if (w->calls[i].parent == call && w->calls[i].is_open)
            return 0;
    }
    return world_unrecorded(w, call);
}

uint32_t world_method_ix(const struct world *w, unsigned method)
{
    return tv_index_method_of_id(&w->index, M(method));
}

uint32_t world_thread_ix(const struct world *w, unsigned thread)
{
    return tv_index_thread_of_id(&w->index, thread);
}
