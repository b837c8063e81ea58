/* Totals of sets of methods against a plain reading of the calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/profile/set_totals.h"
#include "analysis/world.h"

#define SEEDS 60
#define MAIN 1

static struct world w;

static bool is_in(unsigned set, unsigned method)
{
    return set >> method & 1;
}

/* Whether a caller of the call is in the set. */
static bool is_inside(int call, unsigned set)
{
    for (int at = w.calls[call].parent; at != WORLD_NONE; at = w.calls[at].parent) {
        if (is_in(set, w.calls[at].method))
            return true;
    }
    return false;
}

static struct tv_numbers plain_numbers(unsigned set, uint64_t from, uint64_t to)
{
    struct tv_numbers numbers = {.calls = 0};
    for (int i = 0; i < w.call_count; i++) {
        if (!is_in(set, w.calls[i].method))
            continue;
        numbers.calls += world_overlaps(&w, i, from, to);
        for (int clock = 0; clock < 2; clock++) {
            numbers.exclusive_ns[clock] += world_exclusive(&w, i, clock, from, to);
            if (!is_inside(i, set))
                numbers.inclusive_ns[clock] += world_inside(&w, i, clock, from, to);
        }
    }
    return numbers;
}

/* A byte for each method of the index: it is in the set of the world's methods. */
static void members_of(unsigned set, uint8_t *is_member)
{
    for (unsigned i = 0; i < WORLD_METHODS; i++) {
        uint32_t method = world_method_ix(&w, i);
        if (method < w.index.method_count)
            is_member[method] = is_in(set, i);
    }
}

static void check_set(const struct tv_selection *selection, unsigned set, uint64_t from,
                      uint64_t to)
{
    struct tv_sums sums;
    struct tv_set_totals totals;
    uint8_t is_member[64] = {0};
    struct tv_numbers plain = plain_numbers(set, from, to);
    assert_true(w.index.method_count <= sizeof(is_member));
    members_of(set, is_member);
    tv_sums_init(&sums, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, selection, NULL, NULL), TV_OK);
    assert_int_equal(tv_set_totals_compute(&totals, &sums, is_member, tv_alloc_libc(), NULL),
                     TV_OK);
    assert_int_equal(totals.numbers.calls, plain.calls);
    for (int clock = 0; clock < 2; clock++) {
        assert_int_equal(totals.numbers.inclusive_ns[clock], plain.inclusive_ns[clock]);
        assert_int_equal(totals.numbers.exclusive_ns[clock], plain.exclusive_ns[clock]);
        assert_true(totals.numbers.inclusive_ns[clock] <= sums.total_ns[clock]);
    }
    tv_sums_release(&sums);
}

static void totals_equal_a_plain_reading(void **state)
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
        unsigned set = world_dice(&dice, 1u << WORLD_METHODS);
        check_set(&all, set, 0, UINT64_MAX);
        check_set(&all, (1u << WORLD_METHODS) - 1, 0, UINT64_MAX);
        check_set(&part, set, part.from_ns, to);
        world_release(&w);
    }
}

/* Main.run 0-100 calls List.get 10-60, which calls List.put 20-30; then List.put 70-80. */
static void call_inside_another_of_the_set_counts_once(void **state)
{
    (void)state;
    struct tv_sums sums;
    struct tv_set_totals totals;
    uint8_t is_member[64] = {0};
    const struct tv_selection all = {.has_range = false};
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_enter(&w, MAIN, 2, 10, 10);
    world_enter(&w, MAIN, 3, 20, 20);
    world_leave(&w, MAIN, 3, 30, 30);
    world_leave(&w, MAIN, 2, 60, 60);
    world_enter(&w, MAIN, 3, 70, 70);
    world_leave(&w, MAIN, 3, 80, 80);
    world_leave(&w, MAIN, 0, 100, 100);
    world_end(&w);
    members_of(1u << 2 | 1u << 3, is_member);
    tv_sums_init(&sums, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, &all, NULL, NULL), TV_OK);
    assert_int_equal(tv_set_totals_compute(&totals, &sums, is_member, tv_alloc_libc(), NULL),
                     TV_OK);
    assert_int_equal(totals.methods, 2);
    assert_int_equal(totals.numbers.calls, 3);
    assert_int_equal(totals.numbers.inclusive_ns[TV_CLOCK_WALL], 60000);
    assert_int_equal(totals.numbers.exclusive_ns[TV_CLOCK_WALL], 60000);
    tv_sums_release(&sums);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_equal_a_plain_reading),
        cmocka_unit_test(call_inside_another_of_the_set_counts_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
