/* speedscope's format: a small trace by hand, and parts without calls. Readers of others see the
 * rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "export/formats.h"
#include "export/probe.h"

static void assert_written(const struct world *w, const struct probe_opts *opts,
                           const char *expected)
{
    struct tv_buffer out;
    tv_buffer_init(&out, tv_alloc_libc());
    probe_run(w, &tv_export_speedscope, opts, &out);
    if (!tv_str_equal(tv_buffer_view(&out), tv_str_from(expected)))
        fail_msg("%.*s", (int)out.len, (const char *)out.bytes);
    tv_buffer_release(&out);
}

#define HEAD                                                                                       \
    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","                         \
    "\"exporter\":\"traceview\",\"name\":\"probe.trace\"\n,\"shared\":{\"frames\":["

static void test_profiles(void **state)
{
    (void)state;
    static struct world w;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 10, 1);
    world_enter(&w, MAIN, 2, 20, 2);
    world_leave(&w, MAIN, 2, 20, 2);
    world_leave(&w, MAIN, 0, 50, 9);
    world_enter(&w, WORKER, 5, 60, 0);
    world_end(&w);
    assert_written(&w, &(struct probe_opts){.levels = 0, .to_ns = 50000},
                   HEAD
                   "{\"name\":\"com.app.Main.run ()V\",\"file\":\"Main.java\",\"line\":10}\n"
                   ",{\"name\":\"com.lib.List.get (I)J\",\"file\":\"List.java\",\"line\":30}\n"
                   "]},\"profiles\":[\n"
                   "{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"name\":"
                   "\"main (tid 1), wall\"\n,\"startValue\":0,\"endValue\":50000,\"events\":[\n"
                   "{\"type\":\"O\",\"frame\":0,\"at\":10000},\n"
                   "{\"type\":\"O\",\"frame\":1,\"at\":20000},\n"
                   "{\"type\":\"C\",\"frame\":1,\"at\":20000},\n"
                   "{\"type\":\"C\",\"frame\":0,\"at\":50000}\n"
                   "]},\n"
                   "{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"name\":"
                   "\"main (tid 1), CPU\"\n,\"startValue\":1000,\"endValue\":9000,\"events\":[\n"
                   "{\"type\":\"O\",\"frame\":0,\"at\":1000},\n"
                   "{\"type\":\"O\",\"frame\":1,\"at\":2000},\n"
                   "{\"type\":\"C\",\"frame\":1,\"at\":2000},\n"
                   "{\"type\":\"C\",\"frame\":0,\"at\":9000}\n"
                   "]}\n],\"activeProfileIndex\":0}\n");
    world_release(&w);
}

/* The busiest thread stands first, and main is opened, also where it is not that. */
static void test_order(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 10, 1);
    world_leave(&w, MAIN, 0, 20, 2);
    world_enter(&w, WORKER, 0, 10, 1);
    world_leave(&w, WORKER, 0, 40, 9);
    world_end(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    probe_run(&w, &tv_export_speedscope, &(struct probe_opts){.levels = 0}, &out);
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    const char *text = (const char *)out.bytes;
    assert_true(strstr(text, "worker (tid 2), wall") < strstr(text, "main (tid 1), wall"));
    assert_non_null(strstr(text, "\"activeProfileIndex\":1}"));
    /* Where the part has no calls of main, the busiest is opened. */
    out.len = 0;
    probe_run(&w, &tv_export_speedscope, &(struct probe_opts){.from_ns = 30000}, &out);
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    text = (const char *)out.bytes;
    assert_null(strstr(text, "main (tid 1)"));
    assert_non_null(strstr(text, "worker (tid 2), wall"));
    assert_non_null(strstr(text, "\"activeProfileIndex\":0}"));
    tv_buffer_release(&out);
    world_release(&w);
}

/* speedscope needs a profile, so there is one without calls. */
static void test_no_calls(void **state)
{
    (void)state;
    static struct world w;
    world_begin(&w);
    world_end(&w);
    assert_written(&w, &(struct probe_opts){.levels = 0},
                   HEAD
                   "]},\"profiles\":[\n"
                   "{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"name\":\"no calls\","
                   "\"startValue\":0,\"endValue\":0,\"events\":[]}\n],\"activeProfileIndex\":0}\n");
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_no_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
