/* Two trees of stacks as one graph: what each frame has on either side, and its colour. */
#include "export/flame/flame_diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export/flame/folded_stacks.h"
#include "merged_again.h"
#include "support/failing_alloc.h"

struct sides {
    struct tv_stack_tree old_tree, new_tree, gone;
    struct tv_stack_tree *drawn;
    struct tv_flame_diff diff;
};

static void read_tree(struct tv_stack_tree *tree, const char *stacks)
{
    const struct tv_folded_opts opts = {.is_in_order = false};
    struct tv_folded found;
    struct tv_stack_tree read;
    tv_stack_tree_init(tree, tv_alloc_libc());
    tv_stack_tree_init(&read, tv_alloc_libc());
    assert_int_equal(tv_folded_read(tv_str_from(stacks), &opts, &read, &found, NULL), TV_OK);
    assert_int_equal(merged_again(&read, tree), TV_OK);
    tv_stack_tree_release(&read);
}

static void read_sides(struct sides *sides, const char *old_stacks, const char *new_stacks)
{
    *sides = (struct sides){.drawn = NULL};
    read_tree(&sides->old_tree, old_stacks);
    read_tree(&sides->new_tree, new_stacks);
    tv_stack_tree_init(&sides->gone, tv_alloc_libc());
    tv_flame_diff_init(&sides->diff, tv_alloc_libc());
}

static enum tv_code make(struct sides *sides, enum tv_flame_diff_view view, bool is_by_share,
                         struct tv_error *err)
{
    const struct tv_flame_diff_opts opts = {.view = view, .is_by_share = is_by_share};
    return tv_flame_diff_make(&sides->diff, &sides->old_tree, &sides->new_tree, &sides->gone, &opts,
                              &sides->drawn, err);
}

static void release(struct sides *sides)
{
    tv_flame_diff_release(&sides->diff);
    tv_stack_tree_release(&sides->gone);
    tv_stack_tree_release(&sides->new_tree);
    tv_stack_tree_release(&sides->old_tree);
}

/* The frame of a name; of equal names the first. */
static uint32_t frame_of(const struct sides *sides, const char *name)
{
    for (uint32_t i = 0; i < sides->drawn->count; i++) {
        if (tv_str_equal(tv_stack_tree_name_of(sides->drawn, i), tv_str_from(name)))
            return i;
    }
    fail_msg("no frame is called %s", name);
    return 0;
}

static void expect_frame(const struct sides *sides, const char *name, uint64_t old_value,
                         uint64_t new_value, double change)
{
    uint32_t frame = frame_of(sides, name);
    assert_int_equal(tv_flame_diff_sides(&sides->diff, frame).old_value, old_value);
    assert_int_equal(tv_flame_diff_sides(&sides->diff, frame).new_value, new_value);
    assert_float_equal(tv_flame_diff_change(&sides->diff, frame), change, 1e-9);
}

#define OLD_STACKS "main;load;read 40\nmain;load;old;deep 10\nmain;draw 50\n"
#define NEW_STACKS "main;draw 30\nmain;load;read 60\nmain;load;added 5\nmain;read 5\n"

static void frames_are_found_by_their_whole_stack(void **state)
{
    (void)state;
    struct sides sides;
    read_sides(&sides, OLD_STACKS, NEW_STACKS);
    assert_int_equal(make(&sides, TV_FLAME_DIFF_NEW, false, NULL), TV_OK);
    assert_ptr_equal(sides.drawn, &sides.new_tree);
    expect_frame(&sides, "main", 100, 100, 0);
    expect_frame(&sides, "load", 50, 65, 0.75);
    expect_frame(&sides, "draw", 50, 30, -1);
    expect_frame(&sides, "added", 0, 5, 0.25);
    assert_false(tv_flame_diff_sides(&sides.diff, frame_of(&sides, "added")).is_old);
    assert_int_equal(sides.diff.added_count, 2); /* `read` below main is another one */
    assert_int_equal(sides.diff.gone_count, 2);
    assert_int_equal(sides.diff.gone_value, 10);
    assert_int_equal(sides.diff.most_ns, 20);
    release(&sides);
}

static void the_old_tree_can_be_the_width(void **state)
{
    (void)state;
    struct sides sides;
    read_sides(&sides, OLD_STACKS, NEW_STACKS);
    assert_int_equal(make(&sides, TV_FLAME_DIFF_OLD, false, NULL), TV_OK);
    assert_ptr_equal(sides.drawn, &sides.old_tree);
    expect_frame(&sides, "old", 10, 0, -0.5);
    expect_frame(&sides, "read", 40, 60, 1);
    assert_false(tv_flame_diff_sides(&sides.diff, frame_of(&sides, "deep")).is_new);
    release(&sides);
}

