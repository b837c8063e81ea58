/* Runs beside runs: which clock, which counts, and what is listed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compare/comparison.h"
#include "compare/made.h"
#include "support/failing_alloc.h"

/* Foo is called `calls` times, for `cost` microseconds each, and bar once for a thousand. */
static void make(struct made *made, unsigned calls, uint32_t cost)
{
    uint32_t at = 0;
    made_begin(made, NULL);
    for (unsigned i = 0; i < calls; i++) {
        made_call(made, FOO, at, at + cost);
        at += cost;
    }
    made_call(made, BAR, at, at + 1000);
    made_end(made);
}

static enum tv_code add_run(struct tv_comparison *comparison, size_t run, const struct made *made,
                            struct tv_run_part part, struct tv_error *err)
{
    struct tv_run_numbers numbers;
    tv_run_numbers_init(&numbers, comparison->alloc);
    enum tv_code code = tv_run_part_take(&part, &made->index, NULL, &numbers, err);
    if (code == TV_OK)
        code = tv_comparison_add(comparison, run, &made->index, &numbers, TV_STR("r"), err);
    tv_run_numbers_release(&numbers);
    return code;
}

static enum tv_code compare(struct tv_comparison *comparison, struct made *runs, size_t old_count,
                            size_t count, struct tv_comparison_opts opts, struct tv_error *err)
{
    opts.run_counts[TV_SIDE_OLD] = old_count;
    opts.run_counts[TV_SIDE_NEW] = count - old_count;
    TV_TRY(tv_comparison_begin(comparison, &opts, err));
    for (size_t i = 0; i < count; i++)
        TV_TRY(add_run(comparison, i, &runs[i], tv_run_part_all(), err));
    return tv_comparison_finish(comparison, err);
}

static const struct tv_comparison_opts usual = {.least = TV_COMPARED_LEAST};

static void one_run_a_side_decides_counts_and_samples_time(void **state)
{
    (void)state;
    struct made runs[2];
    struct tv_comparison of;
    make(&runs[0], 3, 1000);
    make(&runs[1], 5, 1000);
    tv_comparison_init(&of, tv_alloc_libc());
    assert_int_equal(compare(&of, runs, 1, 2, usual, NULL), TV_OK);
    assert_false(tv_comparison_is_tested(&of));
    assert_int_equal(of.clock, TV_CLOCK_CPU);
    assert_int_equal(tv_comparison_calls(&of, TV_SIDE_OLD), 4);
    assert_int_equal(tv_comparison_calls(&of, TV_SIDE_NEW), 6);
    assert_int_equal(tv_comparison_total(&of, TV_SIDE_NEW), 6000000);
    assert_int_equal(of.calls.count, 1);
    assert_int_equal(of.times.count, 1);
    assert_int_equal(of.open.count, 0);
    assert_int_equal(tv_change_ns(&of.changes.of[of.calls.of[0]]), 2000000);
    tv_comparison_release(&of);
    made_release(&runs[0]);
    made_release(&runs[1]);
}

static void several_runs_are_tested_and_rows_are_cut(void **state)
{
    (void)state;
    struct made runs[6];
    struct tv_comparison of;
    struct tv_comparison_opts opts = {.least = TV_COMPARED_LEAST, .most_rows = 1};
    for (unsigned i = 0; i < 6; i++)
        make(&runs[i], 3, (i < 3 ? 1000 : 4000) + i);
    tv_comparison_init(&of, tv_alloc_libc());
    assert_int_equal(compare(&of, runs, 3, 6, opts, NULL), TV_OK);
    assert_true(tv_comparison_is_tested(&of));
    assert_int_equal(of.calls.count, 0);
    assert_int_equal(of.times.count, 1);
    assert_int_equal(tv_comparison_shown(&of, &(struct tv_compared_list){.count = 7}), 1);
    opts.most_rows = 0;
    assert_int_equal(compare(&of, runs, 3, 6, opts, NULL), TV_OK);
    assert_int_equal(tv_comparison_shown(&of, &(struct tv_compared_list){.count = 7}), 7);
    tv_comparison_release(&of);
    for (unsigned i = 0; i < 6; i++)
        made_release(&runs[i]);
}

