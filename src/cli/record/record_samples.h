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
#include "format/write/write.h"
#include "os/process/sampler.h"

struct tv_record_samples;

/* Told of a recording at its end. */
struct tv_record_samples_result {
    uint64_t stacks;    /* that were looked at */
    uint64_t running;   /* of them, those of threads on a processor: what CPU time is told by */
    uint64_t by_timer;  /* of those, the ones that a timer on the thread's CPU time has stopped */
    uint64_t unseen_ns; /* CPU time of threads that no look found on a processor */
    uint64_t missed, missed_ns; /* threads that ended without a row, and their CPU time */
    bool is_full;               /* there were too many threads for a row each */
    size_t processes;           /* that have a row */
    size_t went_on;             /* processes that still ran when the program had ended */
    bool has_strange_java;      /* a virtual machine does not look at itself */
    uint64_t incomplete;        /* stacks whose outermost calls could not be found */
    /* A program that is set-user-ID, and did not get that user's rights; "": none. */
    char lacks_rights[TV_THREAD_NAME_CAP];
    uint64_t nameless; /* places in functions that no symbol tells of */
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
/* Virtual machines that the program starts record themselves, and are not looked at, but those that
 * have not the environment that tells them so: `parts` of record_run.h, which is borrowed. */
void tv_record_samples_let_java_go(struct tv_record_samples *samples, const char *parts);
/* Calls when the looking ends before the program does. */
void tv_record_samples_at_end(struct tv_record_samples *samples, void (*over)(void *ctx),
                              void *ctx);
/* Ends the recording, and writes it. */
enum tv_code tv_record_samples_write(struct tv_record_samples *samples, struct tv_sink sink,
                                     struct tv_write_result *written,
                                     struct tv_record_samples_result *result,
                                     struct tv_error *err) TV_MUST_CHECK;

#endif
