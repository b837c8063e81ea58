/* How many bytes of names an export will have at least. */
#include "export/name_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "export/formats.h"
#include "export/probe.h"

static uint64_t counted;

static enum tv_code count_once(struct tv_export_context *context, struct tv_error *err)
{
    (void)err;
    counted = tv_export_name_bytes(context, &(struct tv_export){.call_names = 1});
    assert_int_equal(tv_export_name_bytes(context, &(struct tv_export){.call_names = 2}),
                     2 * counted);
    assert_int_equal(tv_export_name_bytes(context, &(struct tv_export){.call_names = 0}), 0);
    return TV_OK;
}

static const struct tv_export counting = {.name = "counting", .write = count_once};

static void build_calls(struct world *w)
{
    world_begin(w);
    for (uint32_t i = 0; i < 3; i++) {
        world_enter(w, MAIN, 0, 10 + 10 * i, 1 + i);
        world_leave(w, MAIN, 0, 15 + 10 * i, 1 + i);
    }
    world_end(w);
}

static void each_call_that_is_shown_counts(void **state)
{
    (void)state;
    static struct world w;
    build_calls(&w);
    probe_run(&w, &counting, &(struct probe_opts){.levels = 0}, NULL);
    assert_int_equal(counted, 3 * strlen("com.app.Mainrun()V"));
    probe_run(&w, &counting, &(struct probe_opts){.hidden = "com.app."}, NULL);
    assert_int_equal(counted, 0);
    world_release(&w);
}

/* A format with few levels writes no names of deeper calls. */
static void a_call_below_the_levels_counts_nothing(void **state)
{
    (void)state;
    static struct world w;
    world_begin(&w);
    for (uint32_t i = 0; i < 3; i++)
        world_enter(&w, MAIN, 0, 10 + i, 1 + i);
    for (uint32_t i = 0; i < 3; i++)
        world_leave(&w, MAIN, 0, 20 + i, 11 + i);
    world_end(&w);
    probe_run(&w, &counting, &(struct probe_opts){.levels = 2}, NULL);
    assert_int_equal(counted, 2 * strlen("com.app.Mainrun()V"));
    world_release(&w);
}

static void it_is_less_than_what_is_written(void **state)
{
    (void)state;
    const struct tv_export *const formats[] = {&tv_export_chrome, &tv_export_csv, &tv_export_jsonl};
    static struct world w;
    build_calls(&w);
    probe_run(&w, &counting, &(struct probe_opts){.levels = 0}, NULL);
    for (size_t i = 0; i < TV_COUNT_OF(formats); i++) {
        struct tv_buffer out;
        tv_buffer_init(&out, tv_alloc_libc());
        probe_run(&w, formats[i], &(struct probe_opts){.levels = 0}, &out);
        assert_true(formats[i]->call_names > 0);
        assert_true(out.len > counted * formats[i]->call_names);
        tv_buffer_release(&out);
    }
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_that_is_shown_counts),
        cmocka_unit_test(a_call_below_the_levels_counts_nothing),
        cmocka_unit_test(it_is_less_than_what_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
