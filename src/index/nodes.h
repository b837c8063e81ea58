/*
 * The calling context tree of one thread while it grows: nodes by ordinal, children in a short
 * ring, and in a hash map once a node has many.
 *
 * A method is its key (format/trace.h) until the trace's tables are complete. The root stands for
 * "no call"; it is its own parent. An exit without an enter makes the root an ordinary node, the
 * call that adopted everything before it, below a new root (tv_nodes_adopt).
 *
 * Nine calls in ten are of the child that followed the child before it the last time, or of the
 * same child again; what tells so, and what a search through the ring of children looks at, stands
 * apart, four nodes to a cache line. A search begins behind the child that was asked for last.
 */
#ifndef TV_INDEX_NODES_H
#define TV_INDEX_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <traceview/alloc.h>
#include <traceview/error.h>

#include "base/compiler.h"
#include "base/map.h"

/* What finding a child looks at. Node 0 is none: its key is that of no method. */
struct tv_node_guess {
    uint32_t key;
    uint32_t last_child; /* of its children, the one that was asked for last; 0: none */
    uint32_t successor;  /* the sibling that was asked for after this one, the last time; 0: none */
    uint32_t next_sibling; /* round and round; 0 once the parent's children are hashed */
};

/* What the calls of a node add up to, where 32 bits will do. */
struct tv_node_sums {
    uint32_t calls;
    uint32_t inclusive[2]; /* by clock */
};

struct tv_nodes {
    const struct tv_alloc *alloc;
    uint32_t *parent; /* the root is its own parent */
    struct tv_node_guess *guesses;
    uint64_t *first_offset; /* of the record that made a node, where somebody will ask */
    bool has_offsets;
    struct tv_node_sums *sums; /* NULL until somebody has counted */
    size_t count;
    size_t cap; /* of all that stand beside each other while they grow; then of each */
    size_t parent_cap, guess_cap, offset_cap, sum_cap;
    struct tv_map *hashed; /* (parent << 32 | key) -> node, for parents with many children */
    uint32_t *keys;        /* in the place of guesses, once tv_nodes_finish was called */
    uint32_t *methods;     /* in the place of both, once tv_nodes_drop_keys was called */
    size_t key_cap;
};

/* Nodes before the first: ordinal 0 is none. */
#define TV_FIRST_NODE 1u
/* The first that a call can have. */
#define TV_FIRST_CHILD (TV_FIRST_NODE + 1u)

/* One root, TV_FIRST_NODE. On failure release is safe. */
enum tv_code tv_nodes_init(struct tv_nodes *nodes, const struct tv_alloc *alloc, bool has_offsets,
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
enum tv_code tv_nodes_graft(struct tv_nodes *nodes, const struct tv_nodes *from, uint32_t *node_of,
                            struct tv_error *err) TV_MUST_CHECK;
/* Sums of 0 for all nodes; no more are added but by tv_nodes_graft. */
enum tv_code tv_nodes_make_sums(struct tv_nodes *nodes, struct tv_error *err) TV_MUST_CHECK;
/* No child will be asked for any more: gives back what only growing needs. */
void tv_nodes_finish(struct tv_nodes *nodes);
/* tv_nodes_child behind its fast path. */
enum tv_code tv_nodes_find_child(struct tv_nodes *nodes, uint32_t parent, uint32_t key,
                                 uint64_t offset, uint32_t *child,
                                 struct tv_error *err) TV_MUST_CHECK;

/* Room for methods, which is not cleared; and with these set, gives back what made them out. */
enum tv_code tv_nodes_make_methods(struct tv_nodes *nodes, struct tv_error *err) TV_MUST_CHECK;
void tv_nodes_drop_keys(struct tv_nodes *nodes);

TV_INLINE uint32_t tv_nodes_key(const struct tv_nodes *nodes, size_t node)
{
    return nodes->keys ? nodes->keys[node] : nodes->guesses[node].key;
}

/* The child of `parent` for `key` if it is one of the likely ones, else 0. */
TV_INLINE uint32_t tv_nodes_guess_child(struct tv_node_guess *guesses, uint32_t parent,
                                        uint32_t key)
{
    uint32_t last = guesses[parent].last_child;
    uint32_t guess = guesses[last].successor;
    if (TV_LIKELY(guesses[guess].key == key)) {
        guesses[parent].last_child = guess;
        return guess;
    }
    return guesses[last].key == key ? last : 0;
}

/* The child of `parent` for `key`, made if need be; offset is that of the record that asks. */
TV_MUST_CHECK TV_INLINE enum tv_code tv_nodes_child(struct tv_nodes *nodes, uint32_t parent,
                                                    uint32_t key, uint64_t offset, uint32_t *child,
                                                    struct tv_error *err)
{
    uint32_t likely = tv_nodes_guess_child(nodes->guesses, parent, key);
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
