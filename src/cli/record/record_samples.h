/*
 * Samples of a program that is not instrumented, for `traceview record --sample`: the stacks of its
 * threads at an interval, written as a trace in which what has changed between two of a thread is
 * exits and enters (docs/formats/recording.md, "Instrumentation and sampling"). Stacks are kept as
 * addresses while the program runs, and get names when it has ended.
 */
#ifndef TV_CLI_RECORD_RECORD_SAMPLES_H
#define TV_CLI_RECORD_RECORD_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/sink.h"
#include "cli/record/record_names.h"
#include "format/write/write.h"
#include "os/process/sampler.h"

struct tv_record_samples;

/* What a recording reports at its end. */
struct tv_record_samples_result {
    uint64_t stacks;    /* samples that were taken */
    uint64_t running;   /* of them, those of threads on a processor: what CPU time is told by */
    uint64_t by_timer;  /* of those, the ones that the thread's CPU time was the reason of */
    uint64_t lost;      /* stacks that the kernel had copied, and that were not read in time */
    uint64_t unseen_ns; /* CPU time of threads that no look found on a processor */
    uint64_t missed, missed_ns; /* threads that ended without a row, and their CPU time */
    bool is_full;               /* there were too many threads for a row each */
    uint64_t limit;             /* bytes, at which the looking ended; 0: it did not */
    uint64_t ring;              /* bytes that keep what came last; 0: all is kept */
    bool has_dropped;           /* of a ring: what came first is gone */
    uint64_t elapsed_ns;        /* that the trace is of */
    size_t processes;           /* that have a row */
    size_t went_on;             /* processes that still ran when the program had ended */
    bool has_strange_java;      /* a virtual machine does not look at itself */
    uint64_t incomplete;        /* stacks whose outermost calls could not be found */
    /* A program that is set-user-ID, and did not get that user's rights; "": none. */
    char lacks_rights[TV_THREAD_NAME_CAP];
    struct tv_record_nameless nameless; /* places in functions without a name */
};

enum tv_code tv_record_samples_new(struct tv_record_samples **samples, const struct tv_alloc *alloc,
                                   uint64_t interval_ns, struct tv_error *err) TV_MUST_CHECK;
void tv_record_samples_free(struct tv_record_samples **samples);
/* Sets what the sampler tells, and to whom. */
void tv_record_samples_take(struct tv_record_samples *samples, struct tv_sampler *sampler);
/* The line that shows how far it is; borrowed until the recording has ended. */
struct tv_record_java_line;
void tv_record_samples_show(struct tv_record_samples *samples, struct tv_record_java_line *live);
/* Each stack has the line of its innermost frame as one more frame, "name:17". */
void tv_record_samples_tell_lines(struct tv_record_samples *samples);
/* Limits what is kept to `most` bytes of memory, or of records of the trace where these take more.
 * At the limit the oldest samples are dropped if `is_ring`; else sampling stops. */
void tv_record_samples_limit(struct tv_record_samples *samples, uint64_t most, bool is_ring);
/* Virtual machines that the program starts record themselves, and are not looked at, but those that
 * have not the environment that tells them so: `parts` of record_run.h, which is borrowed. */
void tv_record_samples_let_java_go(struct tv_record_samples *samples, const char *parts);
/* Calls when the looking ends before the program does. */
void tv_record_samples_at_end(struct tv_record_samples *samples, void (*over)(void *ctx),
                              void *ctx);
/* Sets the function that is called when sampling stops at the limit. */
void tv_record_samples_at_limit(struct tv_record_samples *samples, void (*full)(void *ctx),
                                void *ctx);
/* Calls when the sampler's request has come. */
void tv_record_samples_at_request(struct tv_record_samples *samples,
                                  void (*asked)(void *ctx, struct tv_record_samples *samples),
                                  void *ctx);
/* Writes what is kept: once, when the recording has ended, or in a copy of this process. */
enum tv_code tv_record_samples_write(struct tv_record_samples *samples, struct tv_sink sink,
                                     struct tv_write_result *written,
                                     struct tv_record_samples_result *result,
                                     struct tv_error *err) TV_MUST_CHECK;

#endif
