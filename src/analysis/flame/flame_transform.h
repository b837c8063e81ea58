/* Stacks as the transforms leave them, on their way into boxes: flame_transform.c and
 * flame_levels.c only. */
#ifndef TV_ANALYSIS_FLAME_FLAME_TRANSFORM_H
#define TV_ANALYSIS_FLAME_FLAME_TRANSFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/flame/flame_merge.h"
#include "base/error.h"

/*
 * A box among others. While one node alone stands for a box, its children are known to be all
 * different, and need not be looked for; only when a second node comes do they go into child_of.
 */
struct tv_flame_box_links {
    uint32_t first_child; /* TV_NONE: none */
    uint32_t next_sibling;
    bool is_shared;
};

/* What the transforms say of each method, and where each node is. */
struct tv_flame_transformer {
    struct tv_flame_merger *merger;
    uint8_t *fate;      /* per method: FATE_... */
    uint8_t *package;   /* per method: 1 + which COLLAPSE has it, or 0 */
    uint8_t *recursion; /* per method: 1 + which RECURSION it is, or 0 */
    uint32_t focus[TV_FLAME_OP_LIMIT];
    uint32_t focus_count;
    uint32_t recursion_count;
    uint32_t *outermost; /* per box and RECURSION: its box of that method at or below, or TV_NONE */
    size_t outermost_cap;
    struct tv_flame_box_links *links; /* per box */
    size_t links_cap;
    uint32_t *targets; /* per node of one thread: a box, TV_FLAME_NO_TARGET, or TV_FLAME_ON_PATH +
                        focus methods met */
    uint32_t target_count;
    bool is_by_depth; /* see tv_flame_transformer_run_by_depth */
};

/* Places a node whose parent's place is `above`. */
enum tv_code tv_flame_transformer_merge_node(struct tv_flame_transformer *transformer,
                                             uint32_t node, uint32_t above, uint32_t *target,
                                             struct tv_error *err) TV_MUST_CHECK;
/* Whether the box, or one below it, is of a method whose recursion is collapsed. */
bool tv_flame_transformer_is_in_recursion(const struct tv_flame_transformer *transformer,
                                          uint32_t box);

/*
 * Where recursion alone is collapsed, a box that is not inside of one stands for nodes of its own
 * depth alone. So, as without transforms, it is as wide as it gets once that depth is placed, and
 * nothing goes on top of it if it is thin: nearly all nodes need no box at all. Afterwards x is the
 * width of such a box, until boxes are packed.
 */
bool tv_flame_can_transform_by_depth(const struct tv_flame_opts *opts);
enum tv_code tv_flame_transformer_run_by_depth(struct tv_flame_transformer *transformer,
                                               struct tv_error *err) TV_MUST_CHECK;

#endif
