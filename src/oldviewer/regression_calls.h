/* A trace as the old viewer saw it: regression.c fills it in, regression_print.c prints it. Private
 * to the two. Times are microseconds, signed, and wrap as Java's do. */
#ifndef TV_OLDVIEWER_REGRESSION_CALLS_H
#define TV_OLDVIEWER_REGRESSION_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/sink.h"
#include "base/str.h"
#include "format/trace.h"
#include "oldviewer/regression.h"

#define TV_OLD_NO_CALL UINT32_MAX
#define TV_OLD_NO_ENTRY UINT32_MAX
/* The two methods that are in no file stand first in the table of methods. */
#define TV_OLD_TOPLEVEL_IX 0u
#define TV_OLD_SWITCH_IX 1u
#define TV_OLD_PSEUDO_COUNT 2u

/* CPU before wall, as everywhere in the old viewer's output. */
enum tv_old_clock { TV_OLD_CPU, TV_OLD_WALL, TV_OLD_COUNT };

struct tv_old_call {
    uint32_t thread_ix;
    uint32_t method_ix;
    uint32_t caller; /* the call below it on the stack; TV_OLD_NO_CALL: the thread's root */
    uint32_t is_recursive;
    int64_t start[TV_OLD_COUNT];
    int64_t end[TV_OLD_COUNT];
    int64_t cpu_exclusive;
    int64_t inclusive[TV_OLD_COUNT]; /* wall: until finish_call, the sum over the callees */
};

struct tv_old_method {
    uint64_t id;
    uint32_t listed_ix; /* ordinal of the trace's method; TV_OLD_NO_ENTRY: no line describes it */
    uint32_t bucket;    /* bucket in the old viewer's hash map of methods, */
    uint32_t order;     /* and order of insertion, which counts within a bucket */
    struct tv_str name;
    int64_t exclusive[TV_OLD_COUNT];
    int64_t inclusive[TV_OLD_COUNT]; /* of calls that are not recursive */
    uint64_t calls;
    uint64_t recursive_calls;
};

struct tv_old_thread {
    int32_t id;         /* signed, as the old viewer read it */
    uint32_t listed_ix; /* ordinal of the trace's thread; TV_OLD_NO_ENTRY: no line describes it */
    uint32_t bucket;
    uint32_t order;
    uint32_t top;                /* the call on top of the stack; TV_OLD_NO_CALL: only the root */
    bool has_time[TV_OLD_COUNT]; /* first and last are set */
    bool has_calls;              /* a call was pushed: its root is in the log */
    struct tv_str name;
    int64_t first[TV_OLD_COUNT];
    int64_t last[TV_OLD_COUNT];
    int64_t replay_cpu;         /* current CPU time while the log is replayed */
    int64_t root_exclusive_cpu; /* CPU time outside of any call */
    int64_t root_inclusive[TV_OLD_COUNT];
};

struct tv_old_trace {
    struct tv_trace *trace;
    const struct tv_alloc *alloc;
    struct tv_arena names;
    bool has_clock[TV_OLD_COUNT];       /* which clocks the old viewer believes the file has */
    enum tv_clock column[TV_OLD_COUNT]; /* the clock of a record that each of these is read from */
    unsigned id_bits;                   /* width of a thread's id in a record */

    struct tv_old_call *calls;
    size_t call_count, call_cap;
    struct tv_old_method *methods;
    size_t method_count, method_cap;
    struct tv_old_thread *threads;
    size_t thread_count, thread_cap;
    struct tv_map method_of_key;
    struct tv_map thread_of_id;
    struct tv_map open_count; /* (thread, method) -> how many of its calls are on the stack */
    uint64_t *log;            /* pushes and pops of a thread-cpu trace, see regression.c */
    size_t log_count, log_cap;
    uint32_t previous; /* ordinal of the thread of the record before; TV_OLD_NO_ENTRY at first */

    int64_t total[TV_OLD_COUNT]; /* of all threads' roots */
    struct tv_regression_result *result;
};

/* Prints all sections of the dump. Names, and buckets in hash maps, are made here. */
enum tv_code tv_old_print(struct tv_old_trace *old, const struct tv_sink *sink, uint64_t most_len,
                          struct tv_error *err) TV_MUST_CHECK;

#endif
