/*
 * The edges of threads in a part of a trace, as the property cut-threads tells them:
 * "1:3:40000000:38000000:17000;...". A part has records of its calls alone, which say neither that
 * a call began before the part does, nor what is known of a thread behind its last record
 * (docs/numbers.md, "Calls").
 */
#ifndef TV_FORMAT_CUT_THREADS_H
#define TV_FORMAT_CUT_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "format/trace.h"

#define TV_CUT_THREADS_KEY "cut-threads"

struct tv_cut_thread {
    uint32_t thread;
    uint64_t began_before; /* of its outermost calls: those that were there before its first record,
                              although that may be their enter */
    /* Where calls are open at the end, times as those of records, in ns: until when these last on
     * the wall clock, and until when something is known of the thread. */
    uint64_t open_until_ns;
    uint64_t seen_ns[TV_CLOCK_COUNT];
};

/* Whether a value says this and nothing else. */
bool tv_cut_threads_is(struct tv_str value);
/* The value of the property; empty where there is none, and where a part of it is something else.
 */
struct tv_str tv_cut_threads_of(const struct tv_trace *trace);
/* Takes the next thread from the value of the property. False at the end, and where it is something
 * else. */
bool tv_cut_threads_next(struct tv_str *value, struct tv_cut_thread *cut);

#endif
