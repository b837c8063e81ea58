/*
 * Inverted call trees: from each node upwards through its callers; see
 * analysis/tree/call_tree_merge.h.
 *
 * The exclusive time of a node counts for its method at the root, for its caller's method one level
 * below, and so on for as many levels as are asked for. Nodes are dealt out in slices, each with a
 * tree of its own.
 */
#include "analysis/tree/call_tree_merge.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/sort.h"

/* A slice has at least this many nodes. There are few slices, since each may have a node of every
 * method, and all are merged one after the other. */
#define SLICE_NODES ((size_t)1 << 16)
#define SLICE_LIMIT 16u

/* Some of the nodes of all selected threads, counted through, and the tree that they are
 * merged into. */
struct node_slice {
    size_t first;
    size_t end;
    const uint32_t *callers;      /* per node: the nearest caller that is not hidden, or TV_NONE */
    const uint8_t *is_shown_root; /* of the whole tree's merger */
    struct tv_call_tree tree;
    struct tv_call_tree_merger merger;
    enum tv_code code;
    struct tv_error err;
};

/* Adds the times of a node to one level of its stack, which goes on to `caller` or ends. */
static void add_inverted(struct tv_call_tree_node *at, const struct tv_numbers *numbers,
                         uint32_t caller)
{
    at->numbers.calls += numbers->calls;
    at->has_children = at->has_children || caller != TV_NONE;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        at->method_inclusive_ns[clock] += numbers->inclusive_ns[clock];
        at->numbers.inclusive_ns[clock] += numbers->exclusive_ns[clock];
        if (caller == TV_NONE)
            at->numbers.exclusive_ns[clock] += numbers->exclusive_ns[clock];
    }
}

/* What a node carries up to its callers: inclusive time of outermost calls alone. */
static struct tv_numbers own_numbers(const struct tv_sums *sums, uint32_t node)
{
    struct tv_numbers numbers = {.calls = tv_sums_calls(sums, node)};
    bool is_recursive = sums->flags[node] & TV_NODE_RECURSIVE;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        numbers.exclusive_ns[clock] = tv_sums_exclusive(sums, clock, node);
        numbers.inclusive_ns[clock] = is_recursive ? 0 : tv_sums_inclusive(sums, clock, node);
    }
    return numbers;
}

/* Adds a node to its own method and the callers above it. A hidden node's time counts for its
 * visible caller, without its calls and their inclusive time, which that caller has. The path must
 * match the first callers; its end is the parent of what is shown. */
static enum tv_code climb_from(struct node_slice *slice, uint32_t node, struct tv_error *err)
{
    struct tv_call_tree_merger *merger = &slice->merger;
    const uint32_t *methods = merger->sums->method;
    const struct tv_call_tree_opts *opts = merger->opts;
    struct tv_numbers numbers = own_numbers(merger->sums, node);
    uint32_t at = node;
    if (tv_call_tree_hides(opts, methods[node])) {
        at = slice->callers[node];
        numbers.calls = 0;
        memset(numbers.inclusive_ns, 0, sizeof(numbers.inclusive_ns));
    }
    if (opts->root && (at == TV_NONE || methods[at] != *opts->root))
        return TV_OK;
    for (size_t i = 0; i < opts->path_len; i++) {
        if (at == TV_NONE || methods[at] != opts->path[i])
            return TV_OK;
        at = slice->callers[at];
    }
    uint32_t target = TV_NONE;
    for (uint32_t level = 0; level < merger->levels && at != TV_NONE; level++) {
        uint32_t caller = slice->callers[at];
        TV_TRY(tv_call_tree_find_child(merger, target, methods[at], &target, err));
        add_inverted(&merger->tree->nodes[target], &numbers, caller);
        bool is_skipped_root = !level && slice->is_shown_root && !slice->is_shown_root[methods[at]];
        if (is_skipped_root || tv_call_tree_drops(opts, methods[at]))
            break;
        at = caller;
    }
    return TV_OK;
}

/* Goes over the nodes of the slice, which may begin and end in the middle of a thread. */
static enum tv_code merge_slice(struct node_slice *slice, struct tv_error *err)
{
    const struct tv_sums *sums = slice->merger.sums;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    size_t before = 0; /* nodes of the threads before */
    for (uint32_t i = 0; i < thread_count && before < slice->end; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        size_t count = nodes.end - nodes.first;
        size_t first = slice->first > before ? slice->first - before : 0;
        size_t end = slice->end - before < count ? slice->end - before : count;
        for (size_t k = first; k < end; k++) {
            uint32_t node = nodes.first + (uint32_t)k;
            if (tv_sums_is_touched(sums, node))
                TV_TRY(climb_from(slice, node, err));
        }
        before += count;
    }
    return TV_OK;
}

