/*
 * Which frames of a tree a picture shows: those that are wide enough, and of these not more than a
 * limit, the widest first. A frame is never shown without the one below it.
 */
#ifndef TV_EXPORT_FLAME_FLAME_BOXES_H
#define TV_EXPORT_FLAME_FLAME_BOXES_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "export/flame/stack_tree.h"

struct tv_flame_boxes_opts {
    uint64_t least; /* frames of a lower value are left out, and all without a value */
    size_t limit;   /* boxes; 0: no limit */
    uint32_t
        top; /* the lowest frame of the picture; TV_STACK_ROOT: the whole tree is chosen from */
};

struct tv_flame_picture_box {
    uint32_t frame;
    uint32_t level; /* 0 for the lowest */
};

struct tv_flame_boxes {
    const struct tv_alloc *alloc;
    struct tv_flame_picture_box *of; /* from the left, a frame before those on top of it */
    size_t count;
    size_t cap;
    uint32_t level_count;
    uint64_t too_narrow;     /* frames that are narrower than `least` */
    uint64_t over_the_limit; /* frames that are wide enough, and more than the limit */
    uint64_t left_out;       /* value of the frames that are left out, each part counted once */
};

void tv_flame_boxes_init(struct tv_flame_boxes *boxes, const struct tv_alloc *alloc);
void tv_flame_boxes_release(struct tv_flame_boxes *boxes);
/* The least value that is `pixels` wide or wider in a graph of that width. */
uint64_t tv_flame_least(uint64_t total, double pixels, double width);
/* Frames that may be chosen have their places already. */
enum tv_code tv_flame_boxes_choose(struct tv_flame_boxes *boxes, const struct tv_stack_tree *tree,
                                   const struct tv_flame_boxes_opts *opts,
                                   struct tv_error *err) TV_MUST_CHECK;

#endif
