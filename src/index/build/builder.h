/*
 * An index while it is being built: per thread its clocks, stack, rows, nodes and folds.
 *
 * match.c turns records into calls (docs/numbers.md, "Calls"); finish.c turns what is here into the
 * block.
 */
#ifndef TV_INDEX_BUILD_BUILDER_H
#define TV_INDEX_BUILD_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/map.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "index/build/nodes.h"
#include "index/build/rows.h"
#include "index/index.h"

/* A step forward of more than this on a 32-bit clock is a fall: 2^32 us less a minute. */
#define TV_LARGEST_STEP (UINT32_MAX - 60u * 1000u * 1000u + 1u)

struct tv_open_call {
    uint32_t key;
    uint32_t node;
};

/* A clock of a thread. raw is the file's value, cur goes with it past wraps and back, high is the
 * highest. */
struct tv_thread_clock {
    uint64_t raw;
    int64_t cur;
    int64_t high;
    int64_t first;
};

/* A segment or fold is counted in the numbering of rows of its time; `epoch` adopters were there
 * then. */
struct tv_build_segment_group {
    uint64_t start;
    uint64_t longest_start, longest_len;     /* among segments with a call */
    uint64_t idle_start, idle_len;           /* among segments without one, of the last epoch */
    uint64_t adopted_start, adopted_len;     /* among segments without one, of epochs before */
    uint64_t first_ordinal, longest_ordinal; /* within their row */
    uint32_t first_depth, first_epoch;       /* depth TV_NONE: no call */
    uint32_t longest_depth, longest_epoch;
    uint32_t idle_epoch, adopted_epoch;
    uint32_t segments; /* 0 in a fold that is not begun */
};

struct tv_build_thread {
    uint64_t id; /* 64 bits, so that one value is no thread's */
    struct tv_thread_clock clock[TV_CLOCK_COUNT];
    struct tv_open_call *stack;
    size_t depth, stack_cap;
    struct tv_row *rows; /* rows[0] is the row of depth 0, inside row_room */
    size_t row_count;    /* in use */
    uint8_t is_wide;
    uint8_t duration_len; /* in the columns; set by tv_layout_make */
    bool has_long_room;   /* some row may have calls that last too long for 2 bytes */
    bool has_fallen;
    uint32_t root; /* of the nodes, for calls at depth 0 */
    struct tv_nodes nodes;
    uint64_t segment_start;
    struct tv_build_segment_group *group; /* being filled: behind the counted ones of folds */
    struct tv_build_segment_group *groups;
    size_t group_count, group_cap;
    struct tv_row *row_room;   /* the allocation */
    size_t row_cap, row_front; /* rows = row_room + row_front */
    size_t adopting_count;     /* calls that began before the trace */
    uint32_t *adopting_nodes;  /* serial builder: their nodes, innermost first; else NULL */
    size_t adopting_node_cap;
    struct tv_map *open_counts; /* key -> open calls; from the first mismatched exit on */
    uint64_t records;
    uint64_t calls;
    uint64_t first_offset;       /* of its first record */
    uint64_t root_enter_offset;  /* of the enter of the open root call */
    struct tv_index_thread *out; /* what becomes of it; set by tv_layout_make */
    bool has_wrapped;
    uint32_t before_ix;     /* the thread of the record before its first, TV_NONE for none */
    int64_t before_wall;    /* that record's wall time, without that thread's multiple */
    uint64_t wall_multiple; /* of 2^32, decided at the end */
    uint32_t *final_node; /* at the end: of each node, its place among the finished ones; NULL where
                             they stand in the same order (tv_final_node) */
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
    struct tv_map nodeless_keys; /* keys of records that made no node -> how many came before */
    uint64_t unknown_offset; /* of the first record whose method nothing describes; where records
                                were not read one by one, it is looked for when one is met */
    struct tv_findings findings;
    /* For telling sampled traces; axis clock. */
    bool has_unwind;
    uint64_t gaps_zero, gaps_small;
    uint64_t small_gap; /* 100 us in units */
};

/* Releases folds of a thread; its rows and stack; its nodes. What was copied is not held any
 * longer.
 */
void tv_build_thread_drop_groups(struct tv_build_thread *thread, const struct tv_alloc *alloc);
void tv_build_thread_drop_rows(struct tv_build_thread *thread, const struct tv_alloc *alloc);
void tv_build_thread_drop_nodes(struct tv_build_thread *thread, const struct tv_alloc *alloc);

void tv_builder_init(struct tv_builder *builder, struct tv_trace *trace);
void tv_builder_release(struct tv_builder *builder);
/* A thread's state at its first record; ordinals of threads are in that order. */
enum tv_code tv_builder_add_thread(struct tv_builder *builder, uint32_t id,
                                   struct tv_build_thread **thread,
                                   struct tv_error *err) TV_MUST_CHECK;
/* Counts a gap between two records of a thread, units of the axis clock. */
TV_INLINE void tv_builder_count_gap(uint64_t gap, uint64_t small_gap, uint64_t *gaps_zero,
                                    uint64_t *gaps_small)
{
    *gaps_zero += gap == 0;
    *gaps_small += gap != 0 && gap < small_gap;
}

#endif
