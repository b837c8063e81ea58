/* Windows of the timeline: boxes against the plain calls, at many resolutions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/timeline/window.h"
#include "analysis/world.h"

#define SEEDS 80
#define PLENTY 10000u /* boxes: a window sets aside room for as many */

static struct world w;

static void compute(struct tv_window *window, const struct tv_window_row *rows, uint32_t row_count,
                    struct tv_window_opts opts)
{
    tv_window_init(window, tv_alloc_libc());
    if (!opts.box_limit)
        opts.box_limit = PLENTY;
    assert_int_equal(tv_window_compute(window, &w.index, rows, row_count, &opts, NULL), TV_OK);
}

/* Every row of every thread as deep as it goes; returns how many. */
static uint32_t all_depths(struct tv_window_row *rows)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w.index.thread_count; i++) {
        for (uint32_t depth = 0; depth < w.index.threads[i].max_depth; depth++)
            rows[count++] =
                (struct tv_window_row){.thread_ix = i, .kind = TV_ROW_DEPTH, .depth = depth};
    }
    return count;
}

static struct tv_window_row rows[WORLD_CALLS];

static void counts_sum_to_calls_at_every_resolution(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        world_random(&w, seed);
        uint32_t row_count = all_depths(rows);
        for (uint32_t width = 1; width <= 100000 && w.latest; width *= 7) {
            struct tv_window window;
            uint64_t calls = 0;
            compute(&window, rows, row_count,
                    (struct tv_window_opts){.to_ns = w.latest, .width = width});
            for (size_t i = 0; i < window.box_count; i++)
                calls += window.boxes[i].count;
            assert_int_equal(calls, w.call_count);
            assert_false(window.is_coarse);
            tv_window_release(&window);
        }
        world_release(&w);
    }
}

/* The calls of one row, in order of start, as places in w.calls. */
static int row_calls(unsigned thread, unsigned depth, int *calls)
{
    int count = 0;
    for (int i = 0; i < w.call_count; i++) {
        if (w.calls[i].thread != thread || w.calls[i].depth != depth)
            continue;
        int at = count++;
        for (; at && w.calls[calls[at - 1]].start[0] > w.calls[i].start[0]; at--)
            calls[at] = calls[at - 1];
        calls[at] = i;
    }
    return count;
}

/* A box must say what its calls are, from the first to the last of its run. */
static void check_box(const struct tv_window *window, const struct tv_box *box, const int *calls)
{
    const struct plain_call *first = &w.calls[calls[0]];
    const struct plain_call *last = &w.calls[calls[box->count - 1]];
    uint64_t longest = 0;
    for (uint32_t i = 0; i < box->count; i++) {
        uint64_t len = w.calls[calls[i]].end[0] - w.calls[calls[i]].start[0];
        longest = len > longest ? len : longest;
        if (box->count > 1)
            assert_true(len < window->pixel_ns);
        assert_int_equal(w.calls[calls[i]].start[0] / window->pixel_ns,
                         first->start[0] / window->pixel_ns);
    }
    assert_int_equal(box->start_ns, first->start[0]);
    assert_int_equal(box->start_ns + box->len_ns, last->end[0]);
    const struct tv_index_thread *thread = &w.index.threads[world_thread_ix(&w, first->thread)];
    uint64_t call = w.index.rows[thread->row_first + box->depth].call_first + box->call;
    assert_int_equal(tv_index_duration(&w.index, thread, TV_CLOCK_WALL, call) * 1000, longest);
    assert_int_equal(box->method, w.index.node_method[w.index.call_node[call]]);
}

static void boxes_are_runs_of_calls_within_a_pixel(void **state)
{
    static int calls[WORLD_CALLS];
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        struct tv_window window;
        uint32_t dice = seed;
        world_random(&w, seed);
        uint32_t row_count = all_depths(rows);
        compute(
            &window, rows, row_count,
            (struct tv_window_opts){.to_ns = w.latest + 1, .width = 1 + world_dice(&dice, 300)});
        for (uint32_t r = 0; r < row_count; r++) {
            const struct tv_window_row *row = &window.rows[r];
            int count = row_calls(w.index.threads[row->thread_ix].id, row->depth, calls);
            int at = 0;
            for (uint32_t i = 0; i < row->box_count; i++) {
                const struct tv_box *box = &window.boxes[row->box_first + i];
                check_box(&window, box, calls + at);
                at += (int)box->count;
            }
            assert_int_equal(at, count);
        }
        tv_window_release(&window);
        world_release(&w);
    }
}

