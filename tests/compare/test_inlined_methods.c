/* Methods that a mapping says were inlined on one side of a comparison. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare/comparison.h"
#include "compare/made.h"

#define RUNS 6u
#define OLD 3u

static enum tv_code say_inlined(void *ctx, struct tv_trace_method *method,
                                struct tv_findings *findings, struct tv_error *err)
{
    (void)findings;
    (void)err;
    if (method->id == FOO)
        method->inlined = tv_str_from(ctx);
    return TV_OK;
}

/* Foo takes four milliseconds, three of them in two calls of bar, unless they are inlined. */
static void make(struct made *made, bool has_bar, char *inlined)
{
    made_begin(made, NULL);
    made->renaming = (struct tv_renaming_opts){.ctx = inlined, .rename = say_inlined};
    enter(&made->t, MAIN, FOO, 0);
    if (has_bar) {
        made_call(made, BAR, 500, 2000);
        made_call(made, BAR, 2000, 3500);
    }
    leave(&made->t, MAIN, FOO, 4000);
    made_end(made);
}

static void compare(struct tv_comparison *of, char *old_inlined, char *new_inlined)
{
    struct made runs[RUNS];
    const struct tv_comparison_opts opts = {
        .least = TV_COMPARED_LEAST, .kind = TV_TIME_EXCLUSIVE, .run_counts = {OLD, RUNS - OLD}};
    tv_comparison_init(of, tv_alloc_libc());
    assert_int_equal(tv_comparison_begin(of, &opts, NULL), TV_OK);
    for (size_t i = 0; i < RUNS; i++) {
        struct tv_run_part part = tv_run_part_all();
        struct tv_run_numbers numbers;
        make(&runs[i], i < OLD, i < OLD ? old_inlined : new_inlined);
        tv_run_numbers_init(&numbers, tv_alloc_libc());
        assert_int_equal(tv_run_part_take(&part, &runs[i].index, NULL, &numbers, NULL), TV_OK);
        assert_int_equal(tv_comparison_add(of, i, &runs[i].index, &numbers, TV_STR("r"), NULL),
                         TV_OK);
        tv_run_numbers_release(&numbers);
    }
    assert_int_equal(tv_comparison_finish(of, NULL), TV_OK);
    for (size_t i = 0; i < RUNS; i++)
        made_release(&runs[i]);
}

/* Bar is gone, and foo takes three milliseconds more of its own, where no mapping says why. */
static void calls_that_a_side_inlined_are_undecided(void **state)
{
    static char nothing[] = "";
    static char other[] = "a.B.baz ()V\na.B.bar ()V";
    static char bar[] = "a.A.x ()V\na.B.bar (I)V";
    const struct {
        char *old_list, *new_list;
        bool is_inlined;
    } cases[] = {{nothing, nothing, false},
                 {nothing, other, false},
                 {bar, nothing, false},
                 {nothing, bar, true}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_comparison of;
        compare(&of, cases[i].old_list, cases[i].new_list);
        assert_int_equal(of.changes.inlined_count, cases[i].is_inlined);
        assert_int_equal(of.changes.calls_count[TV_VERDICT_CHANGED], !cases[i].is_inlined);
        assert_int_equal(of.changes.only_count[TV_SIDE_OLD], !cases[i].is_inlined);
        assert_int_equal(of.changes.time_count[TV_VERDICT_CHANGED], !cases[i].is_inlined);
        assert_int_equal(of.calls.count, !cases[i].is_inlined);
        tv_comparison_release(&of);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_that_a_side_inlined_are_undecided),
    };
    return cmocka_run_group_tests_name("compare/inlined_methods", tests, NULL, NULL);
}
