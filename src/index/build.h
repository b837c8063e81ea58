/*
 * An index while it is being built: per thread its clocks, stack, rows, nodes and folds.
 *
 * match.c turns records into calls (design.md, section 5); finish.c turns what is here into the block.
 */
#ifndef TV_INDEX_BUILD_H
#define TV_INDEX_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "format/trace.h"
#include "index/index.h"
#include "index/nodes.h"
#include "index/rows.h"

struct tv_open_call {
    uint32_t key;
    uint32_t node;
};

/* A clock of a thread. raw is the file's value, cur goes with it past wraps and back, high is the highest. */
struct tv_thread_clock {
    uint64_t raw;
    int64_t cur;
    int64_t high;
    int64_t first;
};

/* A segment or fold is counted in the numbering of rows of its time; `epoch` adopters were there then. */
struct tv_build_fold {
    uint64_t start;
    uint64_t longest_start, longest_len;           /* among segments with a call */
    uint64_t idle_start, idle_len;                 /* among segments without one */
    uint64_t first_ordinal, longest_ordinal;       /* within their row */
    uint32_t first_depth, first_epoch;             /* depth TV_NONE: no call */
    uint32_t longest_depth, longest_epoch;
    uint32_t idle_epoch;
    uint32_t segments; /* 0 in a fold that is not begun */
};

struct tv_build_thread {
    uint64_t id; /* 64 bits, so that one value is no thread's */
    struct tv_thread_clock clock[TV_CLOCK_COUNT];
    struct tv_open_call *stack;
    size_t depth, stack_cap;
    struct tv_row *rows;     /* rows[0] is the row of depth 0, inside row_room */
    size_t row_count;        /* in use */
    uint32_t is_wide;
    uint32_t root;           /* of the nodes, for calls at depth 0 */
    struct tv_nodes nodes;
    uint64_t segment_start;
    struct tv_build_fold fold; /* being filled */
    struct tv_build_fold *folds;
    size_t fold_count, fold_cap;
    struct tv_row *row_room; /* the allocation */
    size_t row_cap, row_front; /* rows = row_room + row_front */
    uint32_t *adopters; /* nodes of calls that began before the trace, innermost first */
    size_t adopter_count, adopter_cap;
    struct tv_map open_counts; /* key -> open calls; kept from the first mismatched exit on */
    bool counts_open;
    bool has_fallen;
    bool has_wrapped;
    uint64_t records;
    uint64_t calls;
    uint64_t first_offset;       /* of its first record */
    uint64_t root_enter_offset;  /* of the enter of the open root call */
    uint32_t before_ix;          /* the thread of the record before its first, TV_NONE for none */
    int64_t before_wall;         /* that record's wall time, without that thread's multiple */
    uint64_t wall_multiple;      /* of 2^32, decided at the end */
    uint32_t *final_node;        /* at the end: of each node, its place among the thread's finished ones */
    size_t final_cap;
};

struct tv_builder {
    const struct tv_alloc *alloc;
    struct tv_trace *trace;
    struct tv_build_thread **threads; /* in order of first record; each its own allocation */
    size_t thread_count, thread_cap;
    struct tv_map thread_of_id;
    struct tv_build_thread *last; /* of the record before, never NULL */
    struct tv_build_thread no_thread;
    uint32_t last_ix;
    struct tv_map odd_keys; /* keys of records that made no node -> place in odd_offsets */
    uint64_t *odd_offsets;
    size_t odd_count, odd_cap;
    struct tv_findings findings;
    /* For telling sampled traces; axis clock. */
    bool has_unwind;
    uint64_t gaps_zero, gaps_small;
    uint64_t small_gap; /* 100 us in units */
};

void tv_builder_init(struct tv_builder *builder, struct tv_trace *trace);
void tv_builder_release(struct tv_builder *builder);
/* Adds the records of a batch, in file order. */
enum tv_code tv_builder_feed(struct tv_builder *builder, const struct tv_batch *batch,
                             struct tv_error *err) TV_MUST_CHECK;
/* The finished block; empties the builder's rows on the way, so that nothing is held twice. */
enum tv_code tv_builder_finish(struct tv_builder *builder, const struct tv_pool *pool, struct tv_index *index,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
