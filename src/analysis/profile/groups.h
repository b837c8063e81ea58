/*
 * The method profile by class or by package.
 *
 * A group's exclusive time and calls are the sums of its methods'. Its inclusive time is that of
 * its outermost calls: those that no other call of the group contains; so a class whose methods
 * call each other counts once.
 *
 * A method's package is its class's name up to the last point or slash, or up to the one before
 * where "0x" and digits follow (pkg.Outer$$Lambda$7.0x00007f: a hidden class); "" without one.
 */
#ifndef TV_ANALYSIS_PROFILE_GROUPS_H
#define TV_ANALYSIS_PROFILE_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/profile.h"
#include "analysis/selection/name_pattern.h"
#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"

enum tv_group_kind { TV_GROUP_CLASS, TV_GROUP_PACKAGE };

struct tv_groups_opts {
    enum tv_group_kind kind;
    uint32_t parts;                        /* of a package's name, from the left; 0: all */
    const struct tv_method_filter *filter; /* only methods that it shows are members; NULL: all */
};

struct tv_group_row {
    struct tv_str name; /* points between parts of packages, even where the trace has slashes */
    uint64_t methods;   /* with calls or time in the selection */
    struct tv_numbers numbers; /* calls: all; inclusive: of outermost calls; exclusive: of all */
};

struct tv_groups {
    const struct tv_alloc *alloc;
    struct tv_arena texts;
    struct tv_group_row *rows; /* names borrow from texts and from the index */
    size_t count;
    size_t cap;
};

void tv_groups_init(struct tv_groups *groups, const struct tv_alloc *alloc);
void tv_groups_release(struct tv_groups *groups);
/* `profile` is that of `sums`. Rows come by name. Sorts the members' names, then one walk over the
 * nodes. */
enum tv_code tv_groups_compute(struct tv_groups *groups, const struct tv_sums *sums,
                               const struct tv_profile *profile, const struct tv_groups_opts *opts,
                               struct tv_error *err) TV_MUST_CHECK;
/* Puts the rows in order; ties by name. TV_SORT_RANK is as by name. */
enum tv_code tv_groups_order(struct tv_groups *groups, const struct tv_profile_sort *sort,
                             struct tv_error *err) TV_MUST_CHECK;

/* The part of a class's name that is its package, cut to the first `parts` parts; 0: all. */
struct tv_str tv_class_package(struct tv_str class_name, uint32_t parts);

#endif
