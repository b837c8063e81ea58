/*
 * Calls as enters and exits; see export/walk/call_walk.h.
 *
 * Along each row calls are sorted by start, and the calls that a call made are neighbours in the
 * row below. So each row has one cursor, and the walk goes down as long as the next call of the row
 * below was made by the call that is open.
 */
#include "export/walk/call_walk.h"

#include "analysis/calls/call.h"
#include "analysis/selection/call_set.h"
#include "base/error.h"

struct tv_call_walk_row {
    uint64_t next;     /* the call to be opened next in this row */
    uint64_t end;      /* behind the last one */
    uint64_t open;     /* the call that is open, where the walk is deeper than this row */
    uint64_t open_end; /* when it ends on the axis clock, units; 0 where the trace has no times */
    /* A call that only touches the beginning of the range, and is no call of it. It is walked
     * through because a call of length zero at that moment may have been made by it. */
    uint64_t before;
    uint64_t adopted;  /* the call that began before the trace; UINT64_MAX: none in this row */
    uint64_t unclosed; /* the call that no record closed */
    /* Of the open call, if it is shown: its times, cut to the range. */
    uint64_t start_ns[TV_CLOCK_COUNT];
    uint64_t end_ns[TV_CLOCK_COUNT];
    bool is_cut;
    uint32_t caller_depth; /* of the open call's nearest caller that is shown; TV_NONE: none */
    uint32_t level;        /* of the open call, if it is shown */
    bool is_open_shown;
    bool is_open_matched;                /* it is at or below a match */
    uint64_t callees_ns[TV_CLOCK_COUNT]; /* of calls shown directly inside the open one */
    uint64_t kept_ns[TV_CLOCK_COUNT]; /* of a caller of matches: what of its time is of the part */
};

void tv_call_walk_init(struct tv_call_walk *walk, const struct tv_alloc *alloc)
{
    *walk = (struct tv_call_walk){.alloc = alloc};
}

void tv_call_walk_release(struct tv_call_walk *walk)
{
    tv_alloc_release(walk->alloc, &walk->rows, walk->row_count, sizeof(*walk->rows));
    walk->row_count = 0;
}

/* Marks the three calls of a row that may be special: the first one if an exit without an enter
 * made it, the last one if nothing closed it, and the one that began before the range. Without a
 * range the whole row is walked. */
static void begin_row(struct tv_call_walk *walk, uint32_t depth)
{
    struct tv_call_walk_row *row = &walk->rows[depth];
    uint32_t row_ix = walk->index->threads[walk->thread_ix].row_first + depth;
    const struct tv_index_row *of_index = &walk->index->rows[row_ix];
    row->next = of_index->call_first;
    row->end = of_index->call_first + of_index->call_count;
    row->before = row->adopted = row->unclosed = UINT64_MAX;
    if (depth < walk->index->threads[walk->thread_ix].adopted_depth)
        row->adopted = of_index->call_first;
    if (depth < walk->index->threads[walk->thread_ix].open_depth)
        row->unclosed = of_index->call_first + of_index->call_count - 1;
    if (!walk->has_range)
        return;
    struct tv_slice slice = tv_slice_of(walk->index, walk->thread_ix, row_ix, &walk->range);
    row->next = slice.spanning != UINT64_MAX ? slice.spanning : slice.first;
    row->end = slice.end > row->next ? slice.end : row->next;
    if (slice.spanning != UINT64_MAX && row->end == row->next)
        row->end = row->next + 1;
    if (slice.spanning != UINT64_MAX && !slice.spanning_overlaps)
        row->before = slice.spanning;
}

/* A walk is used for one thread after another, so what an earlier thread left is released first. */
enum tv_code tv_call_walk_begin(struct tv_call_walk *walk, const struct tv_export_context *context,
                                uint32_t thread_ix, struct tv_error *err)
{
    const struct tv_index *index = context->index;
    uint32_t depth_count = index->threads[thread_ix].max_depth;
    tv_call_walk_release(walk);
    TV_TRY(tv_alloc_new(walk->alloc, &walk->rows, depth_count, sizeof(*walk->rows), err));
    walk->row_count = depth_count;
    walk->index = index;
    walk->marks = context->marks;
    walk->set = context->opts->scope.selection.set;
    walk->thread_ix = thread_ix;
    walk->tells_hidden = false;
    walk->has_range = context->opts->scope.selection.has_range;
    walk->range = tv_thread_range_of(index, thread_ix, &context->opts->scope.selection);
    walk->open_count = 0;
    walk->shown_depth = TV_NONE;
    for (uint32_t depth = 0; depth < depth_count; depth++)
        begin_row(walk, depth);
    return TV_OK;
}

