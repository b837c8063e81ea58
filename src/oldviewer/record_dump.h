/*
 * What dmtracedump prints with its option -o: the threads, and a line for each record in the order
 * of the file. docs/dmtracedump.md has an example.
 *
 * Nothing is matched: a line shows what the file says. The depth is a count of enters less exits of
 * the thread, and an exit that directly follows an enter of another method has a "!".
 */
#ifndef TV_OLDVIEWER_RECORD_DUMP_H
#define TV_OLDVIEWER_RECORD_DUMP_H

#include "base/compiler.h"
#include "base/error.h"
#include "base/sink.h"
#include "base/trace_clock.h"
#include "format/trace.h"

/* Points before a name: deeper calls have this many, and a "+". The old tool went to 10000, so that
 * a deep trace gave gigabytes. */
#define TV_RECORD_DUMP_DEPTH 1000

/*
 * Prints a trace that was just opened, with the times of one clock in microseconds. Where threads
 * and methods are described among the records, the bytes are read twice: the list of threads comes
 * first.
 */
enum tv_code tv_record_dump(struct tv_trace *trace, enum tv_clock clock, struct tv_sink sink,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
