/* Stacks merged into trees: equal stacks, order of time, upside down. */
#include "export/flame/stack_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "merged_again.h"
#include "support/failing_alloc.h"

static uint32_t name_of(struct tv_stack_tree *tree, const char *text)
{
    uint32_t name = UINT32_MAX;
    assert_int_equal(tv_stack_tree_name(tree, tv_str_from(text), &name, NULL), TV_OK);
    return name;
}

static uint32_t child(struct tv_stack_tree *tree, uint32_t parent, const char *text)
{
    uint32_t frame = UINT32_MAX;
    assert_int_equal(tv_stack_tree_child(tree, parent, name_of(tree, text), &frame, NULL), TV_OK);
    return frame;
}

static void begin(struct tv_stack_tree *tree)
{
    tv_stack_tree_init(tree, tv_alloc_libc());
    assert_int_equal(tv_stack_tree_begin(tree, NULL), TV_OK);
}

/* A frame as "all;a;b START+VALUE (SELF)", one a line, in the order of the tree. */
static void expect(const struct tv_stack_tree *tree, const char *expected)
{
    char text[2048] = "";
    for (uint32_t i = 0; i < tree->count; i++) {
        char path[256] = "";
        for (uint32_t at = i; at != UINT32_MAX; at = tree->frames[at].parent) {
            char rest[256];
            struct tv_str name = tv_stack_tree_name_of(tree, at);
            memcpy(rest, path, sizeof(rest));
            (void)snprintf(path, sizeof(path), "%.*s%s%.200s", (int)name.len, name.at,
                           rest[0] ? ";" : "", rest);
        }
        size_t len = strlen(text);
        const struct tv_stack_frame *frame = &tree->frames[i];
        (void)snprintf(text + len, sizeof(text) - len, "%s %u+%u (%u)\n", path,
                       (unsigned)frame->start, (unsigned)frame->value, (unsigned)frame->self);
    }
    assert_string_equal(text, expected);
}

static void equal_stacks_are_one_and_siblings_stand_by_name(void **state)
{
    struct tv_stack_tree tree;
    (void)state;
    begin(&tree);
    uint32_t b = child(&tree, TV_STACK_ROOT, "b");
    uint32_t a = child(&tree, TV_STACK_ROOT, "a");
    tv_stack_tree_add(&tree, child(&tree, b, "z"), 5, 1);
    tv_stack_tree_add(&tree, child(&tree, b, "c"), 7, 1);
    tv_stack_tree_add(&tree, child(&tree, b, "z"), 20, 2);
    tv_stack_tree_add(&tree, b, 3, 1);
    tv_stack_tree_add(&tree, a, 10, 1);
    assert_int_equal(tv_stack_tree_end(&tree, NULL), TV_OK);
    expect(&tree, "all 0+45 (0)\nall;b 10+35 (3)\nall;a 0+10 (10)\nall;b;z 20+25 (25)\n"
                  "all;b;c 13+7 (7)\n");
    assert_int_equal(tree.frames[3].calls, 3);
    tv_stack_tree_release(&tree);
}

static void sums_stop_at_the_end_of_64_bits(void **state)
{
    struct tv_stack_tree tree;
    (void)state;
    begin(&tree);
    tv_stack_tree_add(&tree, child(&tree, TV_STACK_ROOT, "a"), UINT64_MAX, UINT64_MAX);
    tv_stack_tree_add(&tree, child(&tree, TV_STACK_ROOT, "a"), 1, 1);
    tv_stack_tree_add(&tree, child(&tree, TV_STACK_ROOT, "b"), 1, 1);
    assert_int_equal(tv_stack_tree_end(&tree, NULL), TV_OK);
    assert_true(tree.frames[TV_STACK_ROOT].value == UINT64_MAX);
    assert_true(tree.frames[1].value == UINT64_MAX && tree.frames[1].calls == UINT64_MAX);
    assert_true(tree.frames[2].start == UINT64_MAX);
    tv_stack_tree_release(&tree);
}

/* A letter opens a frame of that name, ")" closes one, a digit is spent. */
static void play(struct tv_stack_tree *tree, const char *story)
{
    static const char letters[] = "a\0b\0c\0d";
    for (; *story; story++) {
        if (*story == ')')
            tv_stack_tree_close(tree, tree->depth - 1);
        else if (*story >= '0' && *story <= '9')
            tv_stack_tree_spend(tree, (uint64_t)(*story - '0'));
        else
            assert_int_equal(
                tv_stack_tree_open(tree, name_of(tree, &letters[(*story - 'a') * 2]), 1, NULL),
                TV_OK);
    }
    tv_stack_tree_end_in_order(tree);
}

