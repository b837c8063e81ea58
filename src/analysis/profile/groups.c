/*
 * Classes and packages; see analysis/profile/groups.h.
 *
 * Methods become members of groups by the sorted names of their groups. Inclusive times need the
 * nodes: a node counts for its group if no node above it is of the same group. A walk over the tree
 * of each thread tells, by a count per group of the nodes on the path that are open.
 */
#include "analysis/profile/groups.h"

#include "analysis/selection/names.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/sort.h"
#include "base/names/java_names.h"

static bool is_separator(char c)
{
    return c == '.' || c == '/';
}

/* Where the last separator stands; 0 when there is none. */
static size_t last_separator(struct tv_str text)
{
    size_t at = text.len;
    while (at && !is_separator(text.at[at - 1]))
        at--;
    return at ? at - 1 : 0;
}

/* The address of a hidden class is no part of it: each hidden class would be alone in a package. */
struct tv_str tv_class_package(struct tv_str class_name, uint32_t parts)
{
    struct tv_str named = {class_name.at, tv_java_class_named_len(class_name)};
    struct tv_str package = {class_name.at, last_separator(named)};
    uint32_t seen = 0;
    for (size_t i = 0; parts && i < package.len; i++) {
        seen += is_separator(package.at[i]);
        if (seen == parts)
            package.len = i;
    }
    return package;
}

void tv_groups_init(struct tv_groups *groups, const struct tv_alloc *alloc)
{
    *groups = (struct tv_groups){.alloc = alloc};
    tv_arena_init(&groups->texts, alloc);
}

void tv_groups_release(struct tv_groups *groups)
{
    tv_alloc_release(groups->alloc, &groups->rows, groups->cap, sizeof(*groups->rows));
    tv_arena_release(&groups->texts);
    tv_groups_init(groups, groups->alloc);
}

/* A node of one thread during the walk, in numbers that count from the thread's first node. All
 * that a step of the walk reads stands together. */
struct group_node {
    uint32_t first_child;
    uint32_t next_sibling;
    uint32_t parent;
    /* The group of the node's method, or TV_NONE. When the walk leaves a node that lies below
     * another one of its group, this becomes TV_NONE: the node does not count. */
    uint32_t group;
};

/* What the steps share: each method's group, and the scratch of the walk. */
struct grouping {
    struct tv_groups *groups;
    const struct tv_sums *sums;
    const struct tv_profile *profile;
    const struct tv_groups_opts *opts;
    struct tv_str *names; /* per method: the name of its group */
    uint32_t *members; /* ordinals of the methods that are in groups, sorted by the names of their
                          groups */
    uint32_t *group_of_method; /* ordinal of the group; TV_NONE: the method is in none */
    uint32_t member_count;
    /* Per group: nodes of it on the path from the root to where the walk is. */
    uint32_t *open_calls;
    struct group_node *tree; /* nodes of one thread; the entry after them stands above the roots */
    size_t tree_count;       /* room: that of the largest thread */
};

/* The name of a method's group. A package with slashes is copied, with points in their place. */
static enum tv_code name_of(struct grouping *grouping, uint32_t method, struct tv_str *name,
                            struct tv_error *err)
{
    char *at;
    *name = tv_method_class(grouping->sums->index, method);
    if (grouping->opts->kind == TV_GROUP_CLASS)
        return TV_OK;
    *name = tv_class_package(*name, grouping->opts->parts);
    if (tv_str_find(*name, TV_STR("/"), TV_CASE_EXACT) == SIZE_MAX)
        return TV_OK;
    TV_TRY(tv_arena_take(&grouping->groups->texts, name->len, &at, err));
    for (size_t i = 0; i < name->len; i++)
        at[i] = name->at[i] == '/' ? '.' : name->at[i];
    name->at = at;
    return TV_OK;
}

/* Members are the methods that have something in the selection and that the filter shows. */
static enum tv_code choose_members(struct grouping *grouping, struct tv_error *err)
{
    const struct tv_method_filter *filter = grouping->opts->filter;
    for (uint32_t i = 0; i < grouping->sums->index->method_count; i++) {
        if (!tv_profile_has(grouping->profile, i) || (filter && !tv_method_filter_shows(filter, i)))
            continue;
        TV_TRY(name_of(grouping, i, &grouping->names[i], err));
        grouping->members[grouping->member_count++] = i;
    }
    return TV_OK;
}

