/*
 * Calls one by one; see analysis/calls/call.h.
 *
 * Callers, callees and neighbours are stored nowhere: they are found by time in the rows above and
 * below. Starts and ends are sorted along a row, so one search finds the first candidate, and only
 * calls at the same moment need a second look, at their nodes.
 */
#include "analysis/calls/call.h"

#include "analysis/calls/method_scan.h"
#include "base/alloc.h"
#include "base/error.h"
#include "index/mipmap.h"

/* The shortest wait that is marked (docs/numbers.md, "Numbers of single calls"). */
#define WAIT_LEAST_NS 100000u

/* The interval of a call on one clock, units. */
struct span {
    uint64_t start;
    uint64_t end;
};

static struct span span_of(const struct tv_index *index, uint32_t thread_ix, enum tv_clock clock,
                           uint64_t call)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    uint64_t start = tv_index_start(index, thread, clock, call);
    return (struct span){start, start + tv_index_duration(index, thread, clock, call)};
}

static uint32_t row_of(const struct tv_index *index, uint32_t thread_ix, uint32_t depth)
{
    return index->threads[thread_ix].row_first + depth;
}

static uint64_t row_end(const struct tv_index *index, uint32_t row_ix)
{
    return index->rows[row_ix].call_first + index->rows[row_ix].call_count;
}

struct tv_call_ref tv_call_at(const struct tv_index *index, uint32_t thread_ix, uint32_t depth,
                              uint64_t ordinal_in_row)
{
    if (depth >= index->threads[thread_ix].max_depth)
        return TV_NO_CALL;
    const struct tv_index_row *row = &index->rows[row_of(index, thread_ix, depth)];
    if (ordinal_in_row >= row->call_count)
        return TV_NO_CALL;
    return (struct tv_call_ref){thread_ix, depth, row->call_first + ordinal_in_row};
}

uint64_t tv_call_ordinal_in_row(const struct tv_index *index, struct tv_call_ref ref)
{
    return ref.call - index->rows[row_of(index, ref.thread_ix, ref.depth)].call_first;
}

uint32_t tv_call_method(const struct tv_index *index, struct tv_call_ref ref)
{
    return index->node_method[index->call_node[ref.call]];
}

bool tv_call_contains(const struct tv_index *index, struct tv_call_ref caller,
                      struct tv_call_ref callee)
{
    if (index->node_parent[index->call_node[callee.call]] != index->call_node[caller.call])
        return false;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!index->info->has_clock[clock])
            continue;
        struct span outer = span_of(index, caller.thread_ix, (enum tv_clock)clock, caller.call);
        struct span inner = span_of(index, callee.thread_ix, (enum tv_clock)clock, callee.call);
        if (inner.start < outer.start || inner.end > outer.end)
            return false;
    }
    return true;
}

void tv_call_durations(const struct tv_index *index, struct tv_call_ref ref,
                       uint64_t durations_ns[TV_CLOCK_COUNT])
{
    const struct tv_index_thread *thread = &index->threads[ref.thread_ix];
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        durations_ns[clock] =
            index->info->has_clock[clock]
                ? tv_index_duration(index, thread, (enum tv_clock)clock, ref.call) *
                      index->info->unit_ns
                : 0;
}

/* Subtracts the duration of a call of the row below, if `ref` made it. */
static void subtract_callee(const struct tv_index *index, struct tv_call_ref ref, uint64_t callee,
                            uint64_t exclusive[TV_CLOCK_COUNT])
{
    const struct tv_index_thread *thread = &index->threads[ref.thread_ix];
    if (!tv_call_contains(index, ref, (struct tv_call_ref){ref.thread_ix, ref.depth + 1, callee}))
        return;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (index->info->has_clock[clock])
            exclusive[clock] -= tv_index_duration(index, thread, (enum tv_clock)clock, callee);
    }
}

#define DEFINE_SUM(name, type)                                                                     \
    static uint64_t name(const uint8_t *column, uint64_t first, uint64_t end)                      \
    {                                                                                              \
        const type *durations = (const type *)(const void *)column;                                \
        uint64_t sum = 0;                                                                          \
        for (uint64_t i = first; i < end; i++)                                                     \
            sum += durations[i];                                                                   \
        return sum;                                                                                \
    }

DEFINE_SUM(sum_narrow, uint32_t)
DEFINE_SUM(sum_wide, uint64_t)

/* Sums up durations of 2 bytes, and tells whether one of them is a long duration, which the column
 * does not hold. */
