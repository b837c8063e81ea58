/* Scans for the calls of some methods, in selections, against the plain calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/calls/method_scan.h"
#include "analysis/world.h"

#define SEEDS 60

static struct world w;

/* What a scan has visited: calls, and their starts and depths added up, by slot. */
struct visited {
    uint64_t calls[2];
    uint64_t starts[2];
    uint64_t depths[2];
};

static void visit(void *ctx, const struct tv_method_scan_row *row, uint32_t slot, uint64_t call)
{
    struct visited *visited = ctx;
    assert_in_range(slot, 0, 1);
    visited->calls[slot]++;
    visited->starts[slot] += tv_index_start(&w.index, row->thread, TV_CLOCK_WALL, call) * 1000;
    visited->depths[slot] += row->row_ix - w.index.threads[row->thread_ix].row_first;
}

/* Calls of method m that overlap a range; those without length that begin in it. */
static struct visited plain_visit(const unsigned methods[2], uint64_t from, uint64_t to)
{
    struct visited want = {.calls = {0}};
    for (int i = 0; i < w.call_count; i++) {
        for (int slot = 0; slot < 2; slot++) {
            if (w.calls[i].method != methods[slot] || !world_overlaps(&w, i, from, to))
                continue;
            want.calls[slot]++;
            want.starts[slot] += w.calls[i].start[0];
            want.depths[slot] += w.calls[i].depth;
        }
    }
    return want;
}

/* One scan is prepared again for other methods. */
static void scan_visits_the_calls_of_its_methods(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        uint32_t dice = seed;
        struct tv_method_scan scan;
        world_any(&w, seed);
        tv_method_scan_init(&scan, tv_alloc_libc());
        for (unsigned i = 0; i < 3 && w.call_count; i++) {
            const unsigned numbers[2] = {i, i + 2};
            const uint32_t methods[2] = {world_method_ix(&w, i), world_method_ix(&w, i + 2)};
            uint64_t from = w.calls[world_dice(&dice, (uint32_t)w.call_count)].start[0];
            uint64_t to = from + 1 + world_dice(&dice, (uint32_t)w.latest + 1);
            const struct tv_selection range = {.has_range = true, .from_ns = from, .to_ns = to};
            struct visited got = {.calls = {0}};
            assert_int_equal(tv_method_scan_prepare(&scan, &w.index, methods, 2, NULL), TV_OK);
            tv_method_scan_run(&scan, &range, visit, &got);
            struct visited want = plain_visit(numbers, from, to >= w.latest ? UINT64_MAX : to);
            for (int slot = 0; slot < 2; slot++) {
                assert_int_equal(got.calls[slot], want.calls[slot]);
                assert_int_equal(got.starts[slot], want.starts[slot]);
                assert_int_equal(got.depths[slot], want.depths[slot]);
            }
        }
        tv_method_scan_release(&scan);
        world_release(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan_visits_the_calls_of_its_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
