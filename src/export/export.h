/*
 * A trace in the formats that other tools read: a table of formats, and one function that writes
 * any of them. docs/export.md says who opens which, and what survives.
 *
 * What is written is a scope (analysis/question/scope.h): a range of time, some threads, stacks
 * with matching methods and without hidden ones, and a number of their levels. A call that the
 * range cuts is written cut. All times are nanoseconds since the zero of their clock unless a
 * format has another unit.
 *
 * Bytes go to a sink as they are made. The memory that this takes does not grow with the calls of
 * the trace, but with its methods, nodes, threads and levels.
 */
#ifndef TV_EXPORT_EXPORT_H
#define TV_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/question/scope.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/memory/pool.h"
#include "base/sink.h"
#include "base/str.h"
#include "export/redact.h"
#include "index/index.h"

struct tv_block_packer;
struct tv_database;

/* What a format says in another way than the trace, or not at all. X(kind, severity, unit,
 * sentence): a note changes no number of the calls that are written; the sentence follows the
 * number, which is a count, or a time in ns. */
#define TV_EXPORT_CHANGES(X)                                                                       \
    X(NAMES_CHANGED, NOTE, COUNT, "names change: the format cannot hold all of their characters")  \
    X(NAMES_OF_SOURCE, NOTE, COUNT,                                                                \
      "methods have the names of a mapping, not those of the trace's file")                        \
    X(LEVELS_CUT, NUMBERS_AFFECTED, COUNT,                                                         \
      "calls are left out: they are deeper than the format's readers go, and their time is "       \
      "their callers'")                                                                            \
    X(CALLERS_WHOLE, NUMBERS_AFFECTED, COUNT,                                                      \
      "calls above a match are whole: readers take what is left out of them for their own time")   \
    X(TIME_HIDDEN, NOTE, NS, "are left out: time of hidden methods that no shown method called")   \
    X(WAITS_UNRECORDED, NOTE, NS,                                                                  \
      "of the waits are after the last records of threads, where nothing tells work from "         \
      "waiting")                                                                                   \
    X(CALLS_CUT, NOTE, COUNT, "calls are cut: they begin or end at an edge of the range")          \
    X(CALLS_OPENED, NOTE, COUNT,                                                                   \
      "calls that began before the trace get an enter where views begin them")                     \
    X(CALLS_CLOSED, NOTE, COUNT, "calls that never end get an exit where views end them")          \
    X(TIMES_ROUNDED, NOTE, COUNT,                                                                  \
      "records have their times cut to whole microseconds (--to packets)")                         \
    X(TIMES_CUT, NUMBERS_AFFECTED, COUNT, "records have times later than the format can say")      \
    X(TIMES_AMBIGUOUS, NUMBERS_AFFECTED, COUNT,                                                    \
      "records follow the one before by more than 71 minutes, which 32 bits cannot tell")          \
    X(AXES_JOINED, NOTE, COUNT,                                                                    \
      "threads, each with times from its own start, seem to start together")                       \
    X(PROCESSES_LEFT_OUT, NOTE, COUNT, "processes are left out: their threads stand in one list")  \
    X(THREADS_NUMBERED, NOTE, COUNT, "threads get new ids: the format has none like theirs")       \
    X(METHODS_NUMBERED, NOTE, COUNT, "methods get new ids: the format has only 32 bits for them")  \
    X(PROPERTIES_LEFT_OUT, NOTE, COUNT,                                                            \
      "properties are left out that other readers would not survive")

#define TV_EXPORT_CHANGE(kind, severity, unit, text) TV_EXPORT_##kind,
enum tv_export_change { TV_EXPORT_CHANGES(TV_EXPORT_CHANGE) TV_EXPORT_CHANGE_COUNT };
#undef TV_EXPORT_CHANGE

const char *tv_export_change_text(enum tv_export_change change);
enum tv_severity tv_export_change_severity(enum tv_export_change change);
/* What the number of a change counts. */
enum tv_export_unit { TV_EXPORT_UNIT_COUNT, TV_EXPORT_UNIT_NS };
enum tv_export_unit tv_export_change_unit(enum tv_export_change change);

struct tv_export_result {
    uint64_t changes[TV_EXPORT_CHANGE_COUNT];
};

/* The tables of a trace, for formats that hold one (export/tables/trace_tables.h). */
enum tv_export_table { TV_EXPORT_CALLS, TV_EXPORT_NODES, TV_EXPORT_METHODS, TV_EXPORT_THREADS };

/* What users call them, by number; ends with NULL. */
extern const char *const tv_export_table_words[];

struct tv_export_opts {
    struct tv_scope scope;
    uint32_t levels;    /* of calls, from the roots of what is shown; 0: all */
    struct tv_str file; /* the name of the trace's file, formats take it from the names */
    const struct tv_redact_opts *redact; /* NULL: names are those of the trace */
    enum tv_export_table table;          /* of a format that has_tables */
    /* Packs parts of a file; NULL: they are not packed. */
    const struct tv_block_packer *packer;
    /* Of a format that needs_database: an empty one; NULL: the program was built without SQLite. */
    const struct tv_database *database;
    /* Is told how much of the calls is written; false cancels. May be NULL. */
    bool (*tell)(void *ctx, uint64_t done, uint64_t of);
    void *ctx;
};

struct tv_export_context;

/* Which characters of names a format can hold. */
enum tv_held_names {
    TV_HELD_AS_COUNTED, /* all, or the format counts by itself what it changes */
    TV_HELD_UTF8,
    TV_HELD_UTF8_WITHOUT_NUL
};

/* A format: one file of this folder. */
struct tv_export {
    const char *name;       /* "folded" */
    const char *suffix;     /* that names of its files end in: ".folded" */
    const char *media_type; /* of an HTTP answer */
    const char *summary;    /* what it is, and who opens it: one line */
    bool is_text;           /* fit for a terminal */
    bool has_tables;        /* it holds one table, which opts.table chooses */
    bool needs_database;
    bool nests_calls; /* readers find a call's own time by the calls inside it */
    bool is_gzip; /* its files are gzip by any name: whoever gives the sink packs what arrives */
    enum tv_held_names held_names;
    bool names_files;     /* the source files of methods; of a format that has_tables, one table */
    bool names_processes; /* the processes of threads */
    uint32_t levels_most; /* deeper calls are left out, and counted; 0: no limit */
    unsigned call_names;  /* how often the file, or its table of calls, names each call's method */
    enum tv_code (*write)(struct tv_export_context *context, struct tv_error *err);
};

/* All formats, in the order in which they are listed; ends with NULL. */
extern const struct tv_export *const tv_exports[];

/* The format of a name, NULL: none. */
const struct tv_export *tv_export_of_name(struct tv_str name);
/* The format whose files have names like this one, whether or not it ends in .gz or .zst; NULL:
 * none. Of several the one with the longest suffix. */
const struct tv_export *tv_export_of_file(struct tv_str file);

/*
 * Writes the scope in the format to the sink. The index and all that opts points to are borrowed.
 * pool may be NULL: one thread. Fails as memory and the sink do, with TV_ERR_LIMIT where the file
 * would become too long, and with TV_ERR_ARGUMENT where the trace has nothing that the format could
 * hold.
 */
enum tv_code tv_export_run(const struct tv_export *format, const struct tv_index *index,
                           const struct tv_export_opts *opts, const struct tv_alloc *alloc,
                           const struct tv_pool *pool, struct tv_sink sink,
                           struct tv_export_result *result, struct tv_error *err) TV_MUST_CHECK;

#endif