/* Twice as long with the same shares is no change of shares. */
static void shares_are_of_each_side_alone(void **state)
{
    (void)state;
    struct sides sides;
    read_sides(&sides, "a 30\nb 70\n", "a 60\nb 140\n");
    assert_int_equal(make(&sides, TV_FLAME_DIFF_NEW, true, NULL), TV_OK);
    expect_frame(&sides, "a", 30, 60, 0);
    expect_frame(&sides, "all", 100, 200, 0);
    release(&sides);
    read_sides(&sides, "a 30\nb 70\n", "a 100\nb 100\n");
    assert_int_equal(make(&sides, TV_FLAME_DIFF_NEW, true, NULL), TV_OK);
    expect_frame(&sides, "a", 30, 100, 1);
    expect_frame(&sides, "b", 70, 100, -1);
    assert_float_equal(sides.diff.most, 0.2, 1e-9);
    release(&sides);
}

static void what_is_gone_stands_on_what_called_it(void **state)
{
    (void)state;
    struct sides sides;
    struct tv_error err = {.code = TV_OK};
    read_sides(&sides, OLD_STACKS, NEW_STACKS);
    assert_int_equal(make(&sides, TV_FLAME_DIFF_GONE, false, NULL), TV_OK);
    assert_ptr_equal(sides.drawn, &sides.gone);
    assert_int_equal(sides.gone.count, 5); /* all, main, load, old, deep */
    expect_frame(&sides, "load", 10, 10, 0);
    expect_frame(&sides, "old", 10, 0, -1);
    release(&sides);
    read_sides(&sides, OLD_STACKS, OLD_STACKS);
    assert_int_equal(make(&sides, TV_FLAME_DIFF_GONE, false, &err), TV_ERR_NOT_FOUND);
    assert_int_equal(make(&sides, TV_FLAME_DIFF_NEW, false, NULL), TV_OK);
    assert_float_equal(tv_flame_diff_change(&sides.diff, 0), 0, 0);
    release(&sides);
}

static void deep_stacks_are_compared_in_a_loop(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    struct sides sides;
    char *stacks = malloc(2 * DEPTH + 8);
    assert_non_null(stacks);
    for (unsigned i = 0; i < DEPTH; i++)
        memcpy(stacks + (size_t)i * 2, i % 3 ? "a;" : "b;", 2);
    strcpy(stacks + 2 * DEPTH - 1, " 7");
    read_sides(&sides, stacks, "b;a 3\n");
    assert_int_equal(make(&sides, TV_FLAME_DIFF_OLD, false, NULL), TV_OK);
    assert_int_equal(sides.diff.gone_count, DEPTH - 2);
    assert_int_equal(make(&sides, TV_FLAME_DIFF_GONE, false, NULL), TV_OK);
    assert_int_equal(sides.gone.count, DEPTH + 1);
    release(&sides);
    free(stacks);
}

/* The relative luminance of a colour, as WCAG 2 defines it. */
static double luminance(struct tv_rgb colour)
{
    const uint8_t parts[] = {colour.red, colour.green, colour.blue};
    const double weights[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        double part = parts[i] / 255.0;
        sum += weights[i] * (part <= 0.04045 ? part / 12.92 : part * part); /* 2.2 is about 2 */
    }
    return sum;
}

static void black_text_is_readable_on_each_colour(void **state)
{
    (void)state;
    for (int i = -12; i <= 12; i++)
        assert_true((luminance(tv_flame_diff_colour(i / 10.0)) + 0.05) / 0.05 >= 4.5);
    struct tv_rgb same = tv_flame_diff_colour(0);
    assert_true(tv_flame_diff_colour(1).red > same.red);
    assert_true(tv_flame_diff_colour(-1).blue > same.blue);
    struct tv_rgb most = tv_flame_diff_colour(2);
    assert_int_equal(most.green, tv_flame_diff_colour(1).green);
}

static void memory_that_is_refused_is_told(void **state)
{
    (void)state;
    struct sides sides;
    bool has_failed = true;
    for (uint64_t fail_at = 0; has_failed; fail_at++) {
        struct failing_alloc failing;
        const struct tv_flame_diff_opts opts = {.view = TV_FLAME_DIFF_GONE};
        read_sides(&sides, OLD_STACKS, NEW_STACKS);
        failing_alloc_init(&failing, fail_at);
        tv_flame_diff_init(&sides.diff, &failing.alloc);
        tv_stack_tree_init(&sides.gone, &failing.alloc);
        enum tv_code code = tv_flame_diff_make(&sides.diff, &sides.old_tree, &sides.new_tree,
                                               &sides.gone, &opts, &sides.drawn, NULL);
        has_failed = failing.has_failed;
        assert_int_equal(code, has_failed ? TV_ERR_MEMORY : TV_OK);
        release(&sides);
        assert_int_equal(failing.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_found_by_their_whole_stack),
        cmocka_unit_test(the_old_tree_can_be_the_width),
        cmocka_unit_test(shares_are_of_each_side_alone),
        cmocka_unit_test(what_is_gone_stands_on_what_called_it),
        cmocka_unit_test(deep_stacks_are_compared_in_a_loop),
        cmocka_unit_test(black_text_is_readable_on_each_colour),
        cmocka_unit_test(memory_that_is_refused_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
