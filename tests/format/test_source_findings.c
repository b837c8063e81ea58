/* What was found in the recording that a file was made from: the parts of the property, what they
 * count as, and how it is written. */
#include "format/source_findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/memory/buffer.h"

static void each_kind_has_its_count(void **state)
{
    (void)state;
    struct tv_str value = TV_STR("packed_cut:1;clock_backwards:18446744073709551615");
    enum tv_finding_kind kind;
    uint64_t count;
    assert_true(tv_source_findings_next(&value, &kind, &count));
    assert_int_equal(kind, TV_FINDING_PACKED_CUT);
    assert_int_equal(count, 1);
    assert_true(tv_source_findings_next(&value, &kind, &count));
    assert_int_equal(kind, TV_FINDING_CLOCK_BACKWARDS);
    assert_true(count == UINT64_MAX);
    assert_false(tv_source_findings_next(&value, &kind, &count));
}

static void anything_else_is_the_end(void **state)
{
    (void)state;
    static const char *const others[] = {"",         "packed_cut",    "packed_cut:", "packed_cut:x",
                                         "secret:1", ";packed_cut:1", "overflow:1:2"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct tv_str value = tv_str_from(others[i]);
        enum tv_finding_kind kind;
        uint64_t count;
        assert_false(tv_source_findings_next(&value, &kind, &count));
    }
}

static void lost_data_counts_as_that_of_the_source(void **state)
{
    (void)state;
    struct tv_findings findings;
    tv_findings_init(&findings);
    tv_findings_add(&findings, TV_FINDING_CLOCK_BACKWARDS, 2, 70);
    tv_findings_add(&findings, TV_FINDING_EXIT_NOT_ON_STACK, 9, 80);
    tv_source_findings_take(
        TV_STR("packed_cut:1;no_summary:1;clock_backwards:3;exit_not_on_stack:4"), &findings);
    assert_int_equal(findings.of[TV_FINDING_SOURCE_LOST].count, 2);
    assert_true(findings.of[TV_FINDING_SOURCE_LOST].offset == TV_NO_OFFSET);
    assert_int_equal(findings.of[TV_FINDING_PACKED_CUT].count, 0);
    assert_int_equal(findings.of[TV_FINDING_NO_SUMMARY].count, 0);
    assert_int_equal(findings.of[TV_FINDING_CLOCK_BACKWARDS].count, 3);
    assert_int_equal(findings.of[TV_FINDING_CLOCK_BACKWARDS].offset, 70);
    assert_int_equal(findings.of[TV_FINDING_EXIT_NOT_ON_STACK].count, 9);
}

static void expect_put(const char *before, const struct tv_findings *findings, const char *expected)
{
    struct tv_buffer bytes;
    struct tv_out out;
    struct tv_error err;
    tv_buffer_init(&bytes, tv_alloc_libc());
    tv_out_init(&out, tv_buffer_sink(&bytes));
    tv_source_findings_put(&out, tv_str_from(before), findings);
    assert_int_equal(tv_out_finish(&out, &err), TV_OK);
    assert_int_equal(bytes.len, tv_str_from(expected).len);
    assert_true(tv_str_equal(tv_buffer_view(&bytes), tv_str_from(expected)));
    tv_buffer_release(&bytes);
}

static void what_the_source_had_before_stays(void **state)
{
    (void)state;
    struct tv_findings findings;
    tv_findings_init(&findings);
    expect_put("", &findings, "");
    tv_findings_add(&findings, TV_FINDING_BAD_LINE, 5, 0);
    tv_findings_add(&findings, TV_FINDING_OVERFLOW, 1, 0);
    tv_findings_add(&findings, TV_FINDING_SIZE_LIMIT, 1, 0);
    tv_findings_add(&findings, TV_FINDING_RECORDING_CUT, 1, 0);
    tv_findings_add(&findings, TV_FINDING_RECORDS_LOST, 4, 0);
    tv_findings_add(&findings, TV_FINDING_SOURCE_LOST, 1, TV_NO_OFFSET);
    expect_put("", &findings, "");
    tv_findings_add(&findings, TV_FINDING_EXIT_CLOSED_OTHERS, 7, 10);
    expect_put("no_summary:1;exit_closed_others:2", &findings,
               "source-findings=no_summary:1;exit_closed_others:7\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_has_its_count),
        cmocka_unit_test(anything_else_is_the_end),
        cmocka_unit_test(lost_data_counts_as_that_of_the_source),
        cmocka_unit_test(what_the_source_had_before_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
