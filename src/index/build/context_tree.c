/*
 * Numbering and marking the finished nodes; see index/build/context_tree.h.
 *
 * A node is recursive when its method is on the path of callers above it. Searching the path of
 * each node would take as long as trees are deep. So the marking task keeps, for each method, the
 * first depth at which the current path has it. An entry may be out of date, because leaving a path
 * changes no entry; it counts only while the path still has the method at that depth.
 */
#include "index/build/context_tree.h"

#include "base/alloc.h"
#include "base/error.h"
#include "index/block.h"

/* Nodes of a task that works on each node by itself. */
#define PIECE_LEN 32768u
/* Nodes that are worth a task of their own when nodes are marked. */
#define FEWEST_MARKED ((uint32_t)1 << 17)
/* Nodes from the prefetch of a node's caller to the node itself. */
#define MARK_AHEAD 12u

/* Sets final_node of a thread of the serial builder. Its tree has the innermost adopting call
 * first, and the root anywhere. */
static enum tv_code number_thread(struct tv_build_thread *thread, const struct tv_alloc *alloc,
                                  uint32_t node_first, struct tv_error *err)
{
    size_t count = thread->nodes.count;
    TV_TRY(tv_alloc_new(alloc, &thread->final_node, count, sizeof(*thread->final_node), err));
    uint32_t adopting = (uint32_t)thread->adopting_count;
    uint32_t next = node_first + adopting;
    uint32_t seen = 0; /* nodes of adopting calls so far; adopting_nodes ascends */
    for (uint32_t node = TV_FIRST_NODE; node < count; node++) {
        if (seen < adopting && thread->adopting_nodes[seen] == node)
            thread->final_node[node] = node_first + adopting - 1 - seen++;
        else
            thread->final_node[node] = node == thread->root ? TV_NONE : next++;
    }
    return TV_OK;
}

enum tv_code tv_context_tree_number(struct tv_layout *layout, const struct tv_builder *builder,
                                    struct tv_error *err)
{
    for (size_t i = 0; i < layout->thread_count; i++) {
        struct tv_build_thread *thread = layout->threads[i];
        layout->out[i].node_first = (uint32_t)layout->node_count;
        if (!thread)
            continue;
        uint64_t count = thread->nodes.count - TV_FIRST_NODE - 1; /* all but the root */
        if (layout->node_count + count >= TV_NONE)
            return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than 2^32 calling contexts");
        if (thread->adopting_nodes)
            TV_TRY(number_thread(thread, builder->alloc, (uint32_t)layout->node_count, err));
        layout->out[i].node_count = (uint32_t)count;
        layout->node_count += count;
    }
    return TV_OK;
}

/* One more than the last node of a thread; 0 for a thread without records. */
static uint32_t tree_end(const struct tv_layout *layout, size_t thread_ix)
{
    const struct tv_build_thread *thread = layout->threads[thread_ix];
    return thread ? (uint32_t)thread->nodes.count : 0;
}

/* A piece may reach over several threads' trees; each run is the part within one tree. */
bool tv_context_tree_take_run(const struct tv_layout *layout, struct tv_node_piece *piece,
                              struct tv_node_run *run)
{
    if (!piece->count)
        return false;
    while (piece->first >= tree_end(layout, piece->thread_ix)) {
        piece->thread_ix++;
        piece->first = TV_FIRST_NODE;
    }
    uint32_t left = tree_end(layout, piece->thread_ix) - piece->first;
    uint32_t count = left < piece->count ? left : piece->count;
    *run = (struct tv_node_run){.thread = layout->threads[piece->thread_ix],
                                .first = piece->first,
                                .end = piece->first + count};
    piece->first += count;
    piece->count -= count;
    return true;
}

enum tv_code tv_context_tree_cut(const struct tv_layout *layout, struct tv_node_pieces *pieces,
                                 struct tv_error *err)
{
    uint64_t left = 0;
    for (size_t i = 0; i < layout->thread_count; i++)
        left += tree_end(layout, i) ? tree_end(layout, i) - TV_FIRST_NODE : 0;
    size_t count = (size_t)((left + PIECE_LEN - 1) / PIECE_LEN);
    struct tv_node_piece next = {.thread_ix = 0, .first = TV_FIRST_NODE};
    struct tv_node_run run;
    *pieces = (struct tv_node_pieces){.at = NULL};
    TV_TRY(tv_alloc_new(layout->alloc, &pieces->at, count, sizeof(*pieces->at), err));
    pieces->count = count;
    for (size_t i = 0; i < count; i++, left -= PIECE_LEN) {
        next.count = left < PIECE_LEN ? (uint32_t)left : PIECE_LEN;
        pieces->at[i] = next;
        /* Moves `next` behind the piece. */
        while (tv_context_tree_take_run(layout, &next, &run))
            ;
    }
    return TV_OK;
}

