/*
 * Runs of calls; see analysis/calls/call_runs.h, and call_steps.h for the idea.
 *
 * For each depth at which the set has outermost calls, the thread is gone through once, downwards
 * from these calls: the runs of a row are the calls that the runs of the row above made. Runs of a
 * row are in the order of time, so the search for the next run begins where the last one ended.
 * `within` has a bit for each call that was found; an outermost call has none when its turn comes.
 */
#include "analysis/calls/call_runs.h"

#include "analysis/calls/call.h"
#include "analysis/calls/call_steps.h"
#include "base/memory/search.h"

/* One thread while it is gone through. */
struct descent {
    const struct tv_index *index;
    const struct tv_index_thread *thread;
    uint32_t thread_ix;
    uint32_t root_depth;
    enum tv_clock axis;
    const uint64_t *own;
    uint64_t *within;
    struct tv_call_run_list *list;
    struct tv_error *err;
};

/* A row, and where its calls end. */
struct row {
    uint32_t ix;
    uint32_t depth;
    uint64_t first;
    uint64_t end;
};

void tv_call_run_list_init(struct tv_call_run_list *list, const struct tv_alloc *alloc)
{
    *list = (struct tv_call_run_list){.alloc = alloc};
}

void tv_call_run_list_release(struct tv_call_run_list *list)
{
    tv_alloc_release(list->alloc, &list->of, list->cap, sizeof(*list->of));
    tv_call_run_list_init(list, list->alloc);
}

static struct row row_at(const struct descent *descent, uint32_t depth)
{
    const struct tv_index_row *row = &descent->index->rows[descent->thread->row_first + depth];
    return (struct row){descent->thread->row_first + depth, depth, row->call_first,
                        row->call_first + row->call_count};
}

TV_INLINE uint64_t start_of(const struct descent *descent, uint64_t call)
{
    return tv_index_start(descent->index, descent->thread, descent->axis, call);
}

TV_INLINE uint64_t length_of(const struct descent *descent, uint64_t call)
{
    return tv_index_duration(descent->index, descent->thread, descent->axis, call);
}

/* Sets the bits of calls [first, end). */
static void set_bits(uint64_t *bits, uint64_t first, uint64_t end)
{
    for (uint64_t call = first; call < end;) {
        uint64_t len = 64 - call % 64 < end - call ? 64 - call % 64 : end - call;
        uint64_t mask = len == 64 ? UINT64_MAX : (UINT64_C(1) << len) - 1;
        bits[call / 64] |= mask << call % 64;
        call += len;
    }
}

/* Adds calls [first, end) of a row. They lengthen the run that ends where they begin, if it is one
 * of those from `begun` on. */
static enum tv_code add_run(const struct descent *descent, const struct row *row, size_t begun,
                            uint64_t first, uint64_t end)
{
    struct tv_call_run_list *list = descent->list;
    if (first >= end)
        return TV_OK;
    set_bits(descent->within, first, end);
    struct tv_call_run *last = list->count > begun ? &list->of[list->count - 1] : NULL;
    if (last && last->first + last->len == first) {
        last->len += end - first;
        return TV_OK;
    }
    TV_TRY(tv_alloc_grow(list->alloc, &list->of, &list->cap, list->count + 1, sizeof(*list->of),
                         descent->err));
    list->of[list->count++] = (struct tv_call_run){.first = first,
                                                   .len = end - first,
                                                   .thread_ix = descent->thread_ix,
                                                   .depth = row->depth,
                                                   .root_depth = descent->root_depth};
    return TV_OK;
}

/* The first call of the row that starts at `time` or later. It is searched for from `from` on, by
 * steps that double. */
static uint64_t first_starting_at(const struct descent *descent, const struct row *row,
                                  uint64_t from, uint64_t time)
{
    uint64_t low = from; /* calls before it start earlier */
    uint64_t step = 1;
    if (from > row->first && start_of(descent, from - 1) >= time)
        return tv_index_first_starting_at(descent->index, descent->thread_ix, row->ix, time);
    while (low < row->end && start_of(descent, low) < time) {
        from = low + 1;
        low = row->end - low > step ? low + step : row->end;
        step *= 2;
    }
    while (from < low) {
        uint64_t middle = from + (low - from) / 2;
        if (start_of(descent, middle) < time)
            from = middle + 1;
        else
            low = middle;
    }
    return low;
}

/* Where the calls without length that start at `time` end, counted from the call `from` on. */
static uint64_t end_of_moment(const struct descent *descent, const struct row *row, uint64_t from,
                              uint64_t time)
{
    while (from < row->end && start_of(descent, from) == time && !length_of(descent, from))
        from++;
    return from;
}

