/*
 * The methods of an index: which key stands for which method, the profile of methods, their ranks.
 *
 * While records are read, a method is known by its key (format/trace.h), because some formats
 * describe methods between the records. When all records are read, every node gets its method, and
 * methods that nothing describes are added to the list: docs/index.md, "Ordinals" has their order.
 */
#ifndef TV_INDEX_BUILD_METHODS_H
#define TV_INDEX_BUILD_METHODS_H

#include "index/build/builder.h"
#include "index/build/context_tree.h"
#include "index/build/layout.h"

/* A slot of the table from keys to methods. A free slot has a key of no method. */
struct tv_key_slot {
    uint32_t key, method;
};

/* The methods that stand behind the described ones: those that only records name. A place in the
 * list of all methods is below trace->method_count for a described one, and unknown ones follow. */
struct tv_method_list {
    const struct tv_alloc *alloc;
    uint64_t *unknown_ids;
    size_t unknown_count, unknown_cap;
    /* Only while nodes get their methods: */
    struct tv_map unknown_of_id; /* id -> place in unknown_ids */
    struct tv_key_slot *slots;   /* a hash table without all keys that collided (methods.c) */
    size_t slot_count;           /* a power of two */
};

/* Gives every node its method, lists the methods that nothing describes, and adds the finding
 * unknown_method. `pieces` are all nodes; their keys are released. On failure release is safe. */
enum tv_code tv_methods_resolve(struct tv_method_list *list, struct tv_builder *builder,
                                const struct tv_layout *layout, const struct tv_node_pieces *pieces,
                                const struct tv_pool *pool, struct tv_error *err) TV_MUST_CHECK;
void tv_methods_release(struct tv_method_list *list);
/* Computes the exclusive times of nodes, adds the times of nodes up for their methods, and ranks
 * the methods. Nodes have their inclusive times, and methods have their calls. */
enum tv_code tv_methods_profile(struct tv_index *index, const struct tv_pool *pool,
                                const struct tv_alloc *alloc, struct tv_error *err) TV_MUST_CHECK;

#endif
