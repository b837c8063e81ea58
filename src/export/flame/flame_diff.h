/*
 * Two merged trees of stacks, of an old trace and a new one, as what one flame graph shows: the
 * frames of one of them are drawn, and each has its value in the other, by which it is coloured.
 * Frames are the same where all names from the root on are.
 *
 * What has more time than before is orange, what has less is blue, and the stronger the more the
 * change is of the largest one. A frame that the tree that is drawn does not have cannot be
 * coloured; where that is the new one, such frames are gone, and have a graph of their own.
 */
#ifndef TV_EXPORT_FLAME_FLAME_DIFF_H
#define TV_EXPORT_FLAME_FLAME_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "export/flame/palette.h"
#include "export/flame/stack_tree.h"

/* Which frames are drawn, and what their width is. */
enum tv_flame_diff_view {
    TV_FLAME_DIFF_NEW,
    TV_FLAME_DIFF_OLD,
    TV_FLAME_DIFF_GONE /* old frames that are gone, on the frames that they stood on */
};

struct tv_flame_diff_opts {
    enum tv_flame_diff_view view;
    bool is_by_share; /* colours follow the share of all instead of the time */
};

struct tv_flame_diff_frame {
    uint64_t old_value, new_value;
    uint64_t old_calls, new_calls;
    bool is_old, is_new; /* the tree of that side has the frame */
};

struct tv_flame_diff {
    const struct tv_alloc *alloc;
    struct tv_flame_diff_opts opts;
    const struct tv_stack_tree *drawn;  /* borrowed */
    const struct tv_stack_tree *beside; /* the other one of both trees, borrowed */
    /* By frame of the tree that is drawn: the frame of `beside` that it is; of gone frames any
     * number where the new tree has the frame. UINT32_MAX: the other one lacks it. */
    uint32_t *other;
    size_t count;
    uint64_t old_total, new_total;
    double most;          /* the largest change of a frame, of its kind; 0: nothing changed */
    uint64_t most_ns;     /* the same as a time; 0 with shares */
    uint64_t gone_count;  /* frames of the old tree that the new one lacks */
    uint64_t gone_value;  /* what was spent in them, each part once */
    uint64_t added_count; /* frames of the new tree that the old one lacks */
};

void tv_flame_diff_init(struct tv_flame_diff *diff, const struct tv_alloc *alloc);
void tv_flame_diff_release(struct tv_flame_diff *diff);
/*
 * Compares two trees that were merged at once, and must outlive the comparison. *drawn becomes the
 * tree whose frames are drawn: one of both, or `gone`, an initialised tree that is filled for that
 * view and borrows the names of the old one. TV_ERR_NOT_FOUND: no frame is gone, and that is what
 * is to be drawn.
 */
enum tv_code tv_flame_diff_make(struct tv_flame_diff *diff, struct tv_stack_tree *old_tree,
                                struct tv_stack_tree *new_tree, struct tv_stack_tree *gone,
                                const struct tv_flame_diff_opts *opts, struct tv_stack_tree **drawn,
                                struct tv_error *err) TV_MUST_CHECK;
/* Both sides of a frame of the tree that is drawn. */
struct tv_flame_diff_frame tv_flame_diff_sides(const struct tv_flame_diff *diff, uint32_t frame);
/* From -1, all less, to 1, all more: the change of a frame as a part of the largest one; of frames
 * that are gone -1. */
double tv_flame_diff_change(const struct tv_flame_diff *diff, uint32_t frame);
/* The colour of a change from -1 to 1. Black text is readable on all of them. */
struct tv_rgb tv_flame_diff_colour(double change);

#endif
