/*
 * The curve of a thread; see analysis/timeline/curve.h. Root calls follow one another, so one pass
 * over them meets the bins in order: the bin in which the last one ended is where the next may
 * begin.
 */
#include "analysis/timeline/curve.h"

#include "analysis/selection/range.h"

void tv_curve_init(struct tv_curve *curve, const struct tv_alloc *alloc)
{
    *curve = (struct tv_curve){.alloc = alloc};
}

void tv_curve_release(struct tv_curve *curve)
{
    const struct tv_alloc *alloc = curve->alloc;
    size_t count = curve->bin_count;
    tv_alloc_release(alloc, &curve->cpu_ns, count, sizeof(*curve->cpu_ns));
    tv_alloc_release(alloc, &curve->called_ns, count, sizeof(*curve->called_ns));
    tv_alloc_release(alloc, &curve->cpu_at_ns, count + 1, sizeof(*curve->cpu_at_ns));
    tv_alloc_release(alloc, &curve->edges_ns, count + 1, sizeof(*curve->edges_ns));
    tv_curve_init(curve, alloc);
}

static bool has_cpu(const struct tv_index *index)
{
    return index->info->has_clock[TV_CLOCK_CPU] && tv_index_axis(index) == TV_CLOCK_WALL;
}

static enum tv_code make_bins(struct tv_curve *curve, const struct tv_index *index,
                              uint32_t thread_ix, uint32_t bin_count, struct tv_error *err)
{
    const struct tv_alloc *alloc = curve->alloc;
    uint64_t len = tv_axis_len_ns(index);
    curve->bin_count = bin_count;
    size_t count = bin_count;
    TV_TRY(tv_alloc_new(alloc, &curve->edges_ns, count + 1, sizeof(*curve->edges_ns), err));
    TV_TRY(tv_alloc_new(alloc, &curve->cpu_at_ns, count + 1, sizeof(*curve->cpu_at_ns), err));
    TV_TRY(tv_alloc_new(alloc, &curve->called_ns, count, sizeof(*curve->called_ns), err));
    TV_TRY(tv_alloc_new(alloc, &curve->cpu_ns, count, sizeof(*curve->cpu_ns), err));
    for (uint32_t i = 0; i <= bin_count; i++) {
        curve->edges_ns[i] = tv_mul_div(len, i, bin_count);
        if (has_cpu(index))
            curve->cpu_at_ns[i] =
                tv_thread_time_at(index, thread_ix, TV_CLOCK_CPU, curve->edges_ns[i]);
    }
    /* The first and the last edge cut nothing, whatever the clock of the thread says there. */
    curve->cpu_at_ns[0] = 0;
    curve->cpu_at_ns[bin_count] = UINT64_MAX;
    return TV_OK;
}

/* What two intervals share. */
static uint64_t shared(uint64_t from_a, uint64_t to_a, uint64_t from_b, uint64_t to_b)
{
    uint64_t from = from_a > from_b ? from_a : from_b;
    uint64_t to = to_a < to_b ? to_a : to_b;
    return to > from ? to - from : 0;
}

/* Adds a root call to the bins from `bin` on that it meets; returns the last that has time of it on
 * the axis. One that ends where a bin does may have CPU time in the next. */
static uint32_t add_call(struct tv_curve *curve, const struct tv_index *index,
                         const struct tv_index_thread *thread, uint64_t call, uint32_t bin)
{
    uint64_t unit_ns = index->info->unit_ns;
    enum tv_clock axis = tv_index_axis(index);
    uint64_t from = tv_index_start(index, thread, axis, call) * unit_ns;
    uint64_t to = from + tv_index_duration(index, thread, axis, call) * unit_ns;
    uint64_t cpu_from = 0;
    uint64_t cpu_to = 0;
    if (has_cpu(index)) {
        /* What the thread did after its last record, nothing tells. */
        uint64_t last = thread->last[TV_CLOCK_WALL] * unit_ns;
        to = to > last ? last : to;
        cpu_from = tv_index_start(index, thread, TV_CLOCK_CPU, call) * unit_ns;
        cpu_to = cpu_from + tv_index_duration(index, thread, TV_CLOCK_CPU, call) * unit_ns;
    }
    while (bin + 1 < curve->bin_count && curve->edges_ns[bin + 1] <= from)
        bin++;
    uint32_t last = bin;
    for (uint32_t at = bin; at < curve->bin_count; at++) {
        curve->called_ns[at] += shared(from, to, curve->edges_ns[at], curve->edges_ns[at + 1]);
        curve->cpu_ns[at] +=
            shared(cpu_from, cpu_to, curve->cpu_at_ns[at], curve->cpu_at_ns[at + 1]);
        if (curve->edges_ns[at] < to)
            last = at;
        if (curve->edges_ns[at + 1] >= to && curve->cpu_at_ns[at + 1] >= cpu_to)
            break;
    }
    return last;
}

enum tv_code tv_curve_compute(struct tv_curve *curve, const struct tv_index *index,
                              uint32_t thread_ix, uint32_t bin_count, const struct tv_pool *pool,
                              struct tv_error *err)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    uint32_t bin = 0;
    tv_curve_release(curve);
    TV_TRY(make_bins(curve, index, thread_ix, bin_count, err));
    if (!thread->max_depth)
        return TV_OK;
    const struct tv_index_row *roots = &index->rows[thread->row_first];
    for (uint64_t i = 0; i < roots->call_count; i++) {
        if (i % TV_WANTED_STEPS == 0 && pool)
            TV_TRY(tv_check_wanted(pool->is_unwanted, err));
        bin = add_call(curve, index, thread, roots->call_first + i, bin);
    }
    return TV_OK;
}
