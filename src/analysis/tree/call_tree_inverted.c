/*
 * Inverted call trees: from each node upwards through its callers; see
 * analysis/tree/call_tree_merge.h.
 *
 * The exclusive time of a node counts for its method at the root, for its caller's method one level
 * below, and so on for as many levels as are asked for. All nodes climb one level at a time. After
 * each level it is known which merged nodes can still be shown: those that the cut leaves and that
 * are among the largest so far, of as many as are shown in all. A node is as large as those below
 * it together, so only what climbs from these goes on, and the work and the memory of a tree follow
 * from what is shown of it. What climbs is dealt out in slices, each of which merges its part of a
 * level; the parts are then merged in the order of the slices.
 */
#include "analysis/tree/call_tree_merge.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/sort.h"

/* A slice has at least this many nodes. There are few slices, since each may have a node of every
 * method, and all are merged one after the other. */
#define SLICE_NODES ((size_t)1 << 16)
#define SLICE_LIMIT 16u
/* Children that a slice has found last, by the last bits of their parent's number. */
#define GUESSES 1024u

/* A node of the index on its way up. */
struct climb {
    uint32_t node;    /* whose times are carried */
    uint32_t at;      /* the caller that is met next */
    uint32_t reached; /* the slice's node of the level that was reached last */
};

/* A node of one level, as far as one slice has to do with it. */
struct level_node {
    uint32_t parent; /* the number of its parent among those that go on; TV_NONE: below the path */
    struct tv_call_tree_node node; /* first_child: what it became in the whole tree */
};

struct guess {
    uint32_t parent;
    uint32_t child;
};

/* Some of the nodes of all selected threads, counted through, what climbs from them, and the part
 * of the level that it is merged into. */
struct node_slice {
    size_t first;
    size_t end;
    struct inversion *inversion;
    struct climb *climbs;
    size_t climb_count;
    size_t climb_cap;
    struct level_node *nodes; /* of the level that is made */
    size_t node_count;
    size_t node_cap;
    uint32_t *above; /* per node of the level before: its number among those that go on, TV_NONE */
    size_t above_cap;
    struct tv_map child_of; /* parent << 32 | method -> its node of the level */
    struct guess guesses[GUESSES];
    enum tv_code code;
    struct tv_error err;
};

/* A tree while it is inverted. */
struct inversion {
    struct tv_call_tree_merger *merger;
    const uint32_t *callers; /* per node: the nearest caller that is not hidden, or TV_NONE */
    uint32_t level;          /* that is made */
    uint32_t level_first;    /* its first merged node */
    struct node_slice *slices;
    size_t slice_count;
    uint32_t *going_on; /* merged nodes of the level before whose callers are met */
    size_t going_on_cap;
    uint32_t going_on_count;
    uint32_t *largest; /* the `row_limit` largest merged nodes of all levels */
    size_t largest_cap;
    size_t largest_count;
};

/* Adds the times of a node to one level of its stack, which goes on to `caller` or ends. */
static void add_inverted(struct tv_call_tree_node *at, const struct tv_numbers *numbers,
                         uint32_t caller)
{
    at->numbers.calls += numbers->calls;
    at->has_children = at->has_children || caller != TV_NONE;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        at->method_inclusive_ns[clock] += numbers->inclusive_ns[clock];
        at->numbers.inclusive_ns[clock] += numbers->exclusive_ns[clock];
        if (caller == TV_NONE)
            at->numbers.exclusive_ns[clock] += numbers->exclusive_ns[clock];
    }
}

/* What a node carries up to its callers: inclusive time of outermost calls alone. */
static struct tv_numbers own_numbers(const struct tv_sums *sums, uint32_t node)
{
    struct tv_numbers numbers = {.calls = tv_sums_calls(sums, node)};
    bool is_recursive = sums->flags[node] & TV_NODE_RECURSIVE;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        numbers.exclusive_ns[clock] = tv_sums_exclusive(sums, clock, node);
        numbers.inclusive_ns[clock] = is_recursive ? 0 : tv_sums_inclusive(sums, clock, node);
    }
    return numbers;
}

/* What a node of the index carries: a hidden node's time counts for its visible caller, without its
 * calls and their inclusive time, which that caller has. */
static struct tv_numbers carried_numbers(const struct tv_call_tree_merger *merger, uint32_t node)
{
    struct tv_numbers numbers = own_numbers(merger->sums, node);
    if (tv_call_tree_hides(merger->opts, merger->sums->method[node])) {
        numbers.calls = 0;
        memset(numbers.inclusive_ns, 0, sizeof(numbers.inclusive_ns));
    }
    return numbers;
}