static void part_of_the_axis_has_the_calls_that_touch_it(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        struct tv_window window;
        uint32_t dice = seed;
        uint64_t boxes = 0;
        world_random(&w, seed);
        uint64_t from = world_dice(&dice, (uint32_t)w.latest + 1);
        uint64_t to = from + 1 + world_dice(&dice, (uint32_t)w.latest + 1);
        compute(&window, rows, all_depths(rows),
                (struct tv_window_opts){.from_ns = from, .to_ns = to, .width = 32768});
        for (size_t i = 0; i < window.box_count; i++)
            boxes += window.boxes[i].count;
        uint64_t inside = 0;
        uint64_t touching = 0;
        for (int i = 0; i < w.call_count; i++) {
            inside += world_overlaps(&w, i, from, to);
            touching += w.calls[i].start[0] <= to && w.calls[i].end[0] + 1000 >= from;
        }
        assert_true(boxes >= inside);
        assert_true(boxes <= touching);
        tv_window_release(&window);
        world_release(&w);
    }
}

/* How long each method is innermost in each of the threads, call by call. */
static void folded_boxes_are_the_innermost_calls_when_near(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        struct tv_window window;
        uint64_t shown[WORLD_METHODS] = {0};
        uint32_t row_count = 0;
        world_random(&w, seed);
        for (uint32_t i = 0; i < w.index.thread_count; i++)
            rows[row_count++] = (struct tv_window_row){.thread_ix = i, .kind = TV_ROW_FOLDED};
        /* A pixel is a microsecond or less: each segment that has a length is a box. */
        compute(&window, rows, row_count,
                (struct tv_window_opts){.to_ns = w.latest ? w.latest : 1,
                                        .width = (uint32_t)(w.latest / 500 + 1)});
        for (size_t i = 0; i < window.box_count; i++)
            shown[w.index.methods[window.boxes[i].method].id / 4 - 1] += window.boxes[i].len_ns;
        for (unsigned method = 0; method < WORLD_METHODS; method++) {
            uint64_t want = 0;
            for (int i = 0; i < w.call_count; i++)
                want += w.calls[i].method == method ? world_exclusive(&w, i, 0, 0, UINT64_MAX) : 0;
            assert_int_equal(shown[method], want);
        }
        tv_window_release(&window);
        world_release(&w);
    }
}

/* The method that is innermost at a moment in a thread, or WORLD_NONE. */
static int innermost_at(unsigned thread, uint64_t time)
{
    int best = WORLD_NONE;
    for (int i = 0; i < w.call_count; i++) {
        const struct plain_call *call = &w.calls[i];
        bool spans = call->thread == thread && call->start[0] <= time && call->end[0] > time;
        if (spans && (best == WORLD_NONE || call->depth > w.calls[best].depth))
            best = i;
    }
    return best;
}

/* Many segments of 1 to 3 us, and in each 200th place one of 50 us: the dense way, by segment
 * groups, must find it. */
