/*
 * A lean index beside the index of the same trace without the records of the hidden methods: the
 * timeline must show the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/lean/lean.h"
#include "analysis/timeline/segments.h"
#include "analysis/timeline/window.h"
#include "analysis/world.h"
#include "index/mipmap.h"
#include "support/failing_alloc.h"

#define SEEDS 120
#define STEPS 300
#define DEEPEST 12
#define PLENTY                                                                                     \
    10000u /* boxes: a window sets aside room for as many, and no world has a tenth of them */

#define FIRST_HIDDEN 2u /* com.lib.List.get and put */
#define LAST_HIDDEN 3u
static const struct tv_str hidden_packages = {"com.lib.", 8};

static struct world whole; /* with the hidden methods */
static struct world bare;  /* without */

static bool is_hidden(unsigned method)
{
    return method >= FIRST_HIDDEN && method <= LAST_HIDDEN;
}

static void both_enter(unsigned thread, unsigned method, uint32_t wall, uint32_t cpu)
{
    world_enter(&whole, thread, method, wall, cpu);
    if (!is_hidden(method))
        world_enter(&bare, thread, method, wall, cpu);
}

static void both_leave(unsigned thread, unsigned method, uint32_t wall, uint32_t cpu)
{
    world_leave(&whole, thread, method, wall, cpu);
    if (!is_hidden(method))
        world_leave(&bare, thread, method, wall, cpu);
}

/* A random program. Each thread's first and last records are shown, so that its time is the same in
 * both worlds; some calls are adopted, some open at the end, many of length zero. */
static void make_worlds(uint32_t seed)
{
    uint32_t dice = seed * 7 + 1;
    uint32_t wall = 10;
    uint32_t cpu[3] = {0, 5, 5};
    unsigned stack[3][DEEPEST];
    unsigned depth[3] = {0, 0, 0};
    world_begin(&whole);
    world_begin(&bare);
    for (unsigned thread = 1; thread <= 2; thread++) {
        both_enter(thread, 0, wall, cpu[thread]);
        both_leave(thread, 0, wall, cpu[thread]);
    }
    for (int i = 0; i < STEPS; i++) {
        unsigned thread = 1 + world_dice(&dice, 2);
        uint32_t passed = world_dice(&dice, 3) ? world_dice(&dice, 40) : 0;
        unsigned method = world_dice(&dice, WORLD_METHODS);
        wall += passed;
        cpu[thread] += passed ? world_dice(&dice, passed + 1) : 0;
        bool is_enter = depth[thread] < DEEPEST && world_dice(&dice, 100) < 52;
        if (is_enter) {
            stack[thread][depth[thread]++] = method;
            both_enter(thread, method, wall, cpu[thread]);
        } else if (depth[thread]) {
            both_leave(thread, stack[thread][--depth[thread]], wall, cpu[thread]);
        } else if (world_dice(&dice, 4) == 0) {
            both_leave(thread, method, wall, cpu[thread]); /* it began before the trace */
        }
    }
    wall += 5;
    for (unsigned thread = 1; thread <= 2; thread++) {
        cpu[thread] += 3;
        both_enter(thread, 1, wall, cpu[thread]);
        both_leave(thread, 1, wall, cpu[thread]);
    }
    world_end(&whole);
    world_end(&bare);
}

static void release_worlds(void)
{
    world_release(&whole);
    world_release(&bare);
}

static unsigned method_number(const struct world *w, uint32_t method_ix)
{
    unsigned method = 0;
    while (method < WORLD_METHODS && world_method_ix(w, method) != method_ix)
        method++;
    return method;
}

/* All rows of a kind of the first two threads, which both worlds have. */
static uint32_t list_rows(const struct tv_index *index, enum tv_row_kind kind,
                          struct tv_window_row *rows)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        uint32_t depths = kind == TV_ROW_DEPTH ? index->threads[i].max_depth : 1;
        for (uint32_t depth = 0; depth < depths; depth++)
            rows[count++] = (struct tv_window_row){.thread_ix = i, .kind = kind, .depth = depth};
    }
    return count;
}

