/*
 * Counting calls; see compare/call_counts.h.
 *
 * An index has the calls of a thread by depth, each row in the order of time. Many records have the
 * same time, so times alone do not tell which call came first. Callers do: the calls of a row are
 * walked beside the row above, where the caller of a later call never stands before the caller of
 * an earlier one.
 *
 * Counts may be of the whole trace, of what one method called (per), or of what happened on a
 * thread between the first calls of two methods (from, until). All three walk rows once, so the
 * cost is that of the calls and not of their stacks.
 */
#include "compare/call_counts.h"

#include "analysis/calls/call.h"
#include "analysis/selection/name_pattern.h"
#include "base/memory/sort.h"

struct counting {
    struct tv_call_counts *out;
    const struct tv_index *index;
    const struct tv_call_counts_opts *opts;
    const uint8_t *mine; /* a byte for each method; NULL: all are mine */
};

void tv_call_counts_init(struct tv_call_counts *counts, const struct tv_alloc *alloc)
{
    *counts = (struct tv_call_counts){.alloc = alloc, .first = TV_NO_CALL, .until = TV_NO_CALL};
}

void tv_call_counts_release(struct tv_call_counts *counts)
{
    tv_alloc_release(counts->alloc, &counts->rows, counts->row_count, sizeof(*counts->rows));
    tv_call_counts_init(counts, counts->alloc);
}

static bool is_counted(const struct counting *counting, uint32_t node)
{
    const struct tv_index *index = counting->index;
    uint32_t parent = index->node_parent[node];
    return !counting->mine || counting->mine[index->node_method[node]] ||
           (parent != TV_NONE && counting->mine[index->node_method[parent]]);
}

static void add_calls(const struct counting *counting, uint32_t method, uint64_t calls)
{
    counting->out->rows[method].numbers.calls += calls;
}

/* Without a range, and not a call at a time, the tree has the numbers already, and no call is
 * walked over. */
static void count_nodes(const struct counting *counting)
{
    const struct tv_index *index = counting->index;
    for (uint32_t node = 0; node < index->node_count; node++) {
        if (is_counted(counting, node))
            add_calls(counting, index->node_method[node], tv_index_node_calls(index, node));
    }
}

/* Where a row of a thread is walked to, beside the row above it. */
struct walk {
    const struct tv_index *index;
    uint32_t thread_ix;
    uint32_t depth;
    uint64_t caller; /* in the row above; at its end where the caller of a call is not found */
    uint64_t caller_end;
};

static const struct tv_index_row *row_at(const struct tv_index *index, uint32_t thread_ix,
                                         uint32_t depth)
{
    return &index->rows[index->threads[thread_ix].row_first + depth];
}

static struct walk walk_row(const struct tv_index *index, uint32_t thread_ix, uint32_t depth)
{
    const struct tv_index_row *above = row_at(index, thread_ix, depth - 1);
    return (struct walk){index, thread_ix, depth, above->call_first,
                         above->call_first + above->call_count};
}

/* Goes on to the caller of a call, which is not before that of the call asked for before. Where an
 * index has no caller that contains the call, the walk stays with the one before. */
static uint64_t walk_to_caller(struct walk *walk, uint64_t call)
{
    const struct tv_index *index = walk->index;
    const struct tv_index_thread *thread = &index->threads[walk->thread_ix];
    const enum tv_clock axis = tv_index_axis(index);
    const uint64_t start = tv_index_start(index, thread, axis, call);
    const struct tv_call_ref callee = {walk->thread_ix, walk->depth, call};
    for (uint64_t caller = walk->caller; caller < walk->caller_end; caller++) {
        const struct tv_call_ref above = {walk->thread_ix, walk->depth - 1, caller};
        if (tv_call_contains(index, above, callee)) {
            walk->caller = caller;
            break;
        }
        if (tv_index_start(index, thread, axis, caller) > start)
            break;
    }
    return walk->caller;
}

