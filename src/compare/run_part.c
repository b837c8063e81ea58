/*
 * The profile of a part of a run; see compare/run_part.h.
 *
 * Threads and a range are a selection, whose sums the index has or adds up. What lies below a
 * method is a walk over the tree of contexts, thread by thread, which counts the open contexts of
 * each method: so each context is met twice, whatever the depth. Between two methods counts are
 * those of compare/call_counts.h, since a range of time cannot tell calls of one moment apart; the
 * times of the methods that are called there are those of the range.
 */
#include "compare/run_part.h"

#include "analysis/insights/insights.h"
#include "analysis/question/scope.h"
#include "compare/call_counts.h"
#include "compare/rule_numbers.h"

struct tv_run_part tv_run_part_all(void)
{
    return (struct tv_run_part){
        .to_ns = UINT64_MAX, .root = TV_NONE, .first = TV_NONE, .until = TV_NONE};
}

/* Marks the threads of a pattern, or the one with an id; how many they are. */
static uint32_t mark_threads(const struct tv_index *index, struct tv_str wanted, uint8_t *marks,
                             uint8_t *of_pattern)
{
    uint64_t id;
    uint32_t count = 0;
    if (!tv_str_to_u64(wanted, 10, &id)) {
        count = tv_rule_threads(index, wanted, of_pattern);
        for (uint32_t i = 0; i < index->thread_count; i++)
            marks[i] |= of_pattern[i];
        return count;
    }
    for (uint32_t i = 0; i < index->thread_count; i++) {
        if (index->threads[i].id == id) {
            marks[i] = 1;
            count++;
        }
    }
    return count;
}

static enum tv_code take_threads(const struct tv_run_part *part, const struct tv_index *index,
                                 struct tv_arena *arena, struct tv_scope *scope,
                                 struct tv_error *err)
{
    uint8_t *marks;
    uint8_t *of_pattern;
    if (!part->thread_count)
        return TV_OK;
    TV_TRY(tv_arena_take(arena, index->thread_count + (size_t)1, &marks, err));
    TV_TRY(tv_arena_take(arena, index->thread_count + (size_t)1, &of_pattern, err));
    for (size_t i = 0; i < part->thread_count; i++) {
        struct tv_str wanted = part->threads[i];
        if (!mark_threads(index, wanted, marks, of_pattern))
            return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                           "no thread has the id or name '%.*s'", tv_str_shown_len(wanted),
                           wanted.at);
    }
    return tv_scope_take_threads(scope, index, marks, arena, err);
}

static enum tv_code take_scope(const struct tv_run_part *part, const struct tv_index *index,
                               struct tv_arena *arena, struct tv_scope *scope, struct tv_error *err)
{
    tv_scope_init(scope, index);
    TV_TRY(take_threads(part, index, arena, scope, err));
    return tv_scope_take_range(scope, index, part->from_ns, part->to_ns, err);
}

/* --- below a method --- */

/* A walk over the contexts of sums, which knows what is open. */
struct walk {
    const struct tv_sums *sums;
    struct tv_profile *profile;
    uint32_t root;
    uint32_t *first_child;  /* by node; TV_NONE: none */
    uint32_t *next_sibling; /* by node */
    uint32_t *open;         /* by method: how many contexts of it are open below the root */
};

static enum tv_code take_room(struct walk *walk, const struct tv_alloc *alloc, struct tv_error *err)
{
    const uint32_t nodes = walk->sums->node_count;
    TV_TRY(tv_alloc_new(alloc, &walk->first_child, nodes, sizeof(uint32_t), err));
    TV_TRY(tv_alloc_new(alloc, &walk->next_sibling, nodes, sizeof(uint32_t), err));
    return tv_alloc_new(alloc, &walk->open, walk->profile->row_count, sizeof(uint32_t), err);
}

static void release_room(struct walk *walk, const struct tv_alloc *alloc)
{
    tv_alloc_release(alloc, &walk->open, walk->profile->row_count, sizeof(uint32_t));
    tv_alloc_release(alloc, &walk->next_sibling, walk->sums->node_count, sizeof(uint32_t));
    tv_alloc_release(alloc, &walk->first_child, walk->sums->node_count, sizeof(uint32_t));
}

/* A parent has a smaller number than its children, so one pass links them. */
static void link_children(struct walk *walk, struct tv_node_range nodes)
{
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        uint32_t parent = walk->sums->parent[node];
        walk->first_child[node] = TV_NONE;
        walk->next_sibling[node] = TV_NONE;
        if (parent != TV_NONE) {
            walk->next_sibling[node] = walk->first_child[parent];
            walk->first_child[parent] = node;
        }
    }
}

static void enter_node(struct walk *walk, uint32_t node)
{
    const struct tv_sums *sums = walk->sums;
    const uint32_t method = sums->method[node];
    struct tv_method_row *row = &walk->profile->rows[method];
    const struct tv_numbers numbers = tv_sums_numbers(sums, node);
    if (method != walk->root && !walk->open[walk->root])
        return;
    bool is_outermost = !walk->open[method]++;
    if (is_outermost)
        row->numbers.calls += numbers.calls;
    else
        row->recursive_calls += numbers.calls;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        row->numbers.exclusive_ns[clock] += numbers.exclusive_ns[clock];
        if (is_outermost)
            row->numbers.inclusive_ns[clock] += numbers.inclusive_ns[clock];
    }
}

static void leave_node(struct walk *walk, uint32_t node)
{
    const uint32_t method = walk->sums->method[node];
    if (walk->open[method])
        walk->open[method]--;
}

