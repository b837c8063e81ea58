/* Classes and packages against a plain reading of the calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/profile/groups.h"
#include "analysis/world.h"

#define SEEDS 60

static struct world w;

static const char *const classes[WORLD_METHODS] = {"com.app.Main", "com.app.Main",  "com.lib.List",
                                                   "com.lib.List", "java.util.Map", "x"};
static const char *const packages[WORLD_METHODS] = {"com.app", "com.app",   "com.lib",
                                                    "com.lib", "java.util", ""};
static const char *const first_parts[WORLD_METHODS] = {"com", "com", "com", "com", "java", ""};

struct plain_group {
    uint64_t calls;
    uint64_t inclusive[2];
    uint64_t exclusive[2];
};

/* Whether a caller of the call is in the group. */
static bool is_inside(int call, const char *name, const char *const *names)
{
    for (int at = w.calls[call].parent; at != WORLD_NONE; at = w.calls[at].parent) {
        if (strcmp(names[w.calls[at].method], name) == 0)
            return true;
    }
    return false;
}

static struct plain_group plain_group(const char *name, const char *const *names, uint64_t from,
                                      uint64_t to)
{
    struct plain_group group = {.calls = 0};
    for (int i = 0; i < w.call_count; i++) {
        if (strcmp(names[w.calls[i].method], name) != 0)
            continue;
        bool is_outermost = !is_inside(i, name, names);
        group.calls += world_overlaps(&w, i, from, to);
        for (int clock = 0; clock < 2; clock++) {
            group.exclusive[clock] += world_exclusive(&w, i, clock, from, to);
            group.inclusive[clock] += is_outermost ? world_inside(&w, i, clock, from, to) : 0;
        }
    }
    return group;
}

static void check_groups(const struct tv_selection *selection, const struct tv_groups_opts *opts,
                         const char *const *names, uint64_t from, uint64_t to)
{
    struct tv_sums sums;
    struct tv_profile profile;
    struct tv_groups groups;
    uint64_t calls = 0;
    uint64_t want = 0;
    tv_sums_init(&sums, tv_alloc_libc());
    tv_profile_init(&profile, tv_alloc_libc());
    tv_groups_init(&groups, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, selection, NULL, NULL), TV_OK);
    assert_int_equal(tv_profile_of_sums(&profile, &sums, NULL), TV_OK);
    assert_int_equal(tv_groups_compute(&groups, &sums, &profile, opts, NULL), TV_OK);
    for (size_t i = 0; i < groups.count; i++) {
        char name[64] = "";
        const struct tv_group_row *row = &groups.rows[i];
        memcpy(name, row->name.at, row->name.len);
        struct plain_group plain = plain_group(name, names, from, to);
        assert_int_equal(row->numbers.calls, plain.calls);
        for (int clock = 0; clock < 2; clock++) {
            assert_int_equal(row->numbers.inclusive_ns[clock], plain.inclusive[clock]);
            assert_int_equal(row->numbers.exclusive_ns[clock], plain.exclusive[clock]);
        }
        assert_true(i == 0 || tv_str_compare(groups.rows[i - 1].name, row->name) < 0);
        calls += row->numbers.calls;
    }
    for (int i = 0; i < w.call_count; i++)
        want += world_overlaps(&w, i, from, to);
    assert_int_equal(calls, want);
    tv_groups_release(&groups);
    tv_profile_release(&profile);
    tv_sums_release(&sums);
}

static void groups_equal_a_plain_reading(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        uint32_t dice = seed;
        world_any(&w, seed);
        struct tv_selection all = {.has_range = false};
        struct tv_selection part = {.has_range = true,
                                    .from_ns = world_dice(&dice, (uint32_t)w.latest + 1)};
        part.to_ns = part.from_ns + 1 + world_dice(&dice, (uint32_t)w.latest + 1);
        uint64_t to = part.to_ns < w.latest ? part.to_ns : UINT64_MAX;
        const struct tv_groups_opts by_class = {.kind = TV_GROUP_CLASS};
        const struct tv_groups_opts by_package = {.kind = TV_GROUP_PACKAGE};
        const struct tv_groups_opts by_part = {.kind = TV_GROUP_PACKAGE, .parts = 1};
        check_groups(&all, &by_class, classes, 0, UINT64_MAX);
        check_groups(&all, &by_package, packages, 0, UINT64_MAX);
        check_groups(&part, &by_class, classes, part.from_ns, to);
        check_groups(&part, &by_part, first_parts, part.from_ns, to);
        world_release(&w);
    }
}

static void order_is_by_value_then_name(void **state)
{
    (void)state;
    struct tv_group_row rows[] = {
        {.name = TV_STR("a"), .numbers = {.calls = 1, .inclusive_ns = {30, 0}}},
        {.name = TV_STR("b"), .numbers = {.calls = 2, .inclusive_ns = {40, 0}}},
        {.name = TV_STR("c"), .numbers = {.calls = 1, .inclusive_ns = {40, 0}}},
    };
    static const struct {
        struct tv_profile_sort sort;
        const char *want;
    } cases[] = {
        {{TV_SORT_INCLUSIVE, TV_MEASURE_WALL, TV_DESCENDING}, "bca"},
        {{TV_SORT_INCLUSIVE, TV_MEASURE_WALL, TV_ASCENDING}, "abc"},
        {{TV_SORT_CALLS, TV_MEASURE_WALL, TV_DESCENDING}, "bac"},
        {{TV_SORT_PER_CALL, TV_MEASURE_WALL, TV_DESCENDING}, "cab"},
        {{TV_SORT_NAME, TV_MEASURE_WALL, TV_DESCENDING}, "cba"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct tv_group_row copy[3];
        memcpy(copy, rows, sizeof(rows));
        struct tv_groups groups = {.alloc = tv_alloc_libc(), .rows = copy, .count = 3};
        assert_int_equal(tv_groups_order(&groups, &cases[i].sort, NULL), TV_OK);
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(copy[k].name.at[0], cases[i].want[k]);
    }
}

static void package_ends_at_the_last_separator_that_names(void **state)
{
    static const struct {
        const char *name;
        uint32_t parts;
        const char *package;
    } cases[] = {
        {"java.util.Map", 0, "java.util"},
        {"java/util/Map", 0, "java/util"},
        {"java.util.Map", 1, "java"},
        {"java.util.Map", 2, "java.util"},
        {"java.util.Map", 9, "java.util"},
        {"Map", 0, ""},
        {"", 0, ""},
        {".", 0, ""},
        {"a.", 0, "a"},
        {"p.Outer$$Lambda$7.0x00007f0594001850", 0, "p"},
        {"p.Outer$$Lambda$7/0x00007f0594001850", 1, "p"},
        {"p.0x", 0, "p"},
        {"p.q.0xyz", 0, "p.q"},
        {"0x12.0x34", 0, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct tv_str got = tv_class_package(tv_str_from(cases[i].name), cases[i].parts);
        if (!tv_str_equal(got, tv_str_from(cases[i].package)))
            fail_msg("%s: %.*s", cases[i].name, (int)got.len, got.at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_equal_a_plain_reading),
        cmocka_unit_test(order_is_by_value_then_name),
        cmocka_unit_test(package_ends_at_the_last_separator_that_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
