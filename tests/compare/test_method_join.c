/* Methods of several runs, matched by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory/buffer.h"
#include "compare/made.h"
#include "compare/method_join.h"
#include "support/failing_alloc.h"

static struct made old_run;
static struct made new_run;

static enum tv_code make(struct tv_join *out)
{
    tv_join_begin(out, 2);
    TV_TRY(tv_join_add(out, 0, &old_run.index, old_run.profile.rows, NULL));
    TV_TRY(tv_join_add(out, 1, &new_run.index, new_run.profile.rows, NULL));
    return tv_join_finish(out, NULL);
}

static void join(struct tv_join *out)
{
    tv_join_init(out, tv_alloc_libc());
    assert_int_equal(make(out), TV_OK);
}

static void release(struct tv_join *out)
{
    tv_join_release(out);
    made_release(&old_run);
    made_release(&new_run);
}

/* The place of a method by its whole name; it must be there. */
static size_t place_of(const struct tv_join *of, const char *text)
{
    struct tv_buffer name;
    size_t place = of->count;
    tv_buffer_init(&name, tv_alloc_libc());
    for (size_t i = 0; i < of->count; i++) {
        assert_int_equal(tv_joined_text(&of->methods[i], &name, NULL), TV_OK);
        if (tv_str_equal(tv_buffer_view(&name), tv_str_from(text)))
            place = i;
    }
    tv_buffer_release(&name);
    if (place == of->count)
        fail_msg("no method is called %s", text);
    return place;
}

/* A short name is another method's in each build; names of the source and of libraries are not. */
static void short_names_of_two_builds_are_two_methods(void **state)
{
    static const char *const properties[] = {"", "method-names=source\n"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct tv_join both;
        made_begin_with(&old_run, "0x4\ta.B\tf\t()V\tr8-map-id-abc\n0x8\tjava.X\tg\t()V\tX.java\n",
                        properties[i]);
        made_call(&old_run, 0x4, 10, 20);
        made_call(&old_run, 0x8, 30, 35);
        made_end(&old_run);
        made_begin_with(&new_run, "0x4\ta.B\tf\t()V\tr8-map-id-def\n0x8\tjava.X\tg\t()V\tX.java\n",
                        properties[i]);
        made_call(&new_run, 0x4, 10, 20);
        made_call(&new_run, 0x8, 30, 35);
        made_end(&new_run);
        join(&both);
        assert_int_equal(both.count, i ? 2 : 3);
        assert_int_equal(tv_joined_is_same(&old_run.index, 0, &new_run.index, 0), i);
        assert_true(tv_joined_is_same(&old_run.index, 1, &new_run.index, 1));
        release(&both);
    }
}

/* The same methods have other ids and another order in the new run, one is new and one is gone. */
static void methods_are_matched_by_name(void **state)
{
    (void)state;
    struct tv_join both;
    made_begin(&old_run, "0x4\ta.B\tf\t(I)V\tB.java\n0x8\ta.B\tf\t()V\tB.java\n"
                         "0xc\ta.B\tgone\t()V\tB.java\n");
    made_call(&old_run, 0x4, 10, 20);
    made_call(&old_run, 0x8, 30, 35);
    made_call(&old_run, 0xc, 40, 41);
    made_end(&old_run);
    made_begin(&new_run, "0x4\ta.B\tadded\t()V\tB.java\n0x8\ta.B\tf\t(I)V\tB.java\n"
                         "0xc\ta.B\tf\t()V\tB.java\n");
    made_call(&new_run, 0x8, 10, 21);
    made_call(&new_run, 0x8, 30, 41);
    made_call(&new_run, 0xc, 50, 52);
    made_call(&new_run, 0x4, 60, 61);
    made_end(&new_run);
    join(&both);
    assert_int_equal(both.count, 4);
    assert_int_equal(both.merged_count, 0);
    size_t f = place_of(&both, "a.B.f (I)V");
    assert_int_equal(tv_join_row(&both, f, 0)->numbers.calls, 1);
    assert_int_equal(tv_join_row(&both, f, 1)->numbers.calls, 2);
    assert_int_equal(tv_join_row(&both, f, 0)->numbers.inclusive_ns[TV_CLOCK_CPU], 10000);
    assert_int_equal(tv_join_row(&both, f, 1)->numbers.inclusive_ns[TV_CLOCK_CPU], 22000);
    assert_int_equal(tv_join_row(&both, place_of(&both, "a.B.gone ()V"), 1)->numbers.calls, 0);
    assert_int_equal(tv_join_row(&both, place_of(&both, "a.B.added ()V"), 0)->numbers.calls, 0);
    release(&both);
}

