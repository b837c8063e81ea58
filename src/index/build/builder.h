/*
 * An index while it is being built: for each thread its clocks, stack, rows, nodes and segment
 * groups. Both builders fill these structs, and the steps after them (index/build/layout.h,
 * index/build/tables.h) make the block from what is here.
 *
 * The serial builder (records/) uses all fields: its rows hold the calls. The chunked builder
 * (chunks/) writes calls and segment groups straight into the block, so its rows have counts only,
 * and its groups only a count. docs/index.md, "Two builders".
 */
#ifndef TV_INDEX_BUILD_BUILDER_H
#define TV_INDEX_BUILD_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory/map.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "index/build/nodes.h"
#include "index/build/rows.h"
#include "index/index.h"

/* A step of more than this on a 32-bit clock, modulo 2^32 us, is a fall of up to a minute
 * (docs/numbers.md, "Clocks"). */
#define TV_LARGEST_STEP (UINT32_MAX - 60u * 1000u * 1000u + 1u)

/* A call on the stack. */
struct tv_stacked_call {
    uint32_t key;  /* of its method */
    uint32_t node; /* in the thread's tree; the chunked builder does not know it yet */
};

/* One clock of a thread, at the record that was taken last. Units since the zero of the clock. */
struct tv_thread_clock {
    uint64_t raw;  /* the value in the file */
    int64_t cur;   /* 32-bit clocks: raw with the wraps until now; goes back when it falls */
    int64_t high;  /* the highest cur so far: the time that calls get */
    int64_t first; /* high at the first record */
};

/*
 * A segment group of the serial builder. Depths are those of the time when the group was made; each
 * comes with its epoch, the number of adopting calls that were known then. Each later
 * adopting call makes the depth greater by 1, and is the innermost call of all time in which
 * nothing was open.
 */
struct tv_build_segment_group {
    uint64_t start;                      /* as `high` of the axis clock, like all starts here */
    uint64_t longest_start, longest_len; /* longest segment with a call */
    uint64_t idle_start, idle_len;       /* longest segment without a call, of idle_epoch */
    /* The longest of earlier epochs: it is in an adopting call. */
    uint64_t adopted_start, adopted_len;
    uint64_t first_ordinal, longest_ordinal; /* of the innermost call, within its row */
    uint32_t first_depth, first_epoch;       /* depth TV_NONE: no call was open */
    uint32_t longest_depth, longest_epoch;
    uint32_t idle_epoch, adopted_epoch;
    uint32_t segments; /* that the group has so far; 0: the group is not begun */
};

/* A thread. Fields of the hot path stand first, on as few lines of the cache as can be. */
struct tv_build_thread {
    uint64_t id; /* has 32 bits; builder.no_thread has a value that no thread can have */
    struct tv_thread_clock clock[TV_CLOCK_COUNT];
    struct tv_stacked_call *stack; /* outermost first */
    size_t depth, stack_cap;       /* open calls, and room for them */
    struct tv_call_row *rows;      /* by depth; inside row_room */
    size_t row_count;
    uint8_t is_wide;      /* times of calls have 64 bits, else 32 */
    uint8_t duration_len; /* bytes of a duration in the block; set by tv_layout_make */
    bool has_long_room;   /* some row may have calls that are too long for 2 bytes */
    uint32_t root;        /* the node above calls of depth 0, which stands for no call */
    struct tv_nodes nodes;
    uint64_t segment_start; /* of the segment that goes on, as `high` of the axis clock */
    struct tv_build_segment_group *group; /* being filled; stands behind the counted groups */
    struct tv_build_segment_group *groups;
    size_t group_count, group_cap;
    /* The allocation of rows. Free room in front is for rows of adopting calls to come: rows =
     * row_room + row_front. */
    struct tv_call_row *row_room;
    size_t row_cap, row_front;
    size_t adopting_count;    /* calls that began before the trace */
    uint32_t *adopting_nodes; /* serial builder: their nodes, innermost first; else NULL */
    size_t adopting_node_cap;
    struct tv_map *open_counts; /* key -> open calls; NULL until an exit is not of the top call */
    uint64_t records;
    uint64_t calls;
    uint64_t first_offset;       /* of its first record, bytes from the start of the file */
    uint64_t root_enter_offset;  /* of the enter of the open root call */
    struct tv_index_thread *out; /* the thread in the block; set by tv_layout_make */
    bool has_wrapped;            /* the finding clock_wrapped has counted this thread */
    bool is_too_far;             /* the finding clock_too_far has counted this thread */
    /* Of each clock: the finding of its falls has counted this thread. */
    bool has_fallen[TV_CLOCK_COUNT];
    /* The record that stands before the thread's first record in the file: its thread, as a place
     * in the builder's threads (TV_NONE for none), and its wall time without the multiple of that
     * thread. The multiple of the thread's own wall clock follows from that time. */
    uint32_t before_ix;
    int64_t before_wall;
    /* Set by tv_layout_make: the times of its last record, or where its calls are open then and the
     * trace says so, when it was last seen, without the multiple; and whether open calls last until
     * that wall time, as the trace says, and not until the latest of all threads. Where the trace
     * says when it was last seen without its CPU time then, nothing is known of it after its last
     * record, and `open_until` is when its open calls end on the wall clock, with the multiple. */
    uint64_t last[TV_CLOCK_COUNT];
    bool has_wall_end;
    /* Or of a part of a trace (format/cut_threads.h) so, and how many of its outermost first calls
     * were there before. */
    bool has_open_until;
    uint64_t open_until;
    uint64_t began_before;
    uint64_t wall_multiple; /* multiple of 2^32 units that is added to wall times at the end */
    /* The ordinal in the block of each node; NULL where nodes keep their order (tv_final_node). */
    uint32_t *final_node;
};

