/* Pixels of a folded row: which of the segments in a pixel its box is of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/timeline/window.h"
#include "analysis/world.h"

#define PLENTY 10000u /* boxes: a window sets aside room for as many */
#define SEGMENTS (2 * WORLD_CALLS)

static struct world w;

/* A stretch of time in which one call is innermost, as the test makes it: microseconds. */
struct plain_segment {
    uint32_t start;
    uint32_t len;
    uint32_t depth;
    uint32_t call; /* ordinal in its row */
};

static struct plain_segment segments[SEGMENTS];
static size_t segment_count;

static void add_segment(uint32_t start, uint32_t len, uint32_t depth, uint32_t call)
{
    segments[segment_count++] = (struct plain_segment){start, len, depth, call};
}

/* One call with 2000 callees that last between len_least and len_most; some have a gap before them,
 * in which the caller is innermost. */
static void begin_row(uint32_t len_least, uint32_t len_most, uint32_t seed)
{
    uint32_t dice = seed;
    uint32_t wall = 0;
    segment_count = 0;
    world_begin(&w);
    world_enter(&w, MAIN, 5, 0, 0);
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t gap = world_dice(&dice, 4) ? 0 : world_dice(&dice, len_most + 1);
        uint32_t len = len_least + world_dice(&dice, len_most - len_least + 1);
        if (gap)
            add_segment(wall, gap, 0, 0);
        add_segment(wall + gap, len, 1, i);
        world_enter(&w, MAIN, i % 3, wall + gap, wall + gap);
        world_leave(&w, MAIN, i % 3, wall + gap + len, wall + gap + len);
        wall += gap + len;
    }
    world_leave(&w, MAIN, 5, wall, wall);
    world_end(&w);
}

/* The segments of one box: those that start in one pixel and are shorter than it, or a longer one
 * alone. Returns where the next box begins; `longest` is the first among equals. */
static size_t next_box(size_t first, uint64_t pixel_ns, const struct plain_segment **longest)
{
    uint64_t pixel = segments[first].start * (uint64_t)1000 / pixel_ns;
    size_t i = first;
    *longest = &segments[first];
    for (; i < segment_count; i++) {
        bool is_wide = segments[i].len * (uint64_t)1000 >= pixel_ns;
        if (is_wide || segments[i].start * (uint64_t)1000 / pixel_ns != pixel)
            break;
        if (segments[i].len > (*longest)->len)
            *longest = &segments[i];
    }
    return i > first ? i : first + 1;
}

/* The first box of the whole row that starts at or after `from_ns`. */
static size_t boxes_before(const struct tv_window *window, uint64_t from_ns)
{
    size_t i = 0;
    while (i < window->box_count && window->boxes[i].start_ns < from_ns)
        i++;
    return i;
}

static void paint(struct tv_window *window, uint64_t from_ns, uint64_t to_ns, uint32_t width)
{
    struct tv_window_row row = {.thread_ix = world_thread_ix(&w, MAIN), .kind = TV_ROW_FOLDED};
    struct tv_window_opts opts = {
        .from_ns = from_ns, .to_ns = to_ns, .width = width, .box_limit = PLENTY};
    tv_window_init(window, tv_alloc_libc());
    assert_int_equal(tv_window_compute(window, &w.index, &row, 1, &opts, NULL), TV_OK);
}

/* Short segments are often equally long, and pixels end anywhere in the index's groups. */
static void box_is_the_earliest_of_the_longest_segments_in_its_pixel(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 24; seed++) {
        uint32_t len_least = seed % 2;
        begin_row(len_least, 1 + seed % 5, seed);
        for (uint32_t width = 10; width < 1500; width = width * 3 / 2) {
            struct tv_window window;
            size_t at = 0;
            paint(&window, 0, w.latest, width);
            for (size_t i = 0; i < window.box_count; i++) {
                const struct tv_box *box = &window.boxes[i];
                const struct plain_segment *longest;
                size_t first = at;
                assert_in_range(at, 0, segment_count - 1);
                at = next_box(at, window.pixel_ns, &longest);
                assert_int_equal(box->depth, longest->depth);
                assert_int_equal(box->call, longest->call);
                /* Where a group begins, calls without length are not segments. */
                if (box->count && len_least) {
                    const struct plain_segment *last = &segments[at - 1];
                    assert_int_equal(box->count, at - first);
                    assert_int_equal(box->start_ns, segments[first].start * (uint64_t)1000);
                    assert_int_equal(box->start_ns + box->len_ns,
                                     (last->start + last->len) * (uint64_t)1000);
                }
            }
            assert_int_equal(at, segment_count);
            tv_window_release(&window);
        }
        world_release(&w);
    }
}

