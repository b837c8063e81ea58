/*
 * Edges from nodes; see analysis/profile/edges.h.
 *
 * Each node belongs to the edge from its parent's method to its own, apart for recursive and
 * outermost nodes. A map tells in which row an edge stands while the nodes of all threads are
 * added, one after the other; afterwards the rows are sorted.
 */
#include "analysis/profile/edges.h"

#include "base/memory/map.h"
#include "base/memory/sort.h"
#include "index/index.h"

/* Methods that an edge can have: two ordinals and two marks are the 64 bits of a key. */
#define MOST_METHODS (UINT32_C(1) << 31)

void tv_edges_init(struct tv_edges *edges, const struct tv_alloc *alloc)
{
    *edges = (struct tv_edges){.alloc = alloc};
}

void tv_edges_release(struct tv_edges *edges)
{
    tv_alloc_release(edges->alloc, &edges->of, edges->cap, sizeof(*edges->of));
    tv_edges_init(edges, edges->alloc);
}

/* The edge that a node is part of, without numbers. */
static struct tv_edge edge_of(const struct tv_sums *sums, uint32_t node)
{
    uint32_t parent = sums->parent[node];
    bool is_root = parent == TV_NONE;
    return (struct tv_edge){
        .caller = is_root ? TV_NONE : sums->method[parent],
        .callee = sums->method[node],
        .is_caller_recursive = !is_root && (sums->flags[parent] & TV_NODE_RECURSIVE) != 0,
        .is_callee_recursive = (sums->flags[node] & TV_NODE_RECURSIVE) != 0,
    };
}

/* TV_NONE, which is no ordinal, is cut to the largest number of 31 bits, which is none either. */
static uint64_t key_of(const struct tv_edge *edge)
{
    uint64_t caller = edge->caller & (MOST_METHODS - 1);
    return caller << 33 | (uint64_t)edge->callee << 2 | (uint64_t)edge->is_caller_recursive << 1 |
           (uint64_t)edge->is_callee_recursive;
}

static enum tv_code add_node(struct tv_edges *edges, struct tv_map *row_of_edge,
                             const struct tv_sums *sums, uint32_t node, struct tv_error *err)
{
    struct tv_edge edge = edge_of(sums, node);
    struct tv_numbers numbers = tv_sums_numbers(sums, node);
    uint32_t *row;
    TV_TRY(tv_alloc_grow(edges->alloc, &edges->of, &edges->cap, edges->count + 1,
                         sizeof(*edges->of), err));
    TV_TRY(tv_map_slot(row_of_edge, key_of(&edge), (uint32_t)edges->count, &row, err));
    if (*row == edges->count)
        edges->of[edges->count++] = edge;
    tv_numbers_add(&edges->of[*row].numbers, &numbers);
    return TV_OK;
}

static enum tv_code add_nodes(struct tv_edges *edges, struct tv_map *row_of_edge,
                              const struct tv_sums *sums, struct tv_error *err)
{
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            if (tv_sums_is_touched(sums, node))
                TV_TRY(add_node(edges, row_of_edge, sums, node, err));
        }
    }
    return TV_OK;
}

static int compare_edges(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_edge *edges = ctx;
    uint64_t key_a = key_of(&edges[a]);
    uint64_t key_b = key_of(&edges[b]);
    return (key_a > key_b) - (key_a < key_b);
}

/* The key of the map packs caller, callee and recursion into 64 bits, which bounds the number of
 * methods. */
enum tv_code tv_edges_compute(struct tv_edges *edges, const struct tv_sums *sums,
                              struct tv_error *err)
{
    struct tv_map row_of_edge;
    tv_edges_release(edges);
    if (sums->index->method_count >= MOST_METHODS)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "the trace has more than %u methods",
                       MOST_METHODS - 1);
    tv_map_init(&row_of_edge, edges->alloc);
    enum tv_code code = add_nodes(edges, &row_of_edge, sums, err);
    tv_map_release(&row_of_edge);
    if (code == TV_OK)
        code = tv_sort_rows(edges->alloc, edges->of, edges->count, sizeof(*edges->of),
                            compare_edges, edges->of, err);
    if (code != TV_OK)
        tv_edges_release(edges);
    return code;
}
