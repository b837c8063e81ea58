/* Bytes on their way to a sink: in order, counted, in one line where asked, and failing once. */
#include "base/text/out.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"

struct collected {
    struct tv_out out;
    struct tv_buffer buffer;
};

static void begin(struct collected *c)
{
    tv_buffer_init(&c->buffer, tv_alloc_libc());
    tv_out_init(&c->out, tv_buffer_sink(&c->buffer));
}

static void expect_and_end(struct collected *c, const char *expected)
{
    struct tv_error err;
    assert_int_equal(tv_out_finish(&c->out, &err), TV_OK);
    assert_int_equal(c->out.total, strlen(expected));
    assert_int_equal(c->buffer.len, strlen(expected));
    assert_memory_equal(c->buffer.bytes, expected, strlen(expected));
    tv_buffer_release(&c->buffer);
}

static void numbers_are_printed_as_files_have_them(void **state)
{
    (void)state;
    static struct collected c;
    begin(&c);
    tv_out_decimal(&c.out, 0);
    tv_out_text(&c.out, TV_STR(" "));
    tv_out_decimal(&c.out, UINT64_MAX);
    tv_out_text(&c.out, TV_STR(" "));
    tv_out_id(&c.out, 0);
    tv_out_text(&c.out, TV_STR(" "));
    tv_out_id(&c.out, UINT64_C(0xfedcba9876543210));
    expect_and_end(&c, "0 18446744073709551615 0 0xfedcba9876543210");
}

static void padded_numbers_stand_at_the_right(void **state)
{
    (void)state;
    static struct collected c;
    begin(&c);
    tv_out_padded(&c.out, 4, 7);
    tv_out_padded(&c.out, 0, 0);
    tv_out_padded(&c.out, 3, -12);
    tv_out_padded(&c.out, 2, -123);
    tv_out_padded(&c.out, 21, INT64_MIN);
    expect_and_end(&c, "   70-12-123 -9223372036854775808");
}

/* What is next to a half, and so the hardest to round, and what has no digits of its own. */
static void reals_are_what_printf_makes_of_them(void **state)
{
    (void)state;
    static struct collected c;
    const double odd[] = {0,     -0.0, 0.05, 0.15, 0.25, 2.5e-3, 0.125, 1e-300, 99.995,
                          99.95, 100,  -1,   1e7,  1e9,  1e15,   1e300, NAN,    INFINITY};
    uint64_t random = 1;
    for (size_t i = 0; i < 20000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        double value = i < TV_COUNT_OF(odd) ? odd[i]
                       : i % 2              ? (double)(random >> 40) / 2000
                                            : 100.0 * (double)(random >> 44) / (double)(1 << 20);
        unsigned decimals = i % 4 < 2 ? 1 : 2;
        char text[512];
        begin(&c);
        tv_out_real(&c.out, i % 9, decimals, value);
        (void)snprintf(text, sizeof(text), "%*.*f", (int)(i % 9), (int)decimals, value);
        expect_and_end(&c, text);
    }
}

static void counts_have_commas(void **state)
{
    (void)state;
    static struct collected c;
    begin(&c);
    tv_out_count(&c.out, 0);
    tv_out_add(&c.out, " %s ", "and");
    tv_out_count(&c.out, 999);
    tv_out_text(&c.out, TV_STR("<"));
    tv_out_count(&c.out, UINT64_MAX);
    expect_and_end(&c, "0 and 999<18,446,744,073,709,551,615");
}

static void shown_names_are_escaped_and_cut(void **state)
{
    (void)state;
    static struct collected c;
    begin(&c);
    tv_out_shown(&c.out, TV_STR("a\x1b\n\t\xff\xe2\x80\xae\xc3\xa4"), 100);
    tv_out_add(&c.out, " %3d ", 7);
    tv_out_shown(&c.out, TV_STR("0123456789"), 4);
    expect_and_end(&c, "a\\x1b\\n\\t\xef\xbf\xbd\\u202e\xc3\xa4   7 0123 (+6 bytes)");
}

static void fractions_have_no_needless_digits(void **state)
{
    (void)state;
    static struct collected c;
    static const uint64_t values[] = {0, 1, 10, 1000, 1500, 999999, 12345678, UINT64_MAX};
    begin(&c);
    for (size_t i = 0; i < TV_COUNT_OF(values); i++) {
        tv_out_fraction(&c.out, values[i], 3);
        tv_out_text(&c.out, TV_STR(" "));
    }
    tv_out_fraction(&c.out, 70, 0);
    expect_and_end(&c, "0 0.001 0.01 1 1.5 999.999 12345.678 18446744073709551.615 70");
}

