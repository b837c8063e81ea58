/*
 * Finds the nodes of a set of calls; see analysis/selection/call_set.h.
 *
 * A parent stands before its children. So a path from a root is followed in one pass: of each node
 * it is known how much of the path its callers are. A path to callers is looked at from each node
 * of its first method upwards.
 */
#include "analysis/selection/call_set.h"

#include <string.h>

#include "base/error.h"

/* What is marked, and for which step. */
struct marking {
    const struct tv_index *index;
    const struct tv_call_step *step;
    const struct tv_call_set *before; /* NULL: all calls are there */
    uint8_t *marks;                   /* enum tv_step_mark per node */
};

static bool is_hidden(const struct marking *marking, uint32_t node)
{
    return marking->step->hidden && marking->step->hidden[marking->index->node_method[node]];
}

static bool is_there(const struct tv_call_set *set, uint32_t node)
{
    return !set || set->place[node] != TV_CALL_OUTSIDE;
}

/* Whether no caller of the node is there. */
static bool is_root(const struct marking *marking, uint32_t node)
{
    uint32_t parent = marking->index->node_parent[node];
    return parent == TV_NONE || !is_there(marking->before, parent);
}

/* Marks the nodes that a path from a root ends at. met[node]: how many methods of the path the node
 * and its callers are, TV_NONE where they are something else. */
static void follow_from_root(const struct marking *marking, uint32_t *met)
{
    const struct tv_index *index = marking->index;
    const struct tv_call_step *step = marking->step;
    for (uint32_t node = 0; node < index->node_count; node++) {
        uint32_t before = is_root(marking, node) ? 0 : met[index->node_parent[node]];
        bool is_passed = is_hidden(marking, node);
        bool goes_on = is_there(marking->before, node) && before != TV_NONE && before < step->len &&
                       index->node_method[node] == step->of[before];
        met[node] = is_passed ? before : goes_on ? before + 1 : TV_NONE;
        if (goes_on && !is_passed && met[node] == step->len)
            marking->marks[node] = TV_STEP_ALL;
    }
}

/* What a search for callers knows of each node. */
struct seen_node {
    uint32_t caller;    /* the nearest that is shown */
    uint32_t own_depth; /* of the nearest node with calls of the set, callers included; TV_NONE:
                           there is none */
};

/* The node of the last caller of the path that ends at a node; TV_NONE: its callers are others. A
 * path from a root has its end last. */
static uint32_t last_caller(const struct marking *marking, const struct seen_node *seen,
                            uint32_t node)
{
    const struct tv_call_step *step = marking->step;
    bool is_from_root = step->kind == TV_STEP_FROM_ROOT;
    for (size_t met = 0; met < step->len; met++) {
        node = met ? seen[node].caller : node;
        if (node == TV_NONE ||
            marking->index->node_method[node] != step->of[is_from_root ? step->len - 1 - met : met])
            return TV_NONE;
    }
    return node;
}

/* A path that begins with an outermost call: its last caller is of the set. That all calls at its
 * end have such a path is only known where the set has no call between, and made none of the
 * callers. */
static enum tv_step_mark mark_of_top(const struct marking *marking, uint32_t own_depth,
                                     uint32_t top)
{
    if (marking->step->kind == TV_STEP_TO_CALLERS)
        return TV_STEP_ALL;
    if (marking->before->place[top] != TV_CALL_OF_SET)
        return TV_STEP_NONE;
    bool is_sure = is_root(marking, top) && own_depth == marking->index->node_depth[top];
    return is_sure ? TV_STEP_ALL : TV_STEP_SOME;
}

/* Looks at a node whose callers were looked at. Hidden callers are passed once for all nodes below
 * them, so that a walk costs no more than the path is long. */
static void see_node(const struct marking *marking, struct seen_node *seen, uint32_t node)
{
    const struct tv_index *index = marking->index;
    const uint32_t parent = index->node_parent[node];
    const struct tv_call_set *before = marking->before;
    bool is_passed = parent != TV_NONE && is_hidden(marking, parent);
    seen[node].caller = is_passed ? seen[parent].caller : parent;
    seen[node].own_depth = parent == TV_NONE ? TV_NONE : seen[parent].own_depth;
    if (before && before->place[node] == TV_CALL_OF_SET)
        seen[node].own_depth = index->node_depth[node];
}

static void find_with_callers(const struct marking *marking, struct seen_node *seen,
                              uint32_t *top_depth)
{
    const struct tv_index *index = marking->index;
    for (uint32_t node = 0; node < index->node_count; node++) {
        see_node(marking, seen, node);
        uint32_t top = is_there(marking->before, node) ? last_caller(marking, seen, node) : TV_NONE;
        if (top == TV_NONE)
            continue;
        marking->marks[node] = (uint8_t)mark_of_top(marking, seen[node].own_depth, top);
        if (top_depth)
            top_depth[node] = index->node_depth[top];
    }
}

