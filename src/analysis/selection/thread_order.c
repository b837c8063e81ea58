/*
 * The busiest threads first; see analysis/selection/thread_order.h. In a trace without clocks the
 * threads with the most records are the busiest. The ordinal decides between equal ones, so the
 * order does not depend on how the sort works.
 */
#include "analysis/selection/thread_order.h"

int tv_thread_order(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_index *index = ctx;
    enum tv_clock clock = tv_index_default_clock(index);
    bool has_times = index->info->has_clock[clock];
    uint64_t busy_a = has_times ? index->threads[a].root_total[clock] : index->threads[a].records;
    uint64_t busy_b = has_times ? index->threads[b].root_total[clock] : index->threads[b].records;
    if (busy_a != busy_b)
        return busy_a > busy_b ? -1 : 1;
    return (a > b) - (a < b);
}
