/* The merged walk: all events of all threads, in the order of time, each thread's in their own. */
#include "export/trace/merged_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "export/probe.h"

static uint64_t time_of(const struct tv_call_event *event)
{
    return event->kind == TV_CALL_ENTER ? event->start_ns[TV_CLOCK_WALL]
                                        : event->end_ns[TV_CLOCK_WALL];
}

/* Each thread's walk beside the merged one. */
static enum tv_code compare_walks(struct tv_export_context *context, struct tv_error *err)
{
    static struct tv_call_walk walks[WORLD_THREADS + 1];
    struct tv_merged_walk merged;
    struct tv_call_event event, own;
    uint32_t position = 0, last_position = 0;
    uint64_t last_ns = 0;
    uint32_t count = tv_export_context_thread_count(context);
    tv_merged_walk_init(&merged, context->alloc);
    assert_int_equal(tv_merged_walk_begin(&merged, context, err), TV_OK);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t thread_ix = tv_export_context_thread(context, i);
        tv_call_walk_init(&walks[i], context->alloc);
        if (thread_ix != TV_NONE)
            assert_int_equal(tv_call_walk_begin(&walks[i], context, thread_ix, err), TV_OK);
    }
    for (;;) {
        tv_merged_walk_next(&merged, &event, &position);
        if (event.kind == TV_CALL_END)
            break;
        tv_call_walk_next(&walks[position], &own);
        assert_int_equal(event.kind, own.kind);
        assert_int_equal(event.call, own.call);
        assert_true(time_of(&event) > last_ns ||
                    (time_of(&event) == last_ns && position >= last_position) || !last_ns);
        last_ns = time_of(&event);
        last_position = position;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (tv_export_context_thread(context, i) == TV_NONE)
            continue;
        tv_call_walk_next(&walks[i], &own);
        assert_int_equal(own.kind, TV_CALL_END);
        tv_call_walk_release(&walks[i]);
    }
    tv_merged_walk_release(&merged);
    return TV_OK;
}

static void test_order(void **state)
{
    (void)state;
    static const struct tv_export comparer = {.name = "comparer", .write = compare_walks};
    for (uint32_t seed = 0; seed < 30; seed++) {
        static struct world w;
        world_any(&w, seed);
        for (uint32_t part = 0; part < 6; part++) {
            struct probe_opts opts = probe_random(&w, seed * 6 + part);
            probe_run(&w, &comparer, &opts, NULL);
        }
        world_release(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
