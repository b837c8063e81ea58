/*
 * Sums of the calls of a set and of what they made; see tv_sums_keep in analysis/selection/sums.h.
 *
 * The nodes of the set are listed anew, as those that a short range meets are (sums.c): what comes
 * after costs the nodes of the set. Its outermost nodes are roots then. A method that called itself
 * only from outside of the set is not recursive in it, so the marks of recursive nodes are made
 * anew. What was not recursive in the whole trace is not here: of the others each looks for its
 * method among its callers, or, where stacks are deep, a walk from the roots knows which methods
 * are open.
 */
#include "analysis/selection/call_set.h"
#include "analysis/selection/sums.h"
#include "analysis/selection/sums_add.h"
#include "base/alloc.h"
#include "base/error.h"

/* The sums while they are listed anew. */
struct keeping {
    struct tv_sums *sums;
    const struct tv_call_set *set;
    uint32_t *slot_of; /* per node of the old sums: its new number; TV_NONE: it is outside */
    size_t slot_cap;
    uint32_t count; /* of new nodes */
    uint32_t *columns;
    size_t column_cap;
    uint64_t *slots; /* TV_SUM_SLOT_COUNT words per new node */
    size_t slots_cap;
};

/* Numbers the nodes of the set in the selected threads. */
static void number_nodes(struct keeping *keeping)
{
    const struct tv_sums *sums = keeping->sums;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            bool is_kept = keeping->set->place[tv_sums_index_node(sums, node)] != TV_CALL_OUTSIDE;
            keeping->slot_of[node] = is_kept ? keeping->count++ : TV_NONE;
        }
    }
}

/* Writes the columns and the numbers of one node. */
static void write_node(const struct keeping *keeping, uint32_t node)
{
    const struct tv_sums *sums = keeping->sums;
    uint32_t count = keeping->count;
    uint32_t at = keeping->slot_of[node];
    uint32_t parent = sums->parent[node];
    uint32_t *columns = keeping->columns;
    uint64_t *slots = keeping->slots + (size_t)at * TV_SUM_SLOT_COUNT;
    tv_sums_column(columns, count, TV_SUM_INDEX_NODE)[at] = tv_sums_index_node(sums, node);
    tv_sums_column(columns, count, TV_SUM_METHOD)[at] = sums->method[node];
    tv_sums_column(columns, count, TV_SUM_PARENT)[at] =
        parent == TV_NONE ? TV_NONE : keeping->slot_of[parent];
    tv_sums_set_depth(columns, count, at);
    slots[TV_SUM_CALLS] = tv_sums_calls(sums, node);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        slots[TV_SUM_INCLUSIVE + clock] = tv_sums_inclusive(sums, clock, node);
        slots[TV_SUM_EXCLUSIVE + clock] = tv_sums_exclusive(sums, clock, node);
    }
}

static void write_nodes(const struct keeping *keeping)
{
    const struct tv_sums *sums = keeping->sums;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            if (keeping->slot_of[node] != TV_NONE)
                write_node(keeping, node);
        }
    }
}

/* Puts what was made in place of the old columns and numbers. */
static void replace(struct keeping *keeping)
{
    struct tv_sums *sums = keeping->sums;
    const struct tv_alloc *alloc = sums->alloc;
    tv_alloc_release(alloc, &sums->owned, sums->owned_count, sizeof(*sums->owned));
    tv_alloc_release(alloc, &sums->columns, sums->columns_count, sizeof(*sums->columns));
    sums->owned = keeping->slots;
    sums->owned_count = keeping->slots_cap;
    sums->columns = keeping->columns;
    sums->columns_count = keeping->column_cap;
    tv_sums_use_columns(sums, keeping->count);
}

/* Children of each node, and what a walk over them needs. */
struct walk {
    uint32_t *first_child;  /* per node, and of the roots behind them */
    uint32_t *next_sibling; /* per node */
    uint32_t *open;         /* per method: how many calls of it the walk is in */
};

static void link_nodes(const struct tv_sums *sums, struct walk *walk)
{
    for (uint32_t node = 0; node <= sums->node_count; node++)
        walk->first_child[node] = TV_NONE;
    for (uint32_t node = sums->node_count; node-- > 0;) {
        uint32_t under = sums->parent[node] == TV_NONE ? sums->node_count : sums->parent[node];
        walk->next_sibling[node] = walk->first_child[under];
        walk->first_child[under] = node;
    }
}

/* The node that comes after one whose children were all walked; TV_NONE at the end. */
static uint32_t leave(const struct tv_sums *sums, struct walk *walk, uint32_t node)
{
    while (node != TV_NONE) {
        walk->open[sums->method[node]]--;
        if (walk->next_sibling[node] != TV_NONE)
            return walk->next_sibling[node];
        node = sums->parent[node];
    }
    return TV_NONE;
}