/* The first call of the row below that a call from `boundary` on made; the boundary is a call of
 * the row above, or its end. */
static uint64_t boundary_below(const struct tv_index *index, uint32_t thread_ix, uint32_t depth,
                               uint64_t boundary)
{
    const struct tv_index_row *row = row_at(index, thread_ix, depth);
    const uint64_t end = row->call_first + row->call_count;
    struct walk walk = walk_row(index, thread_ix, depth);
    if (boundary >= walk.caller_end)
        return end;
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    uint64_t start = tv_index_start(index, thread, tv_index_axis(index), boundary);
    /* Calls that begin before the boundary does lie before it; those that begin at that very
     * moment are asked for their callers. */
    uint64_t call = tv_index_first_starting_at(index, thread_ix, thread->row_first + depth, start);
    walk.caller = tv_index_first_ending_after(index, thread_ix, thread->row_first + depth - 1,
                                              start ? start - 1 : 0);
    while (call < end && tv_index_start(index, thread, tv_index_axis(index), call) == start &&
           walk_to_caller(&walk, call) < boundary)
        call++;
    return call;
}

/* Fills, for each row of the thread, the first call that does not begin before `ref` does. */
static void find_boundaries(const struct tv_index *index, struct tv_call_ref ref, uint64_t *first)
{
    uint32_t depths = index->threads[ref.thread_ix].max_depth;
    struct tv_call_ref caller = ref;
    first[ref.depth] = ref.call;
    for (uint32_t depth = ref.depth; depth-- > 0;) {
        const struct tv_index_row *row = row_at(index, ref.thread_ix, depth);
        caller = tv_call_is(caller) ? tv_call_caller(index, caller) : TV_NO_CALL;
        first[depth] = tv_call_is(caller) ? caller.call + 1 : row->call_first + row->call_count;
    }
    for (uint32_t depth = ref.depth + 1; depth < depths; depth++)
        first[depth] = boundary_below(index, ref.thread_ix, depth, first[depth - 1]);
}

/* Whether `a` begins before `b`, of one thread: the earlier one, else the caller. */
static bool is_before(const struct tv_index *index, struct tv_call_ref a, struct tv_call_ref b)
{
    const struct tv_index_thread *thread = &index->threads[a.thread_ix];
    const enum tv_clock axis = tv_index_axis(index);
    uint64_t start_a = tv_index_start(index, thread, axis, a.call);
    uint64_t start_b = tv_index_start(index, thread, axis, b.call);
    return start_a != start_b ? start_a < start_b : a.depth < b.depth;
}

/* The first call of a method on a thread, from the boundaries on; NULL: from the beginning. */
static struct tv_call_ref first_call(const struct tv_index *index, uint32_t thread_ix,
                                     uint32_t method, const uint64_t *boundaries)
{
    struct tv_call_ref found = TV_NO_CALL;
    for (uint32_t depth = 0; depth < index->threads[thread_ix].max_depth; depth++) {
        const struct tv_index_row *row = row_at(index, thread_ix, depth);
        uint64_t call = boundaries ? boundaries[depth] : row->call_first;
        uint64_t end = row->call_first + row->call_count;
        while (call < end && index->node_method[index->call_node[call]] != method)
            call++;
        struct tv_call_ref ref = {thread_ix, depth, call};
        if (call < end && (!tv_call_is(found) || is_before(index, ref, found)))
            found = ref;
    }
    return found;
}

/* Of calls that begin at the same time on two threads the one of the first thread is taken, so that
 * the answer does not depend on chance. */
static struct tv_call_ref first_call_of_all(const struct tv_index *index, uint32_t method)
{
    struct tv_call_ref found = TV_NO_CALL;
    for (uint32_t thread_ix = 0; thread_ix < index->thread_count; thread_ix++) {
        struct tv_call_ref ref = first_call(index, thread_ix, method, NULL);
        if (!tv_call_is(ref))
            continue;
        const enum tv_clock axis = tv_index_axis(index);
        if (!tv_call_is(found) ||
            tv_index_start(index, &index->threads[thread_ix], axis, ref.call) <
                tv_index_start(index, &index->threads[found.thread_ix], axis, found.call))
            found = ref;
    }
    return found;
}