/* Of the calls [first, end), which have no length, adds those that calls of the run made: their
 * callers are searched for one by one. */
static enum tv_code add_of_moment(const struct descent *descent, const struct row *row,
                                  size_t begun, const struct tv_call_run *run, uint64_t first,
                                  uint64_t end)
{
    for (uint64_t call = first; call < end; call++) {
        struct tv_call_ref caller = tv_call_caller_among(
            descent->index, (struct tv_call_ref){descent->thread_ix, row->depth, call},
            TV_CALLERS_OF_MOMENT);
        if (tv_call_is(caller) && caller.call >= run->first && caller.call - run->first < run->len)
            TV_TRY(add_run(descent, row, begun, call, call + 1));
    }
    return TV_OK;
}

/* Adds the calls of a row that were made by the calls of a run in the row above. A call that starts
 * between the beginning and the end of the run was made by it. A call without length that starts
 * exactly at the beginning or at the end was made by the run if no neighbour of the run touches
 * that moment; otherwise its caller is searched for. */
static enum tv_code add_callees(const struct descent *descent, const struct row *above,
                                const struct row *row, size_t begun, const struct tv_call_run *run,
                                uint64_t *at)
{
    const uint64_t run_end = run->first + run->len;
    const uint64_t from = start_of(descent, run->first);
    const uint64_t to = start_of(descent, run_end - 1) + length_of(descent, run_end - 1);
    const bool touches_before =
        run->first > above->first &&
        start_of(descent, run->first - 1) + length_of(descent, run->first - 1) == from;
    const bool touches_after = run_end < above->end && start_of(descent, run_end) == to;
    uint64_t first = first_starting_at(descent, row, *at, from);
    uint64_t inner = touches_before || (from == to && touches_after)
                         ? end_of_moment(descent, row, first, from)
                         : first;
    TV_TRY(add_of_moment(descent, row, begun, run, first, inner));
    uint64_t end = from < to ? first_starting_at(descent, row, inner, to) : inner;
    uint64_t outer = end_of_moment(descent, row, end, to);
    TV_TRY(add_run(descent, row, begun, inner, touches_after ? end : outer));
    *at = inner;
    return touches_after && from < to ? add_of_moment(descent, row, begun, run, end, outer) : TV_OK;
}

/* Adds the outermost calls of the set in a row: those of its own calls whose bit in `within` is not
 * set yet. */
static enum tv_code add_outermost(const struct descent *descent, const struct row *row)
{
    const size_t begun = descent->list->count;
    for (uint64_t call = row->first; call < row->end;) {
        uint64_t bits = (descent->own[call / 64] & ~descent->within[call / 64]) >> call % 64;
        if (!bits) {
            call += 64 - call % 64;
            continue;
        }
        call += (unsigned)__builtin_ctzll(bits);
        bits >>= __builtin_ctzll(bits);
        uint64_t len = ~bits ? (unsigned)__builtin_ctzll(~bits) : 64;
        if (call >= row->end)
            break;
        len = len < row->end - call ? len : row->end - call;
        TV_TRY(add_run(descent, row, begun, call, call + len));
        call += len;
    }
    return TV_OK;
}

/* Goes down from the outermost calls of one depth. */
static enum tv_code descend(struct descent *descent)
{
    struct row above = row_at(descent, descent->root_depth);
    size_t first = descent->list->count;
    TV_TRY(add_outermost(descent, &above));
    size_t end = descent->list->count;
    for (uint32_t depth = above.depth + 1; first < end && depth < descent->thread->max_depth;
         depth++) {
        struct row row = row_at(descent, depth);
        uint64_t at = row.first;
        for (size_t i = first; i < end; i++) {
            const struct tv_call_run run = descent->list->of[i];
            TV_TRY(add_callees(descent, &above, &row, end, &run, &at));
        }
        first = end;
        end = descent->list->count;
        above = row;
    }
    return TV_OK;
}

enum tv_code tv_call_runs_find(struct tv_call_run_list *list, const struct tv_index *index,
                               const uint64_t *own, uint64_t *within, struct tv_error *err)
{
    struct descent descent = {.index = index,
                              .axis = tv_index_axis(index),
                              .own = own,
                              .within = within,
                              .list = list,
                              .err = err};
    for (uint32_t i = 0; i < index->thread_count; i++) {
        descent.thread = &index->threads[i];
        descent.thread_ix = i;
        for (uint32_t depth = 0; depth < descent.thread->max_depth; depth++) {
            descent.root_depth = depth;
            TV_TRY(descend(&descent));
        }
    }
    return TV_OK;
}