static uint64_t sum_short(const uint8_t *column, uint64_t first, uint64_t end, bool *has_long)
{
    const uint16_t *durations = (const uint16_t *)(const void *)column;
    uint64_t sum = 0;
    for (uint64_t i = first; i < end; i++) {
        sum += durations[i];
        *has_long = *has_long || durations[i] == TV_LONG_DURATION;
    }
    return sum;
}

/* Sums up the durations of the calls [first, end) on a clock, with the loop for the
 * thread's width. */
static uint64_t sum_durations(const struct tv_index *index, const struct tv_index_thread *thread,
                              unsigned clock, uint64_t first, uint64_t end)
{
    const uint8_t *column = index->times + thread->time_off[2 * clock + 1];
    uint64_t from = first - thread->call_first;
    uint64_t to = end - thread->call_first;
    if (thread->is_wide)
        return sum_wide(column, from, to);
    if (thread->duration_len != sizeof(uint16_t))
        return sum_narrow(column, from, to);
    bool has_long = false;
    uint64_t sum = sum_short(column, from, to, &has_long);
    if (!has_long)
        return sum;
    struct tv_index_long_calls long_calls =
        tv_index_long_calls_of(index, thread, (enum tv_clock)clock, first, end);
    for (uint64_t i = 0; i < long_calls.count; i++)
        sum += long_calls.at[i].duration - TV_LONG_DURATION;
    return sum;
}

/* Whether no call of a node made a call that took time: exclusive is inclusive. */
static bool is_childless(const struct tv_index *index, uint32_t node)
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (index->info->has_clock[clock] && tv_index_node_exclusive(index, clock, node) !=
                                                 tv_index_node_inclusive(index, clock, node))
            return false;
    }
    return true;
}

/* The first call of a row, from `first` on, that starts at or after `time`. It is mostly `first`,
 * or near it. */
static uint64_t skip_to(const struct tv_mipmap *row, uint64_t first, uint64_t time)
{
    bool is_there = first == row->call_first + row->counts[0] ||
                    tv_index_start(row->index, row->thread, row->axis, first) >= time;
    return is_there ? first : tv_mipmap_skip_to(row, first, time);
}

/* Subtracts the durations of a call's callees, which stand together in the row below,
 * from its own. */
static void subtract_callees(const struct tv_index *index, struct tv_call_ref ref,
                             uint64_t *first_callee, uint64_t exclusive[TV_CLOCK_COUNT])
{
    const struct tv_index_thread *thread = &index->threads[ref.thread_ix];
    const struct tv_mipmap below =
        tv_mipmap_of(index, ref.thread_ix, row_of(index, ref.thread_ix, ref.depth + 1));
    struct span span = span_of(index, ref.thread_ix, tv_index_axis(index), ref.call);
    uint64_t first = *first_callee ? skip_to(&below, *first_callee, span.start)
                                   : tv_mipmap_search(&below, span.start);
    *first_callee = first;
    uint64_t inner = skip_to(&below, first, span.start + 1);
    uint64_t inner_end = skip_to(&below, inner, span.end);
    uint64_t end = skip_to(&below, inner_end, span.end + 1);
    /* Calls that start inside the call are all its own, and are summed up as a column. At its very
     * start and end there may be calls of length zero of its neighbours too, so these are looked at
     * one by one. */
    for (uint64_t callee = first; callee < inner; callee++)
        subtract_callee(index, ref, callee, exclusive);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (index->info->has_clock[clock])
            exclusive[clock] -= sum_durations(index, thread, clock, inner, inner_end);
    }
    for (uint64_t callee = inner_end; callee < end; callee++)
        subtract_callee(index, ref, callee, exclusive);
}

void tv_call_exclusive_next(const struct tv_index *index, struct tv_call_ref ref,
                            uint64_t *first_callee, uint64_t exclusive[TV_CLOCK_COUNT])
{
    const struct tv_index_thread *thread = &index->threads[ref.thread_ix];
    uint32_t node = index->call_node[ref.call];
    /* The only call of its node has the node's exclusive time. */
    bool is_only = tv_index_node_calls(index, node) == 1;
    bool has_time = false;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        exclusive[clock] = 0;
        if (index->info->has_clock[clock])
            exclusive[clock] =
                is_only ? tv_index_node_exclusive(index, clock, node)
                        : tv_index_duration(index, thread, (enum tv_clock)clock, ref.call);
        has_time = has_time || exclusive[clock];
    }
    /* What a call without time made has none either; many such calls may be of one moment, each
     * with the callees of all to look at. */
    if (has_time && !is_only && ref.depth + 1 < thread->max_depth && !is_childless(index, node))
        subtract_callees(index, ref, first_callee, exclusive);
}

