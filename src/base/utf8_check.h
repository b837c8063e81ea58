/*
 * The one check of UTF-8: which bytes are a character is table 3-7 of Unicode 15, so no character
 * has two spellings, and surrogates have none. It is a function in a header because the recorder,
 * which links nothing of ours, checks names too.
 */
#ifndef TV_BASE_UTF8_CHECK_H
#define TV_BASE_UTF8_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* How many bytes the character at `at` has; 0: no well-formed one stands in the `left` bytes.
 * `left` is not 0. */
TV_INLINE size_t tv_utf8_check(const uint8_t *at, size_t left)
{
    if (at[0] < 0x80)
        return 1;
    size_t len = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (at[0] < 0xc2 || at[0] > 0xf4 || len > left)
        return 0;
    /* What else would be a second spelling, a surrogate, or above U+10FFFF shows in byte two. */
    uint8_t least = at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : 0x80;
    uint8_t most = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : 0xbf;
    if (at[1] < least || at[1] > most)
        return 0;
    for (size_t i = 2; i < len; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    }
    return len;
}

#endif
