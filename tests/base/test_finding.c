/* Counting what was odd. */
#include "base/finding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void fresh_findings_are_empty(void **state)
{
    (void)state;
    struct tv_findings findings;
    memset(&findings, 0x5a, sizeof(findings));
    tv_findings_init(&findings);
    for (int i = 0; i < TV_FINDING_KIND_COUNT; i++) {
        assert_int_equal(findings.of[i].count, 0);
        assert_true(findings.of[i].offset == TV_NO_OFFSET);
    }
}

static void counts_add_up_and_the_smallest_offset_stays(void **state)
{
    (void)state;
    struct tv_findings findings;
    tv_findings_init(&findings);
    tv_findings_add(&findings, TV_FINDING_BAD_LINE, 2, 50);
    tv_findings_add(&findings, TV_FINDING_BAD_LINE, 3, 20);
    tv_findings_add(&findings, TV_FINDING_BAD_LINE, 1, 90);
    tv_findings_add(&findings, TV_FINDING_BAD_LINE, 1, TV_NO_OFFSET);
    assert_int_equal(findings.of[TV_FINDING_BAD_LINE].count, 7);
    assert_int_equal(findings.of[TV_FINDING_BAD_LINE].offset, 20);
    assert_int_equal(findings.of[TV_FINDING_OVERFLOW].count, 0);
}

static void adding_none_leaves_no_offset(void **state)
{
    (void)state;
    struct tv_findings findings;
    tv_findings_init(&findings);
    tv_findings_add(&findings, TV_FINDING_OVERFLOW, 0, 5);
    assert_int_equal(findings.of[TV_FINDING_OVERFLOW].count, 0);
    assert_true(findings.of[TV_FINDING_OVERFLOW].offset == TV_NO_OFFSET);
}

static void joining_is_adding_all(void **state)
{
    (void)state;
    struct tv_findings a;
    struct tv_findings b;
    tv_findings_init(&a);
    tv_findings_init(&b);
    tv_findings_add(&a, TV_FINDING_BAD_LINE, 1, 70);
    tv_findings_add(&b, TV_FINDING_BAD_LINE, 4, 60);
    tv_findings_add(&b, TV_FINDING_OVERFLOW, 1, 3);
    tv_findings_join(&a, &b);
    assert_int_equal(a.of[TV_FINDING_BAD_LINE].count, 5);
    assert_int_equal(a.of[TV_FINDING_BAD_LINE].offset, 60);
    assert_int_equal(a.of[TV_FINDING_OVERFLOW].count, 1);
    assert_int_equal(a.of[TV_FINDING_OVERFLOW].offset, 3);
    assert_int_equal(b.of[TV_FINDING_BAD_LINE].count, 4);
}

/* The public names, in the order of finding.h; programs rely on them. */
static void every_kind_has_name_sentence_and_severity(void **state)
{
    (void)state;
#define CHECK(kind, name, level, sentence)                                                         \
    assert_string_equal(tv_finding_name(TV_FINDING_##kind), name);                                 \
    assert_string_equal(tv_finding_text(TV_FINDING_##kind), sentence);                             \
    assert_int_equal(tv_finding_severity(TV_FINDING_##kind), TV_SEVERITY_##level);
    TV_FINDINGS(CHECK)
#undef CHECK
    for (int i = 0; i < TV_FINDING_KIND_COUNT; i++) {
        for (int k = 0; k < i; k++)
            assert_string_not_equal(tv_finding_name((enum tv_finding_kind)i),
                                    tv_finding_name((enum tv_finding_kind)k));
    }
    assert_string_equal(tv_finding_name(TV_FINDING_KIND_COUNT), "?");
    assert_string_equal(tv_finding_text(TV_FINDING_KIND_COUNT), "?");
}

static void severities_have_the_words_of_the_design(void **state)
{
    (void)state;
    assert_string_equal(tv_severity_name(TV_SEVERITY_NOTE), "note");
    assert_string_equal(tv_severity_name(TV_SEVERITY_NUMBERS_AFFECTED), "numbers affected");
    assert_string_equal(tv_severity_name(TV_SEVERITY_DATA_LOST), "data lost");
    assert_true(TV_SEVERITY_NOTE < TV_SEVERITY_NUMBERS_AFFECTED);
    assert_true(TV_SEVERITY_NUMBERS_AFFECTED < TV_SEVERITY_DATA_LOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_findings_are_empty),
        cmocka_unit_test(counts_add_up_and_the_smallest_offset_stays),
        cmocka_unit_test(adding_none_leaves_no_offset),
        cmocka_unit_test(joining_is_adding_all),
        cmocka_unit_test(every_kind_has_name_sentence_and_severity),
        cmocka_unit_test(severities_have_the_words_of_the_design),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
