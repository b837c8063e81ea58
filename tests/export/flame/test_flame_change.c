/* The boxes of a flame graph of a change: which part is drawn, how it is found, and what it is of.
 */
#include "export/flame/flame_change.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export/flame/folded_stacks.h"
#include "index/index.h"
#include "merged_again.h"
#include "support/failing_alloc.h"

#define OLD_STACKS "main;load;read 40\nmain;load;old;deep 10\nmain;draw 50\n"
#define NEW_STACKS "main;draw 30\nmain;load;read 60\nmain;load;added 5\nmain;read 5\n"

static struct tv_flame_base old_side, new_side;
static struct tv_flame_change change;

static void read_side(struct tv_flame_base *side, const char *stacks)
{
    const struct tv_folded_opts opts = {.is_in_order = false};
    struct tv_folded found;
    struct tv_stack_tree read;
    tv_flame_base_init(side, tv_alloc_libc());
    tv_stack_tree_init(&read, tv_alloc_libc());
    assert_int_equal(tv_folded_read(tv_str_from(stacks), &opts, &read, &found, NULL), TV_OK);
    assert_int_equal(merged_again(&read, &side->tree), TV_OK);
    tv_stack_tree_release(&read);
    side->method_count = side->tree.names.count;
    assert_int_equal(tv_alloc_new(tv_alloc_libc(), &side->methods, side->method_count,
                                  sizeof(*side->methods), NULL),
                     TV_OK);
    for (uint32_t i = 0; i < side->method_count; i++)
        side->methods[i] = 100 + i;
}

static int begin(void **state)
{
    (void)state;
    read_side(&old_side, OLD_STACKS);
    read_side(&new_side, NEW_STACKS);
    tv_flame_change_init(&change, tv_alloc_libc());
    return 0;
}

static int end(void **state)
{
    (void)state;
    tv_flame_change_release(&change);
    tv_flame_base_release(&new_side);
    tv_flame_base_release(&old_side);
    return 0;
}

static enum tv_code make(enum tv_flame_diff_view view, const char *path, double width,
                         struct tv_error *err)
{
    const struct tv_flame_change_opts opts = {
        .diff = {.view = view}, .width = width, .least_pixels = 1, .path = tv_str_from(path)};
    tv_flame_change_release(&change);
    tv_flame_change_init(&change, tv_alloc_libc());
    return tv_flame_change_make(&change, &old_side, &new_side, &opts, err);
}

static void expect_box(size_t box, const char *name, uint32_t level, uint64_t value)
{
    assert_true(box < change.boxes.count);
    const uint32_t frame = change.boxes.of[box].frame;
    assert_true(tv_str_equal(tv_stack_tree_name_of(change.drawn, frame), tv_str_from(name)));
    assert_int_equal(change.boxes.of[box].level, level);
    assert_int_equal(change.drawn->frames[frame].value, value);
}

static void all_of_it_begins_with_the_root(void **state)
{
    (void)state;
    assert_int_equal(make(TV_FLAME_DIFF_NEW, "", 1000, NULL), TV_OK);
    assert_int_equal(change.boxes.count, 7);
    expect_box(0, "all", 0, 100);
    expect_box(1, "main", 1, 100);
    assert_int_equal(change.boxes.too_narrow, 0);
    assert_int_equal(make(TV_FLAME_DIFF_NEW, "", 10, NULL), TV_OK);
    assert_int_equal(change.boxes.count, 5); /* two have half a pixel */
    assert_int_equal(change.boxes.too_narrow, 2);
}

static void a_part_is_found_by_names(void **state)
{
    struct tv_error err;
    (void)state;
    assert_int_equal(make(TV_FLAME_DIFF_NEW, "main\nload", 20, NULL), TV_OK);
    assert_int_equal(change.boxes.count, 3);
    expect_box(0, "load", 0, 65);
    assert_int_equal(change.boxes.too_narrow, 0); /* as wide as the part, 5 are more than a pixel */
    assert_int_equal(change.boxes.level_count, 2);
    assert_int_equal(make(TV_FLAME_DIFF_OLD, "main\nload\nold", 20, NULL), TV_OK);
    expect_box(1, "deep", 1, 10);
    assert_int_equal(make(TV_FLAME_DIFF_GONE, "main\nload", 20, NULL), TV_OK);
    assert_int_equal(change.boxes.count, 3);
    expect_box(1, "old", 1, 10);
    assert_int_equal(make(TV_FLAME_DIFF_NEW, "main\nload\nold", 20, &err), TV_ERR_NOT_FOUND);
    assert_int_equal(make(TV_FLAME_DIFF_NEW, "load", 20, &err), TV_ERR_NOT_FOUND);
    assert_int_equal(make(TV_FLAME_DIFF_NEW, "\n", 20, &err), TV_ERR_NOT_FOUND);
}

static void nothing_gone_is_no_box(void **state)
{
    const struct tv_flame_change_opts opts = {
        .diff = {.view = TV_FLAME_DIFF_GONE}, .width = 20, .path = TV_STR("main")};
    (void)state;
    tv_flame_change_release(&change);
    tv_flame_change_init(&change, tv_alloc_libc());
    assert_int_equal(tv_flame_change_make(&change, &old_side, &old_side, &opts, NULL), TV_OK);
    assert_int_equal(change.boxes.count, 0);
    assert_int_equal(change.diff.old_total, 100);
    assert_int_equal(change.diff.gone_count, 0);
}

static void boxes_stand_for_methods_of_the_new_side(void **state)
{
    (void)state;
    assert_int_equal(make(TV_FLAME_DIFF_OLD, "", 1000, NULL), TV_OK);
    for (size_t i = 0; i < change.boxes.count; i++) {
        const uint32_t frame = change.boxes.of[i].frame;
        const struct tv_str name = tv_stack_tree_name_of(change.drawn, frame);
        const uint32_t in_new = tv_text_map_get(&new_side.tree.names, name);
        assert_int_equal(tv_flame_change_method(&change, &new_side, frame),
                         i == 0 || in_new == TV_MAP_NONE ? TV_NONE : 100 + in_new);
    }
}

static void memory_that_is_refused_is_told(void **state)
{
    const struct tv_flame_change_opts opts = {
        .diff = {.view = TV_FLAME_DIFF_GONE}, .width = 100, .least_pixels = 1, .box_limit = 2};
    (void)state;
    bool has_failed = true;
    for (uint64_t fail_at = 0; has_failed; fail_at++) {
        struct failing_alloc failing;
        struct tv_flame_change made;
        failing_alloc_init(&failing, fail_at);
        tv_flame_change_init(&made, &failing.alloc);
        enum tv_code code = tv_flame_change_make(&made, &old_side, &new_side, &opts, NULL);
        has_failed = failing.has_failed;
        assert_int_equal(code, has_failed ? TV_ERR_MEMORY : TV_OK);
        tv_flame_change_release(&made);
        assert_int_equal(failing.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it_begins_with_the_root),
        cmocka_unit_test(a_part_is_found_by_names),
        cmocka_unit_test(nothing_gone_is_no_box),
        cmocka_unit_test(boxes_stand_for_methods_of_the_new_side),
        cmocka_unit_test(memory_that_is_refused_is_told),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
