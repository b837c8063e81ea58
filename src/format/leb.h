/* LEB128 without a branch per byte, which the processor would guess wrong too often. Eight bytes
 * are loaded; the first byte without its top bit ends a number; and the groups of 7 bits up to
 * there are pushed together. */
#ifndef TV_FORMAT_LEB_H
#define TV_FORMAT_LEB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/bytes/cursor.h"
#include "base/compiler.h"

/* The bits 7, 15, ... 63 that stand for those of eight bytes that end a number. */
TV_INLINE uint64_t tv_leb_ends(uint64_t bytes)
{
    return ~bytes & UINT64_C(0x8080808080808080);
}

/* The value of a number whose bytes stand at the low end, all other bytes being zero. Each step
 * closes the gaps between pairs of groups. */
TV_INLINE uint64_t tv_leb_value(uint64_t bytes)
{
    uint64_t sum = bytes & UINT64_C(0x7f7f7f7f7f7f7f7f);
    sum -= (sum & UINT64_C(0x7f007f007f007f00)) >> 1;
    sum -= ((sum & UINT64_C(0x3fff00003fff0000)) >> 2) * 3;
    return (sum & UINT32_MAX) | sum >> 32 << 28;
}

/* The groups of all numbers in eight bytes are pushed together at once, by tv_leb_value of the
 * eight bytes: each number is then a field of 7 bits for each of its bytes. */

/* The bit behind the number whose end is the lowest of `ends`, in the bytes. */
TV_INLINE unsigned tv_leb_end(uint64_t ends)
{
    return (unsigned)__builtin_ctzll(ends) + 1;
}

/* Turns such a bit of the bytes into the bit behind the number in the groups. */
TV_INLINE unsigned tv_leb_groups_end(unsigned end)
{
    return end - end / 8;
}

/* The number from bit `begin` of the groups up to `end`; one without bits has no meaning. */
TV_INLINE uint64_t tv_leb_field(uint64_t groups, unsigned begin, unsigned end)
{
    return groups << (64 - end) >> (64 - (end - begin)) % 64;
}

/* The signed number from bit `begin` of the groups up to `end`. */
TV_INLINE uint64_t tv_leb_signed_field(uint64_t groups, unsigned begin, unsigned end)
{
    return (uint64_t)((int64_t)(groups << (64 - end)) >> (64 - (end - begin)) % 64);
}

/* The value of a signed number that has `len` bytes, less than ten. 0 without bytes stays 0. */
TV_INLINE uint64_t tv_leb_signed(uint64_t value, unsigned len)
{
    uint64_t sign = UINT64_C(1) << (7 * len - 1) % 64;
    return (value ^ sign) - sign;
}

/* Takes a number: by one load of eight bytes; one of more than eight bytes, or near the end of the
 * bytes, is read through the cursor. False, and the cursor may stand anywhere, if none is there. */
TV_INLINE bool tv_leb_take(struct tv_cursor *cursor, uint64_t *value)
{
    if (TV_UNLIKELY(tv_cursor_left(cursor) < sizeof(uint64_t)))
        return tv_cursor_take_uleb(cursor, value);
    uint64_t bytes = tv_load_le64(cursor->bytes + cursor->pos);
    uint64_t ends = tv_leb_ends(bytes);
    if (TV_UNLIKELY(!ends))
        return tv_cursor_take_uleb(cursor, value);
    *value = tv_leb_value(bytes & (ends ^ (ends - 1)));
    cursor->pos += ((unsigned)__builtin_ctzll(ends) >> 3) + 1;
    return true;
}

TV_INLINE bool tv_leb_take_signed(struct tv_cursor *cursor, uint64_t *value)
{
    size_t before = cursor->pos;
    if (!tv_leb_take(cursor, value))
        return false;
    size_t len = cursor->pos - before;
    if (len < TV_LEB_MOST)
        *value = tv_leb_signed(*value, (unsigned)len);
    return true;
}

#endif