static int compare_members(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_str *names = ctx;
    return tv_str_compare(names[a], names[b]);
}

static void add_member(struct tv_group_row *row, const struct tv_method_row *method)
{
    row->methods++;
    row->numbers.calls += method->numbers.calls + method->recursive_calls;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        row->numbers.exclusive_ns[clock] += method->numbers.exclusive_ns[clock];
}

/* Sorts the members by the names of their groups, and makes a row of each run of equal names. */
static enum tv_code make_rows(struct grouping *grouping, struct tv_error *err)
{
    struct tv_groups *groups = grouping->groups;
    const struct tv_str *names = grouping->names;
    TV_TRY(tv_sort(groups->alloc, grouping->members, grouping->member_count, compare_members, names,
                   err));
    for (uint32_t i = 0; i < grouping->sums->index->method_count; i++)
        grouping->group_of_method[i] = TV_NONE;
    for (uint32_t i = 0; i < grouping->member_count; i++) {
        uint32_t method = grouping->members[i];
        if (!i || !tv_str_equal(names[method], names[grouping->members[i - 1]])) {
            TV_TRY(tv_alloc_grow(groups->alloc, &groups->rows, &groups->cap, groups->count + 1,
                                 sizeof(*groups->rows), err));
            groups->rows[groups->count++] = (struct tv_group_row){.name = names[method]};
        }
        grouping->group_of_method[method] = (uint32_t)groups->count - 1;
        add_member(&groups->rows[groups->count - 1], &grouping->profile->rows[method]);
    }
    return TV_OK;
}

/* Links the nodes of a thread from parents to children, backwards, so that siblings come in
 * their order. */
static void list_children(const struct grouping *grouping, struct tv_node_range nodes)
{
    struct group_node *tree = grouping->tree;
    uint32_t count = nodes.end - nodes.first;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = nodes.first + i;
        uint32_t parent = grouping->sums->parent[node];
        tree[i] = (struct group_node){
            .first_child = TV_NONE,
            .parent = parent == TV_NONE ? TV_NONE : parent - nodes.first,
            .group = grouping->group_of_method[grouping->sums->method[node]],
        };
    }
    tree[count].first_child = TV_NONE;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t under = tree[i].parent == TV_NONE ? count : tree[i].parent;
        tree[i].next_sibling = tree[under].first_child;
        tree[under].first_child = i;
    }
}

/* The node is not the only one of its group on the path: it lies below another one. */
static void leave_node(const struct grouping *grouping, struct group_node *node)
{
    if (node->group != TV_NONE && --grouping->open_calls[node->group])
        node->group = TV_NONE;
}

/* Walks the nodes depth first. The way back up is the parent, so a deep tree needs no stack. */
static void walk_nodes(const struct grouping *grouping, uint32_t count)
{
    struct group_node *tree = grouping->tree;
    uint32_t at = tree[count].first_child;
    while (at != TV_NONE) {
        if (tree[at].group != TV_NONE)
            grouping->open_calls[tree[at].group]++;
        uint32_t next = tree[at].first_child;
        while (next == TV_NONE && at != TV_NONE) {
            leave_node(grouping, &tree[at]);
            next = tree[at].next_sibling;
            at = tree[at].parent;
        }
        at = next;
    }
}

/* Adds the inclusive times of a thread's nodes to their groups, after the walk has told
 * which count. */
static void add_thread(const struct grouping *grouping, struct tv_node_range nodes)
{
    list_children(grouping, nodes);
    walk_nodes(grouping, nodes.end - nodes.first);
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        uint32_t group = grouping->tree[node - nodes.first].group;
        if (group == TV_NONE)
            continue;
        struct tv_numbers *numbers = &grouping->groups->rows[group].numbers;
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            numbers->inclusive_ns[clock] += tv_sums_inclusive(grouping->sums, clock, node);
    }
}

