/* Headers and records byte by byte, into memory that is not clean. */
#include "format/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define DIRT 0xaa

static uint8_t to[64];

static int soil(void **state)
{
    (void)state;
    memset(to, DIRT, sizeof(to));
    return 0;
}

/* The bytes are those, and nothing behind them was written. */
static void expect_bytes(size_t len, const char *bytes, size_t expected_len)
{
    assert_int_equal(len, expected_len);
    assert_memory_equal(to, bytes, expected_len);
    for (size_t i = expected_len; i < sizeof(to); i++)
        assert_int_equal(to[i], DIRT);
    memset(to, DIRT, sizeof(to));
}

#define EXPECT(call, bytes) expect_bytes(call, bytes, sizeof(bytes) - 1)

static void headers_are_zero_where_nothing_is_said(void **state)
{
    (void)state;
    EXPECT(tv_encode_data_header(to, 0xf3, 0x0102030405060708, 0x0e),
           "SLOW\xf3\0\x20\0\x08\x07\x06\x05\x04\x03\x02\x01\x0e\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    EXPECT(tv_encode_packets_header(to, 5, 0x0102030405060708, 9),
           "SLOW\5\0\x08\x07\x06\x05\x04\x03\x02\x01\x09\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
}

static void records_have_thread_word_and_times(void **state)
{
    (void)state;
    EXPECT(tv_encode_v1_record(to, 7, 0x01020304, 0x05060708), "\7\4\3\2\1\x8\7\6\5");
    EXPECT(tv_encode_one_time_record(to, 0x090a, 0x01020304, 0x05060708),
           "\xa\x9\4\3\2\1\x8\7\6\5");
    EXPECT(tv_encode_two_times_record(to, 0x090a, 0x01020304, 0x05060708, 0x0b0c0d0e),
           "\xa\x9\4\3\2\1\x8\7\6\5\xe\xd\xc\xb");
}

static void heads_of_packets_have_their_lengths(void **state)
{
    (void)state;
    EXPECT(tv_encode_stream_method(to, 0x0102), "\0\0\1\2\1");
    EXPECT(tv_encode_stream_thread(to, 0x0304, 0x0102), "\0\0\2\4\3\2\1");
    EXPECT(tv_encode_stream_summary(to, 0x01020304), "\0\0\3\4\3\2\1");
    EXPECT(tv_encode_packet_thread(to, 0x01020304, 0x0506), "\0\4\3\2\1\6\5");
    EXPECT(tv_encode_packet_method(to, 0x0102030405060708, 0x090a), "\1\x8\7\6\5\4\3\2\1\xa\x9");
    EXPECT(tv_encode_packet_block(to, 0x01020304, 0x0506, 0x0708090a),
           "\2\4\3\2\1\6\5\0\xa\x9\x8\7");
    EXPECT(tv_encode_packet_summary(to, 0x0102), "\3\2\1");
}

static void numbers_take_as_many_bytes_as_they_need(void **state)
{
    (void)state;
    EXPECT(tv_encode_sleb(to, 0), "\0");
    EXPECT(tv_encode_sleb(to, 63), "\x3f");
    EXPECT(tv_encode_sleb(to, 64), "\xc0\0");
    EXPECT(tv_encode_sleb(to, 0 - (uint64_t)64), "\x40");
    EXPECT(tv_encode_sleb(to, 0 - (uint64_t)65), "\xbf\x7f");
    EXPECT(tv_encode_sleb(to, (uint64_t)1 << 63), "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(headers_are_zero_where_nothing_is_said, soil),
        cmocka_unit_test_setup(records_have_thread_word_and_times, soil),
        cmocka_unit_test_setup(heads_of_packets_have_their_lengths, soil),
        cmocka_unit_test_setup(numbers_take_as_many_bytes_as_they_need, soil),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
