/* Sets of calls: their nodes, the sums and profiles of them, and their lists, against plain calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/calls/calls.h"
#include "analysis/profile/profile.h"
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
        if (is_of_set[i] && (w.calls[i].parent == WORLD_NONE || !is_inside(w.calls[i].parent)))
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

/* The profile of the selection has the numbers of what is inside, and nothing else. */
static void compare_profile(const struct tv_scope *scope)
{
    struct tv_profile profile;
    tv_profile_init(&profile, tv_alloc_libc());
    assert_int_equal(tv_profile_of_selection(&profile, &w.index, &scope->selection, NULL, NULL),
                     TV_OK);
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

/* The list of the set's own method has the calls of the set, with their ordinals among all. */
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
static void mark_path(const struct stack *path, enum tv_call_path kind)
{
    enum tv_call_tree_direction direction = kind == TV_PATH_FROM_ROOT ? TV_TOP_DOWN : TV_INVERTED;
    for (int i = 0; i < w.call_count; i++) {
        struct stack stack = stack_of(&w, i, direction, WORLD_METHODS);
        is_of_set[i] =
            begins_with(&stack, path) && (kind == TV_PATH_TO_CALLERS || stack.len == path->len);
    }
}

static void try_path(int call, enum tv_call_path kind, size_t most)
{
    enum tv_call_tree_direction direction = kind == TV_PATH_FROM_ROOT ? TV_TOP_DOWN : TV_INVERTED;
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
    const struct tv_call_path_question question = {.kind = kind, .of = methods, .len = path.len};
    assert_int_equal(
        tv_scope_take_path(&scope, &w.index, &question, (struct tv_str){NULL, 0}, &arena, NULL),
        TV_OK);
    compare_profile(&scope);
    compare_list(&scope, path.methods[kind == TV_PATH_FROM_ROOT ? path.len - 1 : 0]);
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
    try_path(call, TV_PATH_FROM_ROOT, STACK_MOST);
    try_path(call, TV_PATH_TO_CALLERS, 1 + world_dice(dice, 3));
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
    struct tv_profile profile;
    tv_profile_init(&profile, tv_alloc_libc());
    assert_int_equal(tv_profile_of_selection(&profile, &w.index, &scope.selection, NULL, NULL),
                     TV_OK);
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
    const struct tv_call_path_question path = {.of = methods, .len = 2};
    tv_arena_init(&arena, tv_alloc_libc());
    tv_scope_init(&scope, &w.index);
    assert_int_equal(tv_scope_take_path(&scope, &w.index, &path, TV_STR("com.lib."), &arena, NULL),
                     TV_OK);
    assert_int_equal(scope.selection.set->node_count, 2);
    assert_int_equal(
        tv_scope_take_path(&scope, &w.index, &path, (struct tv_str){NULL, 0}, &arena, NULL), TV_OK);
    assert_int_equal(scope.selection.set->node_count, 1);
    const struct tv_call_path_question wrong = {.of = methods + 1, .len = 1};
    assert_int_equal(
        tv_scope_take_path(&scope, &w.index, &wrong, (struct tv_str){NULL, 0}, &arena, &err),
        TV_ERR_NOT_FOUND);
    assert_string_equal(err.text, "no call has this path");
    const struct tv_call_path_question empty = {.of = methods, .len = 0};
    assert_int_equal(
        tv_scope_take_path(&scope, &w.index, &empty, (struct tv_str){NULL, 0}, &arena, &err),
        TV_ERR_ARGUMENT);
    tv_arena_release(&arena);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_have_the_calls_at_their_end),
        cmocka_unit_test(one_call_has_what_it_made),
        cmocka_unit_test(hidden_methods_are_no_part_of_a_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
