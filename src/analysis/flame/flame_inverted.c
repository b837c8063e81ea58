/*
 * Stacks turned over: from each node with own time upwards through its callers, one level at a time
 * for all, so that what is too thin can be left behind before its callers are looked at.
 *
 * The climbs that came the same way stand together, so that the boxes which they go to are few, and
 * found by method alone.
 */
#include "analysis/flame/flame_merge.h"
#include "base/alloc.h"
#include "base/error.h"

/* A climb from one node: where it is, and what it carries. */
struct climb {
    uint32_t at; /* node, or box of the stacks; TV_NONE past the root */
    uint32_t box;
    uint64_t self;
    uint64_t calls;
};

/* The climbs that came through one box; they stand together. */
struct group {
    uint32_t box; /* TV_NONE: none yet */
    size_t first;
    size_t end;
};

struct climbs {
    struct climb *climbs;
    size_t count;
    size_t cap;
    struct group *groups;
    size_t group_count;
    size_t group_cap;
};

struct climbing {
    struct tv_merged *merged;
    const struct tv_merged *stacks;
    struct climbs level; /* and those of the next */
    struct climbs next;
    uint32_t *child_of_method; /* the newest box of each method, or TV_NONE */
};

static uint32_t caller_of(const struct climbing *climbing, uint32_t at)
{
    return climbing->stacks ? climbing->stacks->boxes[at].parent
                            : climbing->merged->sums->parent[at];
}

static uint32_t method_of(const struct climbing *climbing, uint32_t at)
{
    return climbing->stacks ? climbing->stacks->boxes[at].method
                            : climbing->merged->sums->method[at];
}

/* Adds a climb that there is room for, unless it does not begin with the path (less its last
 * method, which is the bottom box). */
static void add_climb(struct climbing *climbing, uint32_t at, uint64_t self, uint64_t calls)
{
    const struct tv_flame_opts *opts = climbing->merged->opts;
    if (!self)
        return;
    for (size_t i = 0; i < opts->path_len; i++) {
        if (at == TV_NONE || method_of(climbing, at) != opts->path[i])
            return;
        if (i + 1 < opts->path_len)
            at = caller_of(climbing, at);
    }
    struct climbs *level = &climbing->level;
    level->climbs[level->count++] = (struct climb){at, TV_NONE, self, calls};
    climbing->merged->flame->value_ns += self;
}

static enum tv_code make_room(const struct climbing *climbing, struct climbs *climbs, size_t count,
                              struct tv_error *err)
{
    return tv_alloc_grow(climbing->merged->flame->alloc, &climbs->climbs, &climbs->cap,
                         climbs->count + count, sizeof(*climbs->climbs), err);
}

static enum tv_code add_group(const struct climbing *climbing, struct climbs *climbs,
                              struct group group, struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(climbing->merged->flame->alloc, &climbs->groups, &climbs->group_cap,
                         climbs->group_count + 1, sizeof(*climbs->groups), err));
    climbs->groups[climbs->group_count++] = group;
    return TV_OK;
}

/* All climbs that there are, as one group. */
static enum tv_code add_climbs(struct climbing *climbing, struct tv_error *err)
{
    const struct tv_merged *merged = climbing->merged;
    const struct tv_sums *sums = merged->sums;
    if (climbing->stacks) {
        TV_TRY(make_room(climbing, &climbing->level, climbing->stacks->count, err));
        for (size_t i = 0; i < climbing->stacks->count; i++) {
            const struct tv_flame_box *box = &climbing->stacks->boxes[i];
            add_climb(climbing, (uint32_t)i, box->self, box->calls);
        }
    }
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; !climbing->stacks && i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        TV_TRY(make_room(climbing, &climbing->level, nodes.end - nodes.first, err));
        for (uint32_t node = nodes.first; node < nodes.end; node++)
            add_climb(climbing, node, tv_merged_self(merged, node), tv_sums_calls(sums, node));
    }
    return add_group(climbing, &climbing->level, (struct group){TV_NONE, 0, climbing->level.count},
                     err);
}

/* What climbs so far ahead stand at is asked for while others go on. */
#define CLIMBS_AHEAD 12u

/* Adds the climbs of a group to the boxes of their methods, and takes each to its caller. x of a
 * box counts those that are not past the root. */
