/* The beginning of a trace is a trace too: it is shown while the whole is read. Only traces of
 * fixed records have one (format/trace.h). */
#ifndef TV_FORMAT_BEGINNING_H
#define TV_FORMAT_BEGINNING_H

#include <stddef.h>

#include "base/compiler.h"
#include "format/trace.h"

/* How long a beginning is that has at most `most` bytes and ends after a record, of packed records
 * after a block. 0 when there is none: the records are not fixed, or all lie within `most`, or
 * their file lacks the summary that explains them. */
size_t tv_beginning_len(const struct tv_trace *trace, size_t most);
/* Opens the first `len` bytes as a trace of its own. The trace is left as it is, and must outlive
 * its beginning. */
enum tv_code tv_beginning_open(struct tv_trace *beginning, const struct tv_trace *trace, size_t len,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
