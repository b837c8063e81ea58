/* Profile and sums of selections: by hand, against the plain reading, and by law. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/profile/profile.h"
#include "analysis/world.h"

#define SEEDS 150

static struct world w;

/* A selection with one thread's ordinal, or all. */
struct choice {
    struct tv_selection selection;
    uint32_t thread_ix;
    unsigned thread; /* id; 0: all */
};

static struct choice *choose(struct choice *choice, unsigned thread, uint64_t from, uint64_t to)
{
    *choice = (struct choice){.thread = thread};
    uint64_t axis_len = w.latest;
    choice->selection.has_range = from > 0 || to < axis_len;
    choice->selection.from_ns = from;
    choice->selection.to_ns = to;
    if (thread) {
        choice->thread_ix = world_thread_ix(&w, thread);
        choice->selection.threads = &choice->thread_ix;
        choice->selection.thread_count = 1;
    }
    return choice;
}

/* What a method has in the selection, call by call. */
static struct tv_method_row plain_row(unsigned method, unsigned thread, uint64_t from, uint64_t to)
{
    struct tv_method_row row = {.recursive_calls = 0};
    uint64_t end = to >= w.latest ? UINT64_MAX : to;
    for (int i = 0; i < w.call_count; i++) {
        const struct plain_call *call = &w.calls[i];
        if (call->method != method || (thread && call->thread != thread))
            continue;
        bool counts = world_overlaps(&w, i, from, end);
        row.numbers.calls += counts && !call->is_recursive;
        row.recursive_calls += counts && call->is_recursive;
        for (int clock = 0; clock < 2; clock++) {
            row.numbers.exclusive_ns[clock] += world_exclusive(&w, i, clock, from, end);
            if (!call->is_recursive)
                row.numbers.inclusive_ns[clock] += world_inside(&w, i, clock, from, end);
        }
    }
    return row;
}

/* Adds a selection up: the sums of its nodes, and from them the profile. */
static void compute_profile(struct tv_profile *profile, const struct tv_selection *selection)
{
    struct tv_sums sums;
    tv_sums_init(&sums, profile->alloc);
    assert_int_equal(tv_sums_compute(&sums, &w.index, selection, NULL, NULL), TV_OK);
    assert_int_equal(tv_profile_of_sums(profile, &sums, NULL), TV_OK);
    tv_sums_release(&sums);
}

static void compare_profile(const struct choice *choice)
{
    struct tv_profile profile;
    tv_profile_init(&profile, tv_alloc_libc());
    compute_profile(&profile, &choice->selection);
    for (unsigned method = 0; method < WORLD_METHODS; method++) {
        const struct tv_method_row *row = &profile.rows[world_method_ix(&w, method)];
        struct tv_method_row want =
            plain_row(method, choice->thread, choice->selection.from_ns, choice->selection.to_ns);
        assert_int_equal(row->numbers.calls, want.numbers.calls);
        assert_int_equal(row->recursive_calls, want.recursive_calls);
        for (int clock = 0; clock < 2; clock++) {
            assert_int_equal(row->numbers.inclusive_ns[clock], want.numbers.inclusive_ns[clock]);
            assert_int_equal(row->numbers.exclusive_ns[clock], want.numbers.exclusive_ns[clock]);
        }
    }
    tv_profile_release(&profile);
}

static void range_cuts_calls_at_its_edges(void **state)
{
    struct choice choice;
    struct tv_profile profile;
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 10, 10);
    world_enter(&w, MAIN, 1, 20, 14); /* 10 us of wall are 4 of CPU here */
    world_leave(&w, MAIN, 1, 40, 34);
    world_leave(&w, MAIN, 0, 60, 44);
    world_end(&w);
    tv_profile_init(&profile, tv_alloc_libc());
    choose(&choice, 0, 15000, 30000);
    compute_profile(&profile, &choice.selection);
    const struct tv_method_row *run = &profile.rows[world_method_ix(&w, 0)];
    const struct tv_method_row *load = &profile.rows[world_method_ix(&w, 1)];
    assert_int_equal(run->numbers.calls, 1);
    assert_int_equal(run->numbers.inclusive_ns[TV_CLOCK_WALL], 15000);
    assert_int_equal(run->numbers.inclusive_ns[TV_CLOCK_CPU], 12000); /* from 12 to 24 */
    assert_int_equal(run->numbers.exclusive_ns[TV_CLOCK_WALL], 5000);
    assert_int_equal(run->numbers.exclusive_ns[TV_CLOCK_CPU], 2000);
    assert_int_equal(load->numbers.inclusive_ns[TV_CLOCK_WALL], 10000);
    assert_int_equal(load->numbers.inclusive_ns[TV_CLOCK_CPU], 10000);
    tv_profile_release(&profile);
    world_release(&w);
}

