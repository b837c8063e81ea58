/*
 * Where nodes stand when methods are hidden; see analysis/lean/lean.h. A parent stands before its
 * children, so when a node is met it is known which node above it is shown.
 */
#include "analysis/lean/lean.h"
#include "base/alloc.h"
#include "base/error.h"

void tv_lean_nodes_init(struct tv_lean_nodes *nodes, const struct tv_alloc *alloc)
{
    *nodes = (struct tv_lean_nodes){.alloc = alloc};
}

void tv_lean_nodes_release(struct tv_lean_nodes *nodes)
{
    tv_alloc_release(nodes->alloc, &nodes->parents, nodes->count, sizeof(*nodes->parents));
    tv_alloc_release(nodes->alloc, &nodes->levels, nodes->count, sizeof(*nodes->levels));
    tv_lean_nodes_init(nodes, nodes->alloc);
}

static void find_places(struct tv_lean_nodes *nodes, const struct tv_index *index,
                        const uint8_t *hidden)
{
    for (uint32_t node = 0; node < nodes->count; node++) {
        uint32_t parent = index->node_parent[node];
        if (parent != TV_NONE && nodes->levels[parent] == TV_NONE)
            parent = nodes->parents[parent];
        bool is_hidden = hidden && hidden[index->node_method[node]];
        nodes->parents[node] = parent;
        nodes->levels[node] = parent == TV_NONE ? 0 : nodes->levels[parent] + 1;
        if (is_hidden)
            nodes->levels[node] = TV_NONE;
    }
}

enum tv_code tv_lean_nodes_find(struct tv_lean_nodes *nodes, const struct tv_index *index,
                                const uint8_t *hidden, struct tv_error *err)
{
    tv_lean_nodes_release(nodes);
    nodes->count = index->node_count;
    enum tv_code code =
        tv_alloc_new(nodes->alloc, &nodes->parents, nodes->count, sizeof(*nodes->parents), err);
    if (code == TV_OK)
        code =
            tv_alloc_new(nodes->alloc, &nodes->levels, nodes->count, sizeof(*nodes->levels), err);
    if (code == TV_OK)
        find_places(nodes, index, hidden);
    else
        tv_lean_nodes_release(nodes);
    return code;
}

struct tv_lean_thread tv_lean_nodes_of_thread(const struct tv_lean_nodes *nodes,
                                              const struct tv_index *index, uint32_t thread_ix)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    struct tv_lean_thread found = {.level_count = 0};
    for (uint32_t node = thread->node_first; node < thread->node_first + thread->node_count;
         node++) {
        uint64_t calls = tv_index_node_calls(index, node);
        uint32_t level = nodes->levels[node];
        if (level == TV_NONE)
            continue;
        found.calls += calls;
        if (calls && level >= found.level_count)
            found.level_count = level + 1;
    }
    return found;
}
