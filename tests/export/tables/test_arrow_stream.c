/* Arrow streams, message by message. What is in them is read by other tools' readers
 * (tests/readers). */
#include "export/tables/arrow_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "export/tables/table_probe.h"

struct message {
    unsigned kind; /* 1 schema, 2 dictionary, 3 rows; 0: the end */
    const uint8_t *header;
    const uint8_t *body;
    uint64_t body_len;
};

static const uint8_t *follow(const uint8_t *at)
{
    return at + tv_load_le32(at);
}

static const uint8_t *field_of(const uint8_t *table, unsigned id)
{
    const uint8_t *list = table - tv_load_le32(table);
    unsigned entry = 4 + 2 * id;
    unsigned off = entry < tv_load_le16(list) ? tv_load_le16(list + entry) : 0;
    return off ? table + off : NULL;
}

/* The message at *off, which is moved behind it. */
static struct message take_message(const struct tv_buffer *stream, size_t *off)
{
    const uint8_t *at = stream->bytes + *off;
    assert_int_equal(*off % 8, 0);
    assert_int_equal(tv_load_le32(at), 0xffffffff);
    size_t len = tv_load_le32(at + 4);
    *off += 8 + len;
    if (!len)
        return (struct message){.kind = 0};
    const uint8_t *root = follow(at + 8);
    struct message message = {.kind = *field_of(root, 1),
                              .header = follow(field_of(root, 2)),
                              .body = stream->bytes + *off,
                              .body_len = tv_load_le64(field_of(root, 3))};
    assert_int_equal(tv_load_le16(field_of(root, 0)), 4);
    *off += (size_t)message.body_len;
    assert_true(*off <= stream->len);
    return message;
}

/* The bytes of a buffer of a batch of rows. */
static const uint8_t *buffer_of(const struct message *message, const uint8_t *rows, size_t buffer,
                                uint64_t *len)
{
    const uint8_t *at = follow(field_of(rows, 2)) + 4 + 16 * buffer;
    *len = tv_load_le64(at + 8);
    assert_true(tv_load_le64(at) + *len <= message->body_len);
    return message->body + tv_load_le64(at);
}

static void schema_dictionary_rows_end(void **state)
{
    (void)state;
    static const struct tv_str names[] = {{"one", 3}, {"", 0}, {"three", 5}};
    static const int64_t cells[][TABLE_PROBE_COLUMNS] = {
        {7, -5, 0, 2}, {4000000000, TV_ABSENT, 1, 1}, {9, 12, 1, 0}};
    struct tv_buffer out;
    size_t off = 0;
    uint64_t len;
    tv_buffer_init(&out, tv_alloc_libc());
    table_probe_write(&tv_arrow_stream, names, 3, cells[0], 3, &out);
    struct message schema = take_message(&out, &off);
    assert_int_equal(schema.kind, 1);
    assert_int_equal(tv_load_le32(follow(field_of(schema.header, 1))), TABLE_PROBE_COLUMNS);

    struct message dictionary = take_message(&out, &off);
    assert_int_equal(dictionary.kind, 2);
    assert_int_equal(tv_load_le64(field_of(dictionary.header, 0)), 3); /* of the fourth column */
    const uint8_t *texts = follow(field_of(dictionary.header, 1));
    const uint8_t *ends = buffer_of(&dictionary, texts, 1, &len);
    assert_int_equal(len, 16);
    assert_int_equal(tv_load_le32(ends + 4), 3);
    assert_int_equal(tv_load_le32(ends + 12), 8);
    assert_memory_equal(buffer_of(&dictionary, texts, 2, &len), "onethree", 8);

    struct message rows = take_message(&out, &off);
    assert_int_equal(rows.kind, 3);
    assert_int_equal(tv_load_le64(field_of(rows.header, 0)), 3);
    assert_int_equal(tv_load_le32(buffer_of(&rows, rows.header, 1, &len) + 4), 4000000000);
    assert_int_equal(*buffer_of(&rows, rows.header, 2, &len), 5); /* cells 0 and 2 are there */
    assert_int_equal(len, 8);
    assert_int_equal((int64_t)tv_load_le64(buffer_of(&rows, rows.header, 3, &len)), -5);
    assert_int_equal(*buffer_of(&rows, rows.header, 5, &len), 6); /* truths as bits */
    assert_int_equal(tv_load_le32(buffer_of(&rows, rows.header, 7, &len)), 2);
    assert_int_equal(take_message(&out, &off).kind, 0);
    assert_int_equal(off, out.len);
    tv_buffer_release(&out);
}

static void many_rows_are_several_batches(void **state)
{
    (void)state;
    enum { ROWS = 2 * TV_ARROW_BATCH_ROWS + 100 };
    static const struct tv_str names[] = {{"n", 1}};
    int64_t(*cells)[TABLE_PROBE_COLUMNS] = calloc(ROWS, sizeof(*cells));
    struct tv_buffer out;
    struct message message;
    size_t off = 0;
    uint64_t len, rows = 0;
    unsigned batches = 0;
    for (int i = 0; i < ROWS; i++)
        cells[i][0] = i;
    tv_buffer_init(&out, tv_alloc_libc());
    table_probe_write(&tv_arrow_stream, names, 1, cells[0], ROWS, &out);
    while ((message = take_message(&out, &off)).kind) {
        if (message.kind != 3)
            continue;
        assert_int_equal(tv_load_le32(buffer_of(&message, message.header, 1, &len)), rows);
        rows += tv_load_le64(field_of(message.header, 0));
        batches++;
    }
    assert_int_equal(rows, ROWS);
    assert_int_equal(batches, 3);
    assert_int_equal(off, out.len);
    tv_buffer_release(&out);
    free(cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schema_dictionary_rows_end),
        cmocka_unit_test(many_rows_are_several_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
