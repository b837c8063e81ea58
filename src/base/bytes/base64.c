/*
 * Standard base64 of RFC 4648; see base/bytes/base64.h.
 *
 * Measuring checks that nothing but digits, padding and white space is there and tells the length,
 * so the caller can make room; decoding then relies on it.
 */
#include "base/bytes/base64.h"

#define NO_DIGIT 64u

static unsigned digit_of(uint8_t c)
{
    if (c >= 'A' && c <= 'Z')
        return c - (unsigned)'A';
    if (c >= 'a' && c <= 'z')
        return c - (unsigned)'a' + 26;
    if (c >= '0' && c <= '9')
        return c - (unsigned)'0' + 52;
    if (c == '+')
        return 62;
    return c == '/' ? 63 : NO_DIGIT;
}

static bool is_space(uint8_t c)
{
    return c == '\n' || c == '\r' || c == ' ' || c == '\t';
}

/* Digits behind padding are refused: they would be a second text behind the first. */
bool tv_base64_measure(const uint8_t *text, size_t len, size_t *decoded_len)
{
    size_t digits = 0;
    size_t padding = 0;
    for (size_t i = 0; i < len; i++) {
        if (is_space(text[i]))
            continue;
        if (text[i] == '=') {
            padding++;
        } else if (padding || digit_of(text[i]) == NO_DIGIT) {
            return false;
        } else {
            digits++;
        }
    }
    *decoded_len = digits / 4 * 3 + (digits % 4 ? digits % 4 - 1 : 0);
    return digits > 0 && padding <= 2;
}

/* What is no digit is passed over, since mail and JSON break lines within it. */
size_t tv_base64_decode(const uint8_t *text, size_t len, uint8_t *bytes, size_t most)
{
    size_t count = 0;
    uint32_t bits = 0;
    unsigned bit_count = 0;
    for (size_t i = 0; i < len && count < most; i++) {
        unsigned digit = digit_of(text[i]);
        if (digit == NO_DIGIT)
            continue;
        bits = (bits << 6 | digit) & 0xffffu;
        bit_count += 6;
        if (bit_count < 8)
            continue;
        bit_count -= 8;
        bytes[count++] = (uint8_t)(bits >> bit_count);
    }
    return count;
}

void tv_base64_put(struct tv_out *out, const uint8_t *bytes, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t at = 0; at < len; at += 3) {
        size_t left = len - at;
        uint32_t bits = (uint32_t)bytes[at] << 16 | (left > 1 ? (uint32_t)bytes[at + 1] << 8 : 0) |
                        (left > 2 ? bytes[at + 2] : 0);
        char text[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                        left > 1 ? digits[bits >> 6 & 63] : '=',
                        left > 2 ? digits[bits & 63] : '='};
        tv_out_bytes(out, text, sizeof(text));
    }
}
