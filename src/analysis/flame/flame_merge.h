/* Merging stacks into boxes that are not packed yet: the two ways of analysis/flame/flame.c, inside
 * of it only. */
#ifndef TV_ANALYSIS_FLAME_FLAME_MERGE_H
#define TV_ANALYSIS_FLAME_FLAME_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/flame/flame.h"
#include "base/error.h"
#include "base/map.h"

/* No box has a number from here on. */
#define TV_FLAME_BOX_LIMIT 0x80000000u
/* Places of nodes that are no boxes; from ON_PATH on, how much of a path was met. */
#define TV_FLAME_NO_TARGET UINT32_MAX
#define TV_FLAME_ON_PATH TV_FLAME_BOX_LIMIT

/* Boxes as they are found: a parent stands before its children. */
struct tv_flame_merger {
    struct tv_flame *flame; /* alloc, dropped, is_complete */
    const struct tv_sums *sums;
    const struct tv_flame_opts *opts;
    struct tv_flame_box *boxes; /* x says nothing yet */
    size_t count;
    size_t cap;
    struct tv_map child_of; /* parent << 32 | method -> box */
    uint64_t *node_values;  /* TV_MEASURE_WAIT: per node, its value; else NULL */
};

/* A new box that child_of does not know. */
enum tv_code tv_flame_merger_add_box(struct tv_flame_merger *merger, uint32_t parent,
                                     uint32_t method, uint32_t *child,
                                     struct tv_error *err) TV_MUST_CHECK;
/* The box of the parent and method by child_of, made when it is not there. */
enum tv_code tv_flame_merger_find_box(struct tv_flame_merger *merger, uint32_t parent,
                                      uint32_t method, uint32_t *child,
                                      struct tv_error *err) TV_MUST_CHECK;
/* Own time of a node on the measure, not below 0. */
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
/* What a node counts for on the measure, with all that is below it. */
uint64_t tv_flame_merger_value(const struct tv_flame_merger *merger, uint32_t node);
/* Too thin to be seen in a graph of value_ns. */
bool tv_flame_merger_is_too_narrow(const struct tv_flame_merger *merger, uint64_t value);

/* All nodes of the selected threads, by depth. */
struct tv_depth_order {
    uint32_t *nodes;
    size_t count;
    size_t *ends; /* per depth: where its nodes end */
    uint32_t depth_count;
    uint32_t *targets; /* per node of the index: 0, for whoever goes through them to set */
};

/* On failure release is safe. */
enum tv_code tv_depth_order_make(struct tv_depth_order *order, const struct tv_flame_merger *merger,
                                 struct tv_error *err) TV_MUST_CHECK;
void tv_depth_order_release(struct tv_depth_order *order, const struct tv_flame_merger *merger);

/* Stacks as they are, level by level; what is too thin goes no further. */
enum tv_code tv_flame_merge_plain(struct tv_flame_merger *merger,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Stacks as the transforms leave them; path, unless the graph is inverted. */
enum tv_code tv_flame_merge_transformed(struct tv_flame_merger *merger,
                                        struct tv_error *err) TV_MUST_CHECK;
/*
 * Callers of each method with own time. `stacks` are boxes to be turned over (transformed, without
 * a path), or NULL for the nodes of the sums.
 */
enum tv_code tv_flame_merge_inverted(struct tv_flame_merger *merger,
                                     const struct tv_flame_merger *stacks,
                                     struct tv_error *err) TV_MUST_CHECK;

#endif
