/*
 * A tree of frames from nodes that are trees already; see export/flame/stack_tree.h.
 *
 * What stands on a frame are the nodes on top of all its nodes, so a frame is made together with
 * its siblings: for each name it is remembered which frame got a child of that name last, and a
 * child is found by one look at its name. A map by frame and name would be looked up in as often,
 * at a place that no cache has: that was half of the time of a flame graph of 600,000 nodes.
 *
 * A frame's children are made when its turn comes, and then it is theirs, one after the other and
 * before its next sibling's. So they stand one behind the other, and near the nodes that they are
 * made of, which a trace numbers as they were called first.
 *
 * What leads from node to node stands apart from the nodes: it is a quarter of their memory, and
 * walking it a few steps ahead tells which nodes to ask the memory for.
 */
#include "export/flame/stack_tree.h"

/* The last frame of a name, and what it stands on. */
struct last_frame {
    uint32_t parent;
    uint32_t frame;
};

struct links {
    uint32_t first; /* of the nodes that stand on it */
    uint32_t next;  /* of those that it is among: on the same node, and then in the same frame */
};

struct merger {
    struct tv_stack_tree *tree;
    const struct tv_stack_node *nodes;
    struct links *links; /* by node */
    size_t link_cap;
    size_t node_count;
    size_t frame_most;
    struct last_frame *last; /* by name */
    uint32_t *node_of;       /* by frame: the first of its nodes, which `next` leads on from */
    size_t node_of_cap;
    uint32_t *pending; /* frames whose turn comes, the next one last */
    size_t pending_count;
    size_t pending_cap;
};

static enum tv_code take_room(struct merger *merger, struct tv_error *err)
{
    struct tv_stack_tree *tree = merger->tree;
    const struct tv_alloc *alloc = tree->alloc;
    const size_t most = merger->frame_most;
    TV_TRY(tv_alloc_grow(alloc, &tree->frames, &tree->cap, most, sizeof(*tree->frames), err));
    TV_TRY(tv_alloc_new(alloc, &tree->first_child, most, sizeof(*tree->first_child), err));
    tree->first_child_cap = most;
    TV_TRY(tv_alloc_grow(alloc, &merger->node_of, &merger->node_of_cap, most,
                         sizeof(*merger->node_of), err));
    TV_TRY(tv_alloc_grow(alloc, &merger->pending, &merger->pending_cap, most,
                         sizeof(*merger->pending), err));
    TV_TRY(tv_alloc_grow(alloc, &merger->links, &merger->link_cap, merger->node_count,
                         sizeof(*merger->links), err));
    TV_TRY(tv_alloc_new(alloc, &merger->last, tree->names.count, sizeof(*merger->last), err));
    for (size_t i = 0; i < tree->names.count; i++)
        merger->last[i].parent = TV_STACK_NOTHING;
    return TV_OK;
}

static void release(struct merger *merger)
{
    const struct tv_alloc *alloc = merger->tree->alloc;
    tv_alloc_release(alloc, &merger->last, merger->tree->names.count, sizeof(*merger->last));
    tv_alloc_release(alloc, &merger->links, merger->link_cap, sizeof(*merger->links));
    tv_alloc_release(alloc, &merger->pending, merger->pending_cap, sizeof(*merger->pending));
    tv_alloc_release(alloc, &merger->node_of, merger->node_of_cap, sizeof(*merger->node_of));
}

/* Hands all nodes to those that they stand on, from the last one to the first, so that the lists
 * have their order. The first node that stands on the root. */
static uint32_t link_nodes(const struct merger *merger)
{
    struct links *links = merger->links;
    uint32_t on_root = TV_STACK_NOTHING;
    for (size_t i = 0; i < merger->node_count; i++)
        links[i].first = TV_STACK_NOTHING;
    for (size_t i = merger->node_count; i-- > 0;) {
        const uint32_t below = merger->nodes[i].below;
        uint32_t *first = below == TV_STACK_NOTHING ? &on_root : &links[below].first;
        links[i].next = *first;
        *first = (uint32_t)i;
    }
    return on_root;
}

