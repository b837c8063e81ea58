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

/* Whether a file is the JSON of a benchmark, or a trace, by its name. */
bool tv_is_benchmark_data(struct tv_str path);
bool tv_is_trace_name(struct tv_str path);
/* A trace's path without its ending: what is packed has the stem of what it was packed of. */
struct tv_str tv_trace_stem(struct tv_str path);
/* The order of recordings by their names: numbers in them count by their value, so that start-2
 * stands before start-10. Names that differ have an order. */
int tv_trace_names_compare(struct tv_str a, struct tv_str b);
/* The part of a trace's path that is the same for all its runs: without the ending, the date that
 * AndroidX writes or another one ("start-2026-11-24.trace"), and the run
 * ("start_iter003.trace.gz"). A number that no word says to be a run's is one only where there is
 * no date ("start-2.trace"). */
struct tv_str tv_benchmark_of_path(struct tv_str path);

#endif
