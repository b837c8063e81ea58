/* Sums per node for a selection; see analysis/sums.h. */
#include "analysis/sums.h"

#include "base/alloc.h"
#include "base/error.h"

/* Rows are handed out in runs of about this many calls or rows, whichever comes first. */
#define TASK_CALLS 65536u
#define TASK_ROWS 4096u

struct sweep_task {
    uint32_t thread; /* position among the selected threads */
    uint32_t row_first;
    uint32_t row_end;
};

struct sweep {
    const struct tv_index *index;
    const struct tv_selection *selection;
    const struct tv_thread_range *ranges; /* one per selected thread */
    struct sweep_task *tasks;
    size_t task_count;
    size_t task_cap;
    uint64_t *sums;
};

void tv_sums_init(struct tv_sums *sums, const struct tv_alloc *alloc)
{
    *sums = (struct tv_sums){.alloc = alloc};
}

void tv_sums_release(struct tv_sums *sums)
{
    tv_alloc_free(sums->alloc, sums->owned, sums->owned_count, sizeof(*sums->owned));
    tv_sums_init(sums, sums->alloc);
}

/*
 * The inner loops: one per width, and per number of clocks. first and end count from the thread's
 * first call, as the time columns do; `node` points at the thread's first call, too.
 */
#define DEFINE_ADD_CALLS(name, type)                                                               \
    static void name(uint64_t *sums, const uint32_t *node, const uint8_t *const durations[2],      \
                     uint64_t first, uint64_t end, uint64_t unit_ns)                               \
    {                                                                                              \
        const type *wall = (const type *)(const void *)durations[0];                               \
        const type *cpu = (const type *)(const void *)durations[1];                                \
        if (wall && cpu) {                                                                         \
            for (uint64_t i = first; i < end; i++) {                                               \
                uint64_t *sum = sums + (size_t)node[i] * TV_SUM_SLOT_COUNT;                        \
                sum[TV_SUM_CALLS]++;                                                               \
                sum[TV_SUM_INCLUSIVE] += wall[i] * unit_ns;                                        \
                sum[TV_SUM_INCLUSIVE + 1] += cpu[i] * unit_ns;                                     \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        const type *one = wall ? wall : cpu;                                                       \
        size_t slot = wall ? TV_SUM_INCLUSIVE : TV_SUM_INCLUSIVE + 1;                              \
        for (uint64_t i = first; i < end; i++) {                                                   \
            uint64_t *sum = sums + (size_t)node[i] * TV_SUM_SLOT_COUNT;                            \
            sum[TV_SUM_CALLS]++;                                                                   \
            sum[slot] += one[i] * unit_ns;                                                         \
        }                                                                                          \
    }

DEFINE_ADD_CALLS(add_short_calls, uint16_t)
DEFINE_ADD_CALLS(add_narrow_calls, uint32_t)
DEFINE_ADD_CALLS(add_wide_calls, uint64_t)

/* What durations of 2 bytes leave out. */
static void add_longs(const struct sweep *sweep, const struct tv_index_thread *thread,
                      uint64_t first, uint64_t end)
{
    const struct tv_index *index = sweep->index;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        struct tv_index_longs longs =
            tv_index_longs_of(index, thread, (enum tv_clock)clock, first, end);
        for (uint64_t i = 0; i < longs.count; i++) {
            uint64_t *sum =
                sweep->sums + (size_t)index->call_node[longs.at[i].call] * TV_SUM_SLOT_COUNT;
            sum[TV_SUM_INCLUSIVE + clock] +=
                (longs.at[i].duration - TV_LONG_DURATION) * index->info->unit_ns;
        }
    }
}

static void add_cut_call(const struct sweep *sweep, const struct tv_index_thread *thread,
                         uint64_t call, const struct tv_thread_range *range, bool is_counted)
{
    uint64_t *sum = sweep->sums + (size_t)sweep->index->call_node[call] * TV_SUM_SLOT_COUNT;
    sum[TV_SUM_CALLS] += is_counted;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (sweep->index->info->has_clock[clock])
            sum[TV_SUM_INCLUSIVE + clock] +=
                tv_call_inside_ns(sweep->index, thread, (enum tv_clock)clock, call, range);
    }
}

