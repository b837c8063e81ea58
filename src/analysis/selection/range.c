/*
 * Ranges of time cut to threads and rows; see analysis/selection/range.h.
 *
 * An index has no list of records. The records that it still tells of are the starts and ends of
 * calls, so the records next to a moment are found among the starts and ends of one or two calls of
 * each row.
 */
#include "analysis/selection/range.h"

#include "analysis/selection/call_set.h"

uint32_t tv_selection_thread_count(const struct tv_selection *selection,
                                   const struct tv_index *index)
{
    return selection->threads ? selection->thread_count : index->thread_count;
}

uint32_t tv_selection_thread(const struct tv_selection *selection, uint32_t i)
{
    return selection->threads ? selection->threads[i] : i;
}

uint64_t tv_axis_len_ns(const struct tv_index *index)
{
    return index->info->axis_len * index->info->unit_ns;
}

uint64_t tv_mul_div(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t product;
    if (!__builtin_mul_overflow(a, b, &product))
        return product / c;
    /* The product as high and low word, then long division bit by bit: slow, but rare, and never in
     * an inner loop. */
    uint64_t a_low = a & UINT32_MAX;
    uint64_t a_high = a >> 32;
    uint64_t b_low = b & UINT32_MAX;
    uint64_t b_high = b >> 32;
    uint64_t middle = (a_low * b_low >> 32) + (a_high * b_low & UINT32_MAX) + a_low * b_high;
    uint64_t low = a * b;
    uint64_t rest = (a_high * b_high + (a_high * b_low >> 32) + (middle >> 32)) % c;
    uint64_t quotient = 0;
    for (unsigned bit = 64; bit-- > 0;) {
        bool carry = rest >> 63;
        rest = rest << 1 | (low >> bit & 1);
        quotient <<= 1;
        if (carry || rest >= c) {
            rest -= c;
            quotient |= 1;
        }
    }
    return quotient;
}

/* A record's time on the axis and on the clock asked about, units. */
struct moment {
    bool is_known;
    uint64_t axis;
    uint64_t time;
};

/* Among records of the same axis time, the last before an edge and the first at an edge count. */
static void keep_later(struct moment *best, uint64_t axis, uint64_t time)
{
    if (!best->is_known || axis > best->axis || (axis == best->axis && time > best->time))
        *best = (struct moment){true, axis, time};
}

static void keep_earlier(struct moment *best, uint64_t axis, uint64_t time)
{
    if (!best->is_known || axis < best->axis || (axis == best->axis && time < best->time))
        *best = (struct moment){true, axis, time};
}

/* Narrows around[0], the last record before `axis`, and around[1], the first at or after it, by the
 * calls of one row. Calls of a row are in order, so only the last that starts before `axis` and the
 * first that does not can have them. */
static void narrow_by_row(const struct tv_index *index, uint32_t thread_ix, uint32_t row_ix,
                          enum tv_clock clock, uint64_t axis, struct moment around[2])
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    const struct tv_index_row *row = &index->rows[row_ix];
    enum tv_clock axis_clock = tv_index_axis(index);
    uint64_t at = tv_index_first_starting_at(index, thread_ix, row_ix, axis);
    if (at < row->call_first + row->call_count)
        keep_earlier(&around[1], tv_index_start(index, thread, axis_clock, at),
                     tv_index_start(index, thread, clock, at));
    if (at == row->call_first)
        return;
    uint64_t before = at - 1;
    uint64_t axis_start = tv_index_start(index, thread, axis_clock, before);
    uint64_t axis_end = axis_start + tv_index_duration(index, thread, axis_clock, before);
    uint64_t start = tv_index_start(index, thread, clock, before);
    uint64_t end = start + tv_index_duration(index, thread, clock, before);
    keep_later(&around[0], axis_start, start);
    if (axis_end < axis)
        keep_later(&around[0], axis_end, end);
    else
        keep_earlier(&around[1], axis_end, end);
}