/* Whether the innermost open call made `callee`, the next one in the row below it. A callee that
 * starts before the open call ends can have no other caller, since calls of a row do not overlap;
 * where the two touch, nodes and the other clock decide. */
static bool is_callee(const struct tv_call_walk *walk, uint64_t callee)
{
    const struct tv_index *index = walk->index;
    const struct tv_call_walk_row *row = &walk->rows[walk->open_count - 1];
    if (row->open_end && tv_index_start(index, &index->threads[walk->thread_ix],
                                        tv_index_axis(index), callee) < row->open_end)
        return true;
    return tv_call_contains(index,
                            (struct tv_call_ref){walk->thread_ix, walk->open_count - 1, row->open},
                            (struct tv_call_ref){walk->thread_ix, walk->open_count, callee});
}

/* Moves a time into the range of its clock. Returns whether it was outside. */
static bool cut_time(const struct tv_call_walk *walk, unsigned clock, uint64_t *time_ns)
{
    uint64_t from_ns = walk->range.from_ns[clock], to_ns = walk->range.to_ns[clock];
    uint64_t inside_ns = *time_ns < from_ns ? from_ns : *time_ns > to_ns ? to_ns : *time_ns;
    bool is_outside = inside_ns != *time_ns;
    *time_ns = inside_ns;
    return is_outside;
}

/* Finds the times of the call that was just opened, once for its enter and its exit. */
static void find_times(const struct tv_call_walk *walk, struct tv_call_walk_row *row)
{
    const struct tv_index *index = walk->index;
    const struct tv_index_thread *thread = &index->threads[walk->thread_ix];
    const uint64_t unit_ns = index->info->unit_ns;
    row->is_cut = false;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        row->start_ns[clock] = row->end_ns[clock] = 0;
        if (!index->info->has_clock[clock])
            continue;
        uint64_t start = tv_index_start(index, thread, (enum tv_clock)clock, row->open);
        uint64_t duration = tv_index_duration(index, thread, (enum tv_clock)clock, row->open);
        row->start_ns[clock] = start * unit_ns;
        row->end_ns[clock] = (start + duration) * unit_ns;
        if (!walk->has_range)
            continue;
        bool is_start_cut = cut_time(walk, clock, &row->start_ns[clock]);
        bool is_end_cut = cut_time(walk, clock, &row->end_ns[clock]);
        row->is_cut = row->is_cut || is_start_cut || is_end_cut;
    }
}

/* Fills what is true of the open call at a depth, whether it is entered or left. */
static void take_call(const struct tv_call_walk *walk, uint32_t depth, struct tv_call_event *event)
{
    const struct tv_index *index = walk->index;
    const struct tv_call_walk_row *row = &walk->rows[depth];
    event->call = row->open;
    event->caller = row->caller_depth == TV_NONE ? UINT64_MAX : walk->rows[row->caller_depth].open;
    event->level = row->level;
    event->node = index->call_node[row->open];
    event->method = index->node_method[event->node];
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        event->start_ns[clock] = row->start_ns[clock];
        event->end_ns[clock] = row->end_ns[clock];
    }
    event->is_adopted = row->open == row->adopted;
    event->is_open_at_end = row->open == row->unclosed;
    event->is_cut = row->is_cut;
}

static bool has_mark(const struct tv_call_walk *walk, uint64_t call, uint8_t mark)
{
    return !walk->marks || walk->marks[walk->index->call_node[call]] & mark;
}

/* Whether the open call at a depth gives its time to a shown caller that has none by itself, though
 * it is hidden: it is the outermost match in it. */
static bool gives_hidden_time(const struct tv_call_walk *walk, uint32_t depth)
{
    const struct tv_call_walk_row *row = &walk->rows[depth];
    return !row->is_open_shown && row->is_open_matched && row->caller_depth != TV_NONE &&
           !walk->rows[depth - 1].is_open_matched && row->open != row->before;
}

