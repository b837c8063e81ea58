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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_are_matched_by_name),
        cmocka_unit_test(a_method_is_found_before_they_are_sorted),
        cmocka_unit_test(numbered_lambdas_are_one_method),
        cmocka_unit_test(no_name_stands_for_another_method),
        cmocka_unit_test(rows_are_matched_by_their_names_as_they_are),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
