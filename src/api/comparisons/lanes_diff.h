/*
 * The frames and messages of a trace beside those of an older one: how many there are, how many
 * took longer than a budget, and how long they are. The route `lanesdiff`, and
 * `traceview frames --against`. Of one recording a side nothing is claimed to have changed.
 */
#ifndef TV_API_COMPARISONS_LANES_DIFF_H
#define TV_API_COMPARISONS_LANES_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/lanes/lanes.h"
#include "api/api.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "compare/change.h"
#include "index/index.h"

/* The lanes of one trace, the longest items first but for phases, which stay in the order of time.
 */
struct tv_lanes_side {
    struct tv_lanes lanes;
    /* Whether lengths can be judged by the budget: without the wall clock nobody knows how long
     * anything took. */
    bool is_judged;
    uint64_t over[TV_LANE_COUNT]; /* items that took longer than the budget; 0 if !is_judged */
};

struct tv_lanes_diff {
    uint64_t budget_ns;
    struct tv_lanes_side sides[TV_SIDE_COUNT];
};

/* The places of the median, the p95 and the worst of `count` items, sorted with the longest first.
 */
#define TV_LANE_PLACES(count)                                                                      \
    {                                                                                              \
        (count) / 2, (count) / 20, 0                                                               \
    }

void tv_lanes_diff_init(struct tv_lanes_diff *diff, const struct tv_alloc *alloc);
void tv_lanes_diff_release(struct tv_lanes_diff *diff);
/* Finds the lanes of one side, and counts what is over the budget. */
enum tv_code tv_lanes_diff_find(struct tv_lanes_diff *diff, enum tv_side side,
                                const struct tv_index *index, struct tv_error *err) TV_MUST_CHECK;
/* Writes the answer when both sides were found; the new trace is the one that is meant. */
enum tv_code tv_answer_lanes_diff(const struct tv_api *api, size_t old_trace,
                                  const struct tv_lanes_diff *diff, struct tv_buffer *body,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
