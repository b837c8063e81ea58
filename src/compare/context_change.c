/*
 * What changed in the tree of callers; see compare/context_change.h.
 *
 * Counts are judged by their ranges over the runs, as those of methods are. What a context lost or
 * gained is the gap between the ranges of both sides, so it is that many in whatever run.
 */
#include "compare/context_change.h"

#include "base/memory/sort.h"

/* What a method lost and gained, over its contexts. */
struct flow {
    uint64_t all[TV_SIDE_COUNT];   /* calls that the other side lacks */
    uint64_t began[TV_SIDE_COUNT]; /* of them, those of contexts where the change began */
    uint64_t most[TV_SIDE_COUNT];  /* of the context that has most */
    uint32_t contexts[TV_SIDE_COUNT];
    size_t context_count[TV_SIDE_COUNT];
    bool is_on[TV_SIDE_COUNT]; /* the method has calls there */
};

struct finding {
    struct tv_context_changes *out;
    const struct tv_context_join *contexts;
    enum tv_clock clock;
    struct flow *flows;  /* by method */
    uint8_t *is_inlined; /* by context: what changed there may be what a side inlined */
};

void tv_context_changes_init(struct tv_context_changes *changes, const struct tv_alloc *alloc)
{
    *changes = (struct tv_context_changes){.alloc = alloc};
}

void tv_context_changes_release(struct tv_context_changes *changes)
{
    tv_alloc_release(changes->alloc, &changes->moved, changes->moved_cap, sizeof(*changes->moved));
    tv_alloc_release(changes->alloc, &changes->began, changes->began_cap, sizeof(*changes->began));
    tv_context_changes_init(changes, changes->alloc);
}

uint64_t tv_context_time(const struct tv_context_join *contexts, uint32_t place, enum tv_side side,
                         enum tv_clock clock)
{
    const size_t runs = contexts->run_counts[side];
    return runs ? contexts->of[place].sides[side].time_ns[clock] / runs : 0;
}

static bool is_on(const struct tv_joined_context *context, enum tv_side side)
{
    return context->sides[side].most_calls != 0;
}

static enum tv_verdict judge(const struct tv_joined_context *context)
{
    struct tv_change_side sides[TV_SIDE_COUNT];
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        sides[side] = (struct tv_change_side){.least_calls = context->sides[side].least_calls,
                                              .most_calls = context->sides[side].most_calls};
    return tv_change_judge_calls(&sides[TV_SIDE_OLD], &sides[TV_SIDE_NEW]);
}

/* Whether the change of a context is not that of its caller. */
static bool has_begun(const struct tv_context_join *contexts,
                      const struct tv_joined_context *context)
{
    if (context->parent == TV_NONE)
        return true;
    const struct tv_joined_context *caller = &contexts->of[context->parent];
    if (!is_on(caller, TV_SIDE_OLD) || !is_on(caller, TV_SIDE_NEW))
        return false;
    return judge(caller) == TV_VERDICT_SAME || !is_on(context, TV_SIDE_OLD) ||
           !is_on(context, TV_SIDE_NEW);
}

/* Adds what one context has more of than the other side: the gap between the ranges. */
static void add_flow(struct flow *flow, const struct tv_joined_context *context, uint32_t place,
                     bool began)
{
    const struct tv_context_side *of = context->sides;
    const enum tv_side side =
        of[TV_SIDE_OLD].least_calls > of[TV_SIDE_NEW].most_calls ? TV_SIDE_OLD : TV_SIDE_NEW;
    const enum tv_side other = side == TV_SIDE_OLD ? TV_SIDE_NEW : TV_SIDE_OLD;
    const uint64_t gap = of[side].least_calls - of[other].most_calls;
    flow->all[side] += gap;
    flow->began[side] += began ? gap : 0;
    flow->context_count[side]++;
    if (gap > flow->most[side]) {
        flow->most[side] = gap;
        flow->contexts[side] = place;
    }
}

