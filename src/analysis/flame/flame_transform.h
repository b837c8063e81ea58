/* Stacks on their way through the transforms into boxes. Used by flame_transform.c and
 * flame_depths.c only. */
#ifndef TV_ANALYSIS_FLAME_FLAME_TRANSFORM_H
#define TV_ANALYSIS_FLAME_FLAME_TRANSFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/flame/flame_merge.h"
#include "base/error.h"

/*
 * How a box hangs together with others, besides tv_flame_merger.child_of.
 *
 * As long as one node alone was added to a box, the boxes on top of it come from different methods:
 * they need not be looked up, only listed. When a second node is added, they are entered in
 * child_of, and looked up from then on. Most boxes never get a second node, so most look-ups in a
 * hash are spared.
 */
struct tv_flame_box_links {
    uint32_t first_child; /* the newest box on top; TV_NONE: none */
    uint32_t next_sibling;
    bool is_shared; /* several nodes were added: boxes on top are in child_of */
};

/* What the transforms do to each method, and the target of each node. */
struct tv_flame_transformer {
    struct tv_flame_merger *merger;
    uint8_t *fate;      /* per method: FATE_... */
    uint8_t *package;   /* per method: 1 + number of the COLLAPSE that has it, or 0 */
    uint8_t *recursion; /* per method: 1 + number of the RECURSION that it is of, or 0 */
    uint32_t focus[TV_FLAME_OP_LIMIT]; /* methods, in their order */
    uint32_t focus_count;
    uint32_t recursion_count;
    bool has_end; /* a method ends stacks */
    /* Per box and RECURSION: the lowest box of that method among the box and those below it, or
     * TV_NONE. Calls of the method join that box. */
    uint32_t *outermost;
    size_t outermost_cap;
    struct tv_flame_box_links *links; /* one per box */
    size_t links_cap;
    /* Per node of one thread, from the thread's first: its target. TV_FLAME_ON_PATH counts
     * focus methods. */
    uint32_t *targets;
    uint32_t target_count;
    bool is_by_depth; /* tv_flame_transformer_run_by_depth was used: x of boxes outside of recursion
                         is their value */
};

/* Finds the target of a node whose parent's target is `above`, and adds the node's own numbers
 * to the box. */
enum tv_code tv_flame_transformer_merge_node(struct tv_flame_transformer *transformer,
                                             uint32_t node, uint32_t above, uint32_t *target,
                                             struct tv_error *err) TV_MUST_CHECK;
/* Whether the box or one below it is of a method whose recursion is collapsed. */
bool tv_flame_transformer_is_in_recursion(const struct tv_flame_transformer *transformer,
                                          uint32_t box);

/*
 * Merging depth by depth is possible where recursion alone is collapsed, top-down, without zoom and
 * not in time, since a box in a recursion would then be met later than its first call.
 * A box outside of any recursion then has nodes of its own depth only. So it is complete after that
 * depth, as without transforms, and nothing that stands on it is followed if it is too narrow:
 * nearly all nodes need no box. Afterwards x of such a box is its value.
 */
bool tv_flame_can_transform_by_depth(const struct tv_flame_opts *opts);
enum tv_code tv_flame_transformer_run_by_depth(struct tv_flame_transformer *transformer,
                                               struct tv_error *err) TV_MUST_CHECK;

#endif