/* A call of a short name of a build, or of a name that its mapping gave. */
static void make_of_build(struct made *made, const char *methods, const char *properties)
{
    made_begin_with(made, methods, properties);
    made_call(made, FOO, 0, 5000);
    made_end(made);
}

static void expect_builds(const char *old_methods, const char *old_properties,
                          const char *new_methods, const char *new_properties, const char *why)
{
    struct made runs[4];
    struct tv_comparison of;
    for (unsigned i = 0; i < 4; i++)
        make_of_build(&runs[i], i < 2 ? old_methods : new_methods,
                      i < 2 ? old_properties : new_properties);
    tv_comparison_init(&of, tv_alloc_libc());
    assert_int_equal(compare(&of, runs, 2, 4, usual, NULL), TV_OK);
    assert_string_equal(of.no_counts.code == TV_OK ? "" : of.no_counts.text, why);
    assert_int_equal(of.lost.why.code, of.no_counts.code);
    assert_int_equal(of.tested_by.other_builds, *why != '\0');
    assert_int_equal(tv_comparison_is_tested(&of), !*why);
    if (*why) {
        assert_int_equal(of.calls.count + of.times.count + of.open.count, 0);
        assert_int_equal(of.changes.calls_count[TV_VERDICT_CHANGED], 0);
        assert_false(of.has_contexts);
    }
    tv_comparison_release(&of);
    for (unsigned i = 0; i < 4; i++)
        made_release(&runs[i]);
}

static void short_names_of_several_builds_are_not_compared(void **state)
{
    static const char abc[] = "0x4\ta.a\ta\t()V\tr8-map-id-abc\n";
    static const char def[] = "0x4\ta.a\ta\t()V\tr8-map-id-def\n";
    static const char plain[] = "0x4\tcom.ex.Foo\tload\t()V\tFoo.java\n";
    static const char both[] = "0x4\ta.a\ta\t()V\tr8-map-id-abc\n0x8\ta.b\ta\t()V\tr8-map-id-def\n";
    static const char mostly_abc[] = "0x4\ta.a\ta\t()V\tr8-map-id-def\n"
                                     "0x8\ta.b\ta\t()V\tr8-map-id-abc\n"
                                     "0xc\ta.c\ta\t()V\tr8-map-id-abc\n"
                                     "0x10\ta.d\ta\t()V\tr8-map-id-abc\n";
    static const char source[] = "method-names=source\n";
    (void)state;
    expect_builds(abc, "", abc, "", "");
    expect_builds(abc, source, def, source, "");
    expect_builds(plain, "", abc, "", "");
    expect_builds(both, "", abc, "", "");
    expect_builds(abc, "", def, "",
                  "has short names of build def, and another one short names of build abc: their "
                  "methods are matched by the mappings of both alone (--mappings FOLDER)");
    /* Some old methods that were matched by hand are called as the new ones. */
    expect_builds(mostly_abc, "", def, "",
                  "has short names of build def, and another one short names of build abc: their "
                  "methods are matched by the mappings of both alone (--mappings FOLDER)");
    expect_builds(abc, source, def, "",
                  "has short names of build def, and another one names of the source of build abc: "
                  "their methods are matched by the mappings of both alone (--mappings FOLDER)");
    expect_builds(abc, "", abc, source,
                  "has names of the source of build abc, and another one short names of build abc: "
                  "their methods are matched by the mappings of both alone (--mappings FOLDER)");
}

/* Foo computes for a millisecond and waits besides. */
static void make_waiting(struct made *made, uint32_t wait)
{
    made_begin(made, NULL);
    enter(&made->t, MAIN, FOO, 0);
    build_record(
        &made->t,
        (struct build_record){
            .thread = MAIN, .method = FOO, .action = LEAVE, .cpu = 1000, .wall = 1000 + wait});
    made_end(made);
}

