/*
 * Sums of a set of single calls and of what they made; see analysis/selection/sums.h.
 *
 * The runs of the set (analysis/selection/call_set.h) are added to listed nodes. A node of the
 * index may have calls below outermost calls of the set of several depths, where a method calls
 * itself: seen from the set these have different callers, so the node is listed once for each of
 * these depths. Runs come depth by depth, so a table tells the number of each node for the depth at
 * hand; in the end all are put in the order of the index.
 */
#include "analysis/selection/call_set.h"
#include "analysis/selection/sums.h"
#include "analysis/selection/sums_add.h"
#include "base/alloc.h"
#include "base/error.h"

/* A node of the sums as it is listed first. */
struct listed {
    uint32_t index_node;
    uint32_t parent; /* number in the list */
};

struct listing {
    struct tv_sums *sums;
    const struct tv_index *index;
    struct tv_sums_adder adder;
    uint32_t *slot_of; /* per node of the index: its number for the depth at hand; TV_NONE: none */
    struct listed *nodes;
    size_t node_cap;
    uint32_t count;
    uint32_t depth_first; /* the first node of the depth at hand */
    uint64_t *slots;      /* TV_SUM_SLOT_COUNT words per node */
    size_t slot_cap;
    struct tv_thread_range range; /* of the thread at hand */
};

/* The calls of a row that the selection meets, as [first, end), and which of them edges cut. */
struct met {
    uint64_t first;
    uint64_t end;
    struct tv_slice slice;
};

/* Lists a node below an outermost call of the depth at hand. */
static enum tv_code list_node(struct listing *listing, uint32_t node, uint32_t parent,
                              struct tv_error *err)
{
    const struct tv_alloc *alloc = listing->sums->alloc;
    const size_t words = ((size_t)listing->count + 1) * TV_SUM_SLOT_COUNT;
    if (listing->count == TV_NONE - 1)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "these calls have more than 2^32 places");
    TV_TRY(tv_alloc_grow(alloc, &listing->nodes, &listing->node_cap, listing->count + (size_t)1,
                         sizeof(*listing->nodes), err));
    TV_TRY(tv_alloc_grow(alloc, &listing->slots, &listing->slot_cap, words, sizeof(uint64_t), err));
    for (size_t i = words - TV_SUM_SLOT_COUNT; i < words; i++)
        listing->slots[i] = 0;
    listing->nodes[listing->count] = (struct listed){node, parent};
    listing->slot_of[node] = listing->count++;
    return TV_OK;
}

/* Lists a node after its callers, up to the outermost call. Nearly always its parent is listed. */
static enum tv_code list_with_callers(struct listing *listing, uint32_t node, uint32_t root_depth,
                                      struct tv_error *err)
{
    const struct tv_index *index = listing->index;
    while (listing->slot_of[node] == TV_NONE) {
        uint32_t at = node;
        while (index->node_depth[at] > root_depth &&
               listing->slot_of[index->node_parent[at]] == TV_NONE)
            at = index->node_parent[at];
        bool is_root = index->node_depth[at] <= root_depth;
        TV_TRY(list_node(listing, at, is_root ? TV_NONE : listing->slot_of[index->node_parent[at]],
                         err));
    }
    return TV_OK;
}

/* Another depth, or thread, begins. */
static void begin_depth(struct listing *listing)
{
    for (; listing->depth_first < listing->count; listing->depth_first++)
        listing->slot_of[listing->nodes[listing->depth_first].index_node] = TV_NONE;
}

static struct met met_in(const struct listing *listing, const struct tv_call_run *run)
{
    struct met met = {
        .slice = tv_slice_of(listing->index, run->thread_ix,
                             listing->index->threads[run->thread_ix].row_first + run->depth,
                             &listing->range)};
    met.first = met.slice.spanning != UINT64_MAX ? met.slice.spanning : met.slice.first;
    met.end = met.slice.end;
    return met;
}

/* Adds what of a run the selection meets. */
static enum tv_code add_run(struct listing *listing, const struct tv_call_run *run,
                            const struct met *met, struct tv_error *err)
{
    const struct tv_index *index = listing->index;
    const struct tv_index_thread *thread = &index->threads[run->thread_ix];
    uint64_t first = run->first > met->first ? run->first : met->first;
    uint64_t end = run->first + run->len < met->end ? run->first + run->len : met->end;
    for (uint64_t call = first; call < end; call++) {
        if (listing->slot_of[index->call_node[call]] == TV_NONE)
            TV_TRY(list_with_callers(listing, index->call_node[call], run->root_depth, err));
    }
    listing->adder.sums = listing->slots;
    if (first < end && first == met->slice.spanning)
        tv_sums_adder_add_cut(&listing->adder, thread, &listing->range, first++,
                              met->slice.spanning_overlaps);
    if (first < end && met->slice.last_is_cut && end == met->slice.end)
        tv_sums_adder_add_cut(&listing->adder, thread, &listing->range, --end, true);
    if (first < end)
        tv_sums_adder_add_calls(&listing->adder, thread, first, end);
    return TV_OK;
}

/* The place after the runs of the same thread. */
static size_t end_of_thread(const struct tv_call_set *set, size_t at)
{
    const uint32_t thread_ix = set->runs[at].thread_ix;
    while (at < set->run_count && set->runs[at].thread_ix == thread_ix)
        at++;
    return at;
}

