/* Numbering, linking and marking the finished nodes; see index/tree.h. */
#include "index/tree.h"

#include "base/alloc.h"
#include "base/error.h"
#include "index/block.h"

uint32_t tv_tree_node_count(const struct tv_build_thread *thread)
{
    /* All but the root that stands for "no call"; the other roots stand for adopting calls. */
    return (uint32_t)thread->nodes.count - 1;
}

enum tv_code tv_tree_number(struct tv_build_thread *thread, const struct tv_alloc *alloc,
                            struct tv_error *err)
{
    size_t count = thread->nodes.count;
    TV_TRY(tv_alloc_new(alloc, &thread->final_node, count, sizeof(*thread->final_node), err));
    thread->final_cap = count;
    uint32_t adopters = (uint32_t)thread->adopter_count;
    uint32_t next = adopters;
    uint32_t epoch = 0;
    for (uint32_t node = 0; node < count; node++) {
        bool is_root = thread->nodes.at[node].parent == node;
        if (!is_root)
            thread->final_node[node] = next++;
        else if (epoch < adopters)
            thread->final_node[node] = adopters - 1 - epoch++;
        else
            thread->final_node[node] = TV_NONE;
    }
    return TV_OK;
}

/* The finished parent of a node, TV_NONE for a root; relative to the thread's first node. */
static uint32_t final_parent(const struct tv_build_thread *thread, uint32_t node)
{
    uint32_t parent = thread->nodes.at[node].parent;
    if (parent != node)
        return thread->final_node[parent];
    /* An adopter lies in the one that came after it, which has the number before it. */
    uint32_t final = thread->final_node[node];
    return final ? final - 1 : TV_NONE;
}

void tv_tree_link(const struct tv_build_thread *thread, uint32_t node_first, uint32_t *parent,
                  uint32_t *depth)
{
    for (uint32_t node = 0; node < thread->nodes.count; node++) {
        uint32_t final = thread->final_node[node];
        if (final == TV_NONE)
            continue;
        uint32_t above = final_parent(thread, node);
        parent[node_first + final] = above == TV_NONE ? TV_NONE : node_first + above;
    }
    for (uint32_t i = node_first; i < node_first + tv_tree_node_count(thread); i++)
        depth[i] = parent[i] == TV_NONE ? 0 : depth[parent[i]] + 1;
}

/* Lists of children made from the parents: first_child[node_count] heads the roots. */
struct child_lists {
    uint32_t *first_child;
    uint32_t *next_sibling;
};

static void list_children(const struct tv_index *index, struct child_lists lists)
{
    uint32_t count = index->node_count;
    for (uint32_t i = 0; i <= count; i++)
        lists.first_child[i] = TV_NONE;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t parent = index->node_parent[i] == TV_NONE ? count : index->node_parent[i];
        lists.next_sibling[i] = lists.first_child[parent];
        lists.first_child[parent] = i;
    }
}

/* Depth first, without a stack: the way back is the parent. open[method] counts it on the path. */
static void mark_paths(const struct tv_index *index, struct child_lists lists, uint32_t *open,
                       uint8_t *flags)
{
    uint32_t node = lists.first_child[index->node_count];
    while (node != TV_NONE) {
        if (open[index->node_method[node]]++)
            flags[node] |= TV_NODE_RECURSIVE;
        uint32_t next = lists.first_child[node];
        while (next == TV_NONE && node != TV_NONE) {
            open[index->node_method[node]]--;
            next = lists.next_sibling[node];
            node = index->node_parent[node];
        }
        node = next;
    }
}

enum tv_code tv_tree_mark_recursive(struct tv_index *index, const struct tv_alloc *alloc,
                                    struct tv_error *err)
{
    size_t count = (size_t)index->node_count + 1;
    struct child_lists lists = {NULL, NULL};
    uint32_t *open = NULL;
    enum tv_code code = tv_alloc_new(alloc, &lists.first_child, count, sizeof(uint32_t), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &lists.next_sibling, count, sizeof(uint32_t), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &open, index->method_count, sizeof(uint32_t), err);
    if (code == TV_OK) {
        list_children(index, lists);
        mark_paths(index, lists, open, tv_block_section(index, TV_SECTION_NODE_FLAGS));
    }
    tv_alloc_free(alloc, open, index->method_count, sizeof(uint32_t));
    tv_alloc_free(alloc, lists.next_sibling, count, sizeof(uint32_t));
    tv_alloc_free(alloc, lists.first_child, count, sizeof(uint32_t));
    return code;
}

void tv_tree_sum_exclusive(struct tv_index *index)
{
    static const enum tv_section sections[TV_CLOCK_COUNT] = {TV_SECTION_NODE_EXCLUSIVE_WALL,
                                                             TV_SECTION_NODE_EXCLUSIVE_CPU};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t *exclusive = tv_block_section(index, sections[clock]);
        const uint64_t *inclusive = index->node_inclusive[clock];
        for (uint32_t i = 0; i < index->node_count; i++) {
            exclusive[i] += inclusive[i];
            if (index->node_parent[i] != TV_NONE)
                exclusive[index->node_parent[i]] -= inclusive[i];
        }
    }
}
