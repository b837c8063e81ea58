/* Walks over calls: against the sums of the same scope, which are made in another way. */
#include "export/walk/call_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/calls/call.h"
#include "base/error.h"
#include "export/probe.h"

#define DEPTH_MOST 4096

/* What a walk over one thread saw, by node of the index. */
struct seen {
    uint64_t calls[WORLD_CALLS];
    uint64_t inclusive_ns[TV_CLOCK_COUNT][WORLD_CALLS];
    uint64_t exclusive_ns[TV_CLOCK_COUNT][WORLD_CALLS];
    uint64_t stack[DEPTH_MOST];       /* of calls that are open */
    uint64_t last_ns[TV_CLOCK_COUNT]; /* of the event before */
    uint32_t level;
};

static struct seen seen;

/* Time never falls from one event to the next, on either clock. */
static void see_time(const uint64_t time_ns[TV_CLOCK_COUNT])
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        assert_true(time_ns[clock] >= seen.last_ns[clock]);
        seen.last_ns[clock] = time_ns[clock];
    }
}

static void see_enter(const struct tv_export_context *context, uint32_t thread_ix,
                      const struct tv_call_event *event)
{
    const struct tv_index *index = context->index;
    assert_int_equal(event->level, seen.level);
    assert_true(event->caller == (seen.level ? seen.stack[seen.level - 1] : UINT64_MAX));
    see_time(event->start_ns);
    seen.stack[seen.level++] = event->call;
    seen.calls[event->node]++;
    if (context->marks || context->opts->scope.selection.has_range)
        return;
    struct tv_call_ref ref = {thread_ix, event->level, event->call};
    struct tv_call_ref caller = tv_call_caller(index, ref);
    assert_true(caller.call == event->caller);
    assert_int_equal(event->is_open_at_end, tv_call_is_open_at_end(index, ref));
    assert_int_equal(event->is_adopted, tv_call_is_adopted(index, ref));
    assert_false(event->is_cut);
}

static void see_exit(const struct tv_call_event *event)
{
    assert_true(seen.level > 0);
    assert_true(seen.stack[--seen.level] == event->call);
    assert_int_equal(event->level, seen.level);
    see_time(event->end_ns);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        seen.inclusive_ns[clock][event->node] += event->end_ns[clock] - event->start_ns[clock];
        seen.exclusive_ns[clock][event->node] += event->exclusive_ns[clock];
    }
}

/* Compares what was seen of a thread with the sums of its nodes. */
static void compare(const struct tv_export_context *context, uint32_t position)
{
    const struct tv_sums *sums = &context->stacks.sums;
    struct tv_node_range nodes = tv_sums_nodes(sums, position);
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        uint32_t of_index = sums->index_node ? sums->index_node[node] : node;
        assert_true(seen.calls[of_index] == tv_sums_calls(sums, node));
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            /* A call that only touches the range may have CPU time in it, and is no call of it. */
            if (clock == TV_CLOCK_CPU && context->opts->scope.selection.has_range)
                continue;
            assert_true(seen.exclusive_ns[clock][of_index] == tv_sums_exclusive(sums, clock, node));
            /* Callers of matches are whole, and the sums have what is left below them alone. */
            const uint64_t inclusive_ns = tv_sums_inclusive(sums, clock, node);
            if (tv_sums_match_of(sums, node) == TV_SUMS_PARTLY)
                assert_true(seen.inclusive_ns[clock][of_index] >= inclusive_ns);
            else
                assert_true(seen.inclusive_ns[clock][of_index] == inclusive_ns);
        }
    }
}

static enum tv_code walk_all(struct tv_export_context *context, struct tv_error *err)
{
    struct tv_call_walk walk;
    struct tv_call_event event;
    tv_call_walk_init(&walk, context->alloc);
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        uint32_t thread_ix = tv_export_context_thread(context, i);
        if (thread_ix == TV_NONE)
            continue;
        memset(&seen, 0, sizeof(seen));
        assert_int_equal(tv_call_walk_begin(&walk, context, thread_ix, err), TV_OK);
        for (;;) {
            tv_call_walk_next(&walk, &event);
            if (event.kind == TV_CALL_END)
                break;
            if (event.kind == TV_CALL_ENTER)
                see_enter(context, thread_ix, &event);
            else
                see_exit(&event);
        }
        assert_int_equal(seen.level, 0);
        compare(context, i);
    }
    tv_call_walk_release(&walk);
    return TV_OK;
}

static const struct tv_export walking = {.name = "walking", .write = walk_all};

static void test_whole_traces(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 60; seed++) {
        static struct world w;
        world_any(&w, seed);
        probe_run(&w, &walking, &(struct probe_opts){.levels = 0}, NULL);
        world_release(&w);
    }
}

static void test_parts_of_traces(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 60; seed++) {
        static struct world w;
        world_any(&w, seed);
        for (uint32_t part = 0; part < 20; part++) {
            struct probe_opts opts = probe_random(&w, seed * 20 + part);
            probe_run(&w, &walking, &opts, NULL);
        }
        world_release(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_traces),
        cmocka_unit_test(test_parts_of_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
