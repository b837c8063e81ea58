/* The growing calling context tree; see index/nodes.h. */
#include "index/nodes.h"

#include "base/alloc.h"
#include "base/error.h"

/* So many children are a ring that is searched; that is as fast as a hash map. */
#define LISTED_CHILDREN 16u
/* Room at first: a file may name very many threads that do very little. */
#define FIRST_NODES 4u
/* Ordinals stay below 2^31, so that they and adopting calls fit 32 bits together; room doubles. */
#define LARGEST_COUNT 0x40000000u

/* Keys of methods are multiples of 4. */
#define NO_KEY 1u

static TV_NOINLINE enum tv_code add_room(struct tv_nodes *nodes, uint64_t offset,
                                         struct tv_error *err)
{
    if (nodes->count >= LARGEST_COUNT)
        return tv_fail(err, TV_ERR_LIMIT, offset, "more than %u calling contexts on one thread",
                       LARGEST_COUNT);
    TV_TRY(tv_alloc_grow(nodes->alloc, &nodes->guesses, &nodes->guess_cap, nodes->count + 1,
                         sizeof(*nodes->guesses), err));
    return tv_alloc_grow(nodes->alloc, &nodes->at, &nodes->cap, nodes->count + 1,
                         sizeof(*nodes->at), err);
}

TV_MUST_CHECK TV_INLINE enum tv_code add_node(struct tv_nodes *nodes, uint32_t key, uint32_t parent,
                                              uint64_t offset, uint32_t *ordinal,
                                              struct tv_error *err)
{
    if (TV_UNLIKELY(nodes->count == nodes->cap))
        TV_TRY(add_room(nodes, offset, err));
    *ordinal = (uint32_t)nodes->count;
    nodes->guesses[nodes->count] = (struct tv_node_guess){.key = key};
    nodes->at[nodes->count++] = (struct tv_build_node){.parent = parent, .first_offset = offset};
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
    TV_TRY(add_node(nodes, NO_KEY, 0, 0, &ordinal, err));
    return add_node(nodes, NO_KEY, TV_FIRST_NODE, 0, &ordinal, err);
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
    TV_TRY(add_node(nodes, NO_KEY, (uint32_t)nodes->count, 0, root, err));
    nodes->guesses[*root].last_child = adopter;
    nodes->guesses[adopter].key = key;
    nodes->guesses[adopter].next_sibling = adopter;
    nodes->at[adopter].parent = *root;
    nodes->at[adopter].first_offset = offset;
    return TV_OK;
}

static uint64_t edge_of(uint32_t parent, uint32_t key)
{
    return (uint64_t)parent << 32 | key;
}

/* Takes the ring that `child` is in apart. */
static enum tv_code hash_ring(struct tv_nodes *nodes, uint32_t parent, uint32_t child,
                              struct tv_error *err)
{
    while (nodes->guesses[child].next_sibling) {
        uint32_t next = nodes->guesses[child].next_sibling;
        TV_TRY(tv_map_put(&nodes->hashed, edge_of(parent, nodes->guesses[child].key), child, err));
        nodes->guesses[child].next_sibling = 0;
        child = next;
    }
    return TV_OK;
}

/* A child of `parent`, which has none of that key; `last` is one of its children or 0. */
static enum tv_code add_child(struct tv_nodes *nodes, uint32_t parent, uint32_t key,
                              uint64_t offset, uint32_t last, uint32_t *child, struct tv_error *err)
{
    TV_TRY(add_node(nodes, key, parent, offset, child, err));
    struct tv_node_guess *guesses = nodes->guesses;
    if (!last) {
        guesses[*child].next_sibling = *child;
        guesses[parent].last_child = *child;
    } else if (guesses[last].next_sibling) {
        guesses[*child].next_sibling = guesses[last].next_sibling;
        guesses[last].next_sibling = *child;
    } else {
        return tv_map_put(&nodes->hashed, edge_of(parent, key), *child, err);
    }
    return TV_OK;
}

/* The child of `parent` for `key`, 0 for none. *others counts those that were looked at. */
TV_INLINE uint32_t search_children(const struct tv_nodes *nodes, uint32_t parent, uint32_t key,
                                   unsigned *others)
{
    const struct tv_node_guess *guesses = nodes->guesses;
    const uint32_t last = guesses[parent].last_child;
    *others = 0;
    if (!last)
        return 0;
    if (!guesses[last].next_sibling) {
        uint32_t found = tv_map_get(&nodes->hashed, edge_of(parent, key));
        return found == TV_MAP_NONE ? 0 : found;
    }
    uint32_t child = last;
    do {
        child = guesses[child].next_sibling;
        if (guesses[child].key == key)
            return child;
        ++*others;
    } while (child != last);
    return 0;
}

enum tv_code tv_nodes_find_child(struct tv_nodes *nodes, uint32_t parent, uint32_t key,
                                 uint64_t offset, uint32_t *child, struct tv_error *err)
{
    unsigned others;
    const uint32_t last = nodes->guesses[parent].last_child;
    *child = search_children(nodes, parent, key, &others);
    if (!*child) {
        if (others >= LISTED_CHILDREN)
            TV_TRY(hash_ring(nodes, parent, last, err));
        TV_TRY(add_child(nodes, parent, key, offset, last, child, err));
    }
    if (last) /* node 0 has no successor: it is not a child of this parent */
        nodes->guesses[last].successor = *child;
    nodes->guesses[parent].last_child = *child;
    return TV_OK;
}

/* Brings in what searching for node i of `from` looks at, step by step as it comes nearer. */
TV_INLINE void look_ahead(const struct tv_nodes *nodes, const struct tv_nodes *from,
                          const uint32_t *node_of, size_t known, size_t i)
{
    const struct tv_node_guess *guesses = nodes->guesses;
    if (i + 24 >= from->count)
        return;
    uint32_t far = node_of[from->at[i + 24].parent];
    uint32_t near = node_of[from->at[i + 16].parent];
    uint32_t next = node_of[from->at[i + 8].parent];
    if (far < known)
        __builtin_prefetch(&guesses[far]);
    if (near < known)
        __builtin_prefetch(&guesses[guesses[near].last_child]);
    if (next < known)
        __builtin_prefetch(&guesses[guesses[guesses[next].last_child].next_sibling]);
}

enum tv_code tv_nodes_graft(struct tv_nodes *nodes, const struct tv_nodes *from, uint32_t *node_of,
                            struct tv_error *err)
{
    const size_t known = nodes->count; /* nodes from here on have no children but those of `from` */
    node_of[TV_FIRST_NODE] = TV_FIRST_NODE;
    for (size_t i = TV_FIRST_NODE + 1; i < from->count; i++) {
        uint32_t parent = node_of[from->at[i].parent];
        uint32_t key = from->guesses[i].key;
        unsigned others = 0;
        look_ahead(nodes, from, node_of, known, i);
        uint32_t node = parent < known ? search_children(nodes, parent, key, &others) : 0;
        uint32_t last = nodes->guesses[parent].last_child;
        if (others >= LISTED_CHILDREN)
            TV_TRY(hash_ring(nodes, parent, last, err));
        if (!node)
            TV_TRY(add_child(nodes, parent, key, from->at[i].first_offset, last, &node, err));
        node_of[i] = node;
    }
    return TV_OK;
}
