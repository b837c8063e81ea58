/*
 * Adding calls to the sums of their nodes; see analysis/selection/sums_add.h.
 *
 * The calls of a row that lie in a range are one slice of the row's columns. Only the calls at its
 * two ends can be cut by the edges of the range; these are added one by one, all others by a loop
 * over the columns.
 */
#include "analysis/selection/sums_add.h"

#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/error.h"

/* A task has about this many calls or rows, whichever comes first. */
#define TASK_CALLS 65536u
#define TASK_ROWS 4096u

/* How many calls ahead the sums of a call's node are prefetched. */
#define CALLS_AHEAD 24u

void tv_sums_adder_init(struct tv_sums_adder *adder, const struct tv_alloc *alloc)
{
    *adder = (struct tv_sums_adder){.alloc = alloc};
}

void tv_sums_adder_release(struct tv_sums_adder *adder)
{
    tv_alloc_release(adder->alloc, &adder->tasks, adder->task_cap, sizeof(*adder->tasks));
    tv_alloc_release(adder->alloc, &adder->ranges, adder->thread_count, sizeof(*adder->ranges));
    tv_sums_adder_init(adder, adder->alloc);
}

/* Cuts the rows of one selected thread into tasks. A row is never cut: its nodes belong
 * to one task. */
static enum tv_code add_tasks(struct tv_sums_adder *adder, uint32_t thread, struct tv_error *err)
{
    const struct tv_index *index = adder->index;
    const struct tv_index_thread *of =
        &index->threads[tv_selection_thread(adder->selection, thread)];
    uint32_t first = of->row_first;
    uint64_t calls = 0;
    for (uint32_t row_ix = first; row_ix < of->row_first + of->max_depth; row_ix++) {
        calls += index->rows[row_ix].call_count;
        bool is_last = row_ix + 1 == of->row_first + of->max_depth;
        if (!is_last && calls < TASK_CALLS && row_ix + 1 - first < TASK_ROWS)
            continue;
        TV_TRY(tv_alloc_grow(adder->alloc, &adder->tasks, &adder->task_cap, adder->task_count + 1,
                             sizeof(*adder->tasks), err));
        adder->tasks[adder->task_count++] =
            (struct tv_sums_adder_task){thread, first, row_ix + 1, 0};
        first = row_ix + 1;
        calls = 0;
    }
    return TV_OK;
}

/* A row of a task, and the slice of it that is inside the range. */
struct selected_row {
    const struct tv_index_thread *thread;
    const struct tv_index_row *row;
    const struct tv_thread_range *range;
    struct tv_slice slice;
};

static struct selected_row row_of(const struct tv_sums_adder *adder,
                                  const struct tv_sums_adder_task *task, uint32_t row_ix)
{
    uint32_t thread_ix = tv_selection_thread(adder->selection, task->thread);
    const struct tv_thread_range *range = &adder->ranges[task->thread];
    return (struct selected_row){.thread = &adder->index->threads[thread_ix],
                                 .row = &adder->index->rows[row_ix],
                                 .range = range,
                                 .slice = tv_slice_of(adder->index, thread_ix, row_ix, range)};
}

static void count_task(void *arg, size_t task_ix)
{
    const struct tv_sums_adder *adder = arg;
    struct tv_sums_adder_task *task = &adder->tasks[task_ix];
    for (uint32_t row_ix = task->row_first; row_ix < task->row_end; row_ix++) {
        struct tv_slice slice = row_of(adder, task, row_ix).slice;
        task->calls_inside += slice.end - slice.first + (slice.spanning != UINT64_MAX);
    }
}

/* Two tasks may not write to one mark: nodes of a row belong to one task. */
static void mark_task(void *arg, size_t task_ix)
{
    const struct tv_sums_adder *adder = arg;
    const struct tv_sums_adder_task *task = &adder->tasks[task_ix];
    const uint32_t *node = adder->index->call_node;
    if (tv_is_unwanted(adder->pool->is_unwanted))
        return;
    for (uint32_t row_ix = task->row_first; row_ix < task->row_end; row_ix++) {
        struct tv_slice slice = row_of(adder, task, row_ix).slice;
        if (slice.spanning != UINT64_MAX)
            adder->marks[node[slice.spanning]] = 1;
        for (uint64_t call = slice.first; call < slice.end; call++)
            adder->marks[node[call]] = 1;
    }
}

/* Columns for adding whole calls, or subtracting them: `sign` is 1, or UINT64_MAX, which is -1
 * modulo 2^64. */
struct adding {
    uint64_t *sums;
    const uint32_t *slot_of; /* NULL: the number of a node is that of the index */
    const uint32_t *node;    /* the node of each call, from the thread's first call on */
    /* Durations in the same way; NULL: the trace lacks the clock. */
    const uint8_t *durations[TV_CLOCK_COUNT];
    uint64_t sign;
    uint64_t unit_ns; /* nanoseconds of a unit, times sign */
};