static void slice_task(void *arg, size_t task_ix)
{
    struct node_slice *slice = (struct node_slice *)arg + task_ix;
    slice->code = merge_slice(slice, &slice->err);
}

/* Merges the tree of a slice into the whole. Until trees are sorted, first_child is free: it says
 * which merged node a node of the slice's tree became. */
static enum tv_code add_slice(struct tv_call_tree_merger *merger, const struct node_slice *slice,
                              struct tv_error *err)
{
    for (size_t i = 0; i < slice->tree.count; i++) {
        struct tv_call_tree_node *from = &slice->tree.nodes[i];
        uint32_t parent = slice->merger.parents[i];
        uint32_t target = parent == TV_NONE ? TV_NONE : slice->tree.nodes[parent].first_child;
        TV_TRY(tv_call_tree_find_child(merger, target, from->method, &from->first_child, err));
        struct tv_call_tree_node *to = &merger->tree->nodes[from->first_child];
        tv_numbers_add(&to->numbers, &from->numbers);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            to->method_inclusive_ns[clock] += from->method_inclusive_ns[clock];
        to->has_children = to->has_children || from->has_children;
    }
    return TV_OK;
}

/* Makes the trees of all slices at the same time, then merges them in order; the first
 * failure counts. */
static enum tv_code run_slices(struct tv_call_tree_merger *merger, struct node_slice *slices,
                               size_t count, const uint32_t *callers, size_t node_count,
                               struct tv_error *err)
{
    const struct tv_call_tree_opts *opts = merger->opts;
    const struct tv_pool *pool = opts->pool ? opts->pool : tv_pool_serial();
    for (size_t i = 0; i < count; i++) {
        slices[i].first = node_count / count * i;
        slices[i].end = i + 1 < count ? node_count / count * (i + 1) : node_count;
        slices[i].callers = callers;
        slices[i].is_shown_root = merger->is_shown_root;
        tv_call_tree_init(&slices[i].tree, merger->tree->alloc);
        tv_call_tree_merger_init(&slices[i].merger, &slices[i].tree, merger->sums, opts);
        slices[i].merger.levels = merger->levels;
    }
    pool->run(pool->ctx, slice_task, slices, count);
    enum tv_code code = TV_OK;
    for (size_t i = 0; i < count; i++) {
        if (code == TV_OK && slices[i].code != TV_OK) {
            code = slices[i].code;
            if (err)
                *err = slices[i].err;
        }
        if (code == TV_OK)
            code = add_slice(merger, &slices[i], err);
        tv_call_tree_merger_release(&slices[i].merger);
        tv_call_tree_release(&slices[i].tree);
    }
    return code;
}

/* Finds the nearest caller of each node that is not hidden. A parent stands before its children, so
 * its own is known. */
static void find_visible_callers(const struct tv_call_tree_merger *merger, uint32_t *callers)
{
    const struct tv_sums *sums = merger->sums;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            uint32_t parent = sums->parent[node];
            bool is_skipped =
                parent != TV_NONE && tv_call_tree_hides(merger->opts, sums->method[parent]);
            callers[node] = is_skipped ? callers[parent] : parent;
        }
    }
}

static size_t count_nodes(const struct tv_sums *sums)
{
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    size_t count = 0;
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        count += nodes.end - nodes.first;
    }
    return count;
}

/* How many steps climbing to that many levels takes: a node at a depth has that many callers. */
static uint64_t count_steps(const struct tv_sums *sums, uint32_t levels)
{
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    uint64_t steps = 0;
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++)
            steps += sums->depth[node] < levels ? sums->depth[node] + 1 : levels;
    }
    return steps;
}

/* Cuts the levels to as many as may be climbed. Halving finds a number that is not the largest one,
 * but at least half of it. */
static void limit_levels(struct tv_call_tree_merger *merger, size_t node_count)
{
    uint64_t each = node_count ? TV_CALL_TREE_CLIMB_MOST / node_count : TV_CALL_TREE_CLIMB_LIMIT;
    uint32_t least = each < TV_CALL_TREE_CLIMB_LIMIT ? (uint32_t)each : TV_CALL_TREE_CLIMB_LIMIT;
    least = least ? least : 1;
    while (merger->levels > least &&
           count_steps(merger->sums, merger->levels) > (uint64_t)least * node_count)
        merger->levels = merger->levels / 2 > least ? merger->levels / 2 : least;
}

/* The times of methods that decide which of them are roots, on the measure of the tree: exclusive
 * times, or inclusive ones where the tree is sorted by those. */
struct root_choice {
    const struct tv_index *index;
    int64_t *values; /* per method, ns */
};

/* Largest first, ties by rank. */
static int compare_roots(const void *ctx, uint32_t a, uint32_t b)
{
    const struct root_choice *choice = ctx;
    if (choice->values[a] != choice->values[b])
        return choice->values[a] > choice->values[b] ? -1 : 1;
    uint32_t rank_a = choice->index->methods[a].rank;
    uint32_t rank_b = choice->index->methods[b].rank;
    return (rank_a > rank_b) - (rank_a < rank_b);
}

