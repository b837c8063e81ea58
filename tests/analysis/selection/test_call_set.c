/* Sets of calls: their nodes, the sums, profiles, percentiles, flame graphs and waits of them, and
 * their lists, against plain calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/calls/calls.h"
#include "analysis/calls/percentiles.h"
#include "analysis/calls/set_calls.h"
#include "analysis/flame/flame.h"
#include "analysis/profile/profile.h"
#include "analysis/question/detail_question.h"
#include "analysis/question/scope.h"
#include "analysis/selection/call_set.h"
#include "analysis/selection/sums.h"
#include "analysis/stacks.h"
#include "analysis/world.h"
#include "base/memory/arena.h"

#define SEEDS 60

static struct world w;
static bool is_of_set[WORLD_CALLS]; /* per plain call: it is of the set */

/* Whether a call is of the set, or was made by one that is. */
static bool is_inside(int call)
{
    for (; call != WORLD_NONE; call = w.calls[call].parent) {
        if (is_of_set[call])
            return true;
    }
    return false;
}

/* Whether a call is of the set, and no other one of it made it. */
static bool is_outermost(int call)
{
    return is_of_set[call] && !is_inside(w.calls[call].parent);
}

/* Whether a caller that is inside has the same method. */
static bool is_recursive_inside(int call)
{
    for (int at = w.calls[call].parent; at != WORLD_NONE && is_inside(at);
         at = w.calls[at].parent) {
        if (w.calls[at].method == w.calls[call].method)
            return true;
    }
    return false;
}

static struct tv_method_row plain_row(unsigned method)
{
    struct tv_method_row row = {.recursive_calls = 0};
    for (int i = 0; i < w.call_count; i++) {
        if (w.calls[i].method != method || !is_inside(i))
            continue;
        bool is_recursive = is_recursive_inside(i);
        *(is_recursive ? &row.recursive_calls : &row.numbers.calls) += 1;
        for (int clock = 0; clock < 2; clock++) {
            row.numbers.exclusive_ns[clock] += world_exclusive(&w, i, clock, 0, UINT64_MAX);
            if (!is_recursive)
                row.numbers.inclusive_ns[clock] += world_inside(&w, i, clock, 0, UINT64_MAX);
        }
    }
    return row;
}

static uint64_t plain_total(int clock)
{
    uint64_t total = 0;
    for (int i = 0; i < w.call_count; i++) {
        if (is_outermost(i))
            total += world_inside(&w, i, clock, 0, UINT64_MAX);
    }
    return total;
}

static size_t plain_count(unsigned method)
{
    size_t count = 0;
    for (int i = 0; i < w.call_count; i++)
        count += is_of_set[i] && w.calls[i].method == method;
    return count;
}

static void make_profile(struct tv_profile *profile, const struct tv_scope *scope)
{
    struct tv_sums sums;
    tv_sums_init(&sums, tv_alloc_libc());
    tv_profile_init(profile, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, &scope->selection, NULL, NULL), TV_OK);
    assert_int_equal(tv_profile_of_sums(profile, &sums, NULL), TV_OK);
    tv_sums_release(&sums);
}

/* The profile of the selection has the numbers of what is inside, and nothing else. */
static void compare_profile(const struct tv_scope *scope)
{
    struct tv_profile profile;
    make_profile(&profile, scope);
    for (int clock = 0; clock < 2; clock++)
        assert_int_equal(profile.total_ns[clock], plain_total(clock));
    for (unsigned method = 0; method < WORLD_METHODS; method++) {
        uint32_t method_ix = world_method_ix(&w, method);
        if (method_ix == TV_NONE)
            continue;
        struct tv_method_row want = plain_row(method);
        const struct tv_method_row *got = &profile.rows[method_ix];
        assert_int_equal(got->numbers.calls, want.numbers.calls);
        assert_int_equal(got->recursive_calls, want.recursive_calls);
        for (int clock = 0; clock < 2; clock++) {
            assert_int_equal(got->numbers.inclusive_ns[clock], want.numbers.inclusive_ns[clock]);
            assert_int_equal(got->numbers.exclusive_ns[clock], want.numbers.exclusive_ns[clock]);
        }
    }
    tv_profile_release(&profile);
}

