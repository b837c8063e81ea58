/* Numbering and marking the finished nodes; see index/tree.h. */
#include "index/tree.h"

#include "base/alloc.h"
#include "base/error.h"
#include "index/block.h"

#define PIECE_LEN 32768u
#define FEWEST_MARKED ((uint32_t)1 << 17)

static enum tv_code number_thread(struct tv_build_thread *thread, const struct tv_alloc *alloc,
                                  uint32_t node_first, struct tv_error *err)
{
    size_t count = thread->nodes.count;
    TV_TRY(tv_alloc_new(alloc, &thread->final_node, count, sizeof(*thread->final_node), err));
    thread->final_cap = count;
    uint32_t adopters = (uint32_t)thread->adopter_count;
    uint32_t next = node_first + adopters;
    uint32_t seen = 0;
    for (uint32_t node = TV_FIRST_NODE; node < count; node++) {
        if (seen < adopters && thread->adopters[seen] == node)
            thread->final_node[node] = node_first + adopters - 1 - seen++;
        else
            thread->final_node[node] = node == thread->root ? TV_NONE : next++;
    }
    return TV_OK;
}

enum tv_code tv_tree_number(struct tv_layout *layout, const struct tv_builder *builder,
                            struct tv_error *err)
{
    for (size_t i = 0; i < layout->thread_count; i++) {
        struct tv_build_thread *thread = layout->threads[i].build;
        layout->out[i].node_first = (uint32_t)layout->node_count;
        if (!thread)
            continue;
        uint64_t count = thread->nodes.count - TV_FIRST_NODE - 1; /* all but the root */
        if (layout->node_count + count >= TV_NONE)
            return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than 2^32 calling contexts");
        if (thread->adopters)
            TV_TRY(number_thread(thread, builder->alloc, (uint32_t)layout->node_count, err));
        layout->out[i].node_count = (uint32_t)count;
        layout->node_count += count;
    }
    return TV_OK;
}

static uint32_t tree_end(const struct tv_layout *layout, size_t thread_ix)
{
    const struct tv_build_thread *thread = layout->threads[thread_ix].build;
    return thread ? (uint32_t)thread->nodes.count : 0;
}

bool tv_tree_take_run(const struct tv_layout *layout, struct tv_node_piece *piece,
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
    *run = (struct tv_node_run){.thread = layout->threads[piece->thread_ix].build,
                                .first = piece->first,
                                .end = piece->first + count};
    piece->first += count;
    piece->count -= count;
    return true;
}

enum tv_code tv_tree_cut(const struct tv_layout *layout, struct tv_node_pieces *pieces,
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
        while (tv_tree_take_run(layout, &next, &run))
            ;
    }
    return TV_OK;
}

/* Moves the path of open nodes from one to another, by the parents that both have. */
static void move_path(const struct tv_index *index, uint32_t from, uint32_t to, uint32_t *open)
{
    while (from != to) {
        bool is_up =
            to == TV_NONE || (from != TV_NONE && index->node_depth[from] >= index->node_depth[to]);
        if (is_up) {
            open[index->node_method[from]]--;
            from = index->node_parent[from];
        } else {
            open[index->node_method[to]]++;
            to = index->node_parent[to];
        }
    }
}

void tv_tree_set_depths(struct tv_index *index)
{
    uint32_t *depth = tv_block_section(index, TV_SECTION_NODE_DEPTH);
    for (uint32_t i = 0; i < index->node_count; i++) {
        uint32_t parent = index->node_parent[i];
        depth[i] = parent == TV_NONE ? 0 : depth[parent] + 1;
    }
}

enum tv_code tv_tree_mark(struct tv_index *index, uint32_t first, uint32_t end,
                          const struct tv_alloc *alloc, struct tv_error *err)
{
    uint32_t *open; /* how often a method is on the path */
    uint8_t *flags = tv_block_section(index, TV_SECTION_NODE_FLAGS);
    uint32_t before = TV_NONE;
    TV_TRY(tv_alloc_new(alloc, &open, index->method_count, sizeof(*open), err));
    for (uint32_t i = first; i < end; i++) {
        uint32_t parent = index->node_parent[i];
        if (parent != before)
            move_path(index, before, parent, open);
        flags[i] = open[index->node_method[i]]++ ? TV_NODE_RECURSIVE : 0;
        before = i;
    }
    tv_alloc_free(alloc, open, index->method_count, sizeof(*open));
    return TV_OK;
}

uint32_t tv_tree_marked_at_once(const struct tv_index *index)
{
    uint32_t count = FEWEST_MARKED;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        if (index->threads[i].max_depth > count)
            count = index->threads[i].max_depth;
    }
    return count > index->method_count ? count : index->method_count;
}
