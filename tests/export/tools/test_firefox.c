/* Processed profiles: the samples and markers of a small trace by hand. The checker of
 * tests/readers sees that all tables are there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "export/formats.h"
#include "export/probe.h"

static void assert_has(const struct tv_buffer *out, const char *expected)
{
    if (!strstr((const char *)out->bytes, expected))
        fail_msg("'%s' is not in %s", expected, (const char *)out->bytes);
}

/* Exports all of the trace; the bytes end with a zero. */
static void export_all(const struct world *w, struct tv_buffer *out)
{
    tv_buffer_init(out, tv_alloc_libc());
    probe_run(w, &tv_export_firefox, &(struct probe_opts){.levels = 0}, out);
    assert_int_equal(tv_buffer_append(out, "", 1, NULL), TV_OK);
}

static void test_samples(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 10, 1);
    world_enter(&w, MAIN, 2, 20, 2);
    world_leave(&w, MAIN, 2, 50, 9);
    world_leave(&w, MAIN, 0, 70, 11);
    world_enter(&w, MAIN, 0, 90, 12);
    world_leave(&w, MAIN, 0, 90, 12);
    world_end(&w);
    export_all(&w, &out);
    assert_has(&out, "\"stackTable\":{\"frame\":[0,1],\n\"prefixOffset\":[0,1],\n\"length\":2}");
    assert_has(&out, "\"samples\":{\"stack\":[0,1,0,null,null],\n"
                     "\"timeDeltas\":[0.01,0.01,0.03,0.02,0.02],\n"
                     "\"weight\":[0.01,0.03,0.02,0.02,0],\n"
                     "\"threadCPUDelta\":[0,1000,7000,2000,1000],\n"
                     "\"weightType\":\"tracing-ms\",\"length\":5}");
    assert_has(&out, "\"markers\":{\"data\":["
                     "{\"type\":\"Long call\",\"method\":0,\"cpu\":10000},"
                     "{\"type\":\"Long call\",\"method\":1,\"cpu\":7000},"
                     "{\"type\":\"Long call\",\"method\":0,\"cpu\":0}],");
    assert_has(&out, "\"startTime\":[0.01,0.02,0.09],\n\"endTime\":[0.07,0.05,0.09],");
    assert_has(&out, "\"source\":[0,1],\n\"lineNumber\":[10,30],");
    tv_buffer_release(&out);
    world_release(&w);
}

/* When the trace began, on the clock that its start time is on, and what the profiler shows
 * first. */
static void test_start(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    static const struct {
        uint64_t start_usec;
        const char *told;
    } wanted[] = {
        {5000000, "\"startTime\":0,\"startTimeAsClockMonotonicNanosecondsSinceBoot\":5000000000,"},
        {UINT64_C(1700000000000000), "\"startTime\":1700000000000,\"processType\""},
    };
    for (size_t i = 0; i < 2; i++) {
        world_begin(&w);
        build_release(&w.t);
        build_text(&w.t, (struct build_opts){.version = 3,
                                             .clock = "dual",
                                             .start_usec = wanted[i].start_usec,
                                             .methods = "0x4\tcom.a.B\tm\t()V\n"});
        enter(&w.t, MAIN, 4, 10);
        leave(&w.t, MAIN, 4, 12);
        world_read(&w);
        export_all(&w, &out);
        assert_has(&out, wanted[i].told);
        assert_has(&out, "\"initialSelectedThreads\":[0]");
        assert_has(&out, "\"processName\":\"probe.trace\"");
        assert_has(&out, "\"category\":[7]");
        tv_buffer_release(&out);
        world_release(&w);
    }
}

/* A thread whose calls all lie outside of the range is left out. */
static void test_no_calls_in_the_range(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 10, 1);
    world_enter(&w, WORKER, 2, 20, 1);
    world_leave(&w, WORKER, 2, 30, 2);
    world_leave(&w, MAIN, 0, 70, 11);
    world_end(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    probe_run(&w, &tv_export_firefox, &(struct probe_opts){.from_ns = 40000, .to_ns = 60000}, &out);
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    assert_has(&out, "\"name\":\"main\"");
    assert_null(strstr((const char *)out.bytes, "\"name\":\"worker\""));
    tv_buffer_release(&out);
    world_release(&w);
}

static void test_no_calls(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_begin(&w);
    world_end(&w);
    export_all(&w, &out);
    assert_has(&out, "\"stringArray\":[\"Long call\"]");
    assert_has(&out, "\"threads\":[]}\n");
    assert_null(strstr((const char *)out.bytes, "initialSelectedThreads"));
    tv_buffer_release(&out);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_no_calls_in_the_range),
        cmocka_unit_test(test_no_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
