/*
 * The calling context tree of one thread while it grows: nodes by ordinal, children in a short list with
 * move-to-front, and in a hash map once a node has many.
 *
 * A method is its key (format/trace.h) until the trace's tables are complete. Node 0 is the root that stands for
 * "no call"; an exit without an enter starts a new root (tv_nodes_new_root), and the old one then stands for
 * the call that adopted everything before it.
 */
#ifndef TV_INDEX_NODES_H
#define TV_INDEX_NODES_H

#include <stddef.h>
#include <stdint.h>

#include <traceview/alloc.h>
#include <traceview/error.h>

#include "base/compiler.h"
#include "base/map.h"

struct tv_build_node {
    uint32_t key;
    uint32_t parent;       /* a root is its own parent */
    uint32_t first_child;  /* 0: none; the child that was found last */
    uint32_t next_sibling; /* 0: the last; not kept once the parent's children are hashed */
    uint32_t child_count;
    uint32_t reserved;
    uint64_t first_offset; /* of the record that made it */
};

struct tv_nodes {
    const struct tv_alloc *alloc;
    struct tv_build_node *at;
    size_t count;
    size_t cap;
    struct tv_map hashed; /* (parent << 32 | key) -> node, for parents with many children */
};

/* On failure release is safe. */
enum tv_code tv_nodes_init(struct tv_nodes *nodes, const struct tv_alloc *alloc, struct tv_error *err) TV_MUST_CHECK;
void tv_nodes_release(struct tv_nodes *nodes);
/* A further root; *root is its ordinal. */
enum tv_code tv_nodes_new_root(struct tv_nodes *nodes, uint32_t *root, struct tv_error *err) TV_MUST_CHECK;
/* tv_nodes_child behind its fast path. */
enum tv_code tv_nodes_find_child(struct tv_nodes *nodes, uint32_t parent, uint32_t key, uint64_t offset,
                                 uint32_t *child, struct tv_error *err) TV_MUST_CHECK;

/* The child of `parent` for `key`, made if need be; offset is that of the record that asks. */
TV_MUST_CHECK TV_INLINE enum tv_code tv_nodes_child(struct tv_nodes *nodes, uint32_t parent, uint32_t key,
                                                    uint64_t offset, uint32_t *child, struct tv_error *err)
{
    uint32_t first = nodes->at[parent].first_child;
    if (TV_LIKELY(first && nodes->at[first].key == key)) {
        *child = first;
        return TV_OK;
    }
    return tv_nodes_find_child(nodes, parent, key, offset, child, err);
}

#endif
