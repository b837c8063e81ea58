/*
 * Comparing two trees of stacks frame by frame; see export/flame/flame_diff.h.
 *
 * Frames that are one have children that may be one, by their names. The children of a frame stand
 * one behind the other, so those of the new one are noted by name, and those of the old one looked
 * up there. So each frame costs two steps, and trees of any depth are loops.
 */
#include "export/flame/flame_diff.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX

void tv_flame_diff_init(struct tv_flame_diff *diff, const struct tv_alloc *alloc)
{
    *diff = (struct tv_flame_diff){.alloc = alloc};
}

void tv_flame_diff_release(struct tv_flame_diff *diff)
{
    tv_alloc_release(diff->alloc, &diff->other, diff->count, sizeof(*diff->other));
    tv_flame_diff_init(diff, diff->alloc);
}

/* Both trees, and the frame of the new one that each frame of the old one is. */
struct pairs {
    const struct tv_stack_tree *old_tree;
    const struct tv_stack_tree *new_tree;
    uint32_t *new_of_old;
    uint32_t *old_of_new;
    uint32_t *new_names; /* by name of the old tree; NONE: the new one has it not */
    uint32_t *noted;     /* by name of the new tree: a frame of that name */
    uint32_t *gone_of_old;
};

static void release_pairs(struct pairs *pairs, const struct tv_alloc *alloc)
{
    const size_t old_count = pairs->old_tree->count;
    tv_alloc_release(alloc, &pairs->gone_of_old, old_count, sizeof(uint32_t));
    tv_alloc_release(alloc, &pairs->noted, pairs->new_tree->names.count, sizeof(uint32_t));
    tv_alloc_release(alloc, &pairs->new_names, pairs->old_tree->names.count, sizeof(uint32_t));
    tv_alloc_release(alloc, &pairs->old_of_new, pairs->new_tree->count, sizeof(uint32_t));
    tv_alloc_release(alloc, &pairs->new_of_old, old_count, sizeof(uint32_t));
}

static enum tv_code take_room(struct pairs *pairs, const struct tv_alloc *alloc,
                              struct tv_error *err)
{
    const size_t old_count = pairs->old_tree->count;
    TV_TRY(tv_alloc_new(alloc, &pairs->new_of_old, old_count, sizeof(uint32_t), err));
    TV_TRY(tv_alloc_new(alloc, &pairs->old_of_new, pairs->new_tree->count, sizeof(uint32_t), err));
    TV_TRY(tv_alloc_new(alloc, &pairs->new_names, pairs->old_tree->names.count, sizeof(uint32_t),
                        err));
    return tv_alloc_new(alloc, &pairs->noted, pairs->new_tree->names.count, sizeof(uint32_t), err);
}

static void find_names(const struct pairs *pairs)
{
    const struct tv_text_map *names = &pairs->old_tree->names;
    for (size_t i = 0; i < names->count; i++) {
        uint32_t name = tv_text_map_get(&pairs->new_tree->names, names->entries[i].text);
        pairs->new_names[i] = name == TV_MAP_NONE ? NONE : name;
    }
}

/* Whether one of the frames from the first child on is a child, too: children stand side by side.
 */
static bool is_child(const struct tv_stack_tree *tree, uint32_t frame, uint32_t parent)
{
    return frame < tree->count && tree->frames[frame].parent == parent;
}

/* Pairs the children of two frames that are one. A name keeps its note of an earlier parent until a
 * frame of that name is noted again, so a note counts only if it lies among the children of
 * `new_frame`. */