/* Opens the next call of the row below. Returns whether the call gets an event. */
static bool open_call(struct tv_call_walk *walk)
{
    uint32_t depth = walk->open_count++;
    struct tv_call_walk_row *row = &walk->rows[depth];
    const struct tv_index_thread *thread = &walk->index->threads[walk->thread_ix];
    enum tv_clock axis = tv_index_axis(walk->index);
    row->open = row->next++;
    row->open_end = 0;
    if (walk->index->info->has_clock[axis])
        row->open_end = tv_index_start(walk->index, thread, axis, row->open) +
                        tv_index_duration(walk->index, thread, axis, row->open);
    row->is_open_matched = has_mark(walk, row->open, TV_MARK_MATCHED);
    row->is_open_shown = row->open != row->before && has_mark(walk, row->open, TV_MARK_SHOWN) &&
                         tv_call_set_has(walk->set, walk->index->call_node[row->open], row->open);
    row->caller_depth = walk->shown_depth;
    row->level = walk->shown_depth == TV_NONE ? 0 : walk->rows[walk->shown_depth].level + 1;
    if (!row->is_open_shown) {
        if (!gives_hidden_time(walk, depth))
            return false;
        find_times(walk, row);
        return walk->tells_hidden;
    }
    walk->shown_depth = depth;
    find_times(walk, row);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        row->callees_ns[clock] = row->kept_ns[clock] = 0;
    return true;
}

/* Closes a hidden call. Returns whether the call gets an event. */
static bool close_hidden(struct tv_call_walk *walk, uint32_t depth, struct tv_call_event *event)
{
    const struct tv_call_walk_row *row = &walk->rows[depth];
    if (!gives_hidden_time(walk, depth))
        return false;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        walk->rows[row->caller_depth].kept_ns[clock] += row->end_ns[clock] - row->start_ns[clock];
    event->kind = TV_CALL_HIDDEN_EXIT;
    take_call(walk, depth, event);
    return walk->tells_hidden;
}

/* Closes the innermost open call. Returns whether the call gets an event, which is filled then. A
 * caller of matches keeps the time of hidden ones, and of what is shown in it. */
static bool close_call(struct tv_call_walk *walk, struct tv_call_event *event)
{
    uint32_t depth = --walk->open_count;
    const struct tv_call_walk_row *row = &walk->rows[depth];
    if (!row->is_open_shown)
        return close_hidden(walk, depth, event);
    walk->shown_depth = row->caller_depth;
    event->kind = TV_CALL_EXIT;
    take_call(walk, depth, event);
    const bool is_in_match = depth && walk->rows[depth - 1].is_open_matched;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        const uint64_t inclusive_ns = event->end_ns[clock] - event->start_ns[clock];
        const uint64_t kept_ns = row->is_open_matched ? inclusive_ns : row->kept_ns[clock];
        event->exclusive_ns[clock] = kept_ns - row->callees_ns[clock];
        if (row->caller_depth == TV_NONE)
            continue;
        walk->rows[row->caller_depth].callees_ns[clock] += inclusive_ns;
        walk->rows[row->caller_depth].kept_ns[clock] += is_in_match ? 0 : inclusive_ns;
    }
    return true;
}

uint32_t tv_call_walk_own_node(const struct tv_call_walk *walk)
{
    if (walk->shown_depth == TV_NONE || !walk->rows[walk->open_count - 1].is_open_matched)
        return TV_NONE;
    return walk->index->call_node[walk->rows[walk->shown_depth].open];
}

/* Goes down to the next callee where there is one, else up. The loop goes on until a call is
 * entered or left of which an event is told: most hidden calls have none. */
void tv_call_walk_next(struct tv_call_walk *walk, struct tv_call_event *event)
{
    for (;;) {
        const struct tv_call_walk_row *below = &walk->rows[walk->open_count];
        if (walk->open_count < walk->row_count && below->next < below->end &&
            (!walk->open_count || is_callee(walk, below->next))) {
            if (!open_call(walk))
                continue;
            const bool is_shown = walk->rows[walk->open_count - 1].is_open_shown;
            event->kind = is_shown ? TV_CALL_ENTER : TV_CALL_HIDDEN_ENTER;
            take_call(walk, walk->open_count - 1, event);
            return;
        }
        if (!walk->open_count) {
            event->kind = TV_CALL_END;
            return;
        }
        if (close_call(walk, event))
            return;
    }
}
