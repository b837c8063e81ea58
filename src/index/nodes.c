/* The growing calling context tree; see index/nodes.h. */
#include "index/nodes.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* So many children are a ring that is searched; that is as fast as a hash map. */
#define LISTED_CHILDREN 16u
/* Room at first, for none, the root and a child: a file may name very many threads that do very
 * little; and how much more is made room for at least. */
#define FIRST_ROOM 3u
#define ROOM_AT_ONCE 2u
/* Ordinals stay below 2^31, so that they and adopting calls fit 32 bits together. */
#define LARGEST_COUNT 0x40000000u

/* Keys of methods are multiples of 4. */
#define NO_KEY 1u

/* Grows by a quarter: a tree is one of few blocks that are large, and moves by its pages. */
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

static TV_NOINLINE enum tv_code add_room(struct tv_nodes *nodes, uint64_t offset,
                                         struct tv_error *err)
{
    if (nodes->count >= LARGEST_COUNT)
        return tv_fail(err, TV_ERR_LIMIT, offset, "more than %u calling contexts on one thread",
                       LARGEST_COUNT);
    size_t need = nodes->count ? nodes->count + ROOM_AT_ONCE : FIRST_ROOM;
    TV_TRY(grow(nodes, &nodes->guesses, &nodes->guess_cap, need, sizeof(*nodes->guesses), err));
    TV_TRY(grow(nodes, &nodes->parent, &nodes->parent_cap, need, sizeof(*nodes->parent), err));
    if (nodes->has_offsets)
        TV_TRY(grow(nodes, &nodes->first_offset, &nodes->offset_cap, need,
                    sizeof(*nodes->first_offset), err));
    nodes->cap = nodes->guess_cap < nodes->parent_cap ? nodes->guess_cap : nodes->parent_cap;
    if (nodes->has_offsets && nodes->offset_cap < nodes->cap)
        nodes->cap = nodes->offset_cap;
    return TV_OK;
}

TV_MUST_CHECK TV_INLINE enum tv_code add_node(struct tv_nodes *nodes, uint32_t key, uint32_t parent,
                                              uint64_t offset, uint32_t *ordinal,
                                              struct tv_error *err)
{
    if (TV_UNLIKELY(nodes->count == nodes->cap))
        TV_TRY(add_room(nodes, offset, err));
    *ordinal = (uint32_t)nodes->count;
    nodes->guesses[nodes->count] = (struct tv_node_guess){.key = key};
    nodes->parent[nodes->count] = parent;
    if (nodes->has_offsets)
        nodes->first_offset[nodes->count] = offset;
    nodes->count++;
    return TV_OK;
}

enum tv_code tv_nodes_init(struct tv_nodes *nodes, const struct tv_alloc *alloc, bool has_offsets,
                           struct tv_error *err)
{
    uint32_t ordinal;
    *nodes = (struct tv_nodes){.alloc = alloc, .has_offsets = has_offsets};
    TV_TRY(add_node(nodes, NO_KEY, 0, 0, &ordinal, err));
    return add_node(nodes, NO_KEY, TV_FIRST_NODE, 0, &ordinal, err);
}

static void release_guesses(struct tv_nodes *nodes)
{
    tv_alloc_free(nodes->alloc, nodes->guesses, nodes->guess_cap, sizeof(*nodes->guesses));
    nodes->guesses = NULL;
    nodes->guess_cap = 0;
    if (nodes->hashed)
        tv_map_release(nodes->hashed);
    tv_alloc_free(nodes->alloc, nodes->hashed, 1, sizeof(*nodes->hashed));
    nodes->hashed = NULL;
}

void tv_nodes_drop_keys(struct tv_nodes *nodes)
{
    release_guesses(nodes);
    tv_alloc_free(nodes->alloc, nodes->first_offset, nodes->offset_cap,
                  sizeof(*nodes->first_offset));
    tv_alloc_free(nodes->alloc, nodes->keys, nodes->key_cap, sizeof(*nodes->keys));
    nodes->first_offset = NULL;
    nodes->keys = NULL;
    nodes->offset_cap = nodes->key_cap = 0;
}

