/* Protobuf messages that are written: bytes by hand, what the reader of fields reads back, and
 * failures. Another program reads them in tests/readers. */
#include "base/bytes/protobuf_out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes/protobuf.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "support/failing_alloc.h"

struct written {
    struct tv_message_out message;
    struct tv_out out;
    struct tv_buffer buffer;
};

static struct tv_message_out *begin(struct written *w)
{
    tv_buffer_init(&w->buffer, tv_alloc_libc());
    tv_out_init(&w->out, tv_buffer_sink(&w->buffer));
    tv_message_init(&w->message, &w->out, tv_alloc_libc());
    return &w->message;
}

static void finish(struct written *w)
{
    struct tv_error err;
    assert_int_equal(tv_out_finish(&w->out, &err), TV_OK);
}

static void release(struct written *w)
{
    tv_message_release(&w->message);
    tv_buffer_release(&w->buffer);
}

static void expect(struct written *w, const char *bytes, size_t len)
{
    finish(w);
    assert_int_equal(w->buffer.len, len);
    assert_memory_equal(w->buffer.bytes, bytes, len);
    release(w);
}
#define EXPECT(written, literal) expect(written, literal, sizeof(literal) - 1)

static void numbers_have_a_tag_and_a_varint(void **state)
{
    static struct written w;
    (void)state;
    struct tv_message_out *message = begin(&w);
    tv_message_number(message, 1, 150);
    tv_message_number(message, 16, 0);
    tv_message_number(message, (1u << 29) - 1, 1);
    tv_message_number(message, 2, (uint64_t)-1);
    EXPECT(&w, "\x08\x96\x01"
               "\x80\x01\x00"
               "\xf8\xff\xff\xff\x0f\x01"
               "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

static void messages_stand_behind_their_lengths(void **state)
{
    static struct written w;
    (void)state;
    struct tv_message_out *message = begin(&w);
    tv_message_begin(message, 1);
    tv_message_number(message, 1, 7);
    tv_message_begin(message, 2);
    tv_message_begin(message, 3);
    tv_message_end(message);
    tv_message_end(message);
    tv_message_begin(message, 4);
    tv_message_packed(message, 3);
    tv_message_packed(message, 270);
    tv_message_end(message);
    tv_message_bytes(message, 6, "\x03\x8e\x02", 3);
    assert_int_equal(w.out.total, 0); /* the outermost message is still open */
    tv_message_end(message);
    assert_true(w.out.total > 0);
    tv_message_begin(message, 5);
    tv_message_end(message);
    EXPECT(&w, "\x0a\x10"
               "\x08\x07"
               "\x12\x02\x1a\x00"
               "\x22\x03\x03\x8e\x02"
               "\x32\x03\x03\x8e\x02"
               "\x2a\x00");
}

static size_t leb_len(size_t value)
{
    return value < 1u << 7 ? 1 : value < 1u << 14 ? 2 : 3;
}

/* Lengths of one, two and three bytes, each inside the other. */
static void lengths_are_as_short_as_they_can_be(void **state)
{
    static struct written w;
    static char text[60000];
    (void)state;
    memset(text, 'n', sizeof(text));
    for (size_t len = 0; len <= sizeof(text); len = len < 300 ? len + 1 : len * 2) {
        struct tv_message_out *message = begin(&w);
        struct tv_field field;
        tv_message_begin(message, 1);
        tv_message_begin(message, 2);
        tv_message_text(message, 3, (struct tv_str){text, len});
        tv_message_end(message);
        tv_message_number(message, 4, len);
        tv_message_end(message);
        finish(&w);
        struct tv_cursor all = {.bytes = w.buffer.bytes, .len = w.buffer.len};
        assert_true(tv_field_take(&all, &field) && field.number == 1 && !field.is_cut);
        assert_int_equal(all.pos, all.len);
        struct tv_cursor outer = tv_field_message(&all, &field);
        assert_true(tv_field_take(&outer, &field) && field.number == 2 && !field.is_cut);
        struct tv_cursor inner = tv_field_message(&outer, &field);
        assert_true(tv_field_take(&inner, &field) && field.number == 3);
        assert_true(tv_str_equal(tv_field_text(&inner, &field), (struct tv_str){text, len}));
        assert_true(tv_field_take(&outer, &field) && field.number == 4 && field.value == len);
        /* Tags and lengths: 3 of messages, and the number behind them. */
        size_t inside = 1 + leb_len(len) + len;
        size_t outside = 1 + leb_len(inside) + inside + 1 + leb_len(len);
        assert_int_equal(all.len, 1 + leb_len(outside) + outside);
        release(&w);
    }
}

static void text_is_valid_utf8(void **state)
{
    const struct {
        struct tv_str text;
        struct tv_str written;
    } cases[] = {
        {TV_STR("a\nb"), TV_STR("\x0a\x03"
                                "a\nb")},
        {TV_STR("\xff"
                "a\xc3"),
         TV_STR("\x0a\x07\xef\xbf\xbd"
                "a\xef\xbf\xbd")},
        /* Modified UTF-8: U+0000, and a character of two surrogates. */
        {TV_STR("\xc0\x80"), TV_STR("\x0a\x01\x00")},
        {TV_STR("\xed\xa0\xbd\xed\xb8\x80"), TV_STR("\x0a\x04\xf0\x9f\x98\x80")},
        {TV_STR("\xef\xbf\xbd"), TV_STR("\x0a\x03\xef\xbf\xbd")},
        {TV_STR("\xed\xa0\xbd"), TV_STR("\x0a\x03\xef\xbf\xbd")},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        static struct written w;
        struct tv_message_out *message = begin(&w);
        tv_message_text(message, 1, cases[i].text);
        expect(&w, cases[i].written.at, cases[i].written.len);
    }
}

static void write_some(struct tv_message_out *message)
{
    for (unsigned i = 0; i < 40; i++) {
        tv_message_begin(message, 1);
        tv_message_number(message, 1, i);
        tv_message_begin(message, 2);
        tv_message_text(message, 3, TV_STR("a name that is longer than a few bytes"));
        for (unsigned k = 0; k < 10 * i; k++)
            tv_message_packed(message, k);
        tv_message_end(message);
        tv_message_end(message);
    }
}

static void no_memory_is_told_at_the_end(void **state)
{
    enum tv_code code = TV_ERR_MEMORY;
    (void)state;
    for (uint64_t nth = 0; code != TV_OK; nth++) {
        static struct written w;
        struct failing_alloc failing;
        struct tv_error err;
        begin(&w);
        failing_alloc_init(&failing, nth);
        w.message.alloc = &failing.alloc;
        write_some(&w.message);
        code = tv_out_finish(&w.out, &err);
        assert_true(code == TV_ERR_MEMORY || nth > 0);
        release(&w);
        assert_int_equal(failing.live, 0);
    }
}

static enum tv_code refuse(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    (void)ctx, (void)bytes, (void)len;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "full");
}

static void a_full_sink_is_told_at_the_end(void **state)
{
    static struct tv_out out;
    struct tv_message_out message;
    struct tv_error err;
    (void)state;
    tv_out_init(&out, (struct tv_sink){.write = refuse});
    tv_message_init(&message, &out, tv_alloc_libc());
    for (unsigned i = 0; i < 100; i++)
        write_some(&message);
    assert_int_equal(tv_out_finish(&out, &err), TV_ERR_SYSTEM);
    tv_message_release(&message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_a_tag_and_a_varint),
        cmocka_unit_test(messages_stand_behind_their_lengths),
        cmocka_unit_test(lengths_are_as_short_as_they_can_be),
        cmocka_unit_test(text_is_valid_utf8),
        cmocka_unit_test(no_memory_is_told_at_the_end),
        cmocka_unit_test(a_full_sink_is_told_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
