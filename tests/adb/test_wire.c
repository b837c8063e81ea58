/* The adb protocol as bytes. */
#include "adb/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"

static void a_request_has_its_length_before_it(void **state)
{
    struct tv_buffer out;
    (void)state;
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(tv_adb_put_request(&out, TV_STR("host:version"), NULL), TV_OK);
    assert_int_equal(out.len, 16);
    assert_memory_equal(out.bytes, "000chost:version", 16);
    tv_buffer_release(&out);
}

static void a_request_of_a_thousand_bytes_has_three_digits(void **state)
{
    static char text[TV_ADB_REQUEST_MOST + 1];
    struct tv_buffer out;
    struct tv_error err;
    (void)state;
    memset(text, 'x', sizeof(text));
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(tv_adb_put_request(&out, (struct tv_str){text, 1000}, NULL), TV_OK);
    assert_memory_equal(out.bytes, "03e8x", 5);
    assert_int_equal(tv_adb_put_request(&out, (struct tv_str){text, sizeof(text)}, &err),
                     TV_ERR_LIMIT);
    assert_string_equal(err.text,
                        "a request to the adb server of 4001 bytes is too long: 4000 is the most");
    tv_buffer_release(&out);
}

static void a_length_is_four_digits(void **state)
{
    uint32_t len = 0;
    (void)state;
    assert_true(tv_adb_read_length((const uint8_t *)"00fF", &len));
    assert_int_equal(len, 255);
    assert_false(tv_adb_read_length((const uint8_t *)"0x1f", &len));
    assert_false(tv_adb_read_length((const uint8_t *)" 1ff", &len));
}

static void reasons_of_the_server_are_known(void **state)
{
    static const struct {
        const char *reason;
        enum tv_adb_trouble trouble;
    } cases[] = {
        {"device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set",
         TV_ADB_UNAUTHORISED},
        {"device still authorizing", TV_ADB_UNAUTHORISED},
        {"device offline", TV_ADB_OFFLINE},
        {"device still connecting", TV_ADB_OFFLINE},
        {"device 'X1' not found", TV_ADB_NOT_THERE},
        {"no devices/emulators found", TV_ADB_NO_DEVICE},
        {"more than one device/emulator", TV_ADB_SEVERAL},
        {"insufficient permissions for device: user in plugdev group", TV_ADB_NO_PERMISSION},
        {"closed", TV_ADB_REFUSED},
        {"permission denied", TV_ADB_REFUSED},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++)
        assert_int_equal(tv_adb_trouble_of(tv_str_from(cases[i].reason)), cases[i].trouble);
}

static void features_are_words_with_commas(void **state)
{
    struct tv_adb_target target = {.serial = ""};
    (void)state;
    tv_adb_read_features(TV_STR("cmd,stat_v2,ls_v2x,shell_v2,track_app"), &target);
    assert_true(target.has_stat_v2);
    assert_true(target.has_shell_v2);
    assert_true(target.has_apps);
    assert_false(target.has_list_v2);
    assert_false(target.has_receive_v2);
}

static void a_packet_has_its_length_little_end_first(void **state)
{
    const uint8_t head[] = {2, 0x01, 0x02, 0x03, 0x04};
    struct tv_adb_packet packet = tv_adb_read_packet(head);
    (void)state;
    assert_int_equal(packet.kind, TV_ADB_PACKET_ERR);
    assert_int_equal(packet.len, 0x04030201);
}

static void a_sync_request_is_word_length_path(void **state)
{
    static char path[TV_ADB_SYNC_PATH_MOST + 1];
    struct tv_buffer out;
    (void)state;
    memset(path, '/', sizeof(path));
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(tv_adb_put_sync(&out, "STAT", TV_STR("/a"), NULL), TV_OK);
    assert_int_equal(tv_adb_put_sync_number(&out, "RCV2", 0, NULL), TV_OK);
    assert_int_equal(out.len, 18);
    assert_memory_equal(out.bytes, "STAT\2\0\0\0/aRCV2\0\0\0\0", 18);
    assert_int_equal(tv_adb_put_sync(&out, "STAT", (struct tv_str){path, sizeof(path)}, NULL),
                     TV_ERR_LIMIT);
    tv_buffer_release(&out);
}

static void a_file_of_version_1_is_there_when_it_has_a_mode(void **state)
{
    const uint8_t there[] = "STAT\xa4\x81\0\0\x00\x10\0\0\x39\x30\0\0";
    const uint8_t none[] = "STAT\0\0\0\0\0\0\0\0\0\0\0\0";
    struct tv_adb_stat stat = tv_adb_read_stat(there);
    (void)state;
    assert_true(stat.is_there);
    assert_int_equal(stat.mode, 0100644);
    assert_int_equal(stat.len, 4096);
    assert_int_equal(stat.changed_s, 12345);
    assert_false(tv_adb_read_stat(none).is_there);
}

/* Fields of struct sync_stat_v2, in their order. */
static void a_file_of_version_2_may_be_long(void **state)
{
    uint8_t answer[TV_ADB_ENTRY_V2_LEN] = "DNT2";
    uint32_t error = 1, name_len = 0;
    struct tv_adb_stat stat;
    (void)state;
    tv_store_le32(answer + 24, 0100600);
    tv_store_le64(answer + 40, UINT64_C(5) << 32);
    tv_store_le64(answer + 48, 1); /* read last */
    tv_store_le64(answer + 56, (uint64_t)-2);
    tv_store_le32(answer + 72, 7);
    stat = tv_adb_read_stat_v2(answer, &error);
    assert_true(stat.is_there);
    assert_int_equal(error, 0);
    assert_int_equal(stat.len, UINT64_C(5) << 32);
    assert_int_equal(stat.changed_s, -2);
    stat = tv_adb_read_entry_v2(answer, &name_len);
    assert_int_equal(stat.mode, 0100600);
    assert_int_equal(name_len, 7);
    tv_store_le32(answer + 4, 13);
    assert_false(tv_adb_read_stat_v2(answer, &error).is_there);
    assert_int_equal(error, 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_has_its_length_before_it),
        cmocka_unit_test(a_request_of_a_thousand_bytes_has_three_digits),
        cmocka_unit_test(a_length_is_four_digits),
        cmocka_unit_test(reasons_of_the_server_are_known),
        cmocka_unit_test(features_are_words_with_commas),
        cmocka_unit_test(a_packet_has_its_length_little_end_first),
        cmocka_unit_test(a_sync_request_is_word_length_path),
        cmocka_unit_test(a_file_of_version_1_is_there_when_it_has_a_mode),
        cmocka_unit_test(a_file_of_version_2_may_be_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
