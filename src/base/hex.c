/*
 * Hexadecimal digits; see base/hex.h. Digits are written in lower case; tv_hex_value
 * reads either case, and tv_hex_is accepts lower case only.
 */
#include "base/hex.h"

#include <stdint.h>

void tv_hex_put(char *text, const void *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *from = bytes;
    for (size_t i = 0; i < len; i++) {
        text[2 * i] = digits[from[i] >> 4];
        text[2 * i + 1] = digits[from[i] & 15];
    }
}

int tv_hex_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

/* Lower case only, so that what is named by digits has one spelling. */
bool tv_hex_is(struct tv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (tv_hex_value(text.at[i]) < 0 || (text.at[i] >= 'A' && text.at[i] <= 'F'))
            return false;
    }
    return true;
}
