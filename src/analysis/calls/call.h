/*
 * One call: its numbers, and its neighbours in the tree and along the trace.
 *
 * The index keeps no order among records of one moment. Where calls of length zero, or calls that
 * touch, leave open which of two calls made a third, the earliest that contains it on every clock
 * and has its caller's node is taken.
 *
 * Any number of threads at once.
 */
#ifndef TV_ANALYSIS_CALLS_CALL_H
#define TV_ANALYSIS_CALLS_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "index/index.h"

/* A call by where it stands. `call` is its ordinal over the whole trace; UINT64_MAX for no call. */
struct tv_call_ref {
    uint32_t thread_ix;
    uint32_t depth; /* 0 for a root */
    uint64_t call;
};

#define TV_NO_CALL ((struct tv_call_ref){TV_NONE, TV_NONE, UINT64_MAX})

TV_INLINE bool tv_call_is(struct tv_call_ref ref)
{
    return ref.call != UINT64_MAX;
}

/* From the ordinal of a call within its row; TV_NO_CALL when there is none. */
struct tv_call_ref tv_call_at(const struct tv_index *index, uint32_t thread_ix, uint32_t depth,
                              uint64_t ordinal_in_row);
/* The other way round. */
uint64_t tv_call_ordinal_in_row(const struct tv_index *index, struct tv_call_ref ref);
uint32_t tv_call_method(const struct tv_index *index, struct tv_call_ref ref);

/* Time without that of the calls it made, units. Cost: the calls it made, unless it is the only one
 * of its node. */
void tv_call_exclusive(const struct tv_index *index, struct tv_call_ref ref,
                       uint64_t exclusive[TV_CLOCK_COUNT]);
/* The same for calls of one row in their order, quicker: *first_callee is a place in the row below,
 * kept from one to the next, and 0 at first. */
void tv_call_exclusive_next(const struct tv_index *index, struct tv_call_ref ref,
                            uint64_t *first_callee, uint64_t exclusive[TV_CLOCK_COUNT]);
/* Whether at least half of its exclusive wall time, and 100 us, are not CPU; false without both
 * clocks. */
bool tv_call_is_waiting(const struct tv_index *index, struct tv_call_ref ref);
bool tv_call_is_open_at_end(const struct tv_index *index, struct tv_call_ref ref);
/* It began before the trace did: an exit without an enter made it. */
bool tv_call_is_adopted(const struct tv_index *index, struct tv_call_ref ref);

/* Whether `caller` may have made `callee`, of the row below: its node, and time on every clock, say
 * so. */
bool tv_call_contains(const struct tv_index *index, struct tv_call_ref caller,
                      struct tv_call_ref callee);
struct tv_call_ref tv_call_caller(const struct tv_index *index, struct tv_call_ref ref);
/* The first call that it made. */
struct tv_call_ref tv_call_first_callee(const struct tv_index *index, struct tv_call_ref ref);

enum tv_direction { TV_FORWARD, TV_BACKWARD };

/* The next call of the same caller. */
struct tv_call_ref tv_call_sibling(const struct tv_index *index, struct tv_call_ref ref,
                                   enum tv_direction direction);
/* The next call of the thread by start, then depth, then place in its row. */
struct tv_call_ref tv_call_in_thread(const struct tv_index *index, struct tv_call_ref ref,
                                     enum tv_direction direction);
/*
 * The next call of the same method by start on the axis, then thread, depth and place in its row.
 * Rows without a node of the method are skipped; of the others only what lies between is looked at.
 */
enum tv_code tv_call_of_method(const struct tv_index *index, const struct tv_alloc *alloc,
                               struct tv_call_ref ref, enum tv_direction direction,
                               struct tv_call_ref *found, struct tv_error *err) TV_MUST_CHECK;
/* The innermost call of a thread at axis time `time` in units; a call of length zero only when
 * nothing else is there. */
struct tv_call_ref tv_call_innermost(const struct tv_index *index, uint32_t thread_ix,
                                     uint64_t time);

#endif
