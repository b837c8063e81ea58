/*
 * A flame graph: the merged calling context tree as packed boxes for a width in pixels, and its
 * transforms.
 *
 * A box is a method below one path of boxes; its value is its own time and that of the boxes on top
 * of it, on one measure. Where wait is negative it counts as nothing. Boxes are by value among
 * siblings, largest first, ties by rank, so equal questions give equal pictures. Boxes thinner than
 * half a pixel are left out and counted.
 *
 * Transforms change stacks before they are merged, whatever the order in which they are given: a
 * stack with a dropped method loses everything from there on; merged (and hidden) methods are taken
 * out, their time goes to their caller, or is lost at the root; focus methods, in their order, cut
 * a stack so that it begins with the last of them, and stacks without them all go; below a method
 * whose recursion is collapsed, its next call stands in its first one's box, whatever is between;
 * calls of one package that follow each other are one box, which has the first one's method.
 *
 * Linear in nodes, and in nodes times levels for inverted graphs, whose levels are limited. Without
 * transforms, what is too thin is not followed further.
 */
#ifndef TV_ANALYSIS_FLAME_FLAME_H
#define TV_ANALYSIS_FLAME_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/profile.h"
#include "analysis/selection/sums.h"
#include "analysis/tree/call_tree.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"

#define TV_FLAME_OP_LIMIT 32u
#define TV_FLAME_LEVEL_LIMIT 4096u
#define TV_FLAME_INVERTED_LEVEL_LIMIT 256u
/* Levels that an inverted graph climbs from a node on average: bounds the work where stacks are a
 * million deep. */
#define TV_FLAME_CLIMB_LIMIT 64u

enum tv_flame_op_kind {
    TV_FLAME_FOCUS,
    TV_FLAME_MERGE,
    TV_FLAME_DROP,
    TV_FLAME_RECURSION,
    TV_FLAME_COLLAPSE,
};

struct tv_flame_op {
    enum tv_flame_op_kind kind;
    uint32_t method;       /* all but COLLAPSE */
    struct tv_str package; /* COLLAPSE: classes that begin so */
};

struct tv_flame_opts {
    uint32_t width; /* pixels, above 0 */
    enum tv_call_tree_direction direction;
    enum tv_measure measure;
    const uint32_t
        *path; /* methods from the root box down; boxes are at and above its end. Borrowed */
    size_t path_len;
    const struct tv_flame_op *ops;
    size_t op_count;
    const uint8_t *hidden; /* one per method; NULL: none */
};

struct tv_flame_box {
    uint64_t x; /* from the left of the graph, ns */
    uint64_t value;
    uint64_t self;
    uint64_t calls;
    uint32_t method;
    uint32_t level;  /* 0 for the bottom; with a path, its last method is alone there */
    uint32_t parent; /* an earlier box, or TV_NONE */
};

struct tv_flame {
    const struct tv_alloc *alloc;
    struct tv_flame_box *boxes; /* level by level, by x */
    size_t count;
    uint64_t total_ns; /* of the selection, before transforms */
    uint64_t value_ns; /* what the graph is as wide as */
    uint64_t dropped;  /* boxes too thin to be seen, not those on top of such */
    uint32_t level_count;
    bool is_complete; /* false: higher levels than the limit were cut off */
};

void tv_flame_init(struct tv_flame *flame, const struct tv_alloc *alloc);
void tv_flame_release(struct tv_flame *flame);
enum tv_code tv_flame_compute(struct tv_flame *flame, const struct tv_sums *sums,
                              const struct tv_flame_opts *opts, struct tv_error *err) TV_MUST_CHECK;

#endif