/* Marks the nodes of some methods that have or may have calls of the set, or that these made: also
 * of methods of the set, whose lists do not have what it made. */
static enum tv_code mark_methods(const struct marking *marking, struct tv_arena *arena,
                                 struct tv_error *err)
{
    const struct tv_index *index = marking->index;
    uint8_t *is_wanted;
    TV_TRY(tv_arena_take(arena, index->method_count + (size_t)1, &is_wanted, err));
    memset(is_wanted, 0, index->method_count + (size_t)1);
    for (size_t i = 0; i < marking->step->len; i++)
        is_wanted[marking->step->of[i]] = 1;
    for (uint32_t node = 0; node < index->node_count; node++) {
        if (is_wanted[index->node_method[node]] && is_there(marking->before, node))
            marking->marks[node] = TV_STEP_ALL;
    }
    return TV_OK;
}

/* Marks what the calls of the set made, and counts its nodes. Below its methods' nodes, others of
 * the same methods are not listed. */
static void finish(struct tv_call_set *set, const struct tv_index *index, uint8_t *place,
                   const uint8_t *is_method_of_set)
{
    set->place = place;
    for (uint32_t node = 0; node < index->node_count; node++) {
        uint32_t parent = index->node_parent[node];
        if (place[node] == TV_CALL_OF_SET)
            set->node_count++;
        else if (parent != TV_NONE && place[parent] != TV_CALL_OUTSIDE)
            place[node] =
                is_method_of_set[index->node_method[node]] ? TV_CALL_UNLISTED : TV_CALL_BELOW;
    }
}

/* All nodes are outside at first. */
static enum tv_code take_places(const struct tv_index *index, struct tv_arena *arena,
                                uint8_t **place, struct tv_error *err)
{
    TV_TRY(tv_arena_take(arena, index->node_count + (size_t)1, place, err));
    memset(*place, TV_CALL_OUTSIDE, index->node_count + (size_t)1);
    return TV_OK;
}

/* Whether a path must be looked at from its end: towards callers, and where only single calls tell
 * which of them are outermost. */
static bool is_looked_up(const struct tv_call_step *step, const struct tv_call_set *before)
{
    return step->kind == TV_STEP_TO_CALLERS || (before && before->own);
}

enum tv_code tv_call_step_mark(uint8_t *marks, uint32_t *top_depth, const struct tv_index *index,
                               const struct tv_call_step *step, const struct tv_call_set *before,
                               struct tv_arena *arena, struct tv_error *err)
{
    const struct marking marking = {index, step, before, marks};
    uint32_t *met;
    struct seen_node *seen;
    memset(marks, TV_STEP_NONE, index->node_count);
    if (step->kind == TV_STEP_METHODS)
        return mark_methods(&marking, arena, err);
    const size_t most = is_looked_up(step, before) ? TV_CALL_CALLERS_LIMIT : TV_CALL_PATH_LIMIT;
    if (!step->len || step->len > most)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "a path has 1 to %zu methods, not %zu",
                       most, step->len);
    if (is_looked_up(step, before)) {
        TV_TRY(tv_arena_take(arena, (index->node_count + (size_t)1) * sizeof(*seen), &seen, err));
        find_with_callers(&marking, seen, top_depth);
    } else {
        TV_TRY(tv_arena_take(arena, (index->node_count + (size_t)1) * sizeof(*met), &met, err));
        follow_from_root(&marking, met);
    }
    return TV_OK;
}

enum tv_code tv_call_set_of_marks(struct tv_call_set *set, const struct tv_index *index,
                                  const uint8_t *asked, uint8_t *marks, struct tv_arena *arena,
                                  struct tv_error *err)
{
    uint8_t *is_method_of_set;
    TV_TRY(tv_arena_take(arena, index->method_count + (size_t)1, &is_method_of_set, err));
    memset(is_method_of_set, 0, index->method_count + (size_t)1);
    *set = (struct tv_call_set){.node_count = 0};
    for (uint32_t node = 0; node < index->node_count; node++) {
        if (asked[node] != TV_STEP_NONE)
            is_method_of_set[index->node_method[node]] = 1;
        marks[node] = marks[node] == TV_STEP_NONE ? TV_CALL_OUTSIDE : TV_CALL_OF_SET;
    }
    finish(set, index, marks, is_method_of_set);
    return set->node_count ? TV_OK
                           : tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no call is like that");
}

enum tv_code tv_call_set_of_node(struct tv_call_set *set, const struct tv_index *index,
                                 uint32_t node, struct tv_arena *arena, struct tv_error *err)
{
    uint8_t *place;
    TV_TRY(take_places(index, arena, &place, err));
    place[node] = TV_STEP_ALL;
    return tv_call_set_of_marks(set, index, place, place, arena, err);
}