/* The shortest and the longest call of each method inside. */
static void compare_percentiles(const struct tv_scope *scope)
{
    struct tv_sums sums;
    struct tv_profile profile;
    tv_sums_init(&sums, tv_alloc_libc());
    tv_profile_init(&profile, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, &scope->selection, NULL, NULL), TV_OK);
    assert_int_equal(tv_profile_of_sums(&profile, &sums, NULL), TV_OK);
    for (unsigned method = 0; method < WORLD_METHODS; method++) {
        const uint32_t method_ix = world_method_ix(&w, method);
        const struct tv_percentiles_question question = {
            .profile = &profile, .sums = &sums, .methods = &method_ix, .count = 1};
        struct tv_method_percentiles got;
        uint64_t least_ns = UINT64_MAX;
        uint64_t most_ns = 0;
        for (int i = 0; i < w.call_count; i++) {
            const uint64_t ns = world_inside(&w, i, 0, 0, UINT64_MAX);
            if (w.calls[i].method != method || !is_inside(i))
                continue;
            least_ns = ns < least_ns ? ns : least_ns;
            most_ns = ns > most_ns ? ns : most_ns;
        }
        if (least_ns == UINT64_MAX)
            continue;
        assert_int_equal(tv_percentiles_compute(&question, NULL, &got, NULL), TV_OK);
        assert_int_equal(got.of[TV_CLOCK_WALL].min_ns, least_ns);
        assert_int_equal(got.of[TV_CLOCK_WALL].max_ns, most_ns);
    }
    tv_profile_release(&profile);
    tv_sums_release(&sums);
}

static uint64_t wait_of(uint64_t wall_ns, uint64_t cpu_ns)
{
    return wall_ns > cpu_ns ? wall_ns - cpu_ns : 0;
}

/* The parts of the set are its outermost calls, each with the longest of them. */
static void compare_parts(const struct tv_detail *detail, enum tv_measure measure)
{
    const int clock = measure == TV_MEASURE_CPU;
    for (size_t i = 0; i < detail->parts.count; i++) {
        uint64_t most_ns = 0;
        for (int call = 0; call < w.call_count; call++) {
            const uint64_t ns = world_inside(&w, call, clock, 0, UINT64_MAX);
            if (is_outermost(call) &&
                world_method_ix(&w, w.calls[call].method) == detail->parts.of[i].method_ix)
                most_ns = ns > most_ns ? ns : most_ns;
        }
        assert_int_equal(detail->parts.of[i].longest_ns, most_ns);
    }
}

/* The details of the set tell the waits of its calls, and no others. */
static void compare_waits(const struct tv_scope *scope)
{
    const struct tv_detail_question question = {.scope = *scope, .subject = TV_DETAIL_SCOPE};
    const uint64_t whole_ns = wait_of(plain_total(0), plain_total(1));
    uint64_t left_ns = 0;
    struct tv_detail detail;
    assert_int_equal(tv_detail_compute(&detail, &w.index, &question, tv_alloc_libc(), NULL, NULL),
                     TV_OK);
    for (unsigned method = 0; method < WORLD_METHODS; method++) {
        const struct tv_method_row row = plain_row(method);
        uint64_t own_ns = wait_of(row.numbers.exclusive_ns[0], row.numbers.exclusive_ns[1]);
        own_ns = own_ns < whole_ns ? own_ns : whole_ns;
        left_ns += own_ns;
        for (size_t i = 0; i < detail.waits.count; i++) {
            const struct tv_detail_row *wait = &detail.waits.of[i];
            if (wait->method_ix != world_method_ix(&w, method))
                continue;
            assert_int_equal(wait->wait_ns, own_ns);
            assert_int_equal(wait->numbers.calls, row.numbers.calls + row.recursive_calls);
            left_ns -= own_ns;
        }
    }
    assert_int_equal(left_ns, detail.more_waits.ns + detail.small_waits.ns);
    compare_parts(&detail, scope->measure);
}

/* The methods from the bottom of a flame graph up to a box. */
static size_t path_to_box(const struct tv_flame *flame, uint32_t box, uint32_t *methods)
{
    const size_t len = flame->boxes[box].level + (size_t)1;
    assert_true(len <= STACK_MOST);
    for (uint32_t at = box; at != TV_NONE; at = flame->boxes[at].parent)
        methods[flame->boxes[at].level] = flame->boxes[at].method;
    return len;
}

