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
        TV_STR("{\"displayTimeUnit\":\"ms\",\"metadata\":"
               "{\"source\":\"traceview\",\"trace\":\"probe.trace\",\"clock\":\"wall\"}\n"
               ",\"traceEvents\":[\n"
               "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":1,"
               "\"args\":{\"name\":\"probe.trace\"}}\n"
               ",{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,"
               "\"args\":{\"name\":\"main\"}}\n"
               ",{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,\"tid\":1,"
               "\"args\":{\"sort_index\":0}}\n"
               ",{\"ph\":\"B\",\"name\":\"com.app.Main.run ()V\",\"ts\":20.5,\"tts\":2.116,"
               "\"cat\":\"open_at_end,cut\",\"pid\":1,\"tid\":1}\n"
               ",{\"ph\":\"B\",\"name\":\"com.lib.List.get (I)J\",\"ts\":20.5,\"tts\":2.116,"
               "\"cat\":\"cut\",\"pid\":1,\"tid\":1}\n"
               ",{\"ph\":\"E\",\"name\":\"com.lib.List.get (I)J\",\"ts\":50,\"tts\":9,"
               "\"cat\":\"cut\",\"pid\":1,\"tid\":1}\n"
               ",{\"ph\":\"E\",\"name\":\"com.app.Main.run ()V\",\"ts\":50,\"tts\":9,"
               "\"cat\":\"open_at_end,cut\",\"pid\":1,\"tid\":1}\n"
               "]}\n")));
    tv_buffer_release(&out);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_events)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