/* Where a window begins must not show in its pixels, though the first group in it is then looked at
 * segment by segment, and the next pixels' groups otherwise. */
static void pixel_shows_the_same_call_wherever_the_window_begins(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 8; seed++) {
        struct tv_window whole;
        begin_row(seed % 2, 1 + seed % 3, seed);
        paint(&whole, 0, w.latest, 100);
        for (uint64_t pixel = 1; pixel < 90; pixel += 3) {
            struct tv_window part;
            uint64_t from_ns = pixel * whole.pixel_ns;
            paint(&part, from_ns, from_ns + 10 * whole.pixel_ns, 10);
            assert_int_equal(part.pixel_ns, whole.pixel_ns);
            size_t of_part = boxes_before(&part, from_ns);
            size_t of_whole = boxes_before(&whole, from_ns);
            for (int i = 0; i < 8; i++) {
                const struct tv_box *box = &part.boxes[of_part + (size_t)i];
                const struct tv_box *same = &whole.boxes[of_whole + (size_t)i];
                assert_int_equal(box->depth, same->depth);
                assert_int_equal(box->call, same->call);
            }
            tv_window_release(&part);
        }
        tv_window_release(&whole);
        world_release(&w);
    }
}

/* 63 groups and two entries above them: a pixel takes them whole, from the highest down. */
static void longest_segment_is_found_in_whichever_group_it_lies(void **state)
{
    (void)state;
    for (uint32_t at = 20; at < 4000; at += 64) {
        struct tv_window window;
        world_begin(&w);
        for (uint32_t i = 0, wall = 0; i < 4000; i++) {
            uint32_t len = i == at ? 5 : 1;
            world_enter(&w, MAIN, 0, wall, wall);
            world_leave(&w, MAIN, 0, wall + len, wall + len);
            wall += len;
        }
        world_end(&w);
        for (uint32_t width = 1; width <= 3; width++) {
            bool is_found = false;
            paint(&window, 0, w.latest, width);
            assert_in_range(window.box_count, width, width + 1);
            for (size_t i = 0; i < window.box_count; i++) {
                assert_int_equal(window.boxes[i].count, 0); /* no segment was looked at */
                is_found = is_found || window.boxes[i].call == at;
            }
            assert_true(is_found);
            tv_window_release(&window);
        }
        world_release(&w);
    }
}

/* The first pixel of 1000 us: `count` calls of run, but for the one at `other`, which is of Load.
 * Then nothing is open until the next pixel. */
static struct tv_box first_pixel(uint32_t count, uint32_t other)
{
    struct tv_window window;
    world_begin(&w);
    for (uint32_t i = 0; i < count + 80; i++) {
        uint32_t wall = i < count ? i : 1000 + i - count;
        world_enter(&w, MAIN, i == other, wall, wall);
        world_leave(&w, MAIN, i == other, wall + 1, wall + 1);
    }
    world_end(&w);
    paint(&window, 0, 2000000, 2);
    struct tv_box box = window.boxes[0];
    assert_int_equal(window.pixel_ns, 1000000);
    tv_window_release(&window);
    world_release(&w);
    return box;
}

/* Some of these pixels are just a group, which is not looked at one by one: 64 segments, of which
 * those between two calls have no length. */
static void second_method_anywhere_in_a_group_makes_its_pixel_mixed(void **state)
{
    uint32_t wholes = 0;
    (void)state;
    for (uint32_t count = 27; count <= 31; count++) {
        struct tv_box box = first_pixel(count, UINT32_MAX);
        assert_int_equal(box.flags & TV_BOX_MIXED, 0);
        wholes += !box.count;
        for (uint32_t other = 0; other < count; other++) {
            box = first_pixel(count, other);
            assert_int_equal(box.flags & TV_BOX_MIXED, TV_BOX_MIXED);

            assert_int_equal(box.call, 0);
        }
    }
    assert_true(wholes > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_is_the_earliest_of_the_longest_segments_in_its_pixel),
        cmocka_unit_test(longest_segment_is_found_in_whichever_group_it_lies),
        cmocka_unit_test(second_method_anywhere_in_a_group_makes_its_pixel_mixed),
        cmocka_unit_test(pixel_shows_the_same_call_wherever_the_window_begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
