/*
 * Matching calling contexts of runs; see compare/context_join.h.
 *
 * A parent stands before its children in the sums of a run, and so it does here. Runs call in much
 * the same order, so the child that is wanted is mostly the one behind the child that was found
 * last. The first few behind that are looked at; a parent with more children has them in a map.
 * Calls of a run are added up in `calls` first, because contexts of several threads, and of several
 * generated methods, are one; when the run is over they go to the side's least and most.
 */
#include "compare/context_join.h"

/* Children that are looked at one by one. A parent with more has them in the map. */
#define LOOKS 8u

static const struct tv_context_children no_children = {TV_NONE, TV_NONE, TV_NONE, TV_NONE,
                                                       TV_NONE, 0,       0};

void tv_context_join_init(struct tv_context_join *contexts, const struct tv_alloc *alloc)
{
    *contexts = (struct tv_context_join){.alloc = alloc};
    tv_map_init(&contexts->places, alloc);
}

static void let_children_go(struct tv_context_join *contexts)
{
    tv_alloc_release(contexts->alloc, &contexts->children, contexts->children_cap,
                     sizeof(*contexts->children));
    contexts->children_cap = 0;
    tv_map_release(&contexts->places);
}

void tv_context_join_release(struct tv_context_join *contexts)
{
    tv_alloc_release(contexts->alloc, &contexts->of, contexts->cap, sizeof(*contexts->of));
    let_children_go(contexts);
    tv_context_join_init(contexts, contexts->alloc);
}

static struct tv_context_children *children_of(const struct tv_context_join *contexts,
                                               uint32_t parent)
{
    return &contexts->children[parent == TV_NONE ? 0 : parent + (size_t)1];
}

static uint64_t key_of(uint32_t parent, uint32_t method)
{
    return (uint64_t)parent << 32 | method;
}

/* Looks at some children, the one behind that which was found last first; TV_NONE: not there. */
static uint32_t look_behind(const struct tv_context_join *contexts,
                            const struct tv_context_children *children, uint32_t method)
{
    uint32_t at = children->met;
    for (uint32_t i = 0; i < children->count && i < LOOKS; i++) {
        at = at == TV_NONE ? TV_NONE : children_of(contexts, at)->next;
        at = at == TV_NONE ? children->first : at;
        if (children_of(contexts, at)->method == method)
            return at;
    }
    return TV_NONE;
}

static enum tv_code keep_place(struct tv_context_join *contexts, uint32_t place,
                               struct tv_error *err)
{
    const struct tv_joined_context *context = &contexts->of[place];
    return tv_map_put(&contexts->places, key_of(context->parent, context->method), place, err);
}

/* All children go into the map when they become too many to look at. */
static enum tv_code keep_places(struct tv_context_join *contexts, uint32_t parent, uint32_t added,
                                struct tv_error *err)
{
    const struct tv_context_children *children = children_of(contexts, parent);
    if (children->count <= LOOKS)
        return TV_OK;
    if (children->count > LOOKS + 1)
        return keep_place(contexts, added, err);
    for (uint32_t at = children->first; at != TV_NONE; at = children_of(contexts, at)->next)
        TV_TRY(keep_place(contexts, at, err));
    return TV_OK;
}

static enum tv_code add_context(struct tv_context_join *contexts, uint32_t parent, uint32_t method,
                                struct tv_error *err)
{
    const uint32_t place = (uint32_t)contexts->count;
    TV_TRY(tv_alloc_grow(contexts->alloc, &contexts->of, &contexts->cap, contexts->count + 1,
                         sizeof(*contexts->of), err));
    TV_TRY(tv_alloc_grow(contexts->alloc, &contexts->children, &contexts->children_cap,
                         contexts->count + 2, sizeof(*contexts->children), err));
    contexts->of[contexts->count++] =
        (struct tv_joined_context){.parent = parent, .method = method};
    *children_of(contexts, place) = no_children;
    children_of(contexts, place)->method = method;
    children_of(contexts, place)->made_in = contexts->run;
    struct tv_context_children *children = children_of(contexts, parent);
    if (children->last == TV_NONE)
        children->first = place;
    else
        children_of(contexts, children->last)->next = place;
    children->last = children->met = place;
    children->count++;
    return keep_places(contexts, parent, place, err);
}

/* The context of a method below a parent, which is new where no run had it. is_alone: no other
 * method of the run stands for that place in the join. */