/* Between two moments a thread's calls are a slice of each row, since rows are in the order of
 * time. */
static void count_slices(const struct counting *counting, uint32_t thread_ix, const uint64_t *from,
                         const uint64_t *until)
{
    const struct tv_index *index = counting->index;
    for (uint32_t depth = 0; depth < index->threads[thread_ix].max_depth; depth++) {
        for (uint64_t call = from[depth]; call < until[depth]; call++) {
            uint32_t node = index->call_node[call];
            if (is_counted(counting, node))
                add_calls(counting, index->node_method[node], 1);
        }
    }
}

/* A boundary of each row says where its calls before the first method end; the same boundaries of
 * the second one end the slice. */
static enum tv_code count_between_calls(const struct counting *counting, struct tv_call_ref from,
                                        uint64_t *boundaries, struct tv_error *err)
{
    const struct tv_index *index = counting->index;
    uint32_t depths = index->threads[from.thread_ix].max_depth;
    find_boundaries(index, from, boundaries);
    /* The later call is not the first one itself, where both are of one method. */
    boundaries[from.depth]++;
    struct tv_call_ref until = first_call(index, from.thread_ix, counting->opts->until, boundaries);
    boundaries[from.depth]--;
    if (!tv_call_is(until))
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "no call of the second method follows the first call of the first one on "
                       "its thread");
    find_boundaries(index, until, boundaries + depths);
    count_slices(counting, from.thread_ix, boundaries, boundaries + depths);
    counting->out->first = from;
    counting->out->until = until;
    return TV_OK;
}

/* Room for two boundaries of each depth. A method without a call is refused: a lock of nothing
 * would pass forever. */
static enum tv_code count_between(const struct counting *counting, struct tv_error *err)
{
    const struct tv_index *index = counting->index;
    const struct tv_alloc *alloc = counting->out->alloc;
    struct tv_call_ref from = first_call_of_all(index, counting->opts->from);
    if (!tv_call_is(from))
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "the first method has no call");
    size_t count = 2 * (size_t)index->threads[from.thread_ix].max_depth;
    uint64_t *boundaries;
    TV_TRY(tv_alloc_new(alloc, &boundaries, count, sizeof(*boundaries), err));
    enum tv_code code = count_between_calls(counting, from, boundaries, err);
    tv_alloc_release(alloc, &boundaries, count, sizeof(*boundaries));
    return code;
}

/* A call inside a call of the method that numbers are per. */
struct inner_call {
    uint32_t turn; /* which call of that method, from 0 */
    uint32_t method;
};

/* Numbers per call of a method, while its threads are walked. */
struct per_call {
    const struct counting *counting;
    struct inner_call *calls;
    size_t count, cap;
    uint32_t turns;
    uint32_t *turn_of[2]; /* of the calls of a row and of the row above; TV_NONE: in none */
    size_t room;          /* calls of the longest row */
};

static enum tv_code add_inner(struct per_call *per, uint32_t turn, uint32_t method,
                              struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(per->counting->out->alloc, &per->calls, &per->cap, per->count + 1,
                         sizeof(*per->calls), err));
    per->calls[per->count++] = (struct inner_call){turn, method};
    return TV_OK;
}

/* Goes along a row and finds the turn of each call. A call belongs to the turn of its caller; a
 * call of the method whose caller belongs to none begins a new turn. */
