/*
 * A part of the calling context tree; see analysis/question/tree_question.h.
 *
 * The walk keeps a stack of the lists that are open, one for each level, instead of calling itself:
 * the stack is as deep as the levels that were asked for, whatever the trace holds.
 */
#include "analysis/question/tree_question.h"

#include "base/error.h"

void tv_tree_answer_init(struct tv_tree_answer *answer, const struct tv_alloc *alloc)
{
    *answer = (struct tv_tree_answer){.total_ns = {0}};
    tv_call_tree_init(&answer->tree, alloc);
}

void tv_tree_answer_release(struct tv_tree_answer *answer)
{
    tv_call_tree_release(&answer->tree);
}

enum tv_code tv_tree_answer_compute(struct tv_tree_answer *answer, const struct tv_index *index,
                                    const struct tv_tree_question *question,
                                    const struct tv_pool *pool, struct tv_error *err)
{
    struct tv_call_tree_opts opts = question->opts;
    struct tv_stacks stacks;
    tv_stacks_init(&stacks, answer->tree.alloc);
    enum tv_code code = tv_stacks_compute(&stacks, index, &question->scope, pool, err);
    opts.measure = question->scope.measure;
    opts.sort = &question->sort;
    opts.hidden = stacks.filter.hidden;
    opts.pool = pool;
    if (code == TV_OK)
        code = tv_call_tree_compute(&answer->tree, &stacks.sums, &opts, err);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        answer->total_ns[clock] = stacks.sums.total_ns[clock];
    tv_stacks_release(&stacks);
    return code;
}

void tv_tree_walk_begin(struct tv_tree_walk *walk, const struct tv_call_tree *tree, uint32_t levels)
{
    *walk = (struct tv_tree_walk){.tree = tree, .levels = levels, .depth = 1};
    walk->lists[0] = (struct tv_tree_siblings){tree->root_first,
                                               tree->root_first + tree->root_count, tree->more};
}

struct tv_tree_step tv_tree_walk_next(struct tv_tree_walk *walk)
{
    if (!walk->depth)
        return (struct tv_tree_step){.event = TV_TREE_END};
    struct tv_tree_siblings *list = &walk->lists[walk->depth - 1];
    struct tv_tree_step step = {.event = TV_TREE_LIST_END, .level = walk->depth - 1};
    /* A list without nodes ends, too: all of its nodes may have been left out. */
    if (list->next == list->end) {
        step.more = list->more;
        walk->depth--;
        return step;
    }
    const struct tv_call_tree_node *node = &walk->tree->nodes[list->next++];
    step.event = TV_TREE_NODE;
    step.node = node;
    step.is_opened = node->level + 1 < walk->levels && node->has_children;
    if (step.is_opened) {
        tv_assert(walk->depth < TV_TREE_LEVEL_LIMIT);
        walk->lists[walk->depth++] = (struct tv_tree_siblings){
            node->first_child, node->first_child + node->child_count, node->more};
    }
    return step;
}
