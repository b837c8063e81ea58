/*
 * The calling context tree of one thread while it grows: nodes by ordinal, children in a short list
 * with move-to-front, and in a hash map once a node has many.
 *
 * A method is its key (format/trace.h) until the trace's tables are complete. The root stands for
 * "no call"; it is its own parent. An exit without an enter makes the root an ordinary node, the
 * call that adopted everything before it, below a new root (tv_nodes_adopt).
 */
#ifndef TV_INDEX_NODES_H
#define TV_INDEX_NODES_H

#include <stddef.h>
#include <stdint.h>

#include <traceview/alloc.h>
#include <traceview/error.h>

#include "base/compiler.h"
#include "base/map.h"

/* One cache line. */
struct tv_build_node {
    uint32_t key;
    uint32_t parent;       /* the root is its own parent */
    uint32_t first_child;  /* 0: none; the newest one */
    uint32_t next_sibling; /* 0: the last; not kept once the parent's children are hashed */
    uint32_t child_count;
    uint32_t last_child; /* the child that was asked for last */
    uint32_t successor;  /* the sibling that was asked for after this one, the last time */
    uint32_t reserved;
    uint64_t first_offset; /* of the record that made it */
    uint64_t calls;
    uint64_t inclusive[2]; /* wall, cpu: sums over its closed calls, units */
};

struct tv_nodes {
    const struct tv_alloc *alloc;
    struct tv_build_node *at;
    size_t count;
    size_t cap;
    struct tv_map hashed; /* (parent << 32 | key) -> node, for parents with many children */
};

/* Nodes before the first: ordinal 0 is none. */
#define TV_FIRST_NODE 1u

/* One root, TV_FIRST_NODE. On failure release is safe. */
enum tv_code tv_nodes_init(struct tv_nodes *nodes, const struct tv_alloc *alloc,
                           struct tv_error *err) TV_MUST_CHECK;
void tv_nodes_release(struct tv_nodes *nodes);
/* The root becomes the node of `key` below a new root, whose ordinal replaces *root. */
enum tv_code tv_nodes_adopt(struct tv_nodes *nodes, uint32_t *root, uint32_t key, uint64_t offset,
                            struct tv_error *err) TV_MUST_CHECK;
/* tv_nodes_child behind its fast path. */
enum tv_code tv_nodes_find_child(struct tv_nodes *nodes, uint32_t parent, uint32_t key,
                                 uint64_t offset, uint32_t *child,
                                 struct tv_error *err) TV_MUST_CHECK;

/* The child of `parent` for `key`, made if need be; offset is that of the record that asks. */
TV_MUST_CHECK TV_INLINE enum tv_code tv_nodes_child(struct tv_nodes *nodes, uint32_t parent,
                                                    uint32_t key, uint64_t offset, uint32_t *child,
                                                    struct tv_error *err)
{
    struct tv_build_node *at = nodes->at;
    uint32_t last = at[parent].last_child;
    if (at[last].key == key && last) {
        *child = last;
        return TV_OK;
    }
    uint32_t guess = at[last].successor;
    if (TV_LIKELY(at[guess].key == key && guess)) {
        at[parent].last_child = guess;
        *child = guess;
        return TV_OK;
    }
    return tv_nodes_find_child(nodes, parent, key, offset, child, err);
}

#endif