void tv_context_tree_set_depths(struct tv_index *index)
{
    uint32_t *depth = tv_block_section(index, TV_SECTION_NODE_DEPTH);
    for (uint32_t i = 0; i < index->node_count; i++) {
        uint32_t parent = index->node_parent[i];
        depth[i] = parent == TV_NONE ? 0 : depth[parent] + 1;
    }
}

/* Rows of the deepest thread. */
static uint32_t greatest_depth(const struct tv_index *index)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        if (index->threads[i].max_depth > depth)
            depth = index->threads[i].max_depth;
    }
    return depth;
}

/* The path of callers of a node, by depth. */
struct path {
    uint32_t *node;
    uint32_t *method; /* of each node */
    uint32_t len;     /* nodes; behind them stand those of an earlier path */
};

/* Prefetches what set_path will read first of a node. */
TV_INLINE void fetch_caller(const struct tv_index *index, uint32_t node)
{
    uint32_t caller = index->node_parent[node];
    if (caller == TV_NONE)
        return;
    TV_PREFETCH(&index->node_parent[caller]);
    TV_PREFETCH(&index->node_method[caller]);
}

/* Puts a method on the path at `depth`; true when the path has it above `depth` already. If not,
 * `depth` is now the first place of the method: the entry before was of another path. */
TV_INLINE bool put_on_path(const struct path *path, uint32_t depth, uint32_t method,
                           struct tv_marked_method *methods)
{
    uint32_t first = methods[method].first_depth;
    bool is_above = first < depth && path->method[first] == method;
    methods[method].first_depth = is_above ? first : depth;
    path->method[depth] = method;
    return is_above;
}

/* Sets the path to the callers of a node. The callers are found from the node up, until one is on
 * the path already: above that caller the path stays as it is. */
TV_INLINE void set_path(const struct tv_index *index, struct path *path, uint32_t node,
                        struct tv_marked_method *methods)
{
    uint32_t len = index->node_depth[node];
    uint32_t same = len;
    for (uint32_t above = index->node_parent[node]; same; above = index->node_parent[above]) {
        if (same <= path->len && path->node[same - 1] == above)
            break;
        path->node[--same] = above;
    }
    /* From the top down, because put_on_path needs the path above to be right. */
    for (; same < len; same++)
        put_on_path(path, same, index->node_method[path->node[same]], methods);
    path->len = len;
}

/* Marks nodes [first, end) in ascending order. Neighbours often share the upper part of their path
 * of callers, and set_path leaves that part as it is. */
enum tv_code tv_context_tree_mark_recursive(struct tv_index *index, uint32_t first, uint32_t end,
                                            struct tv_marked_method *methods,
                                            const struct tv_alloc *alloc, struct tv_error *err)
{
    uint8_t *flags = tv_block_section(index, TV_SECTION_NODE_FLAGS);
    size_t room = greatest_depth(index);
    struct path path = {.len = 0};
    TV_TRY(tv_alloc_new(alloc, &path.node, room * 2, sizeof(*path.node), err));
    path.method = path.node + room;
    for (uint32_t i = first; i < end; i++) {
        uint32_t method = index->node_method[i];
        if (end - i > MARK_AHEAD)
            fetch_caller(index, i + MARK_AHEAD);
        set_path(index, &path, i, methods);
        bool is_recursive = put_on_path(&path, path.len, method, methods);
        flags[i] = is_recursive ? TV_NODE_RECURSIVE : 0;
        methods[method].calls[is_recursive] += tv_index_node_calls(index, i);
        path.node[path.len++] = i;
    }
    tv_alloc_release(alloc, &path.node, room * 2, sizeof(*path.node));
    return TV_OK;
}

uint32_t tv_context_tree_mark_task_len(const struct tv_index *index)
{
    uint32_t count = greatest_depth(index);
    count = count > FEWEST_MARKED ? count : FEWEST_MARKED;
    return count > index->method_count ? count : index->method_count;
}