static void frames_stand_in_the_order_of_time(void **state)
{
    struct tv_stack_tree tree;
    (void)state;
    begin(&tree);
    /* d is opened twice with a gap between, and once more at once. */
    play(&tree, "d1)2d3)d4)");
    expect(&tree, "all 0+10 (2)\nall;d 0+1 (1)\nall;d 3+7 (7)\n");
    assert_int_equal(tree.frames[2].calls, 2);
    tv_stack_tree_release(&tree);
}

static void what_stands_on_a_frame_that_is_opened_again_goes_on_too(void **state)
{
    struct tv_stack_tree tree;
    (void)state;
    begin(&tree);
    play(&tree, "cd1))cd2))c3)");
    expect(&tree, "all 0+6 (0)\nall;c 0+6 (3)\nall;c;d 0+3 (3)\n");
    tv_stack_tree_release(&tree);
}

static void frames_that_are_too_short_are_dropped_on_the_way(void **state)
{
    struct tv_stack_tree tree;
    (void)state;
    begin(&tree);
    tree.least = 3;
    /* On b: d of 1, d of 3, and behind a gap d of 2. a is 2 with what stands on it. */
    play(&tree, "bd1)1d3)1d2))a1d1))");
    expect(&tree, "all 0+10 (0)\nall;b 0+8 (2)\nall;b;d 2+3 (3)\n");
    assert_int_equal(tree.dropped, 4);
    tv_stack_tree_release(&tree);
}

static void memory_does_not_grow_with_what_is_dropped(void **state)
{
    struct tv_stack_tree tree;
    (void)state;
    begin(&tree);
    tree.least = 1000;
    for (unsigned i = 0; i < 100000; i++) {
        uint32_t name = name_of(&tree, i % 2 ? "a" : "b");
        assert_int_equal(tv_stack_tree_open(&tree, name, 1, NULL), TV_OK);
        tv_stack_tree_spend(&tree, 2);
        tv_stack_tree_close(&tree, 0);
    }
    assert_true(tree.cap < 64);
    tv_stack_tree_end_in_order(&tree);
    assert_int_equal(tree.count, 1);
    assert_int_equal(tree.dropped, 100000);
    tv_stack_tree_release(&tree);
}

static void invert(const struct tv_stack_tree *tree, uint64_t least, struct tv_stack_tree *inverted,
                   bool *is_cut)
{
    tv_stack_tree_init(inverted, tv_alloc_libc());
    assert_int_equal(tv_stack_tree_invert(tree, least, inverted, is_cut, NULL), TV_OK);
}

static void upside_down_each_own_part_stands_below_its_callers(void **state)
{
    struct tv_stack_tree tree;
    struct tv_stack_tree inverted;
    bool is_cut;
    (void)state;
    begin(&tree);
    uint32_t a = child(&tree, TV_STACK_ROOT, "a");
    uint32_t b = child(&tree, a, "b");
    tv_stack_tree_add(&tree, child(&tree, b, "c"), 4, 1);
    tv_stack_tree_add(&tree, child(&tree, a, "c"), 2, 1);
    tv_stack_tree_add(&tree, b, 1, 1);
    assert_int_equal(tv_stack_tree_end(&tree, NULL), TV_OK);
    invert(&tree, 0, &inverted, &is_cut);
    expect(&inverted, "all 0+7 (0)\nall;b 0+1 (0)\nall;c 1+6 (0)\nall;b;a 0+1 (1)\n"
                      "all;c;b 3+4 (0)\nall;c;a 1+2 (2)\nall;c;b;a 3+4 (4)\n");
    assert_false(is_cut);
    tv_stack_tree_release(&inverted);
    /* Nothing stands on what is narrower than 2, and nothing of it is lost. */
    invert(&tree, 2, &inverted, &is_cut);
    expect(&inverted, "all 0+7 (0)\nall;b 0+1 (1)\nall;c 1+6 (0)\nall;c;b 3+4 (0)\n"
                      "all;c;a 1+2 (2)\nall;c;b;a 3+4 (4)\n");
    tv_stack_tree_release(&inverted);
    tv_stack_tree_release(&tree);
}

static void a_stack_of_100000_frames_is_cut_upside_down(void **state)
{
    struct tv_stack_tree tree;
    struct tv_stack_tree inverted;
    bool is_cut;
    uint32_t frame = TV_STACK_ROOT;
    (void)state;
    begin(&tree);
    for (unsigned i = 0; i < 100000; i++) {
        frame = child(&tree, frame, i % 2 ? "a" : "b");
        tv_stack_tree_add(&tree, frame, 1, 1);
    }
    assert_int_equal(tv_stack_tree_end(&tree, NULL), TV_OK);
    invert(&tree, 0, &inverted, &is_cut);
    assert_true(is_cut);
    assert_int_equal(inverted.frames[TV_STACK_ROOT].value, 100000);
    assert_true(inverted.count < 1000);
    tv_stack_tree_release(&inverted);
    tv_stack_tree_release(&tree);
}