static enum tv_code look_at(struct finding *finding, uint32_t place, struct tv_error *err)
{
    struct tv_context_changes *out = finding->out;
    const struct tv_joined_context *context = &finding->contexts->of[place];
    struct flow *flow = &finding->flows[context->method];
    const bool was = is_on(context, TV_SIDE_OLD);
    const bool is = is_on(context, TV_SIDE_NEW);
    out->common_count += was && is;
    out->only_count[TV_SIDE_OLD] += was && !is;
    out->only_count[TV_SIDE_NEW] += is && !was;
    if (judge(context) != TV_VERDICT_CHANGED || finding->is_inlined[place])
        return TV_OK;
    const bool began = has_begun(finding->contexts, context);
    add_flow(flow, context, place, began);
    if (!began || !flow->is_on[TV_SIDE_OLD] || !flow->is_on[TV_SIDE_NEW])
        return TV_OK;
    TV_TRY(tv_alloc_grow(out->alloc, &out->began, &out->began_cap, out->began_count + 1,
                         sizeof(*out->began), err));
    out->began[out->began_count++] = place;
    return TV_OK;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Calls that left one end of which the change began, for the other end of whatever kind. */
static uint64_t moved_calls(const struct flow *flow)
{
    const uint64_t from_here = smaller(flow->began[TV_SIDE_OLD], flow->all[TV_SIDE_NEW]);
    const uint64_t to_here = smaller(flow->all[TV_SIDE_OLD], flow->began[TV_SIDE_NEW]);
    return from_here > to_here ? from_here : to_here;
}

static enum tv_code list_moved(struct finding *finding, size_t method_count, struct tv_error *err)
{
    struct tv_context_changes *out = finding->out;
    for (size_t i = 0; i < method_count; i++) {
        const struct flow *flow = &finding->flows[i];
        const uint64_t calls = moved_calls(flow);
        if (!calls)
            continue;
        TV_TRY(tv_alloc_grow(out->alloc, &out->moved, &out->moved_cap, out->moved_count + 1,
                             sizeof(*out->moved), err));
        out->moved[out->moved_count++] = (struct tv_moved_method){
            .method = (uint32_t)i,
            .calls = calls,
            .contexts = {flow->contexts[TV_SIDE_OLD], flow->contexts[TV_SIDE_NEW]},
            .context_count = {flow->context_count[TV_SIDE_OLD], flow->context_count[TV_SIDE_NEW]}};
    }
    return TV_OK;
}

/* --- which stands first --- */

static int descending(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static uint64_t time_on(const struct finding *finding, uint32_t place, enum tv_side side)
{
    return tv_context_time(finding->contexts, place, side, finding->clock);
}

/* By how much the time of a context differs. */
static uint64_t difference(const struct finding *finding, uint32_t place)
{
    const uint64_t was = time_on(finding, place, TV_SIDE_OLD);
    const uint64_t is = time_on(finding, place, TV_SIDE_NEW);
    return was > is ? was - is : is - was;
}

static int compare_began(const void *ctx, uint32_t a, uint32_t b)
{
    return descending(difference(ctx, a), difference(ctx, b));
}

/* The time where the calls went, since that is what can be done something about. */
static int compare_moved(const void *ctx, uint32_t a, uint32_t b)
{
    const struct finding *finding = ctx;
    const struct tv_moved_method *moved = finding->out->moved;
    const int order = descending(time_on(finding, moved[a].contexts[TV_SIDE_NEW], TV_SIDE_NEW),
                                 time_on(finding, moved[b].contexts[TV_SIDE_NEW], TV_SIDE_NEW));
    return order ? order : descending(moved[a].calls, moved[b].calls);
}

static enum tv_code sort_both(const struct finding *finding, struct tv_error *err)
{
    struct tv_context_changes *out = finding->out;
    TV_TRY(tv_sort(out->alloc, out->began, out->began_count, compare_began, finding, err));
    return tv_sort_rows(out->alloc, out->moved, out->moved_count, sizeof(*out->moved),
                        compare_moved, finding, err);
}

/* Where a side runs a method inside its caller, what it calls is called by that one there. A parent
 * stands before its children. */
static void find_inlined(const struct finding *finding)
{
    for (size_t i = 0; i < finding->contexts->count; i++) {
        const struct tv_joined_context *context = &finding->contexts->of[i];
        const bool is_root = context->parent == TV_NONE;
        finding->is_inlined[i] =
            context->is_inlined ||
            (!is_root && (finding->is_inlined[context->parent] ||
                          (finding->contexts->of[context->parent].has_other_inlined &&
                           judge(context) == TV_VERDICT_CHANGED)));
    }
}

static void find_methods(const struct finding *finding)
{
    for (size_t i = 0; i < finding->contexts->count; i++) {
        const struct tv_joined_context *context = &finding->contexts->of[i];
        struct flow *flow = &finding->flows[context->method];
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
            flow->is_on[side] = flow->is_on[side] || is_on(context, (enum tv_side)side);
    }
}

static enum tv_code find(struct finding *finding, size_t method_count, struct tv_error *err)
{
    find_methods(finding);
    find_inlined(finding);
    for (size_t i = 0; i < finding->contexts->count; i++)
        TV_TRY(look_at(finding, (uint32_t)i, err));
    TV_TRY(list_moved(finding, method_count, err));
    return sort_both(finding, err);
}

enum tv_code tv_context_changes_make(struct tv_context_changes *changes,
                                     const struct tv_context_join *contexts, size_t method_count,
                                     enum tv_clock clock, struct tv_error *err)
{
    struct finding finding = {.out = changes, .contexts = contexts, .clock = clock};
    tv_context_changes_release(changes);
    TV_TRY(tv_alloc_new(changes->alloc, &finding.flows, method_count, sizeof(*finding.flows), err));
    enum tv_code code = tv_alloc_new(changes->alloc, &finding.is_inlined, contexts->count, 1, err);
    if (code == TV_OK)
        code = find(&finding, method_count, err);
    tv_alloc_release(changes->alloc, &finding.is_inlined, contexts->count, 1);
    tv_alloc_release(changes->alloc, &finding.flows, method_count, sizeof(*finding.flows));
    return code;
}