/* Main.run calls Main.Load and that Main.run, and all are open when the other thread ends. */
static void what_is_not_recorded_stands_at_the_open_methods(void **state)
{
    static const struct {
        uint64_t from, to, told;
    } ranges[] = {{0, 0, 40000}, {50000, 65000, 5000}, {70000, 90000, 20000}, {10000, 60000, 0}};
    struct choice choice;
    struct tv_profile profile;
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_enter(&w, MAIN, 1, 20, 20);
    world_enter(&w, MAIN, 0, 60, 60);
    world_enter(&w, WORKER, 2, 70, 0);
    world_leave(&w, WORKER, 2, 100, 30);
    world_end(&w);
    for (size_t i = 0; i < TV_COUNT_OF(ranges); i++) {
        tv_profile_init(&profile, tv_alloc_libc());
        choose(&choice, 0, ranges[i].from, ranges[i].to);
        if (!ranges[i].to)
            choice.selection.has_range = false;
        compute_profile(&profile, &choice.selection);
        const struct tv_numbers *run = &profile.rows[world_method_ix(&w, 0)].numbers;
        const struct tv_numbers *load = &profile.rows[world_method_ix(&w, 1)].numbers;
        const struct tv_numbers *other = &profile.rows[world_method_ix(&w, 2)].numbers;
        assert_int_equal(run->unrecorded_ns[0], ranges[i].told);
        assert_int_equal(run->unrecorded_ns[1], ranges[i].told);
        assert_int_equal(load->unrecorded_ns[0], ranges[i].told);
        assert_int_equal(load->unrecorded_ns[1], 0);
        assert_int_equal(other->unrecorded_ns[0], 0);
        tv_profile_release(&profile);
    }
    world_release(&w);
}

/* Two exits without an enter, of which the outer one is of a method that is called later, too. */
static void calls_that_began_before_stand_at_their_methods(void **state)
{
    struct choice choice;
    struct tv_profile profile;
    (void)state;
    world_begin(&w);
    world_leave(&w, MAIN, 1, 20, 20);
    world_leave(&w, MAIN, 0, 40, 40);
    world_enter(&w, MAIN, 0, 60, 60);
    world_leave(&w, MAIN, 0, 70, 70);
    world_enter(&w, WORKER, 2, 70, 0);
    world_leave(&w, WORKER, 2, 100, 30);
    world_end(&w);
    tv_profile_init(&profile, tv_alloc_libc());
    choose(&choice, 0, 0, 0);
    choice.selection.has_range = false;
    compute_profile(&profile, &choice.selection);
    for (uint32_t method = 0; method < 3; method++)
        assert_int_equal(profile.rows[world_method_ix(&w, method)].numbers.adopting_calls,
                         method < 2);
    tv_profile_release(&profile);
    world_release(&w);
}

static void recursion_never_counts_twice(void **state)
{
    struct choice choice;
    struct tv_profile profile;
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_enter(&w, MAIN, 1, 1, 1);
    world_enter(&w, MAIN, 0, 2, 2);
    world_leave(&w, MAIN, 0, 7, 7);
    world_leave(&w, MAIN, 1, 8, 8);
    world_leave(&w, MAIN, 0, 10, 10);
    world_end(&w);
    tv_profile_init(&profile, tv_alloc_libc());
    choose(&choice, MAIN, 0, w.latest);
    compute_profile(&profile, &choice.selection);
    const struct tv_method_row *run = &profile.rows[world_method_ix(&w, 0)];
    assert_int_equal(run->numbers.calls, 1);
    assert_int_equal(run->recursive_calls, 1);
    assert_int_equal(run->numbers.inclusive_ns[TV_CLOCK_WALL], 10000);
    assert_int_equal(run->numbers.exclusive_ns[TV_CLOCK_WALL], 8000);
    tv_profile_release(&profile);
    world_release(&w);
}