static void numbered_lambdas_are_one_method(void **state)
{
    (void)state;
    struct tv_join both;
    made_begin(&old_run, "0x4\ta.B$$Lambda$3\trun\t()V\tB.java\n"
                         "0x8\ta.B$$Lambda$4\trun\t()V\tB.java\n");
    made_call(&old_run, 0x4, 10, 20);
    made_call(&old_run, 0x8, 30, 35);
    made_end(&old_run);
    made_begin(&new_run, "0x4\ta.B$$Lambda$9\trun\t()V\tB.java\n");
    made_call(&new_run, 0x4, 10, 21);
    made_end(&new_run);
    join(&both);
    assert_int_equal(both.count, 1);
    assert_int_equal(both.merged_count, 1);
    size_t run = place_of(&both, "a.B$$Lambda*.run ()V");
    assert_int_equal(tv_join_row(&both, run, 0)->numbers.calls, 2);
    assert_int_equal(tv_join_row(&both, run, 1)->numbers.calls, 1);
    release(&both);
}

/* "a.b" and "x" are not "a" and "b.x", and a method that nothing describes is its id. */
static void no_name_stands_for_another_method(void **state)
{
    (void)state;
    struct tv_join both;
    made_begin(&old_run, "0x4\ta.b\tx\t()V\tB.java\n");
    made_call(&old_run, 0x4, 10, 20);
    made_call(&old_run, 0x40, 30, 31);
    made_end(&old_run);
    made_begin(&new_run, "0x4\ta\tb.x\t()V\tB.java\n");
    made_call(&new_run, 0x4, 10, 20);
    made_call(&new_run, 0x40, 30, 31);
    made_call(&new_run, 0x44, 40, 41);
    made_end(&new_run);
    join(&both);
    assert_int_equal(both.count, 4);
    size_t unknown = place_of(&both, "(0x40)");
    assert_int_equal(tv_join_row(&both, unknown, 0)->numbers.calls, 1);
    assert_int_equal(tv_join_row(&both, unknown, 1)->numbers.calls, 1);
    release(&both);
}

static enum tv_code join_with(const struct tv_alloc *alloc, void *ctx)
{
    (void)ctx;
    struct tv_join both;
    tv_join_init(&both, alloc);
    enum tv_code code = make(&both);
    tv_join_release(&both);
    return code;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    made_begin(&old_run, NULL);
    made_call(&old_run, FOO, 10, 20);
    made_call(&old_run, BAR, 30, 40);
    made_end(&old_run);
    made_begin(&new_run, NULL);
    made_call(&new_run, BAZ, 30, 40);
    made_end(&new_run);
    assert_true(failing_alloc_each(join_with, NULL) > 4);
    made_release(&old_run);
    made_release(&new_run);
}

/* Lambdas keep their numbers, nothing that has no names is told apart by an id, and rows of the
 * same names are matched in their order. */
