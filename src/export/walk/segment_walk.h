/*
 * The segments of a thread in the order of time, from its first call to its last: stretches in
 * which one call that is shown is innermost, or none is. What formats of samples write. Where
 * stacks with a match are written (--match), what callers of matches did besides is in no segment
 * with a node.
 *
 * Neighbouring segments of one node are one segment, and segments that have no length on either
 * clock are left out. So the lengths of the segments of a node are its exclusive time.
 */
#ifndef TV_EXPORT_WALK_SEGMENT_WALK_H
#define TV_EXPORT_WALK_SEGMENT_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "export/walk/call_walk.h"
#include "export/walk/longest_calls.h"

struct tv_shown_segment {
    uint32_t node; /* of the index; TV_NONE: no call is shown, or nothing of the part passes */
    uint64_t from_ns[TV_CLOCK_COUNT];
    uint64_t to_ns[TV_CLOCK_COUNT];
};

struct tv_segment_walk {
    struct tv_call_walk calls;
    struct tv_longest_calls *longest; /* takes the calls that are left on the way; may be NULL */
    struct tv_shown_segment
        last; /* the last segment that is known, which the next one may lengthen */
    bool has_last;
    bool has_begun;
    uint32_t node;                    /* whose own time passes now */
    uint64_t from_ns[TV_CLOCK_COUNT]; /* since then */
};

void tv_segment_walk_init(struct tv_segment_walk *walk, const struct tv_alloc *alloc);
void tv_segment_walk_release(struct tv_segment_walk *walk);
/* Begins a walk over a thread; a walk may be begun again for the next one. */
enum tv_code tv_segment_walk_begin(struct tv_segment_walk *walk,
                                   const struct tv_export_context *context, uint32_t thread_ix,
                                   struct tv_error *err) TV_MUST_CHECK;
/* The next segment. Returns false behind the last one: then the segment is empty, and stands
 * where that ended. */
bool tv_segment_walk_next(struct tv_segment_walk *walk, struct tv_shown_segment *segment);

#endif