/* Adds the runs [at, end), which are of one thread. */
static enum tv_code add_thread(struct listing *listing, const struct tv_call_set *set, size_t at,
                               size_t end, struct tv_error *err)
{
    struct met met = {.first = 0};
    begin_depth(listing);
    listing->range =
        tv_thread_range_of(listing->index, set->runs[at].thread_ix, &listing->sums->selection);
    for (size_t i = at; i < end; i++) {
        const struct tv_call_run *run = &set->runs[i];
        if (i > at && run->root_depth != run[-1].root_depth)
            begin_depth(listing);
        if (i == at || run->depth != run[-1].depth || run->root_depth != run[-1].root_depth)
            met = met_in(listing, run);
        TV_TRY(add_run(listing, run, &met, err));
    }
    return tv_check_wanted(listing->sums->is_unwanted, err);
}

/* Threads are in the order of the index in both lists. */
static enum tv_code add_threads(struct listing *listing, struct tv_error *err)
{
    const struct tv_selection *selection = &listing->sums->selection;
    const uint32_t thread_count = tv_selection_thread_count(selection, listing->index);
    uint32_t i = 0;
    for (size_t at = 0; at < selection->set->run_count;) {
        size_t end = end_of_thread(selection->set, at);
        const uint32_t thread_ix = selection->set->runs[at].thread_ix;
        while (i < thread_count && tv_selection_thread(selection, i) < thread_ix)
            i++;
        if (i < thread_count && tv_selection_thread(selection, i) == thread_ix)
            TV_TRY(add_thread(listing, selection->set, at, end, err));
        at = end;
    }
    return TV_OK;
}

/* Numbers the listed nodes in the order of the index; those of one node of the index stay in the
 * order of their depths. slot_of[node] becomes the number of the first of them. */
static void number_nodes(struct listing *listing, uint32_t *number_of)
{
    uint32_t *next = listing->slot_of;
    uint32_t at = 0;
    for (uint32_t node = 0; node < listing->index->node_count; node++)
        next[node] = 0;
    for (uint32_t i = 0; i < listing->count; i++)
        next[listing->nodes[i].index_node]++;
    for (uint32_t node = 0; node < listing->index->node_count; node++) {
        uint32_t count = next[node];
        next[node] = at;
        at += count;
    }
    for (uint32_t i = 0; i < listing->count; i++)
        number_of[i] = next[listing->nodes[i].index_node]++;
}

/* Moves the numbers of the listed nodes to their places, and makes the columns. */
static enum tv_code move_nodes(struct listing *listing, const uint32_t *number_of,
                               struct tv_error *err)
{
    struct tv_sums *sums = listing->sums;
    const struct tv_index *index = listing->index;
    const uint32_t count = listing->count;
    TV_TRY(tv_alloc_grow(sums->alloc, &sums->columns, &sums->columns_count,
                         ((size_t)count + 1) * TV_SUM_COLUMN_COUNT, sizeof(*sums->columns), err));
    tv_sums_use_columns(sums, count);
    TV_TRY(tv_sums_alloc(sums, &sums->owned, &sums->owned_count, err));
    for (uint32_t i = 0; i < count; i++) {
        const struct listed *node = &listing->nodes[i];
        uint32_t at = number_of[i];
        tv_sums_column(sums->columns, count, TV_SUM_INDEX_NODE)[at] = node->index_node;
        tv_sums_column(sums->columns, count, TV_SUM_METHOD)[at] =
            index->node_method[node->index_node];
        tv_sums_column(sums->columns, count, TV_SUM_PARENT)[at] =
            node->parent == TV_NONE ? TV_NONE : number_of[node->parent];
        tv_sums_set_depth(sums->columns, count, at);
        for (unsigned slot = 0; slot < TV_SUM_SLOT_COUNT; slot++)
            sums->owned[(size_t)at * TV_SUM_SLOT_COUNT + slot] =
                listing->slots[(size_t)i * TV_SUM_SLOT_COUNT + slot];
    }
    return TV_OK;
}

static enum tv_code order_nodes(struct listing *listing, struct tv_error *err)
{
    const struct tv_alloc *alloc = listing->sums->alloc;
    uint32_t *number_of = NULL;
    const size_t count = listing->count + (size_t)1;
    TV_TRY(tv_alloc_new(alloc, &number_of, count, sizeof(*number_of), err));
    number_nodes(listing, number_of);
    enum tv_code code = move_nodes(listing, number_of, err);
    tv_alloc_release(alloc, &number_of, count, sizeof(*number_of));
    return code;
}

static enum tv_code list_runs(struct listing *listing, struct tv_error *err)
{
    struct tv_sums *sums = listing->sums;
    for (uint32_t node = 0; node < sums->index->node_count; node++)
        listing->slot_of[node] = TV_NONE;
    listing->adder.index = sums->index;
    listing->adder.slot_of = listing->slot_of;
    TV_TRY(add_threads(listing, err));
    TV_TRY(order_nodes(listing, err));
    tv_sums_derive_exclusive(sums, (struct tv_node_range){0, sums->node_count});
    return tv_sums_find_recursive(sums, err);
}

enum tv_code tv_sums_of_runs(struct tv_sums *sums, struct tv_error *err)
{
    const struct tv_alloc *alloc = sums->alloc;
    const size_t nodes = sums->index->node_count + (size_t)1;
    struct listing listing = {.sums = sums, .index = sums->index};
    TV_TRY(tv_alloc_new(alloc, &listing.slot_of, nodes, sizeof(*listing.slot_of), err));
    enum tv_code code = list_runs(&listing, err);
    tv_alloc_release(alloc, &listing.slot_of, nodes, sizeof(*listing.slot_of));
    tv_alloc_release(alloc, &listing.nodes, listing.node_cap, sizeof(*listing.nodes));
    tv_alloc_release(alloc, &listing.slots, listing.slot_cap, sizeof(*listing.slots));
    return code;
}
