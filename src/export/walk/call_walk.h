/*
 * The calls of a thread as enters and exits in the order of time, each call inside its caller: what
 * formats write that hold single calls.
 *
 * Only calls that are shown are met (export/export_context.h): a call whose caller is hidden stands
 * in the nearest caller that is shown. Where stacks with a match are written (--match), the callers
 * of matching calls are written whole, and of their time only that is their own which hidden
 * matching calls gave them. In a range, calls are cut at its edges. Which of two calls made a third
 * is decided as in analysis/calls/call.h.
 *
 * A walk is used by one thread. It needs memory for the rows of the thread, none for its calls.
 */
#ifndef TV_EXPORT_WALK_CALL_WALK_H
#define TV_EXPORT_WALK_CALL_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/selection/range.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "export/export_context.h"
#include "index/index.h"

enum tv_call_event_kind {
    TV_CALL_ENTER,
    TV_CALL_EXIT,
    /* Of hidden calls that give their time to a caller which has no own time otherwise; only for a
     * walk that tells_hidden. The event has their times and nothing else. */
    TV_CALL_HIDDEN_ENTER,
    TV_CALL_HIDDEN_EXIT,
    TV_CALL_END
};

/* An enter or an exit. Times are nanoseconds since the zero of their clock, cut to the range; 0 on
 * a clock that the trace lacks. */
struct tv_call_event {
    enum tv_call_event_kind kind; /* TV_CALL_END: there are no more, and nothing else is set */
    uint32_t level;               /* calls that are shown around it: 0 for a root */
    uint64_t call;                /* ordinal over the whole trace */
    uint64_t caller;              /* of the call around it; UINT64_MAX for a root */
    uint32_t node;                /* of the index */
    uint32_t method;              /* ordinal */
    uint64_t start_ns[TV_CLOCK_COUNT];
    uint64_t end_ns[TV_CLOCK_COUNT];
    uint64_t
        exclusive_ns[TV_CLOCK_COUNT]; /* of an exit: of the part, outside of calls shown in it */
    bool is_adopted;                  /* it began before the trace did, and not at start_ns */
    bool is_open_at_end;              /* no record closed it, so it did not end at end_ns */
    bool is_cut;                      /* the range cuts it, so it began earlier or ended later */
};

struct tv_call_walk_row;

struct tv_call_walk {
    const struct tv_alloc *alloc;
    const struct tv_index *index;
    const uint8_t *marks;          /* TV_MARK_..., one per node; NULL: all */
    const struct tv_call_set *set; /* of the selection; NULL: all calls */
    uint32_t thread_ix;
    struct tv_thread_range range;
    bool has_range;
    bool tells_hidden;             /* set by the caller after tv_call_walk_begin */
    struct tv_call_walk_row *rows; /* one per depth of the thread */
    size_t row_count;
    uint32_t open_count;  /* calls that are open, shown or not: the next one is of this depth */
    uint32_t shown_depth; /* of the innermost open call that is shown; TV_NONE: none */
};

void tv_call_walk_init(struct tv_call_walk *walk, const struct tv_alloc *alloc);
void tv_call_walk_release(struct tv_call_walk *walk);
/* Begins a walk over a thread; a walk may be begun again for the next one. */
enum tv_code tv_call_walk_begin(struct tv_call_walk *walk, const struct tv_export_context *context,
                                uint32_t thread_ix, struct tv_error *err) TV_MUST_CHECK;
/* The next enter or exit. */
void tv_call_walk_next(struct tv_call_walk *walk, struct tv_call_event *event);
/* The node, of the index, whose own time passes behind an event; TV_NONE: nothing of the part. */
uint32_t tv_call_walk_own_node(const struct tv_call_walk *walk);

#endif
