/*
 * A trace for tests of the analysis: written record by record, read and indexed by the program, and
 * beside it the same calls as plain structs that a slow, obvious reading made from the same
 * records. Nothing of the latter is shared with the program.
 *
 *     struct world w;
 *     world_begin(&w);
 *     world_enter(&w, MAIN, FOO, 10, 5);      wall and CPU, microseconds
 *     world_leave(&w, MAIN, FOO, 30, 9);
 *     world_end(&w);                          now w.index and w.calls are there
 *     world_release(&w);
 *
 * Records must come in the order of wall time. Failures abort the test.
 */
#ifndef TESTS_ANALYSIS_WORLD_H
#define TESTS_ANALYSIS_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/trace.h"
#include "index/index.h"
#include "support/trace_builder.h"

#define WORLD_CALLS 4096
#define WORLD_THREADS 4
#define WORLD_METHODS 6
#define WORLD_NONE (-1)

/* Method ids: com.app.Main.run, com.app.Main.Load, com.lib.List.get, com.lib.List.put,
 * java.util.Map.get, x.<init> */
#define M(i) ((uint32_t)((i) + 1) * 4)

struct plain_call {
    unsigned thread; /* id */
    unsigned method; /* 0.. */
    int parent;      /* in world.calls, or WORLD_NONE */
    unsigned depth;
    bool is_recursive;
    bool is_open;
    uint64_t start[2]; /* ns: wall, cpu */
    uint64_t end[2];
};

struct plain_record {
    uint64_t time[2]; /* ns */
};

struct world {
    struct trace_builder t;
    struct tv_trace trace;
    struct tv_index index;
    struct plain_call calls[WORLD_CALLS];
    int call_count;
    int top[WORLD_THREADS + 1]; /* innermost open call by thread id */
    struct plain_record records[WORLD_THREADS + 1][2 * WORLD_CALLS];
    int record_count[WORLD_THREADS + 1];
    uint64_t latest; /* wall, ns */
};

void world_begin(struct world *w);
void world_enter(struct world *w, unsigned thread, unsigned method, uint32_t wall, uint32_t cpu);
/* Of the innermost open call's method; with none open, the call began before the trace. */
void world_leave(struct world *w, unsigned thread, unsigned method, uint32_t wall, uint32_t cpu);
void world_end(struct world *w);
/* The same for records that were written to w.t alone: w.calls does not have them. */
void world_read(struct world *w);
void world_release(struct world *w);
/* A whole world of two calls: method 0 on the main thread for 1.235567 s, in it method 2 from 1 to
 * 2 ms. */
void world_one_in_another(struct world *w);
/* A random program from a seed; many calls of length zero, some open at the end, some adopted. */
void world_random(struct world *w, uint32_t seed);
/* The same with few nodes that have many calls each. */
void world_dense(struct world *w, uint32_t seed);
/* The same with calls too long for a duration of two bytes, which the others have. */
void world_long(struct world *w, uint32_t seed);
/* One of them, by the seed. */
void world_any(struct world *w, uint32_t seed);

/* The thread's CPU at a wall time, from the records alone. */
uint64_t world_cpu_at(const struct world *w, unsigned thread, uint64_t wall_ns);
/* Nanoseconds of a call in [from, to), and whether it counts there; to = UINT64_MAX reaches the
 * end. */
uint64_t world_inside(const struct world *w, int call, int clock, uint64_t from, uint64_t to);
bool world_overlaps(const struct world *w, int call, uint64_t from, uint64_t to);
/* The same without its callees' part. */
uint64_t world_exclusive(const struct world *w, int call, int clock, uint64_t from, uint64_t to);
/* Wall time of a call after its thread's last record; and of its own code. */
uint64_t world_unrecorded(const struct world *w, int call);
uint64_t world_own_unrecorded(const struct world *w, int call);

uint32_t world_method_ix(const struct world *w, unsigned method);
uint32_t world_thread_ix(const struct world *w, unsigned thread);
/* Pseudo-random numbers below `below`. */
uint32_t world_dice(uint32_t *state, uint32_t below);

#endif
