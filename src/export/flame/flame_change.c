/*
 * The boxes of a flame graph of a change; see export/flame/flame_change.h. A path is followed by
 * names, which both sides have, and not by numbers of frames, which change with what is asked for.
 */
#include "export/flame/flame_change.h"

#include "index/index.h"

void tv_flame_change_init(struct tv_flame_change *change, const struct tv_alloc *alloc)
{
    *change = (struct tv_flame_change){.drawn = NULL};
    tv_flame_diff_init(&change->diff, alloc);
    tv_flame_boxes_init(&change->boxes, alloc);
    tv_stack_tree_init(&change->gone, alloc);
}

void tv_flame_change_release(struct tv_flame_change *change)
{
    tv_stack_tree_release(&change->gone);
    tv_flame_boxes_release(&change->boxes);
    tv_flame_diff_release(&change->diff);
}

static uint32_t child_of_name(const struct tv_stack_tree *tree, uint32_t parent, uint32_t name)
{
    const uint32_t end = tv_stack_tree_children_end(tree, parent);
    for (uint32_t i = tree->first_child[parent]; i < end; i++) {
        if (tree->frames[i].name == name)
            return i;
    }
    return TV_MAP_NONE;
}

static uint32_t frame_of_path(const struct tv_stack_tree *tree, struct tv_str path)
{
    uint32_t frame = TV_STACK_ROOT;
    struct tv_str text;
    while (frame != TV_MAP_NONE && path.len && tv_str_split(&path, '\n', &text))
        frame = child_of_name(tree, frame, tv_text_map_get(&tree->names, text));
    return frame;
}

enum tv_code tv_flame_change_make(struct tv_flame_change *change, struct tv_flame_base *old_side,
                                  struct tv_flame_base *new_side,
                                  const struct tv_flame_change_opts *opts, struct tv_error *err)
{
    struct tv_stack_tree *drawn = &change->gone;
    enum tv_code code = tv_flame_diff_make(&change->diff, &old_side->tree, &new_side->tree,
                                           &change->gone, &opts->diff, &drawn, err);
    change->drawn = drawn;
    if (code == TV_ERR_NOT_FOUND)
        return TV_OK;
    TV_TRY(code);
    change->top = frame_of_path(change->drawn, opts->path);
    if (change->top == TV_MAP_NONE)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "the graph has no box of that path: another part of the traces is compared");
    const uint64_t value = change->drawn->frames[change->top].value;
    const struct tv_flame_boxes_opts boxes = {
        .least = tv_flame_least(value, opts->least_pixels, opts->width),
        .limit = opts->box_limit,
        .top = change->top};
    TV_TRY(tv_stack_tree_place(drawn, boxes.least, err));
    return tv_flame_boxes_choose(&change->boxes, drawn, &boxes, err);
}

uint32_t tv_flame_change_method(const struct tv_flame_change *change,
                                const struct tv_flame_base *new_side, uint32_t frame)
{
    uint32_t name =
        tv_text_map_get(&new_side->tree.names, tv_stack_tree_name_of(change->drawn, frame));
    return frame == TV_STACK_ROOT || name == TV_MAP_NONE ? TV_NONE : new_side->methods[name];
}
