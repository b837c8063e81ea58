/* site/jobs/trace_figures: what lists tell of a trace, in numbers and as JSON. */
#include "site/jobs/trace_figures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory/buffer.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "support/failing_alloc.h"
#include "support/trace_builder.h"

enum { FRAME = 0x10, RESUME = 0x28 };

/* A trace of which each span is a call of the main thread, and a second thread without calls. */
struct seen {
    struct trace_builder builder;
    struct tv_trace trace;
    struct tv_index index;
};

static void begin_as(struct seen *seen, const char *clock, const char *options,
                     const uint32_t (*spans)[3], size_t count)
{
    static const char methods[] =
        "0x10\tandroid.view.Choreographer\tdoFrame\t(JI)V\tC.java\n"
        "0x28\tandroid.app.Instrumentation\tcallActivityOnResume\t()V\tI.java\n";
    memset(seen, 0, sizeof(*seen));
    build_text(&seen->builder, (struct build_opts){.version = 3,
                                                   .clock = clock,
                                                   .options = options,
                                                   .methods = methods,
                                                   .threads = "1\tmain\n2\tidle\n"});
    for (size_t i = 0; i < count; i++) {
        enter(&seen->builder, MAIN, spans[i][0], spans[i][1]);
        leave(&seen->builder, MAIN, spans[i][0], spans[i][2]);
    }
    tv_trace_init(&seen->trace, tv_alloc_libc());
    assert_int_equal(tv_trace_open(&seen->trace, seen->builder.bytes.bytes, seen->builder.bytes.len,
                                   &(struct tv_read_opts){.batch_len = 0}, NULL),
                     TV_OK);
    tv_index_init(&seen->index);
    assert_int_equal(
        tv_index_build(&seen->index, &seen->trace, &(struct tv_build_opts){.pool = NULL}, NULL),
        TV_OK);
}

static void begin(struct seen *seen, const uint32_t (*spans)[3], size_t count)
{
    begin_as(seen, "dual", NULL, spans, count);
}

static void end(struct seen *seen)
{
    tv_index_release(&seen->index);
    tv_trace_release(&seen->trace);
    build_release(&seen->builder);
}

static void expect_json(const struct tv_trace_figures *figures, const char *wanted)
{
    struct tv_buffer text;
    struct tv_json json;
    tv_buffer_init(&text, tv_alloc_libc());
    tv_json_init(&json, tv_buffer_sink(&text));
    tv_json_open_object(&json);
    tv_trace_figures_write(figures, &json);
    tv_json_close_object(&json);
    assert_int_equal(tv_json_finish(&json, NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&text, "", 1, NULL), TV_OK);
    assert_string_equal((const char *)text.bytes, wanted);
    tv_buffer_release(&text);
}

static void the_longest_frame_and_the_start_up_are_told(void **state)
{
    static const uint32_t spans[][3] = {{RESUME, 10, 20}, {FRAME, 30, 70}, {FRAME, 80, 200}};
    struct tv_trace_figures figures;
    struct seen seen;
    (void)state;
    begin(&seen, spans, 3);
    assert_int_equal(tv_trace_figures_find(&figures, &seen.index, tv_alloc_libc(), NULL), TV_OK);
    expect_json(&figures, "{\"figures\":{\"duration_ns\":200000,\"threads\":1,"
                          "\"worst_frame_ns\":120000,\"startup_ns\":60000}}\n");
    end(&seen);
}

/* Frames of samples are runs of frames, and of CPU time nobody knows how long they took. */
static void what_is_not_known_of_frames_is_null(void **state)
{
    static const uint32_t spans[][3] = {{RESUME, 10, 20}, {FRAME, 30, 70}, {FRAME, 80, 200}};
    struct tv_trace_figures figures;
    struct seen seen;
    (void)state;
    begin_as(&seen, "dual", "sampling-interval-usec=10\n", spans, 3);
    assert_int_equal(tv_trace_figures_find(&figures, &seen.index, tv_alloc_libc(), NULL), TV_OK);
    assert_int_equal(figures.worst_frame_ns, 0);
    assert_int_equal(figures.startup_ns, 60000);
    end(&seen);
    begin_as(&seen, "thread-cpu", NULL, spans, 3);
    assert_int_equal(tv_trace_figures_find(&figures, &seen.index, tv_alloc_libc(), NULL), TV_OK);
    assert_int_equal(figures.worst_frame_ns, 0);
    assert_int_equal(figures.startup_ns, 0);
    end(&seen);
}

/* A clock that fell makes what it fell in shorter. */
static void what_a_clock_that_fell_says_is_not_told(void **state)
{
    static const uint32_t spans[][3] = {{RESUME, 90, 100}, {FRAME, 30, 70}, {FRAME, 80, 200}};
    struct tv_trace_figures figures;
    struct seen seen;
    (void)state;
    begin(&seen, spans, 3);
    assert_int_equal(tv_trace_figures_find(&figures, &seen.index, tv_alloc_libc(), NULL), TV_OK);
    assert_int_equal(figures.worst_frame_ns, 0);
    assert_int_equal(figures.startup_ns, 0);
    end(&seen);
}

static void what_a_trace_has_not_is_null(void **state)
{
    static const uint32_t spans[][3] = {{RESUME, 10, 20}};
    struct tv_trace_figures figures;
    struct seen seen;
    (void)state;
    begin(&seen, spans, 1);
    assert_int_equal(tv_trace_figures_find(&figures, &seen.index, tv_alloc_libc(), NULL), TV_OK);
    expect_json(&figures, "{\"figures\":{\"duration_ns\":20000,\"threads\":1,"
                          "\"worst_frame_ns\":null,\"startup_ns\":null}}\n");
    end(&seen);
    expect_json(&(struct tv_trace_figures){.is_known = false}, "{\"figures\":null}\n");
}

static enum tv_code find(const struct tv_alloc *alloc, void *ctx)
{
    struct seen *seen = ctx;
    struct tv_trace_figures figures;
    enum tv_code code = tv_trace_figures_find(&figures, &seen->index, alloc, NULL);
    assert_int_equal(figures.is_known, code == TV_OK);
    return code;
}

static void without_memory_nothing_is_known(void **state)
{
    static const uint32_t spans[][3] = {{RESUME, 10, 20}, {FRAME, 30, 70}};
    struct seen seen;
    (void)state;
    begin(&seen, spans, 2);
    assert_true(failing_alloc_each(find, &seen) > 0);
    end(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_frame_and_the_start_up_are_told),
        cmocka_unit_test(what_is_not_known_of_frames_is_null),
        cmocka_unit_test(what_a_clock_that_fell_says_is_not_told),
        cmocka_unit_test(what_a_trace_has_not_is_null),
        cmocka_unit_test(without_memory_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
