/*
 * Pieces of JSON that several routes write, so that a method, a time or a finding is spelled the
 * same in all answers; docs/api.md tells the spelling. One thread at a time per writer.
 */
#ifndef TV_API_ROUTES_ANSWER_PARTS_H
#define TV_API_ROUTES_ANSWER_PARTS_H

#include <stdint.h>

#include "analysis/calls/percentiles.h"
#include "analysis/profile/profile.h"
#include "analysis/question/scope.h"
#include "api/api.h"
#include "base/compiler.h"
#include "base/memory/buffer.h"
#include "base/text/json.h"
#include "index/index.h"

/* The longest text of an answer, bytes: the longest name that a Java virtual machine takes. What is
 * longer is cut. */
#define TV_ANSWER_TEXT_LIMIT 65535u

/*
 * A writer of JSON, the index that its pieces come from, and how long the answer may get.
 *
 * An answer that would be longer than its limit is refused. A list therefore asks before each row
 * whether the answer has room, and leaves out what it has none for: a quarter of the limit stays
 * for the row and for what follows the list.
 */
struct tv_answer_writer {
    struct tv_json json;
    const struct tv_index *index;
    struct tv_buffer text; /* scratch for names */
    struct tv_error error; /* the first failure to make a name */
    struct tv_buffer *body;
    size_t limit;      /* most bytes of the answer */
    uint8_t *is_named; /* per method: the list of methods is to name it; NULL until one is */
    size_t names_len;  /* at least the bytes that the list of methods takes */
};

/* Writes to `body`, which is empty. */
void tv_writer_init(struct tv_answer_writer *writer, const struct tv_api *api,
                    struct tv_buffer *body);
/* Releases the writer of a document that will not be ended. */
void tv_writer_release(struct tv_answer_writer *writer);
/* Ends the document, releases the writer, and returns the first failure. */
enum tv_code tv_writer_finish(struct tv_answer_writer *writer, struct tv_error *err) TV_MUST_CHECK;

/* Bytes that rows of lists may still take; 0: the next row is to be left out. */
size_t tv_writer_room(const struct tv_answer_writer *writer);
/* "left_out": how many rows there was no room for; nothing where all rows were written. */
void tv_write_left_out(struct tv_answer_writer *writer, uint64_t count);
/* A text of the trace, cut to TV_ANSWER_TEXT_LIMIT. */
void tv_write_text(struct tv_answer_writer *writer, const char *key, struct tv_str text);

/* Writes "key": {"wall_ns": ..., "cpu_ns": ...} without the clocks that the trace lacks;
 * tv_write_time_members writes the same members into an object that is open. */
void tv_write_times(struct tv_answer_writer *writer, const char *key,
                    const uint64_t times_ns[TV_CLOCK_COUNT]);
void tv_write_time_members(struct tv_answer_writer *writer,
                           const uint64_t times_ns[TV_CLOCK_COUNT]);
/* "inclusive", "exclusive", and "wait": {"inclusive_ns", "exclusive_ns"} by the rule of tv_wait_of,
 * where the trace has two clocks that move. */
void tv_write_numbers(struct tv_answer_writer *writer, const struct tv_numbers *numbers);
/* What an answer's times stand on, in each answer that has any, so that a reader need not ask
 * `info`: "clocks", "clock" (that of the question; null where the trace has no clock), "severity"
 * (the worst of the findings, or null) and "sampled". */
void tv_write_basis(struct tv_answer_writer *writer, enum tv_measure measure);
/* "idle": [{id, wait_ns, unrecorded_ns?}], the threads that a scope leaves out; nothing where it
 * has none. */
void tv_write_idle(struct tv_answer_writer *writer, const struct tv_scope *scope);
/* "unrecorded_ns": of what the answer tells as waits; nothing where that is none. */
void tv_write_unrecorded(struct tv_answer_writer *writer, uint64_t unrecorded_ns);
/* "unrecorded_ns" of a scope whose measure is wait. */
void tv_write_scope_unrecorded(struct tv_answer_writer *writer, const struct tv_scope *scope);
/* tv_write_basis for a question that chooses no clock: on the trace's default clock. */
void tv_write_default_basis(struct tv_answer_writer *writer);
/* rank id method class name signature file line, as members. */
void tv_write_method(struct tv_answer_writer *writer, uint32_t method_ix);
/* At least the bytes that naming a method takes in the list of methods. */
size_t tv_writer_name_len(const struct tv_answer_writer *writer, uint32_t method_ix);
/* "rank": refers to a method that tv_write_named_methods names, once for all rows. */
void tv_write_rank(struct tv_answer_writer *writer, uint32_t method_ix);
/* "methods": [rank id method class name signature file line], by rank: those that tv_write_rank
 * referred to. */
void tv_write_named_methods(struct tv_answer_writer *writer);
/* "methods" for the few methods that an answer's sentences name: "shares_name": true, where the
 * signature alone tells a method from another one. Costs a look at all methods for each. */
void tv_write_methods_apart(struct tv_answer_writer *writer);
/* calls recursive_calls inclusive exclusive, as members. */
void tv_write_method_numbers(struct tv_answer_writer *writer, const struct tv_method_row *row);
/* {"wall_ns": {"min", "p50", "p95", "max"}, ...}; without members when there are no calls. */
void tv_write_percentiles(struct tv_answer_writer *writer, const char *key,
                          const struct tv_method_percentiles *percentiles);

/* "findings": [{kind, severity, count, offset (null where there is no place), text}] */
void tv_write_findings(struct tv_answer_writer *writer);

#endif
