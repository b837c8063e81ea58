/*
 * A set of calls: what a box of a flame graph, a node of a tree, some methods, a bar of a histogram
 * or one call of the timeline stands for. A selection that has one is about these calls and what
 * they made, and about nothing else.
 *
 * A set is made by steps, each of which takes some of the calls that the set before it has or made.
 * Most sets are told by nodes: all calls of a node are of the set, or none is. One call alone is
 * the set of its node, in a selection whose range is the call's own (tv_call_range). Where
 * durations are limited, single calls are told, too: by bits, and by runs of neighbouring calls
 * (analysis/calls/call_steps.h makes them).
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
/* The most methods of a path to callers, which is compared at each node of its first method. */
#define TV_CALL_CALLERS_LIMIT 256u

/* Where a node is. */
enum tv_call_place {
    TV_CALL_OUTSIDE,
    TV_CALL_BELOW,   /* calls of the set made its calls */
    TV_CALL_OF_SET,  /* its calls are the set, also where others of the set made them */
    TV_CALL_UNLISTED /* below, and of a method of the set: its calls are none of the set */
};

/* Neighbouring calls of one row that are of the set or were made by calls of it: [first, first +
 * len), ordinals over the whole trace. */
struct tv_call_run {
    uint64_t first;
    uint64_t len;
    uint32_t thread_ix;
    uint32_t depth;      /* of these calls */
    uint32_t root_depth; /* of the outermost calls of the set that they are or were made by */
};

struct tv_call_set {
    const uint8_t *place; /* enum tv_call_place per node of the index */
    uint32_t node_count;  /* nodes with TV_CALL_OF_SET */
    /* A bit per call: `own`, the call is in the set; `within`, it is in the set or was made, at any
     * depth, by a call in the set. NULL: `place` of its node says it for every call. */
    const uint64_t *own;
    const uint64_t *within;
    const struct tv_call_run *runs; /* all of `within`: by thread, root depth, depth and call */
    size_t run_count;
};

/* What a step takes of the calls that are there. */
enum tv_call_step_kind {
    TV_STEP_FROM_ROOT,  /* of[0] is outermost, and each method was called by the one before it */
    TV_STEP_TO_CALLERS, /* of[0] was called by of[1], and that by of[2]; who called the last one is
                           not said */
    TV_STEP_METHODS     /* all calls of these methods */
};

struct tv_call_step {
    enum tv_call_step_kind kind;
    const uint32_t *of;    /* ordinals of methods */
    size_t len;            /* at least 1 */
    const uint8_t *hidden; /* of a path, one per method: 1 where it is hidden; NULL: none is */
};

/* What a step takes of a node. */
enum tv_step_mark {
    TV_STEP_NONE,
    TV_STEP_ALL, /* all calls that the set before it has */
    TV_STEP_SOME /* those whose path begins with an outermost call of the set before it */
};

/* Marks the nodes that a step takes of a set, which is NULL where all calls are there. A path to
 * callers tells in top_depth[node] how deep its last caller is; NULL: nobody asks. Memory is taken
 * from the arena. TV_ERR_ARGUMENT: the path is too long. */
enum tv_code tv_call_step_mark(uint8_t *marks, uint32_t *top_depth, const struct tv_index *index,
                               const struct tv_call_step *step, const struct tv_call_set *before,
                               struct tv_arena *arena, struct tv_error *err) TV_MUST_CHECK;
/* Makes the set of marked nodes; `marks` becomes its places. `asked` marks the nodes whose methods
 * are those of the set, where limits left some of them without calls; it may be `marks`.
 * TV_ERR_NOT_FOUND: none is marked. */
enum tv_code tv_call_set_of_marks(struct tv_call_set *set, const struct tv_index *index,
                                  const uint8_t *asked, uint8_t *marks, struct tv_arena *arena,
                                  struct tv_error *err) TV_MUST_CHECK;
/* The calls of one node. The set is in the arena. */
enum tv_code tv_call_set_of_node(struct tv_call_set *set, const struct tv_index *index,
                                 uint32_t node, struct tv_arena *arena,
                                 struct tv_error *err) TV_MUST_CHECK;

/* Whether calls of a node belong to lists of its method: of a method of the set those of the set
 * do, of others all that these made. NULL: there is no set. */
TV_INLINE bool tv_call_set_lists(const struct tv_call_set *set, uint32_t node)
{
    return !set || set->place[node] == TV_CALL_OF_SET || set->place[node] == TV_CALL_BELOW;
}

/* The bit of a call. */
TV_INLINE bool tv_call_bit(const uint64_t *bits, uint64_t call)
{
    return bits[call / 64] >> call % 64 & 1;
}

/* The first call from `call` on whose bit is set, or `end`. */
TV_INLINE uint64_t tv_call_bit_next(const uint64_t *bits, uint64_t call, uint64_t end)
{
    while (call < end) {
        const uint64_t rest = bits[call / 64] >> call % 64;
        if (rest) {
            call += (unsigned)__builtin_ctzll(rest);
            return call < end ? call : end;
        }
        call += 64 - call % 64;
    }
    return end;
}

/* Whether a call is of the set, or was made by a call of it. NULL: there is no set. */
TV_INLINE bool tv_call_set_has(const struct tv_call_set *set, uint32_t node, uint64_t call)
{
    return !set ||
           (set->within ? tv_call_bit(set->within, call) : set->place[node] != TV_CALL_OUTSIDE);
}

/* Whether a call belongs to lists of its method. */
TV_INLINE bool tv_call_set_lists_call(const struct tv_call_set *set, uint32_t node, uint64_t call)
{
    if (!tv_call_set_lists(set, node))
        return false;
    return !set || !set->within ||
           tv_call_bit(set->place[node] == TV_CALL_OF_SET ? set->own : set->within, call);
}

#endif