static void who_waits_longer_has_the_cpu_time_it_had_and_another_wall_time(void **state)
{
    (void)state;
    struct made runs[6];
    struct tv_comparison of;
    struct tv_wall_change wall;
    for (unsigned i = 0; i < 6; i++)
        make_waiting(&runs[i], (i < 3 ? 2000 : 9000) + i);
    tv_comparison_init(&of, tv_alloc_libc());
    assert_int_equal(compare(&of, runs, 3, 6, usual, NULL), TV_OK);
    assert_int_equal(of.clock, TV_CLOCK_CPU);
    assert_int_equal(of.times.count, 0);
    assert_int_equal(tv_comparison_wall(&of, &wall, NULL), TV_OK);
    assert_int_equal(wall.changed, 1);
    assert_int_equal(wall.ns[TV_SIDE_OLD], 3001000);
    assert_int_equal(wall.ns[TV_SIDE_NEW], 10004000);
    /* Where wall time is compared it is no other one, and one run a side is no test. */
    const struct tv_comparison_opts asked = {
        .least = TV_COMPARED_LEAST, .has_clock = true, .clock = TV_CLOCK_WALL};
    assert_int_equal(compare(&of, runs, 3, 6, asked, NULL), TV_OK);
    assert_int_equal(of.times.count, 1);
    assert_int_equal(tv_comparison_wall(&of, &wall, NULL), TV_OK);
    assert_true(!wall.changed && !wall.method);
    assert_int_equal(compare(&of, &runs[2], 1, 2, usual, NULL), TV_OK);
    assert_int_equal(tv_comparison_wall(&of, &wall, NULL), TV_OK);
    assert_int_equal(wall.changed, 0);
    tv_comparison_release(&of);
    for (unsigned i = 0; i < 6; i++)
        made_release(&runs[i]);
}

static void the_most_typical_run_lies_nearest_to_the_medians(void **state)
{
    (void)state;
    static const uint32_t costs[] = {1000, 3000, 1300, 1700, 1700, 2000};
    struct made runs[6];
    struct tv_comparison of;
    for (unsigned i = 0; i < 6; i++)
        make(&runs[i], 3, costs[i]);
    tv_comparison_init(&of, tv_alloc_libc());
    assert_int_equal(compare(&of, runs, 3, 6, usual, NULL), TV_OK);
    assert_int_equal(tv_comparison_typical(&of, TV_SIDE_OLD), 2);
    assert_int_equal(of.runs[0].distance_ns, 900000);
    assert_int_equal(of.runs[1].distance_ns, 5100000);
    assert_int_equal(of.runs[2].distance_ns, 0);
    assert_int_equal(tv_comparison_typical(&of, TV_SIDE_NEW), 0);
    assert_int_equal(of.runs[5].distance_ns, 900000);
    bool has_time = false;
    for (size_t i = 0; i < of.join.count; i++)
        has_time = has_time || tv_comparison_run_time(&of, i, 4) == 5100000;
    assert_true(has_time);
    tv_comparison_release(&of);
    for (unsigned i = 0; i < 6; i++)
        made_release(&runs[i]);
}

static void a_clock_that_one_run_lacks_is_refused_or_left(void **state)
{
    (void)state;
    struct made runs[2];
    struct tv_comparison of;
    struct tv_index_info without;
    struct tv_error err = {.code = TV_OK};
    const struct tv_comparison_opts asked = {
        .least = 0.05, .has_clock = true, .clock = TV_CLOCK_CPU};
    make(&runs[0], 3, 1000);
    make(&runs[1], 3, 2000);
    without = *runs[1].index.info;
    without.has_clock[TV_CLOCK_CPU] = 0;
    runs[1].index.info = &without;
    tv_comparison_init(&of, tv_alloc_libc());
    assert_int_equal(compare(&of, runs, 1, 2, usual, NULL), TV_OK);
    assert_int_equal(of.clock, TV_CLOCK_WALL);
    assert_true(of.clocks.lacks[TV_CLOCK_CPU]);
    assert_int_equal(compare(&of, runs, 1, 2, asked, &err), TV_ERR_ARGUMENT);
    assert_string_equal(err.text, "r has no cpu clock; it is of the new side");
    without.has_clock[TV_CLOCK_WALL] = 0;
    assert_int_equal(compare(&of, runs, 1, 2, usual, &err), TV_ERR_UNSUPPORTED);
    tv_comparison_release(&of);
    made_release(&runs[0]);
    made_release(&runs[1]);
}