/* Goes through the selected threads, with scratch for the largest of them. */
static enum tv_code add_inclusive(struct grouping *grouping, struct tv_error *err)
{
    const struct tv_sums *sums = grouping->sums;
    const struct tv_alloc *alloc = grouping->groups->alloc;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        uint32_t count = nodes.end - nodes.first;
        if (count >= grouping->tree_count)
            grouping->tree_count = (size_t)count + 1;
    }
    TV_TRY(
        tv_alloc_new(alloc, &grouping->open_calls, grouping->groups->count, sizeof(uint32_t), err));
    TV_TRY(
        tv_alloc_new(alloc, &grouping->tree, grouping->tree_count, sizeof(*grouping->tree), err));
    for (uint32_t i = 0; i < thread_count; i++)
        add_thread(grouping, tv_sums_nodes(sums, i));
    return TV_OK;
}

/* The steps in order; tv_groups_compute releases the scratch, whichever of them fails. */
static enum tv_code group_methods(struct grouping *grouping, struct tv_error *err)
{
    const struct tv_alloc *alloc = grouping->groups->alloc;
    uint32_t count = grouping->sums->index->method_count;
    TV_TRY(tv_alloc_new(alloc, &grouping->names, count, sizeof(*grouping->names), err));
    TV_TRY(tv_alloc_new(alloc, &grouping->members, count, sizeof(uint32_t), err));
    TV_TRY(tv_alloc_new(alloc, &grouping->group_of_method, count, sizeof(uint32_t), err));
    TV_TRY(choose_members(grouping, err));
    TV_TRY(make_rows(grouping, err));
    return add_inclusive(grouping, err);
}

enum tv_code tv_groups_compute(struct tv_groups *groups, const struct tv_sums *sums,
                               const struct tv_profile *profile, const struct tv_groups_opts *opts,
                               struct tv_error *err)
{
    const struct tv_alloc *alloc = groups->alloc;
    struct grouping grouping = {.groups = groups, .sums = sums, .profile = profile, .opts = opts};
    uint32_t count = sums->index->method_count;
    tv_groups_release(groups);
    enum tv_code code = group_methods(&grouping, err);
    tv_alloc_release(alloc, &grouping.tree, grouping.tree_count, sizeof(*grouping.tree));
    tv_alloc_release(alloc, &grouping.open_calls, groups->count, sizeof(uint32_t));
    tv_alloc_release(alloc, &grouping.group_of_method, count, sizeof(uint32_t));
    tv_alloc_release(alloc, &grouping.members, count, sizeof(uint32_t));
    tv_alloc_release(alloc, &grouping.names, count, sizeof(*grouping.names));
    if (code != TV_OK)
        tv_groups_release(groups);
    return code;
}

struct group_ordering {
    const struct tv_group_row *rows;
    const struct tv_profile_sort *sort;
};

/* Orders rows by the number asked for, then by name, in which no two groups are equal. */
static int compare_groups(const void *ctx, uint32_t a, uint32_t b)
{
    const struct group_ordering *ordering = ctx;
    const struct tv_group_row *row_a = &ordering->rows[a];
    const struct tv_group_row *row_b = &ordering->rows[b];
    int by_name = tv_str_compare(row_a->name, row_b->name);
    double value_a = tv_numbers_value(&row_a->numbers, ordering->sort);
    double value_b = tv_numbers_value(&row_b->numbers, ordering->sort);
    int by_value = (value_a > value_b) - (value_a < value_b);
    if (ordering->sort->key == TV_SORT_NAME || ordering->sort->key == TV_SORT_RANK)
        by_value = by_name;
    if (ordering->sort->order == TV_DESCENDING)
        by_value = -by_value;
    return by_value ? by_value : by_name;
}

enum tv_code tv_groups_order(struct tv_groups *groups, const struct tv_profile_sort *sort,
                             struct tv_error *err)
{
    struct group_ordering ordering = {groups->rows, sort};
    return tv_sort_rows(groups->alloc, groups->rows, groups->count, sizeof(*groups->rows),
                        compare_groups, &ordering, err);
}
