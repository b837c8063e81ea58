/*
 * Stacks turned upside down; see export/flame/stack_tree.h.
 *
 * Each frame with a part of its own climbs from itself to the root, and adds its part to a frame of
 * the new tree at each step. All climb one level at a time, so that a frame of the new tree is
 * complete when its level is: those that climb through a frame which is too narrow stop there.
 */
#include "export/flame/stack_tree.h"

#include "base/error.h"

/* A frame's own part on its way to the root. */
struct climb {
    uint32_t from; /* the frame whose part it is */
    uint32_t at;   /* the frame that it stands for on this level */
    uint32_t on;   /* of the new tree: what it stands on, then where it stands */
};

struct inverter {
    const struct tv_stack_tree *tree;
    struct tv_stack_tree *inverted;
    uint64_t least;
    uint32_t *names; /* names of `tree` -> names of `inverted` */
    struct climb *climbs;
    size_t count;
    size_t cap;
};

/* A climb is one frame with time of its own on its way to the root; each climb adds one path to the
 * inverted tree. */
static enum tv_code add_climbs(struct inverter *inverter, struct tv_error *err)
{
    const struct tv_stack_tree *tree = inverter->tree;
    for (size_t i = 1; i < tree->count; i++) {
        if (!tree->frames[i].self)
            continue;
        TV_TRY(tv_alloc_grow(tree->alloc, &inverter->climbs, &inverter->cap, inverter->count + 1,
                             sizeof(*inverter->climbs), err));
        inverter->climbs[inverter->count++] =
            (struct climb){(uint32_t)i, (uint32_t)i, TV_STACK_ROOT};
    }
    return TV_OK;
}

static enum tv_code add_names(struct inverter *inverter, struct tv_error *err)
{
    const struct tv_text_map *names = &inverter->tree->names;
    for (size_t i = 0; i < names->count; i++)
        TV_TRY(tv_stack_tree_name(inverter->inverted, names->entries[i].text, &inverter->names[i],
                                  err));
    return TV_OK;
}

/* All climbs find the frame where they stand, whose value then gathers what climbs through it. */
static enum tv_code climb_level(struct inverter *inverter, struct tv_error *err)
{
    struct tv_stack_tree *inverted = inverter->inverted;
    for (size_t i = 0; i < inverter->count; i++) {
        struct climb *climb = &inverter->climbs[i];
        const struct tv_stack_frame *from = &inverter->tree->frames[climb->from];
        uint32_t name = inverter->names[inverter->tree->frames[climb->at].name];
        TV_TRY(tv_stack_tree_child(inverted, climb->on, name, &climb->on, err));
        inverted->frames[climb->on].value += from->self;
        tv_stack_tree_add(inverted, climb->on, 0, from->calls);
    }
    return TV_OK;
}

/* Keeps the climbs that go on; the others leave their part in the frame where they stand. */
static void stop_climbs(struct inverter *inverter, bool are_all)
{
    const struct tv_stack_frame *frames = inverter->tree->frames;
    size_t kept = 0;
    for (size_t i = 0; i < inverter->count; i++) {
        struct climb climb = inverter->climbs[i];
        climb.at = frames[climb.at].parent;
        bool is_narrow = inverter->inverted->frames[climb.on].value < inverter->least;
        if (are_all || is_narrow || climb.at == TV_STACK_ROOT)
            tv_stack_tree_add(inverter->inverted, climb.on, frames[climb.from].self, 0);
        else
            inverter->climbs[kept++] = climb;
    }
    inverter->count = kept;
}

/* All climbs take a step together, level by level, so that the limit of steps cuts the deepest
 * levels of all stacks and not the last stacks. */
static enum tv_code invert(struct inverter *inverter, bool *is_cut, struct tv_error *err)
{
    uint64_t steps;
    TV_TRY(add_names(inverter, err));
    TV_TRY(add_climbs(inverter, err));
    steps = (uint64_t)inverter->count * TV_STACK_INVERTED_STEPS;
    for (unsigned level = 1; inverter->count; level++) {
        steps -= inverter->count;
        TV_TRY(climb_level(inverter, err));
        stop_climbs(inverter, false);
        if (level == TV_STACK_INVERTED_LEVELS || inverter->count > steps) {
            *is_cut = inverter->count > 0;
            stop_climbs(inverter, true);
        }
    }
    return TV_OK;
}

/* Time that is no frame's stays at the root; all else comes from the climbs. */
enum tv_code tv_stack_tree_invert(const struct tv_stack_tree *tree, uint64_t least,
                                  struct tv_stack_tree *inverted, bool *is_cut,
                                  struct tv_error *err)
{
    struct inverter inverter = {.tree = tree, .inverted = inverted, .least = least};
    *is_cut = false;
    TV_TRY(tv_stack_tree_begin(inverted, err));
    tv_stack_tree_add(inverted, TV_STACK_ROOT, tree->frames[TV_STACK_ROOT].self, 0);
    enum tv_code code =
        tv_alloc_new(tree->alloc, &inverter.names, tree->names.count, sizeof(*inverter.names), err);
    if (code == TV_OK)
        code = invert(&inverter, is_cut, err);
    tv_alloc_release(tree->alloc, &inverter.climbs, inverter.cap, sizeof(*inverter.climbs));
    tv_alloc_release(tree->alloc, &inverter.names, tree->names.count, sizeof(*inverter.names));
    return code == TV_OK ? tv_stack_tree_end(inverted, err) : code;
}
