/* fleet/row_binary: what is added is read again; bytes that end anywhere else are refused. */
#include "fleet/row_binary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define HOSTILE "\0it's\xff\n"

static void fill(struct tv_buffer *rows, const char *long_text, size_t long_len)
{
    const struct tv_sql_value values[] = {
        tv_sql_int(INT64_MIN),
        tv_sql_text((struct tv_str){HOSTILE, sizeof(HOSTILE) - 1}),
        tv_sql_text((struct tv_str){long_text, long_len}),
        tv_sql_int(-1),
        tv_sql_text((struct tv_str){"", 0}),
        tv_sql_text((struct tv_str){"a", 1}),
    };
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        assert_int_equal(tv_row_binary_add(rows, &values[i], NULL), TV_OK);
}

static void what_is_added_is_read(void **state)
{
    static char text[40000];
    struct tv_buffer bytes;
    struct tv_row_binary rows;
    (void)state;
    memset(text, 'x', sizeof(text));
    tv_buffer_init(&bytes, tv_alloc_libc());
    fill(&bytes, text, sizeof(text));
    assert_int_equal(
        tv_row_binary_read(&rows, tv_buffer_view(&bytes), "ntt", tv_alloc_libc(), NULL), TV_OK);
    assert_int_equal(rows.count, 2);
    assert_true(tv_row_binary_number(&rows, 0, 0) == INT64_MIN);
    assert_int_equal(tv_row_binary_number(&rows, 1, 0), -1);
    assert_int_equal(tv_row_binary_text(&rows, 0, 1).len, sizeof(HOSTILE) - 1);
    assert_memory_equal(tv_row_binary_text(&rows, 0, 1).at, HOSTILE, sizeof(HOSTILE) - 1);
    assert_int_equal(tv_row_binary_text(&rows, 0, 2).len, sizeof(text));
    assert_int_equal(tv_row_binary_text(&rows, 1, 1).len, 0);
    assert_memory_equal(tv_row_binary_text(&rows, 1, 2).at, "a", 1);
    tv_row_binary_release(&rows);
    tv_buffer_release(&bytes);
}

/* Cut at each byte, in a block of its own, so that a sanitizer sees what is read behind it. */
static void what_ends_within_a_row_is_refused(void **state)
{
    struct tv_buffer bytes;
    (void)state;
    tv_buffer_init(&bytes, tv_alloc_libc());
    fill(&bytes, "long", 4);
    for (size_t len = 0; len <= bytes.len; len++) {
        char *cut = malloc(len + !len);
        struct tv_row_binary rows;
        struct tv_error err = {.code = TV_OK};
        assert_non_null(cut);
        memcpy(cut, tv_buffer_view(&bytes).at, len);
        const enum tv_code code =
            tv_row_binary_read(&rows, (struct tv_str){cut, len}, "ntt", tv_alloc_libc(), &err);
        const bool is_whole =
            len == 0 || len == 8 + 1 + sizeof(HOSTILE) - 1 + 5 || len == bytes.len;
        assert_int_equal(code, is_whole ? TV_OK : TV_ERR_FORMAT);
        tv_row_binary_release(&rows);
        assert_int_equal(
            tv_row_binary_read(&rows, (struct tv_str){cut, len}, "nn", tv_alloc_libc(), NULL),
            len % 16 ? TV_ERR_FORMAT : TV_OK);
        tv_row_binary_release(&rows);
        free(cut);
    }
    tv_buffer_release(&bytes);
}

static void lengths_that_cannot_be_are_refused(void **state)
{
    static const char longest[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    static const char endless[] = "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80";
    const struct tv_str of[] = {{longest, sizeof(longest) - 1}, {endless, sizeof(endless) - 1}};
    struct tv_row_binary rows;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(tv_row_binary_read(&rows, of[i], "t", tv_alloc_libc(), NULL),
                         TV_ERR_FORMAT);
        tv_row_binary_release(&rows);
    }
    assert_int_equal(tv_row_binary_read(&rows, of[0], "", tv_alloc_libc(), NULL), TV_ERR_FORMAT);
    tv_row_binary_release(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_added_is_read),
        cmocka_unit_test(what_ends_within_a_row_is_refused),
        cmocka_unit_test(lengths_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