/* The state of one build. */
struct tv_builder {
    const struct tv_alloc *alloc;
    struct tv_trace *trace;
    struct tv_build_thread **threads; /* by first record; each its own allocation, so none moves */
    size_t thread_count, thread_cap;
    struct tv_map thread_of_id;       /* id -> place in threads */
    struct tv_build_thread *last;     /* thread of the record before; no_thread at first */
    struct tv_build_thread no_thread; /* its id equals no thread's */
    uint32_t last_ix;                 /* place of `last` in threads; TV_NONE at first */
    /* Keys of records that made no node -> how many such keys came before. */
    struct tv_map nodeless_keys;
    /* Offset of the first record with a method that nothing describes. The chunked builder leaves
     * it at TV_NO_OFFSET; tv_methods_resolve then looks for it, if there is such a method. */
    uint64_t unknown_offset;
    struct tv_findings findings;
    /* What tells a sampled trace (docs/numbers.md, "Sampled traces"): gaps between two records of a
     * thread on the axis clock that are 0, and those above 0 that are below small_gap. */
    bool has_unwind;
    uint64_t gaps_zero, gaps_small;
    uint64_t small_gap; /* 100 us in units */
    /* Times of records beyond this one are lowered to it; INT64_MAX: none are, because it is not
     * known yet that any has to be. */
    int64_t latest;
};

/* Each releases a part of a thread when its contents stand in the block: the segment groups, the
 * rows with the stack, the nodes. */
void tv_build_thread_drop_groups(struct tv_build_thread *thread, const struct tv_alloc *alloc);
void tv_build_thread_drop_rows(struct tv_build_thread *thread, const struct tv_alloc *alloc);
void tv_build_thread_drop_nodes(struct tv_build_thread *thread, const struct tv_alloc *alloc);

void tv_builder_init(struct tv_builder *builder, struct tv_trace *trace);
void tv_builder_release(struct tv_builder *builder);
/* Adds a thread, at its first record, behind those that are there. */
enum tv_code tv_builder_add_thread(struct tv_builder *builder, uint32_t id,
                                   struct tv_build_thread **thread,
                                   struct tv_error *err) TV_MUST_CHECK;
/* The latest time that records of the trace may have, in units of the trace: if all threads had it,
 * the sum of their times would be at most INT64_MAX nanoseconds (docs/numbers.md, "Clocks"). Call
 * it when all threads are known. */
int64_t tv_builder_latest(const struct tv_builder *builder);
/* Whether a thread has a time beyond that latest one. */
bool tv_builder_is_too_far(const struct tv_builder *builder);
/* Counts a thread in the finding clock_too_far, once. */
void tv_builder_report_far(struct tv_builder *builder, struct tv_build_thread *thread,
                           uint64_t offset);
/* Counts the gap between two records of a thread, units of the axis clock. */
TV_INLINE void tv_builder_count_gap(uint64_t gap, uint64_t small_gap, uint64_t *gaps_zero,
                                    uint64_t *gaps_small)
{
    *gaps_zero += gap == 0;
    *gaps_small += gap != 0 && gap < small_gap;
}

#endif
