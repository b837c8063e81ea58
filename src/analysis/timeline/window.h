/*
 * A window of the timeline: boxes for some rows of some threads, at a resolution (docs/api.md,
 * "Packed routes").
 *
 * A pixel is a whole number of nanoseconds, and pixels are counted from the start of the trace, so
 * that windows of the same resolution agree on where boxes end. Each kind of row turns calls into
 * boxes in its own way:
 *
 * - a depth row shows the calls of one depth. A call as long as a pixel or longer is a box of its
 *   own. Shorter calls that start in the same pixel, with no long call between them, share a box,
 *   which has the method of the longest of them.
 * - a folded row shows the innermost call at each moment. It does the same with segments. Where a
 *   pixel has many segments, they come from the segment groups of the index, and not every segment
 *   is looked at: the box then fills its pixel, and is marked as mixed as soon as two methods were
 *   met.
 * - an extents row shows the outermost calls of one method, or of a set, of any depth.
 *
 * When there are more boxes than the limit, the pixel is doubled until they fit.
 *
 * Where packages are hidden, folded and depth rows are those of a lean index
 * (analysis/lean/lean.h): a depth row is a level. What boxes tell of a call is of the whole index,
 * but for waiting and CPU shares, since the time of hidden calls is their callers'. Extents show
 * all calls of the method.
 *
 * The cost grows with the pixels and not with the calls, with two exceptions: extents scan the rows
 * that have the method, and the mark "waiting" and the CPU shares of folded rows add up the callees
 * of each box's call.
 */
#ifndef TV_ANALYSIS_TIMELINE_WINDOW_H
#define TV_ANALYSIS_TIMELINE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "index/index.h"

struct tv_lean;
struct tv_selection;

#define TV_WINDOW_BOX_LIMIT 10000u
#define TV_WINDOW_ROW_LIMIT 5000u

enum tv_row_kind { TV_ROW_FOLDED, TV_ROW_DEPTH, TV_ROW_EXTENTS };

/* What a row shows, given by the caller; and where its boxes are, set by tv_window_compute. */
struct tv_window_row {
    uint32_t thread_ix;
    enum tv_row_kind kind;
    uint32_t depth; /* of TV_ROW_DEPTH: the depth of its calls; their level where some are hidden */
    uint32_t box_first;
    uint32_t box_count;
};

/* Flags of a box. */
#define TV_BOX_MIXED 1u       /* the box has calls of several methods */
#define TV_BOX_WAITING 2u     /* tv_call_is_waiting */
#define TV_BOX_OPEN_AT_END 4u /* no record closed the call */
#define TV_BOX_ADOPTED 8u     /* the call began before the trace did */
#define TV_BOX_OMITS 16u      /* calls that the call made are hidden */

/* A box stands for one call or for several short ones. What a box can tell of one call only, it
 * tells of the longest of its calls; among equals, of the first. */
struct tv_box {
    uint64_t start_ns;
    uint64_t len_ns;
    uint32_t method;
    uint32_t count; /* calls in the box; in a folded row its segments, or 0 where they were not
                       counted */
    uint32_t depth; /* of the longest call, from 0 */
    uint32_t call;  /* ordinal of the longest call in its depth row */
    uint32_t flags; /* TV_BOX_...: all but MIXED are of the longest call. WAITING is set only in
                       folded rows and where count is 1 */
    uint32_t cpu;   /* CPU time of the longest call as a share of its wall time: 0 to
                       TV_BOX_CPU_WHOLE, or TV_BOX_CPU_UNKNOWN. In a folded row the share of exclusive
                       times. 0 unless opts asked for it */
};

#define TV_BOX_CPU_WHOLE 254u   /* as much CPU time as wall time, or more */
#define TV_BOX_CPU_UNKNOWN 255u /* the call has no wall time, or the trace lacks a clock */

struct tv_window_opts {
    uint64_t from_ns;
    uint64_t to_ns;          /* above from_ns */
    uint32_t width;          /* pixels, above 0 */
    uint32_t extents_method; /* ordinal of the method that TV_ROW_EXTENTS shows */
    /* A selection with a set of calls, which TV_ROW_EXTENTS shows instead; its range does not
     * count. NULL: the method's are shown. */
    const struct tv_selection *extents_of;
    uint32_t box_limit;         /* most boxes; 0: TV_WINDOW_BOX_LIMIT. At least one per row */
    bool has_cpu;               /* set `cpu` of the boxes */
    const struct tv_lean *lean; /* of the index: its calls are shown; NULL: all are */
    const struct tv_pool *pool; /* NULL: one thread */
};

struct tv_window {
    const struct tv_alloc *alloc;
    struct tv_window_row *rows; /* as in the question */
    uint32_t row_count;
    struct tv_box *boxes; /* row by row, each row's by start */
    size_t box_count;
    uint64_t pixel_ns; /* the resolution that was reached */
    bool is_coarse;    /* the pixel was doubled so that the boxes fit the limit */
};

void tv_window_init(struct tv_window *window, const struct tv_alloc *alloc);
void tv_window_release(struct tv_window *window);
/* Computes the boxes of the rows, which are copied. An empty window is TV_ERR_ARGUMENT, too many
 * rows are TV_ERR_LIMIT. */
enum tv_code tv_window_compute(struct tv_window *window, const struct tv_index *index,
                               const struct tv_window_row *rows, uint32_t row_count,
                               const struct tv_window_opts *opts,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
