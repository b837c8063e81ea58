/* Bytes become numbers by shifts, never by casts: any alignment, any host order. */
#ifndef TV_BASE_BYTES_H
#define TV_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

TV_INLINE uint16_t tv_load_le16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

TV_INLINE uint32_t tv_load_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

TV_INLINE uint64_t tv_load_le64(const uint8_t *p)
{
    return (uint64_t)tv_load_le32(p) | (uint64_t)tv_load_le32(p + 4) << 32;
}

TV_INLINE void tv_store_le16(uint8_t *p, uint16_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

TV_INLINE void tv_store_le32(uint8_t *p, uint32_t value)
{
    tv_store_le16(p, (uint16_t)value);
    tv_store_le16(p + 2, (uint16_t)(value >> 16));
}

TV_INLINE void tv_store_le64(uint8_t *p, uint64_t value)
{
    tv_store_le32(p, (uint32_t)value);
    tv_store_le32(p + 4, (uint32_t)(value >> 32));
}

#define TV_LEB_MOST 10u /* bytes of a 64-bit LEB128 */

/* Writes an unsigned LEB128; returns how many bytes it takes. */
TV_INLINE size_t tv_store_uleb(uint8_t *to, uint64_t value)
{
    size_t len = 0;
    for (; value >= 0x80; value >>= 7)
        to[len++] = (uint8_t)(value | 0x80);
    to[len++] = (uint8_t)value;
    return len;
}

#endif
