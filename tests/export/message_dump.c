/* See tests/export/message_dump.h. */
#include "export/message_dump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes/protobuf.h"
#include "base/error.h"

#define DEPTH_MOST 8u

static void add(struct tv_buffer *text, struct tv_str part)
{
    struct tv_error err;
    assert_int_equal(tv_buffer_append(text, part.at, part.len, &err), TV_OK);
}

static void add_number(struct tv_buffer *text, uint64_t value)
{
    char digits[24];
    (void)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
    add(text, tv_str_from(digits));
}

static const struct shape *shape_of(const struct shape *shape, const struct tv_field *field)
{
    while (shape->field && shape->field != field->number)
        shape++;
    if (!shape->field)
        fail_msg("field %u is not in the shape", (unsigned)field->number);
    assert_int_equal(field->is_bytes, shape->kind != SHAPE_NUMBER);
    assert_false(field->is_cut);
    return shape;
}

static void add_packed(struct tv_buffer *text, struct tv_cursor numbers)
{
    const char *before = "[";
    uint64_t value;
    while (tv_cursor_left(&numbers)) {
        assert_true(tv_cursor_take_uleb(&numbers, &value));
        add(text, tv_str_from(before));
        add_number(text, value);
        before = " ";
    }
    add(text, TV_STR("]"));
}

/* Messages that are open, from the file on. */
struct open_message {
    struct tv_cursor cursor;
    const struct shape *shape;
};

void dump_message(struct tv_str bytes, const struct shape *shape, struct tv_buffer *text)
{
    struct open_message open[DEPTH_MOST] = {
        {{.bytes = (const uint8_t *)bytes.at, .len = bytes.len}, shape}};
    unsigned depth = 0;
    for (;;) {
        struct open_message *at = &open[depth];
        struct tv_field field;
        if (!tv_field_take(&at->cursor, &field)) {
            assert_int_equal(tv_cursor_left(&at->cursor), 0);
            if (!depth)
                return;
            add(text, --depth ? TV_STR(" }") : TV_STR(" }\n"));
            continue;
        }
        const struct shape *of = shape_of(at->shape, &field);
        add(text, depth ? TV_STR(" ") : TV_STR(""));
        add(text, tv_str_from(of->name));
        add(text, TV_STR(" "));
        if (of->kind == SHAPE_MESSAGE) {
            assert_true(depth + 1 < DEPTH_MOST);
            add(text, TV_STR("{"));
            open[++depth] =
                (struct open_message){tv_field_message(&at->cursor, &field), of->inside};
            continue;
        }
        if (of->kind == SHAPE_PACKED)
            add_packed(text, tv_field_message(&at->cursor, &field));
        else if (of->kind == SHAPE_TEXT)
            add(text, tv_field_text(&at->cursor, &field));
        else
            add_number(text, field.value);
        if (!depth)
            add(text, TV_STR("\n"));
    }
}

void expect_message(struct tv_str bytes, const struct shape *shape, const char *expected)
{
    struct tv_buffer text;
    tv_buffer_init(&text, tv_alloc_libc());
    dump_message(bytes, shape, &text);
    if (!tv_str_equal(tv_buffer_view(&text), tv_str_from(expected)))
        fail_msg("expected:\n%s\nfound:\n%.*s", expected, (int)text.len, (const char *)text.bytes);
    tv_buffer_release(&text);
}