static void dense_folded_row_shows_the_longest_of_each_pixel(void **state)
{
    struct tv_window window;
    uint32_t wall = 0;
    uint32_t dice = 5;
    (void)state;
    world_begin(&w);
    for (int i = 0; i < 2000; i++) {
        uint32_t len = i % 200 == 77 ? 50 : 1 + world_dice(&dice, 3);
        world_enter(&w, MAIN, i % 200 == 77 ? 4 : (unsigned)i % 4, wall, wall);
        world_leave(&w, MAIN, i % 200 == 77 ? 4 : (unsigned)i % 4, wall + len, wall + len);
        wall += len;
    }
    world_end(&w);
    struct tv_window_row row = {.thread_ix = world_thread_ix(&w, MAIN), .kind = TV_ROW_FOLDED};
    for (uint32_t width = 3; width < 4000; width = width * 3 / 2) {
        compute(&window, &row, 1, (struct tv_window_opts){.to_ns = w.latest, .width = width});
        unsigned long_boxes = 0;
        for (size_t i = 0; i < window.box_count; i++) {
            const struct tv_box *box = &window.boxes[i];
            long_boxes += w.index.methods[box->method].id == M(4);
            assert_true(box->len_ns <= 2 * window.pixel_ns || box->count == 1);
            assert_true(i == 0 || box->start_ns >= window.boxes[i - 1].start_ns);
            /* In a pixel that one of the long calls starts in, it is the longest. */
            for (int k = 77; k < 2000; k += 200) {
                const struct plain_call *call = &w.calls[k];
                if (call->start[0] / window.pixel_ns == box->start_ns / window.pixel_ns &&
                    call->end[0] - call->start[0] < window.pixel_ns)
                    assert_int_equal(w.index.methods[box->method].id, M(4));
            }
        }
        assert_in_range(long_boxes, 1, 10);
        tv_window_release(&window);
    }
    assert_int_equal(innermost_at(MAIN, w.calls[77].start[0]), 77);
    world_release(&w);
}

/* How long the longest call is of each box that a folded row of calls without callees should have.
 */
static size_t plain_folded(uint64_t pixel_ns, uint64_t *longest)
{
    size_t count = 0;
    uint64_t pixel = UINT64_MAX;
    for (int i = 0; i < w.call_count; i++) {
        uint64_t len = w.calls[i].end[0] - w.calls[i].start[0];
        bool is_wide = len >= pixel_ns;
        bool is_new = is_wide || w.calls[i].start[0] / pixel_ns != pixel;
        count += is_new;
        if (is_new || len > longest[count - 1])
            longest[count - 1] = len;
        pixel = is_wide ? UINT64_MAX : w.calls[i].start[0] / pixel_ns;
    }
    return count;
}

/* Stretches of pixels are made at once; in a bunch of calls without length, where one begins, whole
 * segment groups stand at one moment. */
static void folded_row_in_stretches_has_the_longest_of_each_pixel(void **state)
{
    static uint64_t plain[WORLD_CALLS];
    uint32_t dice = 3;
    (void)state;
    world_begin(&w);
    for (uint32_t wall = 0, made = 0; wall < 6000; made++) {
        bool is_bunch = wall % 500 == 0 && made % 250 != 249;
        uint32_t len = is_bunch ? 0 : 1 + world_dice(&dice, wall % 700 - 150 < 12 ? 30 : 6);
        if (wall / 500 != (wall + len) / 500)
            len = 500 - wall % 500;
        world_enter(&w, MAIN, made % 3, wall, wall);
        world_leave(&w, MAIN, made % 3, wall + len, wall + len);
        wall += len;
    }
    world_end(&w);
    struct tv_window_row row = {.thread_ix = world_thread_ix(&w, MAIN), .kind = TV_ROW_FOLDED};
    for (uint32_t width = 60; width <= 600; width += 20) {
        struct tv_window window;
        compute(&window, &row, 1, (struct tv_window_opts){.to_ns = w.latest, .width = width});
        size_t count = plain_folded(window.pixel_ns, plain);
        assert_int_equal(window.box_count, count);
        for (size_t i = 0; i < count; i++) {
            const struct plain_call *call = &w.calls[window.boxes[i].call];
            assert_int_equal(call->end[0] - call->start[0], plain[i]);
        }
        tv_window_release(&window);
    }
    world_release(&w);
}

static void too_many_boxes_double_the_pixel(void **state)
{
    struct tv_window window;
    (void)state;
    world_random(&w, 11);
    uint32_t row_count = all_depths(rows);
    compute(&window, rows, row_count,
            (struct tv_window_opts){.to_ns = w.latest, .width = 1024, .box_limit = row_count * 4});
    assert_true(window.box_count <= row_count * 4);
    assert_true(window.is_coarse);
    uint64_t pixel_ns = (w.latest + 1023) / 1024;
    while (pixel_ns < window.pixel_ns)
        pixel_ns *= 2;
    assert_int_equal(pixel_ns, window.pixel_ns);
    tv_window_release(&window);
    world_release(&w);
}

