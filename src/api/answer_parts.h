/*
 * Pieces of JSON that several routes write, so that a method, a time or a finding is spelled the
 * same in all answers; docs/api.md tells the spelling. One thread at a time per writer.
 */
#ifndef TV_API_ANSWER_PARTS_H
#define TV_API_ANSWER_PARTS_H

#include <stdint.h>

#include "analysis/calls/percentiles.h"
#include "analysis/profile/profile.h"
#include "base/buffer.h"
#include "base/compiler.h"
#include "base/json.h"
#include "index/index.h"

/* A writer of JSON, and the index that its pieces come from. */
struct tv_writer {
    struct tv_json json;
    const struct tv_index *index;
    struct tv_buffer text; /* scratch for names */
    struct tv_error error; /* the first failure to make a name */
};

void tv_writer_init(struct tv_writer *writer, const struct tv_index *index, struct tv_buffer *body,
                    const struct tv_alloc *alloc);
/* Releases the writer of a document that will not be ended. */
void tv_writer_release(struct tv_writer *writer);
/* Ends the document, releases the writer, and returns the first failure. */
enum tv_code tv_writer_finish(struct tv_writer *writer, struct tv_error *err) TV_MUST_CHECK;

/* Writes "key": {"wall_ns": ..., "cpu_ns": ...} without the clocks that the trace lacks;
 * tv_write_time_members writes the same members into an object that is open. */
void tv_write_times(struct tv_writer *writer, const char *key,
                    const uint64_t times_ns[TV_CLOCK_COUNT]);
void tv_write_time_members(struct tv_writer *writer, const uint64_t times_ns[TV_CLOCK_COUNT]);
/* "clocks": [...] */
void tv_write_clocks(struct tv_writer *writer);
/* rank id method class name signature file line, as members. */
void tv_write_method(struct tv_writer *writer, uint32_t method_ix);
/* rank method class name signature: what a row of a tree needs. */
void tv_write_short_method(struct tv_writer *writer, uint32_t method_ix);
/* calls recursive_calls inclusive exclusive, as members. */
void tv_write_method_numbers(struct tv_writer *writer, const struct tv_method_row *row);
/* {"wall_ns": {"min", "p50", "p95", "max"}, ...}; without members when there are no calls. */
void tv_write_percentiles(struct tv_writer *writer, const char *key,
                          const struct tv_method_percentiles *percentiles);

/* "findings": [{kind, severity, count, offset (null where there is no place), text}] */
void tv_write_findings(struct tv_writer *writer);

#endif
