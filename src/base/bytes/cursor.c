/*
 * Checked steps over untrusted bytes; see base/bytes/cursor.h.
 *
 * Each step compares what it wants with what is left, and moves only if that is enough. Lengths are
 * never added to a position before that, because the sum could wrap. So after any failure the
 * position is still within the bytes.
 */
#include "base/bytes/cursor.h"

#include <string.h>

#include "base/bytes.h"

bool tv_cursor_skip(struct tv_cursor *cursor, uint64_t len)
{
    if (len > tv_cursor_left(cursor))
        return false;
    cursor->pos += (size_t)len;
    return true;
}

/* `at` may lie behind the last byte until tv_cursor_skip() has said that it does not; it is read
 * only then. So with all that follow. */
bool tv_cursor_take_u8(struct tv_cursor *cursor, uint8_t *value)
{
    const uint8_t *at = cursor->bytes + cursor->pos;
    if (!tv_cursor_skip(cursor, 1))
        return false;
    *value = *at;
    return true;
}

bool tv_cursor_take_u16(struct tv_cursor *cursor, uint16_t *value)
{
    const uint8_t *at = cursor->bytes + cursor->pos;
    if (!tv_cursor_skip(cursor, 2))
        return false;
    *value = tv_load_le16(at);
    return true;
}

bool tv_cursor_take_u32(struct tv_cursor *cursor, uint32_t *value)
{
    const uint8_t *at = cursor->bytes + cursor->pos;
    if (!tv_cursor_skip(cursor, 4))
        return false;
    *value = tv_load_le32(at);
    return true;
}

bool tv_cursor_take_u64(struct tv_cursor *cursor, uint64_t *value)
{
    const uint8_t *at = cursor->bytes + cursor->pos;
    if (!tv_cursor_skip(cursor, 8))
        return false;
    *value = tv_load_le64(at);
    return true;
}

bool tv_cursor_take_str(struct tv_cursor *cursor, uint64_t len, struct tv_str *view)
{
    const char *at = (const char *)cursor->bytes + cursor->pos;
    if (!tv_cursor_skip(cursor, len))
        return false;
    *view = (struct tv_str){.at = at, .len = (size_t)len};
    return true;
}

/* A last line need not have a line end: a file may be cut. */
bool tv_cursor_take_line(struct tv_cursor *cursor, struct tv_str *line)
{
    size_t left = tv_cursor_left(cursor);
    if (!left)
        return false;
    const char *at = (const char *)cursor->bytes + cursor->pos;
    const char *end = memchr(at, '\n', left);
    size_t len = end ? (size_t)(end - at) : left;
    cursor->pos += end ? len + 1 : len;
    if (end && len && at[len - 1] == '\r')
        len--;
    *line = (struct tv_str){.at = at, .len = len};
    return true;
}

/* A number of more than ten bytes is none: 7 bits of ten bytes hold 64. */
bool tv_cursor_take_uleb(struct tv_cursor *cursor, uint64_t *value)
{
    const uint8_t *at = cursor->bytes + cursor->pos;
    size_t left = tv_cursor_left(cursor);
    size_t most = left < TV_LEB_MOST ? left : TV_LEB_MOST;
    uint64_t sum = 0;
    for (size_t i = 0; i < most; i++) {
        sum |= (uint64_t)(at[i] & 0x7f) << (7 * i);
        if (!(at[i] & 0x80)) {
            cursor->pos += i + 1;
            *value = sum;
            return true;
        }
    }
    return false;
}

/* The sign is the second highest bit of the last byte; ten bytes have no room for a further one. */
bool tv_cursor_take_sleb(struct tv_cursor *cursor, int64_t *value)
{
    const uint8_t *at = cursor->bytes + cursor->pos;
    size_t before = cursor->pos;
    uint64_t sum;
    if (!tv_cursor_take_uleb(cursor, &sum))
        return false;
    size_t len = cursor->pos - before;
    if (len < TV_LEB_MOST && (at[len - 1] & 0x40))
        sum |= UINT64_MAX << (7 * len);
    memcpy(value, &sum, sizeof(*value));
    return true;
}
