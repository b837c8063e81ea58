/* From a tree to a picture: which boxes, where, with which names. */
#include "export/flame/flame_svg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/memory/buffer.h"
#include "export/flame/flame_label.h"
#include "export/flame/flame_script.h"
#include "export/flame/folded_stacks.h"
#include "support/failing_alloc.h"

/* A tree of folded stacks, and the boxes of it that are wide enough for a picture. */
struct graph {
    struct tv_stack_tree tree;
    struct tv_folded found;
    struct tv_flame_boxes boxes;
    struct tv_buffer out;
};

static struct graph graph;

static void read_stacks(const char *stacks)
{
    const struct tv_folded_opts opts = {.is_in_order = false};
    tv_stack_tree_init(&graph.tree, tv_alloc_libc());
    tv_flame_boxes_init(&graph.boxes, tv_alloc_libc());
    tv_buffer_init(&graph.out, tv_alloc_libc());
    assert_int_equal(tv_folded_read(tv_str_from(stacks), &opts, &graph.tree, &graph.found, NULL),
                     TV_OK);
}

static void choose(uint64_t least, size_t limit)
{
    const struct tv_flame_boxes_opts opts = {.least = least, .limit = limit};
    assert_int_equal(tv_flame_boxes_choose(&graph.boxes, &graph.tree, &opts, NULL), TV_OK);
}

static void release(void)
{
    tv_buffer_release(&graph.out);
    tv_flame_boxes_release(&graph.boxes);
    tv_stack_tree_release(&graph.tree);
}

/* The names of the boxes in their order, each behind as many points as its level. */
static void expect_boxes(const char *expected)
{
    char text[1024] = "";
    for (size_t i = 0; i < graph.boxes.count; i++) {
        const struct tv_flame_picture_box *box = &graph.boxes.of[i];
        struct tv_str name = tv_stack_tree_name_of(&graph.tree, box->frame);
        size_t len = strlen(text);
        (void)snprintf(text + len, sizeof(text) - len, "%.*s%.*s ", (int)box->level, "........",
                       (int)name.len, name.at);
    }
    assert_string_equal(text, expected);
}

static void boxes_stand_from_the_left_and_on_their_callers(void **state)
{
    (void)state;
    read_stacks("a;b;c 100\na;b 50\na;d 7\ne 3\na 10\n");
    choose(0, 0);
    expect_boxes("all .a ..b ...c ..d .e ");
    assert_int_equal(graph.boxes.level_count, 4);
    assert_int_equal(graph.boxes.left_out, 0);
    assert_int_equal(graph.boxes.too_narrow, 0);
    release();
}

static void what_is_too_narrow_is_counted_with_its_share(void **state)
{
    (void)state;
    read_stacks("a;b;c 4\na;b;d 3\na 93\ne 10\nf 0\n");
    choose(8, 0);
    expect_boxes("all .a .e ");
    /* b, c, d and f; c and d stand on b, and count once. */
    assert_int_equal(graph.boxes.too_narrow, 4);
    assert_int_equal(graph.boxes.left_out, 7);
    release();
}

static void a_limit_keeps_the_widest(void **state)
{
    (void)state;
    read_stacks("a;b;c 60\nd;e 20\nf 30\n");
    choose(0, 4);
    expect_boxes("all .a ..b ...c ");
    assert_int_equal(graph.boxes.over_the_limit, 3);
    assert_int_equal(graph.boxes.left_out, 50);
    choose(0, 5);
    expect_boxes("all .a ..b ...c .f ");
    release();
}

/* Frames that are equally wide could push out those below them. */
static void a_limit_cuts_a_tower_at_its_top(void **state)
{
    static char stack[200000];
    (void)state;
    for (unsigned i = 0; i < 50000; i++)
        memcpy(stack + (size_t)i * 2, i % 2 ? "a;" : "b;", 2);
    strcpy(stack + 99999, " 7");
    read_stacks(stack);
    choose(1, 20000);
    assert_int_equal(graph.boxes.count, 20000);
    assert_int_equal(graph.boxes.level_count, 20000);
    assert_int_equal(graph.boxes.over_the_limit, 30001);
    assert_int_equal(graph.boxes.left_out, 7);
    release();
}