/* --- one slice of a level --- */

/* Finds the slice's node of a method below `parent`, or adds it. In front of the map stands a
 * guess: stacks that follow one another are alike. */
static enum tv_code find_in_slice(struct node_slice *slice, uint32_t parent, uint32_t method,
                                  uint32_t *child, struct tv_error *err)
{
    const struct tv_alloc *alloc = slice->inversion->merger->tree->alloc;
    struct guess *guess = &slice->guesses[parent % GUESSES];
    uint32_t *at;
    *child = guess->child;
    if (guess->parent == parent && *child < slice->node_count &&
        slice->nodes[*child].parent == parent && slice->nodes[*child].node.method == method)
        return TV_OK;
    TV_TRY(tv_map_slot(&slice->child_of, (uint64_t)parent << 32 | method,
                       (uint32_t)slice->node_count, &at, err));
    *child = *at;
    *guess = (struct guess){parent, *child};
    if (*child != slice->node_count)
        return TV_OK;
    TV_TRY(tv_alloc_grow(alloc, &slice->nodes, &slice->node_cap, slice->node_count + 1,
                         sizeof(*slice->nodes), err));
    slice->nodes[slice->node_count++] = (struct level_node){
        .parent = parent, .node = {.method = method, .level = slice->inversion->level}};
    return TV_OK;
}

/* Adds what climbs to the level. *goes_on: the next level has a part of it. */
static enum tv_code add_climb(struct node_slice *slice, struct climb *climb, uint32_t parent,
                              bool *goes_on, struct tv_error *err)
{
    const struct inversion *inversion = slice->inversion;
    const struct tv_call_tree_merger *merger = inversion->merger;
    uint32_t method = merger->sums->method[climb->at];
    uint32_t caller = inversion->callers[climb->at];
    struct tv_numbers numbers = carried_numbers(merger, climb->node);
    TV_TRY(find_in_slice(slice, parent, method, &climb->reached, err));
    add_inverted(&slice->nodes[climb->reached].node, &numbers, caller);
    climb->at = caller;
    *goes_on = caller != TV_NONE && inversion->level + 1 < merger->levels &&
               !tv_call_tree_drops(merger->opts, method);
    return TV_OK;
}

/* Where a node of the index begins to climb: behind the path, which its first callers must match;
 * TV_NONE: it is outside of the tree. */
static uint32_t find_begin(const struct inversion *inversion, uint32_t node)
{
    const struct tv_call_tree_opts *opts = inversion->merger->opts;
    const uint32_t *methods = inversion->merger->sums->method;
    uint32_t at = tv_call_tree_hides(opts, methods[node]) ? inversion->callers[node] : node;
    if (opts->root && (at == TV_NONE || methods[at] != *opts->root))
        return TV_NONE;
    for (size_t i = 0; i < opts->path_len; i++) {
        if (at == TV_NONE || methods[at] != opts->path[i])
            return TV_NONE;
        at = inversion->callers[at];
    }
    return at;
}

static enum tv_code begin_climb(struct node_slice *slice, uint32_t node, struct tv_error *err)
{
    struct climb climb = {.node = node, .at = find_begin(slice->inversion, node)};
    bool goes_on;
    if (climb.at == TV_NONE || !tv_sums_is_touched(slice->inversion->merger->sums, node))
        return TV_OK;
    TV_TRY(add_climb(slice, &climb, TV_NONE, &goes_on, err));
    if (!goes_on)
        return TV_OK;
    TV_TRY(tv_alloc_grow(slice->inversion->merger->tree->alloc, &slice->climbs, &slice->climb_cap,
                         slice->climb_count + 1, sizeof(*slice->climbs), err));
    slice->climbs[slice->climb_count++] = climb;
    return TV_OK;
}

/* Makes the first level of the nodes of the slice, which may begin and end in the middle of a
 * thread. */
static enum tv_code begin_slice(struct node_slice *slice, struct tv_error *err)
{
    const struct tv_sums *sums = slice->inversion->merger->sums;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    size_t before = 0; /* nodes of the threads before */
    for (uint32_t i = 0; i < thread_count && before < slice->end; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        size_t count = nodes.end - nodes.first;
        size_t first = slice->first > before ? slice->first - before : 0;
        size_t end = slice->end - before < count ? slice->end - before : count;
        for (size_t k = first; k < end; k++) {
            if (k % TV_WANTED_STEPS == 0)
                TV_TRY(tv_check_wanted(sums->is_unwanted, err));
            TV_TRY(begin_climb(slice, nodes.first + (uint32_t)k, err));
        }
        before += count;
    }
    return TV_OK;
}

