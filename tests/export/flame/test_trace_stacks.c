/* From a trace to stacks: merged, in order of time, from a root on, and as AFlame has them. */
#include "export/flame/trace_stacks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "export/flame/flame.h"
#include "export/flame/folded_stacks.h"
#include "export/formats.h"
#include "export/probe.h"
#include "support/failing_alloc.h"

#define SEEDS 60

static struct world w;

/* What a probe of the export makes, and who looks at it. */
static struct tv_trace_stacks_opts wanted;
static void (*look)(const struct tv_stack_tree *tree);
static struct tv_error refusal;

static enum tv_code make(struct tv_export_context *context, struct tv_error *err)
{
    struct tv_trace_stacks stacks;
    struct tv_stack_tree tree;
    (void)err;
    tv_trace_stacks_init(&stacks, context, &wanted);
    tv_stack_tree_init(&tree, context->alloc);
    refusal.code = tv_trace_stacks_make(&stacks, &tree, &refusal);
    if (refusal.code == TV_OK)
        look(&tree);
    tv_stack_tree_release(&tree);
    tv_trace_stacks_release(&stacks);
    return TV_OK;
}

static const struct tv_export probe = {.name = "probe", .suffix = ".probe", .write = make};

static void path_of(const struct tv_stack_tree *of, uint32_t frame, char path[1024])
{
    path[0] = '\0';
    for (; frame != TV_STACK_ROOT; frame = of->frames[frame].parent) {
        char rest[1024];
        struct tv_str name = tv_stack_tree_name_of(of, frame);
        memcpy(rest, path, sizeof(rest));
        (void)snprintf(path, 1024, "%.*s;%.900s", (int)name.len, name.at, rest);
    }
}

/* What is spent in the frames of a path alone, all of them together. */
static uint64_t self_at(const struct tv_stack_tree *of, const char *path)
{
    uint64_t self = 0;
    for (uint32_t i = 1; i < of->count; i++) {
        char other[1024];
        path_of(of, i, other);
        self += strcmp(other, path) == 0 ? of->frames[i].self : 0;
    }
    return self;
}

static void a_small_trace(void)
{
    world_begin(&w);
    world_enter(&w, MAIN, 0, 10, 1);
    world_enter(&w, MAIN, 2, 20, 2);
    world_leave(&w, MAIN, 2, 50, 9);
    world_enter(&w, MAIN, 2, 60, 10);
    world_leave(&w, MAIN, 2, 65, 10);
    world_leave(&w, MAIN, 0, 70, 11);
    world_enter(&w, WORKER, 2, 80, 0);
    world_leave(&w, WORKER, 2, 81, 0);
    world_end(&w);
}

static void look_at_merged(const struct tv_stack_tree *tree)
{
    assert_int_equal(tree->frames[TV_STACK_ROOT].value, 61000);
    assert_int_equal(self_at(tree, "com.app.Main.run;"), 25000);
    assert_int_equal(self_at(tree, "com.app.Main.run;com.lib.List.get;"), 35000);
    assert_int_equal(self_at(tree, "com.lib.List.get;"), 1000);
    assert_int_equal(tree->frames[3].calls, 2); /* behind both that stand on the root */
}

static void look_at_threads(const struct tv_stack_tree *tree)
{
    assert_int_equal(tree->frames[TV_STACK_ROOT].value, 61000);
    assert_int_equal(self_at(tree, "main;com.app.Main.run;com.lib.List.get;"), 35000);
    assert_int_equal(self_at(tree, "worker;com.lib.List.get;"), 1000);
}

static void look_below_the_root(const struct tv_stack_tree *tree)
{
    assert_int_equal(tree->frames[TV_STACK_ROOT].value, 36000);
    assert_int_equal(self_at(tree, "com.lib.List.get;"), 36000);
    assert_int_equal(tree->count, 2);
}

