/* Flame graphs against stacks that are written out, their transforms, and their limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/flame/flame.h"
#include "analysis/stacks.h"
#include "analysis/world.h"

#define SEEDS 60

static struct world w;

/* A flame graph of the whole trace at a width at which nothing is too thin. */
static void burn(struct tv_flame *flame, struct tv_flame_opts opts)
{
    const struct tv_selection all = {.has_range = false};
    struct tv_sums sums;
    tv_sums_init(&sums, tv_alloc_libc());
    tv_flame_init(flame, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, &all, NULL, NULL), TV_OK);
    opts.width = 1000000000;
    assert_int_equal(tv_flame_compute(flame, &sums, &opts, NULL), TV_OK);
    tv_sums_release(&sums);
}

static struct stack path_of_box(const struct tv_flame *flame, size_t box)
{
    struct stack up = {.len = 0};
    struct stack down = {.len = 0};
    for (uint32_t at = (uint32_t)box; at != TV_NONE; at = flame->boxes[at].parent)
        up.methods[up.len++] = method_number(&w, flame->boxes[at].method);
    for (size_t i = up.len; i-- > 0;)
        down.methods[down.len++] = up.methods[i];
    return down;
}

static void boxes_lie_on_their_parents(const struct tv_flame *flame)
{
    for (size_t i = 0; i < flame->count; i++) {
        const struct tv_flame_box *box = &flame->boxes[i];
        uint64_t above = 0;
        for (size_t k = 0; k < flame->count; k++) {
            if (flame->boxes[k].parent == i)
                above += flame->boxes[k].value;
        }
        assert_int_equal(box->value, box->self + above);
        if (box->parent == TV_NONE) {
            assert_int_equal(box->level, 0);
            continue;
        }
        const struct tv_flame_box *parent = &flame->boxes[box->parent];
        assert_true(box->parent < i);
        assert_int_equal(box->level, parent->level + 1);
        assert_true(box->x >= parent->x && box->x + box->value <= parent->x + parent->value);
    }
}

static void random_flames_equal_stacks_written_out(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        world_random(&w, seed);
        for (int i = 0; i < 4; i++) {
            uint8_t hidden_methods[WORLD_METHODS] = {0};
            unsigned hidden = i / 2 ? seed % WORLD_METHODS : WORLD_METHODS;
            struct tv_flame_opts opts = {.direction = i % 2 ? TV_INVERTED : TV_TOP_DOWN,
                                         .measure = TV_MEASURE_WALL,
                                         .hidden = i / 2 ? hidden_methods : NULL};
            if (hidden < WORLD_METHODS)
                hidden_methods[world_method_ix(&w, hidden)] = 1;
            struct tv_flame flame;
            burn(&flame, opts);
            boxes_lie_on_their_parents(&flame);
            for (size_t box = 0; box < flame.count; box++) {
                struct stack path = path_of_box(&flame, box);
                struct tv_numbers want = stack_numbers(&w, &path, opts.direction, hidden);
                assert_int_equal(flame.boxes[box].value, want.inclusive_ns[0]);
                assert_int_equal(flame.boxes[box].self, want.exclusive_ns[0]);
            }
            tv_flame_release(&flame);
        }
        world_release(&w);
    }
}

static void zoomed_flame_is_the_part_above_its_path(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        struct tv_flame whole;
        struct tv_flame part;
        world_random(&w, seed);
        burn(&whole, (struct tv_flame_opts){.measure = TV_MEASURE_WALL});
        for (size_t box = 0; box < whole.count; box += 7) {
            uint32_t path[STACK_MOST];
            uint8_t none[WORLD_METHODS] = {0};
            struct stack stack = path_of_box(&whole, box);
            for (size_t i = 0; i < stack.len; i++)
                path[i] = world_method_ix(&w, stack.methods[i]);
            for (int is_transformed = 0; is_transformed < 2; is_transformed++) {
                burn(&part, (struct tv_flame_opts){.measure = TV_MEASURE_WALL,
                                                   .path = path,
                                                   .path_len = stack.len,
                                                   .hidden = is_transformed ? none : NULL});
                assert_true(part.count >= 1);
                assert_int_equal(part.boxes[0].value, whole.boxes[box].value);
                assert_int_equal(part.value_ns, whole.boxes[box].value);
                boxes_lie_on_their_parents(&part);
                tv_flame_release(&part);
            }
        }
        tv_flame_release(&whole);
        world_release(&w);
    }
}

