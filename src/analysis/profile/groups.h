/*
 * The method profile by class or by package; the methods of one class or package are a group.
 *
 * A group's exclusive time and calls are the sums of its methods'. Its inclusive time is that of
 * its outermost calls: those that no other call of the group contains. So a class whose methods
 * call each other counts once.
 *
 * A method's package is the name of its class up to the last point or slash, or up to the one
 * before that where "0x" and digits follow (pkg.Outer$$Lambda$7.0x00007f, a hidden class); "" for a
 * class without one.
 */
#ifndef TV_ANALYSIS_PROFILE_GROUPS_H
#define TV_ANALYSIS_PROFILE_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/profile.h"
#include "analysis/selection/name_pattern.h"
#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/str.h"

enum tv_group_kind { TV_GROUP_CLASS, TV_GROUP_PACKAGE };

struct tv_groups_opts {
    enum tv_group_kind kind;
    uint32_t parts; /* how many parts of a package's name count, from the left; 0: all */
    /* Only methods that the filter shows are members; NULL: all are. */
    const struct tv_method_filter *filter;
};

struct tv_group_row {
    /* With points between the parts of a package, even where the trace has slashes. */
    struct tv_str name;
    uint64_t methods; /* members with calls or time in the selection */
    /* Calls and exclusive times of all calls, inclusive times of outermost ones. */
    struct tv_numbers numbers;
};

struct tv_groups {
    const struct tv_alloc *alloc;
    struct tv_arena texts;     /* names of packages that had slashes */
    struct tv_group_row *rows; /* the names point into `texts` and into the index */
    size_t count;
    size_t cap;
};

void tv_groups_init(struct tv_groups *groups, const struct tv_alloc *alloc);
void tv_groups_release(struct tv_groups *groups);
/* Computes the groups, in the order of their names. `profile` is that of `sums`; both are borrowed
 * only for the call. Sorts the members' names, then goes over the nodes once. */
enum tv_code tv_groups_compute(struct tv_groups *groups, const struct tv_sums *sums,
                               const struct tv_profile *profile, const struct tv_groups_opts *opts,
                               struct tv_error *err) TV_MUST_CHECK;
/* Sorts the rows; ties by name. Groups have no rank: TV_SORT_RANK is like TV_SORT_NAME. */
enum tv_code tv_groups_order(struct tv_groups *groups, const struct tv_profile_sort *sort,
                             struct tv_error *err) TV_MUST_CHECK;

/* The package of a class, cut to its first `parts` parts; 0: all. */
struct tv_str tv_class_package(struct tv_str class_name, uint32_t parts);

#endif
