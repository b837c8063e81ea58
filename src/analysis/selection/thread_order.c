/*
 * The busiest threads first; see analysis/selection/thread_order.h. The ordinal decides between
 * equal times, so the order does not depend on how the sort works.
 */
#include "analysis/selection/thread_order.h"

int tv_thread_order(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_index *index = ctx;
    enum tv_clock clock = tv_index_default_clock(index);
    uint64_t busy_a = index->threads[a].root_total[clock];
    uint64_t busy_b = index->threads[b].root_total[clock];
    if (busy_a != busy_b)
        return busy_a > busy_b ? -1 : 1;
    return (a > b) - (a < b);
}
