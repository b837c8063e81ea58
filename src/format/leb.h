/* LEB128 without a branch per byte, which the processor would guess wrong too often. Eight bytes
 * are loaded; the first byte without its top bit ends a number; and the groups of 7 bits up to
 * there are pushed together. */
#ifndef TV_FORMAT_LEB_H
#define TV_FORMAT_LEB_H

#include <stdint.h>

#include "base/compiler.h"

/* The bits 7, 15, ... 63 that stand for those of eight bytes that end a number. */
TV_INLINE uint64_t tv_leb_ends(uint64_t bytes)
{
    return ~bytes & UINT64_C(0x8080808080808080);
}

/* The value of a number whose bytes stand at the low end, all other bytes being zero. */
TV_INLINE uint64_t tv_leb_value(uint64_t bytes)
{
    uint64_t sum = bytes & UINT64_C(0x7f7f7f7f7f7f7f7f);
    sum = (sum & UINT64_C(0x007f007f007f007f)) | (sum & UINT64_C(0x7f007f007f007f00)) >> 1;
    sum = (sum & UINT64_C(0x00003fff00003fff)) | (sum & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (sum & UINT64_C(0x0fffffff)) | (sum & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* The same value of a signed number that has `len` bytes, less than ten. */
TV_INLINE uint64_t tv_leb_signed(uint64_t value, unsigned len)
{
    uint64_t sign = UINT64_C(1) << (7 * len - 1);
    return (value ^ sign) - sign;
}

#endif