static void threads_are_merged_or_have_frames(void **state)
{
    const struct probe_opts all = {.levels = 0};
    (void)state;
    a_small_trace();
    wanted = (struct tv_trace_stacks_opts){.is_by_thread = false};
    look = look_at_merged;
    probe_run(&w, &probe, &all, NULL);
    wanted.is_by_thread = true;
    look = look_at_threads;
    probe_run(&w, &probe, &all, NULL);
    uint32_t root = tv_index_method_of_id(&w.index, M(2));
    wanted = (struct tv_trace_stacks_opts){.root = &root};
    look = look_below_the_root;
    probe_run(&w, &probe, &all, NULL);
    world_release(&w);
}

/* all, main, run, get, get, worker, get: a gap of main's lies between the two. */
static void look_at_order(const struct tv_stack_tree *tree)
{
    static const struct {
        uint32_t parent;
        uint64_t start, value;
    } expected[] = {{UINT32_MAX, 0, 61000}, {0, 0, 60000},    {1, 0, 60000},   {2, 10000, 30000},
                    {2, 50000, 5000},       {0, 60000, 1000}, {5, 60000, 1000}};
    assert_int_equal(tree->count, TV_COUNT_OF(expected));
    for (size_t i = 0; i < TV_COUNT_OF(expected); i++) {
        assert_int_equal(tree->frames[i].parent, expected[i].parent);
        assert_int_equal(tree->frames[i].start, expected[i].start);
        assert_int_equal(tree->frames[i].value, expected[i].value);
    }
}

static void look_at_wide_ones(const struct tv_stack_tree *tree)
{
    assert_int_equal(tree->count, 4);
    assert_int_equal(tree->dropped, 3);
}

static void look_at_the_root_in_order(const struct tv_stack_tree *tree)
{
    /* The gap outside of the root takes no room, so that its two calls in main touch, and are one.
     */
    assert_int_equal(tree->count, 5);
    assert_int_equal(tree->frames[2].value, 35000);
    assert_int_equal(tree->frames[2].calls, 2);
    assert_int_equal(tree->frames[TV_STACK_ROOT].value, 36000);
}

static void calls_stand_in_the_order_of_time(void **state)
{
    const struct probe_opts all = {.levels = 0};
    (void)state;
    a_small_trace();
    wanted = (struct tv_trace_stacks_opts){.is_in_order = true, .width = 1000};
    look = look_at_order;
    probe_run(&w, &probe, &all, NULL);
    wanted.least_width = 100;
    look = look_at_wide_ones;
    probe_run(&w, &probe, &all, NULL);
    uint32_t root = tv_index_method_of_id(&w.index, M(2));
    wanted = (struct tv_trace_stacks_opts){.is_in_order = true, .width = 1000, .root = &root};
    look = look_at_the_root_in_order;
    probe_run(&w, &probe, &all, NULL);
    world_release(&w);
}

static void look_at_a_gap(const struct tv_stack_tree *tree)
{
    assert_int_equal(tree->count, 4);
    assert_int_equal(tree->frames[3].start, 20000);
    assert_int_equal(tree->frames[TV_STACK_ROOT].value, 30000);
}

/* Time between the calls of a thread is a gap, as wide as it was long. */
static void a_gap_between_calls_takes_room(void **state)
{
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 10, 1);
    world_leave(&w, MAIN, 0, 20, 2);
    world_enter(&w, MAIN, 2, 30, 3);
    world_leave(&w, MAIN, 2, 40, 4);
    world_end(&w);
    wanted = (struct tv_trace_stacks_opts){.is_in_order = true, .width = 1000};
    look = look_at_a_gap;
    probe_run(&w, &probe, &(struct probe_opts){.levels = 0}, NULL);
    world_release(&w);
}

static void look_nowhere(const struct tv_stack_tree *tree)
{
    fail_msg("%zu frames", tree->count);
}