static void make_flame(struct tv_flame *flame, const struct tv_scope *scope,
                       const struct tv_flame_opts *opts)
{
    struct tv_sums sums;
    tv_sums_init(&sums, tv_alloc_libc());
    tv_flame_init(flame, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, &scope->selection, NULL, NULL), TV_OK);
    assert_int_equal(tv_flame_compute(flame, &sums, opts, NULL), TV_OK);
    tv_sums_release(&sums);
}

/* Boxes without a parent fill the width, and others lie within theirs. */
static void compare_boxes(const struct tv_flame *flame)
{
    uint64_t at_bottom = 0;
    for (size_t i = 0; i < flame->count; i++) {
        const struct tv_flame_box *box = &flame->boxes[i];
        const bool is_at_bottom = box->parent == TV_NONE;
        const uint64_t x = is_at_bottom ? 0 : flame->boxes[box->parent].x;
        const uint64_t value = is_at_bottom ? flame->value_ns : flame->boxes[box->parent].value;
        assert_true(box->x >= x && box->x + box->value <= x + value);
        at_bottom += is_at_bottom ? box->value : 0;
    }
    assert_int_equal(at_bottom, flame->value_ns);
}

/* The flame graph of the set is as wide as what the set took, whatever is done to its stacks, and
 * zoomed to a box as wide as the box. No box is too thin to be drawn. */
static void compare_flame(const struct tv_scope *scope)
{
    static const struct tv_flame_op recursion = {.kind = TV_FLAME_RECURSION, .method = 0};
    static const struct tv_flame_opts all = {.width = 1000000000, .measure = TV_MEASURE_WALL};
    const struct tv_flame_opts several[] = {
        all,
        {.width = all.width, .direction = TV_INVERTED, .measure = TV_MEASURE_WALL},
        {.width = all.width, .measure = TV_MEASURE_WALL, .ops = &recursion, .op_count = 1}};
    uint32_t path[STACK_MOST];
    struct tv_flame flame;
    for (size_t i = TV_COUNT_OF(several); i-- > 0;) {
        make_flame(&flame, scope, &several[i]);
        assert_int_equal(flame.value_ns, flame.total_ns);
        compare_boxes(&flame);
        if (i)
            tv_flame_release(&flame);
    }
    for (uint32_t box = 0; box < flame.count; box += 1 + (uint32_t)flame.count / 4) {
        struct tv_flame zoomed;
        const struct tv_flame_opts opts = {.width = all.width,
                                           .measure = TV_MEASURE_WALL,
                                           .path = path,
                                           .path_len = path_to_box(&flame, box, path)};
        make_flame(&zoomed, scope, &opts);
        assert_int_equal(zoomed.value_ns, flame.boxes[box].value);
        compare_boxes(&zoomed);
        tv_flame_release(&zoomed);
    }
    tv_flame_release(&flame);
}

/* What tv_call_set_visit has visited, and the plain calls that it is to visit: depths and starts.
 */
struct visited {
    size_t count;
    uint64_t depths[WORLD_CALLS];
    uint64_t starts[WORLD_CALLS];
};

static void add_visited(struct visited *visited, uint64_t depth, uint64_t start)
{
    assert_true(visited->count < WORLD_CALLS);
    visited->depths[visited->count] = depth;
    visited->starts[visited->count++] = start;
}

static void visit(void *ctx, const struct tv_method_scan_row *row, uint64_t call)
{
    add_visited(ctx, row->row_ix - row->thread->row_first,
                tv_index_start(&w.index, row->thread, TV_CLOCK_WALL, call) * 1000);
}

/* The outermost calls of the set in a thread and a range; one call alone has a range of its own. */
static void plain_visit(struct visited *visited, const struct tv_scope *scope, unsigned thread,
                        const struct tv_selection *shown)
{
    uint64_t to = shown->to_ns >= w.latest ? UINT64_MAX : shown->to_ns;
    unsigned deepest = 0;
    for (int i = 0; i < w.call_count; i++)
        deepest = w.calls[i].depth > deepest ? w.calls[i].depth : deepest;
    for (unsigned depth = 0; depth <= deepest; depth++) {
        for (int i = 0; i < w.call_count; i++) {
            const struct plain_call *call = &w.calls[i];
            if (call->thread == thread && call->depth == depth && is_outermost(i) &&
                (scope->selection.edges || world_overlaps(&w, i, shown->from_ns, to)))
                add_visited(visited, depth, call->start[0]);
        }
    }
}