/* What is written to the sink comes between the other bytes, and both ways tell of a failure. */
static void other_writers_take_part(void **state)
{
    (void)state;
    static struct collected c;
    struct tv_error err = {.code = TV_OK};
    begin(&c);
    struct tv_sink sink = tv_out_sink(&c.out);
    tv_out_text(&c.out, TV_STR("a"));
    assert_int_equal(sink.write(sink.ctx, "b", 1, &err), TV_OK);
    tv_out_text(&c.out, TV_STR("c"));
    (void)tv_fail(&c.out.error, TV_ERR_SYSTEM, TV_NO_OFFSET, "full");
    assert_int_equal(sink.write(sink.ctx, "d", 1, &err), TV_ERR_SYSTEM);
    assert_string_equal(err.text, "full");
    c.out.error.code = TV_OK;
    expect_and_end(&c, "abcd");
}

static void names_become_what_every_reader_takes(void **state)
{
    (void)state;
    static struct collected c;
    begin(&c);
    assert_true(tv_out_name(&c.out, TV_STR("\na\r\nb\t\xc0\x80")));
    assert_false(tv_out_name(&c.out, TV_STR("")));
    assert_false(tv_out_name(&c.out, TV_STR("c\xc3\xa4")));
    assert_true(tv_out_name(&c.out, TV_STR("\xff"
                                           "d\xed\xa0\xbd\xed\xb8\x80")));
    expect_and_end(&c, " a  b  c\xc3\xa4\xef\xbf\xbd"
                       "d\xf0\x9f\x98\x80");
}

/* Pieces of every length, across the ends of the room, by both ways in. */
static void pieces_of_any_length_arrive_in_order(void **state)
{
    (void)state;
    static struct collected c;
    static uint8_t piece[40000];
    size_t total = 0;
    begin(&c);
    for (size_t len = 0; len < sizeof(piece); len = len * 3 + 1) {
        for (size_t i = 0; i < len; i++)
            piece[i] = (uint8_t)((total + i) * 7 % 251);
        tv_out_bytes(&c.out, piece, len);
        total += len;
        uint8_t *room = tv_out_reserve(&c.out, 64);
        for (size_t i = 0; i < 63; i++)
            room[i] = (uint8_t)((total + i) * 7 % 251);
        tv_out_filled(&c.out, 63);
        total += 63;
    }
    assert_int_equal(c.out.total, total);
    assert_int_equal(tv_out_finish(&c.out, NULL), TV_OK);
    assert_int_equal(c.buffer.len, total);
    for (size_t i = 0; i < total; i++)
        assert_int_equal(c.buffer.bytes[i], i * 7 % 251);
    tv_buffer_release(&c.buffer);
}

static void without_a_sink_bytes_are_counted(void **state)
{
    (void)state;
    static struct tv_out out;
    static const uint8_t bytes[50000];
    tv_out_init(&out, (struct tv_sink){.write = NULL});
    tv_out_bytes(&out, bytes, sizeof(bytes));
    assert_int_equal(out.total, sizeof(bytes));
    assert_int_equal(tv_out_finish(&out, NULL), TV_OK);
}

static enum tv_code refuse(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    unsigned *calls = ctx;
    (void)bytes;
    (void)len;
    (*calls)++;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "full, as %u", *calls);
}

static void the_first_failure_sticks(void **state)
{
    (void)state;
    static struct tv_out out;
    static const uint8_t bytes[50000];
    struct tv_error err = {.code = TV_OK};
    unsigned calls = 0;
    tv_out_init(&out, (struct tv_sink){.ctx = &calls, .write = refuse});
    tv_out_bytes(&out, bytes, sizeof(bytes));
    tv_out_bytes(&out, bytes, sizeof(bytes));
    assert_int_equal(tv_out_finish(&out, &err), TV_ERR_SYSTEM);
    assert_string_equal(err.text, "full, as 1");
    assert_int_equal(calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_printed_as_files_have_them),
        cmocka_unit_test(fractions_have_no_needless_digits),
        cmocka_unit_test(other_writers_take_part),
        cmocka_unit_test(padded_numbers_stand_at_the_right),
        cmocka_unit_test(reals_are_what_printf_makes_of_them),
        cmocka_unit_test(counts_have_commas),
        cmocka_unit_test(shown_names_are_escaped_and_cut),
        cmocka_unit_test(names_become_what_every_reader_takes),
        cmocka_unit_test(pieces_of_any_length_arrive_in_order),
        cmocka_unit_test(without_a_sink_bytes_are_counted),
        cmocka_unit_test(the_first_failure_sticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
