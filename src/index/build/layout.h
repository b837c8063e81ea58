/* Where everything of an index goes, once all records have been counted. */
#ifndef TV_INDEX_BUILD_LAYOUT_H
#define TV_INDEX_BUILD_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/build/builder.h"

/* The long calls of a row on one clock while columns are being filled; see
 * index/build/long_durations.h. */
struct tv_row_long_calls {
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
    struct tv_index_long_call
        *long_calls; /* room for the long calls of each row, thread by thread */
    size_t long_cap;
    struct tv_row_long_calls
        *row_long_calls; /* two for each row: wall, CPU; NULL where no row has room */
    uint64_t call_count, times_len, mipmap_words, group_count, node_count;
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

#endif