static void a_width_becomes_the_least_value_that_has_it(void **state)
{
    (void)state;
    assert_int_equal(tv_flame_least(11800, 0.1, 1180), 1);
    assert_int_equal(tv_flame_least(118000, 0.1, 1180), 10);
    assert_int_equal(tv_flame_least(118001, 0.1, 1180), 11);
    assert_int_equal(tv_flame_least(100, 5000, 1180), 100);
    assert_int_equal(tv_flame_least(100, 0, 1180), 0);
}

static struct tv_flame_svg plain_picture(void)
{
    return (struct tv_flame_svg){.tree = &graph.tree,
                                 .boxes = &graph.boxes,
                                 .title = TV_STR("Flame Graph"),
                                 .unit = TV_STR("samples"),
                                 .unit_of = 1,
                                 .min_width = TV_STR("0.1 px"),
                                 .width = 1200};
}

static const char *write_picture(const struct tv_flame_svg *svg)
{
    static struct tv_out out;
    graph.out.len = 0;
    tv_out_init(&out, tv_buffer_sink(&graph.out));
    tv_flame_svg_write(svg, &out);
    assert_int_equal(tv_out_finish(&out, NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&graph.out, "", 1, NULL), TV_OK);
    return (const char *)graph.out.bytes;
}

static void expect_part(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no %s in\n%s", part, text);
}

static void expect_no_part(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("%s in\n%s", part, text);
}

static void boxes_have_places_names_and_tooltips(void **state)
{
    (void)state;
    read_stacks("a;b 50\na;c 25\na 25\n");
    choose(0, 0);
    struct tv_flame_svg svg = plain_picture();
    const char *text = write_picture(&svg);
    expect_part(text, "<title>Flame Graph</title>");
    expect_part(text, "<g data-at=\"0 0 100\"><title>all (100 samples, 100%)</title>"
                      "<rect x=\"10.0\" y=\"69\" width=\"1180.0\" height=\"15\"");
    expect_part(text, "<g data-at=\"2 25 50\"><title>b (50 samples, 50.00%)</title>"
                      "<rect x=\"305.0\" y=\"37\" width=\"590.0\" height=\"15\"");
    expect_part(text, "<text x=\"308.0\" y=\"47.5\">b</text>");
    expect_part(text, "height=\"118\" viewBox=\"0 0 1200 118\"");
    expect_no_part(text, "<script");
    expect_no_part(text, "Not drawn");
    svg.roots = TV_FLAME_ROOTS_ABOVE;
    text = write_picture(&svg);
    expect_part(text, "all (100 samples, 100%)</title><rect x=\"10.0\" y=\"37\"");
    expect_part(text, "b (50 samples, 50.00%)</title><rect x=\"305.0\" y=\"69\"");
    release();
}

static void values_are_told_in_their_unit(void **state)
{
    (void)state;
    read_stacks("a 1234567890\nb 2000000\nc 1\n");
    choose(0, 0);
    struct tv_flame_svg svg = plain_picture();
    svg.unit = TV_STR("ms");
    svg.unit_of = 1000000;
    const char *text = write_picture(&svg);
    expect_part(text, "<title>a (1,234.56789 ms, 99.84%)</title>");
    expect_part(text, "<title>b (2 ms, 0.16%)</title>");
    expect_part(text, "<title>c (0.000001 ms, &lt;0.01%)</title>");
    release();
}

