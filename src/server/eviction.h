/*
 * Which of the open traces is closed when there are too many: the one that was looked at longest
 * ago. The one that was looked at last always stays, however long its index is.
 */
#ifndef TV_SERVER_EVICTION_H
#define TV_SERVER_EVICTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many traces are open at most, and how many bytes their indexes have together. Two more traces
 * may be on their way, one for each thread of the loader. */
#define TV_EVICTION_TRACES 8u
#define TV_EVICTION_BYTES ((uint64_t)2 << 30)

/* An open trace, as far as eviction looks at it. */
struct tv_eviction_trace {
    uint64_t bytes;       /* of its index */
    uint64_t looked_turn; /* larger: later */
    bool can_close;
};

/* The place of the trace that is closed next; `count` when none needs to be, or none can be. */
size_t tv_eviction_choose(const struct tv_eviction_trace *traces, size_t count);

#endif