/* Runs tasks last to first, as another number of threads might. */
static void run_backwards(void *ctx, tv_task task, void *arg, size_t count)
{
    (void)ctx;
    while (count--)
        task(arg, count);
}

static void resolution_is_the_finest_that_fits_on_any_pool(void **state)
{
    static const struct tv_pool backwards = {.run = run_backwards, .thread_count = 2};
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        struct tv_window window;
        struct tv_window finer;
        world_random(&w, seed);
        uint32_t row_count = all_depths(rows);
        struct tv_window_opts opts = {.to_ns = w.latest + 1,
                                      .width = 1024,
                                      .box_limit = row_count * (1 + seed % 7) + 1,
                                      .pool = &backwards};
        compute(&window, rows, row_count, opts);
        assert_true(window.box_count <= opts.box_limit);
        if (window.is_coarse) {
            /* Twice as fine, with room for all: too many. */
            uint64_t pixel_ns = window.pixel_ns / 2;
            compute(&finer, rows, row_count,
                    (struct tv_window_opts){
                        .to_ns = w.latest + 1,
                        .width = (uint32_t)((w.latest + 1 + pixel_ns - 1) / pixel_ns)});
            assert_true(finer.pixel_ns != pixel_ns || finer.box_count > opts.box_limit);
            tv_window_release(&finer);
        }
        opts.pool = NULL;
        compute(&finer, rows, row_count, opts);
        assert_int_equal(finer.box_count, window.box_count);
        assert_memory_equal(finer.boxes, window.boxes, window.box_count * sizeof(*window.boxes));
        tv_window_release(&finer);
        tv_window_release(&window);
        world_release(&w);
    }
}

/* From 64 rows on, some of them stand for all while the resolution is searched: alike rows must get
 * the one that one of them gets with its share of the boxes. */
static void many_rows_get_the_resolution_of_their_share(void **state)
{
    static const uint32_t counts[] = {63, 64, 65, 511, 600, 1200};
    (void)state;
    world_dense(&w, 7);
    uint32_t thread_ix = world_thread_ix(&w, MAIN);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        for (uint32_t share = 1; share <= 40; share += 3) {
            struct tv_window one;
            struct tv_window many;
            struct tv_window_opts opts = {.to_ns = w.latest + 1, .width = 1024, .box_limit = share};
            for (uint32_t k = 0; k < counts[i]; k++)
                rows[k] = (struct tv_window_row){.thread_ix = thread_ix, .kind = TV_ROW_DEPTH};
            compute(&one, rows, 1, opts);
            opts.box_limit = share * counts[i];
            compute(&many, rows, counts[i], opts);
            assert_int_equal(many.pixel_ns, one.pixel_ns);
            assert_int_equal(many.is_coarse, one.is_coarse);
            assert_int_equal(many.box_count, counts[i] * one.box_count);
            tv_window_release(&many);
            tv_window_release(&one);
        }
    }
    world_release(&w);
}

static void extents_are_the_outermost_calls_of_the_method(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        uint32_t row_count = 0;
        world_random(&w, seed);
        for (uint32_t i = 0; i < w.index.thread_count; i++)
            rows[row_count++] = (struct tv_window_row){.thread_ix = i, .kind = TV_ROW_EXTENTS};
        for (uint32_t width = 1; width < 10000 && w.latest; width *= 13) {
            struct tv_window window;
            unsigned method = seed % WORLD_METHODS;
            uint64_t shown = 0;
            uint64_t want = 0;
            compute(&window, rows, row_count,
                    (struct tv_window_opts){.to_ns = w.latest,
                                            .width = width,
                                            .extents_method = world_method_ix(&w, method)});
            for (size_t i = 0; i < window.box_count; i++)
                shown += window.boxes[i].count;
            for (int i = 0; i < w.call_count; i++)
                want += w.calls[i].method == method && !w.calls[i].is_recursive;
            assert_int_equal(shown, want);
            tv_window_release(&window);
        }
        world_release(&w);
    }
}

