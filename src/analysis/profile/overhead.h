/*
 * How much of a trace is the tracing itself: an estimate, by one formula for the command and the
 * page (docs/numbers.md, "The cost of tracing").
 *
 * An enter and an exit cost the recorded program the time of two records. About half of it falls
 * inside the call and half inside its caller: so a method has the cost of one record for each of
 * its calls, and of one for each call that these made. The file says what a record costs. The
 * trace's own leaf calls, which make no calls, say how far that can be believed: the method with
 * the shortest ones hardly does more than being recorded. What our recorders take to write what
 * they have is a method of its own, all of whose time is tracing. Nothing is told of a trace that
 * calls were left out of after they had been recorded: whose time their cost is in, is not known.
 */
#ifndef TV_ANALYSIS_PROFILE_OVERHEAD_H
#define TV_ANALYSIS_PROFILE_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "index/index.h"

/* The leaf calls of a method count if it has at least this many: the rounding of a clock of
 * microseconds is then a few nanoseconds on average. */
#define TV_LEAF_CALLS_LEAST 4096u

/* What one record costs the recorded program, in nanoseconds. */
struct tv_record_cost {
    /* False: the file does not say, or it is sampled, or calls were left out of it when it was
     * written, which cost what called them as much time as those that are there; then all below but
     * `left_out` is 0. */
    bool is_known;
    uint64_t left_out; /* such calls */
    bool is_partial;   /* the file tells of reading the clocks alone: the true cost is larger */
    bool has_margin;   /* the trace has leaf calls enough to tell the margin */
    bool has_parts;    /* the file tells what falls to a call, and what to its caller */
    double ns;
    /* What a call without callees costs in its own time, and what each call that it makes costs its
     * caller; both are `ns` if the file tells only their sum. */
    double leaf_ns, calling_ns;
    double least_ns, most_ns; /* the margin; both are `ns` without one */
    double shortest_ns;       /* with a margin: what the shortest leaf calls take on average */
    uint32_t writing;         /* tv_writing_method; TV_NONE also where the cost is not known */
};

/* An estimate, never above the time that it is a part of. */
struct tv_overhead {
    uint64_t ns;
    uint64_t least_ns, most_ns; /* the margin: ns lies in it */
};

/* Takes a pass over the nodes where the file says what a record costs. */
enum tv_code tv_record_cost_of(const struct tv_index *index, const struct tv_alloc *alloc,
                               struct tv_record_cost *cost, struct tv_error *err) TV_MUST_CHECK;
/* Whose cost: calls, and calls that these or hidden ones among them made. */
struct tv_recorded_calls {
    uint64_t calls, made;
};

/* The cost of recording them in their own time, which is a part of `time_ns`. */
struct tv_overhead tv_overhead_of(const struct tv_record_cost *cost,
                                  struct tv_recorded_calls recorded, uint64_t time_ns);
/* The cost of recording the calls of a method in their own time; all of that time if the method is
 * the recorder's own. */
struct tv_overhead tv_overhead_of_method(const struct tv_record_cost *cost, uint32_t method,
                                         struct tv_recorded_calls recorded, uint64_t time_ns);
/* The recorder's own method, whose calls are what it took to write what was recorded
 * (record/threads.c); TV_NONE: the trace has none. */
uint32_t tv_writing_method(const struct tv_index *index);
/* Counts, for each method, the calls whose recording is in its exclusive time: of[i] of method i,
 * zeros before. What a hidden call and its recording took is its caller's, so the call counts as
 * one of the caller's, too. One pass over the nodes. */
void tv_recorded_calls_add(const struct tv_sums *sums, struct tv_recorded_calls *of);
/* The cost of all records of the trace, a part of its whole time on a clock. */
struct tv_overhead tv_overhead_of_all(const struct tv_record_cost *cost,
                                      const struct tv_index *index, enum tv_clock clock);
/* Whether at least half of the time is tracing: the time then says little of the program. */
bool tv_overhead_is_most(const struct tv_overhead *overhead, uint64_t time_ns);
/* Marks the methods of which that is true in the whole trace, of their exclusive time on a clock:
 * is_most[method] is 1 or 0. `is_most` has one byte for each method. */
enum tv_code tv_overhead_mark(const struct tv_index *index, enum tv_clock clock,
                              const struct tv_alloc *alloc, uint8_t *is_most,
                              struct tv_error *err) TV_MUST_CHECK;

#endif
