/* Which benchmark a trace is of. */
#include "compare/benchmark.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/failing_alloc.h"

/* "FILE=NAME " of each trace that a JSON names; "!" where it is refused. */
static void expect_traces(const char *json, const char *expected)
{
    struct tv_benchmark_traces traces;
    char got[512] = "";
    size_t len = 0;
    tv_benchmark_traces_init(&traces, tv_alloc_libc());
    if (tv_benchmark_traces_read(&traces, tv_str_from(json), NULL) != TV_OK)
        len += (size_t)snprintf(got, sizeof(got), "!");
    for (size_t i = 0; i < traces.count; i++)
        len += (size_t)snprintf(got + len, sizeof(got) - len, "%.*s=%.*s ",
                                (int)traces.of[i].file.len, traces.of[i].file.at,
                                (int)traces.of[i].name.len, traces.of[i].name.at);
    if (strcmp(got, expected) != 0)
        fail_msg("%s: %s, expected %s", json, got, expected);
    tv_benchmark_traces_release(&traces);
}

#define OUTPUT(type, file) "{\"type\":\"" type "\",\"label\":\"x\",\"filename\":\"" file "\"}"

static void method_traces_are_of_their_benchmark(void **state)
{
    (void)state;
    expect_traces(
        "{\"context\":{\"build\":{\"model\":\"Pixel 6\"}},\"benchmarks\":[{\"name\":\"start[x=1]\","
        "\"params\":{\"x\":\"1\"},\"className\":\"a.B\",\"metrics\":{\"timeNs\":{\"runs\":[1,2]}},"
        "\"profilerOutputs\":[" OUTPUT("MethodTrace", "one.trace") "," OUTPUT(
            "PerfettoTrace", "x.perfetto-trace") "," OUTPUT("MethodTrace",
                                                            "two.trace") "]},"
                                                                         "{\"name\":\"none\"}]}",
        "one.trace=a.B.start[x=1] two.trace=a.B.start[x=1] ");
    /* Members in another order; a name alone; escapes. */
    expect_traces("{\"benchmarks\":[{\"profilerOutputs\":[{\"filename\":\"\\u0061\\n\",\"type\":"
                  "\"MethodTrace\"}],\"name\":\"n\"}]}",
                  "a\n=n ");
    expect_traces("{\"benchmarks\":[]}", "");
    expect_traces("{\"benchmarks\":[1,[],{\"profilerOutputs\":7},{\"profilerOutputs\":[1,{}]},"
                  "{\"className\":[],\"name\":{}}]}",
                  "");
}

static void what_is_no_such_json_names_nothing(void **state)
{
    (void)state;
    expect_traces("", "!");
    expect_traces("[]", "!");
    expect_traces("{}", "!");
    expect_traces("{\"benchmarks\":{}}", "!");
    expect_traces("{\"benchmarks\":[{\"name\":\"n\",\"profilerOutputs\":[" OUTPUT("MethodTrace",
                                                                                  "one.trace") "]}",
                  "!");
    expect_traces("{\"benchmarks\":[{\"name\":\"\\x\"}]}", "!");
    expect_traces("{\"benchmarks\":[]} {}", "!");
}

static void expect_name(const char *path, const char *expected)
{
    struct tv_str name = tv_benchmark_of_path(tv_str_from(path));
    if (!tv_str_equal(name, tv_str_from(expected)))
        fail_msg("%s: %.*s, expected %s", path, (int)name.len, name.at, expected);
}