static enum tv_code walk_turns(struct per_call *per, uint32_t thread_ix, uint32_t depth,
                               struct tv_error *err)
{
    const struct tv_index *index = per->counting->index;
    const struct tv_index_row *row = row_at(index, thread_ix, depth);
    uint32_t *turns = per->turn_of[depth % 2];
    const uint32_t *above = per->turn_of[(depth + 1) % 2];
    uint64_t above_first = depth ? row_at(index, thread_ix, depth - 1)->call_first : 0;
    struct walk walk = {.depth = 0};
    if (depth)
        walk = walk_row(index, thread_ix, depth);
    for (uint64_t i = 0; i < row->call_count; i++) {
        uint64_t call = row->call_first + i;
        uint32_t node = index->call_node[call];
        uint32_t method = index->node_method[node];
        turns[i] = depth ? above[walk_to_caller(&walk, call) - above_first] : TV_NONE;
        if (turns[i] != TV_NONE && is_counted(per->counting, node))
            TV_TRY(add_inner(per, turns[i], method, err));
        if (turns[i] == TV_NONE && method == per->counting->opts->per)
            turns[i] = per->turns++;
    }
    return TV_OK;
}

/* From the first level down: walk_turns needs the turns of the level above. */
static enum tv_code walk_threads(struct per_call *per, struct tv_error *err)
{
    const struct tv_index *index = per->counting->index;
    for (uint32_t thread_ix = 0; thread_ix < index->thread_count; thread_ix++) {
        for (uint32_t depth = 0; depth < index->threads[thread_ix].max_depth; depth++)
            TV_TRY(walk_turns(per, thread_ix, depth, err));
    }
    return TV_OK;
}

static int compare_numbers(const void *ctx, uint32_t a, uint32_t b)
{
    const uint32_t *numbers = ctx;
    return (numbers[a] > numbers[b]) - (numbers[a] < numbers[b]);
}

/* What is needed to find the median of a method: how many calls each turn has, and the turns that
 * have any. */
struct turn_counts {
    uint32_t *of;   /* a number for each turn, zeros between two methods */
    uint32_t *met;  /* the turns with calls */
    uint32_t *some; /* their numbers */
    uint32_t *order;
};

/* The lower median over all turns, those without a call too. */
static enum tv_code take_median(const struct per_call *per, const struct turn_counts *turns,
                                size_t met_count, uint64_t *median, struct tv_error *err)
{
    size_t without = per->turns - met_count;
    size_t middle = (per->turns - 1) / 2;
    for (size_t i = 0; i < met_count; i++) {
        turns->some[i] = turns->of[turns->met[i]];
        turns->of[turns->met[i]] = 0;
        turns->order[i] = (uint32_t)i;
    }
    *median = 0;
    if (middle < without)
        return TV_OK;
    TV_TRY(tv_sort(per->counting->out->alloc, turns->order, met_count, compare_numbers, turns->some,
                   err));
    *median = turns->some[turns->order[middle - without]];
    return TV_OK;
}

/* The calls [first, end) of the list are of one method. */
static enum tv_code count_method(const struct per_call *per, const struct turn_counts *turns,
                                 const uint32_t *order, size_t first, size_t end,
                                 struct tv_error *err)
{
    struct tv_call_counts *out = per->counting->out;
    uint32_t method = per->calls[order[first]].method;
    size_t met_count = 0;
    for (size_t i = first; i < end; i++) {
        uint32_t turn = per->calls[order[i]].turn;
        if (!turns->of[turn])
            turns->met[met_count++] = turn;
        turns->of[turn]++;
    }
    return take_median(per, turns, met_count, &out->rows[method].numbers.calls, err);
}

static int compare_inner_methods(const void *ctx, uint32_t a, uint32_t b)
{
    const struct inner_call *calls = ctx;
    return (calls[a].method > calls[b].method) - (calls[a].method < calls[b].method);
}

