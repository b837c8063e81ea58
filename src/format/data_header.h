/* The header before the records of v1-v3 and of streams: docs/formats/text.md. */
#ifndef TV_FORMAT_DATA_HEADER_H
#define TV_FORMAT_DATA_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "format/trace.h"

struct tv_data_header {
    size_t off;          /* offset of "SLOW" */
    unsigned version;    /* as stored, with the streaming bits */
    uint64_t start_ns;   /* from the field in microseconds, at most UINT64_MAX; 0 when the header is
                            cut before it */
    bool has_record_len; /* the header has a record length: version 3 and streams, if not cut before
                            it */
    unsigned record_len;
    size_t records_off; /* offset of the first record, at most the file's end */
    bool is_cut; /* the file ends inside the header, or before the records that it announces */
};

/* Microseconds of a header in nanoseconds, UINT64_MAX when that does not fit. */
uint64_t tv_ns_of_usec(uint64_t usec);

/*
 * Reads the header at `off`. TV_ERR_FORMAT when it does not begin there or its version is cut off;
 * a header that is cut later is survived.
 */
enum tv_code tv_data_header_read(const struct tv_trace *trace, size_t off,
                                 struct tv_data_header *header, struct tv_error *err) TV_MUST_CHECK;
/* Fails for the record length of a header, which is below the `least` that its fields take, or
 * absurd. */
enum tv_code tv_data_header_refuse_record_len(const struct tv_data_header *header, size_t least,
                                              struct tv_error *err) TV_MUST_CHECK;

#endif
