/* See base/base64.h. */
#include "base/base64.h"

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

/* Four digits of up to three bytes. */
static void put_group(struct tv_out *out, const uint8_t *bytes, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = (uint32_t)bytes[0] << 16;
    char text[4];
    bits |= len > 1 ? (uint32_t)bytes[1] << 8 : 0;
    bits |= len > 2 ? bytes[2] : 0;
    text[0] = digits[bits >> 18];
    text[1] = digits[bits >> 12 & 63];
    text[2] = len > 1 ? digits[bits >> 6 & 63] : '=';
    text[3] = len > 2 ? digits[bits & 63] : '=';
    tv_out_bytes(out, text, sizeof(text));
}

void tv_base64_put(struct tv_out *out, const uint8_t *bytes, size_t len)
{
    for (size_t at = 0; at < len; at += 3)
        put_group(out, bytes + at, len - at < 3 ? len - at : 3);
}
