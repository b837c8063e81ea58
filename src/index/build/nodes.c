/*
 * The growing context tree; see index/build/nodes.h.
 *
 * The children of a node stand, by their number, in the node itself (one), then in a list of one,
 * two or four units of four, then in the hash map. A full list moves to one of twice its length,
 * and the old one is kept for another node.
 */
#include "index/build/nodes.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* Units of the longest list; a node with more children has them in the hash map. */
#define LONGEST_LIST 4u
#define LANES 4u /* children in a unit: the lanes of a vector */
/* Nodes that a tree has room for at first: node 0, the root and one child. A file may name very
 * many threads that make one call each. */
#define FIRST_ROOM 3u
/* Nodes that room is made for at least when a tree grows. */
#define ROOM_AT_ONCE 2u
/* The place of a list in siblings must fit 30 bits (tv_node.others). There are fewer units than
 * nodes, so this bound on nodes is enough. */
#define LARGEST_COUNT 0x40000000u

/* A key of no method: keys are multiples of 4. */
#define NO_KEY 1u

/* Like tv_alloc_grow, but by a quarter: trees are large blocks, and the program's allocator moves
 * the pages of a large block and does not copy them, so growing often costs little. */
static enum tv_code grow(const struct tv_nodes *nodes, void *pointer, size_t *cap, size_t need,
                         size_t elem_len, struct tv_error *err)
{
    size_t new_cap = *cap + *cap / 4;
    size_t len;
    void *old;
    if (need <= *cap)
        return TV_OK;
    new_cap = new_cap < need ? need : new_cap;
    if (!tv_size_mul(new_cap, elem_len, &len))
        return tv_fail_memory(err, UINT64_MAX);
    memcpy(&old, pointer, sizeof(old));
    void *block = nodes->alloc->resize(nodes->alloc->ctx, old, *cap * elem_len, len);
    if (!block)
        return tv_fail_memory(err, len);
    memcpy(pointer, &block, sizeof(block));
    *cap = new_cap;
    return TV_OK;
}

/* Makes room for more nodes. */
static TV_NOINLINE enum tv_code add_room(struct tv_nodes *nodes, uint64_t offset,
                                         struct tv_error *err)
{
    if (nodes->count >= LARGEST_COUNT)
        return tv_fail(err, TV_ERR_LIMIT, offset, "more than %u calling contexts on one thread",
                       LARGEST_COUNT);
    size_t need = nodes->count ? nodes->count + ROOM_AT_ONCE : FIRST_ROOM;
    TV_TRY(grow(nodes, &nodes->at, &nodes->at_cap, need, sizeof(*nodes->at), err));
    TV_TRY(grow(nodes, &nodes->parent, &nodes->parent_cap, need, sizeof(*nodes->parent), err));
    TV_TRY(grow(nodes, &nodes->keys, &nodes->key_cap, need, sizeof(*nodes->keys), err));
    nodes->cap = nodes->at_cap; /* the three have grown alike */
    return TV_OK;
}

/* Adds a node without children; its parent does not know it yet. */
TV_MUST_CHECK TV_INLINE enum tv_code add_node(struct tv_nodes *nodes, uint32_t key, uint32_t parent,
                                              uint64_t offset, uint32_t *ordinal,
                                              struct tv_error *err)
{
    if (TV_UNLIKELY(nodes->count == nodes->cap))
        TV_TRY(add_room(nodes, offset, err));
    *ordinal = (uint32_t)nodes->count;
    nodes->at[nodes->count] = (struct tv_node){.first_key = NO_KEY};
    nodes->keys[nodes->count] = key;
    nodes->parent[nodes->count] = parent;
    nodes->count++;
    return TV_OK;
}

enum tv_code tv_nodes_init(struct tv_nodes *nodes, const struct tv_alloc *alloc,
                           struct tv_error *err)
{
    uint32_t ordinal;
    *nodes = (struct tv_nodes){.alloc = alloc};
    TV_TRY(add_node(nodes, NO_KEY, 0, 0, &ordinal, err)); /* number 0, which is no node */
    return add_node(nodes, NO_KEY, TV_FIRST_NODE, 0, &ordinal, err);
}

/* Releases what finds the children of nodes. */
static void release_children(struct tv_nodes *nodes)
{
    tv_alloc_release(nodes->alloc, &nodes->at, nodes->at_cap, sizeof(*nodes->at));
    tv_alloc_release(nodes->alloc, &nodes->siblings, nodes->sibling_cap, sizeof(*nodes->siblings));
    nodes->at = NULL;
    nodes->siblings = NULL;
    nodes->at_cap = nodes->sibling_cap = 0;
    if (nodes->hashed)
        tv_map_release(nodes->hashed);
    tv_alloc_release(nodes->alloc, &nodes->hashed, 1, sizeof(*nodes->hashed));
    nodes->hashed = NULL;
}