/* Two nodes of a name on one frame are one frame, as is what stands on them; children stand one
 * behind the other. */
static void nodes_that_are_merged_at_once_are_the_same_frames(void **state)
{
    struct tv_stack_tree tree;
    (void)state;
    begin(&tree);
    const uint32_t a = name_of(&tree, "a");
    const uint32_t b = name_of(&tree, "b");
    const uint32_t c = name_of(&tree, "c");
    struct tv_stack_node nodes[] = {
        {.below = TV_STACK_NOTHING, .name = b, .self = 1},
        {.below = 0, .name = c, .self = 2, .calls = 1},
        {.below = 1, .name = b, .self = 4},
        {.below = TV_STACK_NOTHING, .name = a, .self = 8},
        {.below = TV_STACK_NOTHING, .name = b, .self = 16},
        {.below = 4, .name = a, .self = 32},
        {.below = 4, .name = c, .self = 64, .calls = 2},
        {.below = 6, .name = b, .self = 128},
    };
    assert_int_equal(tv_stack_tree_merge(&tree, nodes, 8, NULL), TV_OK);
    assert_int_equal(tv_stack_tree_place(&tree, 0, NULL), TV_OK);
    expect(&tree, "all 0+255 (0)\nall;b 8+247 (17)\nall;a 0+8 (8)\n"
                  "all;b;a 25+32 (32)\nall;b;c 57+198 (66)\nall;b;c;b 123+132 (132)\n");
    assert_int_equal(tree.frames[4].calls, 3);
    assert_int_equal(tree.first_child[1], 3);
    assert_int_equal(tv_stack_tree_children_end(&tree, 1), 5);
    assert_int_equal(tree.first_child[2], 0);
    assert_int_equal(tv_stack_tree_children_end(&tree, 2), 0);
    tv_stack_tree_release(&tree);
}

static int compare_ulls(const void *a, const void *b)
{
    const uint64_t *left = a;
    const uint64_t *right = b;
    return (*left > *right) - (*left < *right);
}

/* What a frame is and where it is drawn, whatever its ordinal: a sum over the names below it. */
static void list_frames(const struct tv_stack_tree *tree, uint64_t *sums)
{
    uint64_t *paths = calloc(tree->count, sizeof(*paths));
    assert_non_null(paths);
    for (size_t i = 0; i < tree->count; i++) {
        const struct tv_stack_frame *frame = &tree->frames[i];
        paths[i] = (i ? paths[frame->parent] : 7) * 1000003u + frame->name;
        sums[i] = ((paths[i] * 31 + frame->start) * 31 + frame->value) * 31 + frame->calls;
    }
    free(paths);
    qsort(sums, tree->count, sizeof(*sums), compare_ulls);
}

/* More siblings than are sorted by moving them, and names that come again at every level. */
static void both_ways_to_merge_place_all_frames_alike(void **state)
{
    enum { FRAMES = 4000, NAMES = 90 };
    static char names[NAMES][4];
    static uint64_t one_by_one[FRAMES], at_once[FRAMES];
    struct tv_stack_tree tree, merged;
    uint32_t random = 1;
    (void)state;
    begin(&tree);
    for (unsigned i = 0; i < NAMES; i++)
        (void)snprintf(names[i], sizeof(names[i]), "%u", (i * 37) % NAMES);
    while (tree.count < FRAMES) {
        random = random * 1664525u + 1013904223u;
        const uint32_t parent = (random >> 8) % 50 ? (random >> 8) % (uint32_t)tree.count : 0;
        const uint32_t frame = child(&tree, parent, names[(random >> 20) % NAMES]);
        tv_stack_tree_add(&tree, frame, random % 7, 1);
    }
    assert_int_equal(tv_stack_tree_end(&tree, NULL), TV_OK);
    tv_stack_tree_init(&merged, tv_alloc_libc());
    assert_int_equal(merged_again(&tree, &merged), TV_OK);
    assert_int_equal(merged.count, tree.count);
    assert_int_equal(tv_stack_tree_place(&merged, 0, NULL), TV_OK);
    list_frames(&tree, one_by_one);
    list_frames(&merged, at_once);
    assert_memory_equal(one_by_one, at_once, sizeof(at_once));
    tv_stack_tree_release(&merged);
    tv_stack_tree_release(&tree);
}

/* What stands on a frame that is too narrow has no place; all others are where they are if all have
 * one. */
