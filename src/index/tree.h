/* The nodes of all threads in their finished order, and which of them are recursive. */
#ifndef TV_INDEX_TREE_H
#define TV_INDEX_TREE_H

#include "index/build.h"

/* Nodes that a thread will have. */
uint32_t tv_tree_node_count(const struct tv_build_thread *thread);
/*
 * Numbers a thread's nodes: adopting calls first, the last adopter outermost, then the others in the order of
 * their first call; a parent comes before its children. Fills thread->final_node, relative to the thread's first.
 */
enum tv_code tv_tree_number(struct tv_build_thread *thread, const struct tv_alloc *alloc,
                            struct tv_error *err) TV_MUST_CHECK;
/* Writes parent and depth of the thread's nodes, whose first is node_first. */
void tv_tree_link(const struct tv_build_thread *thread, uint32_t node_first, uint32_t *parent, uint32_t *depth);
/* Sets TV_NODE_RECURSIVE by walking every path once; node_method must be filled. */
enum tv_code tv_tree_mark_recursive(struct tv_index *index, const struct tv_alloc *alloc,
                                    struct tv_error *err) TV_MUST_CHECK;
/* Exclusive from inclusive sums. */
void tv_tree_sum_exclusive(struct tv_index *index);

#endif