/* The timeline marks the outermost calls of the set, in each thread, in all of it and in a part. */
static void compare_visits(const struct tv_scope *scope)
{
    static struct visited got, want;
    const uint64_t ranges[][2] = {{0, w.latest + 1}, {w.latest / 3, w.latest * 2 / 3 + 1}};
    for (unsigned thread = 1; thread <= WORLD_THREADS; thread++) {
        uint32_t thread_ix = world_thread_ix(&w, thread);
        for (size_t i = 0; i < TV_COUNT_OF(ranges) && thread_ix != TV_NONE; i++) {
            const struct tv_selection shown = {.has_range = true,
                                               .from_ns = ranges[i][0],
                                               .to_ns = ranges[i][1],
                                               .threads = &thread_ix,
                                               .thread_count = 1};
            got.count = want.count = 0;
            tv_call_set_visit(&w.index, &scope->selection, &shown, visit, &got);
            plain_visit(&want, scope, thread, &shown);
            assert_int_equal(got.count, want.count);
            assert_memory_equal(got.depths, want.depths, got.count * sizeof(got.depths[0]));
            assert_memory_equal(got.starts, want.starts, got.count * sizeof(got.starts[0]));
        }
    }
}

/* The list of the set's own method has the calls of the set, with their ordinals among all; those
 * of them that are outermost are visited. */
static void compare_list(const struct tv_scope *scope, unsigned method)
{
    struct tv_call_list calls;
    const struct tv_calls_opts opts = {.selection = scope->selection,
                                       .measure = TV_MEASURE_WALL,
                                       .method = world_method_ix(&w, method),
                                       .key = TV_CALLS_BY_START,
                                       .order = TV_ASCENDING,
                                       .limit = WORLD_CALLS};
    tv_calls_init(&calls, tv_alloc_libc());
    assert_int_equal(tv_calls_compute(&calls, &w.index, &opts, NULL), TV_OK);
    assert_int_equal(calls.count, plain_count(method));
    assert_int_equal(calls.slice_len, calls.count);
    for (size_t i = 0; i < calls.slice_len; i++) {
        struct tv_method_calls all;
        struct tv_call_ref ref;
        tv_method_calls_init(&all, tv_alloc_libc());
        assert_int_equal(tv_method_calls_find(&all, &w.index, opts.method, NULL, NULL), TV_OK);
        assert_int_equal(tv_call_by_ordinal(&all, calls.slice[i].ordinal, &ref, NULL), TV_OK);
        assert_int_equal(ref.call, calls.slice[i].ref.call);
        tv_method_calls_release(&all);
    }
    tv_calls_release(&calls);
    compare_visits(scope);
}

static bool begins_with(const struct stack *stack, const struct stack *path)
{
    for (size_t i = 0; i < path->len; i++) {
        if (i >= stack->len || stack->methods[i] != path->methods[i])
            return false;
    }
    return true;
}

/* Marks the plain calls at the end of a path: from a root their stack is the path; towards callers
 * it begins with it. */
static void mark_path(const struct stack *path, enum tv_call_step_kind kind)
{
    enum tv_call_tree_direction direction = kind == TV_STEP_FROM_ROOT ? TV_TOP_DOWN : TV_INVERTED;
    for (int i = 0; i < w.call_count; i++) {
        struct stack stack = stack_of(&w, i, direction, WORLD_METHODS);
        is_of_set[i] =
            begins_with(&stack, path) && (kind == TV_STEP_TO_CALLERS || stack.len == path->len);
    }
}

static enum tv_code take_step(struct tv_scope *scope, const struct tv_call_step *step,
                              struct tv_arena *arena, struct tv_error *err)
{
    const struct tv_call_limits none = {.least_ns = 0};
    return tv_scope_take_step(scope, &w.index, step, (struct tv_str){NULL, 0}, &none, arena, err);
}