static void counts_of_samples_are_not_compared(void **state)
{
    (void)state;
    struct made runs[2];
    struct tv_comparison of;
    struct tv_index_info sampled;
    make(&runs[0], 3, 1000);
    make(&runs[1], 4, 1000);
    sampled = *runs[1].index.info;
    sampled.is_sampled = 1;
    runs[1].index.info = &sampled;
    tv_comparison_init(&of, tv_alloc_libc());
    assert_int_equal(compare(&of, runs, 1, 2, usual, NULL), TV_OK);
    assert_int_equal(of.no_counts.code, TV_ERR_UNSUPPORTED);
    assert_true(tv_str_equal(of.no_counts_of, TV_STR("r")));
    assert_int_equal(of.calls.count, 0);
    assert_false(of.has_contexts);
    tv_comparison_release(&of);
    made_release(&runs[0]);
    made_release(&runs[1]);
}

/* Of two runs a side the new ones are of samples, or all: a look misses short methods. What is
 * short may look like samples by chance. */
static void times_of_samples_are_not_tested_beside_those_of_calls(void **state)
{
    (void)state;
    static const struct {
        unsigned first_sampled;
        uint64_t records;
        bool is_mixed;
    } cases[] = {{2, 64, true}, {0, 64, false}, {2, 63, false}};
    for (size_t k = 0; k < TV_COUNT_OF(cases); k++) {
        struct made runs[4];
        struct tv_index_info sampled[4];
        struct tv_comparison of;
        for (unsigned i = 0; i < 4; i++) {
            make(&runs[i], 3, 2000 + i);
            sampled[i] = *runs[i].index.info;
            sampled[i].is_sampled = i >= cases[k].first_sampled;
            sampled[i].records = cases[k].records;
            runs[i].index.info = &sampled[i];
        }
        tv_comparison_init(&of, tv_alloc_libc());
        assert_int_equal(compare(&of, runs, 2, 4, usual, NULL), TV_OK);
        assert_true(of.tested_by.mixed_kinds == cases[k].is_mixed);
        assert_true(tv_comparison_is_tested(&of) == !cases[k].is_mixed);
        for (size_t i = 0; i < of.changes.count; i++)
            assert_true(of.changes.of[i].cause.by_calls_ns == 0);
        tv_comparison_release(&of);
        for (unsigned i = 0; i < 4; i++)
            made_release(&runs[i]);
    }
}

static void times_of_runs_that_lost_data_are_not_tested(void **state)
{
    (void)state;
    static const struct {
        enum tv_finding_kind kind;
        bool is_empty;
        const char *counts, *times;
    } cases[] = {
        {TV_FINDING_OVERFLOW, false,
         "has lost data (overflow), so its counts are not those of the program; 'traceview check' "
         "tells more",
         "has lost data (overflow), so its times are not those of the program"},
        {TV_FINDING_KIND_COUNT, true, "has no records, so it says nothing of the program",
         "has no records, so it says nothing of the program"}};
    struct made runs[4];
    for (unsigned i = 0; i < 4; i++)
        make(&runs[i], 3, 1000 + i);
    for (size_t i = 0; i < 2 * TV_COUNT_OF(cases); i++) {
        const size_t at = i < TV_COUNT_OF(cases) ? 1 : 3;
        const struct tv_index_info *whole = runs[at].index.info;
        struct tv_index_info odd = *whole;
        struct tv_comparison of;
        odd.is_sampled = 1; /* what is graver is told */
        if (cases[i % 2].is_empty)
            odd.records = 0;
        else
            odd.findings.of[cases[i % 2].kind].count = 1;
        runs[at].index.info = &odd;
        tv_comparison_init(&of, tv_alloc_libc());
        assert_int_equal(compare(&of, runs, 2, 4, usual, NULL), TV_OK);
        assert_string_equal(of.no_counts.text, cases[i % 2].counts);
        assert_string_equal(of.lost.why.text, cases[i % 2].times);
        assert_true(of.lost.is_on[TV_SIDE_OLD] == (at == 1) &&
                    of.lost.is_on[TV_SIDE_NEW] == (at == 3));
        assert_true(tv_comparison_has_runs(&of) && !tv_comparison_is_tested(&of));
        tv_comparison_release(&of);
        runs[at].index.info = whole;
    }
    for (unsigned i = 0; i < 4; i++)
        made_release(&runs[i]);
}

