/*
 * Which methods take another time in the new runs than in the old ones: a test for many methods at
 * once from few runs a side.
 *
 * Times are compared as logarithms, so a change is a ratio. Each run is divided by its median ratio
 * to the others, which is the machine, or a change of everything: it is told, and never silently
 * left out. The median is that of times which no other method is part of, whatever times are
 * tested: one callee that many methods share would else move the median by itself. It is that of
 * methods which call the same others as before, since a callee that was inlined, or split off, is
 * in the caller's own time or out of it, and no machine did that. A machine moves all methods and
 * their sum alike: where they say otherwise, runs are not divided by the median. The variance of
 * a method is moderated by that of all methods (G. K. Smyth, "Linear models and empirical Bayes
 * methods for assessing differential expression in microarray experiments", 2004). A run in which
 * all methods vary more counts for less (M. E. Ritchie et al., "Empirical array quality weights in
 * the analysis of microarray data", 2006), and one run of a method that lies far from all others is
 * left out of it. A change is tested against a stated minimum and not against zero (D. J. McCarthy
 * and G. K. Smyth, "Testing significance relative to a fold-change threshold is a TREAT", 2009),
 * and p values are adjusted for the number of methods, by Benjamini and Hochberg or by Holm.
 * docs/numbers.md, "What changed" tells what the numbers mean.
 */
#ifndef TV_COMPARE_SIGNIFICANCE_H
#define TV_COMPARE_SIGNIFICANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

enum tv_adjustment {
    TV_ADJUST_EXPLORE, /* Benjamini-Hochberg: the share of false ones among what is claimed */
    TV_ADJUST_GATE,    /* Holm: the chance of any false claim */
};

enum tv_verdict {
    TV_VERDICT_UNDECIDED, /* more runs would decide */
    TV_VERDICT_SAME,      /* the change is below the stated minimum */
    TV_VERDICT_CHANGED,   /* the change is above it */
};
#define TV_VERDICT_COUNT 3u
/* "undecided", "same", "changed". */
extern const char *const tv_verdict_words[];

/* Whether the median ratio of runs is the machine's, which they are divided by, or why not. */
enum tv_machine {
    TV_MACHINE_UNTESTED,
    TV_MACHINE_DIVIDED,      /* it is: changes are beside it */
    TV_MACHINE_FEW,          /* fewer than TV_NORMALISED_FROM methods have time enough */
    TV_MACHINE_OTHER_CALLS,  /* they do, but fewer call and are called as before */
    TV_MACHINE_TWO_CLUSTERS, /* too many methods moved by less than half of it, or not at all */
    TV_MACHINE_OTHER_TOTAL,  /* the time of all methods together moved by less than half of it */
};

/* "few", "other_calls", "two_clusters", "other_total"; NULL for the first two. */
extern const char *const tv_machine_words[];

/* With fewer methods than this, runs are not normalised: their median ratio says little of the
 * machine, and a change of one method would move it. Weights of runs need this many methods, too.
 */
#define TV_NORMALISED_FROM 20u
/* Runs a side that a test needs. */
#define TV_TESTED_FROM 2u
/* With fewer runs on a side all runs count alike. */
#define TV_WEIGHTED_FROM 3u
/* A side with fewer runs has all of them tested: of five one may be left out. */
#define TV_LEFT_OUT_FROM 5u
/* No run of a method is left out. */
#define TV_NO_RUN UINT32_MAX
/* More runs a side than this are not proposed. */
#define TV_MOST_RUNS_PROPOSED 1000u

/* Logarithms of times of methods, all runs of a method side by side: first the old ones, then the
 * new ones. */
struct tv_log_times {
    const double *of; /* the times that are tested */
    size_t method_count;
    const double *own; /* exclusive times, of which the median ratio of each run is taken */
    size_t own_count;
    size_t own_left_out;  /* methods with enough time that are left out of `own`: their callers or
                             callees changed */
    const double *totals; /* the time of all methods in each run; NULL: not what a machine scales */
    size_t run_counts[2];
};

struct tv_significance_opts {
    double least_ratio; /* the stated minimum of a change: 1.05 is 5 %; above 1 */
    double level;       /* of p: 0.05 */
    enum tv_adjustment adjustment;
};

struct tv_significance_row {
    double change;     /* logarithm of the ratio of new to old, normalised */
    double variance;   /* of a run, moderated */
    uint32_t left_out; /* the run that lies too far from the others of its side; TV_NO_RUN: none */
    double p;          /* of a change as large by chance, were the true one the stated minimum */
    double p_adjusted;
    double p_rank; /* of a Mann-Whitney test, not adjusted */
    enum tv_verdict verdict;
    uint32_t runs; /* of an undecided one: runs a side that would decide it in four of five cases;
                      0: more than TV_MOST_RUNS_PROPOSED */
};

struct tv_significance {
    const struct tv_alloc *alloc;
    struct tv_significance_row *rows; /* one per method */
    size_t row_count;
    double *run_shifts;  /* the logarithm of each run's median ratio; zeros: not divided by it */
    double *run_weights; /* how much each run counts, 1 on average */
    size_t run_count;
    size_t own_count;    /* methods that the median ratio is of */
    size_t own_left_out; /* methods with enough time that were left out of it */
    size_t own_unmoved;  /* of own_count, those that moved by less than half of it */
    enum tv_machine is_machine;
    double machine;        /* the median ratio of the new runs less that of the old ones; 0: few */
    double prior_variance; /* of all methods */
    double prior_df;       /* how many runs it counts for; HUGE_VAL: variances do not differ */
    double df;             /* degrees of freedom of each test; one less where a run is left out */
};

/* Whether changes are beside the median method's, which is in `machine`. Where they are not,
 * `machine` is still what the median method did. */
TV_INLINE bool tv_significance_is_normalised(const struct tv_significance *significance)
{
    return significance->is_machine == TV_MACHINE_DIVIDED;
}

void tv_significance_init(struct tv_significance *significance, const struct tv_alloc *alloc);
void tv_significance_release(struct tv_significance *significance);
/* Tests all methods. There are at least TV_TESTED_FROM runs a side, and all times are finite. */
enum tv_code tv_significance_test(struct tv_significance *significance,
                                  const struct tv_log_times *times,
                                  const struct tv_significance_opts *opts,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Adjusts the p values of `count` rows, whose places `order` has, as one family of tests. Leaves
 * `order` by p value, those of one p value as they were. */
enum tv_code tv_significance_adjust(struct tv_significance *significance, uint32_t *order,
                                    size_t count, enum tv_adjustment adjustment,
                                    struct tv_error *err) TV_MUST_CHECK;

#endif
