/* Methods of a finished index: which key is which method, their profile, their ranks. */
#ifndef TV_INDEX_BUILD_METHODS_H
#define TV_INDEX_BUILD_METHODS_H

#include "index/build/builder.h"
#include "index/build/context_tree.h"
#include "index/build/layout.h"

struct tv_key_slot {
    uint32_t key, method;
};

/* The methods of a trace, the described ones first, then those that only records name. */
struct tv_method_list {
    const struct tv_alloc *alloc;
    uint64_t *unknown_ids;
    size_t unknown_count, unknown_cap;
    struct tv_map unknown_of_id; /* while nodes are named: id -> place in unknown_ids */
    struct tv_key_slot *slots;   /* while nodes are named: most keys, and all where one is free */
    size_t slot_count;           /* a power of two */
};

/* Looks at every key that records named, adds the finding unknown_method, and names the nodes by
 * their methods. `pieces` are all nodes. On failure release is safe. */
enum tv_code tv_methods_resolve(struct tv_method_list *list, struct tv_builder *builder,
                                const struct tv_layout *layout, const struct tv_node_pieces *pieces,
                                const struct tv_pool *pool, struct tv_error *err) TV_MUST_CHECK;
void tv_methods_release(struct tv_method_list *list);
/* Makes the nodes' exclusive times, sums times into the methods of an index, whose calls are there,
 * and ranks those. */
enum tv_code tv_methods_profile(struct tv_index *index, const struct tv_pool *pool,
                                const struct tv_alloc *alloc, struct tv_error *err) TV_MUST_CHECK;

#endif
