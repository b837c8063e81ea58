/* base/descriptor: types as class files write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/names/descriptor.h"

static void expect_str(struct tv_str found, const char *wanted)
{
    assert_true(tv_str_equal(found, tv_str_from(wanted)));
}

static void types_are_taken_one_after_the_other(void **state)
{
    static const struct {
        const char *name;
        size_t dimensions;
    } wanted[] = {{"int", 0}, {"java/lang/String", 0}, {"long", 1}, {"a/B$C", 3}, {"", 0},
                  {"void", 0}};
    struct tv_str text = TV_STR("ILjava/lang/String;[J[[[La/B$C;L;V");
    struct tv_descriptor type;
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(wanted); i++) {
        assert_true(tv_descriptor_take(&text, &type));
        expect_str(type.name, wanted[i].name);
        assert_int_equal(type.dimensions, wanted[i].dimensions);
    }
    assert_int_equal(text.len, 0);
    assert_false(tv_descriptor_take(&text, &type));
}

static void what_is_no_type_stays(void **state)
{
    static const char *const texts[] = {"",    "[", "[[", "L", "Ljava/lang/String",
                                        "[La", "X", ")V", " I"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(texts); i++) {
        struct tv_str text = tv_str_from(texts[i]);
        struct tv_descriptor type;
        assert_false(tv_descriptor_take(&text, &type));
        expect_str(text, texts[i]);
    }
}

static void letters_have_the_words_of_java(void **state)
{
    static const char letters[] = "ZBCSIJFDV";
    static const char *const words[] = {"boolean", "byte",  "char",   "short", "int",
                                        "long",    "float", "double", "void"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(words); i++)
        expect_str(tv_descriptor_primitive(letters[i]), words[i]);
    assert_int_equal(tv_descriptor_primitive('L').len, 0);
    assert_int_equal(tv_descriptor_primitive('\0').len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_taken_one_after_the_other),
        cmocka_unit_test(what_is_no_type_stays),
        cmocka_unit_test(letters_have_the_words_of_java),
    };
    return cmocka_run_group_tests_name("base/descriptor", tests, NULL, NULL);
}