static void compute(struct tv_window *window, const struct tv_index *index,
                    const struct tv_lean *lean, enum tv_row_kind kind, struct tv_window_opts opts)
{
    static struct tv_window_row rows[WORLD_CALLS];
    uint32_t count = list_rows(lean ? &lean->index : index, kind, rows);
    opts.lean = lean;
    opts.box_limit = PLENTY;
    tv_window_init(window, tv_alloc_libc());
    assert_int_equal(tv_window_compute(window, index, rows, count, &opts, NULL), TV_OK);
}

static void compare_boxes(const struct tv_box *seen, const struct tv_box *expected)
{
    const uint32_t told = TV_BOX_OPEN_AT_END | TV_BOX_ADOPTED | TV_BOX_WAITING;
    assert_int_equal(seen->start_ns, expected->start_ns);
    assert_int_equal(seen->len_ns, expected->len_ns);
    assert_int_equal(method_number(&whole, seen->method), method_number(&bare, expected->method));
    assert_int_equal(seen->flags & told, expected->flags & told);
    assert_int_equal(seen->cpu, expected->cpu);
}

static void compare_depths(const struct tv_lean *lean, struct tv_window_opts opts)
{
    struct tv_window seen;
    struct tv_window expected;
    compute(&seen, &whole.index, lean, TV_ROW_DEPTH, opts);
    compute(&expected, &bare.index, NULL, TV_ROW_DEPTH, opts);
    assert_int_equal(seen.row_count, expected.row_count);
    assert_int_equal(seen.box_count, expected.box_count);
    for (size_t i = 0; i < seen.box_count; i++) {
        compare_boxes(&seen.boxes[i], &expected.boxes[i]);
        assert_int_equal(seen.boxes[i].flags & TV_BOX_MIXED,
                         expected.boxes[i].flags & TV_BOX_MIXED);
        assert_int_equal(seen.boxes[i].count, expected.boxes[i].count);
    }
    tv_window_release(&seen);
    tv_window_release(&expected);
}

/* The next box of some length: segments of no length are not told where a walk begins, and groups
 * of segments begin elsewhere in the two indexes. */
static size_t skip_empty(const struct tv_window *window, size_t i)
{
    while (i < window->box_count && !window->boxes[i].len_ns)
        i++;
    return i;
}

/* In pixels as long as the trace's unit, each segment of some length is a box. */
static void compare_segments(const struct tv_lean *lean, uint64_t from, uint64_t to)
{
    const struct tv_window_opts opts = {
        .from_ns = from, .to_ns = to, .width = (uint32_t)((to - from) / 1000 + 1), .has_cpu = true};
    struct tv_window seen;
    struct tv_window expected;
    compute(&seen, &whole.index, lean, TV_ROW_FOLDED, opts);
    compute(&expected, &bare.index, NULL, TV_ROW_FOLDED, opts);
    size_t a = skip_empty(&seen, 0);
    size_t b = skip_empty(&expected, 0);
    while (a < seen.box_count && b < expected.box_count) {
        compare_boxes(&seen.boxes[a], &expected.boxes[b]);
        a = skip_empty(&seen, a + 1);
        b = skip_empty(&expected, b + 1);
    }
    assert_int_equal(a, seen.box_count);
    assert_int_equal(b, expected.box_count);
    tv_window_release(&seen);
    tv_window_release(&expected);
}

static struct tv_lean_cache cache;

static struct tv_lean *hold(void)
{
    struct tv_lean *lean;
    tv_lean_cache_init(&cache, tv_alloc_libc(), 1);
    assert_int_equal(tv_lean_hold(&cache, &whole.index, hidden_packages, NULL, &lean, NULL), TV_OK);
    return lean;
}

