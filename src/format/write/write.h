/*
 * Writing a trace in another version: what `traceview convert` does. docs/formats/writing.md says
 * what survives in each version.
 */
#ifndef TV_FORMAT_WRITE_WRITE_H
#define TV_FORMAT_WRITE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/sink.h"
#include "base/str.h"
#include "format/trace.h"
#include "format/write/call_filter.h"

/* Which clocks go into the file; TV_WRITE_CLOCKS_ALL takes what the trace and the version have. */
enum tv_write_clocks { TV_WRITE_CLOCKS_ALL, TV_WRITE_CLOCKS_WALL, TV_WRITE_CLOCKS_CPU };

/* What a version says in another way than the trace, or not at all. X(kind, severity, sentence): a
 * note changes no number of the trace's calls, but by what the version rounds; the sentence follows
 * the count. */
#define TV_WRITE_CHANGES(X)                                                                        \
    X(CPU_LEFT_OUT, NOTE, "records lose their CPU time: the version has one clock (--clock)")      \
    X(WALL_LEFT_OUT, NOTE, "records lose their wall time: the version has one clock (--clock)")    \
    X(TIMES_ROUNDED, NOTE, "records have their times cut to whole microseconds")                   \
    X(TIMES_RAISED, NOTE,                                                                          \
      "records have times that step back; they are raised to what every view shows")               \
    X(TIMES_AMBIGUOUS, NUMBERS_AFFECTED,                                                           \
      "records follow the one before by more than 71 minutes, which 32 bits cannot tell")          \
    X(TIMES_CUT, NUMBERS_AFFECTED, "records have times later than the version can say")            \
    X(AXES_JOINED, NOTE, "threads, each with times from its own start, seem to start together")    \
    X(AXES_PARTED, NOTE, "threads lose the common start of their times: each counts from its own") \
    X(CALLS_CLOSED, NOTE, "calls that never end get an exit where views end them")                 \
    X(CALLS_OPENED, NOTE, "calls that began before tracing get an enter where views begin them")   \
    X(EXITS_ADDED, NOTE, "calls that the exit of an outer call closes get exits of their own")     \
    X(EXITS_LEFT_OUT, NUMBERS_AFFECTED,                                                            \
      "exits are left out: their methods were not being executed")                                 \
    X(RESERVED_LEFT_OUT, NUMBERS_AFFECTED, "records with the reserved action 3 are left out")      \
    X(LAYOUT_UNTOLD, NUMBERS_AFFECTED,                                                             \
      "records, in layout d, are too few with known methods to tell the layout by")                \
    X(EMPTY_LEFT_OUT, NOTE, "records that were never written are left out")                        \
    X(THREADS_NUMBERED, NOTE,                                                                      \
      "threads get new ids, counted from 1: the version has none like theirs")                     \
    X(THREADS_LISTED, NOTE, "threads that only records name are listed, too")                      \
    X(THREADS_NAMED, NOTE, "threads without a name are called \"thread\" and their id")            \
    X(THREADS_LEFT_OUT, NOTE, "threads without records are left out: the version has too few ids") \
    X(PROCESSES_LEFT_OUT, NOTE,                                                                    \
      "processes are left out: their threads stand in one list, as if of one process")             \
    X(METHODS_NUMBERED, NOTE, "methods get new ids: the version has only 32 bits for them")        \
    X(METHODS_LEFT_OUT, NOTE, "methods are not listed, since no record names them")                \
    X(NAMES_CHANGED, NOTE,                                                                         \
      "names change: line ends, tabs and invalid UTF-8 are replaced, 65,535 bytes kept")           \
    X(OPTIONS_LEFT_OUT, NOTE, "options are left out that other readers would not survive")

#define TV_WRITE_CHANGE(kind, severity, text) TV_WRITE_##kind,
enum tv_write_change { TV_WRITE_CHANGES(TV_WRITE_CHANGE) TV_WRITE_CHANGE_COUNT };
#undef TV_WRITE_CHANGE

const char *tv_write_change_text(enum tv_write_change change);
enum tv_severity tv_write_change_severity(enum tv_write_change change);

/* What was found in the trace, and what changed on the way. */
struct tv_write_result {
    struct tv_findings findings;
    uint64_t records; /* in the output */
    uint64_t changes[TV_WRITE_CHANGE_COUNT];
};

/* What may say other names than the trace has. The texts that it gives must outlive the writing. */
struct tv_write_names {
    void *ctx;
    enum tv_code (*method)(void *ctx, struct tv_trace_method *method, struct tv_error *err);
    enum tv_code (*thread)(void *ctx, uint32_t id, struct tv_str *name, struct tv_error *err);
    /* Whether the output has it, too. */
    bool (*has_property)(struct tv_str key, struct tv_str value);
    bool keeps_start_time; /* else the output does not tell it */
};

#define TV_WRITE_BEHIND ((uint64_t)256 << 10)

struct tv_write_opts {
    struct tv_str as; /* a name that tv_write_format_name gives */
    enum tv_write_clocks clocks;
    const struct tv_write_names *names; /* NULL: those of the trace, and its start time */
    bool is_cut; /* the trace was not recorded to its end, and the output says so */
    /* is_cut is all there is to say of lost records: it is the recorder who writes, and its stream
     * may lack a summary, or have a part that was reserved, where nothing was lost. */
    bool knows_losses;
    /* Records that are not written; NULL: all are. A property of the output counts their calls. */
    const struct tv_call_filter *left_out;
    /* Called as the second reading goes on: the output has all records before `offset`, but for its
     * last TV_WRITE_BEHIND bytes at the most. May be NULL. */
    void (*has_read)(void *ctx, uint64_t offset);
    void *has_read_ctx;
    struct tv_read_opts read;       /* how the bytes are opened */
    struct tv_write_result *result; /* set on success; may be NULL */
};

/* The names that `as` may have, in a fixed order; NULL past the last. */
const char *tv_write_format_name(size_t ix);

/*
 * Opens the bytes twice, and writes all records of the trace to the sink in the order of the file.
 * The calls that are read back are those of the trace, as far as the result does not say otherwise.
 * TV_ERR_ARGUMENT: no such version, or the trace lacks the clock. TV_ERR_LIMIT: more threads than
 * the version can name. Else it fails as reading and the sink do.
 */
enum tv_code tv_write_trace(const struct tv_alloc *alloc, const uint8_t *bytes, size_t len,
                            const struct tv_write_opts *opts, struct tv_sink sink,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
