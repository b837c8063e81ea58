/*
 * The outermost calls of a set; see analysis/calls/set_calls.h.
 *
 * A set has its calls either as nodes, all of whose calls belong to it, or as runs of single calls
 * (analysis/selection/call_set.h). Of nodes, each call that the range overlaps is looked at, row by
 * row; of runs, those at the depth of outermost calls are listed as they are. In both cases calls
 * come by depth and, within a row, by start.
 */
#include "analysis/calls/set_calls.h"

#include "analysis/selection/call_set.h"
#include "base/compiler.h"

/* What is visited, in one row. */
struct visiting {
    const struct tv_index *index;
    const struct tv_selection *of;
    struct tv_method_scan_row row;
    tv_call_set_visitor visit;
    void *ctx;
};

/* A node of which all calls are outermost ones of the set. */
static bool is_outermost_node(const struct tv_index *index, const struct tv_call_set *set,
                              uint32_t node)
{
    uint32_t parent = index->node_parent[node];
    return set->place[node] == TV_CALL_OF_SET &&
           (parent == TV_NONE || set->place[parent] == TV_CALL_OUTSIDE);
}

/* The calls of a row that the range overlaps: [*first, *end). */
static void overlap_of(const struct tv_index *index, const struct tv_method_scan_row *row,
                       const struct tv_thread_range *range, uint64_t *first, uint64_t *end)
{
    struct tv_slice slice = tv_slice_of(index, row->thread_ix, row->row_ix, range);
    *first = tv_slice_overlap_first(&slice);
    *end = slice.end;
}

/* A set of nodes: each call of the range is looked at, in rows above the deepest of these nodes. */
static void visit_nodes(struct visiting *visiting, const struct tv_thread_range *range)
{
    const struct tv_index *index = visiting->index;
    const struct tv_index_thread *thread = visiting->row.thread;
    const struct tv_call_set *set = visiting->of->set;
    uint32_t depth_end = 0;
    for (uint32_t node = thread->node_first; node < thread->node_first + thread->node_count;
         node++) {
        if (index->node_depth[node] >= depth_end && is_outermost_node(index, set, node))
            depth_end = index->node_depth[node] + 1;
    }
    for (uint32_t depth = 0; depth < depth_end; depth++) {
        uint64_t first;
        uint64_t end;
        visiting->row.row_ix = thread->row_first + depth;
        overlap_of(index, &visiting->row, range, &first, &end);
        for (uint64_t call = first; call < end; call++) {
            if (is_outermost_node(index, set, index->call_node[call]))
                visiting->visit(visiting->ctx, &visiting->row, call);
        }
    }
}

/* A set of single calls: its outermost ones are runs of their own. */
static void visit_runs(struct visiting *visiting, const struct tv_thread_range *range)
{
    const struct tv_call_set *set = visiting->of->set;
    for (size_t i = 0; i < set->run_count; i++) {
        const struct tv_call_run *run = &set->runs[i];
        uint64_t first;
        uint64_t end;
        if (run->thread_ix != visiting->row.thread_ix || run->depth != run->root_depth)
            continue;
        visiting->row.row_ix = visiting->row.thread->row_first + run->depth;
        overlap_of(visiting->index, &visiting->row, range, &first, &end);
        first = first > run->first ? first : run->first;
        end = end < run->first + run->len ? end : run->first + run->len;
        for (uint64_t call = first; call < end; call++)
            visiting->visit(visiting->ctx, &visiting->row, call);
    }
}

static bool has_thread(const struct tv_selection *selection, const struct tv_index *index,
                       uint32_t thread_ix)
{
    for (uint32_t i = 0; i < tv_selection_thread_count(selection, index); i++) {
        if (tv_selection_thread(selection, i) == thread_ix)
            return true;
    }
    return false;
}

void tv_call_set_visit(const struct tv_index *index, const struct tv_selection *of,
                       const struct tv_selection *shown, tv_call_set_visitor visit, void *ctx)
{
    const uint32_t thread_ix = shown->threads[0];
    struct visiting visiting = {index, of, {&index->threads[thread_ix], thread_ix, 0}, visit, ctx};
    const struct tv_thread_range range =
        of->edges ? *of->edges : tv_thread_range_of(index, thread_ix, shown);
    if (!has_thread(of, index, thread_ix))
        return;
    if (of->set->own)
        visit_runs(&visiting, &range);
    else
        visit_nodes(&visiting, &range);
}