static void pair_children(struct pairs *pairs, uint32_t old_frame, uint32_t new_frame)
{
    const struct tv_stack_tree *old_tree = pairs->old_tree;
    const struct tv_stack_tree *new_tree = pairs->new_tree;
    const uint32_t old_first = old_tree->first_child[old_frame];
    const uint32_t new_first = new_tree->first_child[new_frame];
    uint32_t new_end = new_first;
    if (!old_first || !new_first)
        return;
    for (; is_child(new_tree, new_end, new_frame); new_end++)
        pairs->noted[new_tree->frames[new_end].name] = new_end;
    for (uint32_t i = old_first; is_child(old_tree, i, old_frame); i++) {
        const uint32_t name = pairs->new_names[old_tree->frames[i].name];
        const uint32_t found = name == NONE ? NONE : pairs->noted[name];
        if (found >= new_first && found < new_end) {
            pairs->new_of_old[i] = found;
            pairs->old_of_new[found] = i;
        }
    }
}

static void find_pairs(struct pairs *pairs)
{
    find_names(pairs);
    memset(pairs->noted, 0xff, pairs->new_tree->names.count * sizeof(*pairs->noted));
    memset(pairs->new_of_old, 0xff, pairs->old_tree->count * sizeof(*pairs->new_of_old));
    memset(pairs->old_of_new, 0xff, pairs->new_tree->count * sizeof(*pairs->old_of_new));
    pairs->new_of_old[TV_STACK_ROOT] = TV_STACK_ROOT;
    pairs->old_of_new[TV_STACK_ROOT] = TV_STACK_ROOT;
    for (uint32_t i = 0; i < pairs->old_tree->count; i++) {
        if (pairs->new_of_old[i] != NONE)
            pair_children(pairs, i, pairs->new_of_old[i]);
    }
}

/* A frame that is gone stands on one that is there, or on another one that is gone and has its time
 * already. */
static void count_gone(struct tv_flame_diff *diff, const struct pairs *pairs)
{
    for (uint32_t i = 0; i < pairs->old_tree->count; i++) {
        const struct tv_stack_frame *frame = &pairs->old_tree->frames[i];
        if (pairs->new_of_old[i] != NONE)
            continue;
        diff->gone_count++;
        if (pairs->new_of_old[frame->parent] != NONE)
            diff->gone_value += frame->value;
    }
    for (size_t i = 0; i < pairs->new_tree->count; i++)
        diff->added_count += pairs->old_of_new[i] == NONE;
}

/* Marks what the tree of gone frames has: these, and all that they stand on, which come before them
 * in the tree. A mark is not NONE until the frame gets its place. */
static void mark_gone(struct pairs *pairs)
{
    for (size_t i = 0; i < pairs->old_tree->count; i++)
        pairs->gone_of_old[i] = pairs->new_of_old[i] == NONE ? TV_STACK_ROOT : NONE;
    for (size_t i = pairs->old_tree->count; i-- > 1;) {
        if (pairs->gone_of_old[i] != NONE)
            pairs->gone_of_old[pairs->old_tree->frames[i].parent] = TV_STACK_ROOT;
    }
}

/* The frames that are marked, as nodes that become frames in the same order: what a tree that was
 * merged at once has of the frames below is merged to the same order again. Only what was spent in
 * frames that are gone has a width. */
static size_t list_gone(struct pairs *pairs, struct tv_stack_node *nodes)
{
    const struct tv_stack_tree *tree = pairs->old_tree;
    size_t count = 0;
    for (uint32_t i = 1; i < tree->count; i++) {
        const struct tv_stack_frame *frame = &tree->frames[i];
        if (pairs->gone_of_old[i] == NONE)
            continue;
        const uint32_t below = pairs->gone_of_old[frame->parent];
        nodes[count] =
            (struct tv_stack_node){.below = below == TV_STACK_ROOT ? TV_STACK_NOTHING : below - 1,
                                   .name = frame->name,
                                   .self = pairs->new_of_old[i] == NONE ? frame->self : 0,
                                   .calls = frame->calls};
        pairs->gone_of_old[i] = (uint32_t)++count;
    }
    return count;
}

