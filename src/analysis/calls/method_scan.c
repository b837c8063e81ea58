/*
 * Scans node columns for methods; see analysis/calls/method_scan.h.
 *
 * A node tells the method of a call, and each node is of one row. So one pass over the nodes finds
 * which rows to read, and in most of these a single node to compare with.
 */
#include "analysis/calls/method_scan.h"

#include "base/alloc.h"
#include "base/error.h"

void tv_method_scan_init(struct tv_method_scan *scan, const struct tv_alloc *alloc)
{
    *scan = (struct tv_method_scan){.alloc = alloc};
}

void tv_method_scan_release(struct tv_method_scan *scan)
{
    if (scan->index) {
        tv_alloc_release(scan->alloc, &scan->slot_of_node, scan->index->node_count,
                         sizeof(*scan->slot_of_node));
        tv_alloc_release(scan->alloc, &scan->node_of_row, scan->index->row_count,
                         sizeof(*scan->node_of_row));
    }
    tv_method_scan_init(scan, scan->alloc);
}

/* Sets the slots of a thread's nodes, and notes which wanted nodes its rows have. */
static void mark_nodes(struct tv_method_scan *scan, const struct tv_index_thread *thread,
                       const uint32_t *slot_of_method)
{
    const struct tv_index *index = scan->index;
    for (uint32_t node = thread->node_first; node < thread->node_first + thread->node_count;
         node++) {
        uint32_t slot = slot_of_method[index->node_method[node]];
        scan->slot_of_node[node] = slot;
        if (slot == TV_NONE)
            continue;
        uint32_t *of_row = &scan->node_of_row[thread->row_first + index->node_depth[node]];
        *of_row = *of_row == TV_NONE ? node : TV_MANY_NODES;
    }
}

/* Sets each node's slot, and each row's wanted node, from the list of methods. */
static enum tv_code prepare(struct tv_method_scan *scan, const uint32_t *methods, size_t count,
                            struct tv_error *err)
{
    const struct tv_index *index = scan->index;
    uint32_t *slot_of_method;
    TV_TRY(tv_alloc_new(scan->alloc, &scan->slot_of_node, index->node_count,
                        sizeof(*scan->slot_of_node), err));
    TV_TRY(tv_alloc_new(scan->alloc, &scan->node_of_row, index->row_count,
                        sizeof(*scan->node_of_row), err));
    TV_TRY(tv_alloc_new(scan->alloc, &slot_of_method, index->method_count, sizeof(*slot_of_method),
                        err));
    for (uint32_t i = 0; i < index->method_count; i++)
        slot_of_method[i] = TV_NONE;
    for (size_t i = 0; i < count; i++)
        slot_of_method[methods[i]] = (uint32_t)i;
    for (uint32_t i = 0; i < index->row_count; i++)
        scan->node_of_row[i] = TV_NONE;
    for (uint32_t i = 0; i < index->thread_count; i++)
        mark_nodes(scan, &index->threads[i], slot_of_method);
    tv_alloc_release(scan->alloc, &slot_of_method, index->method_count, sizeof(*slot_of_method));
    return TV_OK;
}

enum tv_code tv_method_scan_prepare(struct tv_method_scan *scan, const struct tv_index *index,
                                    const uint32_t *methods, size_t count, struct tv_error *err)
{
    tv_method_scan_release(scan);
    scan->index = index;
    enum tv_code code = prepare(scan, methods, count, err);
    if (code != TV_OK)
        tv_method_scan_release(scan);
    return code;
}

/* Visits calls [first, end) of a row. Most rows have one wanted node, and a comparison with it is
 * quicker than its slot. */
static void scan_calls(const struct tv_method_scan *scan, const struct tv_method_scan_row *row,
                       uint64_t first, uint64_t end, tv_method_scan_visit visit, void *ctx)
{
    const uint32_t *node = scan->index->call_node;
    uint32_t only = scan->node_of_row[row->row_ix];
    if (only != TV_MANY_NODES) {
        uint32_t slot = scan->slot_of_node[only];
        for (uint64_t call = first; call < end; call++) {
            if (node[call] == only)
                visit(ctx, row, slot, call);
        }
        return;
    }
    for (uint64_t call = first; call < end; call++) {
        uint32_t slot = scan->slot_of_node[node[call]];
        if (slot != TV_NONE)
            visit(ctx, row, slot, call);
    }
}

/* A call that spans the start of the range overlaps it too, unless it ends just there. */
static void scan_thread(const struct tv_method_scan *scan, uint32_t thread_ix,
                        const struct tv_selection *selection, tv_method_scan_visit visit, void *ctx)
{
    const struct tv_index_thread *thread = &scan->index->threads[thread_ix];
    struct tv_thread_range range = tv_thread_range_of(scan->index, thread_ix, selection);
    for (uint32_t depth = 0; depth < thread->max_depth; depth++) {
        struct tv_method_scan_row row = {thread, thread_ix, thread->row_first + depth};
        if (scan->node_of_row[row.row_ix] == TV_NONE)
            continue;
        struct tv_slice slice = tv_slice_of(scan->index, thread_ix, row.row_ix, &range);
        if (slice.spanning != UINT64_MAX && slice.spanning_overlaps)
            scan_calls(scan, &row, slice.spanning, slice.spanning + 1, visit, ctx);
        scan_calls(scan, &row, slice.first, slice.end, visit, ctx);
    }
}

void tv_method_scan_run(const struct tv_method_scan *scan, const struct tv_selection *selection,
                        tv_method_scan_visit visit, void *ctx)
{
    uint32_t thread_count = tv_selection_thread_count(selection, scan->index);
    for (uint32_t i = 0; i < thread_count; i++)
        scan_thread(scan, tv_selection_thread(selection, i), selection, visit, ctx);
}
