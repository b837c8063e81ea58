/*
 * The context tree of one thread while it grows.
 *
 * Nodes are numbered from 1 in the order in which they are made; number 0 is no node. The root
 * stands for "no call", and is its own parent. A node knows its method by its key (format/trace.h)
 * until the tables of the trace are complete.
 *
 * A parent has a lower number than its children, but for adopting calls: an exit without an enter
 * makes the root the node of an adopting call, below a new root (tv_nodes_adopt). So no node has to
 * move.
 *
 * Finding the child of a node for a key is what building waits for most, since trees are larger
 * than the cache. So a search touches as little memory as it can: the first child of a node, which
 * is mostly the one that is called most, stands in the node itself. The others stand in a list of
 * units of four, half a line of the cache each, and the four keys are compared at once. Where the
 * list becomes long, its children move to a hash map that all nodes of the tree share.
 */
#ifndef TV_INDEX_BUILD_NODES_H
#define TV_INDEX_BUILD_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/map.h"

/* What a search for a child reads. */
struct tv_node {
    uint32_t first_key;   /* of its first child; a key of no method where it has none */
    uint32_t first_child; /* 0: none */
    /* Its other children: 0 for none; TV_SIBLINGS_HASHED; or the place of the first unit of their
     * list in siblings, shifted left by 2, with 1 + log2(units of the list) in the low two bits. */
    uint32_t others;
};

/* A unit of a list: four children of one node. A free place has a key of no method, and node 0. */
struct tv_siblings {
    tv_u32x4 key;
    tv_u32x4 node;
};

#define TV_SIBLINGS_HASHED UINT32_MAX

/* What the calls of a node add up to; used only where 32 bits are enough. */
struct tv_node_sums {
    uint32_t calls;
    uint32_t inclusive[2]; /* by clock */
};

struct tv_nodes {
    const struct tv_alloc *alloc;
    uint32_t *parent; /* by node, like keys, at, sums and methods; the root is its own parent */
    uint32_t *keys;
    struct tv_node *at;           /* released by tv_nodes_finish, with siblings and hashed */
    struct tv_siblings *siblings; /* lists of 1, 2 or 4 units */
    struct tv_node_sums *sums;    /* NULL where calls are not added up in the tree */
    size_t count;                 /* nodes, number 0 included */
    size_t cap; /* room in parent, keys and at, which grow together until tv_nodes_finish */
    size_t parent_cap, key_cap, at_cap, sum_cap;
    size_t sibling_count, sibling_cap;
    uint32_t free_lists[3]; /* lists to be used again, by log2 of their units; 0: none */
    struct tv_map *hashed;  /* (parent << 32 | key) -> node, for parents with many children */
    uint32_t *methods;      /* ordinals of methods, which take the place of keys */
};

/* The first node; the root of a tree without adopting calls. */
#define TV_FIRST_NODE 1u
/* The first node that a call can have in a tree without adopting calls. */
#define TV_FIRST_CHILD (TV_FIRST_NODE + 1u)

/* A tree with a root, TV_FIRST_NODE, and no other node. On failure release is safe. */
enum tv_code tv_nodes_init(struct tv_nodes *nodes, const struct tv_alloc *alloc,
                           struct tv_error *err) TV_MUST_CHECK;
void tv_nodes_release(struct tv_nodes *nodes);
/* Makes the root the node of `key`, below a new root that replaces *root. offset is that of the
 * record, for the error. */
enum tv_code tv_nodes_adopt(struct tv_nodes *nodes, uint32_t *root, uint32_t key, uint64_t offset,
                            struct tv_error *err) TV_MUST_CHECK;
/*
 * Merges `from`, the tree of later calls of the same thread, into this one: adds the nodes that
 * only `from` has, in their order, and adds the sums of `from` where it has sums. node_of gets, for
 * each node of `from`, the node of this tree. Both roots are TV_FIRST_NODE.
 */
enum tv_code tv_nodes_merge(struct tv_nodes *nodes, const struct tv_nodes *from, uint32_t *node_of,
                            struct tv_error *err) TV_MUST_CHECK;
/* Gives every node sums of 0. Afterwards only tv_nodes_merge may add nodes. */
enum tv_code tv_nodes_make_sums(struct tv_nodes *nodes, struct tv_error *err) TV_MUST_CHECK;
/* Releases what only the search for children needs; no node can be added afterwards. */
void tv_nodes_finish(struct tv_nodes *nodes);
/* The rest of tv_nodes_child, where tv_nodes_near_child has found nothing. */
enum tv_code tv_nodes_find_child(struct tv_nodes *nodes, uint32_t parent, uint32_t key,
                                 uint64_t offset, uint32_t *child,
                                 struct tv_error *err) TV_MUST_CHECK;

/* Make room for methods, which is not cleared; and, when methods are set, release the keys. */
enum tv_code tv_nodes_make_methods(struct tv_nodes *nodes, struct tv_error *err) TV_MUST_CHECK;
void tv_nodes_drop_keys(struct tv_nodes *nodes);

/* The child of a unit for `key`, else 0. */
TV_INLINE uint32_t tv_siblings_find(const struct tv_siblings *siblings, uint32_t key)
{
    const tv_u32x4 keys = {key, key, key, key};
    const tv_u32x4 found = (tv_u32x4)(siblings->key == keys) & siblings->node;
    const tv_u32x4 halves = found | TV_LANES(found, found, 2, 3, 0, 1);
    return halves[0] | halves[1];
}

/* The child of `parent` for `key` where it is the first child or in the first unit of the list,
 * else 0. The caller loads `at` and `siblings` once, as they move only when a node is added. */
TV_INLINE uint32_t tv_nodes_near_child(const struct tv_node *at, const struct tv_siblings *siblings,
                                       uint32_t parent, uint32_t key)
{
    const struct tv_node *node = &at[parent];
    if (node->first_key == key)
        return node->first_child;
    if (!node->others || node->others == TV_SIBLINGS_HASHED)
        return 0;
    return tv_siblings_find(&siblings[node->others >> 2], key);
}

/* The child of `parent` for `key`, which is added where there is none. offset is that of the
 * record, for the error. */
TV_MUST_CHECK TV_INLINE enum tv_code tv_nodes_child(struct tv_nodes *nodes, uint32_t parent,
                                                    uint32_t key, uint64_t offset, uint32_t *child,
                                                    struct tv_error *err)
{
    uint32_t likely = tv_nodes_near_child(nodes->at, nodes->siblings, parent, key);
    if (TV_LIKELY(likely)) {
        *child = likely;
        return TV_OK;
    }
    uint32_t found = 0; /* its address is taken, so that *child can stay in a register */
    enum tv_code code = tv_nodes_find_child(nodes, parent, key, offset, &found, err);
    *child = found;
    return code;
}

#endif
