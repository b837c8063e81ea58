/*
 * Classes and packages; see analysis/profile/groups.h.
 *
 * Methods become members of groups by the sorted names of their groups. Inclusive times need the
 * nodes (analysis/profile/group_rows.h).
 */
#include "analysis/profile/groups.h"

#include "analysis/profile/group_rows.h"
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
    uint8_t *nesting; /* per node: an enum tv_nesting */
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

/* Adds the inclusive times of the nodes that no other one of their group contains. */
static enum tv_code add_inclusive(struct grouping *grouping, struct tv_error *err)
{
    const struct tv_sums *sums = grouping->sums;
    const struct tv_alloc *alloc = grouping->groups->alloc;
    const struct tv_method_groups by = {
        .of = grouping->group_of_method, .count = grouping->groups->count, .root = TV_NONE};
    TV_TRY(tv_alloc_new(alloc, &grouping->nesting, sums->node_count, 1, err));
    TV_TRY(tv_groups_nesting(&by, sums, grouping->nesting, alloc, err));
    for (uint32_t node = 0; node < sums->node_count; node++) {
        if (grouping->nesting[node] != TV_NESTING_OUTERMOST)
            continue;
        struct tv_numbers *numbers = &grouping->groups->rows[by.of[sums->method[node]]].numbers;
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            numbers->inclusive_ns[clock] += tv_sums_inclusive(sums, clock, node);
    }
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
    tv_alloc_release(alloc, &grouping.nesting, sums->node_count, 1);
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
