/*
 * Stacks turned upside down: from each node with own time a *climb* goes up through the node's
 * callers, and adds the node's time to one box per level. The box at the bottom is the node's
 * method, the box on top of it the method of its caller.
 *
 * All climbs go up one level at a time. So a box is complete when its level is, and climbs through
 * a box that is too narrow stop there. Climbs that came through the same box stand together as a
 * group; the boxes that a group goes to are few, and their methods tell them apart.
 */
#include "analysis/flame/flame_merge.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/pool.h"

/* A climb: where it is, and the time and calls of the node that it began with. */
struct climb {
    uint32_t at;  /* ordinal of a node, or of a box of the stacks; TV_NONE: past the root */
    uint32_t box; /* the box of the level that the climb was just added to */
    uint64_t self;
    uint64_t calls;
};

/* The climbs [first, end) that came through one box. */
struct group {
    uint32_t box; /* TV_NONE: no box yet, at the bottom */
    size_t first;
    size_t end;
};

/* The climbs of one level, group by group. */
struct climbs {
    struct climb *climbs;
    size_t count;
    size_t cap;
    struct group *groups;
    size_t group_count;
    size_t group_cap;
};

/* Where climbs go on: from caller to caller among nodes, or from box to box below among
 * transformed stacks. */
struct inverter {
    struct tv_flame_merger *merger;
    const struct tv_flame_merger *stacks; /* NULL: the nodes of the sums */
    struct climbs level; /* the climbs that are at this level, and those that go on to the next */
    struct climbs next;
    uint32_t *child_of_method; /* per method: its newest box, or TV_NONE. It is of the current group
                                  if it is new enough */
};

static uint32_t caller_of(const struct inverter *inverter, uint32_t at)
{
    return inverter->stacks ? inverter->stacks->boxes[at].parent
                            : inverter->merger->sums->parent[at];
}

static uint32_t method_of(const struct inverter *inverter, uint32_t at)
{
    return inverter->stacks ? inverter->stacks->boxes[at].method
                            : inverter->merger->sums->method[at];
}

/* Adds a climb, for which there is room, if its callers match the zoom path. The climb then starts
 * at the last method of the path, which is the box at the bottom. */
static void add_climb(struct inverter *inverter, uint32_t at, uint64_t self, uint64_t calls)
{
    const struct tv_flame_opts *opts = inverter->merger->opts;
    if (!self)
        return;
    for (size_t i = 0; i < opts->path_len; i++) {
        if (at == TV_NONE || method_of(inverter, at) != opts->path[i])
            return;
        if (i + 1 < opts->path_len)
            at = caller_of(inverter, at);
    }
    struct climbs *level = &inverter->level;
    level->climbs[level->count++] = (struct climb){at, TV_NONE, self, calls};
    inverter->merger->flame->value_ns += self;
}

static enum tv_code make_room(const struct inverter *inverter, struct climbs *climbs, size_t count,
                              struct tv_error *err)
{
    return tv_alloc_grow(inverter->merger->flame->alloc, &climbs->climbs, &climbs->cap,
                         climbs->count + count, sizeof(*climbs->climbs), err);
}

static enum tv_code add_group(const struct inverter *inverter, struct climbs *climbs,
                              struct group group, struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(inverter->merger->flame->alloc, &climbs->groups, &climbs->group_cap,
                         climbs->group_count + 1, sizeof(*climbs->groups), err));
    climbs->groups[climbs->group_count++] = group;
    return TV_OK;
}

/* Adds all climbs, as one group: from the boxes of the stacks, or from the nodes of the
 * selected threads. */
static enum tv_code add_climbs(struct inverter *inverter, struct tv_error *err)
{
    const struct tv_flame_merger *merger = inverter->merger;
    const struct tv_sums *sums = merger->sums;
    if (inverter->stacks) {
        TV_TRY(make_room(inverter, &inverter->level, inverter->stacks->count, err));
        for (size_t i = 0; i < inverter->stacks->count; i++) {
            const struct tv_flame_box *box = &inverter->stacks->boxes[i];
            add_climb(inverter, (uint32_t)i, box->self, box->calls);
        }
    }
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; !inverter->stacks && i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        TV_TRY(make_room(inverter, &inverter->level, nodes.end - nodes.first, err));
        for (uint32_t node = nodes.first; node < nodes.end; node++)
            add_climb(inverter, node, tv_flame_merger_self(merger, node),
                      tv_sums_calls(sums, node));
    }
    return add_group(inverter, &inverter->level, (struct group){TV_NONE, 0, inverter->level.count},
                     err);
}

/* How many climbs ahead memory is asked for: their nodes are all over the memory. */
#define CLIMBS_AHEAD 12u

/* Adds the climbs of a group to the boxes of their methods, and takes each to its caller. x of a
 * box counts the climbs that go on from it. */