/* run > Load > run > List.get, and run > List.put; each with 10 us of its own. */
static void begin_nested(void)
{
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_enter(&w, MAIN, 1, 10, 10);
    world_enter(&w, MAIN, 0, 20, 20);
    world_enter(&w, MAIN, 2, 30, 30);
    world_leave(&w, MAIN, 2, 40, 40);
    world_leave(&w, MAIN, 0, 40, 40);
    world_leave(&w, MAIN, 1, 40, 40);
    world_enter(&w, MAIN, 3, 40, 40);
    world_leave(&w, MAIN, 3, 50, 50);
    world_leave(&w, MAIN, 0, 50, 50);
    world_end(&w);
}

struct op_case {
    struct tv_flame_op ops[2];
    size_t op_count;
    const char *boxes; /* method number, and value in us: "0:50 1:30 3:10 ..." by level */
};

static void check_op_case(const struct op_case *one)
{
    struct tv_flame flame;
    struct tv_flame_op ops[2];
    char text[256] = "";
    size_t len = 0;
    memcpy(ops, one->ops, sizeof(ops));
    for (size_t i = 0; i < 2; i++)
        ops[i].method = world_method_ix(&w, one->ops[i].method);
    burn(&flame,
         (struct tv_flame_opts){.measure = TV_MEASURE_WALL, .ops = ops, .op_count = one->op_count});
    for (size_t i = 0; i < flame.count; i++) {
        uint64_t us = flame.boxes[i].value / 1000;
        text[len++] = (char)('0' + method_number(&w, flame.boxes[i].method));
        text[len++] = ':';
        text[len++] = (char)('0' + us / 10);
        text[len++] = (char)('0' + us % 10);
        text[len++] = ' ';
    }
    text[len] = 0;
    assert_string_equal(text, one->boxes);
    boxes_lie_on_their_parents(&flame);
    tv_flame_release(&flame);
}

static void transforms_change_stacks(void **state)
{
    (void)state;
    const struct op_case cases[] = {
        {{{.kind = TV_FLAME_FOCUS, .method = 1}}, 1, "1:30 0:20 2:10 "},
        {{{.kind = TV_FLAME_FOCUS, .method = 1}, {.kind = TV_FLAME_FOCUS, .method = 2}},
         2,
         "2:10 "},
        {{{.kind = TV_FLAME_MERGE, .method = 1}}, 1, "0:50 0:20 3:10 2:10 "},
        {{{.kind = TV_FLAME_DROP, .method = 1}}, 1, "0:20 3:10 "},
        {{{.kind = TV_FLAME_RECURSION, .method = 0}}, 1, "0:50 1:10 2:10 3:10 "},
        {{{.kind = TV_FLAME_COLLAPSE, .package = {"com.app.", 8}}}, 1, "0:50 2:10 3:10 "},
        {{{.kind = TV_FLAME_END, .method = 1}}, 1, "0:30 1:30 "},
        {{{.kind = TV_FLAME_END, .method = 0}}, 1, "0:50 "},
        {{{.kind = TV_FLAME_END, .method = 2}, {.kind = TV_FLAME_MERGE, .method = 2}},
         2,
         "0:10 1:10 0:10 2:10 "},
        {{{.kind = TV_FLAME_END, .method = 2}, {.kind = TV_FLAME_DROP, .method = 1}}, 2, ""},
        {{{.kind = TV_FLAME_END, .method = 1},
          {.kind = TV_FLAME_COLLAPSE, .package = {"com.app.", 8}}},
         2,
         "0:30 1:30 "},
    };
    begin_nested();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_op_case(&cases[i]);
    world_release(&w);
}

