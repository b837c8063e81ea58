/* Methods of a finished index: which key is which method, their profile, their ranks. */
#ifndef TV_INDEX_METHODS_H
#define TV_INDEX_METHODS_H

#include "index/build.h"

/* The methods of a trace, the described ones first, then those that only records name. */
struct tv_method_list {
    const struct tv_alloc *alloc;
    uint64_t *unknown_ids;
    size_t unknown_count, unknown_cap;
    struct tv_map unknown_of_id; /* id -> place in unknown_ids */
    uint32_t *of_key; /* by key / 4, for keys that are small; TV_NONE: not looked up yet */
    size_t of_key_count;
};

/* Looks at every key that records named, and adds the finding unknown_method. On failure release is
 * safe. */
enum tv_code tv_methods_resolve(struct tv_method_list *list, struct tv_builder *builder,
                                struct tv_error *err) TV_MUST_CHECK;
void tv_methods_release(struct tv_method_list *list);
/* The ordinal of a key's method; resolve has seen the key. */
uint32_t tv_methods_of_key(const struct tv_method_list *list, const struct tv_trace *trace,
                           uint32_t key);
/* Sums the nodes into the methods of an index and ranks them. */
enum tv_code tv_methods_profile(struct tv_index *index, const struct tv_alloc *alloc,
                                struct tv_error *err) TV_MUST_CHECK;

#endif