static void what_cannot_be_drawn_is_refused(void **state)
{
    (void)state;
    a_small_trace();
    look = look_nowhere;
    wanted = (struct tv_trace_stacks_opts){.is_in_order = true, .width = 1000};
    probe_run(&w, &probe, &(struct probe_opts){.measure = TV_MEASURE_WAIT}, NULL);
    assert_int_equal(refusal.code, TV_ERR_ARGUMENT);
    assert_non_null(strstr(refusal.text, "no order in time"));
    wanted = (struct tv_trace_stacks_opts){.is_in_order = false};
    probe_run(&w, &probe, &(struct probe_opts){.from_ns = 72000, .to_ns = 79000}, NULL);
    assert_int_equal(refusal.code, TV_ERR_ARGUMENT);
    assert_non_null(strstr(refusal.text, "no time was spent"));
    world_release(&w);
}

/* The stacks of the same part as folded stacks, read back. */
static struct tv_stack_tree read_back;

static void expect_as_read_back(const struct tv_stack_tree *tree)
{
    uint64_t shown = 0;
    for (uint32_t i = 1; i < tree->count; i++) {
        char path[1024];
        path_of(tree, i, path);
        if (!tree->frames[i].self)
            continue;
        shown += tree->frames[i].self;
        assert_int_equal(tree->frames[i].self, self_at(&read_back, path));
    }
    assert_int_equal(shown, read_back.frames[TV_STACK_ROOT].value);
    assert_int_equal(tree->frames[TV_STACK_ROOT].value, shown);
}

/* In order of time the thread's frame has what is between its calls, too. With a pattern, callers
 * have what is between the matching calls. */
static void expect_in_order_as_read_back(const struct tv_stack_tree *tree)
{
    for (uint32_t i = 1; i < tree->count; i++) {
        char path[1024];
        path_of(tree, i, path);
        if (tree->frames[i].parent != TV_STACK_ROOT)
            assert_int_equal(self_at(tree, path), self_at(&read_back, path));
    }
}

static void compare_with_folded_stacks(uint32_t seed)
{
    const struct tv_folded_opts folded_opts = {.is_in_order = false};
    struct probe_opts opts = probe_random(&w, seed);
    struct tv_folded found;
    struct tv_buffer text;
    tv_buffer_init(&text, tv_alloc_libc());
    tv_stack_tree_init(&read_back, tv_alloc_libc());
    probe_run(&w, &tv_export_folded, &opts, &text);
    enum tv_code code =
        tv_folded_read(tv_buffer_view(&text), &folded_opts, &read_back, &found, NULL);
    wanted = (struct tv_trace_stacks_opts){.is_by_thread = true};
    look = expect_as_read_back;
    probe_run(&w, &probe, &opts, NULL);
    assert_int_equal(refusal.code == TV_OK, code == TV_OK);
    wanted = (struct tv_trace_stacks_opts){.is_in_order = true, .width = 1000};
    look = expect_in_order_as_read_back;
    if (code == TV_OK && opts.measure == TV_MEASURE_WALL && !opts.match)
        probe_run(&w, &probe, &opts, NULL);
    tv_stack_tree_release(&read_back);
    tv_buffer_release(&text);
}

static void stacks_are_those_of_folded_stacks(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        world_any(&w, seed);
        compare_with_folded_stacks(seed);
        world_release(&w);
    }
}

/* What AFlame knows: calls with an enter and an exit. */
static void aflame_counts_calls_that_ended(void **state)
{
    struct tv_buffer text;
    (void)state;
    world_begin(&w);
    world_leave(&w, MAIN, 4, 5, 1);
    world_enter(&w, MAIN, 0, 10, 1);
    world_enter(&w, MAIN, 2, 20, 2);
    world_leave(&w, MAIN, 2, 50, 9);
    world_enter(&w, MAIN, 3, 60, 10);
    world_end(&w);
    tv_buffer_init(&text, tv_alloc_libc());
    probe_run(&w, &tv_export_aflame, &(struct probe_opts){.levels = 0}, &text);
    assert_int_equal(tv_buffer_append(&text, "", 1, NULL), TV_OK);
    assert_string_equal((const char *)text.bytes, "main;com.app.Main#run;com.lib.List#get 30\n");
    tv_buffer_release(&text);
    world_release(&w);
}

