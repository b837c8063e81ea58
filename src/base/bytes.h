/* Bytes become numbers by copies or shifts, never by casts: any alignment, any host order. */
#ifndef TV_BASE_BYTES_H
#define TV_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

/* Where the host's order is that of the bytes, a number is copied: compilers put single bytes
 * together, but take them apart again where a part of the number is used alone. */
#define TV_IS_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

TV_INLINE uint16_t tv_load_le16(const uint8_t *p)
{
#if TV_IS_LITTLE_ENDIAN
    uint16_t value;
    memcpy(&value, p, sizeof(value));
    return value;
#else
    return (uint16_t)(p[0] | p[1] << 8);
#endif
}

TV_INLINE uint32_t tv_load_le32(const uint8_t *p)
{
#if TV_IS_LITTLE_ENDIAN
    uint32_t value;
    memcpy(&value, p, sizeof(value));
    return value;
#else
    return tv_load_le16(p) | (uint32_t)tv_load_le16(p + 2) << 16;
#endif
}

TV_INLINE uint64_t tv_load_le64(const uint8_t *p)
{
#if TV_IS_LITTLE_ENDIAN
    uint64_t value;
    memcpy(&value, p, sizeof(value));
    return value;
#else
    return tv_load_le32(p) | (uint64_t)tv_load_le32(p + 4) << 32;
#endif
}

TV_INLINE void tv_store_le16(uint8_t *p, uint16_t value)
{
#if TV_IS_LITTLE_ENDIAN
    memcpy(p, &value, sizeof(value));
#else
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
#endif
}

TV_INLINE void tv_store_le32(uint8_t *p, uint32_t value)
{
#if TV_IS_LITTLE_ENDIAN
    memcpy(p, &value, sizeof(value));
#else
    tv_store_le16(p, (uint16_t)value);
    tv_store_le16(p + 2, (uint16_t)(value >> 16));
#endif
}

TV_INLINE void tv_store_le64(uint8_t *p, uint64_t value)
{
#if TV_IS_LITTLE_ENDIAN
    memcpy(p, &value, sizeof(value));
#else
    tv_store_le32(p, (uint32_t)value);
    tv_store_le32(p + 4, (uint32_t)(value >> 32));
#endif
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
