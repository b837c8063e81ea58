/* See answer.h. Written from the documents alone, without the writers of src/api. */
#include "answer.h"

#include <string.h>

#include "base/bytes.h"
#include "plain_json.h"

/* An answer about a tree has up to 400 levels of it, each a list within an object. */
#define LEVEL_LIMIT 808u
#define HEAD_LEN 64u

/* Bytes of the UTF-8 character that stands at `at`; 0 where none does (RFC 3629). */
static size_t character_len(const uint8_t *at, const uint8_t *end)
{
    static const struct {
        uint8_t low, high, second_low, second_high;
        size_t len;
    } kinds[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (*at < kinds[i].low || *at > kinds[i].high)
            continue;
        size_t len = kinds[i].len;
        if ((size_t)(end - at) < len ||
            (len > 1 && (at[1] < kinds[i].second_low || at[1] > kinds[i].second_high)))
            return 0;
        for (size_t k = 2; k < len; k++) {
            if (at[k] < 0x80 || at[k] > 0xbf)
                return 0;
        }
        return len;
    }
    return 0;
}

static bool is_utf8(struct tv_str text)
{
    const uint8_t *at = (const uint8_t *)text.at;
    const uint8_t *end = at + text.len;
    size_t len = 1;
    for (; at < end && len; at += len)
        len = character_len(at, end);
    return at == end;
}

bool fuzz_is_json(struct tv_str text)
{
    return text.len && is_utf8(text) && fuzz_is_json_object(text, LEVEL_LIMIT);
}

static size_t column(uint64_t count, size_t elem_len)
{
    return ((size_t)count * elem_len + 7) / 8 * 8;
}

static bool is_window(const uint8_t *bytes, size_t len)
{
    uint64_t rows = tv_load_le32(bytes + 32);
    uint64_t boxes = tv_load_le32(bytes + 36);
    uint64_t told = 0;
    size_t wanted = HEAD_LEN + column(rows, 16) + 2 * column(boxes, 4);
    for (size_t i = 0; i < 4; i++) {
        uint8_t width = bytes[40 + i];
        if (width != 1 && width != 2 && width != 4)
            return false;
        wanted += column(boxes, width);
    }
    wanted += column(boxes, 1) * (tv_load_le32(bytes + 4) & 4 ? 2 : 1);
    if (wanted != len)
        return false;
    for (uint64_t i = 0; i < rows; i++)
        told += tv_load_le32(bytes + HEAD_LEN + 16 * i + 12);
    return told == boxes;
}

static bool is_flame(const uint8_t *bytes, size_t len)
{
    uint64_t boxes = tv_load_le32(bytes + 24);
    uint32_t levels = tv_load_le32(bytes + 32);
    if (len != HEAD_LEN + 3 * column(boxes, 8) + 4 * column(boxes, 4))
        return false;
    const uint8_t *level = bytes + HEAD_LEN + 3 * column(boxes, 8) + column(boxes, 4);
    const uint8_t *parent = level + column(boxes, 4);
    for (uint64_t i = 0; i < boxes; i++) {
        uint32_t below = tv_load_le32(parent + 4 * i);
        if (tv_load_le32(level + 4 * i) >= levels || (below != UINT32_MAX && below >= i))
            return false;
    }
    return true;
}

bool fuzz_is_packed(const uint8_t *bytes, size_t len)
{
    if (len < HEAD_LEN)
        return false;
    if (!memcmp(bytes, "TVW2", 4))
        return is_window(bytes, len);
    return !memcmp(bytes, "TVF1", 4) && is_flame(bytes, len);
}