static enum tv_code find_or_add(struct tv_context_join *contexts, uint32_t parent, uint32_t method,
                                bool is_alone, uint32_t *place, struct tv_error *err)
{
    struct tv_context_children *children = children_of(contexts, parent);
    const bool is_new = is_alone && children->made_in == contexts->run;
    *place = is_new ? TV_NONE : look_behind(contexts, children, method);
    if (*place == TV_NONE && !is_new && children->count > LOOKS)
        *place = tv_map_get(&contexts->places, key_of(parent, method));
    if (*place != TV_NONE) {
        children->met = *place;
        children_of(contexts, *place)->made_in = 0;
        return TV_OK;
    }
    *place = (uint32_t)contexts->count;
    return add_context(contexts, parent, method, err);
}

/* How many nodes ahead memory is asked for: the contexts of callers are all over the memory, and so
 * are their children, each of which names the next one. */
#define CALLERS_AHEAD 24u
#define CONTEXTS_AHEAD 16u
#define MET_AHEAD 8u
#define NEXT_AHEAD 4u

/* The children of the caller of a node, of which the caller was added before `node`; NULL: it was
 * not. */
TV_INLINE const struct tv_context_children *siblings_of(const struct tv_context_join *contexts,
                                                        const struct tv_sums *sums,
                                                        const uint32_t *place_of, uint32_t node,
                                                        uint32_t ahead)
{
    const uint32_t parent = sums->parent[node + ahead];
    const uint32_t place = parent < node ? place_of[parent] : TV_NONE;
    return place == TV_NONE ? NULL : children_of(contexts, place);
}

/* Asks for what the next nodes of a thread will be looked for in. */
TV_INLINE void look_ahead(const struct tv_context_join *contexts, const struct tv_sums *sums,
                          const uint32_t *place_of, uint32_t node, uint32_t end)
{
    const struct tv_context_children *siblings;
    if (end - node <= CALLERS_AHEAD)
        return;
    if (sums->parent[node + CALLERS_AHEAD] != TV_NONE)
        TV_PREFETCH(&place_of[sums->parent[node + CALLERS_AHEAD]]);
    siblings = siblings_of(contexts, sums, place_of, node, CONTEXTS_AHEAD);
    if (siblings)
        TV_PREFETCH(siblings);
    siblings = siblings_of(contexts, sums, place_of, node, MET_AHEAD);
    if (siblings && siblings->met != TV_NONE)
        TV_PREFETCH(children_of(contexts, siblings->met));
    siblings = siblings_of(contexts, sums, place_of, node, NEXT_AHEAD);
    if (!siblings || siblings->met == TV_NONE)
        return;
    const uint32_t next = children_of(contexts, siblings->met)->next;
    if (next == TV_NONE)
        return;
    TV_PREFETCH(children_of(contexts, next));
    TV_PREFETCH(&contexts->of[next]);
}

/* What is known while the nodes of a run are added. */
struct adding {
    const struct tv_context_run *run;
    uint32_t *place_of; /* the context of a node; TV_NONE: it is not compared */
    uint8_t *is_alone;  /* by method: no other one stands for its place in the join */
};

/* Two lambdas may have one place. */
static enum tv_code find_alone(const struct tv_context_join *contexts, const struct adding *adding,
                               struct tv_error *err)
{
    const uint32_t *places = adding->run->places;
    const uint32_t count = adding->run->sums->index->method_count;
    uint32_t *method_of;
    uint32_t end = 0;
    for (uint32_t i = 0; i < count; i++)
        end = places[i] != TV_NONE && places[i] >= end ? places[i] + 1 : end;
    TV_TRY(tv_alloc_new(contexts->alloc, &method_of, end, sizeof(*method_of), err));
    for (uint32_t i = 0; i < count; i++) {
        if (places[i] == TV_NONE)
            continue;
        uint32_t *first = &method_of[places[i]]; /* 1 + a method */
        adding->is_alone[i] = !*first;
        if (*first)
            adding->is_alone[*first - 1] = false;
        else
            *first = i + 1;
    }
    tv_alloc_release(contexts->alloc, &method_of, end, sizeof(*method_of));
    return TV_OK;
}

