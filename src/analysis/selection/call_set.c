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

static bool is_hidden(const struct tv_call_path_question *path, uint32_t method_ix)
{
    return path->hidden && path->hidden[method_ix];
}

/* Marks the nodes that a path from a root ends at. met[node]: how many methods of the path the node
 * and its callers are, TV_NONE where they are something else. */
static void follow_from_root(uint8_t *place, const struct tv_index *index,
                             const struct tv_call_path_question *path, uint32_t *met)
{
    for (uint32_t node = 0; node < index->node_count; node++) {
        uint32_t parent = index->node_parent[node];
        uint32_t before = parent == TV_NONE ? 0 : met[parent];
        bool is_passed = is_hidden(path, index->node_method[node]);
        bool goes_on =
            before != TV_NONE && before < path->len && index->node_method[node] == path->of[before];
        met[node] = is_passed ? before : goes_on ? before + 1 : TV_NONE;
        if (goes_on && !is_passed && met[node] == path->len)
            place[node] = TV_CALL_OF_SET;
    }
}

/* Whether the callers of a node are those of the path. callers[node]: the nearest that is shown. */
static bool has_callers(const struct tv_index *index, const struct tv_call_path_question *path,
                        const uint32_t *callers, uint32_t node)
{
    for (size_t met = 1; met < path->len; met++) {
        node = callers[node];
        if (node == TV_NONE || index->node_method[node] != path->of[met])
            return false;
    }
    return true;
}

/* Hidden callers are passed once for all nodes below them, so that a walk costs no more than the
 * path is long. */
static void find_with_callers(uint8_t *place, const struct tv_index *index,
                              const struct tv_call_path_question *path, uint32_t *callers)
{
    for (uint32_t node = 0; node < index->node_count; node++) {
        uint32_t caller = index->node_parent[node];
        if (caller != TV_NONE && is_hidden(path, index->node_method[caller]))
            caller = callers[caller];
        callers[node] = caller;
        if (index->node_method[node] == path->of[0] && has_callers(index, path, callers, node))
            place[node] = TV_CALL_OF_SET;
    }
}

/* Marks what the calls of the set made, and counts its nodes, of which `first` is the first: its
 * callees, and theirs, have larger numbers. */
static void finish(struct tv_call_set *set, const struct tv_index *index, uint8_t *place,
                   uint32_t first)
{
    set->place = place;
    for (uint32_t node = first; node < index->node_count; node++) {
        uint32_t parent = index->node_parent[node];
        if (place[node] == TV_CALL_OF_SET)
            set->node_count++;
        else if (parent != TV_NONE && parent >= first && place[parent] != TV_CALL_OUTSIDE)
            place[node] = TV_CALL_BELOW;
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

enum tv_code tv_call_set_of_path(struct tv_call_set *set, const struct tv_index *index,
                                 const struct tv_call_path_question *path, struct tv_arena *arena,
                                 struct tv_error *err)
{
    bool is_from_root = path->kind == TV_PATH_FROM_ROOT;
    size_t most = is_from_root ? TV_CALL_PATH_LIMIT : TV_CALL_CALLERS_LIMIT;
    uint8_t *place;
    uint32_t *per_node;
    if (!path->len || path->len > most)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "a path has 1 to %zu methods, not %zu",
                       most, path->len);
    TV_TRY(take_places(index, arena, &place, err));
    TV_TRY(
        tv_arena_take(arena, (index->node_count + (size_t)1) * sizeof(*per_node), &per_node, err));
    *set = (struct tv_call_set){.method = path->of[is_from_root ? path->len - 1 : 0]};
    if (is_from_root)
        follow_from_root(place, index, path, per_node);
    else
        find_with_callers(place, index, path, per_node);
    finish(set, index, place, 0);
    if (!set->node_count)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no call has this path");
    return TV_OK;
}

enum tv_code tv_call_set_of_node(struct tv_call_set *set, const struct tv_index *index,
                                 uint32_t node, struct tv_arena *arena, struct tv_error *err)
{
    uint8_t *place;
    TV_TRY(take_places(index, arena, &place, err));
    *set = (struct tv_call_set){.method = index->node_method[node]};
    place[node] = TV_CALL_OF_SET;
    finish(set, index, place, node);
    return TV_OK;
}
