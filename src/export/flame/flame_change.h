/*
 * The boxes of a flame graph of a change for a page that draws them itself: the comparison is that
 * of the picture (flame_diff.h), and so are its frames. What a page asks besides is a part of the
 * graph, the frames on top of one of them.
 */
#ifndef TV_EXPORT_FLAME_FLAME_CHANGE_H
#define TV_EXPORT_FLAME_FLAME_CHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "export/flame/flame.h"
#include "export/flame/flame_boxes.h"
#include "export/flame/flame_diff.h"
#include "export/flame/stack_tree.h"

struct tv_flame_change_opts {
    struct tv_flame_diff_opts diff;
    double width;        /* pixels, of the frame that the graph begins with */
    double least_pixels; /* narrower boxes are left out */
    size_t box_limit;    /* 0: no limit */
    /* The frame that the graph begins with: the names from the outermost method on, separated by
     * line ends. Empty: all of it. */
    struct tv_str path;
};

struct tv_flame_change {
    struct tv_flame_diff diff;
    struct tv_flame_boxes boxes;
    struct tv_stack_tree gone;
    const struct tv_stack_tree *drawn; /* what the boxes' frames are of: borrowed, or `gone` */
    uint32_t top;                      /* the frame that the graph begins with */
};

void tv_flame_change_init(struct tv_flame_change *change, const struct tv_alloc *alloc);
void tv_flame_change_release(struct tv_flame_change *change);
/* Compares two filled bases, which must outlive the change, and places the frames that are wide
 * enough in the one that is drawn. Where nothing is gone, and that is what
 * is to be drawn, there is no box. TV_ERR_NOT_FOUND: what is drawn has no frame of that path. */
enum tv_code tv_flame_change_make(struct tv_flame_change *change, struct tv_flame_base *old_side,
                                  struct tv_flame_base *new_side,
                                  const struct tv_flame_change_opts *opts,
                                  struct tv_error *err) TV_MUST_CHECK;
/* A method of the new side that the frame stands for; TV_NONE: that side has none of its name. */
uint32_t tv_flame_change_method(const struct tv_flame_change *change,
                                const struct tv_flame_base *new_side, uint32_t frame);

#endif
