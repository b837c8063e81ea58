/*
 * Call stacks merged into a tree of named frames, whatever they come from: a trace, or folded
 * stacks of another tool. A flame graph draws the tree; a frame is what it draws as one box.
 *
 * Frames are merged by their names, as tools that read folded stacks merge them: two methods that
 * are written alike are one frame. There are three ways to build a tree:
 *
 * - merged: equal stacks are one, whenever they were. tv_stack_tree_child finds or makes a frame.
 *   tv_stack_tree_end sums up values and places siblings by name.
 * - merged at once: the same of a source that has its stacks as trees already, as calling contexts
 *   are. tv_stack_tree_merge takes all of their nodes, and looks nothing up in a map.
 * - in order of time: _open, _spend and _close follow a stack as it changes. A frame that is closed
 *   and opened again at once, with the same name, stays one frame. The tree can drop frames that
 *   are too short to be drawn while it is built, so that its memory does not grow with the calls.
 *
 * Values have a unit of the source's own; sums stop at UINT64_MAX. Names are borrowed, and must
 * outlive the tree.
 */
#ifndef TV_EXPORT_FLAME_STACK_TREE_H
#define TV_EXPORT_FLAME_STACK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/map.h"
#include "base/memory/text_map.h"
#include "base/str.h"

/* The frame below all stacks. */
#define TV_STACK_ROOT 0u

struct tv_stack_frame {
    uint64_t start;  /* left edge, from the left of the graph */
    uint64_t value;  /* width: of the frame and of all frames on top of it */
    uint64_t self;   /* of the frame alone */
    uint64_t calls;  /* 0 where the source counts none */
    uint32_t name;   /* ordinal */
    uint32_t parent; /* a frame with a lower ordinal; UINT32_MAX: it is the root */
};

/* An open frame of a tree in order of time, and the last frame that was closed on top of it. */
struct tv_stack_level {
    uint32_t frame;
    uint32_t last_closed; /* UINT32_MAX: none */
};

#define TV_STACK_NOTHING UINT32_MAX

/* A node of the source of a tree that is merged at once. */
struct tv_stack_node {
    uint64_t self;
    uint64_t calls;
    uint32_t below; /* the node that it stands on, an earlier one; TV_STACK_NOTHING: on the root */
    uint32_t name;  /* ordinal */
};

struct tv_stack_tree {
    const struct tv_alloc *alloc;
    struct tv_stack_frame *frames; /* parents before their children */
    size_t count;
    size_t cap;
    struct tv_text_map names; /* text -> its ordinal, which is its place among the entries */
    struct tv_map child_of;   /* merged: parent << 32 | name -> frame */
    /* Merged at once: by frame the first of its children, which stand one behind the other among
     * the frames; 0: it has none. NULL: the tree was built in another way. */
    uint32_t *first_child;
    size_t first_child_cap;
    /* In order of time. */
    struct tv_stack_level *levels; /* of the open frames, the root's first */
    size_t level_cap;
    size_t depth;     /* open frames on top of the root */
    uint64_t now;     /* what was spent so far */
    uint64_t least;   /* frames of a lower value are dropped; 0: none */
    uint64_t dropped; /* frames that were dropped */
};

void tv_stack_tree_init(struct tv_stack_tree *tree, const struct tv_alloc *alloc);
void tv_stack_tree_release(struct tv_stack_tree *tree);
/* Makes the root, named "all". To be called once, before all else. */
enum tv_code tv_stack_tree_begin(struct tv_stack_tree *tree, struct tv_error *err) TV_MUST_CHECK;
/* The ordinal of a name, new or known. */
enum tv_code tv_stack_tree_name(struct tv_stack_tree *tree, struct tv_str text, uint32_t *name,
                                struct tv_error *err) TV_MUST_CHECK;

/* Merged: the frame of that name on top of `parent`. */
enum tv_code tv_stack_tree_child(struct tv_stack_tree *tree, uint32_t parent, uint32_t name,
                                 uint32_t *child, struct tv_error *err) TV_MUST_CHECK;
/* Merged: adds to a frame alone. */
void tv_stack_tree_add(struct tv_stack_tree *tree, uint32_t frame, uint64_t self, uint64_t calls);

/* Merged at once: puts the nodes into a tree that has its root alone, and sums up values. The
 * number of steps for each node is bounded, whatever the number of names and levels. Frames have no
 * places until tv_stack_tree_place gives them some. */
enum tv_code tv_stack_tree_merge(struct tv_stack_tree *tree, const struct tv_stack_node *nodes,
                                 size_t count, struct tv_error *err) TV_MUST_CHECK;
/* Merged at once: places siblings as tv_stack_tree_end does, but for those that stand on a frame of
 * a value below `least`, which have none. In a picture nearly all frames are too narrow to be seen.
 * A tree of another way has its places already, and stays as it is. */
enum tv_code tv_stack_tree_place(struct tv_stack_tree *tree, uint64_t least,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Merged at once: the frame behind the last child of a frame; 0: it has none. */
uint32_t tv_stack_tree_children_end(const struct tv_stack_tree *tree, uint32_t frame);

/* In order of time: puts a frame on top of the stack. */
enum tv_code tv_stack_tree_open(struct tv_stack_tree *tree, uint32_t name, uint64_t calls,
                                struct tv_error *err) TV_MUST_CHECK;
/* In order of time: spends an amount in the frame that is on top of the stack. */
void tv_stack_tree_spend(struct tv_stack_tree *tree, uint64_t amount);
/* In order of time: takes frames off the stack until `depth` of them are left. */
void tv_stack_tree_close(struct tv_stack_tree *tree, size_t depth);

/* Ends a tree that was merged frame by frame: values are summed up, and siblings placed by name,
 * behind their parent's own part, as flamegraph.pl places them. */
enum tv_code tv_stack_tree_end(struct tv_stack_tree *tree, struct tv_error *err) TV_MUST_CHECK;
/* Sums up the values of a merged tree, for the functions above. */
void tv_stack_tree_sum_up(struct tv_stack_tree *tree);
/* Ends a tree in order of time. */
void tv_stack_tree_end_in_order(struct tv_stack_tree *tree);

/* Adds a frame that is not there yet, in any of the ways: for the functions above. */
enum tv_code tv_stack_tree_add_frame(struct tv_stack_tree *tree, uint32_t parent, uint32_t name,
                                     struct tv_error *err) TV_MUST_CHECK;

struct tv_str tv_stack_tree_name_of(const struct tv_stack_tree *tree, uint32_t frame);

/* What is cut off where stacks are turned upside down: levels, and steps for each frame with a part
 * of its own. This bounds the work where stacks are a million frames deep. */
#define TV_STACK_INVERTED_LEVELS 256u
#define TV_STACK_INVERTED_STEPS 64u

/* Fills `inverted`, an initialised tree, with the stacks of an ended merged tree turned upside
 * down: at the bottom the frames with a part of their own, on top of each its callers. What stands
 * on a frame whose value is below `least` is not looked at. *is_cut: a limit cut stacks off. Ends
 * the tree. */
enum tv_code tv_stack_tree_invert(const struct tv_stack_tree *tree, uint64_t least,
                                  struct tv_stack_tree *inverted, bool *is_cut,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