static void let_go(struct tv_lean *lean)
{
    tv_lean_let_go(&cache, lean);
    tv_lean_cache_release(&cache);
}

static void windows_are_those_of_a_trace_without_the_hidden_methods(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        make_worlds(seed);
        struct tv_lean *lean = hold();
        uint64_t end = whole.latest;
        for (uint32_t width = 1; width <= 100000; width *= 9) {
            compare_depths(lean,
                           (struct tv_window_opts){.to_ns = end, .width = width, .has_cpu = true});
            compare_depths(lean, (struct tv_window_opts){.from_ns = end / 3,
                                                         .to_ns = end / 2 + 1,
                                                         .width = width,
                                                         .has_cpu = true});
        }
        compare_segments(lean, 0, end);
        compare_segments(lean, end / 3, end / 2 + 1);
        let_go(lean);
        release_worlds();
    }
}

/* Walks all segments of a thread, and holds the longest of each group against what the group says.
 */
static void check_groups(const struct tv_lean *lean, uint32_t thread_ix)
{
    const struct tv_index_thread *thread = &lean->index.threads[thread_ix];
    const struct tv_index_segment_group *groups = lean->index.segment_groups + thread->group_first;
    struct tv_walker walker;
    struct tv_segment segment;
    tv_walker_init(&walker, tv_alloc_libc());
    assert_int_equal(tv_walker_open(&walker, &lean->index, thread_ix, NULL), TV_OK);
    for (uint64_t i = 0; i < thread->group_count; i++) {
        uint64_t end = i + 1 < thread->group_count ? groups[i + 1].start : UINT64_MAX;
        struct tv_segment longest = {.len = 0};
        assert_true(groups[i].start < end || groups[i].start == end);
        tv_walker_seek(&walker, &groups[i]);
        while (tv_walker_next(&walker, &segment) && segment.start < end) {
            if (segment.len > longest.len)
                longest = segment;
        }
        assert_int_equal(longest.len, groups[i].longest_len);
        if (longest.len) {
            assert_int_equal(longest.start, groups[i].longest_start);
            assert_int_equal(longest.call, groups[i].longest_call);
            assert_int_equal(longest.depth, groups[i].longest_depth);
        }
    }
    tv_walker_release(&walker);
}

static void segment_groups_have_their_longest_segments(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        make_worlds(seed);
        struct tv_lean *lean = hold();
        for (uint32_t i = 0; i < lean->index.thread_count; i++) {
            if (lean->index.threads[i].group_count)
                check_groups(lean, i);
        }
        let_go(lean);
        release_worlds();
    }
}

static void mipmaps_fit_and_rows_have_all_calls(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        make_worlds(seed);
        struct tv_lean *lean = hold();
        assert_int_equal(lean->index.call_count, bare.index.call_count);
        for (uint32_t i = 0; i < lean->index.thread_count; i++) {
            const struct tv_index_thread *thread = &lean->index.threads[i];
            assert_int_equal(thread->max_depth, bare.index.threads[i].max_depth);
            assert_int_equal(thread->calls, bare.index.threads[i].calls);
            for (uint32_t level = 0; level < thread->max_depth; level++) {
                struct tv_mipmap mipmap = tv_mipmap_of(&lean->index, i, thread->row_first + level);
                assert_true(tv_mipmap_fit(&mipmap));
                assert_int_equal(
                    lean->index.rows[thread->row_first + level].call_count,
                    bare.index.rows[bare.index.threads[i].row_first + level].call_count);
            }
        }
        let_go(lean);
        release_worlds();
    }
}

/* A step through every call: origin and find are each other's inverse, and what a box says of its
 * call is true of the whole index. */
