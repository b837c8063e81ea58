/*
 * Selections: the part of a trace that a question is about, as a range of time and a set of
 * threads; and what of a row of calls lies in a range. The rules are in docs/numbers.md, "A time
 * range, a set of threads".
 *
 * A range is [from, to) in nanoseconds on the axis clock since the start of the trace. A call
 * overlaps a range when some of its time lies inside; a call of length zero overlaps it when its
 * moment m has from <= m < to. A range that reaches the end of the trace contains the end, so calls
 * of length zero there count.
 *
 * On the other clock, a thread's time at an edge of the range is that of its first record at that
 * very moment, else it is interpolated linearly between the records on either side and rounded
 * down. A call's time in a range is then what its own interval shares with the interval between the
 * edges, on each clock by itself. So the times of adjacent ranges add up to those of their union
 * exactly, for every call, method and node. (Where several records share the moment of an edge, a
 * call that ends there may have CPU time, but no wall time, in the range that begins there. It is
 * not counted as a call of that range.)
 *
 * Any number of threads may use these functions at once.
 */
#ifndef TV_ANALYSIS_SELECTION_RANGE_H
#define TV_ANALYSIS_SELECTION_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "index/index.h"

struct tv_thread_range;
struct tv_call_set;

/* What a question is about. A selection of zeros is the whole trace with all its threads. */
struct tv_selection {
    bool has_range;   /* false: all time, whatever from_ns and to_ns say */
    uint64_t from_ns; /* axis clock, since the start of the trace */
    uint64_t to_ns;
    const uint32_t *threads; /* ordinals, ascending, each once; borrowed. NULL: all threads */
    uint32_t thread_count;
    /* The edges of the range on both clocks for the one selected thread, where they are known
     * better than by interpolation: the times of a call. Borrowed; NULL: they are not. */
    const struct tv_thread_range *edges;
    /* Only these calls and what they made (analysis/selection/call_set.h). Borrowed; NULL: all. */
    const struct tv_call_set *set;
};

/* A range as one thread sees it: its edges on each clock, since the zero of that clock. */
struct tv_thread_range {
    uint64_t from_ns[TV_CLOCK_COUNT];
    uint64_t to_ns[TV_CLOCK_COUNT]; /* UINT64_MAX where the range reaches the end of the trace */
    uint64_t from;                  /* units, axis clock: the first moment inside */
    uint64_t to;  /* units, axis clock: the first moment after it; UINT64_MAX: the range reaches the
                     end */
    bool is_call; /* the range is that of a call: what had ended on the other clock before it is
                     outside, also at the same moment of the axis */
    uint32_t call_row; /* the row of that call, of which nothing else is inside */
    uint64_t call;
};

/* The calls of one row that a range meets, as ordinals over the whole trace. At most the two at its
 * ends are cut by the edges of the range, since calls of a row do not overlap. */
struct tv_slice {
    uint64_t first; /* [first, end): calls that start inside */
    uint64_t end;
    uint64_t spanning;      /* the call that starts before the range and does not end before it; or
                               UINT64_MAX */
    bool spanning_overlaps; /* false: it ends at the very start of the range */
    bool last_is_cut;       /* the last of [first, end) ends at or after the end of the range */
};

uint32_t tv_selection_thread_count(const struct tv_selection *selection,
                                   const struct tv_index *index);
/* The ordinal of the i-th selected thread; i is below tv_selection_thread_count. */
uint32_t tv_selection_thread(const struct tv_selection *selection, uint32_t i);

/* Length of the time axis in nanoseconds. */
uint64_t tv_axis_len_ns(const struct tv_index *index);

/* The thread's time on `clock` at the axis time `time_ns`, in nanoseconds; see above. 0 for a
 * thread without calls. Costs rows times the logarithm of calls. */
uint64_t tv_thread_time_at(const struct tv_index *index, uint32_t thread_ix, enum tv_clock clock,
                           uint64_t time_ns);

/* The selection's range, or all time, on the clocks of a thread. */
struct tv_thread_range tv_thread_range_of(const struct tv_index *index, uint32_t thread_ix,
                                          const struct tv_selection *selection);

/* The calls of a row that the range of its thread meets. Costs the logarithm of calls. */
struct tv_slice tv_slice_of(const struct tv_index *index, uint32_t thread_ix, uint32_t row_ix,
                            const struct tv_thread_range *range);

/* The first call of the slice that the range overlaps; those up to its end do, too. */
TV_INLINE uint64_t tv_slice_overlap_first(const struct tv_slice *slice)
{
    return slice->spanning_overlaps ? slice->spanning : slice->first;
}

/* The stretch of a call on both clocks, for the selection of its thread. */
struct tv_thread_range tv_call_range(const struct tv_index *index, uint32_t thread_ix,
                                     uint64_t call);

/* The time of a call on `clock` inside the range, in nanoseconds. The trace must have the clock. */
uint64_t tv_call_inside_ns(const struct tv_index *index, const struct tv_index_thread *thread,
                           enum tv_clock clock, uint64_t call, const struct tv_thread_range *range);

/* How much of a thread's wall time in the selection is after the thread's last record, in calls
 * that are open at the end and of the selection's set, ns: nothing tells there whether the thread
 * worked or waited (docs/numbers.md, "Numbers of single calls"). 0 where the axis is not wall time.
 */
uint64_t tv_thread_unrecorded_ns(const struct tv_index *index, uint32_t thread_ix,
                                 const struct tv_selection *selection);
/* The sum of tv_thread_unrecorded_ns over all selected threads: this part of their wall time less
 * CPU time may not be waits. */
uint64_t tv_unrecorded_ns(const struct tv_index *index, const struct tv_selection *selection);
/* The node of the thread's open call at a depth below thread->open_depth. */
uint32_t tv_open_node(const struct tv_index *index, const struct tv_index_thread *thread,
                      uint32_t depth);
/* Whether an answer for people mentions the unrecorded time: from a hundredth of the waits on. */
TV_INLINE bool tv_unrecorded_is_told(uint64_t unrecorded_ns, uint64_t wait_ns)
{
    return unrecorded_ns && unrecorded_ns >= wait_ns / 100;
}

/* floor(a * b / c) without overflow; c > 0 and the result fits. */
uint64_t tv_mul_div(uint64_t a, uint64_t b, uint64_t c);

#endif
