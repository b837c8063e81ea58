/*
 * Parquet files, by what their description says: a slow reading of Thrift's compact protocol goes
 * to a value by its path. What is in the pages is read by other tools' readers (tests/readers).
 */
#include "export/tables/parquet_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "export/tables/table_probe.h"
#include "export/tables/thrift.h"

static uint64_t take_varint(const uint8_t **at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

static int64_t take_zigzag(const uint8_t **at)
{
    uint64_t value = take_varint(at);
    return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

/* The head of a list: its count, and the type of its items. */
static size_t take_list(const uint8_t **at, unsigned *type)
{
    uint8_t head = *(*at)++;
    *type = head & 15;
    return head >> 4 == 15 ? (size_t)take_varint(at) : head >> 4;
}

/* The next field of a struct; false at its end. */
static bool take_field(const uint8_t **at, unsigned *id, unsigned *type)
{
    uint8_t head = *(*at)++;
    *id += head >> 4;
    *type = head & 15;
    return head;
}

/* Skips a value; nested ones by their own fields. */
static void pass_over(const uint8_t **at, unsigned type)
{
    unsigned inner, id = 0;
    if (type == TV_THRIFT_TRUE || type == TV_THRIFT_FALSE)
        return;
    if (type == TV_THRIFT_BINARY) {
        uint64_t len = take_varint(at);
        *at += len;
    } else if (type == TV_THRIFT_BYTE) {
        ++*at;
    } else if (type == TV_THRIFT_LIST) {
        for (size_t count = take_list(at, &inner); count; count--)
            pass_over(at, inner);
    } else if (type == TV_THRIFT_STRUCT) {
        while (take_field(at, &id, &inner))
            pass_over(at, inner);
    } else {
        (void)take_varint(at);
    }
}

#define END 1000

/* Where a value stands: fields of structs by id, items of lists by place, ended by END. */
static const uint8_t *find(const uint8_t *at, unsigned type, const int *path)
{
    for (; *path != END; path++) {
        unsigned id = 0, inner = 0;
        if (type == TV_THRIFT_LIST) {
            assert_true((size_t)*path < take_list(&at, &inner));
            for (int i = 0; i < *path; i++)
                pass_over(&at, inner);
        } else {
            while (take_field(&at, &id, &inner) && id != (unsigned)*path)
                pass_over(&at, inner);
            assert_int_equal(id, *path);
        }
        type = inner;
    }
    return at;
}

#define FIND(at, ...) find(at, TV_THRIFT_STRUCT, (const int[]){__VA_ARGS__, END})

static int64_t number_at(const uint8_t *at)
{
    return take_zigzag(&at);
}

static size_t count_at(const uint8_t *at)
{
    unsigned type;
    return take_list(&at, &type);
}

static const uint8_t *footer_of(const struct tv_buffer *file)
{
    assert_memory_equal(file->bytes, "PAR1", 4);
    assert_memory_equal(file->bytes + file->len - 4, "PAR1", 4);
    return file->bytes + file->len - 8 - tv_load_le32(file->bytes + file->len - 8);
}

/* The value of a statistic of a column of the first group: 5 the greatest, 6 the least. */
static uint64_t statistic(const uint8_t *footer, int column, int which)
{
    const uint8_t *at = FIND(footer, 4, 0, 1, column, 3, 12, which);
    return take_varint(&at) == 8 ? tv_load_le64(at) : tv_load_le32(at);
}

static void the_footer_describes_columns_and_groups(void **state)
{
    (void)state;
    static const struct tv_str names[] = {{"a", 1}, {"b", 1}};
    static const int64_t cells[][TABLE_PROBE_COLUMNS] = {
        {7, -5, 0, 0}, {4000000000, TV_ABSENT, 1, 1}, {9, 12, 1, 0}};
    struct tv_buffer file;
    tv_buffer_init(&file, tv_alloc_libc());
    table_probe_write(&tv_parquet_file, names, 2, cells[0], 3, &file);
    const uint8_t *footer = footer_of(&file);
    assert_int_equal(number_at(FIND(footer, 3)), 3);       /* rows */
    assert_int_equal(count_at(FIND(footer, 2)), 5);        /* the root and four columns */
    assert_int_equal(number_at(FIND(footer, 2, 2, 3)), 1); /* the second is optional */
    assert_memory_equal(FIND(footer, 2, 4, 4), "\4name", 5);
    assert_int_equal(count_at(FIND(footer, 4)), 1);
    assert_int_equal(count_at(FIND(footer, 7)), 4); /* an order for each column */
    assert_int_equal(statistic(footer, 0, 6), 7);
    assert_int_equal(statistic(footer, 0, 5), 4000000000);
    assert_int_equal((int64_t)statistic(footer, 1, 6), -5);
    assert_int_equal((int64_t)statistic(footer, 1, 5), 12);
    assert_int_equal(number_at(FIND(footer, 4, 0, 1, 1, 3, 12, 3)), 1); /* absent cells */
    int64_t data = number_at(FIND(footer, 4, 0, 1, 3, 3, 9));
    int64_t dictionary = number_at(FIND(footer, 4, 0, 1, 3, 3, 11));
    assert_int_equal(number_at(FIND(file.bytes + dictionary, 1)), 2);
    assert_int_equal(number_at(FIND(file.bytes + dictionary, 7, 1)), 2); /* texts */
    assert_int_equal(number_at(FIND(file.bytes + data, 1)), 0);
    assert_int_equal(number_at(FIND(file.bytes + data, 5, 1)), 3); /* cells */
    tv_buffer_release(&file);
}

static void a_table_without_rows_has_no_groups(void **state)
{
    (void)state;
    struct tv_buffer file;
    tv_buffer_init(&file, tv_alloc_libc());
    table_probe_write(&tv_parquet_file, NULL, 0, NULL, 0, &file);
    assert_int_equal(count_at(FIND(footer_of(&file), 4)), 0);
    assert_int_equal(number_at(FIND(footer_of(&file), 3)), 0);
    tv_buffer_release(&file);
}

static void rows_beyond_a_group_begin_the_next(void **state)
{
    (void)state;
    enum { ROWS = TV_PARQUET_GROUP_ROWS + 100 };
    static const struct tv_str names[] = {{"n", 1}};
    static int64_t cells[ROWS][TABLE_PROBE_COLUMNS];
    struct tv_buffer file;
    tv_buffer_init(&file, tv_alloc_libc());
    table_probe_write(&tv_parquet_file, names, 1, cells[0], ROWS, &file);
    const uint8_t *footer = footer_of(&file);
    assert_int_equal(count_at(FIND(footer, 4)), 2);
    assert_int_equal(number_at(FIND(footer, 4, 0, 3)), TV_PARQUET_GROUP_ROWS);
    assert_int_equal(number_at(FIND(footer, 4, 1, 3)), 100);
    tv_buffer_release(&file);
}

/* Long names end groups early; from 15 groups on the head of their list has another form. */
static void long_texts_bound_a_group(void **state)
{
    (void)state;
    enum { LEN = 1 << 18, ROWS = 16 * 17 };
    static char text[LEN];
    static struct tv_str names[ROWS];
    static int64_t cells[ROWS][TABLE_PROBE_COLUMNS];
    struct tv_buffer file;
    memset(text, 'n', sizeof(text));
    for (int i = 0; i < ROWS; i++) {
        names[i] = (struct tv_str){text, LEN};
        cells[i][3] = cells[i][0] = i;
    }
    tv_buffer_init(&file, tv_alloc_libc());
    table_probe_write(&tv_parquet_file, names, ROWS, cells[0], ROWS, &file);
    const uint8_t *footer = footer_of(&file);
    assert_int_equal(count_at(FIND(footer, 4)), 17);
    for (int group = 0; group < 17; group++) {
        assert_int_equal(number_at(FIND(footer, 4, group, 3)), 16);
        assert_true(number_at(FIND(footer, 4, group, 2)) < (int64_t)(TV_PARQUET_GROUP_TEXT + LEN));
    }
    assert_int_equal(number_at(FIND(footer, 3)), ROWS);
    tv_buffer_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_footer_describes_columns_and_groups),
        cmocka_unit_test(a_table_without_rows_has_no_groups),
        cmocka_unit_test(rows_beyond_a_group_begin_the_next),
        cmocka_unit_test(long_texts_bound_a_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
