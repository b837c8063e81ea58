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

static void add(struct tv_comparison *of, size_t run, const struct made *made)
{
    struct tv_run_part part = tv_run_part_all();
    struct tv_run_numbers numbers;
    tv_run_numbers_init(&numbers, tv_alloc_libc());
    assert_int_equal(tv_run_part_take(&part, &made->index, NULL, &numbers, NULL), TV_OK);
    assert_int_equal(tv_comparison_add(of, run, &made->index, &numbers, TV_STR("r"), NULL), TV_OK);
    tv_run_numbers_release(&numbers);
}

static void compare(struct tv_comparison *of, char *old_inlined, char *new_inlined)
{
    struct made runs[RUNS];
    const struct tv_comparison_opts opts = {
        .least = TV_COMPARED_LEAST, .kind = TV_TIME_EXCLUSIVE, .run_counts = {OLD, RUNS - OLD}};
    tv_comparison_init(of, tv_alloc_libc());
    assert_int_equal(tv_comparison_begin(of, &opts, NULL), TV_OK);
    for (size_t i = 0; i < RUNS; i++) {
        make(&runs[i], i < OLD, i < OLD ? old_inlined : new_inlined);
        add(of, i, &runs[i]);
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
        assert_int_equal(of.mapped.count, cases[i].is_inlined);
        assert_int_equal(of.changes.calls_count[TV_VERDICT_CHANGED], !cases[i].is_inlined);
        assert_int_equal(of.changes.only_count[TV_SIDE_OLD], !cases[i].is_inlined);
        assert_int_equal(of.changes.time_count[TV_VERDICT_CHANGED], !cases[i].is_inlined);
        assert_int_equal(of.calls.count, !cases[i].is_inlined);
        tv_comparison_release(&of);
    }
}

static enum tv_code name_bar(void *ctx, struct tv_trace_method *method,
                             struct tv_findings *findings, struct tv_error *err)
{
    const char *const *names = ctx;
    (void)findings;
    (void)err;
    if (method->id != BAR)
        return TV_OK;
    method->written = method->name;
    method->name = tv_str_from(names[0]);
    method->alternatives = tv_str_from(names[1]);
    return TV_OK;
}

/* What is one of several on one side is neither new nor gone; nor are lists the same that differ
 * behind the fourth. */
static void methods_that_a_side_tells_as_one_of_several_are_undecided(void **state)
{
    static const char *const plain[] = {"pay", ""};
    static const char *const other[] = {"run", ""};
    static const char *const several[] = {"pay | buy", ""};
    static const char *const more[] = {"a | b | c | d | more", "a | b | c | d | e"};
    static const char *const others[] = {"a | b | c | d | more", "a | b | c | d | f"};
    const struct {
        const char *const *names[TV_SIDE_COUNT];
        size_t changed, listed;
    } cases[] = {{{plain, several}, 0, 2},
                 {{several, plain}, 0, 2},
                 {{other, several}, 2, 0},
                 {{more, others}, 0, 1},
                 {{more, more}, 0, 0}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct made runs[TV_SIDE_COUNT];
        struct tv_comparison of;
        const struct tv_comparison_opts opts = {.least = TV_COMPARED_LEAST, .run_counts = {1, 1}};
        tv_comparison_init(&of, tv_alloc_libc());
        assert_int_equal(tv_comparison_begin(&of, &opts, NULL), TV_OK);
        for (size_t side = 0; side < TV_SIDE_COUNT; side++) {
            made_begin(&runs[side], NULL);
            runs[side].renaming = (struct tv_renaming_opts){
                .ctx = (void *)(uintptr_t)cases[i].names[side], .rename = name_bar};
            made_call(&runs[side], BAR, 0, 1000);
            made_end(&runs[side]);
            add(&of, side, &runs[side]);
        }
        assert_int_equal(tv_comparison_finish(&of, NULL), TV_OK);
        assert_int_equal(of.changes.calls_count[TV_VERDICT_CHANGED], cases[i].changed);
        assert_int_equal(of.changes.listed_count, cases[i].listed);
        assert_int_equal(of.moves.only_count[TV_SIDE_OLD] + of.changes.only_count[TV_SIDE_OLD] > 1,
                         cases[i].changed > 0);
        tv_comparison_release(&of);
        for (size_t side = 0; side < TV_SIDE_COUNT; side++)
            made_release(&runs[side]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_that_a_side_inlined_are_undecided),
        cmocka_unit_test(methods_that_a_side_tells_as_one_of_several_are_undecided),
    };
    return cmocka_run_group_tests_name("compare/inlined_methods", tests, NULL, NULL);
}