static void sweep_row(const struct sweep *sweep, uint32_t thread_ix, uint32_t row_ix,
                      const struct tv_thread_range *range)
{
    const struct tv_index *index = sweep->index;
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    struct tv_slice slice = tv_slice_of(index, thread_ix, row_ix, range);
    if (slice.spanning != UINT64_MAX)
        add_cut_call(sweep, thread, slice.spanning, range, slice.spanning_overlaps);
    if (slice.last_is_cut)
        add_cut_call(sweep, thread, --slice.end, range, true);
    const uint8_t *durations[2] = {NULL, NULL};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (index->info->has_clock[clock])
            durations[clock] = index->times + thread->time_off[2 * clock + 1];
    }
    bool is_short = thread->duration_len == sizeof(uint16_t);
    (is_short          ? add_short_calls
     : thread->is_wide ? add_wide_calls
                       : add_narrow_calls)(sweep->sums, index->call_node + thread->call_first,
                                           durations, slice.first - thread->call_first,
                                           slice.end - thread->call_first, index->info->unit_ns);
    add_longs(sweep, thread, slice.first, slice.end);
}

static void run_task(void *arg, size_t task_ix)
{
    const struct sweep *sweep = arg;
    const struct sweep_task *task = &sweep->tasks[task_ix];
    uint32_t thread_ix = tv_selection_thread(sweep->selection, task->thread);
    for (uint32_t row_ix = task->row_first; row_ix < task->row_end; row_ix++)
        sweep_row(sweep, thread_ix, row_ix, &sweep->ranges[task->thread]);
}

/* Cuts the rows of one thread into tasks. */
static enum tv_code add_tasks(struct sweep *sweep, const struct tv_alloc *alloc, uint32_t thread,
                              struct tv_error *err)
{
    const struct tv_index *index = sweep->index;
    const struct tv_index_thread *of =
        &index->threads[tv_selection_thread(sweep->selection, thread)];
    uint32_t first = of->row_first;
    uint64_t calls = 0;
    for (uint32_t row_ix = first; row_ix < of->row_first + of->max_depth; row_ix++) {
        calls += index->rows[row_ix].call_count;
        bool is_last = row_ix + 1 == of->row_first + of->max_depth;
        if (!is_last && calls < TASK_CALLS && row_ix + 1 - first < TASK_ROWS)
            continue;
        TV_TRY(tv_alloc_grow(alloc, &sweep->tasks, &sweep->task_cap, sweep->task_count + 1,
                             sizeof(*sweep->tasks), err));
        sweep->tasks[sweep->task_count++] = (struct sweep_task){thread, first, row_ix + 1};
        first = row_ix + 1;
        calls = 0;
    }
    return TV_OK;
}

/* Exclusive = inclusive less that of the children; a parent stands before its children. */
static void derive_exclusive(uint64_t *sums, const struct tv_index *index,
                             const struct tv_index_thread *thread)
{
    for (uint32_t i = 0; i < thread->node_count; i++) {
        uint32_t node = thread->node_first + i;
        uint32_t parent = index->node_parent[node];
        uint64_t *sum = sums + (size_t)node * TV_SUM_SLOT_COUNT;
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            sum[TV_SUM_EXCLUSIVE + clock] = sum[TV_SUM_INCLUSIVE + clock];
            if (parent != TV_NONE)
                sums[(size_t)parent * TV_SUM_SLOT_COUNT + TV_SUM_EXCLUSIVE + clock] -=
                    sum[TV_SUM_INCLUSIVE + clock];
        }
    }
}

