/* A walk over a thread's segments, from its start and from each group, against the plain calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/timeline/segments.h"
#include "analysis/world.h"

#define SEEDS 80

static struct world w;

/* The innermost call that spans [from, to) of a thread, or WORLD_NONE; no call begins or ends in
 * between. */
static int innermost(unsigned thread, uint64_t from, uint64_t to)
{
    int best = WORLD_NONE;
    for (int i = 0; i < w.call_count; i++) {
        const struct plain_call *call = &w.calls[i];
        bool spans = call->thread == thread && call->start[0] <= from && call->end[0] >= to;
        if (spans && (best == WORLD_NONE || call->depth > w.calls[best].depth))
            best = i;
    }
    return best;
}

/* The next moment after `time` at which a call of the thread begins or ends; UINT64_MAX: none. */
static uint64_t next_moment(unsigned thread, uint64_t time)
{
    uint64_t next = UINT64_MAX;
    for (int i = 0; i < w.call_count; i++) {
        const struct plain_call *call = &w.calls[i];
        if (call->thread != thread)
            continue;
        if (call->start[0] > time && call->start[0] < next)
            next = call->start[0];
        if (call->end[0] > time && call->end[0] < next)
            next = call->end[0];
    }
    return next;
}

/* Whether a segment's call is one of the world's, by depth and times. */
static bool is_call(uint32_t thread_ix, const struct tv_segment *segment, int i)
{
    const struct tv_index_thread *thread = &w.index.threads[thread_ix];
    const struct plain_call *call = &w.calls[i];
    uint64_t start = tv_index_start(&w.index, thread, TV_CLOCK_WALL, segment->call) * 1000;
    uint64_t len = tv_index_duration(&w.index, thread, TV_CLOCK_WALL, segment->call) * 1000;
    return call->depth == segment->depth && call->start[0] == start &&
           call->end[0] == start + len &&
           w.index.methods[w.index.node_method[w.index.call_node[segment->call]]].id ==
               M(call->method);
}

/* Walks on from `time` and compares all segments that have a length; returns how many. */
static int expect_segments(struct tv_walker *walker, uint64_t time)
{
    uint32_t thread_ix = walker->thread_ix;
    unsigned thread = w.index.threads[thread_ix].id;
    struct tv_segment segment;
    int count = 0;
    uint64_t last_start = time;
    while (tv_walker_next(walker, &segment)) {
        uint64_t start = segment.start * 1000;
        assert_true(start >= last_start);
        last_start = start;
        if (!segment.len) {
            const struct tv_index_thread *of = &w.index.threads[thread_ix];
            assert_int_equal(tv_index_duration(&w.index, of, TV_CLOCK_WALL, segment.call), 0);
            continue;
        }
        uint64_t end = start + segment.len * 1000;
        for (; time < start; time = next_moment(thread, time)) /* nothing is open meanwhile */
            assert_int_equal(innermost(thread, time, next_moment(thread, time)), WORLD_NONE);
        for (; time < end; time = next_moment(thread, time))
            assert_true(
                is_call(thread_ix, &segment, innermost(thread, time, next_moment(thread, time))));
        assert_int_equal(time, end);
        count++;
    }
    for (uint64_t next = next_moment(thread, time); next != UINT64_MAX; time = next) {
        next = next_moment(thread, time);
        if (next != UINT64_MAX)
            assert_int_equal(innermost(thread, time, next), WORLD_NONE);
    }
    return count;
}

static void segments_are_the_innermost_calls_from_each_group_on(void **state)
{
    (void)state;
    int count = 0;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        world_any(&w, seed);
        for (uint32_t i = 0; i < w.index.thread_count; i++) {
            const struct tv_index_thread *thread = &w.index.threads[i];
            struct tv_walker walker;
            tv_walker_init(&walker, tv_alloc_libc());
            assert_int_equal(tv_walker_open(&walker, &w.index, i, NULL), TV_OK);
            for (uint64_t group = 0; group < thread->group_count; group++) {
                const struct tv_index_segment_group *first =
                    &w.index.segment_groups[thread->group_first + group];
                tv_walker_seek(&walker, first);
                count += expect_segments(&walker, first->start * 1000);
            }
            tv_walker_release(&walker);
        }
        world_release(&w);
    }
    assert_true(count > 1000);
}

/* Walks over thread MAIN from its first group on, and compares starts, lengths and depths. */
static void expect_walk(const struct tv_segment *want, size_t count)
{
    uint32_t thread_ix = world_thread_ix(&w, MAIN);
    struct tv_segment segment;
    struct tv_walker walker;
    tv_walker_init(&walker, tv_alloc_libc());
    assert_int_equal(tv_walker_open(&walker, &w.index, thread_ix, NULL), TV_OK);
    tv_walker_seek(&walker, &w.index.segment_groups[w.index.threads[thread_ix].group_first]);
    for (size_t i = 0; i < count; i++) {
        assert_true(tv_walker_next(&walker, &segment));
        assert_int_equal(segment.start, want[i].start);
        assert_int_equal(segment.len, want[i].len);
        assert_int_equal(segment.depth, want[i].depth);
    }
    assert_false(tv_walker_next(&walker, &segment));
    tv_walker_release(&walker);
}

/* The walk tells calls that share a moment apart, and a caller from its callee. */
static void calls_without_length_are_segments_of_their_own(void **state)
{
    /* start, length, nothing, depth */
    static const struct tv_segment want[] = {{0, 10, 0, 0}, {10, 0, 0, 1}, {10, 0, 0, 1},
                                             {10, 5, 0, 0}, {15, 0, 0, 2}, {15, 0, 0, 1},
                                             {15, 5, 0, 0}};
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_enter(&w, MAIN, 1, 10, 10);
    world_leave(&w, MAIN, 1, 10, 10);
    world_enter(&w, MAIN, 2, 10, 10);
    world_leave(&w, MAIN, 2, 10, 10);
    world_enter(&w, MAIN, 1, 15, 15); /* this one has a callee */
    world_enter(&w, MAIN, 2, 15, 15);
    world_leave(&w, MAIN, 2, 15, 15);
    world_leave(&w, MAIN, 1, 15, 15);
    world_leave(&w, MAIN, 0, 20, 20);
    world_end(&w);
    expect_walk(want, sizeof(want) / sizeof(want[0]));
    world_release(&w);
}

/* The walk comes to the row of the innermost call for the first time at the moment of that call. */
static void first_call_of_a_row_is_a_segment_without_length(void **state)
{
    static const struct tv_segment want[] = {
        {0, 5, 0, 0}, {10, 0, 0, 2}, {10, 5, 0, 1}, {15, 5, 0, 0}};
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_leave(&w, MAIN, 0, 5, 5);
    world_enter(&w, MAIN, 0, 10, 10);
    world_enter(&w, MAIN, 1, 10, 10);
    world_enter(&w, MAIN, 2, 10, 10);
    world_leave(&w, MAIN, 2, 10, 10);
    world_leave(&w, MAIN, 1, 15, 15);
    world_leave(&w, MAIN, 0, 20, 20);
    world_end(&w);
    expect_walk(want, sizeof(want) / sizeof(want[0]));
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_are_the_innermost_calls_from_each_group_on),
        cmocka_unit_test(calls_without_length_are_segments_of_their_own),
        cmocka_unit_test(first_call_of_a_row_is_a_segment_without_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