/* Sorted by method, the counts of one method are neighbours, and each method is dealt with once. */
static enum tv_code take_medians(const struct per_call *per, const struct turn_counts *turns,
                                 uint32_t *order, struct tv_error *err)
{
    for (size_t i = 0; i < per->count; i++)
        order[i] = (uint32_t)i;
    TV_TRY(tv_sort(per->counting->out->alloc, order, per->count, compare_inner_methods, per->calls,
                   err));
    size_t end;
    for (size_t first = 0; first < per->count; first = end) {
        end = first + 1;
        while (end < per->count && per->calls[order[end]].method == per->calls[order[first]].method)
            end++;
        TV_TRY(count_method(per, turns, order, first, end, err));
    }
    return TV_OK;
}

/* The four arrays of a method's counts are one block, which is used again for each method. */
static enum tv_code find_medians(const struct per_call *per, struct tv_error *err)
{
    const struct tv_alloc *alloc = per->counting->out->alloc;
    struct turn_counts turns = {.of = NULL};
    uint32_t *order = NULL;
    if (per->count > UINT32_MAX)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than 4,294,967,295 calls");
    enum tv_code code =
        tv_alloc_new(alloc, &turns.of, 4 * (size_t)per->turns, sizeof(*turns.of), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &order, per->count, sizeof(*order), err);
    if (code == TV_OK && per->turns) {
        turns.met = turns.of + per->turns;
        turns.some = turns.met + per->turns;
        turns.order = turns.some + per->turns;
        code = take_medians(per, &turns, order, err);
    }
    tv_alloc_release(alloc, &turns.of, 4 * (size_t)per->turns, sizeof(*turns.of));
    tv_alloc_release(alloc, &order, per->count, sizeof(*order));
    return code;
}

/* `turn_of` has room for two rows, the current one and the one above, as long as the longest row.
 */
static enum tv_code count_per_call(const struct counting *counting, struct tv_error *err)
{
    const struct tv_index *index = counting->index;
    const struct tv_alloc *alloc = counting->out->alloc;
    struct per_call per = {.counting = counting};
    for (uint32_t i = 0; i < index->row_count; i++) {
        if (index->rows[i].call_count > per.room)
            per.room = (size_t)index->rows[i].call_count;
    }
    TV_TRY(tv_alloc_new(alloc, &per.turn_of[0], 2 * per.room, sizeof(uint32_t), err));
    per.turn_of[1] = per.room ? per.turn_of[0] + per.room : NULL;
    enum tv_code code = walk_threads(&per, err);
    if (code == TV_OK && !per.turns)
        code = tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "the method has no call");
    if (code == TV_OK)
        code = find_medians(&per, err);
    tv_alloc_release(alloc, &per.calls, per.cap, sizeof(*per.calls));
    tv_alloc_release(alloc, &per.turn_of[0], 2 * per.room, sizeof(uint32_t));
    return code;
}

static enum tv_code count(const struct counting *counting, struct tv_error *err)
{
    if (counting->opts->from != TV_NONE)
        return count_between(counting, err);
    if (counting->opts->per != TV_NONE)
        return count_per_call(counting, err);
    count_nodes(counting);
    return TV_OK;
}

/* Rows are per method of the index; matching them with those of other runs is method_join.c's part.
 */
enum tv_code tv_call_counts_make(struct tv_call_counts *counts, const struct tv_index *index,
                                 const struct tv_call_counts_opts *opts, struct tv_error *err)
{
    struct tv_method_filter filter;
    tv_call_counts_release(counts);
    TV_TRY(tv_alloc_new(counts->alloc, &counts->rows, index->method_count, sizeof(*counts->rows),
                        err));
    counts->row_count = index->method_count;
    tv_method_filter_init(&filter, counts->alloc);
    enum tv_code code = tv_method_filter_make(
        &filter, index, &(struct tv_method_filter_opts){.hidden = opts->mine}, err);
    if (code == TV_OK)
        code = count(
            &(struct counting){.out = counts, .index = index, .opts = opts, .mine = filter.hidden},
            err);
    tv_method_filter_release(&filter);
    if (code != TV_OK)
        tv_call_counts_release(counts);
    return code;
}
