/* Fields of protobuf messages: every type, and where a message ends or is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes/protobuf.h"

static void expect_str(struct tv_str text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.at, expected, text.len);
}

static struct tv_cursor over(const char *bytes, size_t len)
{
    return (struct tv_cursor){.bytes = (const uint8_t *)bytes, .len = len, .pos = 0};
}

static void each_type_is_taken(void **state)
{
    static const char bytes[] = "\x08\x96\x01"      /* 1: 150 */
                                "\x11"              /* 2: eight bytes */
                                "12345678\x1a\3abc" /* 3: "abc" */
                                "\x25"              /* 4: four bytes */
                                "1234\xfa\xff\x01\x00" /* 4095: no bytes */;
    struct tv_cursor cursor = over(bytes, sizeof(bytes) - 1);
    struct tv_field field;
    (void)state;
    assert_true(tv_field_take(&cursor, &field));
    assert_int_equal(field.number, 1);
    assert_int_equal(field.value, 150);
    assert_false(field.is_bytes);
    assert_true(tv_field_take(&cursor, &field));
    assert_int_equal(field.number, 2);
    assert_true(tv_field_take(&cursor, &field));
    assert_int_equal(field.number, 3);
    assert_true(field.is_bytes);
    assert_false(field.is_cut);
    expect_str(tv_field_text(&cursor, &field), "abc");
    struct tv_cursor inside = tv_field_message(&cursor, &field);
    assert_int_equal(tv_cursor_left(&inside), 3);
    assert_true(tv_field_take(&cursor, &field));
    assert_int_equal(field.number, 4);
    assert_true(tv_field_take(&cursor, &field));
    assert_int_equal(field.number, 4095);
    assert_int_equal(field.len, 0);
    assert_false(tv_field_take(&cursor, &field));
    assert_int_equal(cursor.pos, sizeof(bytes) - 1);
}

/* Field number 0, groups, and numbers that the message cuts. */
static void what_is_no_field_moves_nothing(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
    } cases[] = {{"\x02\x01x", 3},
                 {"\x0b\x0c", 2},
                 {"\x0e", 1},
                 {"\x0f\1", 2},
                 {"\x08", 1},
                 {"\x80", 1},
                 {"\x0a", 1},
                 {"\x09"
                  "1234567",
                  8},
                 {"\x0d"
                  "123",
                  4},
                 {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct tv_cursor cursor = over(cases[i].bytes, cases[i].len);
        struct tv_field field;
        assert_false(tv_field_take(&cursor, &field));
        assert_int_equal(cursor.pos, 0);
    }
}

static void bytes_go_as_far_as_the_message(void **state)
{
    struct tv_cursor cursor = over("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                                   "abc",
                                   14);
    struct tv_field field;
    (void)state;
    assert_true(tv_field_take(&cursor, &field));
    assert_true(field.is_cut);
    expect_str(tv_field_text(&cursor, &field), "abc");
    assert_false(tv_field_take(&cursor, &field));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_is_taken),
        cmocka_unit_test(what_is_no_field_moves_nothing),
        cmocka_unit_test(bytes_go_as_far_as_the_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