TV_INLINE uint64_t *sum_of(uint64_t *sums, const uint32_t *slot_of, uint32_t node)
{
    return sums + (size_t)(slot_of ? slot_of[node] : node) * TV_SUM_SLOT_COUNT;
}

/* The inner loops: one function per width of durations, with a loop for two clocks and one for a
 * single clock. first and end count from the thread's first call, as the columns do. Sums of listed
 * nodes are few and need no prefetching. */
#define DEFINE_ADD_CALLS(name, type)                                                               \
    static void name(const struct adding *adding, uint64_t first, uint64_t end)                    \
    {                                                                                              \
        const struct adding of = *adding;                                                          \
        const type *wall = (const type *)(const void *)of.durations[0];                            \
        const type *cpu = (const type *)(const void *)of.durations[1];                             \
        const type *only = wall ? wall : cpu;                                                      \
        size_t slot = wall ? TV_SUM_INCLUSIVE : TV_SUM_INCLUSIVE + 1;                              \
        for (uint64_t i = first; wall && cpu && i < end; i++) {                                    \
            if (!of.slot_of && i + CALLS_AHEAD < end)                                              \
                TV_PREFETCH(of.sums + (size_t)of.node[i + CALLS_AHEAD] * TV_SUM_SLOT_COUNT);       \
            uint64_t *sum = sum_of(of.sums, of.slot_of, of.node[i]);                               \
            sum[TV_SUM_CALLS] += of.sign;                                                          \
            sum[TV_SUM_INCLUSIVE] += wall[i] * of.unit_ns;                                         \
            sum[TV_SUM_INCLUSIVE + 1] += cpu[i] * of.unit_ns;                                      \
        }                                                                                          \
        for (uint64_t i = first; !(wall && cpu) && i < end; i++) {                                 \
            uint64_t *sum = sum_of(of.sums, of.slot_of, of.node[i]);                               \
            sum[TV_SUM_CALLS] += of.sign;                                                          \
            sum[slot] += only[i] * of.unit_ns;                                                     \
        }                                                                                          \
    }

DEFINE_ADD_CALLS(add_short_calls, uint16_t)
DEFINE_ADD_CALLS(add_narrow_calls, uint32_t)
DEFINE_ADD_CALLS(add_wide_calls, uint64_t)

/* Up to FEW_CALLS calls are looked at one by one, which is quicker than searching for long ones. */
#define FEW_CALLS 32u

/* Whether one of the calls [first, end) may be a long one. */
static bool may_be_long(const struct adding *adding, unsigned clock, uint64_t first, uint64_t end)
{
    const uint16_t *durations = (const uint16_t *)(const void *)adding->durations[clock];
    bool is_long = end - first > FEW_CALLS;
    for (uint64_t i = first; !is_long && i < end; i++)
        is_long = durations[i] == TV_LONG_DURATION;
    return is_long;
}

/* Adds what durations of 2 bytes leave out: the columns say TV_LONG_DURATION for each longer call,
 * and the loops have added that. */
static void add_long_durations(const struct tv_sums_adder *adder,
                               const struct tv_index_thread *thread, const struct adding *adding,
                               uint64_t first, uint64_t end)
{
    const struct tv_index *index = adder->index;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!adding->durations[clock] ||
            !may_be_long(adding, clock, first - thread->call_first, end - thread->call_first))
            continue;
        struct tv_index_long_calls long_calls =
            tv_index_long_calls_of(index, thread, (enum tv_clock)clock, first, end);
        for (uint64_t i = 0; i < long_calls.count; i++) {
            uint32_t node = index->call_node[long_calls.at[i].call];
            sum_of(adder->sums, adder->slot_of, node)[TV_SUM_INCLUSIVE + clock] +=
                (long_calls.at[i].duration - TV_LONG_DURATION) * adding->unit_ns;
        }
    }
}

/* Adds the calls [first, end) of a row as a whole, or subtracts them, with the loop for the
 * thread's width. */
static void add_calls(const struct tv_sums_adder *adder, const struct tv_index_thread *thread,
                      uint64_t first, uint64_t end, uint64_t sign)
{
    const struct tv_index *index = adder->index;
    struct adding adding = {.sums = adder->sums,
                            .slot_of = adder->slot_of,
                            .node = index->call_node + thread->call_first,
                            .sign = sign,
                            .unit_ns = sign * index->info->unit_ns};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (index->info->has_clock[clock])
            adding.durations[clock] = index->times + thread->time_off[2 * clock + 1];
    }
    bool is_short = thread->duration_len == sizeof(uint16_t);
    (is_short ? add_short_calls
     : thread->is_wide
         ? add_wide_calls
         : add_narrow_calls)(&adding, first - thread->call_first, end - thread->call_first);
    if (is_short)
        add_long_durations(adder, thread, &adding, first, end);
}