static void calls_are_told_where_the_source_counts_them(void **state)
{
    (void)state;
    read_stacks("a 60\nb 40\n");
    graph.tree.frames[1].calls = 1;
    graph.tree.frames[2].calls = 1234;
    choose(0, 0);
    struct tv_flame_svg svg = plain_picture();
    const char *text = write_picture(&svg);
    expect_part(text, "<title>a (60 samples, 60.00%, 1 call)</title>");
    expect_part(text, "<title>b (40 samples, 40.00%, 1,234 calls)</title>");
    svg.is_sampled = true;
    text = write_picture(&svg);
    expect_part(text, "<title>a (60 samples, 60.00%, 1 run)</title>");
    expect_part(text, "<title>b (40 samples, 40.00%, 1,234 runs)</title>");
    release();
}

static void no_name_leaves_its_place(void **state)
{
    (void)state;
    read_stacks("</title><script>alert(1)</script>&amp\x1b\xff\"' 5\n");
    choose(0, 0);
    struct tv_flame_svg svg = plain_picture();
    svg.title = TV_STR("<b>\"&");
    svg.subtitle = TV_STR("]]>");
    const struct tv_str note = TV_STR("</text>");
    svg.notes = &note;
    svg.note_count = 1;
    const char *text = write_picture(&svg);
    expect_no_part(text, "<script");
    expect_part(text, "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp\\x1b"
                      "\xef\xbf\xbd&quot;&#39; (5 samples, 100%)</title>");
    expect_part(text, ">&lt;b&gt;&quot;&amp;</text>");
    expect_part(text, ">]]&gt;</text>");
    expect_part(text, ">&lt;/text&gt;</text>");
    release();
}

static unsigned place_of_line(const char *text, const char *line)
{
    const char *end = strstr(text, line);
    assert_non_null(end);
    const char *place = end;
    while (place > text && strncmp(place, " y=\"", 4) != 0)
        place--;
    return (unsigned)strtoul(place + 4, NULL, 10);
}

static void the_subtitle_stands_below_the_title(void **state)
{
    (void)state;
    read_stacks("a 60\n");
    choose(0, 0);
    struct tv_flame_svg svg = plain_picture();
    svg.title = TV_STR("The title");
    svg.subtitle = TV_STR("what is below");
    for (unsigned i = 0; i < 2; i++) {
        svg.is_part_of_page = i == 1;
        const char *text = write_picture(&svg);
        unsigned title = place_of_line(text, ">The title</text>");
        assert_in_range(place_of_line(text, ">what is below</text>"), title + 10, title + 30);
    }
    release();
}

static void the_picture_says_what_it_leaves_out(void **state)
{
    (void)state;
    read_stacks("a 9000\nb 900\nc 90\nd 6\ne 3\nf 1\n");
    choose(7, 3);
    const struct tv_flame_svg svg = plain_picture();
    expect_part(write_picture(&svg),
                ">Not drawn: 3 boxes narrower than 0.1 px, and 1 more than the 3 "
                "widest; 1.00% of all was spent in them.</text>");
    choose(2, 0);
    expect_part(write_picture(&svg), ">Not drawn: 1 box narrower than 0.1 px; 0.01% of all was "
                                     "spent in them.</text>");
    release();
}

static void packages_have_classes_for_light_and_dark(void **state)
{
    (void)state;
    read_stacks("com.example.App.run 5\n");
    choose(0, 0);
    struct tv_flame_svg svg = plain_picture();
    svg.palette = TV_PALETTE_PACKAGE;
    const char *text = write_picture(&svg);
    expect_part(text, " class=\"p2\"/>");
    expect_part(text, ".p2{fill:#eca1bf}");
    expect_part(text, ".p2{fill:#d188a5}");
    release();
}

static void a_script_stands_in_its_picture_as_it_is(void **state)
{
    (void)state;
    read_stacks("a 5\n");
    choose(0, 0);
    struct tv_flame_svg svg = plain_picture();
    svg.script = TV_STR("if (a < b && c) d();\n");
    expect_part(write_picture(&svg),
                "<script><![CDATA[\nif (a < b && c) d();\n]]></script>\n</svg>");
    release();
}

