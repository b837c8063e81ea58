/*
 * Merging nodes into boxes that are not laid out yet. Used by the files of this room only.
 *
 * There are three ways: stacks as they are (flame_merge.c), stacks changed by transforms
 * (flame_transform.c), and stacks turned upside down (flame_inverted.c). All add boxes to a merger,
 * a parent before its children, and set value_ns, by which is_too_narrow judges. flame.c then
 * leaves out, sorts and lays out.
 *
 * A node's *target* is the box that the node's numbers are added to. Nodes above the end of a zoom
 * path, or above the last focus method, have no box yet: their target says how much of the path was
 * met.
 */
#ifndef TV_ANALYSIS_FLAME_FLAME_MERGE_H
#define TV_ANALYSIS_FLAME_FLAME_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/flame/flame.h"
#include "base/error.h"
#include "base/memory/map.h"

/* Boxes have ordinals below this, so larger numbers are free for targets that are no boxes. */
#define TV_FLAME_BOX_LIMIT 0x40000000u
/* Targets that are no boxes: the node and all nodes below it are left out; TV_FLAME_ON_PATH + how
 * many methods of the path, or focus methods, were met so far; or TV_FLAME_OVER + a box of the
 * highest level, on top of which the node would stand. */
#define TV_FLAME_NO_TARGET UINT32_MAX
#define TV_FLAME_OVER TV_FLAME_BOX_LIMIT
#define TV_FLAME_ON_PATH (2 * TV_FLAME_BOX_LIMIT)

/* The boxes merged so far. Their x is scratch until they are laid out: each step says what x
 * means to it. */
struct tv_flame_merger {
    struct tv_flame *flame; /* the result, for its alloc, value_ns, dropped and is_complete */
    const struct tv_sums *sums;
    const struct tv_flame_opts *opts;
    struct tv_flame_box *boxes; /* parents before their children */
    size_t count;
    size_t cap;
    struct tv_map child_of; /* parent << 32 | method -> box */
    uint64_t *node_values; /* TV_MEASURE_WAIT: the value of each node; NULL on other measures, where
                              it is inclusive time */
};

/* Adds a box that the caller knows to be new. The box is not put into child_of, so
 * tv_flame_merger_find_box does not find it. */
enum tv_code tv_flame_merger_add_box(struct tv_flame_merger *merger, uint32_t parent,
                                     uint32_t method, uint32_t *child,
                                     struct tv_error *err) TV_MUST_CHECK;
/* Finds the box of a method on top of `parent` (TV_NONE: at the bottom) in child_of, or adds it. */
enum tv_code tv_flame_merger_find_box(struct tv_flame_merger *merger, uint32_t parent,
                                      uint32_t method, uint32_t *child,
                                      struct tv_error *err) TV_MUST_CHECK;
/* A node's own time on the measure: exclusive time, or wait where it is above 0. */
TV_INLINE uint64_t tv_flame_merger_self(const struct tv_flame_merger *merger, uint32_t node)
{
    const struct tv_sums *sums = merger->sums;
    enum tv_measure measure = merger->opts->measure;
    uint64_t times[TV_CLOCK_COUNT] = {0, 0};
    if (measure != TV_MEASURE_CPU)
        times[TV_CLOCK_WALL] = tv_sums_exclusive(sums, TV_CLOCK_WALL, node);
    if (measure != TV_MEASURE_WALL)
        times[TV_CLOCK_CPU] = tv_sums_exclusive(sums, TV_CLOCK_CPU, node);
    int64_t self = tv_measure_of(times, measure);
    return self > 0 ? (uint64_t)self : 0;
}
/* A node's value on the measure: its own time and that of all nodes below it. */
uint64_t tv_flame_merger_value(const struct tv_flame_merger *merger, uint32_t node);
/* Whether a box of that value is narrower than half a pixel in a graph of value_ns. */
bool tv_flame_merger_is_too_narrow(const struct tv_flame_merger *merger, uint64_t value);

/* All nodes of the selected threads, ordered by depth. Going through the nodes depth by depth means
 * that a box is complete before the nodes on top of it are looked at, so that boxes too narrow can
 * be left without a look at what is on top. */
struct tv_depth_order {
    uint32_t *nodes; /* ordinals in the sums */
    size_t count;
    size_t *ends; /* per depth: where its nodes end in `nodes` */
    uint32_t depth_count;
    uint32_t *targets; /* per node of the sums: its target, set by whoever goes through the nodes */
};

/* Lists the nodes; after a failure, release is safe. */
enum tv_code tv_depth_order_make(struct tv_depth_order *order, const struct tv_flame_merger *merger,
                                 struct tv_error *err) TV_MUST_CHECK;
void tv_depth_order_release(struct tv_depth_order *order, const struct tv_flame_merger *merger);

/* Merges stacks as they are, depth by depth. Nodes on top of a box that is too narrow
 * are left out. */
enum tv_code tv_flame_merge_plain(struct tv_flame_merger *merger,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Merges stacks as the transforms leave them, and zooms to the path unless the graph
 * is inverted. */
enum tv_code tv_flame_merge_transformed(struct tv_flame_merger *merger,
                                        struct tv_error *err) TV_MUST_CHECK;
/* Merges stacks turned upside down: a method with own time at the bottom, its callers on
 * top. `stacks` are the boxes to be turned (transformed, without zoom), or NULL for the
 * nodes of the sums. */
enum tv_code tv_flame_merge_inverted(struct tv_flame_merger *merger,
                                     const struct tv_flame_merger *stacks,
                                     struct tv_error *err) TV_MUST_CHECK;

#endif
