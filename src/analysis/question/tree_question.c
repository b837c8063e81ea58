/*
 * A part of the calling context tree; see analysis/question/tree_question.h.
 *
 * The walk goes from node to node by their ordinals: siblings stand together, and a node knows its
 * parent. It needs neither a stack nor calls of itself, whatever the trace holds.
 */
#include "analysis/question/tree_question.h"

#include "base/alloc.h"
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

/* Makes the stacks of the scope, and keeps those that have the method in focus. The methods that
 * were named are shown, whatever is hidden. */
static enum tv_code make_stacks(struct tv_stacks *stacks, const struct tv_index *index,
                                const struct tv_tree_question *question, const struct tv_pool *pool,
                                struct tv_error *err)
{
    const struct tv_alloc *alloc = stacks->sums.alloc;
    uint8_t *is_focus;
    TV_TRY(tv_stacks_compute(stacks, index, &question->scope, pool, err));
    if (stacks->filter.hidden && question->opts.root)
        stacks->filter.hidden[*question->opts.root] = 0;
    if (!question->focus)
        return TV_OK;
    if (stacks->filter.hidden)
        stacks->filter.hidden[*question->focus] = 0;
    TV_TRY(tv_alloc_new(alloc, &is_focus, index->method_count, 1, err));
    is_focus[*question->focus] = 1;
    enum tv_code code = tv_sums_filter(&stacks->sums, is_focus, err);
    tv_alloc_release(alloc, &is_focus, index->method_count, 1);
    return code;
}

/* The totals are taken from the sums before these are released, since shares of the tree are of
 * them. */
enum tv_code tv_tree_answer_compute(struct tv_tree_answer *answer, const struct tv_index *index,
                                    const struct tv_tree_question *question,
                                    const struct tv_pool *pool, struct tv_error *err)
{
    struct tv_call_tree_opts opts = question->opts;
    struct tv_stacks stacks;
    tv_stacks_init(&stacks, answer->tree.alloc);
    enum tv_code code = make_stacks(&stacks, index, question, pool, err);
    opts.measure = question->scope.measure;
    opts.sort = &question->sort;
    opts.hidden = stacks.filter.hidden;
    opts.dropped = stacks.filter.dropped;
    opts.pool = pool;
    if (code == TV_OK && question->is_way)
        code = tv_call_tree_follow(&answer->tree, &stacks.sums, &opts, question->way_share, err);
    else if (code == TV_OK)
        code = tv_call_tree_compute(&answer->tree, &stacks.sums, &opts, err);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        answer->total_ns[clock] = stacks.sums.total_ns[clock];
    tv_stacks_release(&stacks);
    return code;
}

void tv_tree_walk_begin(struct tv_tree_walk *walk, const struct tv_call_tree *tree, uint32_t levels)
{
    *walk = (struct tv_tree_walk){
        .tree = tree, .levels = levels, .list = TV_NONE, .next = tree->root_first};
}

/* Leaves the list that has ended, for the one that its node stands in. */
static struct tv_tree_step end_list(struct tv_tree_walk *walk)
{
    const struct tv_call_tree *tree = walk->tree;
    struct tv_tree_step step = {
        .event = TV_TREE_LIST_END, .more = tree->more, .dropped = tree->dropped};
    walk->has_ended = walk->list == TV_NONE;
    if (!walk->has_ended) {
        const struct tv_call_tree_node *node = &tree->nodes[walk->list];
        step.level = node->level + 1;
        step.more = node->more;
        step.dropped = node->dropped;
        walk->next = walk->list + 1;
        walk->list = node->parent;
    }
    return step;
}

struct tv_tree_step tv_tree_walk_next(struct tv_tree_walk *walk)
{
    const struct tv_call_tree *tree = walk->tree;
    if (walk->has_ended)
        return (struct tv_tree_step){.event = TV_TREE_END};
    const struct tv_call_tree_node *of = walk->list == TV_NONE ? NULL : &tree->nodes[walk->list];
    /* A list without nodes ends, too: all of its nodes may have been left out. */
    if (walk->next ==
        (of ? of->first_child + of->child_count : tree->root_first + tree->root_count))
        return end_list(walk);
    uint32_t at = walk->next;
    const struct tv_call_tree_node *node = &tree->nodes[at];
    struct tv_tree_step step = {.event = TV_TREE_NODE, .level = node->level, .node = node};
    /* A list whose nodes are all left out tells how many they are. */
    step.is_opened = node->level + 1 < walk->levels && (node->child_count || node->more);
    walk->list = step.is_opened ? at : walk->list;
    walk->next = step.is_opened ? node->first_child : at + 1;
    return step;
}