/* Puts a node into the frame of its name on top of `parent`. */
static enum tv_code put_node(struct merger *merger, uint32_t parent, uint32_t node_ix,
                             struct tv_error *err)
{
    struct tv_stack_tree *tree = merger->tree;
    const struct tv_stack_node *node = &merger->nodes[node_ix];
    struct last_frame *last = &merger->last[node->name];
    if (last->parent != parent) {
        *last = (struct last_frame){parent, (uint32_t)tree->count};
        TV_TRY(tv_stack_tree_add_frame(tree, parent, node->name, err));
        merger->node_of[last->frame] = TV_STACK_NOTHING;
    }
    merger->links[node_ix].next = merger->node_of[last->frame];
    merger->node_of[last->frame] = node_ix;
    tv_stack_tree_add(tree, last->frame, node->self, node->calls);
    return TV_OK;
}

/* How many nodes of a list memory is asked for ahead. */
#define NODES_AHEAD 6u

/* The next node of a list, whose memory is asked for. */
TV_INLINE uint32_t look_ahead(const struct merger *merger, uint32_t node)
{
    if (node == TV_STACK_NOTHING)
        return node;
    TV_PREFETCH(&merger->nodes[node]);
    if (merger->links[node].first != TV_STACK_NOTHING)
        TV_PREFETCH(&merger->links[merger->links[node].first]);
    return merger->links[node].next;
}

/* The nodes of a list, each of which goes to the list of its frame. A node's place in the list is
 * read before it goes. */
static enum tv_code put_list(struct merger *merger, uint32_t parent, uint32_t first,
                             struct tv_error *err)
{
    uint32_t ahead = first;
    for (unsigned i = 0; i < NODES_AHEAD; i++)
        ahead = look_ahead(merger, ahead);
    for (uint32_t i = first; i != TV_STACK_NOTHING;) {
        const uint32_t next = merger->links[i].next;
        ahead = look_ahead(merger, ahead);
        TV_TRY(put_node(merger, parent, i, err));
        i = next;
    }
    return TV_OK;
}

/* The frames from `first` on are new and stand on `parent`: their turn comes in this order. */
static void await_children(struct merger *merger, uint32_t parent, size_t first)
{
    if (merger->tree->count == first)
        return;
    merger->tree->first_child[parent] = (uint32_t)first;
    for (size_t i = merger->tree->count; i-- > first;)
        merger->pending[merger->pending_count++] = (uint32_t)i;
}

static enum tv_code make_frames(struct merger *merger, uint32_t on_root, struct tv_error *err)
{
    struct tv_stack_tree *tree = merger->tree;
    size_t first = tree->count;
    TV_TRY(put_list(merger, TV_STACK_ROOT, on_root, err));
    await_children(merger, TV_STACK_ROOT, first);
    while (merger->pending_count) {
        const uint32_t parent = merger->pending[--merger->pending_count];
        first = tree->count;
        for (uint32_t i = merger->node_of[parent]; i != TV_STACK_NOTHING; i = merger->links[i].next)
            TV_TRY(put_list(merger, parent, merger->links[i].first, err));
        await_children(merger, parent, first);
    }
    return TV_OK;
}

enum tv_code tv_stack_tree_merge(struct tv_stack_tree *tree, const struct tv_stack_node *nodes,
                                 size_t count, struct tv_error *err)
{
    struct merger merger = {
        .tree = tree, .nodes = nodes, .node_count = count, .frame_most = count + 1};
    enum tv_code code = take_room(&merger, err);
    if (code == TV_OK)
        code = make_frames(&merger, link_nodes(&merger), err);
    release(&merger);
    if (code == TV_OK)
        tv_stack_tree_sum_up(tree);
    return code;
}

uint32_t tv_stack_tree_children_end(const struct tv_stack_tree *tree, uint32_t frame)
{
    uint32_t end = tree->first_child[frame];
    while (end && end < tree->count && tree->frames[end].parent == frame)
        end++;
    return end;
}
