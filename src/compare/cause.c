/*
 * The split of a change; see compare/cause.h.
 *
 * The part of the calls is computed, and the part of their cost is what is left, so both add up to
 * the change exactly. Times are kept within 62 bits first, so no difference overflows. Without
 * calls on the old side there is no old cost, and all of the change is of the calls.
 *
 * So a change of a method that is called twice as often and costs the same each time is wholly "by
 * calls", and one that is called as often and costs more wholly "by cost".
 */
#include "compare/cause.h"

#include <stdbool.h>

#include "analysis/selection/range.h"

#define MOST_NS (INT64_C(1) << 62)

static int64_t within(uint64_t time_ns)
{
    return time_ns < (uint64_t)MOST_NS ? (int64_t)time_ns : MOST_NS;
}

/* The double tells whether the exact product fits; only then is it computed. */
struct tv_cause tv_cause_of(struct tv_calls_and_time old_side, struct tv_calls_and_time new_side)
{
    int64_t change_ns = within(new_side.time_ns) - within(old_side.time_ns);
    if (!old_side.calls)
        return (struct tv_cause){.by_calls_ns = change_ns};
    bool is_more = new_side.calls >= old_side.calls;
    uint64_t calls = is_more ? new_side.calls - old_side.calls : old_side.calls - new_side.calls;
    double about = (double)calls * (double)old_side.time_ns / (double)old_side.calls;
    int64_t by_calls_ns =
        about < (double)MOST_NS
            ? within(tv_mul_div(calls, (uint64_t)within(old_side.time_ns), old_side.calls))
            : MOST_NS;
    if (!is_more)
        by_calls_ns = -by_calls_ns;
    return (struct tv_cause){by_calls_ns, change_ns - by_calls_ns};
}
