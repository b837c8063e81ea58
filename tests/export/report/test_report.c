/* The reports of dmtracedump: laws over random traces, text by hand, comparisons. */
#include "export/report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/profile/profile.h"
#include "analysis/world.h"
#include "export/report/report_diff.h"
#include "export/report/report_text.h"
#include "support/failing_alloc.h"

#define SEEDS 60

/* A world and what is made of it. */
struct made {
    struct world w;
    struct tv_sums sums;
    struct tv_export_names names;
    struct tv_report report;
};

static void make_sums(struct made *made, const struct tv_selection *selection)
{
    tv_sums_init(&made->sums, tv_alloc_libc());
    tv_export_names_init(&made->names, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&made->sums, &made->w.index, selection, NULL, NULL), TV_OK);
    assert_int_equal(tv_export_names_make(&made->names, &made->w.index, TV_STR(""), NULL, NULL),
                     TV_OK);
}

static void make(struct made *made, struct tv_report_opts opts)
{
    make_sums(made, &(struct tv_selection){.has_range = false});
    tv_report_init(&made->report, tv_alloc_libc());
    assert_int_equal(tv_report_make(&made->report, &made->sums, &made->names, &opts, NULL), TV_OK);
}

static void release(struct made *made)
{
    tv_report_release(&made->report);
    tv_export_names_release(&made->names);
    tv_sums_release(&made->sums);
    world_release(&made->w);
}

/* main: run(0..100) calls Load(10..60), which calls run again (20..50); between, nothing until get
 * (120..130). worker: put (0..40). */
static void build_small(struct world *w)
{
    world_begin(w);
    world_enter(w, MAIN, 0, 0, 0);
    world_enter(w, WORKER, 3, 0, 0);
    world_enter(w, MAIN, 1, 10, 10);
    world_enter(w, MAIN, 0, 20, 20);
    world_leave(w, WORKER, 3, 40, 40);
    world_leave(w, MAIN, 0, 50, 50);
    world_leave(w, MAIN, 1, 60, 60);
    world_leave(w, MAIN, 0, 100, 100);
    world_enter(w, MAIN, 2, 120, 120);
    world_leave(w, MAIN, 2, 130, 130);
    world_end(w);
}

