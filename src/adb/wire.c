/*
 * The adb protocol as bytes; see adb/wire.h. Functions without a connection: they write requests,
 * and read answers of fixed length that somebody has received. All numbers are little-endian,
 * except lengths of requests, which are four hexadecimal digits.
 *
 * fuzz/fuzz_adb.c feeds these functions any bytes, because they meet those of a device first.
 */
#include "adb/wire.h"

#include <string.h>

#include "base/bytes.h"

#define HEX_DIGITS "0123456789abcdef"

/* Places of the numbers in answers of version 2 (struct sync_stat_v2 and sync_dent_v2), counted
 * from the word. */
#define V2_ERROR 4u
#define V2_MODE 24u
#define V2_LEN 40u
#define V2_CHANGED 56u
#define V2_NAME_LEN 72u

/* The length goes before the text as four hexadecimal digits. The limit is the room of an old
 * server (wire.h), which would not say what is wrong with a longer one. */
enum tv_code tv_adb_put_request(struct tv_buffer *out, struct tv_str request, struct tv_error *err)
{
    char head[TV_ADB_WORD_LEN];
    if (request.len > TV_ADB_REQUEST_MOST)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "a request to the adb server of %zu bytes is too long: %u is the most",
                       request.len, TV_ADB_REQUEST_MOST);
    for (unsigned i = 0; i < TV_ADB_WORD_LEN; i++)
        head[i] = HEX_DIGITS[request.len >> (4 * (TV_ADB_WORD_LEN - 1 - i)) & 15];
    TV_TRY(tv_buffer_append(out, head, sizeof(head), err));
    return tv_buffer_append(out, request.at, request.len, err);
}

bool tv_adb_read_length(const uint8_t bytes[TV_ADB_WORD_LEN], uint32_t *len)
{
    char digits[TV_ADB_WORD_LEN];
    uint64_t value;
    memcpy(digits, bytes, sizeof(digits));
    if (!tv_str_to_u64((struct tv_str){digits, sizeof(digits)}, 16, &value))
        return false;
    *len = (uint32_t)value;
    return true;
}

bool tv_adb_is_word(const uint8_t bytes[TV_ADB_WORD_LEN], const char *word)
{
    return memcmp(bytes, word, TV_ADB_WORD_LEN) == 0;
}

/* Texts of servers from 2016 on (transport.cpp, adb.cpp), and of devices that close a service. */
enum tv_adb_trouble tv_adb_trouble_of(struct tv_str reason)
{
    static const struct {
        const char *part;
        enum tv_adb_trouble trouble;
    } known[] = {
        {"unauthorized", TV_ADB_UNAUTHORISED}, {"still authorizing", TV_ADB_UNAUTHORISED},
        {"permission", TV_ADB_NO_PERMISSION},  {"offline", TV_ADB_OFFLINE},
        {"still connecting", TV_ADB_OFFLINE},  {"more than one", TV_ADB_SEVERAL},
        {"no devices", TV_ADB_NO_DEVICE},      {"not found", TV_ADB_NOT_THERE},
        {"disconnected", TV_ADB_GONE},
    };
    if (!tv_str_starts_with(reason, TV_STR("device")) &&
        tv_str_find(reason, TV_STR("device"), TV_CASE_FOLD) == SIZE_MAX)
        return TV_ADB_REFUSED;
    for (size_t i = 0; i < TV_COUNT_OF(known); i++) {
        if (tv_str_find(reason, tv_str_from(known[i].part), TV_CASE_FOLD) != SIZE_MAX)
            return known[i].trouble;
    }
    return TV_ADB_REFUSED;
}

/* The list is one of words between commas. Words that are unknown here are newer than this program.
 */
void tv_adb_read_features(struct tv_str text, struct tv_adb_target *target)
{
    struct tv_str word;
    while (tv_str_split(&text, ',', &word)) {
        target->has_shell_v2 |= tv_str_equal(word, TV_STR("shell_v2"));
        target->has_stat_v2 |= tv_str_equal(word, TV_STR("stat_v2"));
        target->has_list_v2 |= tv_str_equal(word, TV_STR("ls_v2"));
        target->has_receive_v2 |= tv_str_equal(word, TV_STR("sendrecv_v2"));
        target->has_apps |= tv_str_equal(word, TV_STR("track_app"));
    }
}

struct tv_adb_packet tv_adb_read_packet(const uint8_t head[TV_ADB_PACKET_HEAD])
{
    return (struct tv_adb_packet){.kind = head[0], .len = tv_load_le32(head + 1)};
}

enum tv_code tv_adb_put_sync_number(struct tv_buffer *out, const char *word, uint32_t number,
                                    struct tv_error *err)
{
    uint8_t head[TV_ADB_SYNC_HEAD];
    memcpy(head, word, TV_ADB_WORD_LEN);
    tv_store_le32(head + TV_ADB_WORD_LEN, number);
    return tv_buffer_append(out, head, sizeof(head), err);
}

enum tv_code tv_adb_put_sync(struct tv_buffer *out, const char *word, struct tv_str path,
                             struct tv_error *err)
{
    if (path.len > TV_ADB_SYNC_PATH_MOST)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "a path on a device of %zu bytes is too long: %u is the most", path.len,
                       TV_ADB_SYNC_PATH_MOST);
    TV_TRY(tv_adb_put_sync_number(out, word, (uint32_t)path.len, err));
    return tv_buffer_append(out, path.at, path.len, err);
}

uint32_t tv_adb_read_sync_number(const uint8_t head[TV_ADB_SYNC_HEAD])
{
    return tv_load_le32(head + TV_ADB_WORD_LEN);
}

struct tv_adb_stat tv_adb_read_stat(const uint8_t answer[TV_ADB_STAT_LEN])
{
    struct tv_adb_stat stat = {.mode = tv_load_le32(answer + 4),
                               .len = tv_load_le32(answer + 8),
                               .changed_s = tv_load_le32(answer + 12)};
    stat.is_there = stat.mode != 0;
    return stat;
}

/* Times before 1970 are in two's complement. */
static int64_t load_time(const uint8_t *bytes)
{
    uint64_t value = tv_load_le64(bytes);
    return value <= INT64_MAX ? (int64_t)value : -(int64_t)(UINT64_MAX - value) - 1;
}

struct tv_adb_stat tv_adb_read_stat_v2(const uint8_t answer[TV_ADB_STAT_V2_LEN], uint32_t *error)
{
    *error = tv_load_le32(answer + V2_ERROR);
    return (struct tv_adb_stat){.is_there = *error == 0,
                                .mode = tv_load_le32(answer + V2_MODE),
                                .len = tv_load_le64(answer + V2_LEN),
                                .changed_s = load_time(answer + V2_CHANGED)};
}

struct tv_adb_stat tv_adb_read_entry(const uint8_t entry[TV_ADB_ENTRY_LEN], uint32_t *name_len)
{
    struct tv_adb_stat stat = tv_adb_read_stat(entry);
    *name_len = tv_load_le32(entry + TV_ADB_STAT_LEN);
    return stat;
}

struct tv_adb_stat tv_adb_read_entry_v2(const uint8_t entry[TV_ADB_ENTRY_V2_LEN],
                                        uint32_t *name_len)
{
    uint32_t error;
    *name_len = tv_load_le32(entry + V2_NAME_LEN);
    return tv_adb_read_stat_v2(entry, &error);
}
