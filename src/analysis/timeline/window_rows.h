/* The three kinds of rows of a window: each appends its boxes. Inside of analysis/timeline/window.c
 * only. */
#ifndef TV_ANALYSIS_TIMELINE_WINDOW_ROWS_H
#define TV_ANALYSIS_TIMELINE_WINDOW_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/call.h"
#include "analysis/calls/method_scan.h"
#include "analysis/timeline/window.h"
#include "base/error.h"

/* A row of a depth that is asked for: its calls that the window meets, those that touch its edges
 * included, and what it has at a resolution. */
struct tv_depth_row {
    uint32_t row; /* among the window's rows */
    uint64_t first;
    uint64_t end;
    size_t counted_boxes; /* boxes, at the resolution looked at; not many more than was asked */
    size_t least_finer; /* no fewer boxes it has in pixels of half the size; of what was counted */
    size_t counted_cut_first; /* into the cuts */
    size_t counted_cut_cap;   /* for them while they are counted; at least one */
    size_t box_count;         /* boxes, at counted_pixel_ns */
    size_t box_cut_first;
};

/* Boxes as they are found, unless there are too many: then they are worth nothing. */
struct tv_box_list {
    struct tv_box *boxes;
    size_t count;
    size_t cap;
    size_t limit;
    bool is_full; /* the limit was passed */
};

/* A window while it is made at one resolution. Tasks of the pool only read it. */
struct tv_window_builder {
    struct tv_window *window;
    const struct tv_index *index;
    const struct tv_window_opts *opts;
    const struct tv_pool *pool;
    uint64_t pixel_ns;
    size_t limit; /* boxes */
    struct tv_depth_row *depth_rows;
    uint32_t depth_row_count;
    uint64_t cut_pixel_ns; /* that box_count of the depths is of; 0: none */
    uint64_t *cuts;        /* row by row, where each box ends: a call after row->first */
    size_t cut_cap;
    size_t cut_first; /* of those at counted_pixel_ns; others may be found meanwhile */
    size_t cut_count;
    size_t least_finer; /* no fewer boxes than this are there in pixels of half the size */
    struct tv_box_list other_boxes;       /* boxes of the other rows, row by row */
    bool is_full;                         /* the limit was passed: the boxes are worth nothing */
    const struct tv_method_scan *extents; /* of the method asked for, when a row needs it */
};

/* Appends boxes to a list, unless they are too many. */
enum tv_code tv_box_list_append(struct tv_box_list *list, const struct tv_alloc *alloc,
                                const struct tv_box *boxes, size_t count,
                                struct tv_error *err) TV_MUST_CHECK;
/* What the CPU time is of the wall time; see struct tv_box. */
uint32_t tv_box_cpu_share(const struct tv_index *index, const uint64_t times[TV_CLOCK_COUNT]);
/* The box of one call over [start, start + len) units, with all its marks but WAITING. */
struct tv_box tv_box_of_call(const struct tv_window_builder *builder, struct tv_call_ref ref,
                             uint64_t start, uint64_t len);
/* The same with WAITING: for boxes of a call of their own. */
struct tv_box tv_box_of_single_call(const struct tv_window_builder *builder, struct tv_call_ref ref,
                                    uint64_t start, uint64_t len);

/* Rows of a depth; any number of them at once. Finds first and end. */
void tv_depth_row_clip(const struct tv_window_builder *builder, struct tv_depth_row *row);
/* Counts the boxes of the row, no more than `most` + 1; where each ends is written to cuts, unless
 * that is NULL. */
void tv_depth_row_count_boxes(const struct tv_window_builder *builder, struct tv_depth_row *row,
                              size_t most, uint64_t *cuts);
/* Writes all boxes of the row, by its cuts. */
void tv_depth_row_write_boxes(const struct tv_window_builder *builder,
                              const struct tv_depth_row *row, struct tv_box *boxes);

/* All rows of a depth that are asked for. Cuts them at the painting's resolution; is_fit says
 * whether they have at most `most` boxes. Where not, those that were found before stay. */
enum tv_code tv_depth_rows_cut(struct tv_window_builder *builder, size_t most, bool *is_fit,
                               struct tv_error *err) TV_MUST_CHECK;
/* The finest resolution at which they fit. */
enum tv_code tv_depth_rows_choose_pixel(struct tv_window_builder *builder,
                                        struct tv_error *err) TV_MUST_CHECK;

enum tv_code tv_window_add_folded_row(struct tv_window_builder *builder, uint32_t thread_ix,
                                      struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_window_add_extents_row(struct tv_window_builder *builder, uint32_t thread_ix,
                                       struct tv_error *err) TV_MUST_CHECK;

/* Which pixel a time in units lies in, and where the pixel after it begins, in units, rounded up.
 */
TV_INLINE uint64_t tv_pixel_of(const struct tv_window_builder *builder, uint64_t time)
{
    return time * builder->index->info->unit_ns / builder->pixel_ns;
}

TV_INLINE uint64_t tv_units_from(const struct tv_window_builder *builder, uint64_t time_ns)
{
    uint64_t unit_ns = builder->index->info->unit_ns;
    return time_ns / unit_ns + (time_ns % unit_ns != 0);
}

TV_INLINE uint64_t tv_pixel_start(const struct tv_window_builder *builder, uint64_t pixel)
{
    return tv_units_from(builder, pixel * builder->pixel_ns);
}

TV_INLINE uint64_t tv_pixel_middle(const struct tv_window_builder *builder, uint64_t pixel)
{
    return tv_units_from(builder, pixel * builder->pixel_ns + builder->pixel_ns / 2);
}

TV_INLINE bool tv_is_pixel_wide(const struct tv_window_builder *builder, uint64_t len)
{
    return len * builder->index->info->unit_ns >= builder->pixel_ns;
}

#endif