static enum tv_code join_named(const struct tv_alloc *alloc, void *ctx)
{
    const struct tv_row_names first[] = {{TV_STR(""), TV_STR(""), TV_STR("")},
                                         {TV_STR("A"), TV_STR("f"), TV_STR("()V")},
                                         {TV_STR("A"), TV_STR("f"), TV_STR("()V")},
                                         {TV_STR("A"), TV_STR("lambda$f$1"), TV_STR("()V")}};
    const struct tv_row_names second[] = {{TV_STR(""), TV_STR(""), TV_STR("")},
                                          {TV_STR("A"), TV_STR("f"), TV_STR("()V")},
                                          {TV_STR("A"), TV_STR("lambda$f$2"), TV_STR("()V")},
                                          {TV_STR("Af"), TV_STR(""), TV_STR("()V")}};
    uint32_t(*places)[4] = ctx;
    struct tv_join both;
    tv_join_init(&both, alloc);
    tv_join_begin(&both, 2);
    enum tv_code code = tv_join_add_named(&both, 0, first, 4, places[0], NULL);
    if (code == TV_OK)
        code = tv_join_add_named(&both, 1, second, 4, places[1], NULL);
    if (code == TV_OK)
        code = tv_join_finish(&both, NULL);
    for (unsigned i = 0; code == TV_OK && i < 8; i++)
        places[i / 4][i % 4] = both.sorted[places[i / 4][i % 4]];
    tv_join_release(&both);
    return code;
}

static void rows_are_matched_by_their_names_as_they_are(void **state)
{
    (void)state;
    static const uint32_t wanted[2][4] = {{0, 1, 2, 3}, {0, 1, 4, 5}};
    uint32_t places[2][4];
    assert_int_equal(join_named(tv_alloc_libc(), places), TV_OK);
    assert_memory_equal(places, wanted, sizeof(wanted));
    assert_true(failing_alloc_each(join_named, places) > 0);
}

static void a_method_is_found_before_they_are_sorted(void **state)
{
    struct tv_join both;
    uint32_t place;
    (void)state;
    made_begin(&old_run, "0x4\ta.B\tf\t(I)V\tB.java\n0x8\ta.B\tg\t()V\tB.java\n");
    made_call(&old_run, 0x4, 0, 10);
    made_end(&old_run);
    made_begin(&new_run, "0x4\ta.B\tg\t()V\tB.java\n0x8\ta.B\tf\t(I)V\tB.java\n");
    made_call(&new_run, 0x8, 0, 10);
    made_end(&new_run);
    tv_join_init(&both, tv_alloc_libc());
    tv_join_begin(&both, 1);
    assert_int_equal(tv_join_add(&both, 0, &old_run.index, old_run.profile.rows, NULL), TV_OK);
    for (uint32_t i = 0; i < new_run.index.method_count; i++) {
        assert_int_equal(tv_join_find(&both, &new_run.index, i, &place, NULL), TV_OK);
        assert_int_equal(place, new_run.index.methods[i].id == 0x8 ? 0 : TV_NONE);
    }
    release(&both);
}

/* Lambdas that call each other, of which the innermost is called by itself, too; main's first call
 * contains the others. All of a run, or what `root` called. */
static const struct tv_method_row *join_nested(struct tv_join *join, uint32_t root_id)
{
    struct tv_run_part part = tv_run_part_all();
    struct tv_run_numbers numbers;
    struct trace_builder *t = &old_run.t;
    made_begin(&old_run, "0x4\ta.B$$Lambda$3\trun\t()V\tB.java\n"
                         "0x8\ta.B$$Lambda$4\trun\t()V\tB.java\n"
                         "0xc\ta.B\tload\t()V\tB.java\n");
    enter(t, MAIN, 0x4, 10);
    enter(t, MAIN, 0xc, 15);
    enter(t, MAIN, 0x8, 20);
    enter(t, MAIN, 0x4, 30);
    leave(t, MAIN, 0x4, 40);
    leave(t, MAIN, 0x8, 50);
    leave(t, MAIN, 0xc, 55);
    leave(t, MAIN, 0x4, 60);
    made_call(&old_run, 0x8, 70, 73);
    made_end(&old_run);
    for (uint32_t i = 0; i < old_run.index.method_count; i++)
        part.root = old_run.index.methods[i].id == root_id ? i : part.root;
    tv_run_numbers_init(&numbers, tv_alloc_libc());
    assert_int_equal(tv_run_part_take(&part, &old_run.index, NULL, &numbers, NULL), TV_OK);
    tv_join_init(join, tv_alloc_libc());
    tv_join_begin(join, 1);
    assert_int_equal(tv_join_add_run(join, 0, &numbers, NULL, NULL), TV_OK);
    assert_int_equal(tv_join_finish(join, NULL), TV_OK);
    tv_run_numbers_release(&numbers);
    return tv_join_row(join, place_of(join, "a.B$$Lambda*.run ()V"), 0);
}

