/*
 * Lanes of an Android app's main thread: the messages that its looper dispatched, its frames with
 * what measuring, laying out and drawing took of them, and the phases of its start-up. Which
 * methods these are is one table (analysis/lanes/lane_rules.h).
 *
 * The nodes of the main thread say in which rows such calls are, and one pass over those rows finds
 * them: the cost grows with the calls of these rows, and a trace without such methods costs a look
 * at its methods. A trace of several processes has a main thread in each.
 */
#ifndef TV_ANALYSIS_LANES_LANES_H
#define TV_ANALYSIS_LANES_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/call.h"
#include "analysis/lanes/lane_rules.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "index/index.h"

/* What a frame may take at 60 Hz. */
#define TV_FRAME_BUDGET_NS UINT64_C(16666667)

struct tv_lane_item {
    struct tv_call_ref call;
    uint64_t start_ns; /* on the axis */
    uint64_t len_ns;
    uint32_t method;                  /* MESSAGE: the method dispatched to; else that of the call */
    const char *label;                /* PHASE; else NULL */
    uint64_t part_ns[TV_FRAME_PARTS]; /* FRAME: wall time (or what the axis has) of its parts */
};

/* The items of one lane by thread and start; those of one thread do not overlap, but for phases,
 * which may lie within each other. */
struct tv_lane_items {
    struct tv_lane_item *of;
    size_t count;
    size_t cap;
    uint64_t left_out; /* items that were too short to be kept */
};

struct tv_lanes {
    const struct tv_alloc *alloc;
    struct tv_lane_items lanes[TV_LANE_COUNT];
};

void tv_lanes_init(struct tv_lanes *lanes, const struct tv_alloc *alloc);
void tv_lanes_release(struct tv_lanes *lanes);
/* Finds the items of all lanes, and of each lane keeps the `most` longest. */
enum tv_code tv_lanes_find(struct tv_lanes *lanes, const struct tv_index *index, size_t most,
                           struct tv_error *err) TV_MUST_CHECK;
/* Sorts the items of a lane by length, the longest first; among equals the earliest. */
enum tv_code tv_lanes_sort_longest(struct tv_lanes *lanes, enum tv_lane lane,
                                   struct tv_error *err) TV_MUST_CHECK;
/* What is left of a frame beside its parts. */
uint64_t tv_frame_rest_ns(const struct tv_lane_item *frame);
/* How long the first start-up of a thread took, from the first of its phases that is there to the
 * end of the first frame; 0: no phase was followed by a frame. Call it before tv_lanes_sort_longest
 * sorts the phases. */
uint64_t tv_lanes_startup_ns(const struct tv_lanes *lanes);

#endif