static void try_path(int call, enum tv_call_step_kind kind, size_t most)
{
    enum tv_call_tree_direction direction = kind == TV_STEP_FROM_ROOT ? TV_TOP_DOWN : TV_INVERTED;
    struct stack path = stack_of(&w, call, direction, WORLD_METHODS);
    uint32_t methods[STACK_MOST];
    struct tv_arena arena;
    struct tv_scope scope;
    path.len = path.len < most ? path.len : most;
    for (size_t i = 0; i < path.len; i++)
        methods[i] = world_method_ix(&w, path.methods[i]);
    mark_path(&path, kind);
    tv_arena_init(&arena, tv_alloc_libc());
    tv_scope_init(&scope, &w.index);
    const struct tv_call_step question = {.kind = kind, .of = methods, .len = path.len};
    assert_int_equal(take_step(&scope, &question, &arena, NULL), TV_OK);
    compare_profile(&scope);
    compare_flame(&scope);
    compare_waits(&scope);
    compare_percentiles(&scope);
    compare_list(&scope, path.methods[kind == TV_STEP_FROM_ROOT ? path.len - 1 : 0]);
    assert_int_equal(
        tv_scope_take_range(&scope, &w.index, w.latest / 3, w.latest * 2 / 3 + 1, NULL), TV_OK);
    compare_flame(&scope);
    tv_arena_release(&arena);
}

/* Tries six calls of each world, by dice. */
static void try_calls(void (*try)(int call, uint32_t *dice))
{
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        uint32_t dice = seed;
        world_any(&w, seed);
        for (int i = 0; i < 6 && w.call_count; i++) {
            int call = (int)world_dice(&dice, (uint32_t)w.call_count);
            try(call, &dice);
        }
        world_release(&w);
    }
}

static void try_both_paths(int call, uint32_t *dice)
{
    try_path(call, TV_STEP_FROM_ROOT, STACK_MOST);
    try_path(call, TV_STEP_TO_CALLERS, 1 + world_dice(dice, 3));
}

static void paths_have_the_calls_at_their_end(void **state)
{
    (void)state;
    try_calls(try_both_paths);
}

/* The place of a plain call in the index: calls of one thread and depth come in their order. */
static struct tv_call_ref ref_of(int call)
{
    uint64_t before = 0;
    for (int i = 0; i < w.call_count; i++)
        before += i < call && w.calls[i].thread == w.calls[call].thread &&
                  w.calls[i].depth == w.calls[call].depth;
    return tv_call_at(&w.index, world_thread_ix(&w, w.calls[call].thread), w.calls[call].depth,
                      before);
}

/* Calls of length zero stand at moments where others begin and end, so worlds without any are
 * compared whole, and of others the call itself. */
static void try_one_call(int call, uint32_t *dice)
{
    (void)dice;
    struct tv_arena arena;
    struct tv_scope scope;
    tv_arena_init(&arena, tv_alloc_libc());
    tv_scope_init(&scope, &w.index);
    for (int at = 0; at < w.call_count; at++)
        is_of_set[at] = at == call;
    assert_int_equal(tv_scope_take_call(&scope, &w.index, ref_of(call), &arena, NULL), TV_OK);
    compare_list(&scope, w.calls[call].method);
    compare_flame(&scope);
    struct tv_profile profile;
    make_profile(&profile, &scope);
    for (int clock = 0; clock < 2; clock++)
        assert_int_equal(profile.total_ns[clock], world_inside(&w, call, clock, 0, UINT64_MAX));
    struct tv_method_row want = plain_row(w.calls[call].method);
    const struct tv_method_row *got = &profile.rows[world_method_ix(&w, w.calls[call].method)];
    assert_int_equal(got->numbers.calls, 1);
    for (int clock = 0; clock < 2; clock++)
        assert_int_equal(got->numbers.inclusive_ns[clock], want.numbers.inclusive_ns[clock]);
    tv_profile_release(&profile);
    tv_arena_release(&arena);
}

static void one_call_has_what_it_made(void **state)
{
    (void)state;
    try_calls(try_one_call);
}