/* What was recorded is the least of what there was. Times of a part are those of a part, and where
 * calls were left out their callers have the time. */
static void a_part_of_the_calls_has_no_counts(void **state)
{
    (void)state;
    static const struct {
        const char *properties, *why, *why_no_times;
        bool left_out;
    } cases[] = {
        {"ring-bytes=65536\nring-is-full=true\n",
         "has a part of the run (its ring was full), so its counts are not those of the program",
         "has a part of the run (its ring was full), so its times are not "
         "those of the program",
         false},
        {"calls-left-out=7\nshort-calls-left-out=3\n",
         "has not all calls (short ones are left out), so its counts are not those of the program",
         NULL, true},
        {"depth-limit=1\n",
         "has not all calls (deep ones are left out), so its counts are not those of the program",
         NULL, true},
        {"ring-bytes=65536\nring-is-full=false\n", NULL, NULL, false},
        {"calls-left-out=7\n", NULL, NULL, false},
        {"depth-limit=2\n", NULL, NULL, false}};
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_lost_runs lost = {.why = {.code = TV_OK}};
        struct tv_changes_opts opts = {.clock = TV_CLOCK_CPU};
        struct tv_error err = {.code = TV_OK};
        struct made run;
        made_begin_with(&run, NULL, cases[i].properties);
        made_call(&run, FOO, 0, 1000);
        made_end(&run);
        const enum tv_code code = tv_run_counts_check(&run.index, &err);
        assert_int_equal(code, cases[i].why ? TV_ERR_UNSUPPORTED : TV_OK);
        if (cases[i].why)
            assert_string_equal(err.text, cases[i].why);
        tv_lost_runs_note(&lost, &run.index, TV_SIDE_NEW, TV_STR("r"));
        tv_lost_runs_put(&lost, &opts);
        assert_true(opts.no_counts[TV_SIDE_NEW] == (cases[i].why != NULL) &&
                    opts.counts_least[TV_SIDE_NEW] == (cases[i].why != NULL) &&
                    opts.lost_data[TV_SIDE_NEW] == (cases[i].why_no_times != NULL) &&
                    opts.left_out[TV_SIDE_NEW] == cases[i].left_out);
        if (cases[i].why_no_times)
            assert_string_equal(lost.why.text, cases[i].why_no_times);
        tv_lost_runs_note_text(&lost, TV_STR("looks sampled: whatever"), TV_SIDE_NEW, TV_STR("r"));
        tv_lost_runs_put(&lost, &opts);
        assert_true(opts.no_counts[TV_SIDE_NEW] && !opts.counts_least[TV_SIDE_NEW]);
        made_release(&run);
    }
}

/* What was open before is entered where the ring begins; a call from there on is there as a whole.
 */
static void a_call_of_a_full_ring_is_whole(void **state)
{
    (void)state;
    struct made run;
    made_begin_with(&run, NULL, "ring-bytes=65536\nring-is-full=true\n");
    enter(&run.t, MAIN, FOO, 100);
    made_call(&run, BAR, 1200, 2000);
    leave(&run.t, MAIN, FOO, 3000);
    made_end(&run);
    for (uint64_t call = 0; call < 2; call++) {
        const struct tv_call_ref ref = {.call = call};
        struct tv_comparison of;
        tv_comparison_init(&of, tv_alloc_libc());
        assert_int_equal(
            tv_comparison_begin(&of, &(struct tv_comparison_opts){{1, 1}, .least = 0.05}, NULL),
            TV_OK);
        for (size_t i = 0; i < 2; i++)
            assert_int_equal(
                tv_comparison_add_call(&of, i, &run.index, ref, NULL, TV_STR("r"), NULL), TV_OK);
        assert_int_equal(tv_comparison_finish(&of, NULL), TV_OK);
        assert_int_equal(of.no_counts.code, call ? TV_OK : TV_ERR_UNSUPPORTED);
        assert_int_equal(of.lost.why.code, call ? TV_OK : TV_ERR_UNSUPPORTED);
        tv_comparison_release(&of);
    }
    made_release(&run);
}