/* The picture of the small trace, in words. */
static void a_picture_says_what_it_is_of(void **state)
{
    struct tv_export_result result;
    struct tv_buffer out;
    uint32_t root;
    (void)state;
    a_small_trace();
    root = tv_index_method_of_id(&w.index, M(2));
    struct tv_trace_flame flame = {.shared = {.file = TV_STR("small.trace")},
                                   .look = {.width = 1200,
                                            .least_pixels = 0.1,
                                            .min_width = TV_STR("0.1 px"),
                                            .unit = TV_STR("us"),
                                            .unit_of = 1000,
                                            .order = TV_FLAME_INVERTED,
                                            .roots = TV_FLAME_ROOTS_ABOVE},
                                   .root = &root};
    tv_scope_init(&flame.shared.scope, &w.index);
    flame.shared.scope.measure = TV_MEASURE_WALL;
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(tv_export_run(&tv_export_flame, &w.index, &flame.shared, tv_alloc_libc(), NULL,
                                   tv_buffer_sink(&out), &result, NULL),
                     TV_OK);
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    const char *text = (const char *)out.bytes;
    assert_non_null(strstr(text, ">Icicle Graph</text>"));
    assert_non_null(strstr(text,
                           ">small.trace: wall time, 2 threads, from get on, callers on top of "
                           "the methods they call</text>"));
    assert_non_null(strstr(text, "<title>com.lib.List.get (36 us, 100%, 3 calls)</title>"));
    tv_scope_init(&flame.shared.scope, &w.index);
    flame.shared.scope.measure = TV_MEASURE_WALL;
    flame.shared.scope.methods.hidden = TV_STR("java.");
    flame.shared.levels = 7;
    flame.root = NULL;
    out.len = 0;
    assert_int_equal(tv_export_run(&tv_export_flame, &w.index, &flame.shared, tv_alloc_libc(), NULL,
                                   tv_buffer_sink(&out), &result, NULL),
                     TV_OK);
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    assert_non_null(strstr((const char *)out.bytes,
                           ">small.trace: wall time, 2 threads, without java., 7 levels of calls, "
                           "callers on top of the methods they call</text>"));
    tv_buffer_release(&out);
    world_release(&w);
}

struct drawing {
    const struct tv_export *format;
    enum tv_flame_order order;
};

static enum tv_code draw(const struct tv_alloc *alloc, void *ctx)
{
    const struct drawing *drawing = ctx;
    struct tv_export_result result;
    struct tv_buffer out;
    struct tv_trace_flame flame = {.look = {.width = 1200, .unit_of = 1, .order = drawing->order},
                                   .is_by_thread = true};
    tv_scope_init(&flame.shared.scope, &w.index);
    tv_buffer_init(&out, tv_alloc_libc());
    enum tv_code code = tv_export_run(drawing->format, &w.index, &flame.shared, alloc, NULL,
                                      tv_buffer_sink(&out), &result, NULL);
    tv_buffer_release(&out);
    return code;
}

static void every_failed_allocation_is_told(void **state)
{
    static const enum tv_flame_order orders[] = {TV_FLAME_INVERTED, TV_FLAME_IN_ORDER};
    static const struct tv_export *const formats[] = {&tv_export_flame, &tv_export_aflame};
    (void)state;
    a_small_trace();
    for (unsigned i = 0; i < 4; i++) {
        struct drawing drawing = {formats[i % 2], orders[i / 2]};
        assert_true(failing_alloc_each(draw, &drawing) >= 5);
    }
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_merged_or_have_frames),
        cmocka_unit_test(calls_stand_in_the_order_of_time),
        cmocka_unit_test(a_gap_between_calls_takes_room),
        cmocka_unit_test(what_cannot_be_drawn_is_refused),
        cmocka_unit_test(stacks_are_those_of_folded_stacks),
        cmocka_unit_test(aflame_counts_calls_that_ended),
        cmocka_unit_test(a_picture_says_what_it_is_of),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
