/* What S3 answers, and what it should not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "s3/xml.h"

static void elements_are_walked(void **state)
{
    struct tv_str text =
        TV_STR("<?xml version='1.0'?><R xmlns=\"x\"><Contents><Key>a</Key></Contents>"
               "<ContentsOfOthers/><Contents a=\"1\"><Key>b</Key></Contents></R>");
    struct tv_str inner;
    char key[8];
    (void)state;
    assert_true(tv_s3_xml_next(&text, "Contents", &inner));
    tv_s3_xml_copy(inner, "Key", key, sizeof(key));
    assert_string_equal(key, "a");
    assert_true(tv_s3_xml_next(&text, "Contents", &inner));
    tv_s3_xml_copy(inner, "Key", key, sizeof(key));
    assert_string_equal(key, "b");
    assert_false(tv_s3_xml_next(&text, "Contents", &inner));
}

static void texts_are_decoded_and_cut(void **state)
{
    static const struct {
        const char *text, *is;
    } of[] = {{"<E>&quot;a&amp;b&quot;</E>", "\"a&b\""},
              {"<E>&#34;x&#34;</E>", "\"x\""},
              {"<E>&lt;&gt;&apos;</E>", "<>'"},
              {"<E>a\nb\x7f</E>", "a b "},
              {"<E>&unknown;</E>", "&unknow"},
              {"<E>0123456789</E>", "0123456"},
              {"<E></E>", ""},
              {"<E/>", ""},
              {"<E>no end", ""},
              {"<E", ""},
              {"<EE>x</EE>", ""},
              {"", ""},
              {"<E>x</E", ""},
              {"<<E>x</E>", "x"},
              {"<E>&</E>", "&"}};
    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
        char copy[8];
        tv_s3_xml_copy(tv_str_from(of[i].text), "E", copy, sizeof(copy));
        assert_string_equal(copy, of[i].is);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_walked),
        cmocka_unit_test(texts_are_decoded_and_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
