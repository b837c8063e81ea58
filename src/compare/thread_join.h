/*
 * The threads of several runs, matched by role and name: the main thread is that of every run,
 * whatever it is called, and of other names each number is "*", since pools number their threads
 * ("pool-1-thread-3"). Threads of one run that fall together are added up, and counted.
 */
#ifndef TV_COMPARE_THREAD_JOIN_H
#define TV_COMPARE_THREAD_JOIN_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "base/memory/text_map.h"
#include "base/str.h"
#include "base/trace_clock.h"
#include "compare/change.h"

/* Numbers of a run, or the least or the most of the runs of a side. */
struct tv_thread_counts {
    uint64_t threads; /* that have calls */
    uint64_t calls;
};

struct tv_thread_side {
    struct tv_thread_counts least; /* zeros: a run has none */
    struct tv_thread_counts most;
    uint64_t time_ns[TV_CLOCK_COUNT]; /* of root calls, of all runs together */
};

struct tv_matched_thread {
    struct tv_str name;          /* "main", or with "*" for each number */
    struct tv_thread_counts now; /* of the run that is being added */
    struct tv_thread_side sides[TV_SIDE_COUNT];
};

struct tv_thread_join {
    const struct tv_alloc *alloc;
    struct tv_arena names;
    struct tv_text_map places; /* of names */
    struct tv_buffer room;     /* for a name that may be known */
    struct tv_matched_thread *of;
    size_t count, cap;
    size_t run_counts[TV_SIDE_COUNT]; /* that were added */
    /* Finished: those whose calls changed, those with most time on either side first. */
    uint32_t *changed;
    size_t changed_count;
    size_t common_count;
    size_t only_count[TV_SIDE_COUNT];
};

void tv_thread_join_init(struct tv_thread_join *threads, const struct tv_alloc *alloc);
void tv_thread_join_release(struct tv_thread_join *threads);
/* Adds a run to its side: the threads of its sums, which are not needed afterwards. */
enum tv_code tv_thread_join_add(struct tv_thread_join *threads, enum tv_side side,
                                const struct tv_sums *sums, struct tv_error *err) TV_MUST_CHECK;
/* Lists what changed, when all runs are there. */
enum tv_code tv_thread_join_finish(struct tv_thread_join *threads, enum tv_clock clock,
                                   struct tv_error *err) TV_MUST_CHECK;

/* The mean time of the runs of a side. */
uint64_t tv_thread_time(const struct tv_thread_join *threads, size_t place, enum tv_side side,
                        enum tv_clock clock);

#endif
