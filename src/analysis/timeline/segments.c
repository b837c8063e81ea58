/*
 * Derives segments from rows; see analysis/timeline/segments.h.
 *
 * The walker is a stack of open calls, like the one that turned records into calls, but it reads
 * the finished rows: each step either enters the next call of the row below the innermost call, or
 * leaves the innermost call. A step in which time passes ends a segment.
 */
#include "analysis/timeline/segments.h"

#include "base/alloc.h"
#include "base/error.h"

void tv_walker_init(struct tv_walker *walker, const struct tv_alloc *alloc)
{
    *walker = (struct tv_walker){.alloc = alloc};
}

void tv_walker_release(struct tv_walker *walker)
{
    tv_alloc_release(walker->alloc, &walker->rows, walker->row_count, sizeof(*walker->rows));
    tv_walker_init(walker, walker->alloc);
}

enum tv_code tv_walker_open(struct tv_walker *walker, const struct tv_index *index,
                            uint32_t thread_ix, struct tv_error *err)
{
    tv_walker_release(walker);
    uint32_t row_count = index->threads[thread_ix].max_depth;
    TV_TRY(tv_alloc_new(walker->alloc, &walker->rows, row_count, sizeof(*walker->rows), err));
    walker->index = index;
    walker->thread_ix = thread_ix;
    walker->row_count = row_count;
    return TV_OK;
}

static uint32_t row_ix_of(const struct tv_walker *walker, uint32_t depth)
{
    return walker->index->threads[walker->thread_ix].row_first + depth;
}

/* Start and end of a call: units, axis clock. */
static uint64_t start_of(const struct tv_walker *walker, uint64_t call)
{
    return tv_index_start(walker->index, &walker->index->threads[walker->thread_ix],
                          tv_index_axis(walker->index), call);
}

static uint64_t end_of(const struct tv_walker *walker, uint64_t call)
{
    return start_of(walker, call) + tv_index_duration(walker->index,
                                                      &walker->index->threads[walker->thread_ix],
                                                      tv_index_axis(walker->index), call);
}

/* Only the innermost call is known at first: open_call looks up its callers when
 * the walk comes to them. */
void tv_walker_seek(struct tv_walker *walker, const struct tv_index_segment_group *group)
{
    walker->stamp++;
    walker->start = group->start;
    walker->time = group->start;
    walker->depth = 0;
    if (group->first_depth == TV_NONE)
        return;
    walker->depth = group->first_depth + 1;
    struct tv_walk_row *row = &walker->rows[group->first_depth];
    row->open = group->first_call;
    row->open_stamp = walker->stamp;
}

/* The open call of the row at `depth`, of which `callee` is a callee that ends. Where the walk
 * started inside the callee, the caller was never entered: it is the first call of the row that
 * ends no earlier than the callee. */
static uint64_t open_call(struct tv_walker *walker, uint32_t depth, uint64_t callee)
{
    struct tv_walk_row *row = &walker->rows[depth];
    if (row->open_stamp == walker->stamp)
        return row->open;
    uint64_t end = end_of(walker, callee);
    row->open = walker->index->rows[row_ix_of(walker, depth)].call_first;
    if (end)
        row->open = tv_index_first_ending_after(walker->index, walker->thread_ix,
                                                row_ix_of(walker, depth), end - 1);
    row->open_stamp = walker->stamp;
    return row->open;
}

/* The next call to enter on the row at `depth`; the end of the row when there is none. The first
 * time that the walk asks, it is the first call that ends after the walk's start and not before the
 * walk's time. Only a call of length zero ends at that time: a longer one would have a caller that
 * the walk was in before, and the walk would have asked then. */
static uint64_t next_call(struct tv_walker *walker, uint32_t depth)
{
    struct tv_walk_row *row = &walker->rows[depth];
    if (row->next_stamp != walker->stamp) {
        uint64_t before = walker->time > walker->start ? walker->time - 1 : walker->start;
        row->next = tv_index_first_ending_after(walker->index, walker->thread_ix,
                                                row_ix_of(walker, depth), before);
        row->next_stamp = walker->stamp;
    }
    return row->next;
}

/* A walk can start inside a call, so entering a call must not take time back
 * to the call's start. */
static void enter(struct tv_walker *walker, uint64_t call)
{
    struct tv_walk_row *row = &walker->rows[walker->depth];
    row->open = call;
    row->open_stamp = walker->stamp;
    row->next = call + 1;
    row->next_stamp = walker->stamp;
    walker->depth++;
    if (start_of(walker, call) > walker->time)
        walker->time = start_of(walker, call);
}

/* Finds the caller while the callee is at hand, which is what the caller is found by. */
static void leave(struct tv_walker *walker, uint64_t call)
{
    uint64_t end = end_of(walker, call);
    struct tv_walk_row *row = &walker->rows[walker->depth - 1];
    walker->depth--;
    row->next = call + 1;
    row->next_stamp = walker->stamp;
    if (walker->depth)
        (void)open_call(walker, walker->depth - 1, call);
    if (end > walker->time)
        walker->time = end;
}

/* Whether `next`, of the row below, is a callee of `open`. Where it starts at the moment
 * at which `open` ends, only their nodes can tell a callee of length zero from the first
 * call of the next caller. */
static bool opens_inside(const struct tv_walker *walker, uint64_t open, uint64_t next)
{
    uint64_t start = start_of(walker, next);
    uint64_t end = end_of(walker, open);
    if (start != end)
        return start < end;
    const struct tv_index *index = walker->index;
    return end_of(walker, next) == end &&
           index->node_parent[index->call_node[next]] == index->call_node[open];
}

/* Steps until a segment ends: time passes, or a call of length zero is left. The segment
 * belongs to the call that was innermost before the step. Time that passes at depth 0, between
 * root calls, is skipped. */
bool tv_walker_next(struct tv_walker *walker, struct tv_segment *segment)
{
    for (;;) {
        uint64_t time = walker->time;
        uint64_t row_end = 0;
        uint64_t next = 0;
        bool has_row = walker->depth < walker->row_count;
        if (has_row) {
            const struct tv_index_row *row = &walker->index->rows[row_ix_of(walker, walker->depth)];
            row_end = row->call_first + row->call_count;
            next = next_call(walker, walker->depth);
        }
        bool has_next = has_row && next < row_end;
        if (!walker->depth) {
            if (!has_next)
                return false;
            enter(walker, next);
            continue;
        }
        uint64_t open = walker->rows[walker->depth - 1].open;
        uint32_t depth = walker->depth - 1;
        if (has_next && opens_inside(walker, open, next))
            enter(walker, next);
        else
            leave(walker, open);
        bool is_empty_call =
            walker->depth == depth && end_of(walker, open) == start_of(walker, open);
        if (walker->time > time || is_empty_call) {
            *segment = (struct tv_segment){time, walker->time - time, open, depth};
            return true;
        }
    }
}