/* x.<init> calls Main.run through a hidden List.get, and once by itself. */
static void hidden_methods_are_no_part_of_a_path(void **state)
{
    (void)state;
    struct tv_arena arena;
    struct tv_scope scope;
    struct tv_error err;
    world_begin(&w);
    world_enter(&w, 1, 5, 0, 0);
    world_enter(&w, 1, 2, 10, 10);
    world_enter(&w, 1, 0, 20, 20);
    world_leave(&w, 1, 0, 30, 30);
    world_leave(&w, 1, 2, 40, 40);
    world_enter(&w, 1, 0, 50, 50);
    world_leave(&w, 1, 0, 60, 60);
    world_leave(&w, 1, 5, 70, 70);
    world_end(&w);
    const uint32_t methods[] = {world_method_ix(&w, 5), world_method_ix(&w, 0)};
    const struct tv_call_step path = {.of = methods, .len = 2};
    tv_arena_init(&arena, tv_alloc_libc());
    tv_scope_init(&scope, &w.index);
    const struct tv_call_limits none = {.least_ns = 0};
    assert_int_equal(
        tv_scope_take_step(&scope, &w.index, &path, TV_STR("com.lib."), &none, &arena, NULL),
        TV_OK);
    assert_int_equal(scope.selection.set->node_count, 2);
    tv_scope_init(&scope, &w.index);
    assert_int_equal(take_step(&scope, &path, &arena, NULL), TV_OK);
    assert_int_equal(scope.selection.set->node_count, 1);
    tv_scope_init(&scope, &w.index);
    const struct tv_call_step wrong = {.of = methods + 1, .len = 1};
    assert_int_equal(take_step(&scope, &wrong, &arena, &err), TV_ERR_NOT_FOUND);
    assert_string_equal(err.text, "no call is like that");
    const struct tv_call_step empty = {.of = methods, .len = 0};
    assert_int_equal(take_step(&scope, &empty, &arena, &err), TV_ERR_ARGUMENT);
    tv_arena_release(&arena);
    world_release(&w);
}

/* --- sets of single calls --- */

/* Which call made which is not told by the order of the records here, but by the rule of
 * analysis/calls/call.h, which the sets follow. */
static void take_parents_of_index(void)
{
    static int plain_of[WORLD_CALLS];
    for (int i = 0; i < w.call_count; i++)
        plain_of[ref_of(i).call] = i;
    for (int i = 0; i < w.call_count; i++) {
        struct tv_call_ref caller = tv_call_caller(&w.index, ref_of(i));
        w.calls[i].parent = tv_call_is(caller) ? plain_of[caller.call] : WORLD_NONE;
    }
}

static uint64_t plain_time(int call, enum tv_measure measure)
{
    const struct plain_call *of = &w.calls[call];
    uint64_t wall = of->end[0] - of->start[0];
    uint64_t cpu = of->end[1] - of->start[1];
    if (measure == TV_MEASURE_WAIT)
        return wall > cpu ? wall - cpu : 0;
    return measure == TV_MEASURE_WALL ? wall : cpu;
}

/* The outermost call of the set around a call, or itself. */
static int outermost_of(int call)
{
    int found = WORLD_NONE;
    for (; call != WORLD_NONE; call = w.calls[call].parent)
        found = is_of_set[call] ? call : found;
    return found;
}

/* The methods from the outermost call of the set down to a call that is inside. */
static struct stack path_from_outermost(int call)
{
    struct stack turned = {.len = 0};
    struct stack path = {.len = 0};
    for (int at = call; at != w.calls[outermost_of(call)].parent; at = w.calls[at].parent)
        turned.methods[turned.len++] = w.calls[at].method;
    while (path.len < turned.len) {
        path.methods[path.len] = turned.methods[turned.len - 1 - path.len];
        path.len++;
    }
    return path;
}

