/* The clock that runs are compared on: of all, and named where one lacks it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compare/run_clocks.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "support/trace_builder.h"

/* Looks at a run with these clocks, and these lines of options. */
static void take_with(struct tv_run_clocks *clocks, const char *words, const char *file,
                      const char *options)
{
    struct trace_builder t = {.record_len = 0};
    struct tv_trace trace;
    struct tv_index index;
    tv_trace_init(&trace, tv_alloc_libc());
    tv_index_init(&index);
    build_text(&t, (struct build_opts){.version = strcmp(words, "dual") == 0 ? 3 : 2,
                                       .clock = words,
                                       .options = options});
    enter(&t, MAIN, FOO, 0);
    leave(&t, MAIN, FOO, 10);
    assert_int_equal(tv_trace_open(&trace, t.bytes.bytes, t.bytes.len,
                                   &(struct tv_read_opts){.batch_len = 0}, NULL),
                     TV_OK);
    assert_int_equal(tv_index_build(&index, &trace, &(struct tv_build_opts){.pool = NULL}, NULL),
                     TV_OK);
    tv_run_clocks_take(clocks, &index, tv_str_from(file));
    tv_index_release(&index);
    tv_trace_release(&trace);
    build_release(&t);
}

static void take(struct tv_run_clocks *clocks, const char *words, const char *file)
{
    take_with(clocks, words, file, NULL);
}

/* A run that tells none may be of any. */
static void processors_are_compared_where_they_are_told(void **state)
{
    struct tv_run_clocks clocks = {.has_idle_cpu = false};
    char longest[200] = "processor=";
    (void)state;
    take(&clocks, "dual", "a");
    take_with(&clocks, "dual", "b", "processor=A 1\n");
    take_with(&clocks, "dual", "c", "processor=\n");
    take_with(&clocks, "dual", "d", "processor=A 1\n");
    assert_string_equal(clocks.processor, "A 1");
    assert_false(clocks.has_other_processor);
    take_with(&clocks, "dual", "e", "processor=A 12\n");
    assert_true(clocks.has_other_processor);
    clocks = (struct tv_run_clocks){.has_idle_cpu = false};
    memset(longest + 10, 'x', 180);
    longest[190] = '\n';
    take_with(&clocks, "dual", "f", longest);
    take_with(&clocks, "dual", "g", longest);
    assert_int_equal(strlen(clocks.processor), TV_RUN_PROCESSOR_CAP - 1);
    assert_false(clocks.has_other_processor);
}

static void a_clock_that_all_have_is_chosen(void **state)
{
    struct tv_run_clocks clocks = {.has_idle_cpu = false};
    enum tv_clock clock;
    (void)state;
    take(&clocks, "dual", "a");
    assert_int_equal(tv_run_clocks_choose(&clocks, NULL, &clock, NULL), TV_OK);
    assert_int_equal(clock, TV_CLOCK_CPU);
    take(&clocks, "wall", "b");
    assert_int_equal(tv_run_clocks_choose(&clocks, NULL, &clock, NULL), TV_OK);
    assert_int_equal(clock, TV_CLOCK_WALL);
}

static void an_idle_cpu_clock_is_taken_where_no_other_is_common(void **state)
{
    struct tv_run_clocks clocks = {.has_idle_cpu = true};
    (void)state;
    assert_int_equal(tv_run_clocks_default(&clocks), TV_CLOCK_WALL);
    clocks.lacks[TV_CLOCK_WALL] = true;
    assert_int_equal(tv_run_clocks_default(&clocks), TV_CLOCK_CPU);
}

static void who_lacks_a_clock_is_named(void **state)
{
    static const enum tv_clock cpu = TV_CLOCK_CPU;
    struct tv_run_clocks clocks = {.has_idle_cpu = false};
    enum tv_clock clock;
    struct tv_error err;
    (void)state;
    take(&clocks, "dual", "a");
    take(&clocks, "wall", "b");
    take(&clocks, "wall", "c");
    assert_int_equal(tv_run_clocks_choose(&clocks, &cpu, &clock, &err), TV_ERR_ARGUMENT);
    assert_string_equal(err.text, "b has no cpu clock");
    take(&clocks, "thread-cpu", "d");
    assert_int_equal(tv_run_clocks_choose(&clocks, NULL, &clock, &err), TV_ERR_UNSUPPORTED);
    assert_string_equal(err.text, "the recordings have no clock in common: d has no wall clock");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processors_are_compared_where_they_are_told),
        cmocka_unit_test(a_clock_that_all_have_is_chosen),
        cmocka_unit_test(an_idle_cpu_clock_is_taken_where_no_other_is_common),
        cmocka_unit_test(who_lacks_a_clock_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
