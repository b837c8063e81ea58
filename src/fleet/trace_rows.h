/*
 * The rows of one trace: what questions over all traces of a site are asked of (docs/fleet.md). A
 * row has the numbers of a method on threads of one kind, or of a context.
 *
 * Methods are named by what is the same in every run (base/names/stable_name.h), with "*" for the
 * rest; those of one trace that have the same name then are one.
 */
#ifndef TV_FLEET_TRACE_ROWS_H
#define TV_FLEET_TRACE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/profile.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "compare/comparison.h"
#include "compare/run_clocks.h"
#include "fleet/thread_kind.h"
#include "index/index.h"

/* Of a trace: rows of methods, those with the most exclusive time on all threads; and contexts,
 * those with the most inclusive time. */
#define TV_FLEET_ROWS_MOST 20000u
#define TV_FLEET_CONTEXTS_MOST 1000u
/* A context with less than this share of the time of all threads has no row: 0.1 %. */
#define TV_FLEET_CONTEXT_SHARE 1000u
/* A method whose name is longer than this, in all, has no row. */
#define TV_FLEET_NAME_MOST 4096u

struct tv_fleet_method {
    struct tv_str class_name, name, signature;
};

struct tv_fleet_row {
    uint32_t method; /* place in `methods` */
    enum tv_thread_kind kind;
    struct tv_method_row numbers;
    uint64_t slowest_ns;    /* its longest call, on the time axis */
    uint64_t slowest_at_ns; /* where that begins, since the start of the trace */
};

struct tv_fleet_context {
    uint64_t path;   /* hash of all methods from the root on, and of the kind of thread */
    uint64_t parent; /* of the path without the last method; 0: there is none */
    uint32_t method;
    uint32_t depth; /* 0: a root */
    enum tv_thread_kind kind;
    struct tv_method_row numbers;
};

struct tv_trace_rows {
    const struct tv_alloc *alloc;
    struct tv_arena texts;
    struct tv_fleet_method *methods;
    size_t method_count, method_cap;
    struct tv_fleet_row *rows; /* by method, then by kind */
    size_t row_count, row_cap;
    struct tv_fleet_context *contexts; /* the longest first */
    size_t context_count, context_cap;
    /* Of the whole trace. */
    uint64_t calls;
    uint64_t cut_calls; /* of methods that have no row because there were too many; 0: none was */
    uint64_t total_ns[TV_CLOCK_COUNT]; /* root calls of all threads */
    bool fell_back;                    /* a CPU clock went backwards: CPU time may be missing */
    const char *odd_wall;              /* as of tv_run_odd_wall */
    struct tv_run_clocks clocks;
    struct tv_run_build build; /* that its methods say */
    struct tv_error no_counts; /* why its counts are none of the program; TV_OK: they are */
};

void tv_trace_rows_init(struct tv_trace_rows *rows, const struct tv_alloc *alloc);
void tv_trace_rows_release(struct tv_trace_rows *rows);
/* Makes the rows of an index, into rows that are initialised, and released in any case. */
enum tv_code tv_trace_rows_make(struct tv_trace_rows *rows, const struct tv_index *index,
                                struct tv_error *err) TV_MUST_CHECK;

#endif
