/* The methods of a part of a trace: those that a walk over its calls meets, and no others. */
#include "export/tools/shown_methods.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "export/probe.h"
#include "export/walk/call_walk.h"

static uint8_t is_met[WORLD_CALLS];

static void meet_calls(struct tv_export_context *context)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_call_walk walk;
    struct tv_call_event event;
    tv_call_walk_init(&walk, context->alloc);
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        uint32_t thread_ix = tv_export_context_thread(context, i);
        if (thread_ix == TV_NONE)
            continue;
        assert_int_equal(tv_call_walk_begin(&walk, context, thread_ix, &err), TV_OK);
        for (tv_call_walk_next(&walk, &event); event.kind != TV_CALL_END;
             tv_call_walk_next(&walk, &event))
            is_met[event.method] = 1;
    }
    tv_call_walk_release(&walk);
}

static enum tv_code compare(struct tv_export_context *context, struct tv_error *err)
{
    struct tv_shown_methods shown;
    uint32_t count = 0;
    for (uint32_t method = 0; method < context->index->method_count; method++)
        is_met[method] = 0;
    meet_calls(context);
    tv_shown_methods_init(&shown, context->alloc);
    assert_int_equal(tv_shown_methods_find(&shown, context, err), TV_OK);
    for (uint32_t method = 0; method < context->index->method_count; method++) {
        uint32_t number = shown.number_of[method];
        /* A method that only touches the range has a number, and may have no call. */
        assert_true(number != TV_NONE || !is_met[method]);
        assert_true(number == TV_NONE || is_met[method] ||
                    context->opts->scope.selection.has_range);
        if (number == TV_NONE)
            continue;
        assert_int_equal(number, count);
        assert_int_equal(shown.methods[count++], method);
    }
    assert_int_equal(count, shown.count);
    tv_shown_methods_release(&shown);
    return TV_OK;
}

static const struct tv_export comparing = {.name = "comparing", .write = compare};

static void test_parts_of_traces(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 40; seed++) {
        static struct world w;
        world_any(&w, seed);
        for (uint32_t part = 0; part < 10; part++) {
            struct probe_opts opts = probe_random(&w, seed * 10 + part);
            probe_run(&w, &comparing, &opts, NULL);
        }
        world_release(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts_of_traces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
