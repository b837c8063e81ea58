/* pprof profiles: a small trace by hand, names and depths at their limits. Readers of others see
 * the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/error.h"
#include "export/export_context.h"
#include "export/formats.h"
#include "export/message_dump.h"
#include "export/probe.h"

/* What of proto/profile.proto is used. */
static const struct shape value_type[] = {
    {1, "type", SHAPE_NUMBER, NULL}, {2, "unit", SHAPE_NUMBER, NULL}, {0, NULL, 0, NULL}};
static const struct shape label[] = {{1, "key", SHAPE_NUMBER, NULL},
                                     {2, "str", SHAPE_NUMBER, NULL},
                                     {3, "num", SHAPE_NUMBER, NULL},
                                     {0, NULL, 0, NULL}};
static const struct shape sample[] = {{1, "location_id", SHAPE_PACKED, NULL},
                                      {2, "value", SHAPE_PACKED, NULL},
                                      {3, "label", SHAPE_MESSAGE, label},
                                      {0, NULL, 0, NULL}};
static const struct shape mapping[] = {{1, "id", SHAPE_NUMBER, NULL},
                                       {5, "filename", SHAPE_NUMBER, NULL},
                                       {7, "has_functions", SHAPE_NUMBER, NULL},
                                       {8, "has_filenames", SHAPE_NUMBER, NULL},
                                       {9, "has_line_numbers", SHAPE_NUMBER, NULL},
                                       {0, NULL, 0, NULL}};
static const struct shape line[] = {
    {1, "function_id", SHAPE_NUMBER, NULL}, {2, "line", SHAPE_NUMBER, NULL}, {0, NULL, 0, NULL}};
static const struct shape location[] = {{1, "id", SHAPE_NUMBER, NULL},
                                        {2, "mapping_id", SHAPE_NUMBER, NULL},
                                        {4, "line", SHAPE_MESSAGE, line},
                                        {0, NULL, 0, NULL}};
static const struct shape function[] = {
    {1, "id", SHAPE_NUMBER, NULL},          {2, "name", SHAPE_NUMBER, NULL},
    {3, "system_name", SHAPE_NUMBER, NULL}, {4, "filename", SHAPE_NUMBER, NULL},
    {5, "start_line", SHAPE_NUMBER, NULL},  {0, NULL, 0, NULL}};
static const struct shape profile[] = {{1, "sample_type", SHAPE_MESSAGE, value_type},
                                       {2, "sample", SHAPE_MESSAGE, sample},
                                       {3, "mapping", SHAPE_MESSAGE, mapping},
                                       {4, "location", SHAPE_MESSAGE, location},
                                       {5, "function", SHAPE_MESSAGE, function},
                                       {6, "string", SHAPE_TEXT, NULL},
                                       {9, "time_nanos", SHAPE_NUMBER, NULL},
                                       {10, "duration_nanos", SHAPE_NUMBER, NULL},
                                       {13, "comment", SHAPE_NUMBER, NULL},
                                       {14, "default_sample_type", SHAPE_NUMBER, NULL},
                                       {0, NULL, 0, NULL}};

static void test_profile(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 10, 1);
    world_enter(&w, MAIN, 2, 20, 2);
    world_leave(&w, MAIN, 2, 50, 9);
    world_enter(&w, MAIN, 0, 50, 9);
    world_leave(&w, MAIN, 0, 60, 10);
    world_leave(&w, MAIN, 0, 70, 11);
    world_enter(&w, WORKER, 5, 80, 0);
    world_leave(&w, WORKER, 5, 81, 0);
    world_end(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    probe_run(&w, &tv_export_pprof, &(struct probe_opts){.measure = TV_MEASURE_CPU}, &out);
    expect_message(
        tv_buffer_view(&out), profile,
        "string \n"
        "string wall\n"
        "string nanoseconds\n"
        "sample_type { type 1 unit 2 }\n"
        "string cpu\n"
        "string nanoseconds\n"
        "sample_type { type 3 unit 4 }\n"
        "string calls\n"
        "string count\n"
        "sample_type { type 5 unit 6 }\n"
        "default_sample_type 3\n"
        "duration_nanos 81000\n"
        "string probe.trace\n"
        "mapping { id 1 filename 7 has_functions 1 has_filenames 1 has_line_numbers 1 }\n"
        "string thread\n"
        "string tid\n"
        "string process\n"
        "string pid\n"
        "string main\n"
        "string com.app.Main.run\n"
        "string com.app.Main.run ()V\n"
        "string Main.java\n"
        "function { id 1 name 13 system_name 14 filename 15 start_line 10 }\n"
        "location { id 1 mapping_id 1 line { function_id 1 line 10 } }\n"
        "sample { location_id [1] value [20000 2000 1]"
        " label { key 8 str 12 } label { key 9 num 1 } }\n"
        "string com.lib.List.get\n"
        "string com.lib.List.get (I)J\n"
        "string List.java\n"
        "function { id 2 name 16 system_name 17 filename 18 start_line 30 }\n"
        "location { id 2 mapping_id 1 line { function_id 2 line 30 } }\n"
        "sample { location_id [2 1] value [30000 7000 1]"
        " label { key 8 str 12 } label { key 9 num 1 } }\n"
        "sample { location_id [1 1] value [10000 1000 1]"
        " label { key 8 str 12 } label { key 9 num 1 } }\n"
        "string worker\n"
        "string x.<init>\n"
        "string x.<init> ()V\n"
        "string x.java\n"
        "function { id 3 name 20 system_name 21 filename 22 start_line 60 }\n"
        "location { id 3 mapping_id 1 line { function_id 3 line 60 } }\n"
        "sample { location_id [3] value [1000 0 1]"
        " label { key 8 str 19 } label { key 9 num 2 } }\n");
    tv_buffer_release(&out);
    world_release(&w);
}

