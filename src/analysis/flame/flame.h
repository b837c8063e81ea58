/*
 * A flame graph: the call stacks of a selection, changed by transforms, merged, and laid out as
 * boxes for a width in pixels.
 *
 * A box is a method below one path of boxes. Its value is its own time and that of the boxes on top
 * of it, on one measure; a negative wait counts as nothing. Siblings stand by value, the largest
 * first, ties by rank, or else as they were first called, thread by thread. Equal questions give
 * equal pictures. Boxes narrower than half a pixel are left out, and counted.
 *
 * Transforms change stacks before they are merged. The order in which they are given does not
 * matter, except among focus methods:
 *
 * - drop: a stack ends before the first call of a dropped method.
 * - merge: calls of the method, and of hidden methods, are taken out of stacks. Their time goes to
 *   their caller; a root's time is lost.
 * - focus: a stack begins with the last of the focus methods, all of which it must have in their
 *   order; other stacks are left out.
 * - recursion: on top of a box of the method, calls of the method stand in that same box, whatever
 *   is between.
 * - collapse: calls of one package that follow each other in a stack are one box, of the first
 *   one's method.
 * - end: a stack ends with the first call of such a method, which has the time of all that it made
 *   and is neither merged nor collapsed; other stacks are left out. Turned upside down, it is the
 *   method's inclusive time by its callers, as focus is that by its callees.
 *
 * The cost grows with the nodes; for inverted graphs with the nodes times the levels, which are
 * limited. Without transforms, nodes on top of a box that is too narrow are not looked at.
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

/* More transforms are refused. Levels above the limits are cut off, and is_complete is false then;
 * their time stays in the boxes below them. */
#define TV_FLAME_OP_LIMIT 32u
#define TV_FLAME_LEVEL_LIMIT 4096u
#define TV_FLAME_INVERTED_LEVEL_LIMIT 256u
/* Levels that an inverted graph climbs from a node on average. This bounds the work where stacks
 * are a million calls deep. */
#define TV_FLAME_CLIMB_LIMIT 64u

enum tv_flame_op_kind {
    TV_FLAME_FOCUS,
    TV_FLAME_MERGE,
    TV_FLAME_DROP,
    TV_FLAME_RECURSION,
    TV_FLAME_COLLAPSE,
    TV_FLAME_END,
};

struct tv_flame_op {
    enum tv_flame_op_kind kind;
    uint32_t method;       /* ordinal; all but COLLAPSE */
    struct tv_str package; /* COLLAPSE: the prefix of its class names */
};

struct tv_flame_opts {
    uint32_t width; /* pixels, above 0 */
    enum tv_call_tree_direction direction;
    enum tv_measure measure;
    /* Zoom: ordinals of methods from a root box down. The last of them is the box at the bottom;
     * its boxes and those on top of it are shown. Borrowed. */
    const uint32_t *path;
    size_t path_len;
    const struct tv_flame_op *ops;
    size_t op_count;
    const uint8_t *hidden; /* one per method, as in tv_method_filter; NULL: none */
    bool is_in_time;       /* siblings stand as they were first called, not by value */
};

struct tv_flame_box {
    uint64_t x;     /* left edge: ns from the left of the graph */
    uint64_t value; /* width: ns on the measure, of the box and all on top of it */
    uint64_t self;  /* ns of the box alone */
    uint64_t calls;
    uint32_t method;
    uint32_t level;  /* 0 at the bottom; with a path, its last method is alone there */
    uint32_t parent; /* an earlier box; TV_NONE at the bottom */
};

struct tv_flame {
    const struct tv_alloc *alloc;
    struct tv_flame_box *boxes; /* level by level from the bottom, each by x */
    size_t count;
    uint64_t total_ns; /* of the selection on the measure, before transforms */
    uint64_t value_ns; /* the width of the graph: the boxes at the bottom together */
    uint64_t dropped;  /* boxes left out as too narrow; boxes on top of these are not counted */
    uint32_t level_count;
    bool is_complete; /* false: a limit of levels, or of climbing, cut the graph off */
};

void tv_flame_init(struct tv_flame *flame, const struct tv_alloc *alloc);
void tv_flame_release(struct tv_flame *flame);
enum tv_code tv_flame_compute(struct tv_flame *flame, const struct tv_sums *sums,
                              const struct tv_flame_opts *opts, struct tv_error *err) TV_MUST_CHECK;

#endif
