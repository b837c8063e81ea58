/* The table of formats, and what holds for all of them: every format writes every part of every
 * trace, fails when the sink does or the caller cancels, and survives want of memory. */
#include "export/export.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "export/formats.h"
#include "export/probe.h"
#include "support/failing_alloc.h"

static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; tv_exports[i]; i++) {
        const struct tv_export *format = tv_exports[i];
        struct tv_str name = tv_str_from(format->name);
        char file[64];
        assert_ptr_equal(tv_export_of_name(name), format);
        assert_true(format->suffix[0] == '.' && format->summary[0] && format->media_type[0]);
        (void)snprintf(file, sizeof(file), "app%s", format->suffix);
        assert_ptr_equal(tv_export_of_file(tv_str_from(file)), format);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(tv_exports[k]->name, format->name);
    }
    assert_null(tv_export_of_name(TV_STR("")));
    assert_null(tv_export_of_name(TV_STR("folde")));
    assert_null(tv_export_of_file(TV_STR("-")));
    assert_ptr_equal(tv_export_of_file(TV_STR("a.folded.gz")), tv_export_of_name(TV_STR("folded")));
}

static void test_all_formats(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 12; seed++) {
        static struct world w;
        world_any(&w, seed);
        for (size_t i = 0; tv_exports[i]; i++) {
            for (uint32_t part = 0; part < 6; part++) {
                struct probe_opts opts = probe_random(&w, seed * 6 + part);
                struct tv_buffer first, again;
                tv_buffer_init(&first, tv_alloc_libc());
                tv_buffer_init(&again, tv_alloc_libc());
                probe_run(&w, tv_exports[i], &opts, &first);
                probe_run(&w, tv_exports[i], &opts, &again);
                assert_true(tv_str_equal(tv_buffer_view(&first), tv_buffer_view(&again)));
                tv_buffer_release(&first);
                tv_buffer_release(&again);
            }
        }
        world_release(&w);
    }
}

/* main waits 8 ms after its last record, worker not at all; of waits that is told, and of those
 * stacks alone that have it. */
static void test_waits_that_are_not_recorded(void **state)
{
    static struct world w;
    static const struct {
        struct probe_opts opts;
        uint64_t told;
    } parts[] = {
        {{.measure = TV_MEASURE_WAIT}, 8000000},
        {{.measure = TV_MEASURE_WALL}, 0},
        {{.measure = TV_MEASURE_WAIT, .to_ns = 5000000}, 3000000},
        {{.measure = TV_MEASURE_WAIT, .chosen = 1}, 8000000},
        {{.measure = TV_MEASURE_WAIT, .chosen = 3}, 0},
    };
    (void)state;
    world_begin(&w);
    world_enter(&w, 1, 0, 0, 0);
    world_enter(&w, 1, 1, 2000, 1000);
    world_enter(&w, 2, 2, 0, 0);
    world_leave(&w, 2, 2, 10000, 5000);
    world_end(&w);
    for (size_t i = 0; i < TV_COUNT_OF(parts); i++) {
        struct tv_export_result result = probe_run(&w, &tv_export_folded, &parts[i].opts, NULL);
        assert_int_equal(result.changes[TV_EXPORT_WAITS_UNRECORDED], parts[i].told);
    }
    world_release(&w);
}

static void test_hostile_trace(void **state)
{
    (void)state;
    static struct world w;
    probe_hostile(&w);
    for (size_t i = 0; tv_exports[i]; i++) {
        struct tv_buffer out;
        tv_buffer_init(&out, tv_alloc_libc());
        struct tv_export_result result =
            probe_run(&w, tv_exports[i], &(struct probe_opts){.levels = 0}, &out);
        assert_int_equal(result.changes[TV_EXPORT_LEVELS_CUT], 0);
        /* What people read cuts names, and has them in many places. */
        bool cuts_names = tv_exports[i] == &tv_export_dot || tv_exports[i] == &tv_export_html;
        assert_int_equal(out.len > PROBE_HOSTILE_NAME, !cuts_names);
        tv_buffer_release(&out);
    }
    world_release(&w);
}

/* A sink that takes `room` bytes and then fails. */
struct narrow {
    size_t room;
};

static enum tv_code write_narrow(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    struct narrow *narrow = ctx;
    (void)bytes;
    if (len > narrow->room)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "full");
    narrow->room -= len;
    return TV_OK;
}

static enum tv_code run_into(const struct world *w, const struct tv_export *format,
                             const struct tv_alloc *alloc, struct tv_sink sink,
                             struct tv_error *err)
{
    struct tv_export_result result;
    struct tv_export_opts opts = {.file = TV_STR("x.trace"), .database = probe_database()};
    tv_scope_init(&opts.scope, &w->index);
    return tv_export_run(format, &w->index, &opts, alloc, NULL, sink, &result, err);
}

static void test_full_sinks(void **state)
{
    (void)state;
    static struct world w;
    world_any(&w, 3);
    for (size_t i = 0; tv_exports[i]; i++) {
        struct tv_buffer all;
        tv_buffer_init(&all, tv_alloc_libc());
        struct tv_error none = {.code = TV_OK};
        assert_int_equal(run_into(&w, tv_exports[i], tv_alloc_libc(), tv_buffer_sink(&all), &none),
                         TV_OK);
        for (size_t room = 0; room < all.len; room += 1 + all.len / 16) {
            struct tv_error err = {.code = TV_OK};
            struct narrow narrow = {room};
            struct tv_sink sink = {.write = write_narrow, .ctx = &narrow};
            assert_int_equal(run_into(&w, tv_exports[i], tv_alloc_libc(), sink, &err),
                             TV_ERR_SYSTEM);
            assert_string_equal(err.text, "full");
        }
        tv_buffer_release(&all);
    }
    world_release(&w);
}

struct context {
    struct world w;
    const struct tv_export *format;
};

static enum tv_code export_all(const struct tv_alloc *alloc, void *ctx)
{
    struct context *context = ctx;
    struct narrow narrow = {SIZE_MAX};
    struct tv_sink sink = {.write = write_narrow, .ctx = &narrow};
    struct tv_error err = {.code = TV_OK};
    return run_into(&context->w, context->format, alloc, sink, &err);
}

static void test_no_memory(void **state)
{
    (void)state;
    static struct context context;
    world_any(&context.w, 4);
    for (size_t i = 0; tv_exports[i]; i++) {
        context.format = tv_exports[i];
        (void)failing_alloc_each(export_all, &context);
    }
    world_release(&context.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_all_formats),
        cmocka_unit_test(test_waits_that_are_not_recorded),
        cmocka_unit_test(test_hostile_trace),
        cmocka_unit_test(test_full_sinks),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