/* Adds the nodes of one thread. */
static enum tv_code add_nodes(struct tv_context_join *contexts, enum tv_side side,
                              const struct adding *adding, struct tv_node_range nodes,
                              struct tv_error *err)
{
    const struct tv_context_run *run = adding->run;
    uint32_t *place_of = adding->place_of;
    const struct tv_sums *sums = run->sums;
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        const uint32_t parent = sums->parent[node];
        const uint32_t above = parent == TV_NONE ? TV_NONE : place_of[parent];
        const bool is_root =
            run->root == TV_NONE ? parent == TV_NONE : sums->method[node] == run->root;
        const uint32_t method = run->places[sums->method[node]];
        place_of[node] = TV_NONE;
        look_ahead(contexts, sums, place_of, node, nodes.end);
        if (method == TV_NONE || (above == TV_NONE && !is_root) || !tv_sums_is_touched(sums, node))
            continue;
        const bool is_alone = adding->is_alone[sums->method[node]];
        TV_TRY(find_or_add(contexts, above, method, is_alone, &place_of[node], err));
        struct tv_joined_context *context = &contexts->of[place_of[node]];
        context->calls += tv_sums_calls(sums, node);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            context->sides[side].time_ns[clock] += tv_sums_inclusive(sums, clock, node);
    }
    return TV_OK;
}

/* The roots have no context that they are children of. */
static enum tv_code begin_children(struct tv_context_join *contexts, struct tv_error *err)
{
    if (contexts->children)
        return TV_OK;
    TV_TRY(tv_alloc_grow(contexts->alloc, &contexts->children, &contexts->children_cap, 1,
                         sizeof(*contexts->children), err));
    contexts->children[0] = no_children;
    return TV_OK;
}

/* A context that a run of the side lacks has 0 calls as its least. */
static void end_run(struct tv_context_join *contexts, enum tv_side side)
{
    const bool is_first = !contexts->run_counts[side]++;
    for (size_t i = 0; i < contexts->count; i++) {
        struct tv_joined_context *context = &contexts->of[i];
        struct tv_context_side *of = &context->sides[side];
        if (is_first || context->calls < of->least_calls)
            of->least_calls = context->calls;
        if (context->calls > of->most_calls)
            of->most_calls = context->calls;
        context->calls = 0;
    }
}

static enum tv_code add_run(struct tv_context_join *contexts, enum tv_side side,
                            const struct adding *adding, struct tv_error *err)
{
    const struct tv_sums *sums = adding->run->sums;
    const uint32_t threads = tv_selection_thread_count(&sums->selection, sums->index);
    TV_TRY(find_alone(contexts, adding, err));
    contexts->run++;
    for (uint32_t i = 0; i < threads; i++) {
        TV_TRY(tv_check_wanted(sums->is_unwanted, err));
        TV_TRY(add_nodes(contexts, side, adding, tv_sums_nodes(sums, i), err));
    }
    end_run(contexts, side);
    return TV_OK;
}

enum tv_code tv_context_join_add(struct tv_context_join *contexts, enum tv_side side,
                                 const struct tv_context_run *run, struct tv_error *err)
{
    const struct tv_sums *sums = run->sums;
    const struct tv_alloc *alloc = contexts->alloc;
    const size_t methods = sums->index->method_count;
    struct adding adding = {.run = run};
    TV_TRY(begin_children(contexts, err));
    enum tv_code code =
        tv_alloc_new(alloc, &adding.place_of, sums->node_count, sizeof(*adding.place_of), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &adding.is_alone, methods, sizeof(*adding.is_alone), err);
    if (code == TV_OK)
        code = add_run(contexts, side, &adding, err);
    tv_alloc_release(alloc, &adding.is_alone, methods, sizeof(*adding.is_alone));
    tv_alloc_release(alloc, &adding.place_of, sums->node_count, sizeof(*adding.place_of));
    return code;
}

void tv_context_join_finish(struct tv_context_join *contexts, const struct tv_join *join)
{
    let_children_go(contexts);
    for (size_t i = 0; i < contexts->count; i++) {
        struct tv_joined_context *context = &contexts->of[i];
        context->method = join->sorted[context->method];
        const struct tv_joined_method *method = &join->methods[context->method];
        context->is_inlined =
            method->is_inlined_on[TV_SIDE_OLD] || method->is_inlined_on[TV_SIDE_NEW] ||
            method->is_listed_on[TV_SIDE_OLD] || method->is_listed_on[TV_SIDE_NEW];
        context->has_other_inlined = method->has_other_inlined;
    }
}

struct tv_context_path tv_context_path_of(const struct tv_context_join *contexts, uint32_t place,
                                          size_t most)
{
    struct tv_context_path path = {.count = 0};
    for (uint32_t at = place; at != TV_NONE; at = contexts->of[at].parent)
        path.above++;
    path.count = path.above < most ? path.above : most;
    path.above -= path.count;
    for (size_t i = path.count; i-- > 0; place = contexts->of[place].parent)
        path.methods[i] = contexts->of[place].method;
    return path;
}