/* Meets the nodes below one without a parent, each after its parent and before its siblings'. */
static void walk_from(struct walk *walk, uint32_t top)
{
    uint32_t node = top;
    enter_node(walk, node);
    for (;;) {
        if (walk->first_child[node] != TV_NONE) {
            node = walk->first_child[node];
            enter_node(walk, node);
            continue;
        }
        leave_node(walk, node);
        while (node != top && walk->next_sibling[node] == TV_NONE) {
            node = walk->sums->parent[node];
            leave_node(walk, node);
        }
        if (node == top)
            return;
        node = walk->next_sibling[node];
        enter_node(walk, node);
    }
}

static void walk_threads(struct walk *walk)
{
    const struct tv_sums *sums = walk->sums;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        link_children(walk, nodes);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            if (sums->parent[node] == TV_NONE)
                walk_from(walk, node);
        }
    }
}

/* The whole is what the outermost calls of the root took. */
static enum tv_code profile_below(const struct tv_run_part *part, const struct tv_sums *sums,
                                  struct tv_profile *profile, struct tv_error *err)
{
    const struct tv_alloc *alloc = profile->alloc;
    tv_profile_release(profile);
    TV_TRY(tv_alloc_new(alloc, &profile->rows, sums->index->method_count, sizeof(*profile->rows),
                        err));
    profile->index = sums->index;
    profile->row_count = sums->index->method_count;
    struct walk walk = {.sums = sums, .profile = profile, .root = part->root};
    enum tv_code code = take_room(&walk, alloc, err);
    if (code == TV_OK) {
        walk_threads(&walk);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            profile->total_ns[clock] = profile->rows[part->root].numbers.inclusive_ns[clock];
        if (!profile->rows[part->root].numbers.calls)
            code = tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                           "the method that is to be the root has no call here");
    }
    release_room(&walk, alloc);
    return code;
}

/* --- below one call --- */

enum tv_code tv_call_part_take(struct tv_call_ref call, const struct tv_index *index,
                               const struct tv_pool *pool, struct tv_run_numbers *numbers,
                               struct tv_error *err)
{
    const struct tv_index_thread *thread = &index->threads[call.thread_ix];
    struct tv_scope scope;
    if (!tv_index_duration(index, thread, tv_index_axis(index), call.call))
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "the call has no time");
    tv_scope_init(&scope, index);
    TV_TRY(tv_scope_take_call(&scope, index, call, &numbers->arena, err));
    TV_TRY(tv_sums_compute(&numbers->sums, index, &scope.selection, pool, err));
    return tv_profile_of_sums(&numbers->profile, &numbers->sums, err);
}

/* --- between two methods --- */

static uint64_t start_ns(const struct tv_index *index, struct tv_call_ref ref)
{
    return tv_index_start(index, &index->threads[ref.thread_ix], tv_index_axis(index), ref.call) *
           index->info->unit_ns;
}

/* Gives the methods that were called between both their counts, and takes all others out: the
 * callers of the first call have time there, and no call. */
static void take_counts(struct tv_profile *profile, const struct tv_call_counts *counts)
{
    for (uint32_t i = 0; i < profile->row_count; i++) {
        struct tv_method_row *row = &profile->rows[i];
        uint64_t calls = counts->rows[i].numbers.calls;
        if (!calls)
            *row = (struct tv_method_row){.recursive_calls = 0};
        row->numbers.calls = calls;
        row->recursive_calls = 0;
    }
}

static enum tv_code profile_between(const struct tv_run_part *part, const struct tv_index *index,
                                    const struct tv_pool *pool, struct tv_profile *profile,
                                    struct tv_error *err)
{
    const struct tv_call_counts_opts opts = {
        .from = part->first, .until = part->until, .per = TV_NONE};
    struct tv_call_counts counts;
    tv_call_counts_init(&counts, profile->alloc);
    enum tv_code code = tv_call_counts_make(&counts, index, &opts, err);
    if (code == TV_OK) {
        const struct tv_selection selection = {.has_range = true,
                                               .from_ns = start_ns(index, counts.first),
                                               .to_ns = start_ns(index, counts.until),
                                               .threads = &counts.first.thread_ix,
                                               .thread_count = 1};
        code = tv_profile_of_selection(profile, index, &selection, pool, err);
    }
    if (code == TV_OK)
        take_counts(profile, &counts);
    tv_call_counts_release(&counts);
    return code;
}

void tv_run_numbers_init(struct tv_run_numbers *numbers, const struct tv_alloc *alloc)
{
    tv_profile_init(&numbers->profile, alloc);
    tv_sums_init(&numbers->sums, alloc);
    numbers->root = TV_NONE;
    tv_arena_init(&numbers->arena, alloc);
}

void tv_run_numbers_release(struct tv_run_numbers *numbers)
{
    tv_profile_release(&numbers->profile);
    tv_sums_release(&numbers->sums);
    tv_arena_release(&numbers->arena);
}

enum tv_code tv_run_part_take(const struct tv_run_part *part, const struct tv_index *index,
                              const struct tv_pool *pool, struct tv_run_numbers *numbers,
                              struct tv_error *err)
{
    struct tv_scope scope;
    if (part->first != TV_NONE)
        return profile_between(part, index, pool, &numbers->profile, err);
    numbers->root = part->root;
    TV_TRY(take_scope(part, index, &numbers->arena, &scope, err));
    TV_TRY(tv_sums_compute(&numbers->sums, index, &scope.selection, pool, err));
    return part->root == TV_NONE ? tv_profile_of_sums(&numbers->profile, &numbers->sums, err)
                                 : profile_below(part, &numbers->sums, &numbers->profile, err);
}
