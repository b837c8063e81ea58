/*
 * Threads without work; see analysis/question/idle_threads.h.
 *
 * Root calls tell how long a thread existed and how long it worked, so only the outermost row of
 * each thread is read. The scope then has the busy threads as its selection, and keeps the idle
 * ones beside it so that the answer can list them. If no thread is idle, or all are, the scope
 * stays as it was.
 */
#include "analysis/question/idle_threads.h"

#include "analysis/insights/insights.h"
#include "base/error.h"
#include "base/memory/sort.h"

/* The time of a thread's root calls in the range, on both clocks. */
static struct tv_numbers thread_numbers(const struct tv_index *index, uint32_t thread_ix,
                                        const struct tv_selection *selection)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    struct tv_numbers numbers = {.calls = thread->calls};
    if (!thread->max_depth)
        return numbers;
    struct tv_thread_range range = tv_thread_range_of(index, thread_ix, selection);
    struct tv_slice slice = tv_slice_of(index, thread_ix, thread->row_first, &range);
    if (slice.spanning != UINT64_MAX)
        slice.first = slice.spanning;
    numbers.calls = slice.end - slice.first;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        for (uint64_t call = slice.first; call < slice.end; call++)
            numbers.inclusive_ns[clock] +=
                tv_call_inside_ns(index, thread, (enum tv_clock)clock, call, &range);
    }
    return numbers;
}

static int by_wait(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_idle_thread *idle = ctx;
    return (idle[a].wait_ns < idle[b].wait_ns) - (idle[a].wait_ns > idle[b].wait_ns);
}

/* Only a question about waiting that names no threads is narrowed. */
enum tv_code tv_scope_leave_idle(struct tv_scope *scope, const struct tv_index *index,
                                 struct tv_arena *arena, struct tv_error *err)
{
    const size_t most = index->thread_count + (size_t)1;
    const uint32_t main_thread = tv_main_thread(index);
    struct tv_idle_thread *idle;
    uint32_t *busy;
    uint32_t idle_count = 0;
    uint32_t busy_count = 0;
    uint64_t busy_calls = 0;
    struct tv_selection whole = scope->selection;
    whole.set = NULL; /* a thread idles in the range, whatever calls are asked about */
    if (scope->measure != TV_MEASURE_WAIT || scope->selection.threads || !tv_index_has_wait(index))
        return TV_OK;
    TV_TRY(tv_arena_take(arena, most * sizeof(*idle), &idle, err));
    TV_TRY(tv_arena_take(arena, most * sizeof(*busy), &busy, err));
    for (uint32_t i = 0; i < index->thread_count; i++) {
        struct tv_numbers numbers = thread_numbers(index, i, &scope->selection);
        uint64_t wall_ns = numbers.inclusive_ns[TV_CLOCK_WALL];
        const struct tv_idle_thread thread = {i, tv_wait_of(&numbers).inclusive_ns,
                                              tv_thread_unrecorded_ns(index, i, &whole)};
        if (i != main_thread && thread.wait_ns &&
            thread.wait_ns / TV_IDLE_PERCENT >= wall_ns / 100) {
            idle[idle_count++] = thread;
            continue;
        }
        busy[busy_count++] = i;
        busy_calls += numbers.calls;
    }
    if (!idle_count || !busy_calls)
        return TV_OK;
    TV_TRY(tv_sort_rows(arena->alloc, idle, idle_count, sizeof(*idle), by_wait, idle, err));
    scope->selection.threads = busy;
    scope->selection.thread_count = busy_count;
    scope->idle = idle;
    scope->idle_count = idle_count;
    return TV_OK;
}