void tv_nodes_drop_keys(struct tv_nodes *nodes)
{
    tv_alloc_release(nodes->alloc, &nodes->keys, nodes->key_cap, sizeof(*nodes->keys));
    nodes->keys = NULL;
    nodes->key_cap = 0;
}

void tv_nodes_release(struct tv_nodes *nodes)
{
    if (!nodes->alloc)
        return;
    release_children(nodes);
    tv_nodes_drop_keys(nodes);
    tv_alloc_release(nodes->alloc, &nodes->parent, nodes->parent_cap, sizeof(*nodes->parent));
    tv_alloc_release(nodes->alloc, &nodes->sums, nodes->sum_cap, sizeof(*nodes->sums));
    tv_alloc_release(nodes->alloc, &nodes->methods, nodes->count, sizeof(*nodes->methods));
    *nodes = (struct tv_nodes){.alloc = NULL};
}

enum tv_code tv_nodes_make_methods(struct tv_nodes *nodes, struct tv_error *err)
{
    size_t cap = 0;
    return grow(nodes, &nodes->methods, &cap, nodes->count, sizeof(*nodes->methods), err);
}

void tv_nodes_finish(struct tv_nodes *nodes)
{
    const struct tv_alloc *alloc = nodes->alloc;
    release_children(nodes);
    tv_alloc_shrink(alloc, &nodes->keys, &nodes->key_cap, nodes->count, sizeof(*nodes->keys));
    tv_alloc_shrink(alloc, &nodes->parent, &nodes->parent_cap, nodes->count,
                    sizeof(*nodes->parent));
}

enum tv_code tv_nodes_adopt(struct tv_nodes *nodes, uint32_t *root, uint32_t key, uint64_t offset,
                            struct tv_error *err)
{
    uint32_t adopter = *root;
    TV_TRY(add_node(nodes, NO_KEY, (uint32_t)nodes->count, offset, root, err));
    nodes->at[*root].first_key = key;
    nodes->at[*root].first_child = adopter;
    nodes->keys[adopter] = key;
    nodes->parent[adopter] = *root;
    return TV_OK;
}

/* The key of a child in the hash map. */
static uint64_t edge_of(uint32_t parent, uint32_t key)
{
    return (uint64_t)parent << 32 | key;
}

/* Units of a list, which is given as in tv_node.others. */
static size_t list_len(uint32_t list)
{
    return (size_t)1 << ((list & 3) - 1);
}

/* A list of 1 << order units without a child: one to be used again, or a new one. */
static enum tv_code new_list(struct tv_nodes *nodes, unsigned order, uint32_t *list,
                             struct tv_error *err)
{
    static const struct tv_siblings none = {.key = {NO_KEY, NO_KEY, NO_KEY, NO_KEY}};
    const size_t len = (size_t)1 << order;
    *list = nodes->free_lists[order];
    if (*list) {
        nodes->free_lists[order] = nodes->siblings[*list >> 2].key[0];
    } else {
        TV_TRY(grow(nodes, &nodes->siblings, &nodes->sibling_cap, nodes->sibling_count + len,
                    sizeof(*nodes->siblings), err));
        *list = (uint32_t)nodes->sibling_count << 2 | (order + 1);
        nodes->sibling_count += len;
    }
    for (size_t i = 0; i < len; i++)
        nodes->siblings[(*list >> 2) + i] = none;
    return TV_OK;
}

/* Keeps a list to be used again. Its first key links it to the next free list of that length. */
static void free_list(struct tv_nodes *nodes, uint32_t list)
{
    nodes->siblings[list >> 2].key[0] = nodes->free_lists[(list & 3) - 1];
    nodes->free_lists[(list & 3) - 1] = list;
}

/* Moves the children of a full list of the longest kind to the hash map. */
static enum tv_code hash_list(struct tv_nodes *nodes, uint32_t parent, struct tv_error *err)
{
    const uint32_t list = nodes->at[parent].others;
    if (!nodes->hashed) {
        TV_TRY(tv_alloc_new(nodes->alloc, &nodes->hashed, 1, sizeof(*nodes->hashed), err));
        tv_map_init(nodes->hashed, nodes->alloc);
    }
    for (size_t i = 0; i < list_len(list) * LANES; i++) {
        const struct tv_siblings *unit = &nodes->siblings[(list >> 2) + i / LANES];
        TV_TRY(tv_map_put(nodes->hashed, edge_of(parent, unit->key[i % LANES]),
                          unit->node[i % LANES], err));
    }
    free_list(nodes, list);
    nodes->at[parent].others = TV_SIBLINGS_HASHED;
    return TV_OK;
}

/* Moves the children of a full list to one of twice its length. */
static enum tv_code double_list(struct tv_nodes *nodes, uint32_t parent, struct tv_error *err)
{
    const uint32_t list = nodes->at[parent].others;
    uint32_t longer;
    TV_TRY(new_list(nodes, list & 3, &longer, err));
    memcpy(&nodes->siblings[longer >> 2], &nodes->siblings[list >> 2],
           list_len(list) * sizeof(*nodes->siblings));
    free_list(nodes, list);
    nodes->at[parent].others = longer;
    return TV_OK;
}