/* Zeros for all nodes, and one slot more: where there are none, they are owned all the same.
 */
static enum tv_code new_slots(const struct tv_sums *sums, uint64_t **slots, size_t *count,
                              struct tv_error *err)
{
    if (!tv_size_mul(sums->index->node_count, TV_SUM_SLOT_COUNT, count) ||
        !tv_size_add(*count, 1, count))
        return tv_fail_memory(err, UINT64_MAX);
    return tv_alloc_new(sums->alloc, slots, *count, sizeof(**slots), err);
}

static enum tv_code sum_range(struct tv_sums *sums, const struct tv_pool *pool,
                              struct tv_error *err)
{
    const struct tv_index *index = sums->index;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, index);
    struct tv_thread_range *ranges = NULL;
    struct sweep sweep = {.index = index, .selection = &sums->selection};
    size_t sum_count = 0;
    TV_TRY(new_slots(sums, &sums->owned, &sum_count, err));
    sums->owned_count = sum_count;
    enum tv_code code = tv_alloc_new(sums->alloc, &ranges, thread_count, sizeof(*ranges), err);
    for (uint32_t i = 0; code == TV_OK && i < thread_count; i++) {
        ranges[i] =
            tv_thread_range_of(index, tv_selection_thread(&sums->selection, i), &sums->selection);
        code = add_tasks(&sweep, sums->alloc, i, err);
    }
    if (code == TV_OK) {
        sweep.ranges = ranges;
        sweep.sums = sums->owned;
        if (sweep.task_count)
            pool->run(pool->ctx, run_task, &sweep, sweep.task_count);
        for (uint32_t i = 0; i < thread_count; i++)
            derive_exclusive(sums->owned, index,
                             &index->threads[tv_selection_thread(&sums->selection, i)]);
    }
    tv_alloc_free(sums->alloc, sweep.tasks, sweep.task_cap, sizeof(*sweep.tasks));
    tv_alloc_free(sums->alloc, ranges, thread_count, sizeof(*ranges));
    return code;
}

/* Root calls stand in each thread's first row, whose nodes are few; a range needs its own sum. */
static void add_totals(struct tv_sums *sums)
{
    const struct tv_index *index = sums->index;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, index);
    for (uint32_t i = 0; i < thread_count; i++) {
        const struct tv_index_thread *thread =
            &index->threads[tv_selection_thread(&sums->selection, i)];
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            if (index->info->has_clock[clock] && !sums->owned)
                sums->total_ns[clock] += thread->root_total[clock] * index->info->unit_ns;
        }
        for (uint32_t n = 0; sums->owned && n < thread->node_count; n++) {
            for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
                sums->total_ns[clock] += tv_sums_exclusive(sums, clock, thread->node_first + n);
        }
    }
}

enum tv_code tv_sums_compute(struct tv_sums *sums, const struct tv_index *index,
                             const struct tv_selection *selection, const struct tv_pool *pool,
                             struct tv_error *err)
{
    tv_sums_release(sums);
    sums->index = index;
    sums->selection = *selection;
    if (selection->has_range) {
        enum tv_code code = sum_range(sums, pool ? pool : tv_pool_serial(), err);
        if (code != TV_OK) {
            tv_sums_release(sums);
            return code;
        }
    }
    add_totals(sums);
    return TV_OK;
}

/* Copies the sums of a thread's nodes that have a match at or above them; whether they do is told
 * in `has`. */
static void keep_matching(const struct tv_sums *sums, const struct tv_index_thread *thread,
                          const uint8_t *matches, uint8_t *has, uint64_t *filtered)
{
    const struct tv_index *index = sums->index;
    for (uint32_t i = 0; i < thread->node_count; i++) {
        uint32_t node = thread->node_first + i;
        uint32_t parent = index->node_parent[node];
        has[node] = matches[index->node_method[node]] || (parent != TV_NONE && has[parent]);
        if (!has[node])
            continue;
        uint64_t *sum = filtered + (size_t)node * TV_SUM_SLOT_COUNT;
        sum[TV_SUM_CALLS] = tv_sums_calls(sums, node);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            sum[TV_SUM_INCLUSIVE + clock] = tv_sums_inclusive(sums, clock, node);
            sum[TV_SUM_EXCLUSIVE + clock] = tv_sums_exclusive(sums, clock, node);
        }
    }
}