/* Takes what climbs up one level, and keeps what goes on from there. */
static enum tv_code climb_level(struct node_slice *slice, struct tv_error *err)
{
    const atomic_bool *is_unwanted = slice->inversion->merger->sums->is_unwanted;
    size_t kept = 0;
    for (size_t i = 0; i < slice->climb_count; i++) {
        struct climb climb = slice->climbs[i];
        uint32_t parent = slice->above[climb.reached];
        bool goes_on;
        if (i % TV_WANTED_STEPS == 0)
            TV_TRY(tv_check_wanted(is_unwanted, err));
        if (parent == TV_NONE)
            continue;
        TV_TRY(add_climb(slice, &climb, parent, &goes_on, err));
        if (goes_on)
            slice->climbs[kept++] = climb;
    }
    slice->climb_count = kept;
    return TV_OK;
}

static void slice_task(void *arg, size_t task_ix)
{
    struct node_slice *slice = (struct node_slice *)arg + task_ix;
    slice->node_count = 0;
    tv_map_release(&slice->child_of);
    slice->code =
        slice->inversion->level ? climb_level(slice, &slice->err) : begin_slice(slice, &slice->err);
}

/* --- all slices of a level --- */

/* Merges the slice's part of the level into the whole tree. */
static enum tv_code add_slice(const struct inversion *inversion, struct node_slice *slice,
                              struct tv_error *err)
{
    struct tv_call_tree_merger *merger = inversion->merger;
    for (size_t i = 0; i < slice->node_count; i++) {
        struct level_node *from = &slice->nodes[i];
        uint32_t parent = from->parent == TV_NONE ? TV_NONE : inversion->going_on[from->parent];
        if (i % TV_WANTED_STEPS == 0)
            TV_TRY(tv_check_wanted(merger->sums->is_unwanted, err));
        TV_TRY(tv_call_tree_find_child(merger, parent, from->node.method, &from->node.first_child,
                                       err));
        struct tv_call_tree_node *to = &merger->tree->nodes[from->node.first_child];
        tv_numbers_add(&to->numbers, &from->node.numbers);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            to->method_inclusive_ns[clock] += from->node.method_inclusive_ns[clock];
        to->has_children = to->has_children || from->node.has_children;
    }
    return TV_OK;
}

/* Makes the parts of all slices at the same time, then merges them in order; the first failure
 * counts. A merged node of this level has its parent in the level before, so that the map of
 * merged nodes needs no earlier ones. */
static enum tv_code make_level(struct inversion *inversion, struct tv_error *err)
{
    struct tv_call_tree_merger *merger = inversion->merger;
    const struct tv_pool *pool = merger->opts->pool ? merger->opts->pool : tv_pool_serial();
    inversion->level_first = (uint32_t)merger->tree->count;
    tv_map_release(&merger->child_of);
    pool->run(pool->ctx, slice_task, inversion->slices, inversion->slice_count);
    for (size_t i = 0; i < inversion->slice_count; i++) {
        struct node_slice *slice = &inversion->slices[i];
        if (slice->code != TV_OK && err)
            *err = slice->err;
        if (slice->code != TV_OK)
            return slice->code;
        TV_TRY(add_slice(inversion, slice, err));
    }
    return TV_OK;
}

/* --- what goes on --- */

/* Largest first; of equal ones the one that was met first, so that no node comes before its
 * parent. */
static int compare_largest(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_call_tree_merger *merger = ctx;
    int64_t size_a = tv_call_tree_size(merger, a);
    int64_t size_b = tv_call_tree_size(merger, b);
    if (size_a != size_b)
        return size_a > size_b ? -1 : 1;
    return (a > b) - (a < b);
}

/* Whether the cut leaves the node, and it is not dropped. */
static bool may_be_shown(const struct tv_call_tree_merger *merger, uint32_t node)
{
    const struct tv_call_tree_opts *opts = merger->opts;
    double cut_value = opts->cut * (double)tv_measure_of(merger->sums->total_ns, opts->measure);
    return !tv_call_tree_drops(opts, merger->tree->nodes[node].method) &&
           (opts->cut <= 0 || (double)tv_call_tree_size(merger, node) >= cut_value);
}

