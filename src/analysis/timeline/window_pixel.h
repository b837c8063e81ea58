/* The pixels of a folded row while they are filled, one after the other; inside of
 * analysis/timeline/window_folded.c only. */
#ifndef TV_ANALYSIS_TIMELINE_WINDOW_PIXEL_H
#define TV_ANALYSIS_TIMELINE_WINDOW_PIXEL_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/timeline/segments.h"
#include "analysis/timeline/window_rows.h"
#include "base/error.h"

/* The pixel that is being filled with segments smaller than it. */
struct tv_pixel {
    bool is_used;
    uint64_t begin; /* units: [begin, end) are the starts that belong to it */
    uint64_t end;
    uint64_t first_start;
    uint64_t last_end;
    struct tv_segment longest;
    bool has_segment; /* `longest` says something */
    bool is_mixed;
    uint32_t method; /* the first one met */
    uint32_t count;  /* segments, while all were seen one by one */
    const struct tv_index_segment_group
        *whole_group; /* a fold that was taken whole, to be probed; NULL: none */
    const struct tv_index_segment_group
        *unread_group; /* a fold over its beginning that was not looked at; NULL: none */
    uint64_t unread_end;
};

/* The call of the last box of a depth. */
struct tv_call_marks {
    uint64_t call;
    bool is_known;
    uint8_t flags;
    uint8_t cpu;
};

/* A stretch of a folded row: whole pixels. */
struct tv_folded_stretch {
    const struct tv_window_builder *builder;
    uint32_t thread_ix;
    const struct tv_index_segment_group
        *levels[TV_MOST_SEGMENT_GROUP_LEVELS];     /* of folds, the lowest first */
    uint64_t counts[TV_MOST_SEGMENT_GROUP_LEVELS]; /* entries of each */
    uint32_t level_count;
    uint64_t window_begin; /* units: what the window shows */
    uint64_t window_end;
    uint64_t first; /* the fold that is under way where it begins */
    uint64_t from;  /* units: the pixels that begin in [from, to) are its own */
    uint64_t to;
    struct tv_pixel pixel;
    struct tv_walker walker; /* over the segments, and one to look aside with meanwhile */
    struct tv_walker side_walker;
    struct tv_call_marks *marks; /* per depth */
    struct tv_box_list list;
};

/* A segment may be the longest of the pixel: the longer, then the earlier, whatever the order they
 * come in. */
void tv_pixel_offer_segment(struct tv_folded_stretch *stretch, const struct tv_segment *segment);
/* The longest of a fold may be, and what it begins with tells whether the pixel is mixed. */
void tv_pixel_offer_group(struct tv_folded_stretch *stretch,
                          const struct tv_index_segment_group *group);
/* Walks from the start of a fold over the segments that start in [begin, end), and offers them. */
void tv_pixel_walk(struct tv_folded_stretch *stretch, const struct tv_index_segment_group *group,
                   uint64_t begin, uint64_t end);
/* Makes a box of the current pixel, if there is one. */
enum tv_code tv_pixel_finish(struct tv_folded_stretch *stretch, struct tv_error *err) TV_MUST_CHECK;
/* Leaves the current pixel for the one that `time` lies in. */
enum tv_code tv_pixel_change(struct tv_folded_stretch *stretch, uint64_t time,
                             struct tv_error *err) TV_MUST_CHECK;
/* The next segment of those that are looked at one by one. */
enum tv_code tv_pixel_add_segment(struct tv_folded_stretch *stretch,
                                  const struct tv_segment *segment,
                                  struct tv_error *err) TV_MUST_CHECK;

/* Where the pixel ends that `time` lies in. */
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
