/* retrace/renaming_choice: a trace is renamed by the mapping that fits it, or by none. */
#include "retrace/renaming_choice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"

#define FITS "app.Store -> a.b:\n    void save() -> a\n"
#define RIVAL "app.Shop -> a.b:\n    void buy() -> a\n"
#define OTHER "app.Other -> z:\n    void x() -> y\n"

/* The name that the method a.b.a has after the reader asked as it does. */
static void expect_name(const char *const *texts, size_t count, enum tv_choice_by by,
                        const char *name)
{
    struct tv_str of[2];
    struct tv_renaming_choice chosen;
    struct tv_findings findings;
    struct tv_trace_method method = {
        .class_name = TV_STR("a.b"), .name = TV_STR("a"), .signature = TV_STR("()V")};
    for (size_t i = 0; i < count; i++)
        of[i] = tv_str_from(texts[i]);
    tv_findings_init(&findings);
    tv_renaming_choice_init(&chosen, tv_alloc_libc(), &(struct tv_mappings){of, count, false});
    const struct tv_renaming_opts opts = tv_renaming_choice_opts(&chosen);
    for (unsigned i = 0; i < 2; i++) /* for the beginning of a trace, and for the whole */
        assert_int_equal(opts.begin(opts.ctx, &method, 1, NULL), TV_OK);
    assert_int_equal(opts.rename(opts.ctx, &method, &findings, NULL), TV_OK);
    assert_int_equal(chosen.choice.by, by);
    assert_true(tv_str_equal(method.name, tv_str_from(name)));
    tv_renaming_choice_release(&chosen);
}

static void the_mapping_that_fits_gives_the_names(void **state)
{
    (void)state;
    expect_name((const char *[]){OTHER, FITS}, 2, TV_CHOICE_BY_NAMES, "save");
}

static void names_stay_where_none_or_two_fit(void **state)
{
    (void)state;
    expect_name((const char *[]){OTHER}, 1, TV_CHOICE_NONE, "a");
    expect_name((const char *[]){FITS, RIVAL}, 2, TV_CHOICE_TIE, "a");
    expect_name(NULL, 0, TV_CHOICE_NONE, "a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mapping_that_fits_gives_the_names),
        cmocka_unit_test(names_stay_where_none_or_two_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
