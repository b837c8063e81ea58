/* The nodes of all threads in their finished order, and which of them are recursive. */
#ifndef TV_INDEX_TREE_H
#define TV_INDEX_TREE_H

#include "index/build.h"

/*
 * Numbers the nodes of all threads, in the layout's order of threads: adopting calls first, the
 * last adopter outermost, then the others in the order of their first call; a parent comes before
 * its children. Ends the growth of all trees. Fills final_node of each thread, and node_first and
 * node_count of what becomes of it.
 */
enum tv_code tv_tree_number(struct tv_layout *layout, const struct tv_builder *builder,
                            struct tv_error *err) TV_MUST_CHECK;
/* Writes parent and depth of a thread's numbered nodes. */
void tv_tree_link(const struct tv_build_thread *thread, uint32_t *parent, uint32_t *depth);
/* Sets TV_NODE_RECURSIVE by walking every path once; node_method must be filled. */
enum tv_code tv_tree_mark_recursive(struct tv_index *index, const struct tv_alloc *alloc,
                                    struct tv_error *err) TV_MUST_CHECK;
/* Exclusive from inclusive sums. */
void tv_tree_sum_exclusive(struct tv_index *index);

#endif
