/*
 * A window of the timeline: boxes for some rows of some threads, at a resolution (docs/api.md,
 * `window`).
 *
 * A pixel is a whole number of nanoseconds, and pixels are counted from the trace's start, so that
 * windows at the same resolution agree. On a row of a depth a call of a pixel or more is a box of
 * its own; smaller ones that start in the same pixel, with none of the former between them, are one
 * box, which has the method of the longest. A folded row does the same with segments; where a pixel
 * has many, they come from the index's folds, the box fills the pixel and its mark "mixed" is set
 * as soon as two methods were met. An extents row shows the outermost calls of one method. Past the
 * limit of boxes the pixel doubles, until they fit.
 *
 * The cost is that of the pixels, but for extents, which scan the rows that have the method, and
 * the marks "waiting" and CPU shares of folded rows, which add up the callees of each box's call.
 */
#ifndef TV_ANALYSIS_TIMELINE_WINDOW_H
#define TV_ANALYSIS_TIMELINE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/pool.h"
#include "index/index.h"

#define TV_WINDOW_BOX_LIMIT 10000u
#define TV_WINDOW_ROW_LIMIT 5000u

enum tv_row_kind { TV_ROW_FOLDED, TV_ROW_DEPTH, TV_ROW_EXTENTS };

/* A row that is asked for, and later where its boxes are. */
struct tv_window_row {
    uint32_t thread_ix;
    enum tv_row_kind kind;
    uint32_t depth; /* TV_ROW_DEPTH */
    uint32_t box_first;
    uint32_t box_count;
};

#define TV_BOX_MIXED 1u
#define TV_BOX_WAITING 2u
#define TV_BOX_OPEN_AT_END 4u
#define TV_BOX_ADOPTED 8u

struct tv_box {
    uint64_t start_ns;
    uint64_t len_ns;
    uint32_t method;
    uint32_t count; /* calls in it; in a folded row segments, 0 where they were not counted */
    uint32_t depth; /* of the longest call */
    uint32_t call;  /* its ordinal in its row */
    uint32_t flags; /* TV_BOX_..., of the longest call save MIXED; WAITING only where count is 1, or
                       folded */
    uint32_t cpu;   /* CPU time of the longest call, TV_BOX_CPU_WHOLE for as much as its wall time;
                       in a folded row of its exclusive times. Said when asked for, else 0 */
};

#define TV_BOX_CPU_WHOLE 254u
#define TV_BOX_CPU_UNKNOWN 255u /* no wall time, or a clock is missing */

struct tv_window_opts {
    uint64_t from_ns;
    uint64_t to_ns;             /* above from_ns */
    uint32_t width;             /* pixels, above 0 */
    uint32_t extents_method;    /* ordinal; for TV_ROW_EXTENTS */
    uint32_t box_limit;         /* 0: TV_WINDOW_BOX_LIMIT; at least one per row */
    bool has_cpu;               /* fill in `cpu` of the boxes */
    const struct tv_pool *pool; /* NULL: one thread */
};

struct tv_window {
    const struct tv_alloc *alloc;
    struct tv_window_row *rows; /* as asked; at most TV_WINDOW_ROW_LIMIT */
    uint32_t row_count;
    struct tv_box *boxes; /* row by row, by start */
    size_t box_count;
    uint64_t pixel_ns;
    bool is_coarse; /* the pixel was doubled */
};

void tv_window_init(struct tv_window *window, const struct tv_alloc *alloc);
void tv_window_release(struct tv_window *window);
enum tv_code tv_window_compute(struct tv_window *window, const struct tv_index *index,
                               const struct tv_window_row *rows, uint32_t row_count,
                               const struct tv_window_opts *opts,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
