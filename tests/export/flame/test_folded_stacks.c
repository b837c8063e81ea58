/* Reading folded stacks. */
#include "export/flame/folded_stacks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

static struct tv_stack_tree tree;
static struct tv_folded found;

static enum tv_code read_with(const char *text, struct tv_folded_opts opts, struct tv_error *err)
{
    tv_stack_tree_init(&tree, tv_alloc_libc());
    return tv_folded_read(tv_str_from(text), &opts, &tree, &found, err);
}

static void read_all(const char *text)
{
    assert_int_equal(read_with(text, (struct tv_folded_opts){.is_in_order = false}, NULL), TV_OK);
}

/* The value of the frame at the end of a path "a;b", or UINT64_MAX. */
static uint64_t value_at(const char *path)
{
    struct tv_str rest = tv_str_from(path);
    struct tv_str name;
    uint32_t frame = TV_STACK_ROOT;
    while (rest.len && tv_str_split(&rest, ';', &name)) {
        uint32_t below = frame;
        for (uint32_t i = 1; i < tree.count; i++) {
            if (tree.frames[i].parent == below &&
                tv_str_equal(tv_stack_tree_name_of(&tree, i), name))
                frame = i;
        }
        if (frame == below)
            return UINT64_MAX;
    }
    return tree.frames[frame].value;
}

static void stacks_are_merged(void **state)
{
    (void)state;
    read_all("a;b;c 100\na;b 50\nd 3\na;d 7\na;b;c 1\n");
    assert_int_equal(found.lines, 5);
    assert_int_equal(found.bad_lines, 0);
    assert_int_equal(value_at(""), 161);
    assert_int_equal(value_at("a"), 158);
    assert_int_equal(value_at("a;b"), 151);
    assert_int_equal(value_at("a;b;c"), 101);
    assert_int_equal(value_at("a;d"), 7);
    assert_int_equal(value_at("d"), 3);
    tv_stack_tree_release(&tree);
}

static void names_have_blanks_points_and_empty_frames(void **state)
{
    (void)state;
    /* The forms of the tools that fold stacks: names with blanks, DOS line ends, an end without a
     * line end, a ";" at the end as AFlame writes it, a frame without a name. */
    read_all("Async Task #1;java/lang/Foo#<init>; 5\r\nlibc.so.6;;x\t2\na  b   4");
    assert_int_equal(value_at("Async Task #1;java/lang/Foo#<init>"), 5);
    assert_int_equal(value_at("libc.so.6"), 2);
    assert_int_equal(value_at("a  b"), 4);
    assert_int_equal(tree.frames[TV_STACK_ROOT].value, 11);
    tv_stack_tree_release(&tree);
}

static void bad_lines_are_counted_and_comments_are_not(void **state)
{
    (void)state;
    read_all(
        "# thread 1 main\n\na;b 1\nno number\na;b x\n12\na -3\na 1e3\nc 99999999999999999999\n");
    assert_int_equal(found.lines, 1);
    assert_int_equal(found.bad_lines, 6);
    assert_int_equal(found.first_bad_line, 4);
    assert_int_equal(value_at(""), 1);
    tv_stack_tree_release(&tree);
}

static void numbers_may_have_decimals(void **state)
{
    (void)state;
    read_all("a 0.02\na 1.5\na 2.\nb 7\nb 1.23456\n");
    assert_true(found.has_decimals);
    assert_int_equal(value_at("a"), 3520);
    assert_int_equal(value_at("b"), 8234);
    tv_stack_tree_release(&tree);
}

static void of_two_numbers_the_second_counts_where_all_lines_have_two(void **state)
{
    (void)state;
    read_all("a;b 10 12\na;c 0 5\n");
    assert_true(found.is_comparison);
    assert_int_equal(value_at("a;b"), 12);
    assert_int_equal(value_at("a;c"), 5);
    tv_stack_tree_release(&tree);
    read_all("Thread 1 12\nmain 5\n");
    assert_false(found.is_comparison);
    assert_int_equal(value_at("Thread 1"), 12);
    assert_int_equal(value_at("main"), 5);
    tv_stack_tree_release(&tree);
}

static void sums_cannot_overflow(void **state)
{
    (void)state;
    char text[2048] = "";
    for (unsigned i = 0; i < 60; i++)
        strcat(text, "a 999999999999999999\n");
    read_all(text);
    assert_true(found.bad_lines > 0 && found.lines + found.bad_lines == 60);
    assert_true(value_at("a") == found.lines * 999999999999999999u);
    tv_stack_tree_release(&tree);
}