static void calls_keep_their_places(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        make_worlds(seed);
        struct tv_lean *lean = hold();
        uint64_t shown = 0;
        for (uint32_t i = 0; i < whole.index.thread_count; i++) {
            const struct tv_index_thread *thread = &whole.index.threads[i];
            for (uint32_t depth = 0; depth < thread->max_depth; depth++) {
                const struct tv_index_row *row = &whole.index.rows[thread->row_first + depth];
                for (uint64_t n = 0; n < row->call_count; n++) {
                    struct tv_call_ref ref = {i, depth, row->call_first + n};
                    struct tv_call_ref place = tv_lean_find(lean, ref);
                    unsigned method = method_number(&whole, tv_call_method(&whole.index, ref));
                    assert_int_equal(tv_call_is(place), !is_hidden(method));
                    if (!tv_call_is(place))
                        continue;
                    struct tv_call_ref origin = tv_lean_origin(lean, place);
                    assert_int_equal(origin.call, ref.call);
                    assert_int_equal(origin.depth, depth);
                    shown++;
                }
            }
        }
        assert_int_equal(shown, lean->index.call_count);
        let_go(lean);
        release_worlds();
    }
}

/* main calls get (hidden), which calls Map.get; then put (hidden), which calls nothing. */
static void what_hidden_calls_made_moves_up_and_their_caller_is_marked(void **state)
{
    struct tv_window window;
    struct tv_window_row rows[2] = {{.kind = TV_ROW_DEPTH, .depth = 0},
                                    {.kind = TV_ROW_DEPTH, .depth = 1}};
    (void)state;
    world_begin(&whole);
    world_enter(&whole, 1, 0, 0, 0);
    world_enter(&whole, 1, 2, 10, 10);
    world_enter(&whole, 1, 4, 20, 20);
    world_leave(&whole, 1, 4, 30, 30);
    world_leave(&whole, 1, 2, 40, 40);
    world_enter(&whole, 1, 3, 50, 50);
    world_leave(&whole, 1, 3, 60, 60);
    world_leave(&whole, 1, 0, 100, 100);
    world_end(&whole);
    struct tv_lean *lean = hold();
    struct tv_window_opts opts = {.to_ns = 100000, .width = 1000, .lean = lean};
    tv_window_init(&window, tv_alloc_libc());
    assert_int_equal(tv_window_compute(&window, &whole.index, rows, 2, &opts, NULL), TV_OK);
    assert_int_equal(window.box_count, 2);
    const struct tv_box *main_box = &window.boxes[0];
    const struct tv_box *map_box = &window.boxes[1];
    assert_int_equal(main_box->method, world_method_ix(&whole, 0));
    assert_int_equal(main_box->flags, TV_BOX_OMITS);
    assert_int_equal(map_box->method, world_method_ix(&whole, 4));
    assert_int_equal(map_box->flags, 0);
    assert_int_equal(map_box->start_ns, 20000);
    assert_int_equal(map_box->len_ns, 10000);
    assert_int_equal(map_box->depth, 2); /* in the trace */
    assert_int_equal(map_box->call, 0);
    /* The time of what is hidden is its caller's own: 100 - 10. */
    uint64_t exclusive[TV_CLOCK_COUNT];
    struct tv_call_ref at = tv_lean_find(lean, tv_call_at(&whole.index, 0, 0, 0));
    tv_call_exclusive(&lean->index, at, exclusive);
    assert_int_equal(exclusive[TV_CLOCK_WALL], 90);
    assert_int_equal(exclusive[TV_CLOCK_CPU], 90);
    tv_window_release(&window);
    let_go(lean);
    world_release(&whole);
}