static enum tv_code climb_group(struct climbing *climbing, const struct group *group,
                                struct tv_error *err)
{
    struct tv_merged *merged = climbing->merged;
    uint32_t box_first = (uint32_t)merged->count;
    for (size_t i = group->first; i < group->end; i++) {
        struct climb *climb = &climbing->level.climbs[i];
        if (!climbing->stacks && i + CLIMBS_AHEAD < climbing->level.count) {
            TV_PREFETCH(&merged->sums->method[climb[CLIMBS_AHEAD].at]);
            TV_PREFETCH(&merged->sums->parent[climb[CLIMBS_AHEAD].at]);
        }
        uint32_t method = method_of(climbing, climb->at);
        uint32_t *child = &climbing->child_of_method[method];
        if (*child == TV_NONE || *child < box_first)
            TV_TRY(tv_merged_add(merged, group->box, method, child, err));
        struct tv_flame_box *box = &merged->boxes[*child];
        climb->box = *child;
        climb->at = caller_of(climbing, climb->at);
        box->value += climb->self;
        box->calls += climb->calls;
        if (climb->at == TV_NONE)
            box->self += climb->self;
        else
            box->x++;
    }
    return TV_OK;
}

/* No climb goes on from such a box. */
#define ENDED UINT64_MAX

/* Makes a group of each box from box_first on that climbs go on from, and puts them there. */
static enum tv_code part_group(struct climbing *climbing, const struct group *group,
                               uint32_t box_first, struct tv_error *err)
{
    const struct tv_merged *merged = climbing->merged;
    struct climbs *next = &climbing->next;
    size_t count = next->count;
    for (uint32_t i = box_first; i < merged->count; i++) {
        struct tv_flame_box *box = &merged->boxes[i];
        size_t going_on = (size_t)box->x;
        box->x = ENDED;
        if (!going_on || tv_merged_is_thin(merged, box->value))
            continue;
        TV_TRY(add_group(climbing, next, (struct group){i, count, count + going_on}, err));
        box->x = count;
        count += going_on;
    }
    TV_TRY(make_room(climbing, next, count - next->count, err));
    next->count = count;
    for (size_t i = group->first; i < group->end; i++) {
        const struct climb *climb = &climbing->level.climbs[i];
        if (climb->at != TV_NONE && merged->boxes[climb->box].x != ENDED)
            next->climbs[merged->boxes[climb->box].x++] = *climb;
    }
    return TV_OK;
}

static enum tv_code climb_level(struct climbing *climbing, struct tv_error *err)
{
    for (size_t i = 0; i < climbing->level.group_count; i++) {
        const struct group *group = &climbing->level.groups[i];
        uint32_t box_first = (uint32_t)climbing->merged->count;
        TV_TRY(climb_group(climbing, group, err));
        TV_TRY(part_group(climbing, group, box_first, err));
    }
    struct climbs done = climbing->level;
    done.count = 0;
    done.group_count = 0;
    climbing->level = climbing->next;
    climbing->next = done;
    return TV_OK;
}

static enum tv_code climb(struct climbing *climbing, struct tv_error *err)
{
    const struct tv_merged *merged = climbing->merged;
    uint32_t method_count = merged->sums->index->method_count;
    TV_TRY(tv_alloc_new(merged->flame->alloc, &climbing->child_of_method, method_count,
                        sizeof(*climbing->child_of_method), err));
    for (uint32_t i = 0; i < method_count; i++)
        climbing->child_of_method[i] = TV_NONE;
    TV_TRY(add_climbs(climbing, err));
    uint64_t steps_left = (uint64_t)climbing->level.count * TV_FLAME_CLIMB_LIMIT;
    for (uint32_t level = 0; climbing->level.count; level++) {
        if (level == TV_FLAME_INVERTED_LEVEL_LIMIT || climbing->level.count > steps_left) {
            merged->flame->is_complete = false;
            break;
        }
        steps_left -= climbing->level.count;
        TV_TRY(climb_level(climbing, err));
    }
    return TV_OK;
}

static void release_climbs(const struct climbs *climbs, const struct tv_alloc *alloc)
{
    tv_alloc_free(alloc, climbs->groups, climbs->group_cap, sizeof(*climbs->groups));
    tv_alloc_free(alloc, climbs->climbs, climbs->cap, sizeof(*climbs->climbs));
}

enum tv_code tv_merge_inverted(struct tv_merged *merged, const struct tv_merged *stacks,
                               struct tv_error *err)
{
    const struct tv_alloc *alloc = merged->flame->alloc;
    struct climbing climbing = {.merged = merged, .stacks = stacks};
    enum tv_code code = climb(&climbing, err);
    tv_alloc_free(alloc, climbing.child_of_method, merged->sums->index->method_count,
                  sizeof(*climbing.child_of_method));
    release_climbs(&climbing.next, alloc);
    release_climbs(&climbing.level, alloc);
    return code;
}