static const char small_text[] =
    "\n"
    "======================================================================\n"
    "Total cycles: 170\n"
    "\n"
    "Exclusive elapsed times for each method, not including time spent in\n"
    "children, sorted by exclusive time.\n"
    "\n"
    "    Usecs  self %  sum %  Method\n"
    "       80   47.06  47.06  [1] com.app.Main.run ()V\n"
    "       40   23.53  70.59  [3] com.lib.List.put (J)V\n"
    "       20   11.76  82.35  [0] (toplevel)\n"
    "       20   11.76  94.12  [2] com.app.Main.Load (I)V\n"
    "       10    5.88 100.00  [4] com.lib.List.get (I)J\n"
    "\n"
    "======================================================================\n"
    "\n"
    "Inclusive elapsed times for each method and its parents and children,\n"
    "sorted by inclusive time.\n"
    "\n"
    "index  %/total %/self  index     calls         usecs name\n"
    "----------------------------------------------------\n"
    "[0]    100.0%                     0+0            170 (toplevel)\n"
    "                11.8%   excl                      20\n"
    "                58.8%    [1]      1/2            100 com.app.Main.run ()V\n"
    "                23.5%    [3]      1/1             40 com.lib.List.put (J)V\n"
    "                 5.9%    [4]      1/1             10 com.lib.List.get (I)J\n"
    "----------------------------------------------------\n"
    "               100.0%    [0]      1/2            100 (toplevel)\n"
    "               +++++++++++++++++++++++++\n"
    "                         [2]      1/2             30 com.app.Main.Load (I)V\n"
    "[1]     58.8%                     1+1            100 com.app.Main.run ()V\n"
    "                50.0%   excl                      50\n"
    "                50.0%    [2]      1/1             50 com.app.Main.Load (I)V\n"
    "----------------------------------------------------\n"
    "               100.0%    [1]      1/1             50 com.app.Main.run ()V\n"
    "[2]     29.4%                     1+0             50 com.app.Main.Load (I)V\n"
    "                40.0%   excl                      20\n"
    "                60.0%    [1]      1/2             30 com.app.Main.run ()V\n"
    "----------------------------------------------------\n"
    "               100.0%    [0]      1/1             40 (toplevel)\n"
    "[3]     23.5%                     1+0             40 com.lib.List.put (J)V\n"
    "               100.0%   excl                      40\n"
    "----------------------------------------------------\n"
    "               100.0%    [0]      1/1             10 (toplevel)\n"
    "[4]      5.9%                     1+0             10 com.lib.List.get (I)J\n"
    "               100.0%   excl                      10\n"
    "\n"
    "======================================================================\n"
    "\n"
    "Exclusive elapsed time for each class, summed over all the methods\n"
    "in the class.\n"
    "\n"
    "   Cycles %/total Cumul.%  Calls+Recur  Class\n"
    "---------------------------------------------\n"
    "      100    58.8    58.8      2+1      com.app.Main\n"
    "       80       100    80.0    80.0      1+1      [1] run ()V\n"
    "       20        50    20.0   100.0      1+0      [2] Load (I)V\n"
    "---------------------------------------------\n"
    "       50    29.4    88.2      2+0      com.lib.List\n"
    "       40        40    80.0    80.0      1+0      [3] put (J)V\n"
    "       10        10    20.0   100.0      1+0      [4] get (I)J\n"
    "\n"
    "======================================================================\n"
    "\n"
    "Exclusive elapsed time for each method, summed over all the classes\n"
    "that contain a method with the same name.\n"
    "\n"
    "   Cycles %/total Cumul.%  Calls+Recur  Method\n"
    "---------------------------------------------\n"
    "       80    47.1    47.1      1+1      run\n"
    "       80       100   100.0   100.0      1+1      [1] com.app.Main.run ()V\n"
    "---------------------------------------------\n"
    "       40    23.5    70.6      1+0      put\n"
    "       40        40   100.0   100.0      1+0      [3] com.lib.List.put (J)V\n"
    "---------------------------------------------\n"
    "       20    11.8    82.4      1+0      Load\n"
    "       20        50   100.0   100.0      1+0      [2] com.app.Main.Load (I)V\n"
    "---------------------------------------------\n"
    "       10     5.9    88.2      1+0      get\n"
    "       10        10   100.0   100.0      1+0      [4] com.lib.List.get (I)J\n"
    "        0         0     0.0   100.0      0+0      [5] java.util.Map.get (I)J\n";

static void expect_text(const struct tv_buffer *out, const char *wanted)
{
    char *text = malloc(out->len + 1);
    assert_non_null(text);
    memcpy(text, out->bytes, out->len);
    text[out->len] = '\0';
    assert_string_equal(text, wanted);
    free(text);
}

static void the_four_reports_have_the_old_columns(void **state)
{
    static struct made made;
    struct tv_buffer out;
    (void)state;
    build_small(&made.w);
    make(&made, (struct tv_report_opts){.clock = TV_CLOCK_CPU, .has_toplevel = true});
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(tv_report_write_text(&made.report, tv_buffer_sink(&out), NULL), TV_OK);
    expect_text(&out, small_text);
    tv_buffer_release(&out);
    release(&made);
}

/* What holds of a row, whatever the trace: its callers are its calls, and its callees and itself
 * its time. */
/* The worker ended before the range, and main is in a call all the while. */
static void a_thread_that_ended_before_the_range_took_nothing(void **state)
{
    (void)state;
    static struct made made;
    const struct tv_selection selection = {.has_range = true, .from_ns = 60000, .to_ns = 100000};
    const struct tv_report_opts opts = {.has_toplevel = true};
    build_small(&made.w);
    make_sums(&made, &selection);
    tv_report_init(&made.report, tv_alloc_libc());
    assert_int_equal(tv_report_make(&made.report, &made.sums, &made.names, &opts, NULL), TV_OK);
    assert_int_equal(made.report.total_ns[TV_CLOCK_WALL], 40000);
    release(&made);
}

