/*
 * The calling context tree of one thread while it grows: nodes by ordinal, each with its first
 * child beside it and a list of the others, which become a hash map once they are many.
 *
 * A method is its key (format/trace.h) until the trace's tables are complete. The root stands for
 * "no call"; it is its own parent. An exit without an enter makes the root an ordinary node, the
 * call that adopted everything before it, below a new root (tv_nodes_adopt).
 *
 * What waits for memory is finding a child, so that looks at as little as it can. The child that a
 * node called first is mostly the one that it calls most; four others stand in half a line of the
 * cache, with their keys first, and are compared at once.
 */
#ifndef TV_INDEX_BUILD_NODES_H
#define TV_INDEX_BUILD_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/map.h"

/* What finding a child looks at. Node 0 is none. */
struct tv_node {
    uint32_t first_key;   /* of its first child; of no method if it has none */
    uint32_t first_child; /* 0: none */
    uint32_t others;      /* its other children: TV_SIBLINGS_HASHED, or where in siblings their list
                             begins << 2 | (1 + the logarithm of its length); 0: none */
};

/* Children of one node; free places have the key of no method, and node 0. */
struct tv_siblings {
    tv_u32x4 key;
    tv_u32x4 node;
};

#define TV_SIBLINGS_HASHED UINT32_MAX

/* What the calls of a node add up to, where 32 bits will do. */
struct tv_node_sums {
    uint32_t calls;
    uint32_t inclusive[2]; /* by clock */
};

struct tv_nodes {
    const struct tv_alloc *alloc;
    uint32_t *parent; /* the root is its own parent */
    uint32_t *keys;
    struct tv_node *at;           /* until tv_nodes_finish, as are siblings and hashed */
    struct tv_siblings *siblings; /* lists of 1, 2 or 4 that stand together */
    struct tv_node_sums *sums;    /* NULL until somebody has counted */
    size_t count;
    size_t cap; /* of all that stand beside each other while they grow; then of each */
    size_t parent_cap, key_cap, at_cap, sum_cap;
    size_t sibling_count, sibling_cap;
    uint32_t free_lists[3]; /* of siblings, by the logarithm of their length; 0: none */
    struct tv_map *hashed;  /* (parent << 32 | key) -> node, for parents with many children */
    uint32_t *methods;      /* in the place of keys, once tv_nodes_drop_keys was called */
};

/* Nodes before the first: ordinal 0 is none. */
#define TV_FIRST_NODE 1u
/* The first that a call can have. */
#define TV_FIRST_CHILD (TV_FIRST_NODE + 1u)

/* One root, TV_FIRST_NODE. On failure release is safe. */
enum tv_code tv_nodes_init(struct tv_nodes *nodes, const struct tv_alloc *alloc,
                           struct tv_error *err) TV_MUST_CHECK;
void tv_nodes_release(struct tv_nodes *nodes);
/* The root becomes the node of `key` below a new root, whose ordinal replaces *root. */
enum tv_code tv_nodes_adopt(struct tv_nodes *nodes, uint32_t *root, uint32_t key, uint64_t offset,
                            struct tv_error *err) TV_MUST_CHECK;
/*
 * Adds what `from`, the tree of later calls of the thread, has beyond this one, in the order of its
 * nodes, and its sums where it has some: node_of[i] is then this tree's node for node i of `from`,
 * whose root is TV_FIRST_NODE.
 */
enum tv_code tv_nodes_merge(struct tv_nodes *nodes, const struct tv_nodes *from, uint32_t *node_of,
                            struct tv_error *err) TV_MUST_CHECK;
/* Sums of 0 for all nodes; no more are added but by tv_nodes_merge. */
enum tv_code tv_nodes_make_sums(struct tv_nodes *nodes, struct tv_error *err) TV_MUST_CHECK;
/* No child will be asked for any more: gives back what only growing needs. */
void tv_nodes_finish(struct tv_nodes *nodes);
/* tv_nodes_child where tv_nodes_near_child found none. */
enum tv_code tv_nodes_find_child(struct tv_nodes *nodes, uint32_t parent, uint32_t key,
                                 uint64_t offset, uint32_t *child,
                                 struct tv_error *err) TV_MUST_CHECK;

/* Room for methods, which is not cleared; and with these set, gives back what made them out. */
enum tv_code tv_nodes_make_methods(struct tv_nodes *nodes, struct tv_error *err) TV_MUST_CHECK;
void tv_nodes_drop_keys(struct tv_nodes *nodes);

/* The one of that key, else 0. */
TV_INLINE uint32_t tv_siblings_find(const struct tv_siblings *siblings, uint32_t key)
{
    const tv_u32x4 keys = {key, key, key, key};
    const tv_u32x4 found = (tv_u32x4)(siblings->key == keys) & siblings->node;
    const tv_u32x4 halves = found | TV_LANES(found, found, 2, 3, 0, 1);
    return halves[0] | halves[1];
}

/* The child of `parent` for `key` if it is its first or one of the next four, else 0. */
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

/* The child of `parent` for `key`, made if need be; offset is that of the record that asks. */
TV_MUST_CHECK TV_INLINE enum tv_code tv_nodes_child(struct tv_nodes *nodes, uint32_t parent,
                                                    uint32_t key, uint64_t offset, uint32_t *child,
                                                    struct tv_error *err)
{
    uint32_t likely = tv_nodes_near_child(nodes->at, nodes->siblings, parent, key);
    if (TV_LIKELY(likely)) {
        *child = likely;
        return TV_OK;
    }
    uint32_t found = 0; /* so that child may stay in a register of the caller */
    enum tv_code code = tv_nodes_find_child(nodes, parent, key, offset, &found, err);
    *child = found;
    return code;
}

#endif