/* Walks down from the roots, without a stack: siblings and parents tell where to go on. */
static void mark_recursive(const struct tv_sums *sums, struct walk *walk, uint8_t *flags)
{
    for (uint32_t node = walk->first_child[sums->node_count]; node != TV_NONE;) {
        flags[node] = walk->open[sums->method[node]]++ ? TV_NODE_RECURSIVE : 0;
        uint32_t child = walk->first_child[node];
        node = child != TV_NONE ? child : leave(sums, walk, node);
    }
}

static enum tv_code find_by_walk(const struct tv_sums *sums, uint8_t *flags, struct tv_error *err)
{
    const struct tv_alloc *alloc = sums->alloc;
    struct walk walk = {.open = NULL};
    size_t nodes = sums->node_count + (size_t)1;
    size_t methods = sums->index->method_count;
    enum tv_code code = tv_alloc_new(alloc, &walk.first_child, nodes, sizeof(uint32_t), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &walk.next_sibling, nodes, sizeof(uint32_t), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &walk.open, methods, sizeof(uint32_t), err);
    if (code == TV_OK) {
        link_nodes(sums, &walk);
        mark_recursive(sums, &walk, flags);
    }
    tv_alloc_release(alloc, &walk.open, methods, sizeof(uint32_t));
    tv_alloc_release(alloc, &walk.next_sibling, nodes, sizeof(uint32_t));
    tv_alloc_release(alloc, &walk.first_child, nodes, sizeof(uint32_t));
    return code;
}

/* From this depth on, looking through the callers of each node costs more than the walk. */
#define DEEP 64u

/* Whether a node may call its own method again: it does in the whole trace. */
static bool may_be_recursive(const struct tv_sums *sums, uint32_t node)
{
    return sums->index->node_flags[tv_sums_index_node(sums, node)] & TV_NODE_RECURSIVE;
}

static uint8_t flags_by_callers(const struct tv_sums *sums, uint32_t node)
{
    for (uint32_t at = sums->parent[node]; at != TV_NONE; at = sums->parent[at]) {
        if (sums->method[at] == sums->method[node])
            return TV_NODE_RECURSIVE;
    }
    return 0;
}

enum tv_code tv_sums_find_recursive(struct tv_sums *sums, struct tv_error *err)
{
    uint8_t *flags = (uint8_t *)tv_sums_column(sums->columns, sums->node_count, TV_SUM_FLAGS);
    for (uint32_t node = 0; node < sums->node_count; node++) {
        const bool may_be = may_be_recursive(sums, node);
        if (may_be && sums->depth[node] >= DEEP)
            return find_by_walk(sums, flags, err);
        flags[node] = may_be ? flags_by_callers(sums, node) : 0;
    }
    return TV_OK;
}

/* What 100 % is: the outermost calls of the set. */
static void add_totals(struct tv_sums *sums)
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        sums->total_ns[clock] = 0;
    for (uint32_t node = 0; node < sums->node_count; node++) {
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT && sums->parent[node] == TV_NONE; clock++)
            sums->total_ns[clock] += tv_sums_inclusive(sums, clock, node);
    }
}

/* Room is taken for one node more, so that no room of length 0 is asked for. */
static enum tv_code list_set(struct keeping *keeping, struct tv_error *err)
{
    const struct tv_alloc *alloc = keeping->sums->alloc;
    TV_TRY(tv_alloc_grow(alloc, &keeping->slot_of, &keeping->slot_cap,
                         keeping->sums->node_count + (size_t)1, sizeof(uint32_t), err));
    number_nodes(keeping);
    size_t count = keeping->count + (size_t)1;
    TV_TRY(tv_alloc_grow(alloc, &keeping->columns, &keeping->column_cap,
                         count * TV_SUM_COLUMN_COUNT, sizeof(uint32_t), err));
    TV_TRY(tv_alloc_grow(alloc, &keeping->slots, &keeping->slots_cap, count * TV_SUM_SLOT_COUNT,
                         sizeof(uint64_t), err));
    write_nodes(keeping);
    return TV_OK;
}

enum tv_code tv_sums_keep(struct tv_sums *sums, const struct tv_call_set *set, struct tv_error *err)
{
    const struct tv_alloc *alloc = sums->alloc;
    struct keeping keeping = {.sums = sums, .set = set};
    tv_assert(!sums->shown_parents);
    enum tv_code code = list_set(&keeping, err);
    tv_alloc_release(alloc, &keeping.slot_of, keeping.slot_cap, sizeof(uint32_t));
    if (code != TV_OK) {
        tv_alloc_release(alloc, &keeping.slots, keeping.slots_cap, sizeof(uint64_t));
        tv_alloc_release(alloc, &keeping.columns, keeping.column_cap, sizeof(uint32_t));
        return code;
    }
    replace(&keeping);
    add_totals(sums);
    return tv_sums_find_recursive(sums, err);
}
