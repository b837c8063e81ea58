/* Lines of HotSpot's log of safepoints. */
#include "jvm/safepoint_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void check(const char *line, const char *reason, uint64_t begin_ns, uint64_t reached_ns,
                  uint64_t end_ns)
{
    struct tv_safepoint safepoint;
    assert_true(tv_safepoint_read(line, &safepoint));
    assert_string_equal(safepoint.reason, reason);
    assert_true(safepoint.begin_ns == begin_ns);
    assert_true(safepoint.reached_ns == reached_ns);
    assert_true(safepoint.end_ns == end_ns);
}

static void lines_of_two_versions_are_read(void **state)
{
    (void)state;
    /* Java 17. */
    check("[16848561333007ns] Safepoint \"Cleanup\", Time since last: 1027909163 ns, Reaching "
          "safepoint: 9036682 ns, Cleanup: 118873 ns, At safepoint: 16200 ns, Total: 9171755 ns",
          "Cleanup", 16848561333007 - 9171755, 16848561333007 - 9171755 + 9036682, 16848561333007);
    /* Java 25. */
    check("[16870992454012ns] Safepoint \"G1CollectForAllocation\", Time since last: 10530330572 "
          "ns, Reaching safepoint: 7385 ns, At safepoint: 228383565 ns, Leaving safepoint: 4138 "
          "ns, Total: 228395088 ns, Threads: 0 runnable, 10 total",
          "G1CollectForAllocation", 16870992454012 - 228395088, 16870992454012 - 228395088 + 7385,
          16870992454012);
}

static void other_lines_are_left_out(void **state)
{
    static const char *const lines[] = {
        "",
        "[",
        "[5ns]",
        "[5ns] Safepoint \"",
        "[5ns] Safepoint \"\", Reaching safepoint: 1 ns, Total: 2 ns",
        "[5ns] Safepoint \"Halt, Reaching safepoint: 1 ns, Total: 2 ns",
        "[5ns] Safepoint \"Halt\", Reaching safepoint: 1 ns",
        "[5ns] Safepoint \"Halt\", Total: 2 ns",
        "[5ns] Safepoint \"Halt\", Reaching safepoint: 3 ns, Total: 2 ns",
        "[5ns] Safepoint \"Halt\", Reaching safepoint: 1 ns, Total: 6 ns",
        "[5ns] Safepoint \"Halt\", Reaching safepoint: -1 ns, Total: 2 ns",
        "[5ns] Safepoint \"Halt\", Reaching safepoint: 1 ms, Total: 2 ns",
        "[5s] Safepoint \"Halt\", Reaching safepoint: 1 ns, Total: 2 ns",
        "[99999999999999999999ns] Safepoint \"Halt\", Reaching safepoint: 1 ns, Total: 2 ns",
        "[5ns] Safepoint \"Halt\", Reaching safepoint: 1 ns, Total: 99999999999999999999 ns",
        /* Java 11 has several lines for each. */
        "[5ns] Leaving safepoint region",
        "[5ns] Total time for which application threads were stopped: 0.0002 seconds",
    };
    struct tv_safepoint safepoint;
    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        if (tv_safepoint_read(lines[i], &safepoint))
            fail_msg("%s", lines[i]);
    }
}

static void a_part_of_a_line_is_none(void **state)
{
    static const char whole[] = "[50ns] Safepoint \"Halt\", Reaching safepoint: 1 ns, Total: 2 ns";
    struct tv_safepoint safepoint;
    char part[sizeof(whole)];
    (void)state;
    for (size_t len = 0; len < sizeof(whole) - 1; len++) {
        (void)snprintf(part, sizeof(part), "%.*s", (int)len, whole);
        assert_false(tv_safepoint_read(part, &safepoint));
    }
    check(whole, "Halt", 48, 49, 50);
}

static void a_long_reason_is_cut(void **state)
{
    char line[4 * TV_SAFEPOINT_REASON_CAP];
    char name[2 * TV_SAFEPOINT_REASON_CAP];
    struct tv_safepoint safepoint;
    (void)state;
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    (void)snprintf(line, sizeof(line),
                   "[50ns] Safepoint \"%s\", Reaching safepoint: 1 ns, Total: 2 ns", name);
    assert_true(tv_safepoint_read(line, &safepoint));
    assert_int_equal(strlen(safepoint.reason), TV_SAFEPOINT_REASON_CAP - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_two_versions_are_read),
        cmocka_unit_test(other_lines_are_left_out),
        cmocka_unit_test(a_part_of_a_line_is_none),
        cmocka_unit_test(a_long_reason_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
