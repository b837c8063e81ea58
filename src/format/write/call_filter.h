/*
 * Calls that are left out when a trace is written anew: those of some methods, and short ones.
 * Enter and exit are left out together, so the rest is a valid trace without new findings; the time
 * of a call that is left out becomes its caller's exclusive time. A call below the limit made only
 * shorter calls, so nothing of it is left.
 */
#ifndef TV_FORMAT_WRITE_CALL_FILTER_H
#define TV_FORMAT_WRITE_CALL_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "format/trace.h"

struct tv_call_filter_question {
    /* Whether a method's calls are left out; asked once for each that has records. NULL: none. */
    enum tv_code (*is_out)(void *ctx, const struct tv_trace_method *method, bool *is_out,
                           struct tv_error *err);
    void *ctx;
    uint64_t
        least_ns; /* shorter calls are left out, by wall time where the trace has it; 0: none */
};

/* A bit for each record of the trace, in the order in which tv_trace_next gives them. */
struct tv_call_filter {
    const struct tv_alloc *alloc;
    uint8_t *bits;
    size_t cap;
    uint64_t records;     /* of the trace */
    uint64_t calls;       /* that are left out */
    uint64_t short_calls; /* of these, those that are left out for being short */
};

void tv_call_filter_init(struct tv_call_filter *out, const struct tv_alloc *alloc);
void tv_call_filter_release(struct tv_call_filter *out);
/* Reads the trace from its first record to its last. Calls without an end are not short. */
enum tv_code tv_call_filter_find(struct tv_call_filter *out, const uint8_t *bytes, size_t len,
                                 const struct tv_read_opts *opts,
                                 const struct tv_call_filter_question *question,
                                 struct tv_error *err) TV_MUST_CHECK;

TV_INLINE bool tv_call_filter_has(const struct tv_call_filter *out, uint64_t record)
{
    return out && record < out->records && ((uint32_t)out->bits[record / 8] >> (record % 8) & 1u);
}

#endif