static void a_call_within_one_of_the_same_name_counts_no_time_of_its_own(void **state)
{
    (void)state;
    struct tv_join join;
    const struct tv_method_row *row = join_nested(&join, 0);
    assert_int_equal(join.merged_count, 1);
    assert_int_equal(row->numbers.calls, 2);
    assert_int_equal(row->recursive_calls, 2);
    assert_int_equal(row->numbers.inclusive_ns[TV_CLOCK_WALL], 53000);
    assert_int_equal(row->numbers.inclusive_ns[TV_CLOCK_CPU], 53000);
    assert_int_equal(row->numbers.exclusive_ns[TV_CLOCK_WALL], 43000);
    tv_join_release(&join);
    made_release(&old_run);
}

static void below_a_root_a_call_above_it_contains_none(void **state)
{
    (void)state;
    struct tv_join join;
    const struct tv_method_row *row = join_nested(&join, 0xc);
    assert_int_equal(row->numbers.calls, 1);
    assert_int_equal(row->recursive_calls, 1);
    assert_int_equal(row->numbers.inclusive_ns[TV_CLOCK_WALL], 30000);
    tv_join_release(&join);
    made_release(&old_run);
}

/* What `caller` calls in a run of which the innermost call is of another method. */
static double callees_with(uint64_t innermost, unsigned rounds)
{
    struct tv_run_part part = tv_run_part_all();
    struct tv_run_numbers numbers;
    struct tv_join join;
    struct trace_builder *t = &old_run.t;
    made_begin(&old_run, "0x4\ta.B\tcaller\t()V\tB.java\n0x8\ta.B\tf\t()V\tB.java\n"
                         "0xc\ta.B\tg\t()V\tB.java\n");
    made_call(&old_run, 0x8, 1, 2);
    made_call(&old_run, 0xc, 3, 4);
    for (unsigned i = 0; i < rounds; i++) {
        enter(t, MAIN, 0x4, 10 + 10 * i);
        enter(t, MAIN, (uint32_t)innermost, 11 + 10 * i);
        leave(t, MAIN, (uint32_t)innermost, 12 + 10 * i);
        leave(t, MAIN, 0x4, 15 + 10 * i);
    }
    made_end(&old_run);
    tv_run_numbers_init(&numbers, tv_alloc_libc());
    assert_int_equal(tv_run_part_take(&part, &old_run.index, NULL, &numbers, NULL), TV_OK);
    tv_join_init(&join, tv_alloc_libc());
    tv_join_begin(&join, 1);
    assert_int_equal(tv_join_add_run(&join, 0, &numbers, NULL, NULL), TV_OK);
    assert_int_equal(tv_join_finish(&join, NULL), TV_OK);
    assert_true(tv_join_callees(&join, place_of(&join, "a.B.f ()V"), 0) == 0);
    const double callees = tv_join_callees(&join, place_of(&join, "a.B.caller ()V"), 0);
    tv_run_numbers_release(&numbers);
    tv_join_release(&join);
    made_release(&old_run);
    return callees;
}

