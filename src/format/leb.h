/*
 * LEB128 without a branch per byte, which would be guessed wrong too often: eight bytes are loaded,
 * the first without its top bit ends a number, and its groups of 7 bits are pushed together.
 */
#ifndef TV_FORMAT_LEB_H
#define TV_FORMAT_LEB_H

#include <stdint.h>

#include "base/compiler.h"

/* The top bits of those of eight bytes that end a number. */
TV_INLINE uint64_t tv_leb_ends(uint64_t bytes)
{
    return ~bytes & UINT64_C(0x8080808080808080);
}

/* The number in bytes whose others are zero. */
TV_INLINE uint64_t tv_leb_value(uint64_t bytes)
{
    uint64_t sum = bytes & UINT64_C(0x7f7f7f7f7f7f7f7f);
    sum = (sum & UINT64_C(0x007f007f007f007f)) | (sum & UINT64_C(0x7f007f007f007f00)) >> 1;
    sum = (sum & UINT64_C(0x00003fff00003fff)) | (sum & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (sum & UINT64_C(0x0fffffff)) | (sum & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* The same number as a signed one of `len` bytes, less than ten. */
TV_INLINE uint64_t tv_leb_signed(uint64_t value, unsigned len)
{
    uint64_t sign = UINT64_C(1) << (7 * len - 1);
    return (value ^ sign) - sign;
}

#endif
