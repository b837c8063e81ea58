/*
 * What stepped where: runs in the order of time, and for each method the points from which on it is
 * called more or less often, or takes another time.
 *
 * Calls step between two runs where at least two runs behind the step agree on it: the gap between
 * the range of all runs since the last step and that of these two is wider than either range, which
 * is the rule of diff (compare/change.h). Where only one run stands before, the two behind it must
 * be equal, since one run says nothing of how much calls vary. A method may step several times.
 * One run in ten since the last step may have any count: where the others leave a gap so, and three
 * runs behind the step agree, a recording that was flaky once hides no step for ever.
 *
 * Time steps where the test of diff finds a change between all runs before a point and all behind
 * it, at least two on each side. All points are tested, and the p values adjusted for their number
 * (Bonferroni). The test knows one step, so of many runs parts are looked at, too: both halves and
 * the half in the middle, each with all its points, as tests of their own. A time that went up and
 * came down again has no step in the whole. Of a method the point with the least p is told, and
 * those of other parts that are no near neighbours of one that is told.
 * Where a run has no time of a method no test decides. It is told where the gap between the times
 * of both sides is wider than either range, as of calls, and wider than the least time that is
 * tested: of several points the one with the widest gap.
 */
#ifndef TV_COMPARE_TREND_H
#define TV_COMPARE_TREND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "compare/change.h"
#include "compare/method_join.h"

/* Each point is a test of all methods. */
#define TV_TREND_RUNS_MOST 100u
/* Runs behind a step, and of time before it, too. */
#define TV_TREND_SIDE_LEAST 2u
/* From this many runs on, steps are also looked for in parts of the runs. */
#define TV_TREND_PARTS_FROM 16u
#define TV_TREND_PARTS 4u
/* Steps of time of one method that are closer are one. */
#define TV_TREND_NEAR 3u
/* One run in this many since the last step of calls may have any count. */
#define TV_TREND_FLAKY_ONE_IN 10u
/* Runs behind a step that is found so. */
#define TV_TREND_FLAKY_BEHIND 3u

struct tv_step {
    uint32_t method; /* place in the join */
    size_t run;      /* the first behind the step */
    bool is_time;
    struct tv_change_side sides[TV_SIDE_COUNT]; /* of a time: medians of the runs of the part before
                                                   and behind; of calls: ranges since the last step,
                                                   and of the two runs behind this one */
    double change;   /* of a time: logarithm of the ratio, beside the median method */
    double p;        /* of a time: adjusted for methods and points */
    bool is_apart;   /* of a time that is not tested: a run has none, and those before the point are
                        apart from those behind it; no change and no p */
    bool is_inlined; /* of calls that are undecided: a run of the side with fewer of them has the
                        method inlined, as a mapping says */
};

struct tv_trend {
    const struct tv_alloc *alloc;
    /* Calls first, then times, then times apart, then calls that are undecided; each by run, then
     * by name. */
    struct tv_step *of;
    size_t count, cap;
    size_t runs;
    size_t call_count;    /* steps of calls */
    size_t apart_count;   /* of times that are apart and not tested, before the next ones */
    size_t inlined_count; /* of calls that are undecided, the last ones */
    size_t pending_count; /* methods whose calls differ in the last run alone: the next will tell */
    size_t tested_count;  /* methods whose time was tested at any point */
    bool is_normalised;   /* times are beside the median method, at some point at least */
    /* The step of the median method itself that is surest, of a t test of the runs at each point.
     */
    bool has_machine_step; /* it is sure, and above the stated minimum */
    double machine;        /* logarithm of the ratio */
    double machine_p;      /* adjusted for the points */
    size_t machine_run;    /* the first behind that point */
};

void tv_trend_init(struct tv_trend *trend, const struct tv_alloc *alloc);
void tv_trend_release(struct tv_trend *trend);
/* Finds the steps of a finished join of at least two runs. `opts` are those of diff but for
 * run_counts, which are made here; with no_counts calls have no steps, with lost_data of
 * any side times have none. `inlined` says of each run of each method, as rows of the join stand,
 * whether a mapping says that the method was inlined there; NULL: none does. Such methods have no
 * steps of time where calls are undecided. */
enum tv_code tv_trend_find(struct tv_trend *trend, const struct tv_join *join, const bool *inlined,
                           const struct tv_changes_opts *opts, struct tv_error *err) TV_MUST_CHECK;
/* The end of the steps of time that were tested, and of those that are apart. */
size_t tv_trend_tested_end(const struct tv_trend *trend);
size_t tv_trend_apart_end(const struct tv_trend *trend);

#endif