/* What a method's callers and its callees have of it is the same, its inclusive time. */
static void ends_turned_upside_down_are_as_wide_as_the_focus(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        world_random(&w, seed);
        for (uint32_t method = 0; method < WORLD_METHODS; method++) {
            struct tv_flame_op op = {.kind = TV_FLAME_END, .method = world_method_ix(&w, method)};
            struct tv_flame_opts opts = {.measure = TV_MEASURE_WALL, .ops = &op, .op_count = 1};
            struct tv_flame above;
            struct tv_flame below;
            opts.direction = TV_INVERTED;
            burn(&above, opts);
            op.kind = TV_FLAME_FOCUS;
            opts.direction = TV_TOP_DOWN;
            burn(&below, opts);
            assert_int_equal(above.value_ns, below.value_ns);
            assert_int_equal(above.count > 0, below.count > 0);
            if (above.count) {
                assert_int_equal(above.boxes[0].method, op.method);
                assert_int_equal(above.boxes[0].value, below.boxes[0].value);
                assert_int_equal(above.boxes[0].value, above.value_ns);
            }
            boxes_lie_on_their_parents(&above);
            tv_flame_release(&below);
            tv_flame_release(&above);
        }
        world_release(&w);
    }
}

/* run > List.put, and then run > Load, which takes longer. */
static void siblings_in_time_stand_as_they_were_first_called(void **state)
{
    (void)state;
    const struct tv_flame_op recursion = {.kind = TV_FLAME_RECURSION, .method = 0};
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_enter(&w, MAIN, 3, 10, 10);
    world_leave(&w, MAIN, 3, 20, 20);
    world_enter(&w, MAIN, 1, 20, 20);
    world_leave(&w, MAIN, 1, 50, 50);
    world_leave(&w, MAIN, 0, 50, 50);
    world_end(&w);
    for (int i = 0; i < 4; i++) {
        struct tv_flame flame;
        burn(&flame, (struct tv_flame_opts){.measure = TV_MEASURE_WALL,
                                            .ops = &recursion,
                                            .op_count = i / 2 ? 1 : 0,
                                            .is_in_time = i % 2});
        assert_int_equal(flame.count, 3);
        assert_int_equal(method_number(&w, flame.boxes[1].method), i % 2 ? 3 : 1);
        assert_int_equal(flame.boxes[2].x, flame.boxes[1].value);
        tv_flame_release(&flame);
    }
    world_release(&w);
}

static void boxes_thinner_than_half_a_pixel_are_counted(void **state)
{
    const struct tv_selection all = {.has_range = false};
    struct tv_sums sums;
    struct tv_flame flame;
    (void)state;
    begin_nested();
    tv_sums_init(&sums, tv_alloc_libc());
    tv_flame_init(&flame, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, &all, NULL, NULL), TV_OK);
    struct tv_flame_opts opts = {.width = 2, .measure = TV_MEASURE_WALL}; /* a pixel is 25 us */
    assert_int_equal(tv_flame_compute(&flame, &sums, &opts, NULL), TV_OK);
    assert_int_equal(flame.count, 3);   /* run, Load, and run again */
    assert_int_equal(flame.dropped, 2); /* put, and get above the second run */
    assert_true(flame.is_complete);
    tv_flame_release(&flame);
    tv_sums_release(&sums);
    world_release(&w);
}

static void expect_same_flame(const struct tv_flame *a, const struct tv_flame *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->value_ns, b->value_ns);
    assert_int_equal(a->dropped, b->dropped);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(a->boxes[i].x, b->boxes[i].x);
        assert_int_equal(a->boxes[i].value, b->boxes[i].value);
        assert_int_equal(a->boxes[i].self, b->boxes[i].self);
        assert_int_equal(a->boxes[i].calls, b->boxes[i].calls);
        assert_int_equal(a->boxes[i].method, b->boxes[i].method);
        assert_int_equal(a->boxes[i].parent, b->boxes[i].parent);
    }
}

/* Level by level, what is thin goes no further but inside of a recursion, where others may come to
 * it; a list that hides nothing has all nodes placed. */