static void runs_of_a_benchmark_have_one_name(void **state)
{
    (void)state;
    expect_name("d/StartBenchmark_start-methodTracing-2026-11-24-12-00-00.trace",
                "d/StartBenchmark_start");
    expect_name("Bench_sort_10-methodTracing-2026-11-24-12-00-00.trace", "Bench_sort_10");
    expect_name("Bench_sort_1000-methodTracing-2026-11-24-12-00-00.trace.gz", "Bench_sort_1000");
    expect_name("Start_start_iter003-methodTracing-2026-11-24-12-00-00.trace", "Start_start");
    expect_name("start_iter003_2026-11-24.trace", "start");
    expect_name("StartBenchmark_start_iter003.trace", "StartBenchmark_start");
    expect_name("start-1.trace.gz", "start");
    expect_name("start.run2.trace.zst", "start");
    expect_name("start 12.trace", "start");
    expect_name("sha256.trace", "sha256");
    expect_name("dir/7.trace", "dir/7");
    expect_name("7.trace", "7");
    expect_name("dir/-7.trace", "dir/-7");
    expect_name("-methodTracing-1.trace", "-methodTracing");
    expect_name("d.d/start-2026-11-24.trace", "d.d/start");
    expect_name("start_2026-11-24T12-00-00.trace.gz", "start");
    expect_name("start-2026-11-24-12-00-00.trace", "start");
    expect_name("start-3-2026-11-24.trace", "start-3");
    expect_name("2026-11-24.trace", "2026-11-24");
    expect_name("d/-2026-11-24.trace", "d/-2026-11-24");
    expect_name("start-12026-11-24.trace", "start-12026-11");
    expect_name("start-2026-11-245.trace", "start-2026-11");
    expect_name("start-2026-11.trace", "start-2026");
    expect_name("start.trace", "start");
    expect_name("iter1.trace", "iter1");
    expect_name("x-methodTracing-a.trace", "x-methodTracing-a");
    expect_name("", "");
}

static void numbers_of_names_count_by_their_value(void **state)
{
    (void)state;
    static const char *const names[] = {"",
                                        "1.trace",
                                        "a-01.trace",
                                        "a-1.trace",
                                        "a-2.trace",
                                        "a-2.trace.gz",
                                        "a-10.trace",
                                        "a-2026.1.trace",
                                        "a-2026.2.trace",
                                        "a-99999999999999999999999.trace",
                                        "b"};
    for (size_t i = 0; i < TV_COUNT_OF(names); i++) {
        for (size_t k = 0; k < TV_COUNT_OF(names); k++) {
            const int order = tv_trace_names_compare(tv_str_from(names[i]), tv_str_from(names[k]));
            if ((order > 0) - (order < 0) != (i > k) - (i < k))
                fail_msg("%s beside %s: %d", names[i], names[k], order);
        }
    }
}

static void a_stem_has_no_ending(void **state)
{
    (void)state;
    static const char *const names[] = {"d/a.trace", "d/a.trace.gz", "d/a.trace.zst", "d/a"};
    for (size_t i = 0; i < TV_COUNT_OF(names); i++)
        assert_true(tv_str_equal(tv_trace_stem(tv_str_from(names[i])), TV_STR("d/a")));
}

static void files_are_known_by_their_names(void **state)
{
    (void)state;
    assert_true(tv_is_benchmark_data(TV_STR("a/com.example.test-benchmarkData.json")));
    assert_true(tv_is_benchmark_data(TV_STR("BenchmarkData.json")));
    assert_false(tv_is_benchmark_data(TV_STR("data.json")));
    assert_true(tv_is_trace_name(TV_STR("a.trace.zst")));
    assert_false(tv_is_trace_name(TV_STR("a.perfetto-trace")));
}

static void memory_that_is_refused_is_told(void **state)
{
    bool has_failed = true;
    (void)state;
    for (uint64_t fail_at = 0; has_failed; fail_at++) {
        struct failing_alloc failing;
        struct tv_benchmark_traces traces;
        failing_alloc_init(&failing, fail_at);
        tv_benchmark_traces_init(&traces, &failing.alloc);
        enum tv_code code = tv_benchmark_traces_read(
            &traces,
            TV_STR(
                "{\"benchmarks\":[{\"name\":\"n\",\"className\":\"c\",\"profilerOutputs\":[" OUTPUT(
                    "MethodTrace", "one.trace") "]}]}"),
            NULL);
        has_failed = failing.has_failed;
        assert_int_equal(code, has_failed ? TV_ERR_MEMORY : TV_OK);
        tv_benchmark_traces_release(&traces);
        assert_int_equal(failing.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(method_traces_are_of_their_benchmark),
        cmocka_unit_test(what_is_no_such_json_names_nothing),
        cmocka_unit_test(runs_of_a_benchmark_have_one_name),
        cmocka_unit_test(numbers_of_names_count_by_their_value),
        cmocka_unit_test(a_stem_has_no_ending),
        cmocka_unit_test(files_are_known_by_their_names),
        cmocka_unit_test(memory_that_is_refused_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
