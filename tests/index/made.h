/*
 * An index made from a built trace in one call, and what is in it as text. For tests of index.
 *
 * make_index builds by both ways and with several sizes of batches and chunks, and expects the same
 * bytes of all: so every test of a rule is one of that promise too.
 */
#ifndef TESTS_INDEX_MADE_H
#define TESTS_INDEX_MADE_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory/buffer.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "index/index.h"
#include "support/trace_builder.h"

/* Releases what was built with t, too. */
void make_index(struct tv_index *index, struct trace_builder *t);
/* One way; the bytes stay. */
enum tv_code build_index(struct tv_index *index, const struct tv_buffer *bytes,
                         const struct tv_read_opts *read_opts, const struct tv_build_opts *opts,
                         const struct tv_alloc *alloc, struct tv_error *err);
/* The blocks hold the same bytes; `what` says of which the second is. */
void expect_same_block(const struct tv_index *a, const struct tv_index *b, const char *what);

/* A record as a reader gives it. */
struct listed_record {
    uint32_t thread, method, action;
    uint64_t cpu, wall;
    uint64_t offset;
};

struct listed_facts {
    bool has_clock[TV_CLOCK_COUNT];
    bool has_common_axis;
    unsigned clock_bits;
    uint32_t unit_ns;
    bool has_elapsed;
    uint64_t elapsed_ns;
};

/* An index of records that no file holds: of 64-bit clocks, above all. */
void make_listed(struct tv_index *index, const struct listed_facts *facts,
                 const struct listed_record *records, size_t count);

/*
 * The calls of a thread, row by row, on a clock: "foo 10+20, bar 30+1 | baz 12+3" are start and
 * duration in units, rows parted by a bar. A method without a line shows as its id.
 */
void expect_calls(const struct tv_index *index, uint32_t thread_id, enum tv_clock clock,
                  const char *expected);
/*
 * The nodes of a thread in their order: "foo x2 30-10, foo.bar x3 20-20" are path, calls, inclusive
 * and exclusive time; a recursive one has a star.
 */
void expect_nodes(const struct tv_index *index, uint32_t thread_id, enum tv_clock clock,
                  const char *expected);
/* The methods by rank: "foo 2+1 30-10" are outermost and recursive calls, inclusive, exclusive. */
void expect_profile(const struct tv_index *index, enum tv_clock clock, const char *expected);

const struct tv_index_thread *thread_of(const struct tv_index *index, uint32_t thread_id);
void expect_number(const char *what, uint64_t found, uint64_t expected);
void expect_finding(const struct tv_index *index, enum tv_finding_kind kind, uint64_t count,
                    uint64_t offset);
/* No finding but these; the list ends with TV_FINDING_KIND_COUNT. */
void expect_only(const struct tv_index *index, ...);

#endif
