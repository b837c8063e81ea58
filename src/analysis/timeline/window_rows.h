/*
 * How the boxes of a window's rows are made: what analysis/timeline/window.c and the files of the
 * three kinds of rows share. Used by the files of this room only.
 *
 * Depth rows are made in two steps, since the right resolution must be found first. A *cut* is
 * where a box ends: the number of calls of the row up to there. Counting the boxes of a depth row
 * gives its cuts, at little cost. When the cuts of all depth rows fit the limit, the boxes are
 * written from them. Folded and extents rows append finished boxes to a list, which gives up when
 * it is full.
 */
#ifndef TV_ANALYSIS_TIMELINE_WINDOW_ROWS_H
#define TV_ANALYSIS_TIMELINE_WINDOW_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/call.h"
#include "analysis/calls/method_scan.h"
#include "analysis/lean/lean.h"
#include "analysis/timeline/window.h"
#include "base/error.h"

/*
 * A depth row of the window. The calls [first, end) are those that the window meets, calls that
 * touch its edges included. Three counts go with the row: the boxes of the resolution counted last,
 * the boxes of the finest resolution that fitted so far (box_...), and a lower bound for the next
 * finer one.
 */
struct tv_depth_row {
    uint32_t row;   /* ordinal among the window's rows */
    uint64_t first; /* ordinals of calls over the whole trace */
    uint64_t end;
    size_t counted_boxes; /* boxes at the resolution counted last; counting stops soon after its
                             limit */
    size_t least_finer;   /* the counted calls make at least this many boxes in pixels of half the
                             size */
    size_t counted_cut_first; /* where the cuts counted last begin, in the builder's cuts or in the
                                 room of a batch */
    size_t counted_cut_cap;   /* room for the row's cuts while it is counted: at least 1 */
    size_t box_count;         /* boxes at the builder's cut_pixel_ns */
    size_t box_cut_first;     /* where the cuts of these boxes begin in the builder's cuts */
};

/* Boxes in the order in which they are found. A full list has lost some, and its
 * boxes must not be used. */
struct tv_box_list {
    struct tv_box *boxes;
    size_t count;
    size_t cap;
    size_t limit;
    bool is_full; /* the limit was passed */
};

/* The state of a window while it is made, at one resolution after another. Tasks of
 * the pool only read it. */
struct tv_window_builder {
    struct tv_window *window;
    const struct tv_index *index; /* that rows are made of: the whole one, or the lean one */
    const struct tv_index *whole;
    const struct tv_lean *lean; /* NULL: no calls are hidden */
    const struct tv_window_opts *opts;
    const struct tv_pool *pool;
    uint64_t pixel_ns;
    size_t limit; /* most boxes of all rows together */
    struct tv_depth_row *depth_rows;
    uint32_t depth_row_count;
    uint64_t cut_pixel_ns; /* the resolution that box_count of the depth rows is of; 0: none fitted
                              yet */
    uint64_t *cuts;        /* row by row, where each box ends: calls since row->first. Room for two
                              resolutions */
    size_t cut_cap;
    size_t cut_first; /* where the cuts of cut_pixel_ns begin: 0, or `limit`, so that the next count
                         does not overwrite them */
    size_t cut_count; /* how many these are: boxes of all depth rows */
    size_t least_finer; /* the counted depth rows make at least this many boxes in pixels of half
                           the size */
    struct tv_box_list other_boxes; /* boxes of folded and extents rows, row by row */
    bool is_full;                   /* the limit was passed: the boxes are worth nothing */
    /* Finds the calls of opts->extents_method; prepared when a row shows extents. */
    const struct tv_method_scan *extents;
};

/* Appends boxes to a list; makes the list full, without an error, when they
 * would pass its limit. */
enum tv_code tv_box_list_append(struct tv_box_list *list, const struct tv_alloc *alloc,
                                const struct tv_box *boxes, size_t count,
                                struct tv_error *err) TV_MUST_CHECK;
/* The share of `times`, in any unit, as struct tv_box has it in `cpu`; unknown where more time than
 * the wall time of these is not recorded. */
uint32_t tv_box_cpu_share(const struct tv_index *index, const uint64_t times[TV_CLOCK_COUNT],
                          uint64_t unrecorded);
/* A box of a call of builder->index over [start, start + len) units, with all flags but WAITING and
 * MIXED. */
struct tv_box tv_box_of_call(const struct tv_window_builder *builder, struct tv_call_ref ref,
                             uint64_t start, uint64_t len);
/* A box of a single call, with the flag WAITING, too, which costs a look at the callees. */
struct tv_box tv_box_of_single_call(const struct tv_window_builder *builder, struct tv_call_ref ref,
                                    uint64_t start, uint64_t len);

/* Finds first and end of a depth row. Different rows may be clipped, counted and
 * written at the same time. */
void tv_depth_row_clip(const struct tv_window_builder *builder, struct tv_depth_row *row);
/* Counts the boxes of the row, but no more than `most` + 1, and writes the cut of each to `cuts`
 * unless that is NULL. */
void tv_depth_row_count_boxes(const struct tv_window_builder *builder, struct tv_depth_row *row,
                              size_t most, uint64_t *cuts);
/* Writes the box_count boxes of the row. */
void tv_depth_row_write_boxes(const struct tv_window_builder *builder,
                              const struct tv_depth_row *row, struct tv_box *boxes);

/* Counts all depth rows at the builder's resolution and keeps their cuts when there are at
 * most `most`; is_fit says whether there are. When there are more, the cuts of the last
 * resolution that fitted stay. */
enum tv_code tv_depth_rows_cut(struct tv_window_builder *builder, size_t most, bool *is_fit,
                               struct tv_error *err) TV_MUST_CHECK;
/* Finds the finest resolution, from the builder's pixel up, at which the depth rows
 * alone fit the limit. */
enum tv_code tv_depth_rows_choose_pixel(struct tv_window_builder *builder,
                                        struct tv_error *err) TV_MUST_CHECK;

/* Append the boxes of a row to the builder's other_boxes. */
enum tv_code tv_window_add_folded_row(struct tv_window_builder *builder, uint32_t thread_ix,
                                      struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_window_add_extents_row(struct tv_window_builder *builder, uint32_t thread_ix,
                                       struct tv_error *err) TV_MUST_CHECK;

/* The number of the pixel that a time in units lies in, counted from the start of the trace. */
TV_INLINE uint64_t tv_pixel_of(const struct tv_window_builder *builder, uint64_t time)
{
    return time * builder->index->info->unit_ns / builder->pixel_ns;
}

/* The first whole unit at or after a time: no call starts between the two. */
TV_INLINE uint64_t tv_units_from(const struct tv_window_builder *builder, uint64_t time_ns)
{
    uint64_t unit_ns = builder->index->info->unit_ns;
    return time_ns / unit_ns + (time_ns % unit_ns != 0);
}

/* The first unit of a pixel, and of its second half. */
TV_INLINE uint64_t tv_pixel_start(const struct tv_window_builder *builder, uint64_t pixel)
{
    return tv_units_from(builder, pixel * builder->pixel_ns);
}

TV_INLINE uint64_t tv_pixel_middle(const struct tv_window_builder *builder, uint64_t pixel)
{
    return tv_units_from(builder, pixel * builder->pixel_ns + builder->pixel_ns / 2);
}

/* Whether a call of `len` units is long enough to be a box of its own. */
TV_INLINE bool tv_is_pixel_wide(const struct tv_window_builder *builder, uint64_t len)
{
    return len * builder->index->info->unit_ns >= builder->pixel_ns;
}

#endif
