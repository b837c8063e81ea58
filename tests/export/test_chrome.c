/* Trace events: a small trace by hand. Readers of others see the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export/formats.h"
#include "export/probe.h"

static void test_events(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 10, 1);
    world_enter(&w, MAIN, 2, 20, 2);
    world_leave(&w, MAIN, 2, 50, 9);
    world_end(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    probe_run(&w, &tv_export_chrome, &(struct probe_opts){.from_ns = 20500, .to_ns = 50000}, &out);
    assert_true(tv_str_equal(
        tv_buffer_view(&out),
        TV_STR("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
               "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":1,"
               "\"args\":{\"name\":\"main\"}},\n"
               "{\"ph\":\"X\",\"name\":\"com.app.Main.run ()V\",\"ts\":20.500,\"dur\":29.500,"
               "\"tts\":2.116,\"tdur\":6.884,\"pid\":0,\"tid\":1,"
               "\"args\":{\"open_at_end\":true,\"cut\":true}},\n"
               "{\"ph\":\"X\",\"name\":\"com.lib.List.get (I)J\",\"ts\":20.500,\"dur\":29.500,"
               "\"tts\":2.116,\"tdur\":6.884,\"pid\":0,\"tid\":1,\"args\":{\"cut\":true}}\n"
               "]}\n")));
    tv_buffer_release(&out);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_events)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
