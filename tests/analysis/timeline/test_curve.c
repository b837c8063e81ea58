/* The curve of a thread against its root calls, cut by the edges of each bin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/selection/range.h"
#include "analysis/timeline/curve.h"
#include "analysis/world.h"

#define SEEDS 40

static struct world w;

/* What the root calls of a thread have between two times on a clock. */
/* Of wall time only what is recorded. */
static uint64_t roots_inside(unsigned thread, int clock, uint64_t from, uint64_t to)
{
    uint64_t sum = 0;
    for (int i = 0; i < w.call_count; i++) {
        uint64_t last = w.calls[i].end[0] - world_unrecorded(&w, i);
        uint64_t until = clock == TV_CLOCK_WALL && to > last ? last : to;
        if (w.calls[i].thread == thread && w.calls[i].depth == 0 && until > from)
            sum += world_inside(&w, i, clock, from, until);
    }
    return sum;
}

static void expect_curve(unsigned thread, uint32_t bins)
{
    struct tv_curve curve;
    tv_curve_init(&curve, tv_alloc_libc());
    assert_int_equal(
        tv_curve_compute(&curve, &w.index, world_thread_ix(&w, thread), bins, NULL, NULL), TV_OK);
    assert_int_equal(curve.bin_count, bins);
    assert_int_equal(curve.edges_ns[bins], tv_axis_len_ns(&w.index));
    for (uint32_t i = 0; i < bins; i++) {
        uint64_t from = curve.edges_ns[i];
        /* The end of the trace is open: what comes at its last moment is inside. */
        uint64_t to = i + 1 == bins ? UINT64_MAX : curve.edges_ns[i + 1];
        if (from == to)
            continue;
        assert_int_equal(curve.called_ns[i], roots_inside(thread, TV_CLOCK_WALL, from, to));
        assert_int_equal(curve.cpu_ns[i], roots_inside(thread, TV_CLOCK_CPU, from, to));
    }
    tv_curve_release(&curve);
}

static void bins_have_what_a_range_of_their_edges_has(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        world_any(&w, seed);
        for (uint32_t i = 0; i < w.index.thread_count; i++) {
            unsigned thread = w.index.threads[i].id;
            expect_curve(thread, 1);
            expect_curve(thread, 7);
            expect_curve(thread, 64);
        }
        world_release(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_have_what_a_range_of_their_edges_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
