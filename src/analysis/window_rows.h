/* The three kinds of rows of a window: each appends its boxes. Inside of analysis/window.c only. */
#ifndef TV_ANALYSIS_WINDOW_ROWS_H
#define TV_ANALYSIS_WINDOW_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <traceview/error.h>

#include "analysis/call.h"
#include "analysis/method_scan.h"
#include "analysis/segments.h"
#include "analysis/window.h"

/* A window while it is made at one resolution. */
struct tv_painting {
    struct tv_window *window;
    const struct tv_index *index;
    const struct tv_window_opts *opts;
    uint64_t pixel_ns;
    size_t limit;    /* boxes */
    bool is_full;    /* the limit was passed: the boxes are worth nothing */
    bool is_counted; /* boxes are counted only, not made */
    struct tv_walker
        walker; /* over the segments of a folded row, and one to look aside with meanwhile */
    struct tv_walker prober;
    const struct tv_method_scan *extents; /* of the method asked for, when a row needs it */
};

/* Appends a box, unless it is one too many. */
enum tv_code tv_paint_box(struct tv_painting *painting, const struct tv_box *box,
                          struct tv_error *err) TV_MUST_CHECK;
/* What the CPU time is of the wall time; see struct tv_box. */
uint32_t tv_cpu_share(const struct tv_index *index, const uint64_t times[TV_CLOCK_COUNT]);
/* The box of one call over [start, start + len) units, with all its marks but WAITING. */
struct tv_box tv_box_of_call(const struct tv_painting *painting, struct tv_call_ref ref,
                             uint64_t start, uint64_t len);
/* The same with WAITING: for boxes of a call of their own. */
struct tv_box tv_box_of_own_call(const struct tv_painting *painting, struct tv_call_ref ref,
                                 uint64_t start, uint64_t len);

enum tv_code tv_paint_depth(struct tv_painting *painting, uint32_t thread_ix, uint32_t depth,
                            struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_paint_folded(struct tv_painting *painting, uint32_t thread_ix,
                             struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_paint_extents(struct tv_painting *painting, uint32_t thread_ix,
                              struct tv_error *err) TV_MUST_CHECK;

/* Which pixel a time in units lies in, and where the pixel after it begins, in units, rounded up.
 */
TV_INLINE uint64_t tv_pixel_of(const struct tv_painting *painting, uint64_t time)
{
    return time * painting->index->info->unit_ns / painting->pixel_ns;
}

TV_INLINE uint64_t tv_pixel_start(const struct tv_painting *painting, uint64_t pixel)
{
    uint64_t unit_ns = painting->index->info->unit_ns;
    uint64_t time_ns = pixel * painting->pixel_ns;
    return time_ns / unit_ns + (time_ns % unit_ns != 0);
}

TV_INLINE bool tv_is_pixel_wide(const struct tv_painting *painting, uint64_t len)
{
    return len * painting->index->info->unit_ns >= painting->pixel_ns;
}

#endif
