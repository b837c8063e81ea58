/*
 * The old viewer's regression dump (`traceview -r`), byte for byte: docs/formats/regression.md,
 * quirks included.
 *
 * It depends on the order of records across threads, on dropped records and on signed 32-bit times,
 * none of which an index keeps, so it reads the records itself. Memory and time are linear in the
 * records.
 */
#ifndef TV_OLDVIEWER_REGRESSION_H
#define TV_OLDVIEWER_REGRESSION_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/sink.h"
#include "format/trace.h"

/* What the old viewer would have refused; `refused` 0 means that it prints exactly this. */
struct tv_regression_result {
    uint64_t refused; /* records: an exit that is not of the top call, or the reserved action */
    uint64_t refused_offset; /* of the first one, or TV_NO_OFFSET */
};

/*
 * Writes the dump of a trace that was just opened; its records are used up. An exit with an empty
 * stack is ignored, as the old viewer does in every recorded dump of a trace that has some: no call
 * adopts what came before it (in docs/numbers.md one does), and the CPU time up to it is
 * (toplevel)'s. Where the old viewer would have refused the trace, an exit of a call deeper in the
 * stack closes the calls above it, and an exit of a method that is not being executed and a
 * reserved action are left out (docs/numbers.md, "Calls"); result says how often. Bytes above 127
 * come out as U+FFFD, as in the old viewer; control characters, which it printed, as \xNN.
 */
enum tv_code tv_regression_dump(struct tv_trace *trace, const struct tv_sink *sink,
                                struct tv_regression_result *result,
                                struct tv_error *err) TV_MUST_CHECK;

#endif
