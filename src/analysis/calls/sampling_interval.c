/*
 * The interval of a sampler; see analysis/calls/sampling_interval.h.
 *
 * A look that finds the stack as it was before makes no record, so the median of the distances is
 * the interval or longer.
 */
#include "analysis/calls/sampling_interval.h"

#include "base/memory/sort.h"
#include "base/str.h"
#include "base/units.h"

/* More calls of a thread than sampling gives: their records are not sorted. */
#define CALLS_MOST (4u << 20)
/* No sampler looks less often than once an hour. */
#define MOST_USEC ((uint64_t)3600 * 1000000)

/* What the recorder says of it, in nanoseconds; 0: nothing, as in all files of Android. */
static uint64_t told_interval(const struct tv_index *index)
{
    uint64_t usec;
    const struct tv_str value = tv_index_property_of(index, TV_STR("sampling-interval-usec"));
    return tv_str_to_u64(value, 10, &usec) && usec <= MOST_USEC ? usec * TV_NS_PER_US : 0;
}

/* The median distance of the moments at which calls of the thread begin. */
static enum tv_code find_interval(uint64_t *interval_ns, const struct tv_alloc *alloc,
                                  const struct tv_index *index, uint32_t thread_ix,
                                  struct tv_error *err)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    const size_t calls = (size_t)thread->calls;
    uint64_t *moments = NULL;
    size_t gaps = 0;
    TV_TRY(tv_alloc_new(alloc, &moments, calls, sizeof(*moments), err));
    for (size_t i = 0; i < calls; i++)
        moments[i] = tv_index_start(index, thread, TV_CLOCK_WALL, thread->call_first + i);
    enum tv_code code = tv_sort_u64(alloc, moments, calls, err);
    for (size_t i = 1; code == TV_OK && i < calls; i++) {
        if (moments[i] != moments[i - 1])
            moments[gaps++] = moments[i] - moments[i - 1];
    }
    if (code == TV_OK && gaps)
        code = tv_sort_u64(alloc, moments, gaps, err);
    if (code == TV_OK && gaps)
        *interval_ns = moments[gaps / 2] * index->info->unit_ns;
    tv_alloc_release(alloc, &moments, calls, sizeof(*moments));
    return code;
}

enum tv_code tv_sampling_interval(uint64_t *interval_ns, const struct tv_alloc *alloc,
                                  const struct tv_index *index, uint32_t thread_ix,
                                  struct tv_error *err)
{
    const uint64_t calls = index->threads[thread_ix].calls;
    *interval_ns = told_interval(index);
    if (*interval_ns || !index->info->has_clock[TV_CLOCK_WALL] || calls < 2 || calls > CALLS_MOST)
        return TV_OK;
    return find_interval(interval_ns, alloc, index, thread_ix, err);
}