static enum tv_code climb_group(struct inverter *inverter, const struct group *group,
                                struct tv_error *err)
{
    struct tv_flame_merger *merger = inverter->merger;
    uint32_t box_first = (uint32_t)merger->count;
    for (size_t i = group->first; i < group->end; i++) {
        struct climb *climb = &inverter->level.climbs[i];
        if (i % TV_WANTED_STEPS == 0)
            TV_TRY(tv_check_wanted(merger->sums->is_unwanted, err));
        if (!inverter->stacks && i + CLIMBS_AHEAD < inverter->level.count) {
            TV_PREFETCH(&merger->sums->method[climb[CLIMBS_AHEAD].at]);
            TV_PREFETCH(&merger->sums->parent[climb[CLIMBS_AHEAD].at]);
        }
        uint32_t method = method_of(inverter, climb->at);
        uint32_t *child = &inverter->child_of_method[method];
        if (*child == TV_NONE || *child < box_first)
            TV_TRY(tv_flame_merger_add_box(merger, group->box, method, child, err));
        struct tv_flame_box *box = &merger->boxes[*child];
        climb->box = *child;
        climb->at = caller_of(inverter, climb->at);
        box->value += climb->self;
        box->calls += climb->calls;
        if (climb->at == TV_NONE)
            box->self += climb->self;
        else
            box->x++;
    }
    return TV_OK;
}

/* x of a box that no climb goes on from. */
#define NO_CLIMBS UINT64_MAX

/* Parts the climbs of a group by the box they were added to, into groups of the next level; boxes
 * from box_first on are those of the group. x of a box is now where its next climb goes. Climbs of
 * boxes that are too narrow end here. */
static enum tv_code split_group(struct inverter *inverter, const struct group *group,
                                uint32_t box_first, struct tv_error *err)
{
    const struct tv_flame_merger *merger = inverter->merger;
    struct climbs *next = &inverter->next;
    size_t count = next->count;
    for (uint32_t i = box_first; i < merger->count; i++) {
        struct tv_flame_box *box = &merger->boxes[i];
        size_t going_on = (size_t)box->x;
        box->x = NO_CLIMBS;
        if (!going_on || tv_flame_merger_is_too_narrow(merger, box->value))
            continue;
        TV_TRY(add_group(inverter, next, (struct group){i, count, count + going_on}, err));
        box->x = count;
        count += going_on;
    }
    TV_TRY(make_room(inverter, next, count - next->count, err));
    next->count = count;
    for (size_t i = group->first; i < group->end; i++) {
        const struct climb *climb = &inverter->level.climbs[i];
        if (climb->at != TV_NONE && merger->boxes[climb->box].x != NO_CLIMBS)
            next->climbs[merger->boxes[climb->box].x++] = *climb;
    }
    return TV_OK;
}

/* Takes all climbs up one level, group by group. */
static enum tv_code climb_level(struct inverter *inverter, struct tv_error *err)
{
    for (size_t i = 0; i < inverter->level.group_count; i++) {
        const struct group *group = &inverter->level.groups[i];
        uint32_t box_first = (uint32_t)inverter->merger->count;
        TV_TRY(climb_group(inverter, group, err));
        TV_TRY(split_group(inverter, group, box_first, err));
    }
    struct climbs done = inverter->level;
    done.count = 0;
    done.group_count = 0;
    inverter->level = inverter->next;
    inverter->next = done;
    return TV_OK;
}

/* The steps of all climbs together are limited too, so that stacks a million deep do not
 * cost minutes. */
static enum tv_code climb(struct inverter *inverter, struct tv_error *err)
{
    const struct tv_flame_merger *merger = inverter->merger;
    uint32_t method_count = merger->sums->index->method_count;
    TV_TRY(tv_alloc_new(merger->flame->alloc, &inverter->child_of_method, method_count,
                        sizeof(*inverter->child_of_method), err));
    for (uint32_t i = 0; i < method_count; i++)
        inverter->child_of_method[i] = TV_NONE;
    TV_TRY(add_climbs(inverter, err));
    uint64_t steps_left = (uint64_t)inverter->level.count * TV_FLAME_CLIMB_LIMIT;
    for (uint32_t level = 0; inverter->level.count; level++) {
        if (level == TV_FLAME_INVERTED_LEVEL_LIMIT || inverter->level.count > steps_left) {
            merger->flame->is_complete = false;
            break;
        }
        steps_left -= inverter->level.count;
        TV_TRY(climb_level(inverter, err));
    }
    return TV_OK;
}

static void release_climbs(struct climbs *climbs, const struct tv_alloc *alloc)
{
    tv_alloc_release(alloc, &climbs->groups, climbs->group_cap, sizeof(*climbs->groups));
    tv_alloc_release(alloc, &climbs->climbs, climbs->cap, sizeof(*climbs->climbs));
}

enum tv_code tv_flame_merge_inverted(struct tv_flame_merger *merger,
                                     const struct tv_flame_merger *stacks, struct tv_error *err)
{
    const struct tv_alloc *alloc = merger->flame->alloc;
    struct inverter inverter = {.merger = merger, .stacks = stacks};
    enum tv_code code = climb(&inverter, err);
    tv_alloc_release(alloc, &inverter.child_of_method, merger->sums->index->method_count,
                     sizeof(*inverter.child_of_method));
    release_climbs(&inverter.next, alloc);
    release_climbs(&inverter.level, alloc);
    return code;
}
