/*
 * Bytes on their way to a sink; see base/text/out.h.
 *
 * Bytes are gathered in a room of fixed length, and go to the sink when it is full. The first
 * failure of the sink is kept and everything after it is dropped, so callers write without checks
 * and ask once, at the end.
 */
#include "base/text/out.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/text/utf8.h"

void tv_out_init(struct tv_out *out, struct tv_sink sink)
{
    out->sink = sink;
    out->error = (struct tv_error){.code = TV_OK};
    out->total = 0;
    out->len = 0;
}

static void flush(struct tv_out *out)
{
    if (out->len && out->sink.write && out->error.code == TV_OK)
        out->error.code = out->sink.write(out->sink.ctx, out->room, out->len, &out->error);
    out->len = 0;
}

uint8_t *tv_out_reserve(struct tv_out *out, size_t most)
{
    if (most > sizeof(out->room) - out->len)
        flush(out);
    return out->room + out->len;
}

void tv_out_filled(struct tv_out *out, size_t len)
{
    out->len += len;
    out->total += len;
}

void tv_out_flush_bytes(struct tv_out *out, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    while (len) {
        if (out->len == sizeof(out->room))
            flush(out);
        size_t fits = sizeof(out->room) - out->len;
        size_t part = len < fits ? len : fits;
        memcpy(out->room + out->len, at, part);
        tv_out_filled(out, part);
        at += part;
        len -= part;
    }
}

/* Runs of bytes that need no change go out in one piece. */
bool tv_out_name(struct tv_out *out, struct tv_str name)
{
    size_t from = 0; /* what follows is not written yet, and needs no change so far */
    size_t at = 0;
    bool is_changed = false;
    while (at < name.len) {
        size_t start = at;
        char bytes[4];
        uint32_t character = tv_utf8_next(name, &at);
        if (character == '\n' || character == '\r' || character == '\t' || !character)
            character = ' ';
        size_t len = tv_utf8_put(bytes, character);
        if (len == at - start && memcmp(bytes, name.at + start, len) == 0)
            continue;
        tv_out_bytes(out, name.at + from, start - from);
        tv_out_bytes(out, bytes, len);
        from = at;
        is_changed = true;
    }
    if (from < name.len)
        tv_out_bytes(out, name.at + from, name.len - from);
    return is_changed;
}

void tv_out_decimal(struct tv_out *out, uint64_t value)
{
    char digits[TV_DECIMAL_MOST];
    const char *first = tv_decimal_before(digits + TV_DECIMAL_MOST, value);
    size_t len = (size_t)(digits + TV_DECIMAL_MOST - first);
    memcpy(tv_out_reserve(out, TV_DECIMAL_MOST), first, len);
    tv_out_filled(out, len);
}

void tv_out_padded(struct tv_out *out, size_t width, int64_t value)
{
    char text[32];
    char *end = text + sizeof(text);
    char *at = tv_decimal_before(end, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    tv_assert(width < sizeof(text));
    if (value < 0)
        *--at = '-';
    while ((size_t)(end - at) < width)
        *--at = ' ';
    tv_out_bytes(out, at, (size_t)(end - at));
}

/* value * 10^decimals is rounded itself, by less than a millionth where it is below 10^9, so which
 * whole number is next to it is certain unless it is next to a half. What is not certain, and what
 * has a sign or is no number, is printf's. */
void tv_out_real(struct tv_out *out, size_t width, unsigned decimals, double value)
{
    const unsigned power = decimals == 1 ? 10 : 100;
    const double scaled = value * power;
    bool is_plain = !signbit(value) && scaled < 1e9;
    double part = is_plain ? scaled - (double)(uint64_t)scaled : 0.5;
    tv_assert(decimals == 1 || decimals == 2);
    if (part > 0.499999 && part < 0.500001) {
        tv_out_add(out, "%*.*f", (int)width, (int)decimals, value);
        return;
    }
    uint64_t digits = (uint64_t)scaled + (part > 0.5);
    tv_out_padded(out, width > decimals + 1 ? width - decimals - 1 : 0, (int64_t)(digits / power));
    char text[] = {'.', (char)('0' + digits / 10 % 10), (char)('0' + digits % 10)};
    if (decimals == 1)
        text[1] = text[2];
    tv_out_bytes(out, text, decimals + 1);
}

void tv_out_count(struct tv_out *out, uint64_t count)
{
    char room[TV_STR_COUNT_MOST];
    tv_out_text(out, tv_str_of_count(room, count));
}

/* Zeros at the end are cut first, and the digits are made from the last to the first. */
void tv_out_fraction(struct tv_out *out, uint64_t value, unsigned places)
{
    char digits[TV_DECIMAL_MOST + 1];
    char *end = digits + sizeof(digits);
    char *first = end;
    for (; places && value % 10 == 0; places--)
        value /= 10;
    for (; places; places--) {
        *--first = (char)('0' + value % 10);
        value /= 10;
    }
    if (first < end)
        *--first = '.';
    first = tv_decimal_before(first, value);
    size_t len = (size_t)(end - first);
    memcpy(tv_out_reserve(out, sizeof(digits)), first, len);
    tv_out_filled(out, len);
}

void tv_out_id(struct tv_out *out, uint64_t value)
{
    uint8_t digits[TV_DECIMAL_MOST];
    uint8_t *first = digits + TV_DECIMAL_MOST;
    if (value)
        tv_out_text(out, TV_STR("0x"));
    do {
        *--first = (uint8_t) "0123456789abcdef"[value % 16];
        value /= 16;
    } while (value);
    tv_out_bytes(out, first, (size_t)(digits + TV_DECIMAL_MOST - first));
}

static enum tv_code write_on(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    struct tv_out *out = ctx;
    tv_out_bytes(out, bytes, len);
    if (out->error.code != TV_OK && err)
        *err = out->error;
    return out->error.code;
}

struct tv_sink tv_out_sink(struct tv_out *out)
{
    return (struct tv_sink){.write = write_on, .ctx = out};
}

void tv_out_add(struct tv_out *out, const char *format, ...)
{
    char piece[512];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(piece, sizeof(piece), format, args);
    va_end(args);
    tv_assert(len >= 0 && (size_t)len < sizeof(piece));
    tv_out_bytes(out, piece, (size_t)len);
}

/* How many bytes from `at` on are shown as they are without a second look. */
static size_t plain_len(struct tv_str name, size_t at, size_t most)
{
    size_t end = at;
    while (end < name.len && end < most && name.at[end] >= ' ' && name.at[end] < 0x7f)
        end++;
    return end - at;
}

void tv_out_shown(struct tv_out *out, struct tv_str name, size_t most)
{
    size_t at = 0;
    while (at < name.len && at < most) {
        char bytes[TV_UTF8_SHOWN_MOST];
        size_t plain = plain_len(name, at, most);
        if (plain)
            tv_out_bytes(out, name.at + at, plain);
        else
            tv_out_bytes(out, bytes, tv_utf8_put_shown(bytes, tv_utf8_next(name, &at)));
        at += plain;
    }
    if (at < name.len)
        tv_out_add(out, " (+%zu bytes)", name.len - at);
}

enum tv_code tv_out_finish(struct tv_out *out, struct tv_error *err)
{
    flush(out);
    if (out->error.code != TV_OK && err)
        *err = out->error;
    return out->error.code;
}