static void zero_length_call_belongs_to_the_range_that_begins_with_it(void **state)
{
    struct choice choice;
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 10, 10);
    world_enter(&w, MAIN, 1, 20, 20);
    world_leave(&w, MAIN, 1, 20, 20);
    world_enter(&w, MAIN, 2, 40, 40);
    world_leave(&w, MAIN, 2, 40, 40);
    world_leave(&w, MAIN, 0, 40, 40);
    world_end(&w);
    static const struct {
        uint64_t from, to;
        unsigned method;
        uint64_t calls;
    } cases[] = {
        {15000, 20000, 1, 0},
        {20000, 21000, 1, 1},
        {19000, 21000, 1, 1},
        {30000, 40000, 2, 1}, /* the range ends with the trace */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct tv_profile profile;
        tv_profile_init(&profile, tv_alloc_libc());
        choose(&choice, 0, cases[i].from, cases[i].to);
        compute_profile(&profile, &choice.selection);
        assert_int_equal(profile.rows[world_method_ix(&w, cases[i].method)].numbers.calls,
                         cases[i].calls);
        tv_profile_release(&profile);
    }
    world_release(&w);
}

static void random_selections_equal_the_plain_reading(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        uint32_t dice = seed;
        struct choice choice;
        world_any(&w, seed);
        compare_profile(choose(&choice, 0, 0, w.latest));
        for (int i = 0; i < 12; i++) {
            /* Mostly times between microseconds, often those of records. */
            uint64_t from = world_dice(&dice, (uint32_t)w.latest + 1);
            uint64_t to = from + 1 + world_dice(&dice, (uint32_t)w.latest);
            if (world_dice(&dice, 2)) {
                from -= from % 1000;
                to += 1000 - to % 1000;
            }
            compare_profile(choose(&choice, world_dice(&dice, WORLD_THREADS), from, to));
        }
        world_release(&w);
    }
}

/* Adds the profile of a range to sums per method: wall and CPU, inclusive and exclusive. */
static void add_profile(uint64_t from, uint64_t to, uint64_t sums[WORLD_METHODS][4])
{
    struct choice choice;
    struct tv_profile profile;
    tv_profile_init(&profile, tv_alloc_libc());
    choose(&choice, 0, from, to);
    compute_profile(&profile, &choice.selection);
    for (unsigned method = 0; method < WORLD_METHODS; method++) {
        const struct tv_numbers *numbers = &profile.rows[world_method_ix(&w, method)].numbers;
        for (int clock = 0; clock < 2; clock++) {
            sums[method][clock] += numbers->inclusive_ns[clock];
            sums[method][2 + clock] += numbers->exclusive_ns[clock];
        }
    }
    tv_profile_release(&profile);
}

static void adjacent_ranges_add_up_exactly(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        uint64_t parts[WORLD_METHODS][4] = {{0}};
        uint64_t whole[WORLD_METHODS][4] = {{0}};
        uint32_t dice = seed;
        world_any(&w, seed);
        uint64_t from = 0;
        while (from < w.latest) {
            uint64_t to = from + 1 + world_dice(&dice, (uint32_t)(w.latest / 4) + 1);
            if (to > w.latest)
                to = w.latest;
            add_profile(from, to, parts);
            from = to;
        }
        add_profile(0, w.latest, whole);
        if (w.latest)
            assert_memory_equal(parts, whole, sizeof(whole));
        world_release(&w);
    }
}