uint64_t tv_thread_time_at(const struct tv_index *index, uint32_t thread_ix, enum tv_clock clock,
                           uint64_t time_ns)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    uint64_t unit_ns = index->info->unit_ns;
    if (clock == tv_index_axis(index))
        return time_ns;
    /* Records stand at whole units: none lies between time_ns and the next whole unit. */
    uint64_t axis = time_ns / unit_ns + (time_ns % unit_ns != 0);
    struct moment around[2] = {{.is_known = false}, {.is_known = false}};
    for (uint32_t depth = 0; depth < thread->max_depth; depth++)
        narrow_by_row(index, thread_ix, thread->row_first + depth, clock, axis, around);
    /* Before the first record, and after the last one, the clock stands still. */
    if (!around[0].is_known)
        return around[1].is_known ? around[1].time * unit_ns : 0;
    if (!around[1].is_known)
        return around[0].time * unit_ns;
    if (around[1].axis * unit_ns == time_ns)
        return around[1].time * unit_ns;
    uint64_t axis_step = (around[1].axis - around[0].axis) * unit_ns;
    uint64_t step =
        around[1].time > around[0].time ? (around[1].time - around[0].time) * unit_ns : 0;
    return around[0].time * unit_ns +
           tv_mul_div(step, time_ns - around[0].axis * unit_ns, axis_step);
}

/* The range of a selection without one. */
static const struct tv_thread_range all_time = {
    .from_ns = {0, 0},
    .to_ns = {UINT64_MAX, UINT64_MAX},
    .from = 0,
    .to = UINT64_MAX,
};

/* An edge at 0, or at the end of the trace, is open: it cuts no call, whatever the clocks of the
 * thread say there. */
struct tv_thread_range tv_thread_range_of(const struct tv_index *index, uint32_t thread_ix,
                                          const struct tv_selection *selection)
{
    struct tv_thread_range range = all_time;
    if (!selection->has_range)
        return range;
    if (selection->edges)
        return *selection->edges;
    uint64_t unit_ns = index->info->unit_ns;
    bool reaches_end = selection->to_ns >= tv_axis_len_ns(index);
    range.from = selection->from_ns / unit_ns + (selection->from_ns % unit_ns != 0);
    if (!reaches_end)
        range.to = selection->to_ns / unit_ns + (selection->to_ns % unit_ns != 0);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!index->info->has_clock[clock])
            continue;
        if (selection->from_ns)
            range.from_ns[clock] =
                tv_thread_time_at(index, thread_ix, (enum tv_clock)clock, selection->from_ns);
        if (!reaches_end)
            range.to_ns[clock] =
                tv_thread_time_at(index, thread_ix, (enum tv_clock)clock, selection->to_ns);
    }
    return range;
}

/* A call that lasts to the end of the trace includes the calls of length zero at the end. */
struct tv_thread_range tv_call_range(const struct tv_index *index, uint32_t thread_ix,
                                     uint64_t call)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    enum tv_clock axis = tv_index_axis(index);
    struct tv_thread_range range = all_time;
    range.from = tv_index_start(index, thread, axis, call);
    range.to = range.from + tv_index_duration(index, thread, axis, call);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!index->info->has_clock[clock])
            continue;
        uint64_t start = tv_index_start(index, thread, (enum tv_clock)clock, call);
        uint64_t duration = tv_index_duration(index, thread, (enum tv_clock)clock, call);
        range.from_ns[clock] = start * index->info->unit_ns;
        range.to_ns[clock] = (start + duration) * index->info->unit_ns;
    }
    if (range.to >= index->info->axis_len)
        range.to = UINT64_MAX;
    range.is_call = true;
    range.call = call;
    range.call_row = thread->row_first + index->node_depth[index->call_node[call]];
    return range;
}

/* Whether `call` has no length on the axis, stands where the range of another call begins, and had
 * ended before that call began on the other clock. */
static bool is_over_before(const struct tv_index *index, const struct tv_index_thread *thread,
                           uint64_t call, const struct tv_thread_range *range)
{
    enum tv_clock axis = tv_index_axis(index);
    enum tv_clock other = axis == TV_CLOCK_WALL ? TV_CLOCK_CPU : TV_CLOCK_WALL;
    if (!index->info->has_clock[other] || tv_index_duration(index, thread, axis, call) ||
        tv_index_start(index, thread, axis, call) != range->from)
        return false;
    uint64_t end =
        tv_index_start(index, thread, other, call) + tv_index_duration(index, thread, other, call);
    return end * index->info->unit_ns <= range->from_ns[other];
}