/* Names have the ordinals that they have in the old tree. */
static enum tv_code begin_gone(const struct tv_stack_tree *tree, struct tv_stack_tree *gone,
                               struct tv_error *err)
{
    TV_TRY(tv_stack_tree_begin(gone, err));
    for (uint32_t i = 0; i < tree->names.count; i++) {
        uint32_t name;
        TV_TRY(tv_stack_tree_name(gone, tree->names.entries[i].text, &name, err));
        tv_assert(name == i);
    }
    return TV_OK;
}

static enum tv_code make_gone(struct pairs *pairs, struct tv_stack_tree *gone, struct tv_error *err)
{
    const struct tv_stack_tree *tree = pairs->old_tree;
    struct tv_stack_node *nodes = NULL;
    TV_TRY(begin_gone(tree, gone, err));
    TV_TRY(tv_alloc_new(tree->alloc, &nodes, tree->count, sizeof(*nodes), err));
    mark_gone(pairs);
    enum tv_code code = tv_stack_tree_merge(gone, nodes, list_gone(pairs, nodes), err);
    tv_alloc_release(tree->alloc, &nodes, tree->count, sizeof(*nodes));
    TV_TRY(code);
    if (gone->frames[TV_STACK_ROOT].value)
        return TV_OK;
    return tv_fail(
        err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
        "no time was spent in calls that are gone: each stack of the old trace is one of "
        "the new trace, too");
}

/* Of each frame of the tree of gone frames whether the new tree has it, too. */
static enum tv_code note_gone(struct tv_flame_diff *diff, const struct pairs *pairs,
                              struct tv_error *err)
{
    TV_TRY(tv_alloc_new(diff->alloc, &diff->other, diff->drawn->count, sizeof(*diff->other), err));
    diff->count = diff->drawn->count;
    diff->other[TV_STACK_ROOT] = TV_STACK_ROOT;
    for (uint32_t i = 1; i < pairs->old_tree->count; i++) {
        if (pairs->gone_of_old[i] != NONE)
            diff->other[pairs->gone_of_old[i]] = pairs->new_of_old[i];
    }
    return TV_OK;
}

/* The pairs go over to the comparison. */
static void take_pairs(struct tv_flame_diff *diff, uint32_t **other_of)
{
    diff->other = *other_of;
    diff->count = diff->drawn->count;
    *other_of = NULL;
}

static void take_old(struct tv_flame_diff_frame *to, const struct tv_stack_frame *frame)
{
    to->is_old = true;
    to->old_value = frame->value;
    to->old_calls = frame->calls;
}

static void take_new(struct tv_flame_diff_frame *to, const struct tv_stack_frame *frame)
{
    to->is_new = true;
    to->new_value = frame->value;
    to->new_calls = frame->calls;
}

/* A frame of the tree of gone frames is drawn as wide as what is gone, and what stays below it has
 * no change of its own there. */
struct tv_flame_diff_frame tv_flame_diff_sides(const struct tv_flame_diff *diff, uint32_t frame)
{
    struct tv_flame_diff_frame sides = {.is_old = false};
    const struct tv_stack_frame *drawn = &diff->drawn->frames[frame];
    const uint32_t other = diff->other[frame];
    const bool is_new_drawn = diff->opts.view == TV_FLAME_DIFF_NEW;
    if (is_new_drawn)
        take_new(&sides, drawn);
    else
        take_old(&sides, drawn);
    if (other == NONE)
        return sides;
    if (diff->opts.view == TV_FLAME_DIFF_GONE)
        take_new(&sides, drawn);
    else if (is_new_drawn)
        take_old(&sides, &diff->beside->frames[other]);
    else
        take_new(&sides, &diff->beside->frames[other]);
    return sides;
}

static double share(uint64_t value, uint64_t total)
{
    return total ? (double)value / (double)total : 0;
}

static double change_of(const struct tv_flame_diff *diff, const struct tv_flame_diff_frame *frame)
{
    if (diff->opts.is_by_share)
        return share(frame->new_value, diff->new_total) - share(frame->old_value, diff->old_total);
    return (double)frame->new_value - (double)frame->old_value;
}