/* Calls of some methods that last as long as a call, or nearly so. */
static enum tv_code take_durations(struct tv_scope *scope, int call, unsigned other, uint32_t *dice,
                                   struct tv_arena *arena)
{
    const struct tv_call_limits limits = {
        .measure = (enum tv_measure)world_dice(dice, TV_MEASURE_COUNT),
        .least_ns = plain_time(call, TV_MEASURE_WALL) / (1 + world_dice(dice, 2)),
        .below_ns = plain_time(call, TV_MEASURE_WALL) * (1 + world_dice(dice, 2)) + 1000};
    uint32_t methods[2];
    size_t len = 0;
    for (unsigned method = 0; method < WORLD_METHODS; method++) {
        if ((method == w.calls[call].method || method == other) &&
            world_method_ix(&w, method) != TV_NONE)
            methods[len++] = world_method_ix(&w, method);
    }
    for (int i = 0; i < w.call_count; i++) {
        uint64_t ns = plain_time(i, limits.measure);
        is_of_set[i] = (w.calls[i].method == w.calls[call].method || w.calls[i].method == other) &&
                       ns >= limits.least_ns && ns < limits.below_ns;
    }
    const struct tv_call_step step = {.kind = TV_STEP_METHODS, .of = methods, .len = len};
    return tv_scope_take_step(scope, &w.index, &step, (struct tv_str){NULL, 0}, &limits, arena,
                              NULL);
}

static int count_of_set(void)
{
    int count = 0;
    for (int i = 0; i < w.call_count; i++)
        count += is_of_set[i];
    return count;
}

/* From these, the calls at the end of a path from an outermost one. */
static void narrow_to_path(struct tv_scope *scope, int call, struct tv_arena *arena)
{
    static bool is_at_end[WORLD_CALLS];
    const struct stack path = path_from_outermost(call);
    uint32_t methods[STACK_MOST];
    for (size_t i = 0; i < path.len; i++)
        methods[i] = world_method_ix(&w, path.methods[i]);
    for (int i = 0; i < w.call_count; i++) {
        struct stack own =
            outermost_of(i) != WORLD_NONE ? path_from_outermost(i) : (struct stack){.len = 0};
        is_at_end[i] = own.len == path.len && begins_with(&own, &path);
    }
    for (int i = 0; i < w.call_count; i++)
        is_of_set[i] = is_at_end[i];
    const struct tv_call_step step = {.kind = TV_STEP_FROM_ROOT, .of = methods, .len = path.len};
    assert_int_equal(take_step(scope, &step, arena, NULL), TV_OK);
    compare_profile(scope);
    compare_flame(scope);
    compare_waits(scope);
    compare_percentiles(scope);
    compare_list(scope, path.methods[path.len - 1]);
}

/* From these, all calls of a method: of one of the set, too, also those that the set made. */
static void narrow_to_method(struct tv_scope *scope, int call, struct tv_arena *arena)
{
    static bool is_there[WORLD_CALLS];
    unsigned method = w.calls[call].method;
    uint32_t method_ix = world_method_ix(&w, method);
    for (int i = 0; i < w.call_count; i++)
        is_there[i] = w.calls[i].method == method && is_inside(i);
    for (int i = 0; i < w.call_count; i++)
        is_of_set[i] = is_there[i];
    const struct tv_call_step step = {.kind = TV_STEP_METHODS, .of = &method_ix, .len = 1};
    assert_int_equal(take_step(scope, &step, arena, NULL), TV_OK);
    compare_profile(scope);
    compare_flame(scope);
    compare_waits(scope);
    compare_percentiles(scope);
    compare_list(scope, method);
}

/* Durations of a method, and of two; then a path or another method of what is left. */
static void try_durations(int call, uint32_t *dice)
{
    struct tv_arena arena;
    struct tv_scope scope;
    unsigned other = world_dice(dice, WORLD_METHODS);
    tv_arena_init(&arena, tv_alloc_libc());
    tv_scope_init(&scope, &w.index);
    take_parents_of_index();
    enum tv_code code = take_durations(&scope, call, other, dice, &arena);
    assert_int_equal(code, count_of_set() ? TV_OK : TV_ERR_NOT_FOUND);
    if (code == TV_OK) {
        compare_profile(&scope);
        compare_flame(&scope);
        compare_waits(&scope);
        compare_percentiles(&scope);
        compare_list(&scope, w.calls[call].method);
        int next = (int)world_dice(dice, (uint32_t)w.call_count);
        if (is_inside(next) && world_dice(dice, 2))
            narrow_to_path(&scope, next, &arena);
        else if (is_inside(next))
            narrow_to_method(&scope, next, &arena);
    }
    tv_arena_release(&arena);
}