static void recursion_is_collapsed_alike_with_and_without_thin_boxes(void **state)
{
    static const uint32_t widths[] = {2, 15, 100, 1000};
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        uint8_t none[WORLD_METHODS] = {0};
        world_random(&w, seed);
        for (uint32_t i = 0; i < 3 * TV_COUNT_OF(widths); i++) {
            const struct tv_selection all = {.has_range = false};
            struct tv_sums sums;
            struct tv_flame by_level;
            struct tv_flame of_all;
            const struct tv_flame_op ops[] = {
                {.kind = TV_FLAME_RECURSION, .method = world_method_ix(&w, i % 3)},
                {.kind = TV_FLAME_RECURSION, .method = world_method_ix(&w, i % 3 + 1)}};
            struct tv_flame_opts opts = {.width = widths[i / 3],
                                         .measure = i % 2 ? TV_MEASURE_WALL : TV_MEASURE_CPU,
                                         .ops = ops,
                                         .op_count = 1 + i % 2};
            tv_sums_init(&sums, tv_alloc_libc());
            tv_flame_init(&by_level, tv_alloc_libc());
            tv_flame_init(&of_all, tv_alloc_libc());
            assert_int_equal(tv_sums_compute(&sums, &w.index, &all, NULL, NULL), TV_OK);
            assert_int_equal(tv_flame_compute(&by_level, &sums, &opts, NULL), TV_OK);
            opts.hidden = none;
            assert_int_equal(tv_flame_compute(&of_all, &sums, &opts, NULL), TV_OK);
            expect_same_flame(&by_level, &of_all);
            tv_flame_release(&by_level);
            tv_flame_release(&of_all);
            tv_sums_release(&sums);
        }
        world_release(&w);
    }
}

/* `depth` calls of run on top of each other: the last takes 10 us, the others `own_us` each. Before
 * them `leaves` calls, each of another method, take 1 us each. */
static void begin_deep(uint32_t depth, uint32_t own_us, uint32_t leaves)
{
    world_begin(&w);
    for (uint32_t i = 0; i < leaves; i++) {
        enter(&w.t, MAIN, M(1 + i), i);
        leave(&w.t, MAIN, M(1 + i), i + 1);
    }
    for (uint32_t i = 0; i < depth; i++)
        enter(&w.t, MAIN, M(0), leaves + i * own_us);
    for (uint32_t i = 0; i < depth; i++)
        leave(&w.t, MAIN, M(0), leaves + (depth - 1) * own_us + 10);
    world_read(&w);
}

static void expect_levels(struct tv_flame_opts opts, uint32_t levels, bool is_complete)
{
    struct tv_flame flame;
    opts.measure = TV_MEASURE_WALL;
    burn(&flame, opts);
    assert_int_equal(flame.level_count, levels);
    assert_int_equal(flame.is_complete, is_complete);
    /* The calls that are cut off are time of the boxes that they would stand on. */
    if (!opts.path_len)
        assert_int_equal(flame.value_ns, flame.total_ns);
    tv_flame_release(&flame);
}

static void graph_of_more_levels_than_the_limit_is_cut_and_says_so(void **state)
{
    const uint8_t none[WORLD_METHODS] = {0};
    (void)state;
    for (uint32_t more = 0; more <= 2; more++) {
        begin_deep(TV_FLAME_LEVEL_LIMIT + more, 1, 0);
        const uint32_t path[] = {world_method_ix(&w, 0), world_method_ix(&w, 0)};
        const struct tv_flame_op other = {.kind = TV_FLAME_RECURSION,
                                          .method = world_method_ix(&w, 1)};
        bool is_complete = more == 0;
        expect_levels((struct tv_flame_opts){.width = 0}, TV_FLAME_LEVEL_LIMIT, is_complete);
        /* With stacks changed, node by node and depth by depth. */
        expect_levels((struct tv_flame_opts){.hidden = none}, TV_FLAME_LEVEL_LIMIT, is_complete);
        expect_levels((struct tv_flame_opts){.ops = &other, .op_count = 1}, TV_FLAME_LEVEL_LIMIT,
                      is_complete);
        /* Levels count from the end of the path, which is one of them. */
        uint32_t levels = TV_FLAME_LEVEL_LIMIT + more - 1;
        expect_levels((struct tv_flame_opts){.path = path, .path_len = 2},
                      more < 2 ? levels : TV_FLAME_LEVEL_LIMIT, more < 2);
        expect_levels((struct tv_flame_opts){.path = path, .path_len = 2, .hidden = none},
                      more < 2 ? levels : TV_FLAME_LEVEL_LIMIT, more < 2);
        world_release(&w);
    }
}