/* Puts a child into the list; false where the list is full. */
static bool put_in_list(struct tv_nodes *nodes, uint32_t list, uint32_t key, uint32_t child)
{
    for (size_t i = 0; i < list_len(list) * LANES; i++) {
        struct tv_siblings *unit = &nodes->siblings[(list >> 2) + i / LANES];
        if (unit->key[i % LANES] != NO_KEY)
            continue;
        unit->key[i % LANES] = key;
        unit->node[i % LANES] = child;
        return true;
    }
    return false;
}

/* Adds a child of `parent`, which has none for the key. */
static enum tv_code add_child(struct tv_nodes *nodes, uint32_t parent, uint32_t key,
                              uint64_t offset, uint32_t *child, struct tv_error *err)
{
    TV_TRY(add_node(nodes, key, parent, offset, child, err));
    struct tv_node *node = &nodes->at[parent];
    if (!node->first_child) {
        node->first_key = key;
        node->first_child = *child;
        return TV_OK;
    }
    if (!node->others)
        TV_TRY(new_list(nodes, 0, &node->others, err));
    while (node->others != TV_SIBLINGS_HASHED) {
        if (put_in_list(nodes, node->others, key, *child))
            return TV_OK;
        if (list_len(node->others) < LONGEST_LIST)
            TV_TRY(double_list(nodes, parent, err));
        else
            TV_TRY(hash_list(nodes, parent, err));
    }
    return tv_map_put(nodes->hashed, edge_of(parent, key), *child, err);
}

/* The child of `parent` for `key`, wherever it stands; 0 for none. */
TV_INLINE uint32_t search_children(const struct tv_nodes *nodes, uint32_t parent, uint32_t key)
{
    const struct tv_node *node = &nodes->at[parent];
    if (node->first_key == key)
        return node->first_child;
    if (!node->others)
        return 0;
    if (TV_UNLIKELY(node->others == TV_SIBLINGS_HASHED)) {
        uint32_t found = tv_map_get(nodes->hashed, edge_of(parent, key));
        return found == TV_MAP_NONE ? 0 : found;
    }
    uint32_t child = 0;
    for (size_t i = 0; i < list_len(node->others) && !child; i++)
        child = tv_siblings_find(&nodes->siblings[(node->others >> 2) + i], key);
    return child;
}

enum tv_code tv_nodes_find_child(struct tv_nodes *nodes, uint32_t parent, uint32_t key,
                                 uint64_t offset, uint32_t *child, struct tv_error *err)
{
    *child = search_children(nodes, parent, key);
    return *child ? TV_OK : add_child(nodes, parent, key, offset, child, err);
}

/* Adds the sums of `from`. Nodes from `known` on are new, so their sums begin at 0. */
static enum tv_code add_sums(struct tv_nodes *nodes, const struct tv_nodes *from,
                             const uint32_t *node_of, size_t known, struct tv_error *err)
{
    TV_TRY(grow(nodes, &nodes->sums, &nodes->sum_cap, nodes->count, sizeof(*nodes->sums), err));
    memset(nodes->sums + known, 0, (nodes->count - known) * sizeof(*nodes->sums));
    for (size_t i = TV_FIRST_NODE; i < from->count; i++) {
        struct tv_node_sums *to = &nodes->sums[node_of[i]];
        to->calls += from->sums[i].calls;
        to->inclusive[0] += from->sums[i].inclusive[0];
        to->inclusive[1] += from->sums[i].inclusive[1];
    }
    return TV_OK;
}

enum tv_code tv_nodes_merge(struct tv_nodes *nodes, const struct tv_nodes *from, uint32_t *node_of,
                            struct tv_error *err)
{
    /* A node that `from` added has only the children that `from` added, and each of those once: so
     * below such a node nothing need be searched. */
    const size_t known = nodes->count;
    node_of[TV_FIRST_NODE] = TV_FIRST_NODE;
    for (size_t i = TV_FIRST_NODE + 1; i < from->count; i++) {
        uint32_t parent = node_of[from->parent[i]];
        uint32_t key = from->keys[i];
        uint32_t node = parent < known ? search_children(nodes, parent, key) : 0;
        if (!node)
            TV_TRY(add_child(nodes, parent, key, 0, &node, err));
        node_of[i] = node;
    }
    return from->sums ? add_sums(nodes, from, node_of, known, err) : TV_OK;
}

enum tv_code tv_nodes_make_sums(struct tv_nodes *nodes, struct tv_error *err)
{
    TV_TRY(tv_alloc_new(nodes->alloc, &nodes->sums, nodes->count, sizeof(*nodes->sums), err));
    nodes->sum_cap = nodes->count;
    return TV_OK;
}
