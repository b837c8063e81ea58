/*
 * What changed from old runs to new ones: for each method its calls, its time, why the time is
 * another one, and a verdict on each.
 *
 * Counts are certain from one run a side. Time is tested from TV_TESTED_FROM runs a side on
 * (compare/significance.h); with fewer it is one sample, and decides nothing.
 */
#ifndef TV_COMPARE_CHANGE_H
#define TV_COMPARE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/trace_clock.h"
#include "base/units.h"
#include "compare/cause.h"
#include "compare/method_join.h"
#include "compare/side.h"
#include "compare/significance.h"

/* Which time of a method is compared. */
enum tv_time_kind { TV_TIME_INCLUSIVE, TV_TIME_EXCLUSIVE };

struct tv_changes_opts {
    size_t run_counts[TV_SIDE_COUNT]; /* of the join: the old runs stand first */
    enum tv_clock clock;
    enum tv_time_kind kind;
    bool no_counts[TV_SIDE_COUNT];    /* the counts of a run of the side are not the program's */
    bool counts_least[TV_SIDE_COUNT]; /* the same, and the program's are not less than those */
    bool left_out[TV_SIDE_COUNT];     /* calls of a run of the side were left out */
    bool other_builds;     /* runs have short names of several builds: nothing is compared */
    bool other_processors; /* runs are of different processors: their times are not tested */
    bool mixed_kinds;      /* some runs are of samples, some of each call: the same */
    bool fell_back[TV_SIDE_COUNT]; /* a CPU clock of a run went backwards: time may be missing */
    bool odd_wall[TV_SIDE_COUNT];  /* wall times of a run are less than they were */
    bool lost_data[TV_SIDE_COUNT]; /* a run of the side has not all data: times are not tested */
    uint64_t least_ns; /* methods with a median time below this on both sides are not tested */
    struct tv_significance_opts test;
};

/* A method on one side: over the runs in which its numbers are known (tv_join_is_known). */
struct tv_change_side {
    size_t known;         /* runs */
    uint64_t least_calls; /* recursive calls too */
    uint64_t most_calls;
    struct tv_calls_and_time median; /* calls that the time is of, and the time */
};

struct tv_change {
    struct tv_change_side sides[TV_SIDE_COUNT];
    /* Of the difference of the median times; 0: one of them is not known. Without counts that are
     * the program's all of it is by cost. */
    struct tv_cause cause;
    enum tv_verdict calls; /* undecided: they differ from run to run, or one run's are not known */
    size_t tested;         /* place in `significance`; SIZE_MAX: the time was not tested */
    bool
        is_apart; /* not tested, since a run has no time of it, and apart all the same: undecided */
    /* Not tested, since a mapping says that one side has inlined it, or into it what the other
     * calls, or has it as one of several. */
    bool is_mapped_otherwise;
    bool has_mapped_calls; /* its calls are undecided, since a side has inlined it, or has it as one
                              of several */
};

struct tv_changes {
    const struct tv_alloc *alloc;
    struct tv_change *of; /* one for each method of the join */
    size_t count;
    struct tv_significance significance; /* no rows: nothing was tested */
    size_t calls_count[TV_VERDICT_COUNT];
    size_t time_count[TV_VERDICT_COUNT]; /* of those that were tested, or are apart */
    size_t apart_count;                  /* of these, those that are apart */
    size_t listed_count;  /* the same, since a mapping tells it as one of several on a side */
    size_t inlined_count; /* whose calls are undecided, since a side that has fewer inlined them */
    size_t common_count;  /* methods that have calls on both sides */
    size_t only_count[TV_SIDE_COUNT]; /* methods that no run of the other side has */
};

/* The level of the tests of times: how often one finds a change where there is none. */
#define TV_TESTED_LEVEL 0.05
/* What is shorter has less than a thousand ticks of most clocks. */
#define TV_TESTED_LEAST_NS TV_NS_PER_MS

/* Whether a run of a side has not all time of the program, on the clock that is compared. */
bool tv_changes_lack_time(const struct tv_changes_opts *opts, enum tv_side side);
/* Whether times are tested: there are runs enough, and their times can be compared. */
bool tv_changes_are_tested(const struct tv_changes_opts *opts);
void tv_changes_init(struct tv_changes *changes, const struct tv_alloc *alloc);
void tv_changes_release(struct tv_changes *changes);
/* Whether the times of a method in all runs of the side `above` exceed those of the other side by
 * more than `least_ns` and by more than the stated minimum. With TV_LEFT_OUT_FROM runs a side, one
 * run may lie elsewhere. No logarithm is taken, so the time of a run may be 0. */
bool tv_change_is_apart(const struct tv_join *join, const struct tv_changes_opts *opts,
                        size_t method, enum tv_side above, uint64_t least_ns);
/* The `place`-th shortest time of a method among the runs of a side, from 0. */
uint64_t tv_change_time_at(const struct tv_join *join, const struct tv_changes_opts *opts,
                           size_t method, enum tv_side side, size_t place);
/* Compares the runs of a finished join. */
enum tv_code tv_changes_make(struct tv_changes *changes, const struct tv_join *join,
                             const struct tv_changes_opts *opts,
                             struct tv_error *err) TV_MUST_CHECK;

/* The verdict on the ranges of calls. Stable counts that are equal are the same. Otherwise the gap
 * between the ranges of both sides must be wider than either range: a few runs have not seen all
 * that chance can do. */
enum tv_verdict tv_change_judge_calls(const struct tv_change_side *old_side,
                                      const struct tv_change_side *new_side);
/* The verdict on the time; undecided where it was not tested. */
enum tv_verdict tv_change_time(const struct tv_changes *changes, const struct tv_change *change);
/* Whether a method has calls on a side. */
bool tv_change_is_on(const struct tv_change *change, enum tv_side side);
/* New less old. */
int64_t tv_change_ns(const struct tv_change *change);

#endif
