/*
 * How often each method was called: in the whole trace, by one's own code, between two calls, or
 * in each call of a method.
 *
 * Between two methods are the calls that begin after the first call of the one began, that call
 * itself too, and before the first later call of the other began, on the same thread: other
 * threads do as it happens. Per call of a method are the calls inside each of its outermost calls;
 * a method's number is the median of these calls, so that a loop that runs for a time has the same
 * numbers however often it turns. What less than half of the calls make has the number 0.
 */
#ifndef TV_COMPARE_CALL_COUNTS_H
#define TV_COMPARE_CALL_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/call.h"
#include "analysis/profile/profile.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "index/index.h"

/* Ordinals of methods are TV_NONE where nothing is asked for. */
struct tv_call_counts_opts {
    struct tv_str mine; /* packages; only their methods count, and the calls that these make
                           themselves; empty: all do */
    uint32_t from;      /* with `until`: between them */
    uint32_t until;
    uint32_t per; /* per call of this method; not with `from` */
};

struct tv_call_counts {
    const struct tv_alloc *alloc;
    struct tv_method_row *rows; /* one per method of the index; only calls are set */
    uint32_t row_count;
    /* The calls that they are between; TV_NO_CALL: they are not. */
    struct tv_call_ref first;
    struct tv_call_ref until;
};

void tv_call_counts_init(struct tv_call_counts *counts, const struct tv_alloc *alloc);
void tv_call_counts_release(struct tv_call_counts *counts);
/* Counts. TV_ERR_NOT_FOUND: `from` or `per` has no call, or no call of `until` follows. Costs the
 * nodes, or with a method the calls of its threads. */
enum tv_code tv_call_counts_make(struct tv_call_counts *counts, const struct tv_index *index,
                                 const struct tv_call_counts_opts *opts,
                                 struct tv_error *err) TV_MUST_CHECK;

#endif