void tv_sums_adder_add_calls(const struct tv_sums_adder *adder,
                             const struct tv_index_thread *thread, uint64_t first, uint64_t end)
{
    add_calls(adder, thread, first, end, 1);
}

void tv_sums_adder_add_cut(const struct tv_sums_adder *adder, const struct tv_index_thread *thread,
                           const struct tv_thread_range *range, uint64_t call, bool is_counted)
{
    const struct tv_index *index = adder->index;
    uint64_t *sum = sum_of(adder->sums, adder->slot_of, index->call_node[call]);
    sum[TV_SUM_CALLS] += is_counted;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (index->info->has_clock[clock])
            sum[TV_SUM_INCLUSIVE + clock] +=
                tv_call_inside_ns(index, thread, (enum tv_clock)clock, call, range);
    }
}

/* A call that only ends at the start of the range may have CPU time in it, but is not counted
 * (docs/numbers.md). */
static void add_cut_calls(const struct tv_sums_adder *adder, const struct selected_row *row)
{
    if (row->slice.spanning != UINT64_MAX)
        tv_sums_adder_add_cut(adder, row->thread, row->range, row->slice.spanning,
                              row->slice.spanning_overlaps);
    if (row->slice.last_is_cut)
        tv_sums_adder_add_cut(adder, row->thread, row->range, row->slice.end - 1, true);
}

static void add_task(void *arg, size_t task_ix)
{
    const struct tv_sums_adder *adder = arg;
    const struct tv_sums_adder_task *task = &adder->tasks[task_ix];
    if (tv_is_unwanted(adder->pool->is_unwanted))
        return;
    for (uint32_t row_ix = task->row_first; row_ix < task->row_end; row_ix++) {
        struct selected_row row = row_of(adder, task, row_ix);
        add_cut_calls(adder, &row);
        add_calls(adder, row.thread, row.slice.first, row.slice.end - row.slice.last_is_cut, 1);
    }
}

/* Subtracts all calls that are not inside as a whole, cut ones included; then adds the parts of the
 * cut ones that are inside. A spanning call stands before the slice, so it is subtracted with the
 * calls before. */
static void subtract_task(void *arg, size_t task_ix)
{
    const struct tv_sums_adder *adder = arg;
    const struct tv_sums_adder_task *task = &adder->tasks[task_ix];
    if (tv_is_unwanted(adder->pool->is_unwanted))
        return;
    for (uint32_t row_ix = task->row_first; row_ix < task->row_end; row_ix++) {
        struct selected_row row = row_of(adder, task, row_ix);
        uint64_t row_end = row.row->call_first + row.row->call_count;
        add_calls(adder, row.thread, row.row->call_first, row.slice.first, UINT64_MAX);
        add_calls(adder, row.thread, row.slice.end - row.slice.last_is_cut, row_end, UINT64_MAX);
        add_cut_calls(adder, &row);
    }
}

/* Counting first tells whether more calls lie inside the range or outside of it, and so whether
 * adding or subtracting is cheaper (sums.c). */
enum tv_code tv_sums_adder_prepare(struct tv_sums_adder *adder, const struct tv_index *index,
                                   const struct tv_selection *selection, const struct tv_pool *pool,
                                   struct tv_error *err)
{
    uint32_t thread_count = tv_selection_thread_count(selection, index);
    adder->index = index;
    adder->selection = selection;
    adder->pool = pool;
    TV_TRY(tv_alloc_new(adder->alloc, &adder->ranges, thread_count, sizeof(*adder->ranges), err));
    adder->thread_count = thread_count;
    for (uint32_t i = 0; i < thread_count; i++) {
        uint32_t thread_ix = tv_selection_thread(selection, i);
        adder->ranges[i] = tv_thread_range_of(index, thread_ix, selection);
        adder->calls_outside += index->threads[thread_ix].calls;
        TV_TRY(add_tasks(adder, i, err));
    }
    pool->run(pool->ctx, count_task, adder, adder->task_count);
    for (size_t i = 0; i < adder->task_count; i++)
        adder->calls_inside += adder->tasks[i].calls_inside;
    adder->calls_outside -= adder->calls_inside;
    return TV_OK;
}

void tv_sums_adder_mark(struct tv_sums_adder *adder)
{
    adder->pool->run(adder->pool->ctx, mark_task, adder, adder->task_count);
}

void tv_sums_adder_add(struct tv_sums_adder *adder)
{
    adder->pool->run(adder->pool->ctx, add_task, adder, adder->task_count);
}

void tv_sums_adder_subtract(struct tv_sums_adder *adder)
{
    adder->pool->run(adder->pool->ctx, subtract_task, adder, adder->task_count);
}
