/* The frames of a tree as the nodes of another one. */
#include "merged_again.h"

static enum tv_code name_all(const struct tv_stack_tree *tree, struct tv_stack_tree *merged)
{
    for (uint32_t i = 0; i < tree->names.count; i++) {
        uint32_t name;
        TV_TRY(tv_stack_tree_name(merged, tree->names.entries[i].text, &name, NULL));
    }
    return TV_OK;
}

enum tv_code merged_again(const struct tv_stack_tree *tree, struct tv_stack_tree *merged)
{
    const size_t count = tree->count - 1;
    struct tv_stack_node *nodes;
    TV_TRY(tv_stack_tree_begin(merged, NULL));
    TV_TRY(name_all(tree, merged));
    TV_TRY(tv_alloc_new(merged->alloc, &nodes, count, sizeof(*nodes), NULL));
    for (size_t i = 0; i < count; i++) {
        const struct tv_stack_frame *frame = &tree->frames[i + 1];
        nodes[i] =
            (struct tv_stack_node){.below = frame->parent ? frame->parent - 1 : TV_STACK_NOTHING,
                                   .name = frame->name,
                                   .self = frame->self,
                                   .calls = frame->calls};
    }
    enum tv_code code = tv_stack_tree_merge(merged, nodes, count, NULL);
    tv_alloc_release(merged->alloc, &nodes, count, sizeof(*nodes));
    return code;
}