/* Which side it is that lacks something, and what an even number of runs has in the middle. */
static void each_side_has_its_own_data(void **state)
{
    (void)state;
    struct made runs[4];
    struct tv_comparison of;
    for (unsigned i = 0; i < 4; i++)
        make(&runs[i], i < 2 ? 3 : 2 * i, 1000);
    const struct tv_index_info *whole = runs[1].index.info;
    struct tv_index_info odd = *whole;
    odd.has_clock[TV_CLOCK_CPU] = 0;
    odd.findings.of[TV_FINDING_UNIT_SUSPECT].count = 1;
    runs[1].index.info = &odd;
    tv_comparison_init(&of, tv_alloc_libc());
    assert_int_equal(compare(&of, runs, 2, 4, usual, NULL), TV_OK);
    assert_true(of.clocks.lacks[TV_CLOCK_CPU] && !of.new_clocks.lacks[TV_CLOCK_CPU]);
    assert_int_equal(of.clock, TV_CLOCK_WALL);
    assert_true(of.lost.odd_wall[TV_SIDE_OLD] && !of.lost.odd_wall[TV_SIDE_NEW]);
    assert_false(of.lost.no_counts[TV_SIDE_OLD] || of.lost.is_on[TV_SIDE_OLD]);
    assert_false(tv_comparison_is_tested(&of));
    assert_string_equal(of.lost.why.text,
                        "has wall times that are less than they were (unit_suspect)");
    assert_int_equal(tv_comparison_calls(&of, TV_SIDE_OLD), 4);
    assert_int_equal(tv_comparison_calls(&of, TV_SIDE_NEW), 6); /* 5 and 7 */
    assert_int_equal(tv_comparison_total(&of, TV_SIDE_NEW), 6000000);
    odd.has_clock[TV_CLOCK_CPU] = 1;
    assert_int_equal(compare(&of, runs, 2, 4, usual, NULL), TV_OK);
    assert_true(of.clock == TV_CLOCK_CPU && tv_comparison_is_tested(&of));
    assert_int_equal(of.lost.why.code, TV_OK);
    tv_comparison_release(&of);
    runs[1].index.info = whole;
    for (unsigned i = 0; i < 4; i++)
        made_release(&runs[i]);
}

/* A wall clock that falls makes no CPU time too short. */
static void cpu_times_are_doubted_for_falls_of_their_own_clock(void **state)
{
    (void)state;
    static const enum tv_finding_kind kinds[] = {TV_FINDING_CLOCK_BACKWARDS,
                                                 TV_FINDING_CPU_CLOCK_BACKWARDS};
    struct made run;
    make(&run, 3, 1000);
    const struct tv_index_info *whole = run.index.info;
    for (size_t i = 0; i < TV_COUNT_OF(kinds); i++) {
        struct tv_lost_runs lost = {.why = {.code = TV_OK}};
        struct tv_index_info odd = *whole;
        odd.findings.of[kinds[i]].count = 1;
        run.index.info = &odd;
        tv_lost_runs_note(&lost, &run.index, TV_SIDE_NEW, TV_STR("a"));
        assert_true(lost.fell_back[TV_SIDE_NEW] == (kinds[i] == TV_FINDING_CPU_CLOCK_BACKWARDS));
        assert_false(lost.fell_back[TV_SIDE_OLD]);
        run.index.info = whole;
    }
    made_release(&run);
}

/* As a database keeps it. */
static void a_text_tells_whether_data_was_lost(void **state)
{
    (void)state;
    struct tv_lost_runs lost = {.why = {.code = TV_OK}};
    static const char *const others[] = {
        "", "looks sampled: its counts are runs of samples, and no calls", "has lost data"};
    for (size_t i = 0; i < TV_COUNT_OF(others); i++)
        tv_lost_runs_note_text(&lost, tv_str_from(others[i]), TV_SIDE_NEW, TV_STR("a"));
    assert_true(!lost.is_on[TV_SIDE_NEW] && lost.why.code == TV_OK);
    tv_lost_runs_note_text(&lost, TV_STR("has lost data (x), so"), TV_SIDE_NEW, TV_STR("b"));
    tv_lost_runs_note_text(&lost, TV_STR("has no records, so"), TV_SIDE_OLD, TV_STR("c"));
    assert_true(lost.is_on[TV_SIDE_OLD] && lost.is_on[TV_SIDE_NEW]);
    assert_true(tv_str_equal(lost.of, TV_STR("b")));
    assert_string_equal(lost.why.text,
                        "has lost data (x), so its times are not those of the program");
}

