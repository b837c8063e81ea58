/* Rules that contradict each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "compare/rule/rule.h"
#include "compare/rule/rule_conflict.h"

static enum tv_code read_rules(const char *text, struct tv_error *err)
{
    struct tv_rules rules;
    tv_rules_init(&rules, tv_alloc_libc());
    enum tv_code code = tv_rules_read(&rules, tv_str_from(text), err);
    tv_rules_release(&rules);
    return code;
}

static void what_no_recording_keeps_is_told_with_both_lines(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "calls of a.b in 5..6\ncalls of a.b in 3..4",
        "calls of a.b in 1\nno calls of a.b",
        "no calls of a.*\nwarn calls of a.b.c in 1..9",
        "calls of a.* in 3..4\ncalls of a.b in 5",
        "no calls of a\ncalls of a in 1 on thread main",
        "no calls of a on thread main\ncalls of a in 1 on thread main",
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_error err = {.code = TV_OK};
        assert_int_equal(read_rules(cases[i], &err), TV_ERR_FORMAT);
        assert_string_equal(err.text, "line 2: contradicts line 1: no recording can keep both");
    }
}

/* What looks like a contradiction and need not be one is left to the recordings. */
static void what_some_recording_keeps_is_none(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "calls of a.b in 5..6\ncalls of a.b in 6..7",
        "calls of a.b in 5\ncalls of a.* in 3..9",
        "calls of a.* in 5\ncalls of a.b in 3", /* others of a.* may be the rest */
        "off no calls of a.b\ncalls of a.b in 1",
        "no calls of a on thread main\ncalls of a in 1",
        "no calls of a on thread main\ncalls of a in 1 on thread other",
        "no calls of ?.b\ncalls of *.b in 1",
        "no calls of *.b\ncalls of a.c in 1",
        "time of a <= 1 ms\ntime of a <= 2 ms",
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++)
        assert_int_equal(read_rules(cases[i], NULL), TV_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_no_recording_keeps_is_told_with_both_lines),
        cmocka_unit_test(what_some_recording_keeps_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
