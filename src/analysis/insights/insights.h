/*
 * What of a trace is worth a look: a short list, found before anybody asks.
 *
 * Each kind of insight has a threshold, told below, and each insight an amount of wall time that is
 * at stake (CPU time, where the trace has no wall clock, or a wrong one). The list has those with
 * the most at stake first, and lost data before all else. It is empty where no threshold is
 * reached, or no clock is right.
 *
 * Long calls are found by the mipmap, so it costs the percentiles of their methods, and a profile
 * of the stretch of each wait that is listed. docs/numbers.md, "Insights".
 */
#ifndef TV_ANALYSIS_INSIGHTS_INSIGHTS_H
#define TV_ANALYSIS_INSIGHTS_INSIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/call.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/memory/pool.h"
#include "base/str.h"
#include "base/units.h"
#include "index/index.h"

enum tv_insight_kind {
    TV_INSIGHT_OVERFLOW, /* the recording ended before the run did */
    TV_INSIGHT_SLOW,     /* calls far from their method's median that did not merely wait */
    TV_INSIGHT_WAIT,     /* a call of the main thread that waited */
    TV_INSIGHT_OPEN,     /* a call that the main thread was in when the recording ended */
    TV_INSIGHT_OFTEN,    /* a method that was called so often that tracing it shows */
    TV_INSIGHT_OVERHEAD, /* tracing itself took much of the time */
    /* Of sampled traces, of what the main thread did while it was not idle: */
    TV_INSIGHT_FRAMES,  /* frames beyond their budget */
    TV_INSIGHT_OWN,     /* the exclusive time of methods that are not the platform's */
    TV_INSIGHT_PACKAGE, /* the exclusive time of a package */
    TV_INSIGHT_SPENT,   /* time in a method that waits for something outside of the thread */
};
#define TV_INSIGHT_KINDS 10u

/* TV_INSIGHT_PACKAGE groups by this many leading parts of a package's name: "android.graphics". */
#define TV_INSIGHT_PACKAGE_PARTS 2u

#define TV_INSIGHTS_MOST 10u
/* Of one kind. */
#define TV_INSIGHTS_OF_KIND_MOST 5u

/* At stake must be this share of the trace's length, but no less than a millisecond; what takes a
 * frame of a display with 60 Hz is of note in a trace of any length, */
#define TV_INSIGHT_LEAST_PERCENT 1u
#define TV_INSIGHT_LEAST_NS TV_NS_PER_MS
#define TV_INSIGHT_FRAME_NS 16666667u
/* A call is remembered from this much time on (beyond its method's median, or waited), or from this
 * fraction of the trace's length where that is longer, so that a long trace does not remember every
 * short call. A call that is large enough to be reported alone is always remembered. */
#define TV_INSIGHT_EACH_NS 100000u
#define TV_INSIGHT_EACH_PARTS (1u << 20)
/* A slow call takes this many times the median of its method, which has at least
 * TV_INSIGHT_SLOW_CALLS calls, */
#define TV_INSIGHT_SLOW_TIMES 5u
#define TV_INSIGHT_SLOW_CALLS 5u
/* a method that is called often has at least TV_INSIGHT_OFTEN_CALLS calls and this share of all, */
#define TV_INSIGHT_OFTEN_CALLS 10000u
#define TV_INSIGHT_OFTEN_PERCENT 10u
/* and overhead is reported from this share of the time of all root calls. */
#define TV_INSIGHT_OVERHEAD_PERCENT 10u

struct tv_insight {
    enum tv_insight_kind kind;
    enum tv_clock clock; /* as of the list that it is in */
    uint64_t at_stake_ns;
    uint64_t
        margin_ns; /* OWN, PACKAGE, SPENT: two standard errors of at_stake_ns, by the samples */
    /* SLOW, WAIT: the longest call that is meant, of WAIT the one that waited longest; OPEN: the
     * innermost; OFTEN: none. */
    struct tv_call_ref call;
    /* SLOW, WAIT, OPEN, OFTEN, SPENT; FRAMES: that of the call; OWN, PACKAGE: which took most of
     * it. Else TV_NONE. */
    uint32_t method;
    uint64_t calls;        /* SLOW, WAIT, FRAMES: how many are meant; OFTEN: all of the method */
    uint64_t waited_calls; /* SLOW: calls as long as slow ones that merely waited */
    uint64_t
        of_calls; /* SLOW, WAIT: all calls of the method; OFTEN: all of the trace; FRAMES: all */
    /* SLOW, WAIT, FRAMES: the call on the axis, since the start of the trace; OPEN: from the
     * thread's last record to the latest of all, behind which the recording may have gone on */
    uint64_t from_ns;
    uint64_t to_ns;
    uint64_t took_ns;   /* SLOW, WAIT, FRAMES: the call, on the clock of the insight */
    uint64_t median_ns; /* SLOW */
    /* SLOW: the callee in which the call spent most of its time, and how much; WAIT: what another
     * thread did most while the call waited; OFTEN: who made the most of the calls, and how many;
     * SPENT: the app's own method through which most of the time was spent, and how much. TV_NONE:
     * nothing of note. OWN, PACKAGE: other_amount alone, the time that the thread was busy. */
    uint32_t other_thread;
    uint32_t other_method;
    uint64_t other_amount;
};

struct tv_insights {
    struct tv_insight of[TV_INSIGHTS_MOST];
    size_t count;
    uint64_t least_ns; /* what must be at stake in this trace; 0: no call has a time to look at */
    uint64_t each_ns;  /* from which on a slow call, or a wait, counts */
    uint32_t main_thread; /* whose waits are insights; TV_NONE: there is none */
    /* The clock of the insights: that of the axis, unless it is wrong and the other one is not. */
    enum tv_clock clock;
    /* No insights are on a wrong clock, and no waits are if either is wrong. */
    bool is_wrong[TV_CLOCK_COUNT];
    enum tv_finding_kind why[TV_CLOCK_COUNT]; /* the finding that says so */
};

/* The thread called "main", of several the one with records or else the number of the process; else
 * the one with that number. TV_NONE: none is there, or several are called so. */
uint32_t tv_main_thread(const struct tv_index *index);

/* pool may be NULL: one thread. */
enum tv_code tv_insights_find(struct tv_insights *insights, const struct tv_index *index,
                              const struct tv_alloc *alloc, const struct tv_pool *pool,
                              struct tv_error *err) TV_MUST_CHECK;

/* The package that TV_INSIGHT_PACKAGE is about, as its classes write it. */
struct tv_str tv_insight_package(const struct tv_index *index, const struct tv_insight *insight);
/* What the JSON and the page call the kind: "slow", "wait", ... */
const char *tv_insight_kind_name(enum tv_insight_kind kind);

#endif
