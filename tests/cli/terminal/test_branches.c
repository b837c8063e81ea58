/* cli/branches: lines of a tree by the rows that follow, and what stands for levels without room.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cli/terminal/branches.h"

static const struct tv_terminal drawing = {.width = 80, .has_drawing = true};
static const struct tv_terminal ascii = {.width = 80};
static const struct tv_terminal none = {.width = 0};

static void expect_tree(const struct tv_terminal *terminal, const uint32_t *levels, size_t count,
                        size_t most, const char *expected)
{
    struct tv_branches branches;
    struct tv_text out;
    tv_branches_init(&branches, tv_alloc_libc());
    tv_text_init(&out, tv_alloc_libc());
    for (size_t i = 0; i < count; i++)
        assert_int_equal(tv_branches_row(&branches, levels[i], NULL), TV_OK);
    assert_int_equal(tv_branches_find(&branches, NULL), TV_OK);
    for (size_t i = 0; i < count; i++) {
        size_t before = tv_text_width(tv_text_view(&out));
        size_t used = tv_branches_add(&branches, &out, terminal, i, most);
        assert_int_equal(tv_text_width(tv_text_view(&out)) - before, used);
        assert_true(used <= most);
        tv_text_add(&out, "%c\n", 'a' + (char)i);
    }
    tv_text_add_str(&out, (struct tv_str){"", 1});
    assert_string_equal(tv_text_view(&out).at, expected);
    tv_text_release(&out);
    tv_branches_release(&branches);
}

static const uint32_t levels[] = {0, 1, 2, 2, 1, 2, 0, 1};

static void lines_go_on_to_the_next_sibling(void **state)
{
    (void)state;
    expect_tree(&drawing, levels, TV_COUNT_OF(levels), 40,
                "a\n"
                "\u251c\u2500b\n"
                "\u2502 \u251c\u2500c\n"
                "\u2502 \u2514\u2500d\n"
                "\u2514\u2500e\n"
                "  \u2514\u2500f\n"
                "g\n"
                "\u2514\u2500h\n");
    expect_tree(&ascii, levels, 4, 40, "a\n`-b\n  |-c\n  `-d\n");
}

static void without_a_terminal_levels_are_blanks(void **state)
{
    (void)state;
    expect_tree(&none, levels, TV_COUNT_OF(levels), 40,
                "a\n  b\n    c\n    d\n  e\n    f\ng\n  h\n");
}

static void deep_rows_have_the_number_of_their_level(void **state)
{
    static const uint32_t deep[] = {0, 1, 2, 3, 4, 4, 3};
    (void)state;
    expect_tree(&drawing, deep, TV_COUNT_OF(deep), 6,
                "a\n"
                "\u2514\u2500b\n"
                "  \u2514\u2500c\n"
                "    \u251c\u2500d\n"
                "    4 e\n"
                "    4 f\n"
                "    \u2514\u2500g\n");
}

static void numbers_of_levels_stand_below_each_other(void **state)
{
    static const uint32_t deep[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    (void)state;
    expect_tree(&ascii, deep, TV_COUNT_OF(deep), 7,
                "a\n`-b\n  `-c\n    `-d\n     4 e\n     5 f\n     6 g\n     7 h\n     8 i\n"
                "     9 j\n    10 k\n");
}

/* A stack may be deeper than any terminal is wide, and than there are bits in a word. */
static void ten_thousand_levels_keep_within_their_room(void **state)
{
    enum { DEEP = 10000 };
    struct tv_branches branches;
    struct tv_text out;
    (void)state;
    tv_branches_init(&branches, tv_alloc_libc());
    for (uint32_t level = 0; level < DEEP; level++)
        assert_int_equal(tv_branches_row(&branches, level, NULL), TV_OK);
    assert_int_equal(tv_branches_find(&branches, NULL), TV_OK);
    for (size_t row = 0; row < DEEP; row++) {
        tv_text_init(&out, tv_alloc_libc());
        size_t used = tv_branches_add(&branches, &out, &drawing, row, 200);
        assert_int_equal(tv_text_width(tv_text_view(&out)), used);
        assert_true(used <= 200);
        tv_text_release(&out);
    }
    tv_branches_release(&branches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_go_on_to_the_next_sibling),
        cmocka_unit_test(without_a_terminal_levels_are_blanks),
        cmocka_unit_test(deep_rows_have_the_number_of_their_level),
        cmocka_unit_test(numbers_of_levels_stand_below_each_other),
        cmocka_unit_test(ten_thousand_levels_keep_within_their_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
