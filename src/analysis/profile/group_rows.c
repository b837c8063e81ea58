/*
 * Rows of groups; see analysis/profile/group_rows.h.
 *
 * A node is nested if a node above it is of the same group. A walk over the tree of each thread
 * tells, by a count per group of the nodes on the path that are open.
 */
#include "analysis/profile/group_rows.h"

/* A node of one thread during the walk, in numbers that count from the thread's first node. All
 * that a step of the walk reads stands together. */
struct walk_node {
    uint32_t first_child;
    uint32_t next_sibling;
    uint32_t parent;
    uint32_t method;
};

struct walk {
    const struct tv_method_groups *groups;
    const struct tv_sums *sums;
    struct walk_node *tree; /* nodes of one thread; the entry after them stands above the roots */
    size_t tree_count;      /* room: that of the largest thread */
    uint32_t *open;         /* per group: nodes of it from the root to where the walk is */
    uint32_t open_roots;    /* the same of groups->root */
    uint8_t *nesting;       /* per node of the sums */
};

/* Links the nodes of a thread from parents to children, backwards, so that siblings come in
 * their order. */
static void list_children(const struct walk *walk, struct tv_node_range nodes)
{
    struct walk_node *tree = walk->tree;
    uint32_t count = nodes.end - nodes.first;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = nodes.first + i;
        uint32_t parent = walk->sums->parent[node];
        tree[i] = (struct walk_node){.first_child = TV_NONE,
                                     .parent = parent == TV_NONE ? TV_NONE : parent - nodes.first,
                                     .method = walk->sums->method[node]};
    }
    tree[count].first_child = TV_NONE;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t under = tree[i].parent == TV_NONE ? count : tree[i].parent;
        tree[i].next_sibling = tree[under].first_child;
        tree[under].first_child = i;
    }
}

/* Opens a node, and returns how it stands to those that are open. */
static enum tv_nesting enter_node(struct walk *walk, uint32_t method)
{
    const uint32_t group = walk->groups->of[method];
    walk->open_roots += method == walk->groups->root;
    if (group == TV_NONE || (walk->groups->root != TV_NONE && !walk->open_roots))
        return TV_NESTING_NONE;
    return walk->open[group]++ ? TV_NESTING_NESTED : TV_NESTING_OUTERMOST;
}

static void leave_node(struct walk *walk, uint32_t method, uint8_t nesting)
{
    walk->open_roots -= method == walk->groups->root;
    if (nesting != TV_NESTING_NONE)
        walk->open[walk->groups->of[method]]--;
}

/* Walks the nodes depth first. The way back up is the parent, so a deep tree needs no stack. */
static void walk_thread(struct walk *walk, struct tv_node_range nodes)
{
    const struct walk_node *tree = walk->tree;
    if (nodes.first == nodes.end)
        return; /* without any node in the trace there is no room for marks */
    uint8_t *nesting = walk->nesting + nodes.first;
    list_children(walk, nodes);
    uint32_t at = tree[nodes.end - nodes.first].first_child;
    while (at != TV_NONE) {
        nesting[at] = (uint8_t)enter_node(walk, tree[at].method);
        uint32_t next = tree[at].first_child;
        while (next == TV_NONE && at != TV_NONE) {
            leave_node(walk, tree[at].method, nesting[at]);
            next = tree[at].next_sibling;
            at = tree[at].parent;
        }
        at = next;
    }
}

static enum tv_code walk_threads(struct walk *walk, const struct tv_alloc *alloc,
                                 struct tv_error *err)
{
    const struct tv_sums *sums = walk->sums;
    const uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        const struct tv_node_range nodes = tv_sums_nodes(sums, i);
        const size_t room = (size_t)(nodes.end - nodes.first) + 1;
        walk->tree_count = room > walk->tree_count ? room : walk->tree_count;
    }
    TV_TRY(tv_alloc_new(alloc, &walk->open, walk->groups->count, sizeof(*walk->open), err));
    TV_TRY(tv_alloc_new(alloc, &walk->tree, walk->tree_count, sizeof(*walk->tree), err));
    for (uint32_t i = 0; i < thread_count; i++) {
        TV_TRY(tv_check_wanted(sums->is_unwanted, err));
        walk_thread(walk, tv_sums_nodes(sums, i));
    }
    return TV_OK;
}

enum tv_code tv_groups_nesting(const struct tv_method_groups *groups, const struct tv_sums *sums,
                               uint8_t *nesting, const struct tv_alloc *alloc, struct tv_error *err)
{
    struct walk walk = {.groups = groups, .sums = sums, .nesting = nesting};
    for (uint32_t node = 0; node < sums->node_count; node++)
        nesting[node] = TV_NESTING_NONE;
    enum tv_code code = walk_threads(&walk, alloc, err);
    tv_alloc_release(alloc, &walk.tree, walk.tree_count, sizeof(*walk.tree));
    tv_alloc_release(alloc, &walk.open, groups->count, sizeof(*walk.open));
    return code;
}

static void add_node(const struct tv_sums *sums, uint32_t node, enum tv_nesting nesting,
                     struct tv_method_row *row)
{
    const bool is_outermost = nesting == TV_NESTING_OUTERMOST;
    const uint64_t calls = tv_sums_calls(sums, node);
    row->numbers.calls += is_outermost ? calls : 0;
    row->recursive_calls += is_outermost ? 0 : calls;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        row->numbers.exclusive_ns[clock] += tv_sums_exclusive(sums, clock, node);
        if (is_outermost)
            row->numbers.inclusive_ns[clock] += tv_sums_inclusive(sums, clock, node);
    }
}

enum tv_code tv_groups_rows(const struct tv_method_groups *groups, const struct tv_sums *sums,
                            struct tv_method_row *rows, const struct tv_alloc *alloc,
                            struct tv_error *err)
{
    uint8_t *nesting;
    TV_TRY(tv_alloc_new(alloc, &nesting, sums->node_count, sizeof(*nesting), err));
    enum tv_code code = tv_groups_nesting(groups, sums, nesting, alloc, err);
    for (uint32_t node = 0; code == TV_OK && node < sums->node_count; node++) {
        if (nesting[node] != TV_NESTING_NONE)
            add_node(sums, node, (enum tv_nesting)nesting[node],
                     &rows[groups->of[sums->method[node]]]);
    }
    tv_alloc_release(alloc, &nesting, sums->node_count, sizeof(*nesting));
    return code;
}
