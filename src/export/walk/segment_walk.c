/*
 * Segments from enters and exits; see export/walk/segment_walk.h.
 *
 * Between two neighbouring enters or exits of a thread one call is innermost: the one that was
 * entered, or the caller of the one that was left. The walk keeps the last such stretch back and
 * makes it longer while the same node stays innermost; it is given out when another node follows.
 */
#include "export/walk/segment_walk.h"

#include <string.h>

static void forget(struct tv_segment_walk *walk)
{
    walk->has_last = walk->has_begun = false;
    walk->node = TV_NONE;
    memset(walk->from_ns, 0, sizeof(walk->from_ns));
}

void tv_segment_walk_init(struct tv_segment_walk *walk, const struct tv_alloc *alloc)
{
    memset(&walk->last, 0, sizeof(walk->last));
    forget(walk);
    walk->longest = NULL;
    tv_call_walk_init(&walk->calls, alloc);
}

void tv_segment_walk_release(struct tv_segment_walk *walk)
{
    tv_call_walk_release(&walk->calls);
}

enum tv_code tv_segment_walk_begin(struct tv_segment_walk *walk,
                                   const struct tv_export_context *context, uint32_t thread_ix,
                                   struct tv_error *err)
{
    forget(walk);
    TV_TRY(tv_call_walk_begin(&walk->calls, context, thread_ix, err));
    walk->calls.tells_hidden = true;
    return TV_OK;
}

/* Takes what was innermost until now. Returns whether the last segment is over; then it is given.
 */
static bool take_until(struct tv_segment_walk *walk, const uint64_t time_ns[TV_CLOCK_COUNT],
                       struct tv_shown_segment *over)
{
    struct tv_shown_segment *last = &walk->last;
    if (memcmp(walk->from_ns, time_ns, sizeof(walk->from_ns)) == 0)
        return false;
    bool is_over = walk->has_last && last->node != walk->node;
    if (is_over)
        *over = *last;
    if (is_over || !walk->has_last) {
        last->node = walk->node;
        memcpy(last->from_ns, walk->from_ns, sizeof(last->from_ns));
    }
    memcpy(last->to_ns, time_ns, sizeof(last->to_ns));
    walk->has_last = true;
    return is_over;
}

/* When the last segment has been given, the result is false and the segment has no length and no
 * node: it tells the caller the moment at which the thread ends. */
bool tv_segment_walk_next(struct tv_segment_walk *walk, struct tv_shown_segment *segment)
{
    struct tv_call_event event;
    for (tv_call_walk_next(&walk->calls, &event); event.kind != TV_CALL_END;
         tv_call_walk_next(&walk->calls, &event)) {
        const bool is_enter = event.kind == TV_CALL_ENTER || event.kind == TV_CALL_HIDDEN_ENTER;
        const uint64_t *time_ns = is_enter ? event.start_ns : event.end_ns;
        if (walk->longest && event.kind == TV_CALL_EXIT)
            tv_longest_calls_take(walk->longest, &event);
        bool is_over = walk->has_begun && take_until(walk, time_ns, segment);
        walk->has_begun = true;
        walk->node = tv_call_walk_own_node(&walk->calls);
        memcpy(walk->from_ns, time_ns, sizeof(walk->from_ns));
        if (is_over)
            return true;
    }
    *segment = walk->last;
    if (!walk->has_last) {
        segment->node = TV_NONE;
        memcpy(segment->from_ns, walk->from_ns, sizeof(segment->from_ns));
        memcpy(segment->to_ns, walk->from_ns, sizeof(segment->to_ns));
    }
    bool is_last = walk->has_last;
    walk->has_last = false;
    return is_last;
}
