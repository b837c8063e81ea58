/* The two clocks of a trace (docs/words.md): an ordinal for tables that have an entry for each; and
 * how late a clock of 32 bits may wrap. */
#ifndef TV_BASE_TRACE_CLOCK_H
#define TV_BASE_TRACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* By how much times may be behind the elapsed time of the header before a wrap is doubted. */
#define TV_ELAPSED_MARGIN_US UINT64_C(60000000)

enum tv_clock { TV_CLOCK_WALL, TV_CLOCK_CPU, TV_CLOCK_COUNT };

/* Whether a wrap to `time` would be later than the trace lasted, so that the clock was set back
 * instead, or began anew (docs/numbers.md, "Clocks"). Of a CPU clock `time` counts from the first
 * one of its thread. Microseconds; elapsed 0: nobody knows how long it lasted. */
TV_INLINE bool tv_wrap_is_too_late(int64_t time, uint64_t elapsed)
{
    return elapsed && time > 0 && (uint64_t)time > elapsed &&
           (uint64_t)time - elapsed > TV_ELAPSED_MARGIN_US;
}

#endif