void tv_call_exclusive(const struct tv_index *index, struct tv_call_ref ref,
                       uint64_t exclusive[TV_CLOCK_COUNT])
{
    uint64_t first_callee = 0;
    tv_call_exclusive_next(index, ref, &first_callee, exclusive);
}

/* Only calls that are open at the end reach beyond their thread's last record. */
uint64_t tv_call_unrecorded(const struct tv_index *index, struct tv_call_ref ref)
{
    if (tv_index_axis(index) != TV_CLOCK_WALL)
        return 0;
    uint64_t last = index->threads[ref.thread_ix].last[TV_CLOCK_WALL];
    struct span span = span_of(index, ref.thread_ix, TV_CLOCK_WALL, ref.call);
    if (last < span.start)
        last = span.start;
    return span.end > last ? span.end - last : 0;
}

/* Of open calls the innermost has the stretch; it is the last one of its row. */
uint64_t tv_call_exclusive_recorded(const struct tv_index *index, struct tv_call_ref ref,
                                    uint64_t exclusive[TV_CLOCK_COUNT])
{
    const uint64_t unrecorded = tv_call_unrecorded(index, ref);
    struct tv_call_ref below = {ref.thread_ix, ref.depth + 1, 0};
    tv_call_exclusive(index, ref, exclusive);
    if (!unrecorded)
        return 0;
    if (below.depth < index->threads[ref.thread_ix].max_depth) {
        below.call = row_end(index, row_of(index, below.thread_ix, below.depth)) - 1;
        if (tv_call_unrecorded(index, below))
            return 0;
    }
    exclusive[TV_CLOCK_WALL] -= unrecorded;
    return unrecorded;
}

bool tv_call_is_waiting(const struct tv_index *index, struct tv_call_ref ref)
{
    const struct tv_index_thread *thread = &index->threads[ref.thread_ix];
    uint64_t unit_ns = index->info->unit_ns;
    uint32_t node = index->call_node[ref.call];
    uint64_t exclusive[TV_CLOCK_COUNT];
    if (!tv_index_has_wait(index))
        return false;
    /* Most calls are told by the times of their node, which bound those of its calls. */
    if (tv_index_duration(index, thread, TV_CLOCK_WALL, ref.call) * unit_ns < WAIT_LEAST_NS ||
        tv_index_node_exclusive(index, TV_CLOCK_WALL, node) * unit_ns < WAIT_LEAST_NS)
        return false;
    (void)tv_call_exclusive_recorded(index, ref, exclusive);
    uint64_t wall = exclusive[TV_CLOCK_WALL] * unit_ns;
    uint64_t cpu = exclusive[TV_CLOCK_CPU] * unit_ns;
    return wall > cpu && wall - cpu >= WAIT_LEAST_NS && wall - cpu >= wall / 2 + wall % 2;
}

/* The calls open at the end are the last calls of the outermost rows (struct tv_index_thread,
 * open_depth). */
bool tv_call_is_open_at_end(const struct tv_index *index, struct tv_call_ref ref)
{
    return ref.depth < index->threads[ref.thread_ix].open_depth &&
           ref.call + 1 == row_end(index, row_of(index, ref.thread_ix, ref.depth));
}

/* Adopting calls begin with the thread, so they are the first calls of the outermost rows. */
bool tv_call_is_adopted(const struct tv_index *index, struct tv_call_ref ref)
{
    return ref.depth < index->threads[ref.thread_ix].adopted_depth &&
           tv_call_ordinal_in_row(index, ref) == 0;
}

bool tv_call_is_cut(const struct tv_index *index, struct tv_call_ref ref)
{
    return tv_call_is_open_at_end(index, ref) || tv_call_is_adopted(index, ref);
}

struct tv_call_ref tv_call_caller_among(const struct tv_index *index, struct tv_call_ref ref,
                                        uint64_t most)
{
    if (!ref.depth)
        return TV_NO_CALL;
    uint32_t above = row_of(index, ref.thread_ix, ref.depth - 1);
    struct span span = span_of(index, ref.thread_ix, tv_index_axis(index), ref.call);
    struct tv_call_ref caller = {ref.thread_ix, ref.depth - 1, index->rows[above].call_first};
    /* The first call above that ends no earlier; calls after it may be of the same moment. */
    if (span.end)
        caller.call = tv_index_first_ending_after(index, ref.thread_ix, above, span.end - 1);
    for (; most && caller.call < row_end(index, above); caller.call++, most--) {
        if (tv_call_contains(index, caller, ref))
            return caller;
        if (span_of(index, ref.thread_ix, tv_index_axis(index), caller.call).start > span.start)
            break;
    }
    return TV_NO_CALL;
}