/* At the limit a merged method is own time of its caller's box, and a method that would have a box
 * on top of it is time of that box all the same. A method that is collapsed into a box further down
 * joins it, and a dropped one is left out. */
static void transforms_go_on_above_the_limit(void **state)
{
    const uint32_t top = TV_FLAME_LEVEL_LIMIT;
    struct tv_flame flame;
    (void)state;
    world_begin(&w);
    enter(&w.t, MAIN, M(1), 0);
    for (uint32_t i = 1; i < top; i++)
        enter(&w.t, MAIN, M(0), 0);
    enter(&w.t, MAIN, M(2), 1); /* merged */
    leave(&w.t, MAIN, M(2), 3);
    enter(&w.t, MAIN, M(3), 3); /* without a box */
    enter(&w.t, MAIN, M(1), 7); /* of the box at the bottom */
    leave(&w.t, MAIN, M(1), 15);
    leave(&w.t, MAIN, M(3), 15);
    enter(&w.t, MAIN, M(4), 15); /* dropped */
    leave(&w.t, MAIN, M(4), 31);
    for (uint32_t i = 1; i < top; i++)
        leave(&w.t, MAIN, M(0), 31);
    leave(&w.t, MAIN, M(1), 31);
    world_read(&w);
    const struct tv_flame_op ops[] = {
        {.kind = TV_FLAME_MERGE, .method = world_method_ix(&w, 2)},
        {.kind = TV_FLAME_RECURSION, .method = world_method_ix(&w, 1)},
        {.kind = TV_FLAME_DROP, .method = world_method_ix(&w, 4)},
    };
    burn(&flame, (struct tv_flame_opts){.measure = TV_MEASURE_WALL, .ops = ops, .op_count = 3});
    assert_int_equal(flame.level_count, top);
    assert_false(flame.is_complete);
    assert_int_equal(flame.value_ns, 15000);
    assert_int_equal(flame.boxes[0].self, 8000);
    assert_int_equal(flame.boxes[top - 1].value, 1000 + 2000 + 4000);
    assert_int_equal(flame.boxes[top - 1].self, 1000 + 2000);
    tv_flame_release(&flame);
    burn(&flame,
         (struct tv_flame_opts){
             .measure = TV_MEASURE_WALL, .direction = TV_INVERTED, .ops = ops, .op_count = 3});
    assert_int_equal(flame.value_ns, 15000);
    tv_flame_release(&flame);
    world_release(&w);
}

static void inverted_graph_of_more_levels_than_the_limit_is_cut_and_says_so(void **state)
{
    (void)state;
    for (uint32_t more = 0; more <= 1; more++) {
        begin_deep(TV_FLAME_INVERTED_LEVEL_LIMIT + more, 0, 5);
        expect_levels((struct tv_flame_opts){.direction = TV_INVERTED},
                      TV_FLAME_INVERTED_LEVEL_LIMIT, more == 0);
        world_release(&w);
    }
}

/* One node takes time: so few levels on average that those of its stack use them up. */
static void inverted_graph_climbs_only_so_far_on_average(void **state)
{
    (void)state;
    for (uint32_t more = 0; more <= 1; more++) {
        begin_deep(TV_FLAME_CLIMB_LIMIT + more, 0, 0);
        expect_levels((struct tv_flame_opts){.direction = TV_INVERTED}, TV_FLAME_CLIMB_LIMIT,
                      more == 0);
        world_release(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_flames_equal_stacks_written_out),
        cmocka_unit_test(zoomed_flame_is_the_part_above_its_path),
        cmocka_unit_test(transforms_change_stacks),
        cmocka_unit_test(ends_turned_upside_down_are_as_wide_as_the_focus),
        cmocka_unit_test(siblings_in_time_stand_as_they_were_first_called),
        cmocka_unit_test(boxes_thinner_than_half_a_pixel_are_counted),
        cmocka_unit_test(recursion_is_collapsed_alike_with_and_without_thin_boxes),
        cmocka_unit_test(graph_of_more_levels_than_the_limit_is_cut_and_says_so),
        cmocka_unit_test(transforms_go_on_above_the_limit),
        cmocka_unit_test(inverted_graph_of_more_levels_than_the_limit_is_cut_and_says_so),
        cmocka_unit_test(inverted_graph_climbs_only_so_far_on_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
