/*
 * Formatted text of WebAssembly modules; see engine/wasm_print.h.
 *
 * A conversion is read into a struct, its value becomes digits or a text, and one function pads
 * both. In a module the C library's names for it are defined here, so that the linker takes none of
 * the library's own.
 */
#include "engine/wasm_print.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define DIGITS_MOST 20u /* of 2^64 - 1 */

struct text {
    char *to;
    size_t cap, len; /* len: of the whole text, also of what has no room */
};

struct conversion {
    bool has_zeros, has_plus, is_left;
    int width, precision; /* precision: -1 for none */
    unsigned longs;       /* l: 1, ll: 2; z: 1, as both have 32 bits in a module */
    bool is_size;
    char kind;
};

static void add(struct text *text, char character, size_t count)
{
    for (; count; count--, text->len++) {
        if (text->len + 1 < text->cap)
            text->to[text->len] = character;
    }
}

static void add_bytes(struct text *text, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        add(text, bytes[i], 1);
}

/* Adds a sign, which may be empty, and what stands behind it, padded to the width. */
static void add_padded(struct text *text, const struct conversion *conversion, const char *sign,
                       const char *bytes, size_t len)
{
    size_t whole = strlen(sign) + len;
    size_t width = conversion->width > 0 ? (size_t)conversion->width : 0;
    size_t pad = width > whole ? width - whole : 0;
    bool has_zeros = conversion->has_zeros && !conversion->is_left;
    if (!has_zeros && !conversion->is_left)
        add(text, ' ', pad);
    add_bytes(text, sign, strlen(sign));
    if (has_zeros)
        add(text, '0', pad);
    add_bytes(text, bytes, len);
    if (conversion->is_left)
        add(text, ' ', pad);
}

static void add_number(struct text *text, const struct conversion *conversion, uint64_t value,
                       bool is_negative)
{
    const char *digits = conversion->kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    const unsigned base = (conversion->kind | 0x20) == 'x' ? 16 : 10;
    const bool is_signed = conversion->kind == 'd' || conversion->kind == 'i';
    const char *plus = is_signed && conversion->has_plus ? "+" : "";
    char room[DIGITS_MOST];
    size_t at = sizeof(room);
    do {
        room[--at] = digits[value % base];
        value /= base;
    } while (value);
    add_padded(text, conversion, is_negative ? "-" : plus, room + at, sizeof(room) - at);
}

/* A number in the format, or the next argument where a star stands for it. */
static int take_number(const char **format, va_list *args)
{
    int number = 0;
    if (**format == '*') {
        ++*format;
        return va_arg(*args, int);
    }
    for (; **format >= '0' && **format <= '9'; ++*format)
        number = number * 10 + (**format - '0');
    return number;
}

/* Reads a conversion, from behind its percent sign on. */
static struct conversion take_conversion(const char **format, va_list *args)
{
    struct conversion conversion = {.precision = -1};
    for (;; ++*format) {
        conversion.has_zeros |= **format == '0';
        conversion.has_plus |= **format == '+';
        conversion.is_left |= **format == '-';
        if (**format != '0' && **format != '+' && **format != '-')
            break;
    }
    conversion.width = take_number(format, args);
    if (**format == '.') {
        ++*format;
        conversion.precision = take_number(format, args);
    }
    for (; **format == 'l'; ++*format)
        conversion.longs++;
    conversion.is_size = **format == 'z';
    *format += conversion.is_size;
    conversion.kind = *(*format)++;
    return conversion;
}

static void add_unsigned(struct text *text, const struct conversion *conversion, va_list *args)
{
    uint64_t value;
    if (conversion->longs > 1)
        value = va_arg(*args, unsigned long long);
    else if (conversion->longs)
        value = va_arg(*args, unsigned long);
    else if (conversion->is_size)
        value = va_arg(*args, size_t);
    else
        value = va_arg(*args, unsigned);
    add_number(text, conversion, value, false);
}

static void add_signed(struct text *text, const struct conversion *conversion, va_list *args)
{
    long long value;
    if (conversion->longs > 1)
        value = va_arg(*args, long long);
    else if (conversion->longs)
        value = va_arg(*args, long);
    else
        value = va_arg(*args, int);
    add_number(text, conversion, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
}

static void add_text(struct text *text, const struct conversion *conversion, const char *bytes)
{
    const size_t most = conversion->precision < 0 ? SIZE_MAX : (size_t)conversion->precision;
    size_t len = 0;
    while (len < most && bytes[len])
        len++;
    add_padded(text, conversion, "", bytes, len);
}

static void add_conversion(struct text *text, const struct conversion *conversion, va_list *args)
{
    char character;
    switch (conversion->kind) {
    case 'u':
    case 'x':
    case 'X':
        add_unsigned(text, conversion, args);
        break;
    case 'd':
    case 'i':
        add_signed(text, conversion, args);
        break;
    case 's':
        add_text(text, conversion, va_arg(*args, const char *));
        break;
    case 'c':
        character = (char)va_arg(*args, int);
        add_padded(text, conversion, "", &character, 1);
        break;
    case '%':
        add(text, '%', 1);
        break;
    default:
        __builtin_trap();
    }
}

int tv_wasm_print(char *to, size_t cap, const char *format, va_list args)
{
    struct text text = {.to = to, .cap = cap};
    va_list rest;
    va_copy(rest, args);
    while (*format) {
        if (*format != '%') {
            add(&text, *format++, 1);
            continue;
        }
        format++;
        const struct conversion conversion = take_conversion(&format, &rest);
        add_conversion(&text, &conversion, &rest);
    }
    va_end(rest);
    if (cap)
        to[text.len < cap ? text.len : cap - 1] = '\0';
    return (int)text.len;
}

#ifdef __wasm__
int vsnprintf(char *to, size_t cap, const char *format, va_list args)
{
    return tv_wasm_print(to, cap, format, args);
}

int snprintf(char *to, size_t cap, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = tv_wasm_print(to, cap, format, args);
    va_end(args);
    return len;
}
#endif