struct tv_slice tv_slice_of(const struct tv_index *index, uint32_t thread_ix, uint32_t row_ix,
                            const struct tv_thread_range *range)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    const struct tv_index_row *row = &index->rows[row_ix];
    enum tv_clock axis = tv_index_axis(index);
    struct tv_slice slice = {
        .first = row->call_first, .end = row->call_first + row->call_count, .spanning = UINT64_MAX};
    uint64_t from_ns = range->from_ns[axis];
    if (range->is_call && range->call_row == row_ix)
        return (struct tv_slice){.first = range->call,
                                 .end = range->call + 1,
                                 .spanning = UINT64_MAX,
                                 .last_is_cut = true};
    if (range->from)
        slice.first = tv_index_first_starting_at(index, thread_ix, row_ix, range->from);
    if (range->to != UINT64_MAX)
        slice.end = tv_index_first_starting_at(index, thread_ix, row_ix, range->to);
    if (slice.end < slice.first)
        slice.end = slice.first;
    while (range->is_call && slice.first < slice.end &&
           is_over_before(index, thread, slice.first, range))
        slice.first++;
    /* Only the call before the first one can reach into the range. */
    if (slice.first > row->call_first) {
        uint64_t end = tv_index_start(index, thread, axis, slice.first - 1) +
                       tv_index_duration(index, thread, axis, slice.first - 1);
        if (end * index->info->unit_ns >= from_ns) {
            slice.spanning = slice.first - 1;
            slice.spanning_overlaps = end * index->info->unit_ns > from_ns;
        }
    }
    /* The last call that starts inside may end outside. */
    if (slice.end > slice.first && range->to != UINT64_MAX) {
        uint64_t end = tv_index_start(index, thread, axis, slice.end - 1) +
                       tv_index_duration(index, thread, axis, slice.end - 1);
        slice.last_is_cut = end * index->info->unit_ns >= range->to_ns[axis];
    }
    return slice;
}

/* The duration that is left when both ends of the call are moved into the range. */
uint64_t tv_call_inside_ns(const struct tv_index *index, const struct tv_index_thread *thread,
                           enum tv_clock clock, uint64_t call, const struct tv_thread_range *range)
{
    uint64_t start = tv_index_start(index, thread, clock, call) * index->info->unit_ns;
    uint64_t end = start + tv_index_duration(index, thread, clock, call) * index->info->unit_ns;
    if (start < range->from_ns[clock])
        start = range->from_ns[clock];
    if (end > range->to_ns[clock])
        end = range->to_ns[clock];
    return end > start ? end - start : 0;
}

static uint64_t last_call_of(const struct tv_index *index, const struct tv_index_thread *thread,
                             uint32_t depth)
{
    const struct tv_index_row *row = &index->rows[thread->row_first + depth];
    return row->call_first + row->call_count - 1;
}

uint32_t tv_open_node(const struct tv_index *index, const struct tv_index_thread *thread,
                      uint32_t depth)
{
    return index->call_node[last_call_of(index, thread, depth)];
}

/* All open calls of a thread end together, so the innermost one has the unrecorded stretch if any
 * of them has it. */
uint64_t tv_thread_unrecorded_ns(const struct tv_index *index, uint32_t thread_ix,
                                 const struct tv_selection *selection)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    if (tv_index_axis(index) != TV_CLOCK_WALL || !thread->open_depth)
        return 0;
    const uint64_t call = last_call_of(index, thread, thread->open_depth - 1);
    const uint64_t start = tv_index_start(index, thread, TV_CLOCK_WALL, call);
    const uint64_t last = thread->last[TV_CLOCK_WALL];
    uint64_t from_ns = (last > start ? last : start) * index->info->unit_ns;
    uint64_t to_ns =
        (start + tv_index_duration(index, thread, TV_CLOCK_WALL, call)) * index->info->unit_ns;
    if (!tv_call_set_has(selection->set, index->call_node[call], call))
        return 0;
    if (selection->has_range && from_ns < selection->from_ns)
        from_ns = selection->from_ns;
    if (selection->has_range && to_ns > selection->to_ns)
        to_ns = selection->to_ns;
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

uint64_t tv_unrecorded_ns(const struct tv_index *index, const struct tv_selection *selection)
{
    const uint32_t count = tv_selection_thread_count(selection, index);
    uint64_t sum_ns = 0;
    for (uint32_t i = 0; i < count; i++)
        sum_ns += tv_thread_unrecorded_ns(index, tv_selection_thread(selection, i), selection);
    return sum_ns;
}
