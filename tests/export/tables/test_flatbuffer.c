/* FlatBuffers, read back through their pointers and lists of fields. */
#include "export/tables/flatbuffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"

static size_t follow(const uint8_t *bytes, size_t at)
{
    return at + tv_load_le32(bytes + at);
}

/* Where a field of the table stands; 0: the table does not have it. */
static size_t field_of(const uint8_t *bytes, size_t table, unsigned id)
{
    size_t list = table - tv_load_le32(bytes + table);
    size_t entry = 4 + 2 * (size_t)id;
    size_t off = entry < tv_load_le16(bytes + list) ? tv_load_le16(bytes + list + entry) : 0;
    return off ? table + off : 0;
}

static void tables_strings_and_vectors(void **state)
{
    (void)state;
    const uint64_t words[] = {1, 2, 3, 4};
    struct tv_buffer out;
    struct tv_flat flat;
    size_t at[4], inner[1], first;
    tv_buffer_init(&out, tv_alloc_libc());
    tv_flat_begin(&flat, &out);
    tv_flat_table(&flat, 0,
                  (struct tv_flat_field[]){{5, 8, 0x123456789a}, {0, 4, 0}, {2, 2, 7}, {1, 1, 9}},
                  4, at);
    tv_flat_string(&flat, at[1], TV_STR("name"));
    size_t root = follow(out.bytes, 0);
    assert_int_equal(field_of(out.bytes, root, 5) % 8, 0);
    assert_int_equal(tv_load_le64(out.bytes + field_of(out.bytes, root, 5)), 0x123456789a);
    assert_int_equal(tv_load_le16(out.bytes + field_of(out.bytes, root, 2)), 7);
    assert_int_equal(out.bytes[field_of(out.bytes, root, 1)], 9);
    assert_int_equal(field_of(out.bytes, root, 3), 0);
    assert_int_equal(field_of(out.bytes, root, 6), 0);
    size_t name = follow(out.bytes, field_of(out.bytes, root, 0));
    assert_int_equal(tv_load_le32(out.bytes + name), 4);
    assert_memory_equal(out.bytes + name + 4, "name", 5);

    tv_flat_pointers(&flat, at[1], 2, &first);
    tv_flat_table(&flat, first + 4, (struct tv_flat_field[]){{0, 4, 0}}, 1, inner);
    tv_flat_words(&flat, inner[0], 2, words, 4);
    assert_int_equal(tv_flat_end(&flat, NULL), TV_OK);
    assert_int_equal(out.len % 8, 0);
    size_t list = follow(out.bytes, field_of(out.bytes, root, 0));
    assert_int_equal(tv_load_le32(out.bytes + list), 2);
    size_t table = follow(out.bytes, list + 8);
    size_t vector = follow(out.bytes, field_of(out.bytes, table, 0));
    assert_int_equal(tv_load_le32(out.bytes + vector), 2);
    assert_int_equal((vector + 4) % 8, 0);
    assert_int_equal(tv_load_le64(out.bytes + vector + 4 + 24), 4);
    tv_buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_strings_and_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