/* Adds the level's nodes to the largest ones of all, and leaves the smallest of these out. */
static enum tv_code choose_largest(struct inversion *inversion, struct tv_error *err)
{
    const struct tv_call_tree_merger *merger = inversion->merger;
    const struct tv_alloc *alloc = merger->tree->alloc;
    size_t level_count = merger->tree->count - inversion->level_first;
    TV_TRY(tv_alloc_grow(alloc, &inversion->largest, &inversion->largest_cap,
                         inversion->largest_count + level_count, sizeof(*inversion->largest), err));
    for (uint32_t i = inversion->level_first; i < merger->tree->count; i++) {
        if (may_be_shown(merger, i))
            inversion->largest[inversion->largest_count++] = i;
    }
    if (inversion->largest_count <= merger->opts->row_limit)
        return TV_OK;
    TV_TRY(
        tv_sort(alloc, inversion->largest, inversion->largest_count, compare_largest, merger, err));
    inversion->largest_count = merger->opts->row_limit;
    return TV_OK;
}

/* Lists the nodes of the level that go on: those of the largest, or all that may be shown. */
static enum tv_code list_going_on(struct inversion *inversion, struct tv_error *err)
{
    const struct tv_call_tree_merger *merger = inversion->merger;
    size_t level_count = merger->tree->count - inversion->level_first;
    inversion->going_on_count = 0;
    TV_TRY(tv_alloc_grow(merger->tree->alloc, &inversion->going_on, &inversion->going_on_cap,
                         level_count, sizeof(*inversion->going_on), err));
    for (size_t i = 0; i < inversion->largest_count; i++) {
        if (inversion->largest[i] >= inversion->level_first)
            inversion->going_on[inversion->going_on_count++] = inversion->largest[i];
    }
    for (uint32_t i = inversion->level_first; !merger->opts->row_limit && i < merger->tree->count;
         i++) {
        if (may_be_shown(merger, i))
            inversion->going_on[inversion->going_on_count++] = i;
    }
    return TV_OK;
}

/* Tells the slice which of its nodes go on, by their numbers in that list. Until trees are sorted,
 * first_child of a merged node is free: it is the number, counted from 1. */
static enum tv_code tell_slice(const struct inversion *inversion, struct node_slice *slice,
                               struct tv_error *err)
{
    const struct tv_call_tree *tree = inversion->merger->tree;
    TV_TRY(tv_alloc_grow(tree->alloc, &slice->above, &slice->above_cap, slice->node_count,
                         sizeof(*slice->above), err));
    for (size_t i = 0; i < slice->node_count; i++) {
        uint32_t number = tree->nodes[slice->nodes[i].node.first_child].first_child;
        slice->above[i] = number ? number - 1 : TV_NONE;
    }
    return TV_OK;
}

static enum tv_code choose_going_on(struct inversion *inversion, struct tv_error *err)
{
    struct tv_call_tree *tree = inversion->merger->tree;
    if (inversion->merger->opts->row_limit)
        TV_TRY(choose_largest(inversion, err));
    TV_TRY(list_going_on(inversion, err));
    for (uint32_t i = inversion->level_first; i < tree->count; i++)
        tree->nodes[i].first_child = 0;
    for (uint32_t i = 0; i < inversion->going_on_count; i++)
        tree->nodes[inversion->going_on[i]].first_child = i + 1;
    for (size_t i = 0; i < inversion->slice_count; i++)
        TV_TRY(tell_slice(inversion, &inversion->slices[i], err));
    /* Until here first_child was the node's place in going_on. From now on it has its usual
     * meaning, the child that was found last; none was found yet. */
    for (uint32_t i = 0; i < inversion->going_on_count; i++)
        tree->nodes[inversion->going_on[i]].first_child = 0;
    return TV_OK;
}

static enum tv_code make_levels(struct inversion *inversion, struct tv_error *err)
{
    do {
        TV_TRY(make_level(inversion, err));
        TV_TRY(choose_going_on(inversion, err));
    } while (++inversion->level < inversion->merger->levels && inversion->going_on_count);
    return TV_OK;
}

/* Finds the nearest caller of each node that is not hidden. A parent stands before its children, so
 * its own is known. */
