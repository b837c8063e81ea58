/* Segments: their lengths are the exclusive times of the sums, which are made in another way. */
#include "export/walk/segment_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "export/probe.h"

/* What a walk over one thread saw, by node of the index. */
static uint64_t seen_ns[TV_CLOCK_COUNT][WORLD_CALLS];

static void see(const struct tv_shown_segment *segment, struct tv_shown_segment *before)
{
    uint64_t len_ns = 0;
    assert_true(before->node != segment->node || segment->node == TV_NONE);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        assert_true(before->to_ns[clock] <= segment->from_ns[clock]);
        assert_true(segment->from_ns[clock] <= segment->to_ns[clock]);
        len_ns += segment->to_ns[clock] - segment->from_ns[clock];
        if (segment->node != TV_NONE)
            seen_ns[clock][segment->node] += segment->to_ns[clock] - segment->from_ns[clock];
    }
    assert_true(len_ns > 0);
    *before = *segment;
}

static void compare(const struct tv_export_context *context, uint32_t position)
{
    const struct tv_sums *sums = &context->stacks.sums;
    struct tv_node_range nodes = tv_sums_nodes(sums, position);
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        uint32_t of_index = sums->index_node ? sums->index_node[node] : node;
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            /* A call that only touches the range may have CPU time in it, and is no call of it. */
            if (clock == TV_CLOCK_CPU && context->opts->scope.selection.has_range)
                continue;
            assert_true(seen_ns[clock][of_index] == tv_sums_exclusive(sums, clock, node));
        }
    }
}

static enum tv_code walk_all(struct tv_export_context *context, struct tv_error *err)
{
    struct tv_segment_walk walk;
    tv_segment_walk_init(&walk, context->alloc);
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        uint32_t thread_ix = tv_export_context_thread(context, i);
        struct tv_shown_segment segment;
        struct tv_shown_segment before = {.node = TV_NONE};
        if (thread_ix == TV_NONE)
            continue;
        memset(seen_ns, 0, sizeof(seen_ns));
        assert_int_equal(tv_segment_walk_begin(&walk, context, thread_ix, err), TV_OK);
        while (tv_segment_walk_next(&walk, &segment))
            see(&segment, &before);
        assert_memory_equal(segment.from_ns, segment.to_ns, sizeof(segment.to_ns));
        compare(context, i);
    }
    tv_segment_walk_release(&walk);
    return TV_OK;
}

static const struct tv_export walking = {.name = "walking", .write = walk_all};

static void test_parts_of_traces(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 60; seed++) {
        static struct world w;
        world_any(&w, seed);
        for (uint32_t part = 0; part < 20; part++) {
            struct probe_opts opts = probe_random(&w, seed * 20 + part);
            probe_run(&w, &walking, part ? &opts : &(struct probe_opts){.levels = 0}, NULL);
        }
        world_release(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts_of_traces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