/* Between two methods no range of time tells the calls of a context apart. */
static void contexts_are_those_of_a_part(void **state)
{
    (void)state;
    struct made runs[2];
    struct tv_comparison of;
    struct tv_run_part part = tv_run_part_all();
    make(&runs[0], 3, 1000);
    make(&runs[1], 5, 1000);
    tv_comparison_init(&of, tv_alloc_libc());
    assert_int_equal(compare(&of, runs, 1, 2, usual, NULL), TV_OK);
    assert_true(of.has_contexts);
    assert_int_equal(of.contexts.count, 2);
    assert_int_equal(of.moves.began_count, 1);
    assert_int_equal(of.contexts.of[of.moves.began[0]].sides[TV_SIDE_NEW].most_calls, 5);
    for (uint32_t i = 0; i < runs[0].index.method_count; i++) {
        part.first = runs[0].index.methods[i].id == FOO ? i : part.first;
        part.until = runs[0].index.methods[i].id == BAR ? i : part.until;
    }
    assert_int_equal(
        tv_comparison_begin(&of, &(struct tv_comparison_opts){{1, 1}, .least = 0.05}, NULL), TV_OK);
    assert_int_equal(add_run(&of, 0, &runs[0], part, NULL), TV_OK);
    assert_int_equal(add_run(&of, 1, &runs[1], part, NULL), TV_OK);
    assert_int_equal(tv_comparison_finish(&of, NULL), TV_OK);
    assert_false(of.has_contexts);
    assert_int_equal(of.calls.count, 1);
    tv_comparison_release(&of);
    made_release(&runs[0]);
    made_release(&runs[1]);
}

static void memory_that_is_refused_is_told(void **state)
{
    (void)state;
    struct made runs[4];
    bool has_failed = true;
    for (unsigned i = 0; i < 4; i++)
        make(&runs[i], 3 + i / 2, 1000 + i);
    for (uint64_t fail_at = 0; has_failed; fail_at++) {
        struct failing_alloc failing;
        struct tv_comparison of;
        failing_alloc_init(&failing, fail_at);
        tv_comparison_init(&of, &failing.alloc);
        enum tv_code code = compare(&of, runs, 2, 4, usual, NULL);
        has_failed = failing.has_failed;
        assert_int_equal(code, has_failed ? TV_ERR_MEMORY : TV_OK);
        tv_comparison_release(&of);
        assert_int_equal(failing.live, 0);
    }
    for (unsigned i = 0; i < 4; i++)
        made_release(&runs[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_run_a_side_decides_counts_and_samples_time),
        cmocka_unit_test(several_runs_are_tested_and_rows_are_cut),
        cmocka_unit_test(short_names_of_several_builds_are_not_compared),
        cmocka_unit_test(who_waits_longer_has_the_cpu_time_it_had_and_another_wall_time),
        cmocka_unit_test(the_most_typical_run_lies_nearest_to_the_medians),
        cmocka_unit_test(a_clock_that_one_run_lacks_is_refused_or_left),
        cmocka_unit_test(counts_of_samples_are_not_compared),
        cmocka_unit_test(times_of_samples_are_not_tested_beside_those_of_calls),
        cmocka_unit_test(times_of_runs_that_lost_data_are_not_tested),
        cmocka_unit_test(a_part_of_the_calls_has_no_counts),
        cmocka_unit_test(a_call_of_a_full_ring_is_whole),
        cmocka_unit_test(each_side_has_its_own_data),
        cmocka_unit_test(cpu_times_are_doubted_for_falls_of_their_own_clock),
        cmocka_unit_test(a_text_tells_whether_data_was_lost),
        cmocka_unit_test(contexts_are_those_of_a_part),
        cmocka_unit_test(memory_that_is_refused_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