static void a_root_cuts_stacks_at_its_outermost_frame(void **state)
{
    struct tv_error err;
    (void)state;
    const struct tv_folded_opts opts = {.root = TV_STR("b")};
    assert_int_equal(read_with("a;b;c;b 4\nb 2\nc 9\na;b;d; 1\n", opts, NULL), TV_OK);
    assert_int_equal(value_at(""), 7);
    assert_int_equal(value_at("b"), 7);
    assert_int_equal(value_at("b;c;b"), 4);
    assert_int_equal(value_at("b;d"), 1);
    tv_stack_tree_release(&tree);
    assert_int_equal(read_with("a;c 4\n", opts, &err), TV_ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "'b'"));
    tv_stack_tree_release(&tree);
}

static void in_order_only_neighbours_are_merged(void **state)
{
    (void)state;
    const struct tv_folded_opts opts = {.is_in_order = true};
    assert_int_equal(read_with("a;b 1\na;c 2\na;b 4\na;b;d 1\nb 1\na;b 1\n", opts, NULL), TV_OK);
    /* all, a, b, c, b, d, b, a, b */
    assert_int_equal(tree.count, 9);
    assert_int_equal(tree.frames[1].value, 8);
    assert_int_equal(tree.frames[4].start, 3);
    assert_int_equal(tree.frames[4].value, 5);
    assert_int_equal(tree.frames[TV_STACK_ROOT].value, 10);
    tv_stack_tree_release(&tree);
}

static void what_begins_with_a_stack_is_told_from_other_files(void **state)
{
    (void)state;
    assert_true(tv_folded_begins(TV_STR("\n# comment\na;b 12\nwhatever")));
    assert_true(tv_folded_begins(TV_STR("main 1")));
    assert_true(tv_folded_begins(TV_STR("a;\xff\xc3\xbc 1.5\r\n")));
    assert_false(tv_folded_begins(TV_STR("")));
    assert_false(tv_folded_begins(TV_STR("*version\n3\nclock=dual 5\n")));
    assert_true(tv_folded_begins(TV_STR("[unknown];main 5\n")));
    assert_false(tv_folded_begins(TV_STR("{\"a\": 1\n}")));
    assert_false(tv_folded_begins(TV_STR("[{\"ph\": 1\n}]")));
    assert_false(tv_folded_begins(TV_STR("[1,\n2, 3\n]")));
    assert_false(tv_folded_begins(TV_STR("SLOW\3\0 5\n")));
    assert_false(tv_folded_begins(TV_STR("12\n13\n")));
}

static void a_first_line_may_be_long(void **state)
{
    /* As deep recursion makes it, and files that have no line at all. */
    static char text[3 << 20];
    struct tv_str all = {text, sizeof(text)};
    (void)state;
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = i % 2 ? ';' : 'f';
    assert_false(tv_folded_begins(all));
    text[0] = '{';
    text[1] = '"';
    memcpy(text + sizeof(text) - 5, "f 12\n", 5);
    assert_false(tv_folded_begins(all));
    memcpy(text, "f;", 2);
    assert_true(tv_folded_begins(all));
    text[2] = '\0';
    assert_false(tv_folded_begins(all));
    /* Comments count as no line, however many there are. */
    for (size_t i = 0; i + 5 < sizeof(text); i += 4)
        memcpy(text + i, "# c\n", 4);
    memcpy(text + sizeof(text) - 5, "\nf 1\n", 5);
    assert_true(tv_folded_begins(all));
}

static void nothing_spent_is_no_graph(void **state)
{
    struct tv_error err;
    (void)state;
    const struct tv_folded_opts opts = {.is_in_order = false};
    assert_int_equal(read_with("a;b 0\n", opts, &err), TV_ERR_FORMAT);
    assert_non_null(strstr(err.text, "spent"));
    tv_stack_tree_release(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_are_merged),
        cmocka_unit_test(names_have_blanks_points_and_empty_frames),
        cmocka_unit_test(bad_lines_are_counted_and_comments_are_not),
        cmocka_unit_test(numbers_may_have_decimals),
        cmocka_unit_test(of_two_numbers_the_second_counts_where_all_lines_have_two),
        cmocka_unit_test(sums_cannot_overflow),
        cmocka_unit_test(a_root_cuts_stacks_at_its_outermost_frame),
        cmocka_unit_test(in_order_only_neighbours_are_merged),
        cmocka_unit_test(what_begins_with_a_stack_is_told_from_other_files),
        cmocka_unit_test(a_first_line_may_be_long),
        cmocka_unit_test(nothing_spent_is_no_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
