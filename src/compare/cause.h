/*
 * Why a time changed, split exactly: new less old is (new calls less old calls) times the old cost
 * of a call, and new calls times (new cost less old cost). A cost is a time over calls.
 */
#ifndef TV_COMPARE_CAUSE_H
#define TV_COMPARE_CAUSE_H

#include <stdint.h>

struct tv_calls_and_time {
    uint64_t calls;
    uint64_t time_ns;
};

struct tv_cause {
    int64_t by_calls_ns; /* rounded towards zero */
    int64_t by_cost_ns;  /* all the rest: both add up to new less old */
};

/* What is new, and has no old cost, changed by its calls. Times are at most 2^62 ns; a part that
 * would be more, of calls without measure, is 2^62 ns. */
struct tv_cause tv_cause_of(struct tv_calls_and_time old_side, struct tv_calls_and_time new_side);

#endif