void tv_nodes_release(struct tv_nodes *nodes)
{
    if (!nodes->alloc)
        return;
    tv_nodes_drop_keys(nodes);
    tv_alloc_free(nodes->alloc, nodes->parent, nodes->parent_cap, sizeof(*nodes->parent));
    tv_alloc_free(nodes->alloc, nodes->sums, nodes->sum_cap, sizeof(*nodes->sums));
    tv_alloc_free(nodes->alloc, nodes->methods, nodes->count, sizeof(*nodes->methods));
    *nodes = (struct tv_nodes){.alloc = NULL};
}

enum tv_code tv_nodes_make_methods(struct tv_nodes *nodes, struct tv_error *err)
{
    size_t cap = 0;
    return grow(nodes, &nodes->methods, &cap, nodes->count, sizeof(*nodes->methods), err);
}

/* Keys move together in the block of guesses, whose rest is given back. */
void tv_nodes_finish(struct tv_nodes *nodes)
{
    const struct tv_alloc *alloc = nodes->alloc;
    const size_t ratio = sizeof(*nodes->guesses) / sizeof(*nodes->keys);
    char *block = (char *)nodes->guesses;
    for (size_t i = 0; i < nodes->count; i++) {
        uint32_t key = nodes->guesses[i].key;
        memcpy(block + i * sizeof(key), &key, sizeof(key));
    }
    nodes->keys = (uint32_t *)(void *)block;
    nodes->key_cap = nodes->guess_cap * ratio;
    nodes->guesses = NULL; /* not released: they are the keys now */
    release_guesses(nodes);
    tv_alloc_shrink(alloc, &nodes->keys, &nodes->key_cap, nodes->count, sizeof(*nodes->keys));
    tv_alloc_shrink(alloc, &nodes->parent, &nodes->parent_cap, nodes->count,
                    sizeof(*nodes->parent));
    if (nodes->has_offsets)
        tv_alloc_shrink(alloc, &nodes->first_offset, &nodes->offset_cap, nodes->count,
                        sizeof(*nodes->first_offset));
}

enum tv_code tv_nodes_adopt(struct tv_nodes *nodes, uint32_t *root, uint32_t key, uint64_t offset,
                            struct tv_error *err)
{
    uint32_t adopter = *root;
    TV_TRY(add_node(nodes, NO_KEY, (uint32_t)nodes->count, 0, root, err));
    nodes->guesses[*root].last_child = adopter;
    nodes->guesses[adopter].key = key;
    nodes->guesses[adopter].next_sibling = adopter;
    nodes->parent[adopter] = *root;
    if (nodes->has_offsets)
        nodes->first_offset[adopter] = offset;
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
    if (!nodes->hashed) {
        TV_TRY(tv_alloc_new(nodes->alloc, &nodes->hashed, 1, sizeof(*nodes->hashed), err));
        tv_map_init(nodes->hashed, nodes->alloc);
    }
    while (nodes->guesses[child].next_sibling) {
        uint32_t next = nodes->guesses[child].next_sibling;
        TV_TRY(tv_map_put(nodes->hashed, edge_of(parent, nodes->guesses[child].key), child, err));
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
        return tv_map_put(nodes->hashed, edge_of(parent, key), *child, err);
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
        uint32_t found = tv_map_get(nodes->hashed, edge_of(parent, key));
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

enum tv_code tv_nodes_graft(struct tv_nodes *nodes, const struct tv_nodes *from, uint32_t *node_of,
                            struct tv_error *err)
{
    const size_t known = nodes->count; /* nodes from here on have no children but those of `from` */
    node_of[TV_FIRST_NODE] = TV_FIRST_NODE;
    for (size_t i = TV_FIRST_NODE + 1; i < from->count; i++) {
        uint32_t parent = node_of[from->parent[i]];
        uint32_t key = from->guesses[i].key;
        unsigned others = 0;
        uint32_t node = parent < known ? search_children(nodes, parent, key, &others) : 0;
        uint32_t last = nodes->guesses[parent].last_child;
        if (others >= LISTED_CHILDREN)
            TV_TRY(hash_ring(nodes, parent, last, err));
        if (!node)
            TV_TRY(add_child(nodes, parent, key, 0, last, &node, err));
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
