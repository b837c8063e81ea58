/*
 * Benchmarks that have left traces: which benchmark a trace is of, by what AndroidX Benchmark and
 * Macrobenchmark write beside their traces, or by the trace's name.
 *
 * Their JSON (NAME-benchmarkData.json) has a list "benchmarks", of each of which className, name
 * and profilerOutputs are read here: those of type MethodTrace have a filename, which lies beside.
 */
#ifndef TV_COMPARE_BENCHMARK_H
#define TV_COMPARE_BENCHMARK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/str.h"

struct tv_benchmark_trace {
    struct tv_str file; /* as the JSON names it */
    struct tv_str name; /* "com.example.StartBenchmark.start" */
};

/* Texts are in the arena. */
struct tv_benchmark_traces {
    const struct tv_alloc *alloc;
    struct tv_arena texts;
    struct tv_benchmark_trace *of; /* in the order of the JSON */
    size_t count, cap;
};

void tv_benchmark_traces_init(struct tv_benchmark_traces *traces, const struct tv_alloc *alloc);
void tv_benchmark_traces_release(struct tv_benchmark_traces *traces);
/* Adds the method traces that a JSON names. TV_ERR_FORMAT: it is no JSON, or no such one. */
enum tv_code tv_benchmark_traces_read(struct tv_benchmark_traces *traces, struct tv_str json,
                                      struct tv_error *err) TV_MUST_CHECK;

/* Whether a file is such a JSON, or a trace, by its name. */
bool tv_is_benchmark_data(struct tv_str path);
bool tv_is_trace_name(struct tv_str path);
/* The part of a trace's path that is the same for all its runs: without the ending, the date that
 * AndroidX writes or another one ("start-2026-11-24.trace"), and else a number of the run
 * ("start-2.trace", "start_iter003.trace.gz"). */
struct tv_str tv_benchmark_of_path(struct tv_str path);

#endif
