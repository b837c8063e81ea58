/* The two clocks of a trace (docs/words.md): an ordinal for tables that have an entry for each. */
#ifndef TV_BASE_TRACE_CLOCK_H
#define TV_BASE_TRACE_CLOCK_H

enum tv_clock { TV_CLOCK_WALL, TV_CLOCK_CPU, TV_CLOCK_COUNT };

#endif
