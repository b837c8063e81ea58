/*
 * The context trees of all threads in their finished order, and which of their nodes are recursive.
 *
 * A node has a number within its thread's tree (index/build/nodes.h), and an ordinal over the whole
 * trace (docs/index.md, "Ordinals"). Tasks over nodes get pieces of equal length, cut without
 * regard to threads: one thread usually has nearly all nodes.
 */
#ifndef TV_INDEX_BUILD_CONTEXT_TREE_H
#define TV_INDEX_BUILD_CONTEXT_TREE_H

#include "index/build/builder.h"
#include "index/build/layout.h"

/*
 * Gives the nodes of all threads their ordinals, thread after thread in the layout's order. Within
 * a thread come first the nodes of adopting calls, outermost first, then all other nodes in the
 * order of their first call; so a parent comes before its children. Sets node_first and node_count
 * of the threads in the block. Sets final_node where a thread has adopting_nodes; in all other
 * trees the nodes have that order already.
 */
enum tv_code tv_context_tree_number(struct tv_layout *layout, const struct tv_builder *builder,
                                    struct tv_error *err) TV_MUST_CHECK;

/* The nodes of one task: `count` nodes from one on, through the trees of the following threads. */
struct tv_node_piece {
    size_t thread_ix; /* place in the layout's threads */
    uint32_t first;   /* number within that thread's tree */
    uint32_t count;   /* nodes, the roots of trees included */
};

struct tv_node_pieces {
    struct tv_node_piece *at;
    size_t count;
};

/* Cuts the nodes of all threads into pieces, to be released by tv_alloc_release. On failure there
 * are none. */
enum tv_code tv_context_tree_cut(const struct tv_layout *layout, struct tv_node_pieces *pieces,
                                 struct tv_error *err) TV_MUST_CHECK;

/* The nodes [first, end) of one thread. The root of its tree may be among them. */
struct tv_node_run {
    const struct tv_build_thread *thread;
    uint32_t first, end;
};

/* Takes the nodes of the next thread off the piece; false when nothing is left of it. */
bool tv_context_tree_take_run(const struct tv_layout *layout, struct tv_node_piece *piece,
                              struct tv_node_run *run);

/* The ordinal of a node, which is not the root of its thread. */
TV_INLINE uint32_t tv_final_node(const struct tv_build_thread *thread, uint32_t node)
{
    return thread->final_node ? thread->final_node[node]
                              : thread->out->node_first + (node - TV_FIRST_CHILD);
}

/* Sets the depths of all nodes; their parents are set. */
void tv_context_tree_set_depths(struct tv_index *index);

/* A method while one task marks nodes. */
struct tv_marked_method {
    uint64_t calls[2];    /* of its nodes so far: [0] not recursive, [1] recursive */
    uint32_t first_depth; /* the first place of the method on the current path, where it is on it */
};

/*
 * Sets the flags of the nodes [first, end), and adds their calls to `methods`, which has an entry
 * of zeros for each method at first. Parents, depths, methods and calls of all nodes are set.
 *
 * The nodes are taken in order, with the path of callers of the current node. Nodes are in the
 * order of their first calls, so going from path to path takes, over all nodes, no more steps than
 * the records took.
 */
enum tv_code tv_context_tree_mark_recursive(struct tv_index *index, uint32_t first, uint32_t end,
                                            struct tv_marked_method *methods,
                                            const struct tv_alloc *alloc,
                                            struct tv_error *err) TV_MUST_CHECK;
/* Nodes that one task should mark: at least as many as there are methods and as the tree is deep,
 * so that what each task begins with (a path, and an entry for each method) costs no more than its
 * nodes. */
uint32_t tv_context_tree_mark_task_len(const struct tv_index *index);

#endif
