/*
 * The times of records on their way into another version: unwrapped where 32 bits become 64, raised
 * where they step back, cut to microseconds where the version has no others. What a view of the
 * trace shows stays the same (docs/numbers.md, "Clocks").
 */
#ifndef TV_FORMAT_WRITE_WRITE_TIMES_H
#define TV_FORMAT_WRITE_WRITE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/trace_clock.h"
#include "format/last_seen.h"
#include "format/trace.h"

/* How times change from a trace to a version. */
struct tv_write_times {
    uint32_t from_unit_ns, to_unit_ns;
    unsigned from_bits;
    bool has_common_axis; /* in the trace: wall times of different threads compare */
    uint64_t elapsed;     /* in the unit of the trace; 0: not known */
    uint64_t most;        /* where the version has 64 bits: the latest time, in its unit */
    uint64_t latest_wall; /* of all threads so far, in the unit of the trace */
};

/* A clock of one thread, in the unit of the trace. */
struct tv_write_clock {
    bool has_begun;
    uint64_t raw;        /* the last time, as written in the file */
    int64_t now;         /* the last time, plus 2^32 for each wrap of the clock until now */
    int64_t first, high; /* the first, and the highest so far: what views show */
};

/* The clocks of one thread; zero before its first record. */
struct tv_write_thread_times {
    struct tv_write_clock clock[TV_CLOCK_COUNT];
    uint64_t multiple; /* of 2^32, that belongs to all wall times of the thread */
    bool has_wall_end; /* calls that never end last until the thread was seen last, by wall time */
};

/* What happened to a time. */
enum tv_write_time_change {
    TV_WRITE_TIME_ROUNDED = 1,   /* less than a microsecond was cut off */
    TV_WRITE_TIME_RAISED = 2,    /* it stepped back, or was before the start */
    TV_WRITE_TIME_AMBIGUOUS = 4, /* it follows by more than 32 bits can tell */
    TV_WRITE_TIME_CUT = 8        /* it is later than the version can say */
};

/* Moves the clock of a kind to the time of the thread's next record. Of `times` only from_bits and
 * elapsed are asked for. */
void tv_write_clock_take(struct tv_write_clock *clock, const struct tv_write_times *times,
                         enum tv_clock kind, uint64_t time);
/* Whether times are written as the trace has them: 32 bits stay, since who reads them next repairs
 * them in the same way. */
bool tv_write_times_stay(const struct tv_write_times *times);
/* Whether 64 bits become 32. */
bool tv_write_times_narrow(const struct tv_write_times *times);
/* Sets the multiple of a thread all of whose times were taken. `before` is the wall time of the
 * record that stands before the thread's first in the file, with the multiple of its thread; -1
 * where there is none. */
void tv_write_times_place(const struct tv_write_times *times, struct tv_write_thread_times *thread,
                          int64_t before);
/* Takes the time of a thread's next record and returns it in the unit of the version; *changes is
 * or'ed. */
uint64_t tv_write_time_next(struct tv_write_times *times, struct tv_write_thread_times *thread,
                            enum tv_clock clock, uint64_t time, unsigned *changes);
/* Notes that the thread was seen after its last record, as `seen` of the trace says. `threads` is
 * the number of threads in the trace. */
void tv_write_time_see(struct tv_write_times *times, struct tv_write_thread_times *thread,
                       const struct tv_trace *trace, uint64_t threads,
                       const struct tv_last_seen *seen);
/* The time at which a call ends that the thread never left; *changes as above. */
uint64_t tv_write_time_end(const struct tv_write_times *times,
                           const struct tv_write_thread_times *thread, enum tv_clock clock,
                           unsigned *changes);

#endif
