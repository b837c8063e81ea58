/*
 * Writing a trace in another version: what `traceview convert` does. docs/formats/writing.md says
 * what each version cannot hold.
 */
#ifndef TV_FORMAT_WRITE_H
#define TV_FORMAT_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/sink.h"
#include "base/str.h"
#include "format/trace.h"

/* Which clocks go into the file; TV_WRITE_CLOCKS_ALL takes what the trace and the version have. */
enum tv_write_clocks { TV_WRITE_CLOCKS_ALL, TV_WRITE_CLOCKS_WALL, TV_WRITE_CLOCKS_CPU };

struct tv_write_opts {
    struct tv_str as; /* "v1", "v2", "v3", "stream", "packets" */
    enum tv_write_clocks clocks;
    struct tv_read_opts read;     /* how the bytes are opened */
    struct tv_findings *findings; /* what was odd in the trace, set on success; may be NULL */
};

/* The names that `as` may have, in a fixed order; NULL past the last. */
const char *tv_write_format_name(size_t ix);

/*
 * Opens the bytes twice, and writes all records of the trace to the sink in the order of the file.
 * Ids that do not fit the version are given new ones; records that were never written (all zero)
 * are left out. Versions with one clock take wall where there is wall. TV_ERR_ARGUMENT: no such
 * version, or the trace lacks the clock. TV_ERR_LIMIT: more threads than the version can name. Else
 * it fails as reading and the sink do.
 */
enum tv_code tv_write_trace(const struct tv_alloc *alloc, const uint8_t *bytes, size_t len,
                            const struct tv_write_opts *opts, struct tv_sink sink,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