static void another_callee_is_told_and_more_rounds_are_not(void **state)
{
    (void)state;
    const double of_f = callees_with(0x8, 1);
    assert_true(of_f > 0);
    assert_true(callees_with(0x8, 3) == of_f);
    assert_true(callees_with(0xc, 1) != of_f);
}

/* Between two methods, too, where calls are counted and not those of the tree. */
static void between_two_methods_time_counts_once(void **state)
{
    (void)state;
    struct tv_run_part part = tv_run_part_all();
    struct tv_run_numbers numbers;
    struct tv_join join;
    struct trace_builder *t = &old_run.t;
    made_begin(&old_run, "0x4\ta.B\trun\t()V\tB.java\n0x8\ta.B\trun\t()V\tB.java\n"
                         "0xc\ta.B\tfirst\t()V\tB.java\n0x10\ta.B\tuntil\t()V\tB.java\n");
    made_call(&old_run, 0xc, 10, 12);
    enter(t, MAIN, 0x4, 20);
    enter(t, MAIN, 0x8, 30);
    leave(t, MAIN, 0x8, 40);
    leave(t, MAIN, 0x4, 50);
    made_call(&old_run, 0x10, 60, 62);
    made_end(&old_run);
    for (uint32_t i = 0; i < old_run.index.method_count; i++) {
        part.first = old_run.index.methods[i].id == 0xc ? i : part.first;
        part.until = old_run.index.methods[i].id == 0x10 ? i : part.until;
    }
    tv_run_numbers_init(&numbers, tv_alloc_libc());
    assert_int_equal(tv_run_part_take(&part, &old_run.index, NULL, &numbers, NULL), TV_OK);
    tv_join_init(&join, tv_alloc_libc());
    tv_join_begin(&join, 1);
    assert_int_equal(tv_join_add_run(&join, 0, &numbers, NULL, NULL), TV_OK);
    const size_t run = place_of(&join, "a.B.run ()V");
    assert_int_equal(tv_join_calls(&join, run, 0), 2);
    assert_int_equal(tv_join_row(&join, run, 0)->numbers.inclusive_ns[TV_CLOCK_WALL], 30000);
    tv_run_numbers_release(&numbers);
    tv_join_release(&join);
    made_release(&old_run);
}

static enum tv_code join_run_with(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_join join;
    tv_join_init(&join, alloc);
    tv_join_begin(&join, 1);
    enum tv_code code = tv_join_add_run(&join, 0, ctx, NULL, NULL);
    tv_join_release(&join);
    return code;
}

static void memory_for_methods_that_are_one_that_is_refused_is_told(void **state)
{
    (void)state;
    const struct tv_run_part all = tv_run_part_all();
    struct tv_run_numbers numbers;
    struct tv_join join;
    (void)join_nested(&join, 0);
    tv_run_numbers_init(&numbers, tv_alloc_libc());
    assert_int_equal(tv_run_part_take(&all, &old_run.index, NULL, &numbers, NULL), TV_OK);
    assert_true(failing_alloc_each(join_run_with, &numbers) > 6);
    tv_run_numbers_release(&numbers);
    tv_join_release(&join);
    made_release(&old_run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_are_matched_by_name),
        cmocka_unit_test(short_names_of_two_builds_are_two_methods),
        cmocka_unit_test(a_method_is_found_before_they_are_sorted),
        cmocka_unit_test(numbered_lambdas_are_one_method),
        cmocka_unit_test(a_call_within_one_of_the_same_name_counts_no_time_of_its_own),
        cmocka_unit_test(below_a_root_a_call_above_it_contains_none),
        cmocka_unit_test(another_callee_is_told_and_more_rounds_are_not),
        cmocka_unit_test(between_two_methods_time_counts_once),
        cmocka_unit_test(memory_for_methods_that_are_one_that_is_refused_is_told),
        cmocka_unit_test(no_name_stands_for_another_method),
        cmocka_unit_test(rows_are_matched_by_their_names_as_they_are),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