/* The end of a CDATA section in the script would end it early. */
static void the_script_is_whole_and_refers_to_nothing_outside(void **state)
{
    struct tv_str script = tv_flame_script();
    (void)state;
    if (!script.len) {
        print_message("skipped: built without its page\n");
        skip();
    }
    assert_true(script.len > 1000);
    assert_true(tv_str_find(script, TV_STR("]]>"), TV_CASE_EXACT) == SIZE_MAX);
    assert_true(tv_str_find(script, TV_STR("import "), TV_CASE_EXACT) == SIZE_MAX);
    assert_true(tv_str_find(script, TV_STR("fetch("), TV_CASE_EXACT) == SIZE_MAX);
}

static void expect_label(const char *name, size_t room, const char *expected, bool is_cut)
{
    struct tv_flame_label label = tv_flame_label_fit(tv_str_from(name), room);
    char text[128];
    (void)snprintf(text, sizeof(text), "%.*s", (int)label.text.len, label.text.at);
    assert_string_equal(text, expected);
    assert_int_equal(label.is_cut, is_cut);
}

static void a_label_is_the_longest_form_that_fits(void **state)
{
    (void)state;
    static const char name[] = "com.example.App$Loader.run";
    expect_label(name, 26, name, false);
    expect_label(name, 25, "App$Loader.run", false);
    expect_label(name, 13, "Loader.run", false);
    expect_label(name, 9, "run", false);
    expect_label(name, 3, "run", false);
    expect_label(name, 2, "", false);
    expect_label("com/example/App#nativeFinished", 20, "App#nativeFinished", false);
    expect_label("com/example/App#nativeFinished", 8, "native", true);
    expect_label("com.example.App$1.run", 6, "run", false);
    expect_label("App.run", 5, "run", false);
    expect_label("/system/lib64/libart.so", 10, "/system/", true);
    expect_label("std::vector<Foo.bar>::push", 6, "std:", true);
    expect_label("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 3, "\xc3\xbc", true);
    expect_label("", 10, "", false);
    expect_label(".", 10, ".", false);
    expect_label("App.", 3, "A", true);
}

static enum tv_code choose_boxes(const struct tv_alloc *alloc, void *ctx)
{
    static const char stacks[] = "a;b;c 5\na;b 4\na;d;e;f;g;h 3\nb;c 2\nd;e;f;a 1\n";
    const struct tv_folded_opts opts = {.is_in_order = false};
    const struct tv_flame_boxes_opts box_opts = {.least = 2, .limit = 7};
    (void)ctx;
    tv_stack_tree_init(&graph.tree, alloc);
    tv_flame_boxes_init(&graph.boxes, alloc);
    tv_buffer_init(&graph.out, alloc);
    enum tv_code code = tv_folded_read(TV_STR(stacks), &opts, &graph.tree, &graph.found, NULL);
    if (code == TV_OK)
        code = tv_flame_boxes_choose(&graph.boxes, &graph.tree, &box_opts, NULL);
    release();
    return code;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(choose_boxes, NULL) >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_stand_from_the_left_and_on_their_callers),
        cmocka_unit_test(what_is_too_narrow_is_counted_with_its_share),
        cmocka_unit_test(a_limit_keeps_the_widest),
        cmocka_unit_test(a_limit_cuts_a_tower_at_its_top),
        cmocka_unit_test(a_width_becomes_the_least_value_that_has_it),
        cmocka_unit_test(boxes_have_places_names_and_tooltips),
        cmocka_unit_test(values_are_told_in_their_unit),
        cmocka_unit_test(calls_are_told_where_the_source_counts_them),
        cmocka_unit_test(no_name_leaves_its_place),
        cmocka_unit_test(the_subtitle_stands_below_the_title),
        cmocka_unit_test(the_picture_says_what_it_leaves_out),
        cmocka_unit_test(packages_have_classes_for_light_and_dark),
        cmocka_unit_test(a_script_stands_in_its_picture_as_it_is),
        cmocka_unit_test(the_script_is_whole_and_refers_to_nothing_outside),
        cmocka_unit_test(a_label_is_the_longest_form_that_fits),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
