/*
 * Decoding text; see base/text/utf8.h.
 *
 * A byte that begins no well-formed sequence becomes U+FFFD, and decoding goes on with the next
 * byte, so any bytes can be gone through. Java's own ways are understood, too: C0 80 for U+0000,
 * and two surrogates for a character above U+FFFF. What is well-formed says base/utf8_check.h.
 */
#include "base/text/utf8.h"

#include <stddef.h>

#include "base/compiler.h"
#include "base/utf8_check.h"

/* Java's own spellings, which Unicode has not: C0 80 for U+0000, and ED A0..BF for a surrogate. */
static unsigned decode_java(const uint8_t *p, size_t left, uint32_t *value)
{
    bool is_zero = left >= 2 && p[0] == 0xc0 && p[1] == 0x80;
    bool is_surrogate = left >= 3 && p[0] == 0xed && (p[1] & 0xe0) == 0xa0 && (p[2] & 0xc0) == 0x80;
    *value = is_surrogate ? 0xd000 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu) : 0;
    return is_surrogate ? 3 : is_zero ? 2 : 0;
}

/* The length and the value of the sequence at `at`; Java's spellings are allowed. 0 when it is
 * invalid. */
static unsigned decode(struct tv_str text, size_t at, uint32_t *value)
{
    const uint8_t *p = (const uint8_t *)text.at + at;
    unsigned len = (unsigned)tv_utf8_check(p, text.len - at);
    if (!len)
        return decode_java(p, text.len - at, value);
    *value = len == 1 ? p[0] : p[0] & (0x7fu >> len);
    for (unsigned i = 1; i < len; i++)
        *value = *value << 6 | (p[i] & 0x3fu);
    return len;
}

/* A high surrogate and the low one after it are one character; either alone is invalid. */
uint32_t tv_utf8_next(struct tv_str text, size_t *at)
{
    uint32_t value = 0;
    unsigned len = decode(text, *at, &value);
    if (!len || (value >= 0xdc00 && value <= 0xdfff)) {
        *at += len ? len : 1;
        return TV_UTF8_REPLACEMENT;
    }
    *at += len;
    if (value < 0xd800 || value > 0xdbff)
        return value;
    uint32_t low = 0;
    if (*at < text.len && decode(text, *at, &low) == 3 && low >= 0xdc00 && low <= 0xdfff) {
        *at += 3;
        return 0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00);
    }
    return TV_UTF8_REPLACEMENT;
}

unsigned tv_utf8_put(char out[4], uint32_t character)
{
    unsigned char *o = (unsigned char *)out;
    if (character < 0x80) {
        o[0] = (unsigned char)character;
        return 1;
    }
    if (character < 0x800) {
        o[0] = (unsigned char)(0xc0 | character >> 6);
        o[1] = (unsigned char)(0x80 | (character & 0x3f));
        return 2;
    }
    if (character < 0x10000) {
        o[0] = (unsigned char)(0xe0 | character >> 12);
        o[1] = (unsigned char)(0x80 | (character >> 6 & 0x3f));
        o[2] = (unsigned char)(0x80 | (character & 0x3f));
        return 3;
    }
    o[0] = (unsigned char)(0xf0 | character >> 18);
    o[1] = (unsigned char)(0x80 | (character >> 12 & 0x3f));
    o[2] = (unsigned char)(0x80 | (character >> 6 & 0x3f));
    o[3] = (unsigned char)(0x80 | (character & 0x3f));
    return 4;
}

/* All characters of the general categories Cc, Cf, Zl and Zp, and all with the property
 * Default_Ignorable_Code_Point: UnicodeData.txt and DerivedCoreProperties.txt of Unicode 15, and
 * still of 17. */
static const struct {
    uint32_t first, last;
} escaped[] = {
    {0x0, 0x1f},        {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},
    {0x600, 0x605},     {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},
    {0x890, 0x891},     {0x8e2, 0x8e2},     {0x115f, 0x1160},   {0x17b4, 0x17b5},
    {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},
    {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
    {0xfff0, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f},
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

bool tv_utf8_needs_escape(uint32_t character)
{
    size_t low = 0;
    size_t high = TV_COUNT_OF(escaped);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (character > escaped[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < TV_COUNT_OF(escaped) && character >= escaped[low].first;
}

unsigned tv_utf8_put_shown(char out[TV_UTF8_SHOWN_MOST], uint32_t character)
{
    if (!tv_utf8_needs_escape(character))
        return tv_utf8_put(out, character);
    unsigned digits = character < 0x100 ? 2 : character < 0x10000 ? 4 : 8;
    out[0] = '\\';
    out[1] = digits == 2 ? 'x' : digits == 4 ? 'u' : 'U';
    if (character == '\n' || character == '\t') {
        out[1] = character == '\n' ? 'n' : 't';
        return 2;
    }
    for (unsigned i = 0; i < digits; i++)
        out[2 + i] = "0123456789abcdef"[character >> 4 * (digits - 1 - i) & 0xf];
    return 2 + digits;
}