/* The lines of a dump that begin with a word. */
static unsigned count_lines(const struct tv_buffer *text, const char *word)
{
    struct tv_str rest = tv_buffer_view(text);
    struct tv_str one;
    unsigned count = 0;
    while (tv_str_split(&rest, '\n', &one))
        count += tv_str_starts_with(one, tv_str_from(word));
    return count;
}

static bool has_line(const struct tv_buffer *text, const char *wanted)
{
    struct tv_str rest = tv_buffer_view(text);
    struct tv_str one;
    while (tv_str_split(&rest, '\n', &one)) {
        if (tv_str_equal(one, tv_str_from(wanted)))
            return true;
    }
    return false;
}

/* What the samples of a part are to be, one a line: each stack walked up by itself. */
static struct tv_buffer expected;

static void expect_number(const char *before, uint64_t value)
{
    char text[64];
    int len = snprintf(text, sizeof(text), "%s%llu", before, (unsigned long long)value);
    assert_int_equal(tv_buffer_append(&expected, text, (size_t)len, NULL), TV_OK);
}

static void expect_sample(const struct tv_export_context *context, uint32_t node)
{
    const struct tv_sums *sums = &context->stacks.sums;
    const struct tv_numbers numbers = tv_sums_numbers(sums, node);
    if (!numbers.calls && !numbers.exclusive_ns[0] && !numbers.exclusive_ns[1])
        return;
    for (uint32_t at = node; at != TV_NONE; at = sums->parent[at])
        expect_number(at == node ? "sample { location_id [" : " ",
                      (uint64_t)context->index->methods[sums->method[at]].rank + 1);
    expect_number("] value [", numbers.exclusive_ns[TV_CLOCK_WALL]);
    expect_number(" ", numbers.exclusive_ns[TV_CLOCK_CPU]);
    expect_number(" ", numbers.calls);
    assert_int_equal(tv_buffer_append(&expected, "]\n", 2, NULL), TV_OK);
}

static enum tv_code expect_and_write(struct tv_export_context *context, struct tv_error *err)
{
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        struct tv_node_range nodes = tv_sums_nodes(&context->stacks.sums, i);
        if (tv_export_context_thread(context, i) == TV_NONE)
            continue;
        for (uint32_t node = nodes.first; node < nodes.end; node++)
            expect_sample(context, node);
    }
    return tv_export_pprof.write(context, err);
}

/* Compares the samples of a dump, up to their labels, with what is expected. */
static size_t compare_samples(const struct tv_buffer *text)
{
    struct tv_str rest = tv_buffer_view(text);
    struct tv_str wanted_rest = tv_buffer_view(&expected);
    struct tv_str found, wanted;
    size_t count = 0;
    while (tv_str_split(&rest, '\n', &found)) {
        if (!tv_str_starts_with(found, TV_STR("sample {")))
            continue;
        assert_true(tv_str_split(&wanted_rest, '\n', &wanted));
        if (!tv_str_starts_with(found, wanted))
            fail_msg("%.*s is not %.*s", (int)found.len, found.at, (int)wanted.len, wanted.at);
        count++;
    }
    assert_int_equal(wanted_rest.len, 0);
    return count;
}

/* The stacks of neighbours are made from each other: here against stacks walked up one by one. */
static void test_stacks_of_parts(void **state)
{
    (void)state;
    const struct tv_export checking = {.name = "checking", .write = expect_and_write};
    size_t count = 0;
    for (uint32_t seed = 0; seed < 20; seed++) {
        static struct world w;
        world_any(&w, seed);
        for (uint32_t part = 0; part < 20; part++) {
            struct probe_opts opts = probe_random(&w, seed * 20 + part);
            struct tv_buffer out;
            struct tv_buffer text;
            tv_buffer_init(&out, tv_alloc_libc());
            tv_buffer_init(&text, tv_alloc_libc());
            tv_buffer_init(&expected, tv_alloc_libc());
            probe_run(&w, &checking, &opts, &out);
            dump_message(tv_buffer_view(&out), profile, &text);
            count += compare_samples(&text);
            tv_buffer_release(&expected);
            tv_buffer_release(&text);
            tv_buffer_release(&out);
        }
        world_release(&w);
    }
    assert_true(count > 10000);
}

