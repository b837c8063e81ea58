/* CSV and lines of JSON: numbers, absent cells, and texts that either has to escape. */
#include "export/tables/text_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "export/tables/csv_rows.h"
#include "export/tables/jsonl_rows.h"
#include "export/tables/table_probe.h"

static const struct tv_str names[] = {{"plain", 5}, {"a,b \"c\"\nd", 9}, {"=1+2", 4}, {"@\"x", 3},
                                      {"", 0},      {"\xc3\xa9\x1b", 3}};
static const int64_t cells[][TABLE_PROBE_COLUMNS] = {
    {1, 0, 0, 0},  {UINT32_MAX, INT64_MAX, 1, 1}, {3, TV_ABSENT, 0, 2}, {4, INT64_MIN + 1, 1, 3},
    {5, -7, 0, 4}, {6, 1234567890, 1, 5}};

static void expect(const struct tv_table_form *form, const char *wanted)
{
    struct tv_buffer out;
    tv_buffer_init(&out, tv_alloc_libc());
    table_probe_write(form, names, 6, cells[0], 6, &out);
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    assert_string_equal((const char *)out.bytes, wanted);
    tv_buffer_release(&out);
}

static void csv_quotes_as_rfc_4180_and_disarms_formulas(void **state)
{
    (void)state;
    expect(&tv_csv_rows, "id,time,open,name\r\n"
                         "1,0,false,plain\r\n"
                         "4294967295,9223372036854775807,true,\"a,b \"\"c\"\"\nd\"\r\n"
                         "3,,false,'=1+2\r\n"
                         "4,-9223372036854775807,true,\"'@\"\"x\"\r\n"
                         "5,-7,false,\r\n"
                         "6,1234567890,true,\xc3\xa9\x1b\r\n");
}

static void lines_of_json_have_whole_numbers_and_escapes(void **state)
{
    (void)state;
    expect(&tv_jsonl_rows,
           "{\"id\":1,\"time\":0,\"open\":false,\"name\":\"plain\"}\n"
           "{\"id\":4294967295,\"time\":9223372036854775807,\"open\":true,"
           "\"name\":\"a,b \\\"c\\\"\\u000ad\"}\n"
           "{\"id\":3,\"time\":null,\"open\":false,\"name\":\"=1+2\"}\n"
           "{\"id\":4,\"time\":-9223372036854775807,\"open\":true,\"name\":\"@\\\"x\"}\n"
           "{\"id\":5,\"time\":-7,\"open\":false,\"name\":\"\"}\n"
           "{\"id\":6,\"time\":1234567890,\"open\":true,\"name\":\"\xc3\xa9\\u001b\"}\n");
}

/* Texts that are longer than what is gathered before a write, between short ones. */
static void long_texts_stand_in_their_place(void **state)
{
    (void)state;
    static char text[200000];
    const int64_t rows[][TABLE_PROBE_COLUMNS] = {{1, 1, 0, 0}, {2, 2, 0, 1}, {3, 3, 0, 2}};
    memset(text, 'x', sizeof(text));
    for (size_t len = 65300; len < 65600; len += 7) {
        const struct tv_str long_names[] = {{"a", 1}, {text, len}, {text, sizeof(text)}};
        struct tv_buffer out;
        tv_buffer_init(&out, tv_alloc_libc());
        table_probe_write(&tv_csv_rows, long_names, 3, rows[0], 3, &out);
        const char *at = (const char *)out.bytes;
        assert_int_equal(out.len, 19 + 13 + 12 + len + 12 + sizeof(text));
        assert_memory_equal(at, "id,time,open,name\r\n1,1,false,a\r\n2,2,false,x", 43);
        assert_memory_equal(at + 41 + len, "x\r\n3,3,false,x", 14);
        assert_memory_equal(at + out.len - 3, "x\r\n", 3);
        tv_buffer_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_quotes_as_rfc_4180_and_disarms_formulas),
        cmocka_unit_test(lines_of_json_have_whole_numbers_and_escapes),
        cmocka_unit_test(long_texts_stand_in_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