static void find_visible_callers(const struct tv_call_tree_merger *merger, uint32_t *callers)
{
    const struct tv_sums *sums = merger->sums;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            uint32_t parent = sums->parent[node];
            bool is_skipped =
                parent != TV_NONE && tv_call_tree_hides(merger->opts, sums->method[parent]);
            callers[node] = is_skipped ? callers[parent] : parent;
        }
    }
}

static size_t count_nodes(const struct tv_sums *sums)
{
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    size_t count = 0;
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        count += nodes.end - nodes.first;
    }
    return count;
}

/* How many steps climbing to that many levels takes: a node at a depth has that many callers. */
static uint64_t count_steps(const struct tv_sums *sums, uint32_t levels)
{
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    uint64_t steps = 0;
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++)
            steps += sums->depth[node] < levels ? sums->depth[node] + 1 : levels;
    }
    return steps;
}

/* Cuts the levels to as many as may be climbed. Halving finds a number that is not the largest one,
 * but at least half of it. */
static void limit_levels(struct tv_call_tree_merger *merger, size_t node_count)
{
    uint64_t each = node_count ? TV_CALL_TREE_CLIMB_MOST / node_count : TV_CALL_TREE_CLIMB_LIMIT;
    uint32_t least = each < TV_CALL_TREE_CLIMB_LIMIT ? (uint32_t)each : TV_CALL_TREE_CLIMB_LIMIT;
    least = least ? least : 1;
    while (merger->levels > least &&
           count_steps(merger->sums, merger->levels) > (uint64_t)least * node_count)
        merger->levels = merger->levels / 2 > least ? merger->levels / 2 : least;
}

static void init_slices(struct inversion *inversion, size_t node_count)
{
    size_t count = inversion->slice_count;
    for (size_t i = 0; i < count; i++) {
        struct node_slice *slice = &inversion->slices[i];
        slice->first = node_count / count * i;
        slice->end = i + 1 < count ? node_count / count * (i + 1) : node_count;
        slice->inversion = inversion;
        tv_map_init(&slice->child_of, inversion->merger->tree->alloc);
    }
}

static void release(struct inversion *inversion)
{
    const struct tv_alloc *alloc = inversion->merger->tree->alloc;
    for (size_t i = 0; inversion->slices && i < inversion->slice_count; i++) {
        struct node_slice *slice = &inversion->slices[i];
        tv_map_release(&slice->child_of);
        tv_alloc_release(alloc, &slice->above, slice->above_cap, sizeof(*slice->above));
        tv_alloc_release(alloc, &slice->nodes, slice->node_cap, sizeof(*slice->nodes));
        tv_alloc_release(alloc, &slice->climbs, slice->climb_cap, sizeof(*slice->climbs));
    }
    tv_alloc_release(alloc, &inversion->largest, inversion->largest_cap,
                     sizeof(*inversion->largest));
    tv_alloc_release(alloc, &inversion->going_on, inversion->going_on_cap,
                     sizeof(*inversion->going_on));
    tv_alloc_release(alloc, &inversion->slices, inversion->slice_count, sizeof(*inversion->slices));
}

static enum tv_code invert(struct inversion *inversion, size_t node_count, struct tv_error *err)
{
    size_t count = node_count / SLICE_NODES;
    count = count < SLICE_LIMIT ? count : SLICE_LIMIT;
    inversion->slice_count = count ? count : 1;
    TV_TRY(tv_alloc_new(inversion->merger->tree->alloc, &inversion->slices, inversion->slice_count,
                        sizeof(*inversion->slices), err));
    init_slices(inversion, node_count);
    return make_levels(inversion, err);
}

/* The number of slices follows from the number of nodes and not from the cores, so the tree is the
 * same on every machine. */
enum tv_code tv_call_tree_merge_inverted(struct tv_call_tree_merger *merger, struct tv_error *err)
{
    const struct tv_alloc *alloc = merger->tree->alloc;
    const struct tv_sums *sums = merger->sums;
    struct inversion inversion = {.merger = merger};
    size_t node_count = count_nodes(sums);
    uint32_t *callers = NULL;
    enum tv_code code = TV_OK;
    limit_levels(merger, node_count);
    if (merger->opts->hidden) {
        code = tv_alloc_new(alloc, &callers, sums->node_count, sizeof(*callers), err);
        if (code == TV_OK)
            find_visible_callers(merger, callers);
    }
    inversion.callers = callers ? callers : sums->parent;
    if (code == TV_OK)
        code = invert(&inversion, node_count, err);
    release(&inversion);
    tv_alloc_release(alloc, &callers, sums->node_count, sizeof(*callers));
    return code;
}
