/*
 * The beginning of a trace, which is a trace too: what there is to see while the whole is read.
 * Only of fixed records (format/trace.h).
 */
#ifndef TV_FORMAT_BEGINNING_H
#define TV_FORMAT_BEGINNING_H

#include <stddef.h>

#include "base/compiler.h"
#include "format/trace.h"

/* So many of the first `most` bytes of an open trace that they end behind a record, of packed ones
 * behind a block; 0: there is none, or all records lie within, or they need what is not told. */
size_t tv_beginning_len(const struct tv_trace *trace, size_t most);
/* Opens them. The trace is left as it is, and outlives its beginning. */
enum tv_code tv_beginning_open(struct tv_trace *beginning, const struct tv_trace *trace, size_t len,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
