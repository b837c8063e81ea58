/* api/report_query: what the form of a page means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/report_query.h"
#include "asking.h"

/* Reads a form; texts of *query live as long as the arena. */
static enum tv_code read_form(const char *text, struct tv_arena *arena,
                              struct tv_report_query *query)
{
    struct tv_params params;
    tv_arena_init(arena, tv_alloc_libc());
    enum tv_code code = tv_params_parse(&params, arena, tv_str_from(text), tv_report_params, NULL);
    return code == TV_OK
               ? tv_query_report(&params, asked_trace.index, TV_STR("app.trace"), query, NULL)
               : code;
}

static void expect_refusal(const char *text)
{
    struct tv_report_query query;
    struct tv_arena arena;
    assert_int_equal(read_form(text, &arena, &query), TV_ERR_ARGUMENT);
    tv_arena_release(&arena);
}

static void a_form_tells_the_part_and_what_is_said_about_it(void **state)
{
    struct tv_report_query query;
    struct tv_arena arena;
    (void)state;
    assert_int_equal(read_form("from=10000&to=60000&threads=1&clock=wall&title=A+b&note=1%0A2&"
                               "link=tab%3Dtree",
                               &arena, &query),
                     TV_OK);
    assert_true(tv_str_equal(query.report.title, TV_STR("A b")));
    assert_true(tv_str_equal(query.report.note, TV_STR("1\n2")));
    assert_true(tv_str_equal(query.report.link, TV_STR("tab=tree")));
    assert_true(tv_str_equal(query.report.name, TV_STR("app.trace")));
    assert_int_equal(query.report.clock, TV_CLOCK_WALL);
    assert_true(query.report.cut.has_range);
    assert_int_equal(query.report.cut.from_ns, 10000);
    assert_int_equal(query.report.cut.to_ns, 60000);
    assert_false(query.report.cut.is_redacted);
    assert_null(query.part.opts.redact);
    assert_string_equal(query.name, "app-main-0.01-0.06ms.html");
    tv_arena_release(&arena);
}

static void redacted_it_has_no_name_of_the_file(void **state)
{
    struct tv_report_query query;
    struct tv_arena arena;
    (void)state;
    assert_int_equal(read_form("redact=1&keep=java.", &arena, &query), TV_OK);
    assert_true(tv_str_equal(query.report.name, TV_STR("redacted.trace")));
    assert_true(query.report.cut.is_redacted);
    assert_false(query.report.cut.has_range);
    assert_true(tv_str_equal(query.part.opts.redact->keep, TV_STR("java.")));
    assert_string_equal(query.name, "trace-redacted.html");
    tv_arena_release(&arena);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    expect_refusal("format=folded");
    expect_refusal("redact=2");
    expect_refusal("threads=x");
    expect_refusal("from=9&to=3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_form_tells_the_part_and_what_is_said_about_it),
        cmocka_unit_test(redacted_it_has_no_name_of_the_file),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, asking_begin, asking_end);
}
