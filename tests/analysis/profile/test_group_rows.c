/* Rows of groups of methods against a plain reading of the calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/profile/group_rows.h"
#include "analysis/world.h"
#include "support/failing_alloc.h"

#define SEEDS 60
#define GROUPS 3

static struct world w;

/* By method of the world; the last two are in no group. */
static const uint32_t group_of_plain[WORLD_METHODS] = {0, 1, 0, 2, TV_NONE, TV_NONE};

/* Whether a call of the group contains this one. */
static bool is_below_group(int call, uint32_t group)
{
    for (int at = w.calls[call].parent; at != WORLD_NONE; at = w.calls[at].parent) {
        if (group_of_plain[w.calls[at].method] == group)
            return true;
    }
    return false;
}

static void expect_rows(const struct tv_method_row *rows)
{
    struct tv_method_row plain[GROUPS] = {{.recursive_calls = 0}};
    for (int i = 0; i < w.call_count; i++) {
        const uint32_t group = group_of_plain[w.calls[i].method];
        if (group == TV_NONE)
            continue;
        const bool is_nested = is_below_group(i, group);
        plain[group].numbers.calls += !is_nested;
        plain[group].recursive_calls += is_nested;
        for (int clock = 0; clock < 2; clock++) {
            plain[group].numbers.exclusive_ns[clock] +=
                world_exclusive(&w, i, clock, 0, UINT64_MAX);
            plain[group].numbers.inclusive_ns[clock] +=
                is_nested ? 0 : world_inside(&w, i, clock, 0, UINT64_MAX);
        }
    }
    for (unsigned i = 0; i < GROUPS; i++) {
        assert_int_equal(rows[i].numbers.calls, plain[i].numbers.calls);
        assert_int_equal(rows[i].recursive_calls, plain[i].recursive_calls);
        for (int clock = 0; clock < 2; clock++) {
            assert_int_equal(rows[i].numbers.inclusive_ns[clock],
                             plain[i].numbers.inclusive_ns[clock]);
            assert_int_equal(rows[i].numbers.exclusive_ns[clock],
                             plain[i].numbers.exclusive_ns[clock]);
        }
    }
}

/* Fills the groups of the index's methods, by their ids. */
static void fill_groups(uint32_t *group_of)
{
    for (uint32_t i = 0; i < w.index.method_count; i++)
        group_of[i] = group_of_plain[w.index.methods[i].id / 4 - 1];
}

static enum tv_code compute(uint32_t root, struct tv_method_row *rows, const struct tv_alloc *alloc)
{
    uint32_t group_of[WORLD_METHODS];
    struct tv_sums sums;
    const struct tv_selection all = {.has_range = false};
    fill_groups(group_of);
    tv_sums_init(&sums, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, &all, NULL, NULL), TV_OK);
    enum tv_code code = tv_groups_rows(&(struct tv_method_groups){group_of, GROUPS, root}, &sums,
                                       rows, alloc, NULL);
    tv_sums_release(&sums);
    return code;
}

static void rows_equal_a_plain_reading(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        struct tv_method_row rows[GROUPS] = {{.recursive_calls = 0}};
        world_any(&w, seed);
        assert_int_equal(compute(TV_NONE, rows, tv_alloc_libc()), TV_OK);
        expect_rows(rows);
        world_release(&w);
    }
}

/* Two methods of a group that call each other in turn are one call, and so is what the root called,
 * though the group was open above it. */
static void below_a_root_only_what_it_called_counts(void **state)
{
    (void)state;
    struct tv_method_row rows[GROUPS] = {{.recursive_calls = 0}};
    uint32_t root = TV_NONE;
    world_begin(&w);
    world_enter(&w, 1, 0, 10, 10);
    world_enter(&w, 1, 5, 20, 20); /* the root */
    world_enter(&w, 1, 2, 30, 30);
    world_enter(&w, 1, 0, 40, 40);
    world_leave(&w, 1, 0, 50, 50);
    world_leave(&w, 1, 2, 60, 60);
    world_leave(&w, 1, 5, 70, 70);
    world_leave(&w, 1, 0, 80, 80);
    world_end(&w);
    for (uint32_t i = 0; i < w.index.method_count; i++)
        root = w.index.methods[i].id == M(5) ? i : root;
    assert_int_equal(compute(root, rows, tv_alloc_libc()), TV_OK);
    assert_int_equal(rows[0].numbers.calls, 1);
    assert_int_equal(rows[0].recursive_calls, 1);
    assert_int_equal(rows[0].numbers.inclusive_ns[TV_CLOCK_WALL], 30000);
    assert_int_equal(rows[0].numbers.exclusive_ns[TV_CLOCK_WALL], 30000);
    world_release(&w);
}

static enum tv_code compute_with(const struct tv_alloc *alloc, void *ctx)
{
    (void)ctx;
    struct tv_method_row rows[GROUPS] = {{.recursive_calls = 0}};
    return compute(TV_NONE, rows, alloc);
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    world_any(&w, 1);
    assert_int_equal(failing_alloc_each(compute_with, NULL), 3);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_equal_a_plain_reading),
        cmocka_unit_test(below_a_root_only_what_it_called_counts),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