static void durations_have_the_calls_that_last_so_long(void **state)
{
    (void)state;
    try_calls(try_durations);
}

/* Calls of the set that a range overlaps, also where it lies within one. */
static uint64_t plain_met(uint64_t from_ns, uint64_t to_ns)
{
    uint64_t count = 0;
    for (int i = 0; i < w.call_count; i++)
        count += is_of_set[i] && world_overlaps(&w, i, from_ns, to_ns);
    return count;
}

/* Ranges that meet at a moment share out what the set took: no call is counted in none, no time in
 * both. */
static void try_ranges_of_durations(int call, uint32_t *dice)
{
    struct tv_arena arena;
    struct tv_scope scope;
    const uint64_t end_ns = tv_axis_len_ns(&w.index);
    const uint64_t middle_ns = world_dice(dice, (uint32_t)(end_ns / 1000) + 1) * UINT64_C(1000);
    uint64_t sums[3][2] = {{0}};
    tv_arena_init(&arena, tv_alloc_libc());
    for (int part = 0; part < 3; part++) {
        uint64_t from_ns = part == 2 ? middle_ns : 0;
        uint64_t to_ns = part == 1 ? middle_ns : end_ns;
        struct tv_profile profile;
        uint32_t same = *dice;
        tv_scope_init(&scope, &w.index);
        if (from_ns >= to_ns ||
            take_durations(&scope, call, w.calls[call].method, &same, &arena) != TV_OK)
            continue;
        assert_int_equal(tv_scope_take_range(&scope, &w.index, from_ns, to_ns, NULL), TV_OK);
        compare_flame(&scope);
        make_profile(&profile, &scope);
        for (int clock = 0; clock < 2; clock++)
            sums[part][clock] = profile.total_ns[clock];
        tv_profile_release(&profile);
        assert_int_equal(tv_call_set_count(&w.index, &scope.selection),
                         plain_met(from_ns, to_ns < end_ns ? to_ns : UINT64_MAX));
        if (to_ns > from_ns + 1000) {
            assert_int_equal(tv_scope_take_range(&scope, &w.index, from_ns + 1, to_ns - 1, NULL),
                             TV_OK);
            assert_int_equal(tv_call_set_count(&w.index, &scope.selection),
                             plain_met(from_ns + 1, to_ns - 1));
        }
    }
    for (int clock = 0; clock < 2; clock++)
        assert_int_equal(sums[0][clock], sums[1][clock] + sums[2][clock]);
    tv_arena_release(&arena);
}

static void ranges_share_what_a_set_took(void **state)
{
    (void)state;
    try_calls(try_ranges_of_durations);
}

/* Deeper than callers are looked through one by one for a method that calls itself. */
#define DEPTH 150u

static void begin_deep_world(uint32_t *dice)
{
    unsigned methods[DEPTH];
    uint32_t wall = 0;
    world_begin(&w);
    for (unsigned turn = 0; turn < 3; turn++) {
        for (unsigned depth = 0; depth < DEPTH; depth++) {
            methods[depth] = world_dice(dice, WORLD_METHODS);
            wall++;
            world_enter(&w, 1, methods[depth], wall, wall);
        }
        for (unsigned depth = DEPTH; depth-- > 0;) {
            wall++;
            world_leave(&w, 1, methods[depth], wall, wall);
        }
    }
    world_end(&w);
}

static void methods_of_deep_stacks_call_themselves(void **state)
{
    (void)state;
    uint32_t dice = 1;
    begin_deep_world(&dice);
    for (int i = 0; i < 20; i++) {
        int call = (int)world_dice(&dice, (uint32_t)w.call_count);
        try_path(call, TV_STEP_TO_CALLERS, 1 + world_dice(&dice, 3));
        try_path(call, TV_STEP_FROM_ROOT, STACK_MOST);
        try_durations(call, &dice);
    }
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_have_the_calls_at_their_end),
        cmocka_unit_test(one_call_has_what_it_made),
        cmocka_unit_test(hidden_methods_are_no_part_of_a_path),
        cmocka_unit_test(durations_have_the_calls_that_last_so_long),
        cmocka_unit_test(ranges_share_what_a_set_took),
        cmocka_unit_test(methods_of_deep_stacks_call_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
