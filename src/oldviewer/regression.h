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

/* What the old viewer would have refused. With `refused` 0 the old viewer prints
 * exactly this dump. */
struct tv_regression_result {
    uint64_t refused;        /* records: exits of a call that is not on top, and reserved actions */
    uint64_t refused_offset; /* offset of the first such record, or TV_NO_OFFSET */
};

/*
 * Writes the dump of a trace that was just opened; the trace's records are used up.
 *
 * An exit with an empty stack is ignored, as the old viewer does in every recorded dump of a trace
 * that has such exits. No call adopts what came before the exit, as it would by docs/numbers.md,
 * and the CPU time up to it is that of (toplevel).
 *
 * Where the old viewer would have refused the trace, an exit of a call deeper in the stack closes
 * the calls above that call; an exit of a method that is not being executed, and a reserved action,
 * are left out (docs/numbers.md, "Calls"). `result` says how often. Bytes above 127 come out as
 * U+FFFD, as in the old viewer; control characters, which the old viewer printed as they are, as
 * \xNN.
 *
 * TV_ERR_LIMIT: the names alone have more than `most_len` bytes; then nothing is written.
 */
enum tv_code tv_regression_dump(struct tv_trace *trace, const struct tv_sink *sink,
                                uint64_t most_len, struct tv_regression_result *result,
                                struct tv_error *err) TV_MUST_CHECK;

#endif