static void call_that_mostly_waits_is_marked(void **state)
{
    struct tv_window window;
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_enter(&w, MAIN, 1, 100, 100); /* waits 300 of 400 us */
    world_leave(&w, MAIN, 1, 500, 200);
    world_enter(&w, MAIN, 1, 500, 200); /* waits 90 us: not worth a mark */
    world_leave(&w, MAIN, 1, 590, 200);
    world_leave(&w, MAIN, 0, 1000, 610); /* what it waited itself is nothing */
    world_enter(&w, MAIN, 2, 1000, 610);
    world_end(&w);
    uint32_t row_count = all_depths(rows);
    compute(&window, rows, row_count, (struct tv_window_opts){.to_ns = w.latest, .width = 1000});
    assert_int_equal(window.box_count, 4);
    assert_int_equal(window.boxes[0].flags, 0);
    assert_int_equal(window.boxes[1].flags, TV_BOX_OPEN_AT_END);
    assert_int_equal(window.boxes[2].flags, TV_BOX_WAITING);
    assert_int_equal(window.boxes[3].flags, 0);
    tv_window_release(&window);
    world_release(&w);
}

/* CPU time as the share of wall time that a box says, from a plain call. */
static uint32_t share_of(uint64_t cpu, uint64_t wall, uint64_t unrecorded)
{
    wall -= unrecorded;
    if (!wall || unrecorded > wall)
        return TV_BOX_CPU_UNKNOWN;
    return cpu >= wall ? TV_BOX_CPU_WHOLE : (uint32_t)((double)cpu / (double)wall * 254 + 0.5);
}

/* The plain call of a box. */
static int call_of_box(const struct tv_window_row *row, const struct tv_box *box)
{
    static int calls[WORLD_CALLS];
    int count = row_calls(w.index.threads[row->thread_ix].id, box->depth, calls);
    assert_in_range(box->call, 0, count - 1);
    return calls[box->call];
}

static void boxes_say_their_cpu_share_when_asked(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        struct tv_window window;
        world_random(&w, seed);
        uint32_t row_count = all_depths(rows);
        for (uint32_t i = 0; i < w.index.thread_count; i++)
            rows[row_count++] = (struct tv_window_row){.thread_ix = i, .kind = TV_ROW_FOLDED};
        compute(&window, rows, row_count,
                (struct tv_window_opts){.to_ns = w.latest + 1, .width = 300, .has_cpu = true});
        for (uint32_t r = 0; r < row_count; r++) {
            for (uint32_t i = 0; i < window.rows[r].box_count; i++) {
                const struct tv_box *box = &window.boxes[window.rows[r].box_first + i];
                int call = call_of_box(&rows[r], box);
                const struct plain_call *plain = &w.calls[call];
                uint32_t want =
                    share_of(plain->end[1] - plain->start[1], plain->end[0] - plain->start[0],
                             world_unrecorded(&w, call));
                if (rows[r].kind == TV_ROW_FOLDED)
                    want = share_of(world_exclusive(&w, call, 1, 0, UINT64_MAX),
                                    world_exclusive(&w, call, 0, 0, UINT64_MAX),
                                    world_own_unrecorded(&w, call));
                assert_int_equal(box->cpu, want);
            }
        }
        tv_window_release(&window);
        world_release(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_sum_to_calls_at_every_resolution),
        cmocka_unit_test(boxes_are_runs_of_calls_within_a_pixel),
        cmocka_unit_test(part_of_the_axis_has_the_calls_that_touch_it),
        cmocka_unit_test(folded_boxes_are_the_innermost_calls_when_near),
        cmocka_unit_test(dense_folded_row_shows_the_longest_of_each_pixel),
        cmocka_unit_test(folded_row_in_stretches_has_the_longest_of_each_pixel),
        cmocka_unit_test(too_many_boxes_double_the_pixel),
        cmocka_unit_test(resolution_is_the_finest_that_fits_on_any_pool),
        cmocka_unit_test(many_rows_get_the_resolution_of_their_share),
        cmocka_unit_test(extents_are_the_outermost_calls_of_the_method),
        cmocka_unit_test(call_that_mostly_waits_is_marked),
        cmocka_unit_test(boxes_say_their_cpu_share_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