static void where_all_is_hidden_nothing_is_shown(void **state)
{
    struct tv_window window;
    struct tv_window_row rows[2] = {{.kind = TV_ROW_DEPTH}, {.kind = TV_ROW_FOLDED}};
    (void)state;
    world_begin(&whole);
    world_enter(&whole, 1, 2, 0, 0);
    world_leave(&whole, 1, 2, 10, 10);
    world_end(&whole);
    struct tv_lean *lean = hold();
    struct tv_window_opts opts = {.to_ns = 10000, .width = 10, .lean = lean};
    tv_window_init(&window, tv_alloc_libc());
    assert_int_equal(lean->index.threads[0].max_depth, 0);
    assert_int_equal(tv_window_compute(&window, &whole.index, rows, 2, &opts, NULL), TV_OK);
    assert_int_equal(window.box_count, 0);
    tv_window_release(&window);
    let_go(lean);
    world_release(&whole);
}

static void packages_without_calls_leave_the_index_as_it_is(void **state)
{
    struct tv_lean *lean;
    (void)state;
    make_worlds(3);
    tv_lean_cache_init(&cache, tv_alloc_libc(), 1);
    assert_int_equal(tv_lean_hold(&cache, &whole.index, TV_STR("org."), NULL, &lean, NULL), TV_OK);
    assert_ptr_equal(lean->index.call_node, whole.index.call_node);
    struct tv_call_ref ref = tv_call_at(&whole.index, 0, 0, 0);
    assert_int_equal(tv_lean_find(lean, ref).call, ref.call);
    assert_int_equal(tv_lean_origin(lean, ref).call, ref.call);
    let_go(lean);
    release_worlds();
}

static void the_cache_keeps_what_was_asked_for_last(void **state)
{
    struct tv_lean *first;
    struct tv_lean *again;
    struct tv_lean *other;
    (void)state;
    make_worlds(1);
    first = hold();
    assert_int_equal(tv_lean_hold(&cache, &whole.index, hidden_packages, NULL, &again, NULL),
                     TV_OK);
    assert_ptr_equal(first, again);
    tv_lean_let_go(&cache, again);
    assert_int_equal(tv_lean_hold(&cache, &whole.index, TV_STR("x"), NULL, &other, NULL), TV_OK);
    assert_ptr_not_equal(first, other);
    /* The first one has left the cache, and lives until its holder lets go. */
    assert_ptr_equal(cache.kept[0], other);
    assert_int_equal(first->index.call_count, bare.index.call_count);
    tv_lean_let_go(&cache, first);
    tv_lean_let_go(&cache, other);
    tv_lean_cache_forget(&cache, &bare.index);
    assert_ptr_equal(cache.kept[0], other);
    tv_lean_cache_forget(&cache, &whole.index);
    assert_null(cache.kept[0]);
    tv_lean_cache_release(&cache);
    release_worlds();
}

static void memory_that_runs_out_leaves_nothing_behind(void **state)
{
    (void)state;
    make_worlds(2);
    for (uint64_t n = 0;; n++) {
        struct failing_alloc failing;
        struct tv_lean *lean;
        failing_alloc_init(&failing, n);
        tv_lean_cache_init(&cache, &failing.alloc, 1);
        enum tv_code code = tv_lean_hold(&cache, &whole.index, hidden_packages, NULL, &lean, NULL);
        if (code == TV_OK)
            tv_lean_let_go(&cache, lean);
        tv_lean_cache_release(&cache);
        assert_int_equal(failing.live, 0);
        assert_false(failing.was_lied_to);
        if (code == TV_OK)
            break;
        assert_int_equal(code, TV_ERR_MEMORY);
    }
    release_worlds();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_those_of_a_trace_without_the_hidden_methods),
        cmocka_unit_test(segment_groups_have_their_longest_segments),
        cmocka_unit_test(mipmaps_fit_and_rows_have_all_calls),
        cmocka_unit_test(calls_keep_their_places),
        cmocka_unit_test(what_hidden_calls_made_moves_up_and_their_caller_is_marked),
        cmocka_unit_test(where_all_is_hidden_nothing_is_shown),
        cmocka_unit_test(packages_without_calls_leave_the_index_as_it_is),
        cmocka_unit_test(the_cache_keeps_what_was_asked_for_last),
        cmocka_unit_test(memory_that_runs_out_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