/* The root changes the most as a rule, and is what all others are a part of. */
static void find_most(struct tv_flame_diff *diff)
{
    for (uint32_t i = 0; i < diff->count; i++) {
        const struct tv_flame_diff_frame sides = tv_flame_diff_sides(diff, i);
        double size = fabs(change_of(diff, &sides));
        diff->most = size > diff->most ? size : diff->most;
    }
    diff->most_ns = diff->opts.is_by_share ? 0 : (uint64_t)diff->most;
}

static enum tv_code compare(struct tv_flame_diff *diff, struct pairs *pairs,
                            struct tv_stack_tree *gone, struct tv_error *err)
{
    find_pairs(pairs);
    count_gone(diff, pairs);
    switch (diff->opts.view) {
    case TV_FLAME_DIFF_NEW:
        diff->drawn = pairs->new_tree;
        diff->beside = pairs->old_tree;
        take_pairs(diff, &pairs->old_of_new);
        break;
    case TV_FLAME_DIFF_OLD:
        diff->drawn = pairs->old_tree;
        diff->beside = pairs->new_tree;
        take_pairs(diff, &pairs->new_of_old);
        break;
    case TV_FLAME_DIFF_GONE:
        TV_TRY(tv_alloc_new(diff->alloc, &pairs->gone_of_old, pairs->old_tree->count,
                            sizeof(uint32_t), err));
        TV_TRY(make_gone(pairs, gone, err));
        diff->drawn = diff->beside = gone;
        TV_TRY(note_gone(diff, pairs, err));
        break;
    }
    find_most(diff);
    return TV_OK;
}

enum tv_code tv_flame_diff_make(struct tv_flame_diff *diff, struct tv_stack_tree *old_tree,
                                struct tv_stack_tree *new_tree, struct tv_stack_tree *gone,
                                const struct tv_flame_diff_opts *opts, struct tv_stack_tree **drawn,
                                struct tv_error *err)
{
    struct pairs pairs = {.old_tree = old_tree, .new_tree = new_tree};
    tv_flame_diff_release(diff);
    diff->opts = *opts;
    diff->old_total = old_tree->frames[TV_STACK_ROOT].value;
    diff->new_total = new_tree->frames[TV_STACK_ROOT].value;
    enum tv_code code = take_room(&pairs, diff->alloc, err);
    if (code == TV_OK)
        code = compare(diff, &pairs, gone, err);
    release_pairs(&pairs, diff->alloc);
    if (code == TV_OK)
        *drawn = opts->view == TV_FLAME_DIFF_GONE  ? gone
                 : opts->view == TV_FLAME_DIFF_NEW ? new_tree
                                                   : old_tree;
    return code;
}

double tv_flame_diff_change(const struct tv_flame_diff *diff, uint32_t frame)
{
    if (diff->opts.view == TV_FLAME_DIFF_GONE)
        return diff->other[frame] == NONE ? -1 : 0;
    const struct tv_flame_diff_frame sides = tv_flame_diff_sides(diff, frame);
    return diff->most > 0 ? change_of(diff, &sides) / diff->most : 0;
}

static uint8_t mix(unsigned from, unsigned to, double part)
{
    return (uint8_t)((double)from + ((double)to - (double)from) * part + 0.5);
}

/* Orange and blue differ for all eyes. */
struct tv_rgb tv_flame_diff_colour(double change)
{
    static const struct tv_rgb same = {224, 226, 230};
    static const struct tv_rgb more = {245, 130, 32};
    static const struct tv_rgb less = {70, 145, 235};
    const struct tv_rgb *to = change > 0 ? &more : &less;
    double part = fabs(change) < 1 ? fabs(change) : 1;
    return (struct tv_rgb){mix(same.red, to->red, part), mix(same.green, to->green, part),
                           mix(same.blue, to->blue, part)};
}