/* Adds to each method the time that its root would have. A hidden node gives its time to its
 * nearest shown caller; by method, a node counts with its inclusive time and hidden nodes do not
 * count. */
static void add_roots(const struct tv_call_tree_merger *merger, const uint32_t *callers,
                      int64_t *values)
{
    const struct tv_sums *sums = merger->sums;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            bool is_hidden = tv_call_tree_hides(merger->opts, sums->method[node]);
            uint32_t at = is_hidden ? callers[node] : node;
            if (at == TV_NONE || !tv_sums_is_touched(sums, node))
                continue;
            struct tv_numbers numbers = own_numbers(sums, node);
            const uint64_t *times = numbers.exclusive_ns;
            if (tv_call_tree_is_by_method(merger->opts)) {
                times = numbers.inclusive_ns;
                if (is_hidden)
                    continue;
            }
            values[sums->method[at]] += tv_measure_of(times, merger->opts->measure);
        }
    }
}

/* Marks the roots that the cut and the limit of all nodes leave: nothing below another one can be
 * shown, and most methods of a trace are small. `order` has room for all methods. */
static enum tv_code choose_roots(struct tv_call_tree_merger *merger, const uint32_t *callers,
                                 struct root_choice *choice, uint32_t *order, struct tv_error *err)
{
    const struct tv_call_tree_opts *opts = merger->opts;
    uint32_t count = choice->index->method_count;
    double cut_value = opts->cut * (double)tv_measure_of(merger->sums->total_ns, opts->measure);
    add_roots(merger, callers, choice->values);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    TV_TRY(tv_sort(merger->tree->alloc, order, count, compare_roots, choice, err));
    for (uint32_t i = 0; i < count; i++) {
        if (opts->row_limit && i >= opts->row_limit) {
            merger->tree->is_limited =
                choice->values[order[i]] > 0 && (double)choice->values[order[i]] >= cut_value;
            break;
        }
        merger->is_shown_root[order[i]] =
            opts->cut <= 0 || (double)choice->values[order[i]] >= cut_value;
    }
    return TV_OK;
}

/* Finds the roots that may be shown, where not all may. */
static enum tv_code find_shown_roots(struct tv_call_tree_merger *merger, const uint32_t *callers,
                                     struct tv_error *err)
{
    const struct tv_alloc *alloc = merger->tree->alloc;
    const struct tv_call_tree_opts *opts = merger->opts;
    struct root_choice choice = {.index = merger->sums->index};
    uint32_t *order = NULL;
    size_t count = choice.index->method_count;
    if (opts->path_len || opts->root || (!opts->row_limit && opts->cut <= 0))
        return TV_OK;
    enum tv_code code = tv_alloc_new(alloc, &merger->is_shown_root, count, 1, err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &choice.values, count, sizeof(*choice.values), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &order, count, sizeof(*order), err);
    if (code == TV_OK)
        code = choose_roots(merger, callers, &choice, order, err);
    tv_alloc_release(alloc, &order, count, sizeof(*order));
    tv_alloc_release(alloc, &choice.values, count, sizeof(*choice.values));
    return code;
}

/* The number of slices follows from the number of nodes and not from the cores, so the tree is the
 * same on every machine. */
enum tv_code tv_call_tree_merge_inverted(struct tv_call_tree_merger *merger, struct tv_error *err)
{
    const struct tv_alloc *alloc = merger->tree->alloc;
    const struct tv_sums *sums = merger->sums;
    size_t node_count = count_nodes(sums);
    limit_levels(merger, node_count);
    size_t slice_count = node_count / SLICE_NODES;
    slice_count = slice_count < SLICE_LIMIT ? slice_count : SLICE_LIMIT;
    slice_count = slice_count ? slice_count : 1;
    struct node_slice *slices;
    uint32_t *callers = NULL;
    TV_TRY(tv_alloc_new(alloc, &slices, slice_count, sizeof(*slices), err));
    enum tv_code code = TV_OK;
    if (merger->opts->hidden) {
        code = tv_alloc_new(alloc, &callers, sums->node_count, sizeof(*callers), err);
        if (code == TV_OK)
            find_visible_callers(merger, callers);
    }
    const uint32_t *shown_callers = callers ? callers : sums->parent;
    if (code == TV_OK)
        code = find_shown_roots(merger, shown_callers, err);
    if (code == TV_OK)
        code = run_slices(merger, slices, slice_count, shown_callers, node_count, err);
    tv_alloc_release(alloc, &callers, sums->node_count, sizeof(*callers));
    tv_alloc_release(alloc, &slices, slice_count, sizeof(*slices));
    return code;
}
