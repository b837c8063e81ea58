/*
 * Writing a trace that stands in no file: the caller names its methods and threads, and gives its
 * records one by one. The bytes are made by the writers that `convert` has (format/write/writer.h).
 *
 *     make; facts, methods, threads, properties in any order; begin; records; end; free
 */
#ifndef TV_FORMAT_WRITE_COMPOSE_H
#define TV_FORMAT_WRITE_COMPOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/sink.h"
#include "base/str.h"
#include "base/trace_clock.h"
#include "format/trace.h"
#include "format/write/write.h"

struct tv_composer;

/* What is true of the whole trace. */
struct tv_compose_facts {
    bool has_clock[TV_CLOCK_COUNT]; /* one of them, or both */
    uint64_t start_time_ns;
    bool has_elapsed;
    uint64_t elapsed_ns;
    bool is_cut_early;               /* properties say why, unless the buffer was full */
    const struct tv_findings *found; /* in what the records come from; NULL: nothing */
    bool has_pid;
    uint64_t pid;
    struct tv_str vm;
    uint64_t clock_overhead_ns;
    uint64_t records; /* the exact number that will be put */
    /* Of packets: records of a thread stand together, up to as many as a block may have, as ART
     * writes them. All records in the order of time change their thread so often that a packed file
     * is twice as long, since each block names its thread and counts from zero. */
    bool is_by_thread;
};

struct tv_compose_record {
    uint32_t thread; /* ordinals, in the order in which they were added */
    uint32_t method;
    enum tv_action action;
    uint64_t time[TV_CLOCK_COUNT]; /* in the unit of the version */
};

/* `as` is a name of tv_write_format_name. All texts are borrowed until the composer is freed. */
enum tv_code tv_composer_make(struct tv_composer **composer, const struct tv_alloc *alloc,
                              struct tv_str as, struct tv_sink sink,
                              struct tv_error *err) TV_MUST_CHECK;
void tv_composer_free(struct tv_composer **composer);

/* Adds a method; no two have the same id. One that is not described gets no line. */
enum tv_code tv_composer_add_method(struct tv_composer *composer,
                                    const struct tv_trace_method *method, bool is_described,
                                    struct tv_error *err) TV_MUST_CHECK;
/* Adds a thread, which has records; no two have the same id. */
enum tv_code tv_composer_add_thread(struct tv_composer *composer, uint32_t id, struct tv_str name,
                                    struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_composer_add_property(struct tv_composer *composer, struct tv_str key,
                                      struct tv_str value, struct tv_error *err) TV_MUST_CHECK;
/* Writes what stands before the records. TV_ERR_LIMIT: the version has too few ids for the threads.
 */
enum tv_code tv_composer_begin(struct tv_composer *composer, const struct tv_compose_facts *facts,
                               struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_composer_put(struct tv_composer *composer, const struct tv_compose_record *record,
                             struct tv_error *err) TV_MUST_CHECK;
/* Writes what stands behind the records, and tells what the version could not hold. */
enum tv_code tv_composer_end(struct tv_composer *composer, struct tv_write_result *result,
                             struct tv_error *err) TV_MUST_CHECK;

#endif
