/*
 * One stretch of a folded row, and the pixel of it that is being filled. Used by
 * analysis/timeline/window_folded.c only.
 *
 * Groups and segments come in order of time, so only one pixel is open at a moment. A pixel needs
 * to know little of what lies in it: its longest segment, where its box starts and ends, and
 * whether there are several methods.
 */
#ifndef TV_ANALYSIS_TIMELINE_WINDOW_PIXEL_H
#define TV_ANALYSIS_TIMELINE_WINDOW_PIXEL_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/timeline/segments.h"
#include "analysis/timeline/window_rows.h"
#include "base/error.h"

/* The pixel that is filled with segments shorter than a pixel. Times are
 * units on the axis clock. */
struct tv_pixel {
    bool is_used;   /* false: there is no current pixel */
    uint64_t begin; /* segments that start in [begin, end) belong to the pixel */
    uint64_t end;
    uint64_t first_start; /* the box of the pixel is [first_start, last_end) */
    uint64_t last_end;
    struct tv_segment longest; /* of those offered so far; the first among equals */
    bool has_segment;          /* `longest` and `method` are set */
    bool is_mixed;             /* segments of a second method were met */
    uint32_t method;           /* of the first segment offered */
    uint32_t count;            /* segments that were added one by one */
    /* A group that was added whole, or NULL. It is read for a second method when
     * the pixel is finished. */
    const struct tv_index_segment_group *whole_group;
    /* A group that starts before the pixel, or NULL. Its part in the pixel ends at unread_end, and
     * is read when the pixel is finished if it may hold the longest segment. */
    const struct tv_index_segment_group *unread_group;
    uint64_t unread_end;
};

/* What a box says of a call besides its times, remembered for the last call of each depth: a call
 * has many segments, between those of its callees, and finding its flags and CPU time means
 * adding up its callees. */
struct tv_call_marks {
    uint64_t call;
    bool is_known;  /* false: nothing is remembered yet */
    uint32_t depth; /* these as in struct tv_box */
    uint32_t ordinal;
    uint8_t flags;
    uint8_t cpu;
};

/* A stretch of a folded row: whole pixels, made by one task of the pool. */
struct tv_folded_stretch {
    const struct tv_window_builder *builder;
    uint32_t thread_ix;
    /* The levels of the thread's segment groups, the lowest first, and how
     * many entries each has. */
    const struct tv_index_segment_group *levels[TV_MOST_SEGMENT_GROUP_LEVELS];
    uint64_t counts[TV_MOST_SEGMENT_GROUP_LEVELS];
    uint32_t level_count;
    uint64_t window_begin; /* units: segments that touch [window_begin, window_end) are shown */
    uint64_t window_end;
    uint64_t first; /* the first group to read: the one that contains the start of the stretch */
    uint64_t from;  /* units: the stretch keeps the boxes of pixels that begin in [from, to) */
    uint64_t to;
    struct tv_pixel pixel;
    struct tv_walker walker;      /* goes through the segments of the stretch in order */
    struct tv_walker side_walker; /* reads single groups meanwhile */
    struct tv_call_marks *marks;  /* one per depth */
    struct tv_box_list list;
};

/* Takes the segment for the longest of the pixel if it is longer, or as long and earlier: segments
 * are not offered in order of time. Notes whether a second method was met. */
void tv_pixel_offer_segment(struct tv_folded_stretch *stretch, const struct tv_segment *segment);
/* Offers the longest segment of a group, and looks at the method of the group's first segment. */
void tv_pixel_offer_group(struct tv_folded_stretch *stretch,
                          const struct tv_index_segment_group *group);
/* Reads the segments of a group that start in [begin, end), and offers them. */
void tv_pixel_walk(struct tv_folded_stretch *stretch, const struct tv_index_segment_group *group,
                   uint64_t begin, uint64_t end);
/* Makes a box of the current pixel, if there is one; then there is none. */
enum tv_code tv_pixel_finish(struct tv_folded_stretch *stretch, struct tv_error *err) TV_MUST_CHECK;
/* Finishes the current pixel and begins the one that `time` lies in. */
enum tv_code tv_pixel_change(struct tv_folded_stretch *stretch, uint64_t time,
                             struct tv_error *err) TV_MUST_CHECK;
/* Adds a segment that was read one by one: to its pixel, or as a box of its own. */
enum tv_code tv_pixel_add_segment(struct tv_folded_stretch *stretch,
                                  const struct tv_segment *segment,
                                  struct tv_error *err) TV_MUST_CHECK;

/* The end of the pixel that `time` lies in. A division is spared while that
 * is the current pixel. */
TV_INLINE uint64_t tv_pixel_end_after(const struct tv_folded_stretch *stretch, uint64_t time)
{
    const struct tv_pixel *pixel = &stretch->pixel;
    if (pixel->is_used && time >= pixel->begin && time < pixel->end)
        return pixel->end;
    return tv_pixel_start(stretch->builder, tv_pixel_of(stretch->builder, time) + 1);
}

/* Makes the pixel that `time` lies in the current one. */
TV_INLINE enum tv_code tv_pixel_enter(struct tv_folded_stretch *stretch, uint64_t time,
                                      struct tv_error *err)
{
    const struct tv_pixel *pixel = &stretch->pixel;
    return pixel->is_used && time < pixel->end ? TV_OK : tv_pixel_change(stretch, time, err);
}

#endif