static void exclusive_times_sum_to_those_of_roots(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        struct choice choice;
        struct tv_profile profile;
        world_any(&w, seed);
        tv_profile_init(&profile, tv_alloc_libc());
        choose(&choice, 0, w.latest / 3, w.latest / 2 + 1);
        compute_profile(&profile, &choice.selection);
        for (int clock = 0; clock < 2; clock++) {
            uint64_t sum = 0;
            uint64_t roots = 0;
            for (uint32_t i = 0; i < profile.row_count; i++)
                sum += profile.rows[i].numbers.exclusive_ns[clock];
            for (int i = 0; i < w.call_count; i++) {
                if (w.calls[i].parent == WORLD_NONE)
                    roots += world_inside(
                        &w, i, clock, choice.selection.from_ns,
                        choice.selection.to_ns >= w.latest ? UINT64_MAX : choice.selection.to_ns);
            }
            assert_int_equal(sum, roots);
            assert_int_equal(profile.total_ns[clock], roots);
        }
        tv_profile_release(&profile);
        world_release(&w);
    }
}

static void rows_are_sorted_with_ties_by_rank(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 30; seed++) {
        struct choice choice;
        struct tv_profile profile;
        uint32_t methods[WORLD_METHODS];
        world_any(&w, seed);
        tv_profile_init(&profile, tv_alloc_libc());
        choose(&choice, 0, 0, w.latest);
        compute_profile(&profile, &choice.selection);
        for (unsigned key = TV_SORT_EXCLUSIVE; key <= TV_SORT_RANK; key++) {
            struct tv_profile_sort sort = {(enum tv_sort_key)key, TV_MEASURE_CPU, TV_DESCENDING};
            for (uint32_t i = 0; i < WORLD_METHODS; i++)
                methods[i] = i;
            assert_int_equal(tv_profile_order(&profile, methods, WORLD_METHODS, &sort, NULL),
                             TV_OK);
            for (uint32_t i = 1; i < WORLD_METHODS; i++) {
                double a = tv_profile_value(&profile, methods[i - 1], &sort);
                double b = tv_profile_value(&profile, methods[i], &sort);
                assert_true(a >= b);
                bool is_tie = key < TV_SORT_NAME && !(a > b);
                if (is_tie)
                    assert_true(w.index.methods[methods[i - 1]].rank <
                                w.index.methods[methods[i]].rank);
            }
        }
        tv_profile_release(&profile);
        world_release(&w);
    }
}

static void an_exclusive_wait_is_part_of_the_inclusive_one(void **state)
{
    static const struct {
        struct tv_numbers numbers; /* wall, CPU */
        struct tv_wait wait;
    } cases[] = {
        {{.inclusive_ns = {100, 40}, .exclusive_ns = {50, 20}}, {60, 30}},
        {{.inclusive_ns = {100, 90}, .exclusive_ns = {50, 20}}, {10, 10}}, /* callees tick early */
        {{.inclusive_ns = {100, 101}, .exclusive_ns = {50, 20}}, {0, 0}},
        {{.inclusive_ns = {100, 40}, .exclusive_ns = {20, 21}}, {60, 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct tv_wait wait = tv_wait_of(&cases[i].numbers);
        assert_int_equal(wait.inclusive_ns, cases[i].wait.inclusive_ns);
        assert_int_equal(wait.exclusive_ns, cases[i].wait.exclusive_ns);
        assert_int_equal(tv_exclusive_on(&cases[i].numbers, TV_MEASURE_WAIT), wait.exclusive_ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(range_cuts_calls_at_its_edges),
        cmocka_unit_test(what_is_not_recorded_stands_at_the_open_methods),
        cmocka_unit_test(calls_that_began_before_stand_at_their_methods),
        cmocka_unit_test(recursion_never_counts_twice),
        cmocka_unit_test(zero_length_call_belongs_to_the_range_that_begins_with_it),
        cmocka_unit_test(random_selections_equal_the_plain_reading),
        cmocka_unit_test(adjacent_ranges_add_up_exactly),
        cmocka_unit_test(exclusive_times_sum_to_those_of_roots),
        cmocka_unit_test(rows_are_sorted_with_ties_by_rank),
        cmocka_unit_test(an_exclusive_wait_is_part_of_the_inclusive_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