static void frames_on_narrow_ones_need_no_place(void **state)
{
    struct tv_stack_tree tree, whole, wide;
    (void)state;
    begin(&tree);
    const uint32_t b = child(&tree, TV_STACK_ROOT, "b");
    const uint32_t a = child(&tree, TV_STACK_ROOT, "a");
    tv_stack_tree_add(&tree, child(&tree, b, "y"), 4, 1);
    tv_stack_tree_add(&tree, child(&tree, b, "x"), 5, 1);
    tv_stack_tree_add(&tree, child(&tree, a, "z"), 2, 1);
    assert_int_equal(tv_stack_tree_end(&tree, NULL), TV_OK);
    tv_stack_tree_init(&whole, tv_alloc_libc());
    tv_stack_tree_init(&wide, tv_alloc_libc());
    assert_int_equal(merged_again(&tree, &whole), TV_OK);
    assert_int_equal(merged_again(&tree, &wide), TV_OK);
    assert_int_equal(tv_stack_tree_place(&whole, 0, NULL), TV_OK);
    assert_int_equal(tv_stack_tree_place(&wide, 3, NULL), TV_OK);
    expect(&whole, "all 0+11 (0)\nall;b 2+9 (0)\nall;a 0+2 (0)\n"
                   "all;b;y 7+4 (4)\nall;b;x 2+5 (5)\nall;a;z 0+2 (2)\n");
    for (size_t i = 0; i < whole.count; i++) {
        const struct tv_stack_frame *frame = &whole.frames[i];
        const bool is_on_wide = !i || whole.frames[frame->parent].value >= 3;
        assert_int_equal(wide.frames[i].start, is_on_wide ? frame->start : 0);
        assert_int_equal(wide.frames[i].value, frame->value);
    }
    tv_stack_tree_release(&wide);
    tv_stack_tree_release(&whole);
    tv_stack_tree_release(&tree);
}

static enum tv_code build_and_merge(const struct tv_alloc *alloc, void *ctx)
{
    const struct tv_stack_tree *tree = ctx;
    struct tv_stack_tree merged;
    tv_stack_tree_init(&merged, alloc);
    enum tv_code code = merged_again(tree, &merged);
    tv_stack_tree_release(&merged);
    return code;
}

static enum tv_code build_and_invert(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_stack_tree tree;
    struct tv_stack_tree inverted;
    bool is_cut;
    uint32_t name;
    uint32_t frame = TV_STACK_ROOT;
    (void)ctx;
    tv_stack_tree_init(&tree, alloc);
    tv_stack_tree_init(&inverted, alloc);
    enum tv_code code = tv_stack_tree_begin(&tree, NULL);
    for (unsigned i = 0; code == TV_OK && i < 40; i++) {
        code = tv_stack_tree_name(&tree, tv_str_from(&"abcdefghijklmnopqrst"[i % 20]), &name, NULL);
        if (code == TV_OK)
            code = tv_stack_tree_child(&tree, frame, name, &frame, NULL);
        if (code == TV_OK)
            tv_stack_tree_add(&tree, frame, 1, 1);
    }
    if (code == TV_OK)
        code = tv_stack_tree_end(&tree, NULL);
    if (code == TV_OK)
        code = tv_stack_tree_invert(&tree, 0, &inverted, &is_cut, NULL);
    tv_stack_tree_release(&inverted);
    tv_stack_tree_release(&tree);
    return code;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(build_and_invert, NULL) >= 10);
    struct tv_stack_tree tree;
    begin(&tree);
    for (unsigned i = 0; i < 40; i++)
        (void)child(&tree, TV_STACK_ROOT, &"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrst"[i]);
    assert_int_equal(tv_stack_tree_end(&tree, NULL), TV_OK);
    assert_true(failing_alloc_each(build_and_merge, &tree) >= 8);
    tv_stack_tree_release(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_stacks_are_one_and_siblings_stand_by_name),
        cmocka_unit_test(sums_stop_at_the_end_of_64_bits),
        cmocka_unit_test(frames_stand_in_the_order_of_time),
        cmocka_unit_test(what_stands_on_a_frame_that_is_opened_again_goes_on_too),
        cmocka_unit_test(frames_that_are_too_short_are_dropped_on_the_way),
        cmocka_unit_test(memory_does_not_grow_with_what_is_dropped),
        cmocka_unit_test(upside_down_each_own_part_stands_below_its_callers),
        cmocka_unit_test(a_stack_of_100000_frames_is_cut_upside_down),
        cmocka_unit_test(nodes_that_are_merged_at_once_are_the_same_frames),
        cmocka_unit_test(both_ways_to_merge_place_all_frames_alike),
        cmocka_unit_test(frames_on_narrow_ones_need_no_place),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
