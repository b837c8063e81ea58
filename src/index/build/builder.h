/*
 * An index while it is being built: per thread its clocks, stack, rows, nodes and folds.
 *
 * match.c turns records into calls (design.md, section 5); finish.c turns what is here into the
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
struct tv_build_fold {
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
    struct tv_build_fold *fold; /* being filled: behind the counted ones of folds */
    struct tv_build_fold *folds;
    size_t fold_count, fold_cap;
    struct tv_row *row_room;   /* the allocation */
    size_t row_cap, row_front; /* rows = row_room + row_front */
    uint32_t *adopters;        /* nodes of calls that began before the trace, innermost first */
    size_t adopter_cap;
    size_t adopter_count;       /* calls that began before the trace */
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

/* Fills in the durations of the open call at `depth`, which is the last of its row. end: units
 * since the thread's first record. */
TV_INLINE void tv_build_close(const struct tv_build_thread *thread, size_t depth,
                              const uint64_t end[TV_CLOCK_COUNT])
{
    char *tail = thread->rows[depth].tail;
    if (TV_LIKELY(!thread->is_wide)) {
        struct tv_narrow_call call;
        memcpy(&call, tail, sizeof(call));
        call.time[1] = (uint32_t)end[0] - call.time[0];
        call.time[3] = (uint32_t)end[1] - call.time[2];
        memcpy(tail, &call, sizeof(call));
        return;
    }
    struct tv_wide_call call;
    memcpy(&call, tail, sizeof(call));
    call.time[1] = end[0] - call.time[0];
    call.time[3] = end[1] - call.time[2];
    memcpy(tail, &call, sizeof(call));
}

struct tv_builder {
    const struct tv_alloc *alloc;
    struct tv_trace *trace;
    struct tv_build_thread **threads; /* in order of first record; each its own allocation */
    size_t thread_count, thread_cap;
    struct tv_map thread_of_id;
    struct tv_build_thread *last; /* of the record before, never NULL */
    struct tv_build_thread no_thread;
    uint32_t last_ix;
    struct tv_map odd_keys;  /* keys of records that made no node -> how many came before */
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
void tv_build_thread_drop_folds(struct tv_build_thread *thread, const struct tv_alloc *alloc);
void tv_build_thread_drop_rows(struct tv_build_thread *thread, const struct tv_alloc *alloc);
void tv_build_thread_drop_nodes(struct tv_build_thread *thread, const struct tv_alloc *alloc);

void tv_builder_init(struct tv_builder *builder, struct tv_trace *trace);
void tv_builder_release(struct tv_builder *builder);
/* Adds the records of a batch, in file order. */
enum tv_code tv_builder_feed(struct tv_builder *builder, const struct tv_batch *batch,
                             struct tv_error *err) TV_MUST_CHECK;
/*
 * Ends what tv_builder_feed began: the finished block. Empties the builder's rows on the way, so
 * that nothing is held twice.
 */
enum tv_code tv_builder_finish(struct tv_builder *builder, const struct tv_pool *pool,
                               struct tv_index *index, struct tv_error *err) TV_MUST_CHECK;

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

/* The long calls of a row on one clock while columns are being filled; see
 * index/build/long_durations.h. */
struct tv_row_longs {
    uint64_t first; /* in longs */
    uint32_t count;
    uint32_t room; /* for so many: only threads that span less than 2^32 units have long calls */
};

/*
 * Where everything goes: threads in their finished order, rows and columns placed. Made when all
 * records have been counted; a block of threads, rows and columns can then be filled, and all else
 * behind them.
 */
struct tv_layout {
    const struct tv_alloc *alloc;
    const struct tv_trace *trace;
    struct tv_build_thread **threads; /* finished ones: NULL for those without records */
    size_t thread_count, thread_cap;
    size_t row_count;
    struct tv_index_thread *out; /* beside threads; in the block, as are rows */
    struct tv_index_row *rows;
    struct tv_index_long *longs; /* room for the long calls of each row, thread by thread */
    size_t long_cap;
    struct tv_row_longs *row_longs; /* two for each row: wall, CPU; NULL where no row has room */
    uint64_t call_count, times_len, level_count, fold_count, node_count;
    bool has_wide_sums; /* a node's calls or times may not fit 32 bits */
    uint64_t wall_end; /* units: the latest wall time of any record, where threads' walls compare */
};

/*
 * Needs of each thread: clocks, depth (calls open at the end), row_count and the count of each row,
 * calls, fold_count. Decides is_wide (rows of calls are widened if need be) and adds findings of
 * threads. The block of the index is then of threads and rows alone.
 */
enum tv_code tv_layout_make(struct tv_layout *layout, struct tv_builder *builder,
                            struct tv_index *index, struct tv_error *err) TV_MUST_CHECK;
void tv_layout_release(struct tv_layout *layout);
/* Finds threads and rows again, in a block that was made longer. */
void tv_layout_find(struct tv_layout *layout, struct tv_index *index);
uint32_t tv_layout_thread_of_row(const struct tv_layout *layout, uint64_t row_ix);
/* The end of the calls of a thread that are still open, units since its first record. */
uint64_t tv_layout_open_end(const struct tv_layout *layout, const struct tv_builder *builder,
                            const struct tv_build_thread *thread, enum tv_clock clock);

/* Sets the counts of the sections of columns (index/block.h); the others stay. */
void tv_layout_column_counts(const struct tv_layout *layout, uint64_t *counts);
/* Makes room for the columns in the block; nothing in them is set yet. */
enum tv_code tv_layout_new_columns(struct tv_layout *layout, struct tv_index *index,
                                   struct tv_error *err) TV_MUST_CHECK;
/* Clears what no column and no section of the whole block has. */
void tv_layout_clear_gaps(const struct tv_layout *layout, struct tv_index *index);

/*
 * Builds the whole index from fixed records, chunk by chunk on the pool. *is_odd tells that the
 * records need the rules of match.h: then nothing was built, and the trace is as before.
 * The pool of opts is set.
 */
enum tv_code tv_chunks_build(struct tv_index *index, struct tv_trace *trace,
                             const struct tv_build_opts *opts, bool *is_odd,
                             struct tv_error *err) TV_MUST_CHECK;

/* Copies the builder's rows into the columns of index, and releases them on the way. */
void tv_rows_copy(const struct tv_layout *layout, struct tv_builder *builder,
                  const struct tv_pool *pool, struct tv_index *index);
/*
 * Adds what comes after the columns: nodes (numbered by tv_tree_number, their method keys
 * resolved), methods, tables, levels, the profile. Columns and folds must be filled.
 */
enum tv_code tv_tables_write(struct tv_layout *layout, struct tv_builder *builder,
                             const struct tv_pool *pool, struct tv_index *index,
                             struct tv_error *err) TV_MUST_CHECK;

#endif