static void check_row(const struct tv_report *report, uint32_t row_ix)
{
    const struct tv_report_row *row = &report->rows[row_ix];
    uint64_t calls[2] = {0, 0};
    for (size_t i = report->callers.first[row_ix]; i < report->callers.first[row_ix + 1]; i++) {
        assert_int_equal(report->callers.of[i].of, row_ix);
        calls[report->callers.of[i].is_recursive] += report->callers.of[i].calls;
    }
    if (row_ix < report->index->method_count) {
        assert_int_equal(calls[0], row->calls);
        assert_int_equal(calls[1], row->recursive_calls);
    }
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t inclusive_ns = row->outermost_exclusive_ns[clock];
        for (size_t i = report->callees.first[row_ix]; i < report->callees.first[row_ix + 1]; i++) {
            if (!report->callees.of[i].is_recursive)
                inclusive_ns += report->callees.of[i].inclusive_ns[clock];
        }
        assert_int_equal(inclusive_ns, row->inclusive_ns[clock]);
    }
}

static void check_groups(const struct tv_report *report, const struct tv_report_groups *groups)
{
    enum tv_clock clock = report->opts.clock;
    uint64_t sum_ns = 0;
    uint32_t members = 0;
    for (size_t i = 0; i < groups->count; i++) {
        uint64_t group_ns = 0;
        for (uint32_t k = 0; k < groups->of[i].count; k++)
            group_ns += report->rows[groups->members[groups->of[i].first + k]].exclusive_ns[clock];
        assert_int_equal(group_ns, groups->of[i].exclusive_ns[clock]);
        assert_true(!i || group_ns <= groups->of[i - 1].exclusive_ns[clock]);
        members += groups->of[i].count;
        sum_ns += group_ns;
    }
    assert_int_equal(members, report->index->method_count);
    assert_int_equal(sum_ns, report->total_ns[clock] -
                                 report->rows[report->row_count - 1].exclusive_ns[clock]);
}

static void all_calls_and_times_add_up(void **state)
{
    static struct made made;
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        struct tv_profile profile;
        world_any(&made.w, seed);
        make(&made, (struct tv_report_opts){.clock = seed % 2 ? TV_CLOCK_CPU : TV_CLOCK_WALL,
                                            .has_toplevel = true});
        const struct tv_report *report = &made.report;
        tv_profile_init(&profile, tv_alloc_libc());
        assert_int_equal(tv_profile_of_sums(&profile, &made.sums, NULL), TV_OK);
        for (uint32_t i = 0; i < report->row_count; i++) {
            check_row(report, i);
            assert_int_equal(report->rows[report->by_inclusive[i]].rank, i);
            if (i >= report->index->method_count)
                continue;
            const struct tv_method_row *row = &profile.rows[i];
            assert_memory_equal(report->rows[i].inclusive_ns, row->numbers.inclusive_ns,
                                sizeof(row->numbers.inclusive_ns));
            assert_memory_equal(report->rows[i].exclusive_ns, row->numbers.exclusive_ns,
                                sizeof(row->numbers.exclusive_ns));
        }
        check_groups(report, &report->classes);
        check_groups(report, &report->names);
        tv_profile_release(&profile);
        release(&made);
    }
}

static enum tv_code make_and_release(const struct tv_alloc *alloc, void *ctx)
{
    struct made *made = ctx;
    tv_report_init(&made->report, alloc);
    enum tv_code code = tv_report_make(&made->report, &made->sums, &made->names,
                                       &(struct tv_report_opts){.has_toplevel = true}, NULL);
    tv_report_release(&made->report);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    static struct made made;
    (void)state;
    world_any(&made.w, 5);
    make_sums(&made, &(struct tv_selection){.has_range = false});
    (void)failing_alloc_each(make_and_release, &made);
    release(&made);
}