/* Gives callers above a match what is left below them; children stand behind their parents. */
static void carry_to_callers(const struct tv_sums *sums, const struct tv_index_thread *thread,
                             const uint8_t *has, uint64_t *filtered)
{
    const struct tv_index *index = sums->index;
    for (uint32_t i = thread->node_count; i-- > 0;) {
        uint32_t node = thread->node_first + i;
        uint32_t parent = index->node_parent[node];
        const uint64_t *sum = filtered + (size_t)node * TV_SUM_SLOT_COUNT;
        if (parent == TV_NONE || has[parent] || !sum[TV_SUM_CALLS])
            continue;
        uint64_t *above = filtered + (size_t)parent * TV_SUM_SLOT_COUNT;
        above[TV_SUM_CALLS] = tv_sums_calls(sums, parent);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            above[TV_SUM_INCLUSIVE + clock] += sum[TV_SUM_INCLUSIVE + clock];
    }
}

enum tv_code tv_sums_filter(struct tv_sums *sums, const uint8_t *matches, struct tv_error *err)
{
    const struct tv_index *index = sums->index;
    uint64_t *filtered = NULL;
    uint8_t *has = NULL;
    size_t sum_count = 0;
    TV_TRY(new_slots(sums, &filtered, &sum_count, err));
    enum tv_code code = tv_alloc_new(sums->alloc, &has, index->node_count, 1, err);
    if (code != TV_OK) {
        tv_alloc_free(sums->alloc, filtered, sum_count, sizeof(*filtered));
        return code;
    }
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, index);
    for (uint32_t i = 0; i < thread_count; i++) {
        const struct tv_index_thread *thread =
            &index->threads[tv_selection_thread(&sums->selection, i)];
        keep_matching(sums, thread, matches, has, filtered);
        carry_to_callers(sums, thread, has, filtered);
    }
    tv_alloc_free(sums->alloc, has, index->node_count, 1);
    tv_alloc_free(sums->alloc, sums->owned, sums->owned_count, sizeof(*sums->owned));
    sums->owned = filtered;
    sums->owned_count = sum_count;
    return TV_OK;
}

enum tv_code tv_sums_compute_matching(struct tv_sums *sums, const struct tv_index *index,
                                      const struct tv_selection *selection, const uint8_t *matches,
                                      const struct tv_pool *pool, struct tv_error *err)
{
    TV_TRY(tv_sums_compute(sums, index, selection, pool, err));
    return matches ? tv_sums_filter(sums, matches, err) : TV_OK;
}

bool tv_sums_is_touched(const struct tv_sums *sums, uint32_t node)
{
    bool is_touched = tv_sums_calls(sums, node);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        is_touched = is_touched || tv_sums_inclusive(sums, clock, node);
    return is_touched;
}

struct tv_numbers tv_sums_numbers(const struct tv_sums *sums, uint32_t node)
{
    struct tv_numbers numbers = {.calls = tv_sums_calls(sums, node)};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        numbers.inclusive_ns[clock] = tv_sums_inclusive(sums, clock, node);
        numbers.exclusive_ns[clock] = tv_sums_exclusive(sums, clock, node);
    }
    return numbers;
}

void tv_numbers_add(struct tv_numbers *to, const struct tv_numbers *more)
{
    to->calls += more->calls;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        to->inclusive_ns[clock] += more->inclusive_ns[clock];
        to->exclusive_ns[clock] += more->exclusive_ns[clock];
    }
}
