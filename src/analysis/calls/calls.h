/*
 * All calls of a method in a selection: how many there are, the percentiles and a histogram of
 * their durations, and a slice of them in an order.
 *
 * Numbers are of calls that overlap the selection, not cut at its edges, recursive calls too. A
 * call's ordinal is its number among all calls of its method in the whole trace, from 0: by start
 * on the axis, then thread, depth and ordinal in its row.
 *
 * Costs one scan of the rows that have the method, and a few passes over its calls; memory is 36
 * bytes a call.
 */
#ifndef TV_ANALYSIS_CALLS_CALLS_H
#define TV_ANALYSIS_CALLS_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/call.h"
#include "analysis/calls/method_calls.h"
#include "analysis/calls/percentiles.h"
#include "analysis/profile/profile.h"
#include "analysis/selection/range.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"

enum tv_calls_key {
    TV_CALLS_BY_DURATION,
    TV_CALLS_BY_START, /* start on the axis */
    TV_CALLS_BY_EXCLUSIVE,
    TV_CALLS_BY_THREAD, /* threads in the order of the index, then by start */
};

/* A question of zeros is about all threads and times, slowest by wall time first; but the page
 * needs a limit. */
struct tv_calls_opts {
    struct tv_selection selection;
    uint32_t method; /* ordinal */
    enum tv_calls_key key;
    enum tv_order order;         /* ties by thread, depth, start */
    enum tv_measure key_measure; /* what the key is measured in */
    enum tv_measure measure;     /* what the histogram and the limits are measured in */
    uint64_t least_ns;           /* pages have only calls of at least this, */
    uint64_t below_ns;           /* and less than this; 0: no limit */
    size_t offset;               /* calls before the page */
    size_t limit;                /* most calls of the page */
    const struct tv_pool *pool;  /* NULL: one thread */
};

/* A bar of the histogram: calls of [from_ns, to_ns), two bars an octave. A negative wait
 * counts as 0. */
struct tv_bar {
    uint64_t from_ns;
    uint64_t to_ns;
    uint64_t count;
};

/* Durations 0 and 1, and two bars for each octave of 64 bits. */
#define TV_BAR_LIMIT 130u

struct tv_listed_call {
    struct tv_call_ref ref;
    uint64_t ordinal; /* among all calls of the method */
};

struct tv_call_list {
    const struct tv_alloc *alloc;
    uint64_t count;  /* calls in the selection */
    uint64_t listed; /* calls within the limits: those that pages are made of */
    struct tv_method_percentiles percentiles;
    struct tv_bar bars[TV_BAR_LIMIT]; /* from the first bar with calls to the last */
    size_t bar_count;
    struct tv_listed_call *slice;
    size_t slice_len;
};

void tv_calls_init(struct tv_call_list *calls, const struct tv_alloc *alloc);
void tv_calls_release(struct tv_call_list *calls);
enum tv_code tv_calls_compute(struct tv_call_list *calls, const struct tv_index *index,
                              const struct tv_calls_opts *opts, struct tv_error *err) TV_MUST_CHECK;

/* One call among all calls of its method: its ordinal, how many there are, and their median on a
 * clock. */
struct tv_call_rank {
    uint64_t ordinal;
    uint64_t of;
    uint64_t median_ns;
};

/* `list` has the calls of the call's method. The trace has the clock of the median, or none. */
enum tv_code tv_call_rank_of(const struct tv_method_calls *list, struct tv_call_ref ref,
                             enum tv_clock clock, struct tv_call_rank *rank,
                             struct tv_error *err) TV_MUST_CHECK;
/* Finds the call of the list with an ordinal; TV_ERR_NOT_FOUND past the last. */
enum tv_code tv_call_by_ordinal(const struct tv_method_calls *list, uint64_t ordinal,
                                struct tv_call_ref *ref, struct tv_error *err) TV_MUST_CHECK;

#endif