struct tv_call_ref tv_call_caller(const struct tv_index *index, struct tv_call_ref ref)
{
    return tv_call_caller_among(index, ref, UINT64_MAX);
}

/* Several calls of the row below may start at the same moment, and some of them may have another
 * caller, so each is tested until one starts behind the end of the call. */
struct tv_call_ref tv_call_first_callee(const struct tv_index *index, struct tv_call_ref ref)
{
    if (ref.depth + 1 >= index->threads[ref.thread_ix].max_depth)
        return TV_NO_CALL;
    uint32_t below = row_of(index, ref.thread_ix, ref.depth + 1);
    struct span span = span_of(index, ref.thread_ix, tv_index_axis(index), ref.call);
    struct tv_call_ref callee = {ref.thread_ix, ref.depth + 1, 0};
    callee.call = tv_index_first_starting_at(index, ref.thread_ix, below, span.start);
    for (; callee.call < row_end(index, below); callee.call++) {
        if (tv_call_contains(index, ref, callee))
            return callee;
        if (span_of(index, ref.thread_ix, tv_index_axis(index), callee.call).start > span.end)
            break;
    }
    return TV_NO_CALL;
}

/* Siblings are neighbours in their row: calls of one caller stand together. */
struct tv_call_ref tv_call_sibling(const struct tv_index *index, struct tv_call_ref ref,
                                   enum tv_direction direction)
{
    const struct tv_index_row *row = &index->rows[row_of(index, ref.thread_ix, ref.depth)];
    uint64_t edge =
        direction == TV_FORWARD ? row->call_first + row->call_count - 1 : row->call_first;
    if (ref.call == edge)
        return TV_NO_CALL;
    struct tv_call_ref sibling = ref;
    sibling.call = direction == TV_FORWARD ? ref.call + 1 : ref.call - 1;
    struct tv_call_ref caller = tv_call_caller(index, ref);
    bool is_sibling = !tv_call_is(caller) || tv_call_contains(index, caller, sibling);
    return is_sibling ? sibling : TV_NO_CALL;
}

/* Compares calls by start, then thread, depth and ordinal: <0, 0, >0. Ordinals are in the order of
 * depths and rows. */
static int compare_calls(const struct tv_index *index, struct tv_call_ref a, struct tv_call_ref b)
{
    enum tv_clock axis = tv_index_axis(index);
    uint64_t start_a = span_of(index, a.thread_ix, axis, a.call).start;
    uint64_t start_b = span_of(index, b.thread_ix, axis, b.call).start;
    if (start_a != start_b)
        return start_a < start_b ? -1 : 1;
    if (a.thread_ix != b.thread_ix)
        return a.thread_ix < b.thread_ix ? -1 : 1;
    return (a.call > b.call) - (a.call < b.call);
}

/* Keeps the candidate as `best` when it is nearer to where the search began. */
static void keep_nearer(const struct tv_index *index, struct tv_call_ref candidate,
                        enum tv_direction direction, struct tv_call_ref *best)
{
    if (tv_call_is(*best)) {
        int order = compare_calls(index, candidate, *best);
        if (direction == TV_FORWARD ? order >= 0 : order <= 0)
            return;
    }
    *best = candidate;
}

/* The first ordinal of a row that comes after `ref` in the order of compare_calls. Rows of later
 * threads, and deeper rows of the same thread, come after `ref` from its own start on; the other
 * rows only from the next moment on. */
static uint64_t first_after(const struct tv_index *index, struct tv_call_ref ref,
                            uint32_t thread_ix, uint32_t depth)
{
    uint32_t row_ix = row_of(index, thread_ix, depth);
    if (thread_ix == ref.thread_ix && depth == ref.depth)
        return ref.call + 1;
    uint64_t start = span_of(index, ref.thread_ix, tv_index_axis(index), ref.call).start;
    bool is_later = thread_ix > ref.thread_ix || (thread_ix == ref.thread_ix && depth > ref.depth);
    return tv_index_first_starting_at(index, thread_ix, row_ix, is_later ? start : start + 1);
}

