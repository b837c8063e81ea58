/* The growing calling context tree; see index/nodes.h. */
#include "index/nodes.h"

#include "base/alloc.h"
#include "base/error.h"

/* Children up to here are a list that is searched; a list of 16 is as fast as a hash map. */
#define LISTED_CHILDREN 16u
/* Room at first: a file may name very many threads that do very little. */
#define FIRST_NODES 4u
/* Ordinals stay below 2^31, so that they and adopting calls fit 32 bits together. */
#define LARGEST_COUNT 0x7fffffffu

/* Keys of methods are multiples of 4. */
#define NO_KEY 1u

static enum tv_code add_node(struct tv_nodes *nodes, uint32_t key, struct tv_build_node node,
                             uint32_t *ordinal, struct tv_error *err)
{
    if (nodes->count >= LARGEST_COUNT)
        return tv_fail(err, TV_ERR_LIMIT, node.first_offset,
                       "more than %u calling contexts on one thread", LARGEST_COUNT);
    TV_TRY(tv_alloc_grow(nodes->alloc, &nodes->at, &nodes->cap, nodes->count + 1,
                         sizeof(*nodes->at), err));
    TV_TRY(tv_alloc_grow(nodes->alloc, &nodes->guesses, &nodes->guess_cap, nodes->count + 1,
                         sizeof(*nodes->guesses), err));
    *ordinal = (uint32_t)nodes->count;
    nodes->guesses[nodes->count] = (struct tv_node_guess){.key = key};
    nodes->at[nodes->count++] = node;
    return TV_OK;
}

enum tv_code tv_nodes_init(struct tv_nodes *nodes, const struct tv_alloc *alloc,
                           struct tv_error *err)
{
    uint32_t ordinal;
    *nodes = (struct tv_nodes){.alloc = alloc, .at = NULL, .count = 0, .cap = 0};
    tv_map_init(&nodes->hashed, alloc);
    TV_TRY(tv_alloc_new(alloc, &nodes->at, FIRST_NODES, sizeof(*nodes->at), err));
    nodes->cap = FIRST_NODES;
    TV_TRY(tv_alloc_new(alloc, &nodes->guesses, FIRST_NODES, sizeof(*nodes->guesses), err));
    nodes->guess_cap = FIRST_NODES;
    TV_TRY(add_node(nodes, NO_KEY, (struct tv_build_node){.parent = 0}, &ordinal, err));
    return add_node(nodes, NO_KEY, (struct tv_build_node){.parent = TV_FIRST_NODE}, &ordinal, err);
}

void tv_nodes_release(struct tv_nodes *nodes)
{
    if (!nodes->alloc)
        return;
    tv_alloc_free(nodes->alloc, nodes->at, nodes->cap, sizeof(*nodes->at));
    tv_alloc_free(nodes->alloc, nodes->guesses, nodes->guess_cap, sizeof(*nodes->guesses));
    tv_map_release(&nodes->hashed);
    *nodes = (struct tv_nodes){.alloc = NULL};
}

void tv_nodes_finish(struct tv_nodes *nodes)
{
    for (size_t i = 0; i < nodes->count; i++)
        nodes->at[i].key = nodes->guesses[i].key;
    tv_alloc_free(nodes->alloc, nodes->guesses, nodes->guess_cap, sizeof(*nodes->guesses));
    nodes->guesses = NULL;
    nodes->guess_cap = 0;
    tv_alloc_shrink(nodes->alloc, &nodes->at, &nodes->cap, nodes->count, sizeof(*nodes->at));
    tv_map_release(&nodes->hashed);
}

enum tv_code tv_nodes_adopt(struct tv_nodes *nodes, uint32_t *root, uint32_t key, uint64_t offset,
                            struct tv_error *err)
{
    uint32_t adopter = *root;
    struct tv_build_node node = {
        .parent = (uint32_t)nodes->count, .first_child = adopter, .child_count = 1};
    TV_TRY(add_node(nodes, NO_KEY, node, root, err));
    struct tv_build_node *adopted = &nodes->at[adopter];
    nodes->guesses[adopter].key = key;
    adopted->parent = *root;
    nodes->guesses[adopter].next_sibling = 0;
    adopted->first_offset = offset;
    return TV_OK;
}

static uint64_t edge_of(uint32_t parent, uint32_t key)
{
    return (uint64_t)parent << 32 | key;
}

static enum tv_code hash_children(struct tv_nodes *nodes, uint32_t parent, struct tv_error *err)
{
    for (uint32_t child = nodes->at[parent].first_child; child;
         child = nodes->guesses[child].next_sibling)
        TV_TRY(tv_map_put(&nodes->hashed, edge_of(parent, nodes->guesses[child].key), child, err));
    return TV_OK;
}

static enum tv_code add_child(struct tv_nodes *nodes, uint32_t parent, uint32_t key,
                              uint64_t offset, uint32_t *child, struct tv_error *err)
{
    struct tv_build_node node = {.parent = parent, .first_offset = offset};
    TV_TRY(add_node(nodes, key, node, child, err));
    nodes->guesses[*child].next_sibling = nodes->at[parent].first_child;
    nodes->at[parent].first_child = *child;
    nodes->at[parent].child_count++;
    if (nodes->at[parent].child_count == LISTED_CHILDREN + 1)
        return hash_children(nodes, parent, err);
    return TV_OK;
}

static uint32_t find_listed(const struct tv_nodes *nodes, uint32_t parent, uint32_t key)
{
    uint32_t child = nodes->at[parent].first_child;
    while (child && nodes->guesses[child].key != key)
        child = nodes->guesses[child].next_sibling;
    return child;
}

static enum tv_code find_hashed(struct tv_nodes *nodes, uint32_t parent, uint32_t key,
                                uint64_t offset, uint32_t *child, struct tv_error *err)
{
    uint32_t *slot;
    TV_TRY(tv_map_slot(&nodes->hashed, edge_of(parent, key), 0, &slot, err));
    if (!*slot) {
        struct tv_build_node node = {.parent = parent, .first_offset = offset};
        TV_TRY(add_node(nodes, key, node, slot, err));
        nodes->at[parent].child_count++;
    }
    *child = *slot;
    return TV_OK;
}

enum tv_code tv_nodes_find_child(struct tv_nodes *nodes, uint32_t parent, uint32_t key,
                                 uint64_t offset, uint32_t *child, struct tv_error *err)
{
    if (nodes->at[parent].child_count > LISTED_CHILDREN) {
        TV_TRY(find_hashed(nodes, parent, key, offset, child, err));
    } else {
        *child = find_listed(nodes, parent, key);
        if (!*child)
            TV_TRY(add_child(nodes, parent, key, offset, child, err));
    }
    struct tv_node_guess *guesses = nodes->guesses;
    uint32_t last = guesses[parent].last_child;
    if (last) /* node 0 has no successor: it is not a child of this parent */
        guesses[last].successor = *child;
    guesses[parent].last_child = *child;
    return TV_OK;
}
