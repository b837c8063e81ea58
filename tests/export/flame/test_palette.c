/* Colours of flame graphs. */
#include "export/flame/palette.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct tv_rgb colour(enum tv_palette palette, const char *name)
{
    return tv_palette_colour(palette, tv_str_from(name));
}

static bool is_between(uint8_t value, unsigned low, unsigned high)
{
    return value >= low && value <= high;
}

static void hot_goes_from_red_to_yellow_and_differs_by_name(void **state)
{
    unsigned differing = 0;
    struct tv_rgb before = colour(TV_PALETTE_HOT, "");
    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "com.example.Class%u.run", i);
        struct tv_rgb hot = colour(TV_PALETTE_HOT, name);
        assert_true(is_between(hot.red, 205, 255) && is_between(hot.green, 0, 230) &&
                    is_between(hot.blue, 0, 55));
        struct tv_rgb again = colour(TV_PALETTE_HOT, name);
        assert_memory_equal(&hot, &again, sizeof(hot));
        differing += memcmp(&hot, &before, sizeof(hot)) != 0;
        before = hot;
    }
    assert_true(differing > 990);
}

static void each_palette_has_a_name_and_its_hue(void **state)
{
    size_t count = 0;
    (void)state;
    while (tv_palette_words[count])
        count++;
    assert_int_equal(count, TV_PALETTE_PACKAGE + 1);
    assert_string_equal(tv_palette_words[TV_PALETTE_ORANGE], "orange");
    assert_string_equal(tv_palette_words[TV_PALETTE_PACKAGE], "package");
    struct tv_rgb red = colour(TV_PALETTE_RED, "x");
    struct tv_rgb green = colour(TV_PALETTE_GREEN, "x");
    struct tv_rgb blue = colour(TV_PALETTE_BLUE, "x");
    struct tv_rgb aqua = colour(TV_PALETTE_AQUA, "x");
    assert_true(red.red > red.green && red.red > red.blue);
    assert_true(green.green > green.red && green.green > green.blue);
    assert_true(blue.blue > blue.red && blue.blue > blue.green);
    assert_true(aqua.blue > aqua.red && aqua.green > aqua.red);
}

static void expect_same(enum tv_palette by_name, enum tv_palette hue, const char *name)
{
    struct tv_rgb a = colour(by_name, name);
    struct tv_rgb b = colour(hue, name);
    assert_memory_equal(&a, &b, sizeof(a));
}

static void some_palettes_go_by_what_names_say(void **state)
{
    (void)state;
    expect_same(TV_PALETTE_JAVA, TV_PALETTE_GREEN, "com.example.App.run");
    expect_same(TV_PALETTE_JAVA, TV_PALETTE_GREEN, "java/lang/Thread.run_[j]");
    expect_same(TV_PALETTE_JAVA, TV_PALETTE_AQUA, "java/lang/Thread.run_[i]");
    expect_same(TV_PALETTE_JAVA, TV_PALETTE_ORANGE, "sys_read_[k]");
    expect_same(TV_PALETTE_JAVA, TV_PALETTE_YELLOW, "JavaCalls::call");
    expect_same(TV_PALETTE_JAVA, TV_PALETTE_RED, "read");
    expect_same(TV_PALETTE_JS, TV_PALETTE_GREEN, "run app.js");
    expect_same(TV_PALETTE_PERL, TV_PALETTE_GREEN, "Perl_pp_print");
    expect_same(TV_PALETTE_CHAIN, TV_PALETTE_AQUA, "wake_[w]");
    expect_same(TV_PALETTE_CHAIN, TV_PALETTE_BLUE, "wake");
    expect_same(TV_PALETTE_WAKEUP, TV_PALETTE_AQUA, "wake");
}

static void a_package_has_one_colour(void **state)
{
    (void)state;
    /* What the page has for com.example and for no package: the FNV-1a hash, modulo 10. */
    assert_int_equal(tv_package_colour(TV_STR("com.example.App.run")), 0x89a5e16eu % 10);
    assert_int_equal(tv_package_colour(TV_STR("com/example/App#run")), 0x89a5e16eu % 10);
    assert_int_equal(tv_package_colour(TV_STR("com.example.App$$Lambda$7.0x00007f05.run")),
                     0x89a5e16eu % 10);
    /* Of a.\U0001f600, which the page hashes as two UTF-16 code units. */
    assert_int_equal(tv_package_colour(TV_STR("a.\xf0\x9f\x98\x80.App.run")), 1993007379u % 10);
    assert_int_equal(tv_package_colour(TV_STR("all")), 0x811c9dc5u % 10);
    assert_int_equal(tv_package_colour(TV_STR("App.run")), 0x811c9dc5u % 10);
}

/* The page's source is the one place that the colours come from. */
static void packages_have_the_colours_of_the_page(void **state)
{
    static char source[65536];
    (void)state;
    FILE *file = fopen("web/src/model/colour.ts", "r");
    assert_non_null(file);
    source[fread(source, 1, sizeof(source) - 1, file)] = '\0';
    (void)fclose(file);
    const char *light = strstr(source, "CALM_LIGHT");
    const char *dark = strstr(source, "CALM_DARK");
    assert_true(light && dark);
    for (size_t i = 0; i < TV_PACKAGE_COLOURS; i++) {
        light = strchr(light + 1, '#');
        dark = strchr(dark + 1, '#');
        assert_memory_equal(light, tv_package_colours_light[i], 7);
        assert_memory_equal(dark, tv_package_colours_dark[i], 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hot_goes_from_red_to_yellow_and_differs_by_name),
        cmocka_unit_test(each_palette_has_a_name_and_its_hue),
        cmocka_unit_test(some_palettes_go_by_what_names_say),
        cmocka_unit_test(a_package_has_one_colour),
        cmocka_unit_test(packages_have_the_colours_of_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
