/*
 * CPU time that is certain in a sampled trace; see analysis/calls/stayed.h.
 *
 * Two passes. The first collects the moments of all records of all threads (the starts and ends of
 * calls), sorted, and from the distances of neighbours on one thread the shortest interval between
 * looks. The second goes through each row of calls: the stretches of a call between its callees are
 * where its stack was innermost, and each stretch has its CPU time on both sides of the last look.
 */
#include "analysis/calls/stayed.h"

#include "base/memory/search.h"
#include "base/memory/sort.h"
#include "base/str.h"

/* Of the distances between neighbouring moments of a thread, the share that is below the interval
 * by accident: the first percentile is taken, as where a sampled trace is recognised. */
#define SHORTEST_SHARE 100u

struct looks {
    const struct tv_index *index;
    const struct tv_alloc *alloc;
    uint64_t *moments; /* of all threads, ascending; units on the wall clock */
    uint64_t count;
    uint64_t interval; /* units: looks at one thread are further apart */
};

bool tv_sampled_cpu_is_of_before(const struct tv_index *index)
{
    return index->info->is_sampled && tv_index_has_wait(index) &&
           !tv_index_property_of(index, TV_STR("sampling-interval-usec")).at;
}

/* Adds the moments of a thread behind those that are there, and its distances to the list. */
static enum tv_code add_thread(struct looks *looks, const struct tv_index_thread *thread,
                               uint64_t *gaps, uint64_t *gap_count, struct tv_error *err)
{
    uint64_t *own = looks->moments + looks->count;
    uint64_t count = 0;
    for (uint64_t call = thread->call_first; call < thread->call_first + thread->calls; call++) {
        const uint64_t start = tv_index_start(looks->index, thread, TV_CLOCK_WALL, call);
        own[count++] = start;
        own[count++] = start + tv_index_duration(looks->index, thread, TV_CLOCK_WALL, call);
    }
    TV_TRY(tv_sort_u64(looks->alloc, own, (size_t)count, err));
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (kept && own[kept - 1] == own[i])
            continue;
        if (kept)
            gaps[(*gap_count)++] = own[i] - own[kept - 1];
        own[kept++] = own[i];
    }
    looks->count += kept;
    return TV_OK;
}

static enum tv_code collect(struct looks *looks, uint64_t *gaps, struct tv_error *err)
{
    uint64_t gap_count = 0;
    for (uint32_t i = 0; i < looks->index->thread_count; i++)
        TV_TRY(add_thread(looks, &looks->index->threads[i], gaps, &gap_count, err));
    TV_TRY(tv_sort_u64(looks->alloc, looks->moments, (size_t)looks->count, err));
    TV_TRY(tv_sort_u64(looks->alloc, gaps, (size_t)gap_count, err));
    looks->interval = gap_count ? gaps[gap_count / SHORTEST_SHARE] : 0;
    return TV_OK;
}

/* The last look at or before `time` that the trace knows of; 0: none. */
static uint64_t look_before(const struct looks *looks, uint64_t time)
{
    const struct tv_ascending moments = TV_ASCENDING(looks->moments, (size_t)looks->count);
    const size_t at = tv_search_containing(moments, time);
    return looks->count && looks->moments[at] <= time ? looks->moments[at] : 0;
}

/* A moment of a thread on both clocks, in units. */
struct moment {
    uint64_t time[TV_CLOCK_COUNT];
};

static struct moment start_of(const struct tv_index *index, const struct tv_index_thread *thread,
                              uint64_t call)
{
    return (struct moment){{[TV_CLOCK_WALL] = tv_index_start(index, thread, TV_CLOCK_WALL, call),
                            [TV_CLOCK_CPU] = tv_index_start(index, thread, TV_CLOCK_CPU, call)}};
}

static struct moment end_of(const struct tv_index *index, const struct tv_index_thread *thread,
                            uint64_t call)
{
    struct moment end = start_of(index, thread, call);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        end.time[clock] += tv_index_duration(index, thread, (enum tv_clock)clock, call);
    return end;
}

/* The CPU time of a stretch that stayed, in units. */
static uint64_t stayed_of(const struct looks *looks, struct moment from, struct moment to)
{
    const uint64_t end = to.time[TV_CLOCK_WALL];
    const uint64_t cpu = to.time[TV_CLOCK_CPU] > from.time[TV_CLOCK_CPU]
                             ? to.time[TV_CLOCK_CPU] - from.time[TV_CLOCK_CPU]
                             : 0;
    if (!cpu || end < looks->interval)
        return 0;
    const uint64_t look = look_before(looks, end - looks->interval);
    const uint64_t open = look > from.time[TV_CLOCK_WALL] ? end - look : UINT64_MAX;
    return cpu > open ? cpu - open : 0;
}

/* Adds the stretches of one call; *callee is the first call of the row below that may be its own,
 * and is moved on behind the call's last one. */
static uint64_t stayed_of_call(const struct looks *looks, const struct tv_index_thread *thread,
                               uint64_t call, uint64_t *callee, uint64_t callees_end)
{
    const struct tv_index *index = looks->index;
    struct moment from = start_of(index, thread, call);
    const struct moment end = end_of(index, thread, call);
    uint64_t stayed = 0;
    for (; *callee < callees_end; (*callee)++) {
        const struct moment start = start_of(index, thread, *callee);
        if (start.time[TV_CLOCK_WALL] >= end.time[TV_CLOCK_WALL])
            break;
        stayed += stayed_of(looks, from, start);
        from = end_of(index, thread, *callee);
    }
    return stayed + stayed_of(looks, from, end);
}

static void add_rows(const struct looks *looks, const struct tv_index_thread *thread,
                     uint64_t *stayed_ns)
{
    const struct tv_index *index = looks->index;
    for (uint32_t depth = 0; depth < thread->max_depth; depth++) {
        const struct tv_index_row *row = &index->rows[thread->row_first + depth];
        const bool has_callees = depth + 1 < thread->max_depth;
        uint64_t callee = has_callees ? row[1].call_first : 0;
        const uint64_t callees_end = has_callees ? row[1].call_first + row[1].call_count : 0;
        for (uint64_t i = 0; i < row->call_count; i++) {
            const uint64_t call = row->call_first + i;
            const uint32_t method = index->node_method[index->call_node[call]];
            stayed_ns[method] += stayed_of_call(looks, thread, call, &callee, callees_end) *
                                 (uint64_t)index->info->unit_ns;
        }
    }
}

enum tv_code tv_stayed_add(const struct tv_index *index, const struct tv_selection *selection,
                           const struct tv_alloc *alloc, uint64_t *stayed_ns, struct tv_error *err)
{
    struct looks looks = {.index = index, .alloc = alloc};
    uint64_t *gaps = NULL;
    const size_t most = (size_t)index->call_count * 2;
    TV_TRY(tv_alloc_new(alloc, &looks.moments, most, sizeof(*looks.moments), err));
    enum tv_code code = tv_alloc_new(alloc, &gaps, most, sizeof(*gaps), err);
    if (code == TV_OK)
        code = collect(&looks, gaps, err);
    tv_alloc_release(alloc, &gaps, most, sizeof(*gaps));
    for (uint32_t i = 0; code == TV_OK && i < tv_selection_thread_count(selection, index); i++)
        add_rows(&looks, &index->threads[tv_selection_thread(selection, i)], stayed_ns);
    tv_alloc_release(alloc, &looks.moments, most, sizeof(*looks.moments));
    return code;
}
