/* Numbering, linking and marking the finished nodes; see index/tree.h. */
#include "index/tree.h"

#include "base/alloc.h"
#include "base/error.h"
#include "index/block.h"

static enum tv_code number_thread(struct tv_build_thread *thread, const struct tv_alloc *alloc,
                                  uint32_t node_first, struct tv_error *err)
{
    size_t count = thread->nodes.count;
    TV_TRY(tv_alloc_new(alloc, &thread->final_node, count, sizeof(*thread->final_node), err));
    thread->final_cap = count;
    /* Without a list the adopting calls stand first already. */
    uint32_t adopters = thread->adopters ? (uint32_t)thread->adopter_count : 0;
    uint32_t next = node_first + adopters;
    uint32_t seen = 0;
    for (uint32_t node = TV_FIRST_NODE; node < count; node++) {
        if (seen < adopters && thread->adopters[seen] == node)
            thread->final_node[node] = node_first + adopters - 1 - seen++;
        else
            thread->final_node[node] = node == thread->root ? TV_NONE : next++;
    }
    return TV_OK;
}

enum tv_code tv_tree_number(struct tv_layout *layout, const struct tv_builder *builder,
                            struct tv_error *err)
{
    for (size_t i = 0; i < layout->thread_count; i++) {
        struct tv_build_thread *thread = layout->threads[i].build;
        layout->out[i].node_first = (uint32_t)layout->node_count;
        if (!thread)
            continue;
        uint64_t count = thread->nodes.count - TV_FIRST_NODE - 1; /* all but the root */
        if (layout->node_count + count >= TV_NONE)
            return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than 2^32 calling contexts");
        tv_nodes_finish(&thread->nodes);
        TV_TRY(number_thread(thread, builder->alloc, (uint32_t)layout->node_count, err));
        layout->out[i].node_count = (uint32_t)count;
        layout->node_count += count;
    }
    return TV_OK;
}

void tv_tree_link(const struct tv_build_thread *thread, uint32_t *parent, uint32_t *depth)
{
    for (uint32_t node = TV_FIRST_NODE; node < thread->nodes.count; node++) {
        if (node == thread->root)
            continue;
        uint32_t above = thread->nodes.at[node].parent;
        parent[thread->final_node[node]] =
            above == thread->root ? TV_NONE : thread->final_node[above];
    }
    uint32_t end = thread->out->node_first + thread->out->node_count;
    for (uint32_t i = thread->out->node_first; i < end; i++)
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

/* On the way a number may be below 0, and wraps; at the end none is. */
#define DEFINE_TAKE_CALLEES(name, type)                                                            \
    static void name(const struct tv_index *index, const type *inclusive, type *exclusive)         \
    {                                                                                              \
        for (uint32_t i = 0; i < index->node_count; i++) {                                         \
            exclusive[i] += inclusive[i];                                                          \
            if (index->node_parent[i] != TV_NONE)                                                  \
                exclusive[index->node_parent[i]] -= inclusive[i];                                  \
        }                                                                                          \
    }

DEFINE_TAKE_CALLEES(take_callees_narrow, uint32_t)
DEFINE_TAKE_CALLEES(take_callees_wide, uint64_t)

void tv_tree_sum_exclusive(struct tv_index *index)
{
    static const enum tv_section sections[TV_CLOCK_COUNT] = {TV_SECTION_NODE_EXCLUSIVE_WALL,
                                                             TV_SECTION_NODE_EXCLUSIVE_CPU};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        void *exclusive = tv_block_section(index, sections[clock]);
        if (index->has_wide_sums)
            take_callees_wide(index, index->node_inclusive[clock], exclusive);
        else
            take_callees_narrow(index, index->node_inclusive[clock], exclusive);
    }
}
