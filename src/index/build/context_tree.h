/* The nodes of all threads in their finished order, and which of them are recursive. */
#ifndef TV_INDEX_BUILD_CONTEXT_TREE_H
#define TV_INDEX_BUILD_CONTEXT_TREE_H

#include "index/build/builder.h"
#include "index/build/layout.h"

/*
 * Numbers the nodes of all threads, in the layout's order of threads: adopting calls first, the
 * last adopter outermost, then the others in the order of their first call; a parent comes before
 * its children. Fills final_node of threads that have a list of adopters, and node_first and
 * node_count of what becomes of all: without such a list the adopting calls stand first already.
 */
enum tv_code tv_context_tree_number(struct tv_layout *layout, const struct tv_builder *builder,
                                    struct tv_error *err) TV_MUST_CHECK;
/* Nodes that one task sees to, of one thread after the other in the layout's order. */
struct tv_node_piece {
    size_t thread_ix; /* of the layout's */
    uint32_t first;   /* ordinal within its tree */
    uint32_t count;   /* with the roots of trees */
};

struct tv_node_pieces {
    struct tv_node_piece *at;
    size_t count;
};

/* Cuts all nodes of all threads into pieces. On failure there are none. */
enum tv_code tv_context_tree_cut(const struct tv_layout *layout, struct tv_node_pieces *pieces,
                                 struct tv_error *err) TV_MUST_CHECK;

/* Nodes of one thread, maybe with its root among them. */
struct tv_node_run {
    const struct tv_build_thread *thread;
    uint32_t first, end;
};

/* Takes the next run off the piece; false at its end. */
bool tv_context_tree_take_run(const struct tv_layout *layout, struct tv_node_piece *piece,
                              struct tv_node_run *run);

/* The place of a node of a thread, not its root, among all finished ones. */
TV_INLINE uint32_t tv_final_node(const struct tv_build_thread *thread, uint32_t node)
{
    return thread->final_node ? thread->final_node[node]
                              : thread->out->node_first + (node - TV_FIRST_CHILD);
}

/* Sets the depths of all nodes, whose parents are filled. */
void tv_context_tree_set_depths(struct tv_index *index);
/* A method while nodes are marked. */
struct tv_marked_method {
    uint64_t calls[2];    /* of the nodes so far: those that are not recursive, those that are */
    uint32_t first_depth; /* of the path to the last one, if it is there */
};

/*
 * Sets the flags of some nodes, of which all have parents, depths, methods and calls, and adds
 * those calls up; methods is 0 for all at first. A node was made soon after the one before it, so
 * the way from path to path is no longer, over all nodes, than what the records went.
 */
enum tv_code tv_context_tree_mark_recursive(struct tv_index *index, uint32_t first, uint32_t end,
                                            struct tv_marked_method *methods,
                                            const struct tv_alloc *alloc,
                                            struct tv_error *err) TV_MUST_CHECK;
/* So many nodes that what tv_tree_mark begins with, a path and a count for each method, is no more
 * than they are. */
uint32_t tv_context_tree_mark_task_len(const struct tv_index *index);

#endif