/* A part says in comments what it is not, and the duration is the part's. */
static void test_part(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    struct tv_buffer text;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 10, 1);
    world_enter(&w, MAIN, 2, 20, 2);
    world_leave(&w, MAIN, 2, 50, 9);
    world_end(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    tv_buffer_init(&text, tv_alloc_libc());
    probe_run(&w, &tv_export_pprof,
              &(struct probe_opts){
                  .from_ns = 25000, .to_ns = 45000, .levels = 1, .hidden = "java.", .match = "get"},
              &out);
    dump_message(tv_buffer_view(&out), profile, &text);
    assert_true(has_line(&text, "duration_nanos 20000"));
    assert_true(has_line(&text, "string a part of the trace: from 0.025 to 0.045 ms, stacks with "
                                "get, without java., 1 level of calls"));
    assert_true(has_line(&text, "string calls are cut at the edges of the range"));
    assert_true(has_line(&text, "string time of hidden methods is their callers'"));
    assert_true(has_line(&text, "string 1 calls are too deep: their time is their callers'"));
    assert_int_equal(count_lines(&text, "comment "), 4);
    assert_int_equal(count_lines(&text, "sample { location_id [1] value [20000 4667 1]"), 1);
    assert_int_equal(count_lines(&text, "sample {"), 1);
    tv_buffer_release(&text);
    tv_buffer_release(&out);
    world_release(&w);
}

/* A trace on one clock has one sample type less. A start time that can be a date is told. */
static void test_one_clock(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    struct tv_buffer text;
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){
                         .version = 3, .clock = "wall", .start_usec = UINT64_C(1700000000000000)});
    enter(&w.t, MAIN, FOO, 10);
    leave(&w.t, MAIN, FOO, 12);
    enter(&w.t, 77, FOO, 20); /* a thread that has no name: it can be chosen by its number */
    leave(&w.t, 77, FOO, 23);
    world_read(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    tv_buffer_init(&text, tv_alloc_libc());
    probe_run(&w, &tv_export_pprof, &(struct probe_opts){.measure = TV_MEASURE_WALL}, &out);
    dump_message(tv_buffer_view(&out), profile, &text);
    assert_int_equal(count_lines(&text, "sample_type "), 2);
    assert_true(has_line(&text, "default_sample_type 1"));
    assert_true(has_line(&text, "time_nanos 1700000000000000000"));
    assert_true(has_line(&text, "string thread 77"));
    assert_int_equal(count_lines(&text, "sample { location_id [1] value [2000 1]"), 1);
    tv_buffer_release(&text);
    tv_buffer_release(&out);
    world_release(&w);
}

/* A stack deeper than the samples go: what is left out is counted, and no time is lost. */
static void test_deep(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    struct tv_buffer text;
    world_begin(&w);
    for (uint32_t i = 0; i < 1500; i++)
        enter(&w.t, MAIN, M(0), i);
    for (uint32_t i = 0; i < 1500; i++)
        leave(&w.t, MAIN, M(0), 1500 + i);
    world_read(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    tv_buffer_init(&text, tv_alloc_libc());
    struct tv_export_result result =
        probe_run(&w, &tv_export_pprof, &(struct probe_opts){.levels = 0}, &out);
    dump_message(tv_buffer_view(&out), profile, &text);
    assert_int_equal(result.changes[TV_EXPORT_LEVELS_CUT], 1500 - 1024);
    assert_int_equal(count_lines(&text, "sample {"), 1024);
    assert_true(has_line(&text, "string 476 calls are too deep: their time is their callers'"));
    /* The deepest one that is left has the time of those below it, 476 calls of two records. */
    assert_true(tv_str_find(tv_buffer_view(&text), TV_STR("] value [953000 953000 1]"),
                            TV_CASE_EXACT) != SIZE_MAX);
    tv_buffer_release(&text);
    tv_buffer_release(&out);
    world_release(&w);
}

/* 10,000 threads, a name of 60,000 bytes, and one that is no UTF-8. */
static void test_hostile(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    struct tv_buffer text;
    probe_hostile(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    tv_buffer_init(&text, tv_alloc_libc());
    struct tv_export_result result =
        probe_run(&w, &tv_export_pprof, &(struct probe_opts){.levels = 0}, &out);
    dump_message(tv_buffer_view(&out), profile, &text);
    assert_int_equal(count_lines(&text, "sample {"), PROBE_HOSTILE_THREADS);
    assert_int_equal(count_lines(&text, "function {"), 2);
    assert_int_equal(result.changes[TV_EXPORT_NAMES_CHANGED], 1);
    assert_true(has_line(&text, "string A.b\xef\xbf\xbd"
                                "c ()V"));
    assert_int_equal(count_lines(&text, "string nnnnnnnnnn"), 2);
    assert_true(text.len > 2 * PROBE_HOSTILE_NAME);
    tv_buffer_release(&text);
    tv_buffer_release(&out);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_stacks_of_parts),
        cmocka_unit_test(test_one_clock),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
