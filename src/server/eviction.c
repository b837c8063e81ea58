/*
 * The rule of eviction; see server/eviction.h.
 *
 * There are too many traces when their number or the sum of their memory is over its bound. Then
 * the trace that was looked at longest ago goes, among those that can be read again, but never the
 * one that was looked at last, however large it is.
 */
#include "server/eviction.h"

static bool are_too_many(const struct tv_eviction_trace *traces, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) /* lengths of memory: their sum fits */
        bytes += traces[i].bytes;
    return count > TV_EVICTION_TRACES || bytes > TV_EVICTION_BYTES;
}

/* The one that was looked at last stays, whatever its size: somebody has it before them. */
size_t tv_eviction_choose(const struct tv_eviction_trace *traces, size_t count)
{
    size_t chosen = count;
    size_t last = 0; /* the one that was looked at last */
    if (!are_too_many(traces, count))
        return count;
    for (size_t i = 0; i < count; i++) {
        if (traces[i].looked_turn > traces[last].looked_turn)
            last = i;
    }
    for (size_t i = 0; i < count; i++) {
        bool is_earlier = chosen == count || traces[i].looked_turn < traces[chosen].looked_turn;
        if (i != last && traces[i].can_close && is_earlier)
            chosen = i;
    }
    return chosen;
}
