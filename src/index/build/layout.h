/*
 * The layout of an index: which thread, row and column stands where in the block. It is made when
 * all calls are counted and before any column is written, so that tasks can write columns side by
 * side.
 *
 * docs/index.md, "The block" and "Widths of numbers".
 */
#ifndef TV_INDEX_BUILD_LAYOUT_H
#define TV_INDEX_BUILD_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/build/builder.h"

/* The long calls of a row on one clock while columns are being written; see
 * index/build/long_durations.h. 32 bits are enough: a thread with 16-bit durations spans less than
 * 2^32 units, and each of its long calls lasts 2^16 - 1 or more. */
struct tv_row_long_calls {
    uint64_t first; /* into the layout's long_calls */
    uint32_t count; /* long calls so far */
    uint32_t room;  /* the most that there can be */
};

struct tv_layout {
    const struct tv_alloc *alloc;
    const struct tv_trace *trace;
    struct tv_build_thread **threads; /* in the order of the index; NULL for one without records */
    size_t thread_count, thread_cap;
    size_t row_count;
    struct tv_index_thread *out; /* in the block, one for each of threads */
    struct tv_index_row *rows;   /* in the block */
    /* Room for the long calls of all rows, and for each row its part of that room on the wall clock
     * and on the CPU clock. NULL where no row can have a long call. */
    struct tv_index_long_call *long_calls;
    size_t long_cap;
    struct tv_row_long_calls *row_long_calls;
    /* Elements of sections: calls, bytes of times, words of the mipmap, segment groups, nodes. */
    uint64_t call_count, times_len, mipmap_words, group_count, node_count;
    bool has_wide_sums; /* node sums have 64 bits, because 32 may not be enough */
    uint64_t wall_end;  /* latest wall time of any record, units, the threads' multiples included */
};

/*
 * Makes the layout, and a block that has THREADS, ROWS and SEGMENT_GROUPS. Of each thread of the
 * builder it needs the clocks, depth (calls open at the end), the count of each row, calls, and
 * group_count. Chooses the final widths of times, for which it may widen rows of calls, and adds
 * the findings about threads. The first two sections are written; groups are not.
 */
enum tv_code tv_layout_make(struct tv_layout *layout, struct tv_builder *builder,
                            struct tv_index *index, struct tv_error *err) TV_MUST_CHECK;
void tv_layout_release(struct tv_layout *layout);
/* Points the layout and the builder's threads at the threads and rows of the block; to be called
 * when the block was made longer, and may have moved. */
void tv_layout_find(struct tv_layout *layout, struct tv_index *index);
/* The thread, as an ordinal of the index, that a row is of. */
uint32_t tv_layout_thread_of_row(const struct tv_layout *layout, uint64_t row_ix);
/* The end of the calls of a thread that are open at the end of the trace, in units since the
 * thread's first record (docs/numbers.md, "Calls"). Usable as soon as tv_layout_make has placed the
 * clocks. */
uint64_t tv_layout_open_end(const struct tv_layout *layout, const struct tv_builder *builder,
                            const struct tv_build_thread *thread, enum tv_clock clock);

/* Sets the counts of the sections up to the columns of calls (index/block.h); the others stay. */
void tv_layout_column_counts(const struct tv_layout *layout, uint64_t *counts);
/* Makes room for the columns of calls in the block. Nothing in them is set yet. */
enum tv_code tv_layout_new_columns(struct tv_layout *layout, struct tv_index *index,
                                   struct tv_error *err) TV_MUST_CHECK;
/* Clears all bytes of the finished block that are in no column and no section. */
void tv_layout_clear_gaps(const struct tv_layout *layout, struct tv_index *index);

#endif
