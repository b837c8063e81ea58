/* The four relation groups: by hand, and against the plain reading. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/profile/relations.h"
#include "analysis/world.h"

#define SEEDS 100

static struct world w;

/* A copy of the method's row; all zero when there is none. */
static struct tv_relation_row find_row(const struct tv_relations *relations,
                                       enum tv_relation relation, unsigned method)
{
    const struct tv_relation_rows *group = &relations->groups[relation];
    for (size_t i = 0; i < group->count; i++) {
        if (group->rows[i].method == world_method_ix(&w, method))
            return group->rows[i];
    }
    return (struct tv_relation_row){.of_calls = 0};
}

static void compute(struct tv_relations *relations, const struct tv_selection *selection,
                    unsigned method)
{
    const struct tv_profile_sort sort = {.key = TV_SORT_INCLUSIVE, .measure = TV_MEASURE_WALL};
    struct tv_sums sums;
    struct tv_profile profile;
    tv_sums_init(&sums, tv_alloc_libc());
    tv_profile_init(&profile, tv_alloc_libc());
    tv_relations_init(relations, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, selection, NULL, NULL), TV_OK);
    assert_int_equal(tv_profile_of_sums(&profile, &sums, NULL), TV_OK);
    const struct tv_relations_question asked = {.method_ix = world_method_ix(&w, method),
                                                .sort = &sort};
    assert_int_equal(tv_relations_compute(relations, &sums, &profile, &asked, NULL), TV_OK);
    tv_profile_release(&profile);
    tv_sums_release(&sums);
}

static void recursive_calls_stand_in_groups_of_their_own(void **state)
{
    const struct tv_selection all = {.has_range = false};
    struct tv_relations relations;
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_enter(&w, MAIN, 1, 1, 1);
    world_enter(&w, MAIN, 0, 2, 2); /* recursive: its caller is Load */
    world_enter(&w, MAIN, 2, 3, 3); /* called by the recursive call */
    world_leave(&w, MAIN, 2, 5, 5);
    world_leave(&w, MAIN, 0, 7, 7);
    world_leave(&w, MAIN, 1, 8, 8);
    world_enter(&w, MAIN, 2, 8, 8);
    world_leave(&w, MAIN, 2, 9, 9);
    world_leave(&w, MAIN, 0, 10, 10);
    world_end(&w);
    compute(&relations, &all, 0);
    assert_int_equal(relations.groups[TV_RELATION_CALLERS].count, 0); /* a root has none */
    assert_int_equal(relations.groups[TV_RELATION_CALLERS_RECURSIVE].count, 1);
    assert_int_equal(find_row(&relations, TV_RELATION_CALLERS_RECURSIVE, 1).numbers.calls, 1);
    assert_int_equal(find_row(&relations, TV_RELATION_CALLERS_RECURSIVE, 1).of_calls, 2);
    assert_int_equal(find_row(&relations, TV_RELATION_CALLEES, 1).numbers.inclusive_ns[0], 7000);
    assert_int_equal(find_row(&relations, TV_RELATION_CALLEES, 2).numbers.calls, 1);
    assert_int_equal(find_row(&relations, TV_RELATION_CALLEES, 2).of_calls, 2);
    assert_int_equal(find_row(&relations, TV_RELATION_CALLEES_RECURSIVE, 2).numbers.inclusive_ns[0],
                     2000);
    assert_int_equal(relations.self.exclusive_ns[TV_CLOCK_WALL], 2000); /* 10 - 7 - 1 */
    tv_relations_release(&relations);
    world_release(&w);
}

/* One edge, call by call. */
static struct tv_numbers plain_edge(enum tv_relation relation, unsigned method, unsigned other,
                                    uint64_t from, uint64_t to)
{
    bool is_caller = relation == TV_RELATION_CALLERS || relation == TV_RELATION_CALLERS_RECURSIVE;
    bool is_recursive_group =
        relation == TV_RELATION_CALLERS_RECURSIVE || relation == TV_RELATION_CALLEES_RECURSIVE;
    struct tv_numbers sum = {.calls = 0};
    for (int i = 0; i < w.call_count; i++) {
        const struct plain_call *call = &w.calls[i];
        if (call->parent == WORLD_NONE)
            continue;
        const struct plain_call *caller = &w.calls[call->parent];
        bool is_edge = is_caller ? call->method == method && caller->method == other
                                 : call->method == other && caller->method == method;
        bool is_recursive = is_caller ? call->is_recursive : caller->is_recursive;
        if (!is_edge || is_recursive != is_recursive_group)
            continue;
        sum.calls += world_overlaps(&w, i, from, to);
        for (int clock = 0; clock < 2; clock++) {
            sum.inclusive_ns[clock] += world_inside(&w, i, clock, from, to);
            sum.exclusive_ns[clock] += world_exclusive(&w, i, clock, from, to);
        }
    }
    return sum;
}

static void compare_method(const struct tv_selection *selection, unsigned method)
{
    struct tv_relations relations;
    uint64_t to =
        selection->has_range && selection->to_ns < w.latest ? selection->to_ns : UINT64_MAX;
    compute(&relations, selection, method);
    for (unsigned relation = 0; relation < TV_RELATION_COUNT; relation++) {
        for (unsigned other = 0; other < WORLD_METHODS; other++) {
            struct tv_relation_row row = find_row(&relations, (enum tv_relation)relation, other);
            struct tv_numbers want =
                plain_edge((enum tv_relation)relation, method, other, selection->from_ns, to);
            assert_memory_equal(&row.numbers, &want, sizeof(want));
        }
    }
    tv_relations_release(&relations);
}

static void random_edges_equal_the_plain_reading(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        struct tv_selection selection = {.has_range = seed % 2};
        uint32_t dice = seed;
        world_any(&w, seed);
        selection.from_ns = seed % 2 ? world_dice(&dice, (uint32_t)w.latest + 1) : 0;
        selection.to_ns = selection.from_ns + 1 + world_dice(&dice, (uint32_t)w.latest + 1);
        for (unsigned method = 0; method < WORLD_METHODS; method++)
            compare_method(&selection, method);
        world_release(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recursive_calls_stand_in_groups_of_their_own),
        cmocka_unit_test(random_edges_equal_the_plain_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
