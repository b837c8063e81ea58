/*
 * One call: its numbers, its flags, and its neighbours in the call tree and along the trace.
 *
 * An index keeps no order among records of the same moment. Where calls of length zero, or calls
 * that touch, leave open which of two calls made a third, the earliest call that contains it on
 * every clock and has its caller's node is taken (docs/numbers.md, "Numbers of single calls").
 *
 * Any number of threads may use these functions at once.
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

/* A call, named by where it is stored. The thread and the depth could be found from the ordinal,
 * but whoever has a call knows them. */
struct tv_call_ref {
    uint32_t thread_ix;
    uint32_t depth; /* 0 for a root */
    uint64_t call;  /* ordinal over the whole trace; UINT64_MAX: no call */
};

#define TV_NO_CALL ((struct tv_call_ref){TV_NONE, TV_NONE, UINT64_MAX})

/* Whether there is a call: false for TV_NO_CALL. */
TV_INLINE bool tv_call_is(struct tv_call_ref ref)
{
    return ref.call != UINT64_MAX;
}

/* The call with an ordinal within its row; TV_NO_CALL when there is none. */
struct tv_call_ref tv_call_at(const struct tv_index *index, uint32_t thread_ix, uint32_t depth,
                              uint64_t ordinal_in_row);
/* The ordinal of a call within its row. */
uint64_t tv_call_ordinal_in_row(const struct tv_index *index, struct tv_call_ref ref);
uint32_t tv_call_method(const struct tv_index *index, struct tv_call_ref ref);

/* How long the call lasted on each clock, ns; 0 on a clock that the trace does not have. */
void tv_call_durations(const struct tv_index *index, struct tv_call_ref ref,
                       uint64_t durations_ns[TV_CLOCK_COUNT]);
/* The exclusive time of a call, units: its duration less that of the calls it made. Costs the calls
 * it made, unless it is the only call of its node. */
void tv_call_exclusive(const struct tv_index *index, struct tv_call_ref ref,
                       uint64_t exclusive[TV_CLOCK_COUNT]);
/* The exclusive time of calls of one row, asked for in their order, which costs less: *first_callee
 * remembers where callees were found in the row below, from one call to the next. It is 0 at first.
 */
void tv_call_exclusive_next(const struct tv_index *index, struct tv_call_ref ref,
                            uint64_t *first_callee, uint64_t exclusive[TV_CLOCK_COUNT]);
/* How long the call lasted after its thread's last record, units of wall time: it is open at the
 * end, and no CPU time is recorded there. 0 where the axis is not wall time. */
uint64_t tv_call_unrecorded(const struct tv_index *index, struct tv_call_ref ref);
/* tv_call_exclusive without that stretch, of which the innermost open call has the wall time;
 * returns its length. */
uint64_t tv_call_exclusive_recorded(const struct tv_index *index, struct tv_call_ref ref,
                                    uint64_t exclusive[TV_CLOCK_COUNT]);
/* Whether the call waits: its exclusive wall time exceeds its exclusive CPU time by at least half
 * of the wall time, and 100 us; what is not recorded counts for neither. False where the CPU clock,
 * or the wall clock, is missing or never moves. */
bool tv_call_is_waiting(const struct tv_index *index, struct tv_call_ref ref);
/* Whether no record closed the call. */
bool tv_call_is_open_at_end(const struct tv_index *index, struct tv_call_ref ref);
/* Whether the call began before the trace did: an exit without an enter made it (an
 * adopting call). */
bool tv_call_is_adopted(const struct tv_index *index, struct tv_call_ref ref);

/* Whether it is one of both: its length is then the least that it took. */
bool tv_call_is_cut(const struct tv_index *index, struct tv_call_ref ref);

/* Whether `caller` may have made `callee`, which is of the row below: by its node, and its time on
 * every clock. */
bool tv_call_contains(const struct tv_index *index, struct tv_call_ref caller,
                      struct tv_call_ref callee);
/* The call that made this one; TV_NO_CALL for a root call. */
struct tv_call_ref tv_call_caller(const struct tv_index *index, struct tv_call_ref ref);
/* The caller of a call, for questions about very many calls: looks at `most` calls of the row above
 * at the most, though more of them may be of one moment. */
struct tv_call_ref tv_call_caller_among(const struct tv_index *index, struct tv_call_ref ref,
                                        uint64_t most);
/* The first call that this one made, or TV_NO_CALL. */
struct tv_call_ref tv_call_first_callee(const struct tv_index *index, struct tv_call_ref ref);

enum tv_direction { TV_FORWARD, TV_BACKWARD };

/* The next call, or the one before, of the same caller. */
struct tv_call_ref tv_call_sibling(const struct tv_index *index, struct tv_call_ref ref,
                                   enum tv_direction direction);
/* The next call, or the one before, of the thread: by start, then depth, then ordinal
 * in its row. */
struct tv_call_ref tv_call_in_thread(const struct tv_index *index, struct tv_call_ref ref,
                                     enum tv_direction direction);
/* The next call, or the one before, of the same method in the trace: by start on the axis, then
 * thread, depth and ordinal in its row. Rows without a node of the method are skipped; in the
 * others only the calls between the two are looked at. */
enum tv_code tv_call_of_method(const struct tv_index *index, const struct tv_alloc *alloc,
                               struct tv_call_ref ref, enum tv_direction direction,
                               struct tv_call_ref *found, struct tv_error *err) TV_MUST_CHECK;
/* The innermost call of a thread at axis time `time`, units. A call of length zero counts only when
 * there is no other. */
struct tv_call_ref tv_call_innermost(const struct tv_index *index, uint32_t thread_ix,
                                     uint64_t time);

#endif
