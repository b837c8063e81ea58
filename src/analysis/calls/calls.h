/*
 * All calls of a method in a selection: how many, how their durations spread, and a page of them in
 * an order.
 *
 * Numbers are of uncut calls that overlap the selection, recursive ones too. A call's ordinal is
 * its place among all calls of its method in the whole trace, from 0, by start on the axis, then
 * thread, depth and place in its row. Cost: one scan of the rows that have the method, and a few
 * passes over its calls; memory: 36 bytes a call. A pool may be NULL.
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
#include "base/pool.h"

enum tv_calls_key {
    TV_CALLS_BY_DURATION,
    TV_CALLS_BY_START, /* on the axis */
    TV_CALLS_BY_EXCLUSIVE,
    TV_CALLS_BY_THREAD, /* in the order of the index, then by start */
};

/* Zero: all threads and times, slowest by wall time first; the page needs a limit. */
struct tv_calls_opts {
    struct tv_selection selection;
    uint32_t method;
    enum tv_calls_key key;
    enum tv_order order;         /* ties by thread, depth, start */
    enum tv_measure key_measure; /* of the key */
    enum tv_measure measure;     /* of the histogram, and of the next two */
    uint64_t least_ns;           /* only calls of at least this, */
    uint64_t below_ns;           /* and less than this are in pages; 0: no limit */
    size_t offset;
    size_t limit; /* calls in the page */
    const struct tv_pool *pool;
};

/* Durations in [from_ns, to_ns); two bars an octave. Negative waits count as 0. */
struct tv_bar {
    uint64_t from_ns;
    uint64_t to_ns;
    uint64_t count;
};

#define TV_BAR_LIMIT 130u

struct tv_listed_call {
    struct tv_call_ref ref;
    uint64_t ordinal;
};

struct tv_calls {
    const struct tv_alloc *alloc;
    uint64_t count;  /* all */
    uint64_t listed; /* those that a page may have */
    struct tv_method_percentiles percentiles;
    struct tv_bar bars[TV_BAR_LIMIT]; /* from the first to the last that is not empty */
    size_t bar_count;
    struct tv_listed_call *page;
    size_t page_len;
};

void tv_calls_init(struct tv_calls *calls, const struct tv_alloc *alloc);
void tv_calls_release(struct tv_calls *calls);
enum tv_code tv_calls_compute(struct tv_calls *calls, const struct tv_index *index,
                              const struct tv_calls_opts *opts, struct tv_error *err) TV_MUST_CHECK;

/* What the ordinal of one call is, of how many, and their median duration on the axis clock. */
struct tv_call_rank {
    uint64_t ordinal;
    uint64_t of;
    uint64_t median_ns;
};

/* `list` is that of the call's method. */
enum tv_code tv_call_rank_of(const struct tv_method_calls *list, struct tv_call_ref ref,
                             struct tv_call_rank *rank, struct tv_error *err) TV_MUST_CHECK;
/* The listed call that has the ordinal; TV_ERR_NOT_FOUND past the last. */
enum tv_code tv_call_by_ordinal(const struct tv_method_calls *list, uint64_t ordinal,
                                struct tv_call_ref *ref, struct tv_error *err) TV_MUST_CHECK;

#endif