static enum tv_code refuse(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    (void)ctx;
    (void)bytes;
    (void)len;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "full");
}

static void a_full_disk_is_told(void **state)
{
    static struct made made;
    struct tv_error err = {.code = TV_OK};
    (void)state;
    build_small(&made.w);
    make(&made, (struct tv_report_opts){.clock = TV_CLOCK_CPU, .has_toplevel = true});
    assert_int_equal(tv_report_write_text(&made.report, (struct tv_sink){.write = refuse}, &err),
                     TV_ERR_SYSTEM);
    assert_string_equal(err.text, "full");
    release(&made);
}

static void differences_are_signed_and_changes_are_of_run_1(void **state)
{
    static struct made before;
    static struct made after;
    const struct tv_report_opts opts = {.clock = TV_CLOCK_CPU, .has_toplevel = true};
    struct tv_report_diff diff;
    struct tv_buffer out;
    (void)state;
    build_small(&before.w);
    world_begin(&after.w);
    world_enter(&after.w, MAIN, 0, 0, 0);
    world_leave(&after.w, MAIN, 0, 40, 40);
    world_enter(&after.w, MAIN, 4, 40, 40);
    world_leave(&after.w, MAIN, 4, 90, 90);
    world_end(&after.w);
    make(&before, opts);
    make(&after, opts);
    tv_report_diff_init(&diff, tv_alloc_libc());
    assert_int_equal(tv_report_diff_make(&diff, &before.report, &after.report, NULL), TV_OK);
    assert_int_equal(diff.pair_count, 7); /* six methods and (toplevel) */
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(tv_report_diff_write_text(&diff, tv_buffer_sink(&out), NULL), TV_OK);
    expect_text(&out,
                "\n"
                "Exclusive\n"
                "  Run 1 (us)   Run 2 (us)    Diff (us)  Diff (%) 1: # calls 2: # calls  Method\n"
                "           0           50          +50         -          0          1  "
                "java.util.Map.get (I)J\n"
                "           0            0           +0         -          0          0  "
                "x.<init> ()V\n"
                "          10            0          -10   -100.00          1          0  "
                "com.lib.List.get (I)J\n"
                "          20            0          -20   -100.00          0          0  "
                "(toplevel)\n"
                "          20            0          -20   -100.00          1          0  "
                "com.app.Main.Load (I)V\n"
                "          80           40          -40    -50.00          1          1  "
                "com.app.Main.run ()V\n"
                "          40            0          -40   -100.00          1          0  "
                "com.lib.List.put (J)V\n"
                "\n"
                "Inclusive\n"
                "  Run 1 (us)   Run 2 (us)    Diff (us)  Diff (%) 1: # calls 2: # calls  Method\n"
                "           0           50          +50         -          0          1  "
                "java.util.Map.get (I)J\n"
                "           0            0           +0         -          0          0  "
                "x.<init> ()V\n"
                "          10            0          -10   -100.00          1          0  "
                "com.lib.List.get (I)J\n"
                "          40            0          -40   -100.00          1          0  "
                "com.lib.List.put (J)V\n"
                "          50            0          -50   -100.00          1          0  "
                "com.app.Main.Load (I)V\n"
                "         100           40          -60    -60.00          1          1  "
                "com.app.Main.run ()V\n"
                "         170           90          -80    -47.06          0          0  "
                "(toplevel)\n"
                "\n"
                "Run 1 methods not found in Run 2\n"
                "   Exclusive    Inclusive    # calls  Method\n"
                "\n"
                "Run 2 methods not found in Run 1\n"
                "   Exclusive    Inclusive    # calls  Method\n");
    tv_buffer_release(&out);
    tv_report_diff_release(&diff);
    release(&after);
    release(&before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_four_reports_have_the_old_columns),
        cmocka_unit_test(a_thread_that_ended_before_the_range_took_nothing),
        cmocka_unit_test(all_calls_and_times_add_up),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(differences_are_signed_and_changes_are_of_run_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
