/* Bytes on their way to a sink; see base/out.h. */
#include "base/out.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define DIGITS_MOST 20u

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

void tv_out_bytes(struct tv_out *out, const void *bytes, size_t len)
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

void tv_out_text(struct tv_out *out, struct tv_str text)
{
    tv_out_bytes(out, text.at, text.len);
}

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

static void put_digits(struct tv_out *out, uint64_t value, unsigned base)
{
    char digits[DIGITS_MOST];
    size_t at = sizeof(digits);
    do {
        digits[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    tv_out_bytes(out, digits + at, sizeof(digits) - at);
}

void tv_out_decimal(struct tv_out *out, uint64_t value)
{
    put_digits(out, value, 10);
}

void tv_out_id(struct tv_out *out, uint64_t value)
{
    if (value)
        tv_out_text(out, TV_STR("0x"));
    put_digits(out, value, 16);
}

void tv_out_add(struct tv_out *out, const char *format, ...)
{
    char piece[256];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(piece, sizeof(piece), format, args);
    va_end(args);
    tv_assert(len >= 0 && (size_t)len < sizeof(piece));
    tv_out_bytes(out, piece, (size_t)len);
}

static void put_shown(struct tv_out *out, uint32_t character)
{
    char bytes[4];
    if (character == '\n')
        tv_out_text(out, TV_STR("\\n"));
    else if (character == '\t')
        tv_out_text(out, TV_STR("\\t"));
    else if (!tv_utf8_needs_escape(character))
        tv_out_bytes(out, bytes, tv_utf8_put(bytes, character));
    else if (character < 0x100)
        tv_out_add(out, "\\x%02x", (unsigned)character);
    else if (character < 0x10000)
        tv_out_add(out, "\\u%04x", (unsigned)character);
    else
        tv_out_add(out, "\\U%08x", (unsigned)character);
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
        size_t plain = plain_len(name, at, most);
        if (plain)
            tv_out_bytes(out, name.at + at, plain);
        else
            put_shown(out, tv_utf8_next(name, &at));
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
