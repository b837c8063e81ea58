/* A first picture of a trace that takes seconds to read: an index of its beginning. */
#ifndef TV_CLI_FILE_FIRST_PART_H
#define TV_CLI_FILE_FIRST_PART_H

#include "cli/cli.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "index/index.h"

/* For tests: TRACEVIEW_FIRST_PART=BYTES is how much is read first, of traces twice as long. */
#define TV_FIRST_PART_VARIABLE "TRACEVIEW_FIRST_PART"

/* How many bytes to read first; 0: the trace is read at once. */
size_t tv_first_part_len(const struct tv_trace *trace);
/* Indexes the first `len` bytes of the trace, which is left as it is. */
enum tv_code tv_first_part_build(struct tv_index *index, const struct tv_trace *trace, size_t len,
                                 const struct tv_build_opts *opts,
                                 struct tv_error *err) TV_MUST_CHECK;

#endif
