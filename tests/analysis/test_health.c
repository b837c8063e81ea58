/* How much a trace's oddities matter, and what an overflow lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/health.h"

#define MEBIBYTE ((uint64_t)1 << 20)

/* A run of 4 s, of whose start the file has 1 s in 3 MiB. */
static struct tv_index_info overflowed(void)
{
    return (struct tv_index_info){.findings = {.of = {[TV_FINDING_OVERFLOW] = {.count = 1}}},
                                  .has_elapsed = 1,
                                  .has_common_axis = 1,
                                  .has_clock = {1, 0},
                                  .unit_ns = 1000,
                                  .axis_len = 1000000,
                                  .elapsed_ns = 4000000000,
                                  .file_len = 3 * MEBIBYTE};
}

static bool has_overflow(const struct tv_index_info *info, struct tv_overflow *overflow)
{
    const struct tv_index index = {.info = info};
    return tv_health_overflow(&index, overflow);
}

static void worst_finding_decides(void **state)
{
    (void)state;
    struct tv_index_info info = {.unit_ns = 1000};
    const struct tv_index index = {.info = &info};
    enum tv_severity worst = TV_SEVERITY_NOTE;
    assert_false(tv_health_worst(&index, &worst));
    for (unsigned first = 0; first < TV_FINDING_KIND_COUNT; first++) {
        for (unsigned second = 0; second < TV_FINDING_KIND_COUNT; second++) {
            enum tv_severity a = tv_finding_severity((enum tv_finding_kind)first);
            enum tv_severity b = tv_finding_severity((enum tv_finding_kind)second);
            info = (struct tv_index_info){.unit_ns = 1000};
            info.findings.of[first].count = 1;
            info.findings.of[second].count = 1;
            worst = TV_SEVERITY_DATA_LOST;
            assert_true(tv_health_worst(&index, &worst));
            assert_int_equal(worst, a > b ? a : b);
        }
    }
}

static void a_finding_about_a_clock_makes_it_wrong(void **state)
{
    static const struct {
        enum tv_finding_kind kind;
        bool is_of[TV_CLOCK_COUNT];
    } rows[] = {{TV_FINDING_UNIT_SUSPECT, {true, false}},
                {TV_FINDING_CLOCK_BACKWARDS, {true, false}},
                {TV_FINDING_CPU_CLOCK_BACKWARDS, {false, true}},
                {TV_FINDING_CLOCK_TOO_FAR, {true, true}},
                {TV_FINDING_CLOCK_WRAPPED, {false, false}}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            struct tv_index_info info = {.unit_ns = 1000};
            const struct tv_index index = {.info = &info};
            enum tv_finding_kind kind = TV_FINDING_KIND_COUNT;
            info.findings.of[rows[i].kind].count = 1;
            assert_false(tv_health_doubts(&index, (enum tv_clock)clock, &kind));
            info.has_clock[clock] = 1;
            assert_int_equal(tv_health_doubts(&index, (enum tv_clock)clock, &kind),
                             rows[i].is_of[clock]);
            if (rows[i].is_of[clock])
                assert_int_equal(kind, rows[i].kind);
        }
    }
}

static void the_first_of_the_worst_findings_disqualifies(void **state)
{
    (void)state;
    struct tv_index_info info = {.unit_ns = 1000};
    const struct tv_index index = {.info = &info};
    enum tv_finding_kind kind;
    assert_false(tv_health_disqualifies(&index, &kind));
    info.findings.of[TV_FINDING_OPEN_AT_END].count = 7;
    assert_false(tv_health_disqualifies(&index, &kind));
    info.findings.of[TV_FINDING_UNIT_SUSPECT].count = 1;
    assert_true(tv_health_disqualifies(&index, &kind));
    assert_int_equal(kind, TV_FINDING_UNIT_SUSPECT);
    info.findings.of[TV_FINDING_OVERFLOW].count = 1;
    info.findings.of[TV_FINDING_MISSING_RECORDS].count = 1;
    assert_true(tv_health_disqualifies(&index, &kind));
    assert_int_equal(kind, TV_FINDING_MISSING_RECORDS);
}

static void overflow_tells_what_is_missing_and_what_would_have_held_it(void **state)
{
    (void)state;
    struct tv_index_info info = overflowed();
    struct tv_overflow overflow;
    assert_true(has_overflow(&info, &overflow));
    assert_int_equal(overflow.run_ns, 4000000000);
    assert_int_equal(overflow.missing_ns, 3000000000);
    assert_int_equal(overflow.buffer_len, 13 * MEBIBYTE); /* 12, and the rest of one */
    info.file_len = 3 * MEBIBYTE - 1;
    assert_true(has_overflow(&info, &overflow));
    assert_int_equal(overflow.buffer_len, 12 * MEBIBYTE);
}

static void overflow_needs_the_length_of_the_run(void **state)
{
    (void)state;
    struct tv_overflow overflow;
    struct tv_index_info infos[7];
    for (size_t i = 0; i < 7; i++)
        infos[i] = overflowed();
    infos[0].findings.of[TV_FINDING_OVERFLOW].count = 0; /* it ended for another reason */
    infos[1].has_elapsed = 0;
    infos[2].has_common_axis = 0;
    infos[3].has_clock[TV_CLOCK_WALL] = 0;
    infos[4].axis_len = 0;
    infos[5].axis_len = 4000000; /* all of the run */
    infos[6].file_len = UINT64_MAX / 2;
    for (size_t i = 0; i < 7; i++)
        assert_false(has_overflow(&infos[i], &overflow));
    infos[5].axis_len--;
    assert_true(has_overflow(&infos[5], &overflow));
    assert_int_equal(overflow.missing_ns, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worst_finding_decides),
        cmocka_unit_test(a_finding_about_a_clock_makes_it_wrong),
        cmocka_unit_test(the_first_of_the_worst_findings_disqualifies),
        cmocka_unit_test(overflow_tells_what_is_missing_and_what_would_have_held_it),
        cmocka_unit_test(overflow_needs_the_length_of_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
