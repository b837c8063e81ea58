/*
 * A set of calls: what a box of a flame graph, a node of a tree or one call of the timeline stands
 * for. A selection that has one is about these calls and what they made, and about nothing else.
 *
 * A set is told by nodes: all calls of a node are of the set, or none is. One call alone is the set
 * of its node, in a selection whose range is the call's own (tv_call_range).
 *
 * Where packages are hidden, a path is one of shown methods: what is hidden between them may be
 * anything, as in the stacks that the path was taken from.
 */
#ifndef TV_ANALYSIS_SELECTION_CALL_SET_H
#define TV_ANALYSIS_SELECTION_CALL_SET_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "index/index.h"

/* More methods than the deepest path that a page asks for. */
#define TV_CALL_PATH_LIMIT 4096u
/* The same of a path to callers, which is compared at each node of its first method. */
#define TV_CALL_CALLERS_LIMIT 256u

/* Where a node is. */
enum tv_call_place {
    TV_CALL_OUTSIDE,
    TV_CALL_BELOW, /* calls of the set made its calls */
    TV_CALL_OF_SET /* its calls are the set, also where others of the set made them */
};

struct tv_call_set {
    const uint8_t *place; /* enum tv_call_place per node of the index */
    uint32_t method;      /* that all calls of the set are of */
    uint32_t node_count;  /* nodes with TV_CALL_OF_SET */
};

/* How a path of methods is meant. */
enum tv_call_path {
    TV_PATH_FROM_ROOT, /* of[0] is a root, and each method was called by the one before it */
    TV_PATH_TO_CALLERS /* of[0] was called by of[1], and that by of[2]; who called the last one is
                          not said */
};

struct tv_call_path_question {
    enum tv_call_path kind;
    const uint32_t *of;    /* ordinals of methods */
    size_t len;            /* at least 1 */
    const uint8_t *hidden; /* one per method: 1 where it is hidden; NULL: none is */
};

/* The calls at the end of a path. TV_ERR_NOT_FOUND: there is none. The set is in the arena. */
enum tv_code tv_call_set_of_path(struct tv_call_set *set, const struct tv_index *index,
                                 const struct tv_call_path_question *path, struct tv_arena *arena,
                                 struct tv_error *err) TV_MUST_CHECK;
/* The calls of one node. The set is in the arena. */
enum tv_code tv_call_set_of_node(struct tv_call_set *set, const struct tv_index *index,
                                 uint32_t node, struct tv_arena *arena,
                                 struct tv_error *err) TV_MUST_CHECK;

/* Whether calls of a node belong to a question about a method: of the set's own method those of the
 * set do, of others all that these made. NULL: there is no set. */
TV_INLINE bool tv_call_set_lists(const struct tv_call_set *set, uint32_t method_ix, uint32_t node)
{
    return !set || (method_ix == set->method ? set->place[node] == TV_CALL_OF_SET
                                             : set->place[node] != TV_CALL_OUTSIDE);
}

#endif