/* The nearest candidate of all rows: of each row, the call after `ref`, or the one before. */
struct tv_call_ref tv_call_in_thread(const struct tv_index *index, struct tv_call_ref ref,
                                     enum tv_direction direction)
{
    struct tv_call_ref best = TV_NO_CALL;
    for (uint32_t depth = 0; depth < index->threads[ref.thread_ix].max_depth; depth++) {
        uint32_t row_ix = row_of(index, ref.thread_ix, depth);
        uint64_t after = first_after(index, ref, ref.thread_ix, depth);
        struct tv_call_ref candidate = {ref.thread_ix, depth, after};
        if (direction == TV_FORWARD) {
            if (after < row_end(index, row_ix))
                keep_nearer(index, candidate, direction, &best);
            continue;
        }
        bool is_own_row = depth == ref.depth; /* `after` is one past `ref` itself */
        uint64_t before = after - (is_own_row ? 1 : 0);
        candidate.call = before - 1;
        if (before > index->rows[row_ix].call_first)
            keep_nearer(index, candidate, direction, &best);
    }
    return best;
}

/* A search for the nearest call of a method, along one row after the other. */
struct method_search {
    const struct tv_index *index;
    const struct tv_method_scan *scan;
    struct tv_call_ref ref;
    enum tv_direction direction;
    struct tv_call_ref best;
};

static bool is_wanted(const struct method_search *search, uint64_t call)
{
    return search->scan->slot_of_node[search->index->call_node[call]] != TV_NONE;
}

/* Goes along a row, away from `ref`, until a call of the method or past the best call so far. */
static void search_row(struct method_search *search, uint32_t thread_ix, uint32_t depth)
{
    const struct tv_index *index = search->index;
    enum tv_clock axis = tv_index_axis(index);
    uint32_t row_ix = row_of(index, thread_ix, depth);
    uint64_t after = first_after(index, search->ref, thread_ix, depth);
    bool is_own_row = thread_ix == search->ref.thread_ix && depth == search->ref.depth;
    bool is_forward = search->direction == TV_FORWARD;
    uint64_t limit = is_forward ? UINT64_MAX : 0;
    if (tv_call_is(search->best))
        limit = span_of(index, search->best.thread_ix, axis, search->best.call).start;
    uint64_t left = is_forward ? row_end(index, row_ix) - after
                               : after - is_own_row - index->rows[row_ix].call_first;
    uint64_t call = is_forward ? after : after - is_own_row - 1;
    for (; left; left--, call = is_forward ? call + 1 : call - 1) {
        uint64_t start = span_of(index, thread_ix, axis, call).start;
        if (is_forward ? start > limit : start < limit)
            return;
        if (!is_wanted(search, call))
            continue;
        keep_nearer(index, (struct tv_call_ref){thread_ix, depth, call}, search->direction,
                    &search->best);
        return;
    }
}

/* Looks only into rows that have nodes of the method. */
enum tv_code tv_call_of_method(const struct tv_index *index, const struct tv_alloc *alloc,
                               struct tv_call_ref ref, enum tv_direction direction,
                               struct tv_call_ref *found, struct tv_error *err)
{
    uint32_t method = tv_call_method(index, ref);
    struct tv_method_scan scan;
    *found = TV_NO_CALL;
    tv_method_scan_init(&scan, alloc);
    TV_TRY(tv_method_scan_prepare(&scan, index, &method, 1, err));
    struct method_search search = {index, &scan, ref, direction, TV_NO_CALL};
    for (uint32_t i = 0; i < index->thread_count; i++) {
        for (uint32_t depth = 0; depth < index->threads[i].max_depth; depth++) {
            if (scan.node_of_row[row_of(index, i, depth)] != TV_NONE)
                search_row(&search, i, depth);
        }
    }
    tv_method_scan_release(&scan);
    *found = search.best;
    return TV_OK;
}

/* Goes down the rows while a call of the row spans the time. */
struct tv_call_ref tv_call_innermost(const struct tv_index *index, uint32_t thread_ix,
                                     uint64_t time)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    struct tv_call_ref found = TV_NO_CALL;
    for (uint32_t depth = 0; depth < thread->max_depth; depth++) {
        uint32_t row_ix = row_of(index, thread_ix, depth);
        uint64_t call = tv_index_first_ending_after(index, thread_ix, row_ix, time);
        bool spans = call < row_end(index, row_ix) &&
                     tv_index_start(index, thread, tv_index_axis(index), call) <= time;
        if (!spans) {
            call = tv_index_first_starting_at(index, thread_ix, row_ix, time);
            spans = !tv_call_is(found) && call < row_end(index, row_ix) &&
                    tv_index_start(index, thread, tv_index_axis(index), call) == time;
        }
        if (!spans)
            break;
        found = (struct tv_call_ref){thread_ix, depth, call};
    }
    return found;
}
