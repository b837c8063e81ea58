/*
 * A streaming JSON writer (RFC 8259); see base/text/json.h.
 *
 * The writer knows only how deep it is and whether a comma is due, so a document of any length
 * takes no memory. Strings are written as UTF-8; control characters, and whatever else could act on
 * a terminal or a page (tv_utf8_needs_escape), become escapes.
 */
#include "base/text/json.h"

#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/text/utf8.h"

/* Readers have limits, too: Python reads a thousand levels. */
#define DEPTH_LIMIT 900u

void tv_json_init(struct tv_json *json, struct tv_sink sink)
{
    *json = (struct tv_json){.sink = sink, .error = {.code = TV_OK, .offset = TV_NO_OFFSET}};
}

/* After the first failure nothing is written any more, and text is only dropped. */
static void flush(struct tv_json *json)
{
    if (json->error.code == TV_OK && json->len)
        (void)json->sink.write(json->sink.ctx, json->room, json->len, &json->error);
    json->len = 0;
}

static void put_bytes(struct tv_json *json, const char *bytes, size_t len)
{
    while (len) {
        if (json->len == sizeof(json->room))
            flush(json);
        size_t part = sizeof(json->room) - json->len;
        if (part > len)
            part = len;
        memcpy(json->room + json->len, bytes, part);
        json->len += part;
        bytes += part;
        len -= part;
    }
}

static void put_text(struct tv_json *json, const char *text)
{
    put_bytes(json, text, strlen(text));
}

/* Writes the comma that a new item of the open object or array needs. */
static void begin_item(struct tv_json *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->depth && json->has_item)
        put_bytes(json, ",", 1);
    json->has_item = true;
}

static void open_level(struct tv_json *json, const char *bracket)
{
    begin_item(json);
    put_bytes(json, bracket, 1);
    if (json->depth >= DEPTH_LIMIT && json->error.code == TV_OK)
        (void)tv_fail(&json->error, TV_ERR_LIMIT, TV_NO_OFFSET, "JSON deeper than %u levels",
                      DEPTH_LIMIT);
    json->depth++;
    json->has_item = false;
}

static void close_level(struct tv_json *json, const char *bracket)
{
    tv_assert(json->depth > 0);
    json->depth--;
    json->has_item = true; /* the level that was closed is an item of the one around it */
    put_bytes(json, bracket, 1);
}

void tv_json_open_object(struct tv_json *json)
{
    open_level(json, "{");
}

void tv_json_close_object(struct tv_json *json)
{
    close_level(json, "}");
}

void tv_json_open_array(struct tv_json *json)
{
    open_level(json, "[");
}

void tv_json_close_array(struct tv_json *json)
{
    close_level(json, "]");
}

/* Escapes ", \, and what would act on a terminal or page, or not be seen, where people look at the
 * answer; all else is UTF-8. Above U+FFFF JSON has no escape but a pair of surrogates. */
static void put_character(struct tv_json *json, uint32_t character)
{
    char out[16];
    if (character == '"' || character == '\\') {
        out[0] = '\\';
        out[1] = (char)character;
        put_bytes(json, out, 2);
    } else if (!tv_utf8_needs_escape(character)) {
        put_bytes(json, out, tv_utf8_put(out, character));
    } else if (character < 0x10000) {
        (void)snprintf(out, sizeof(out), "\\u%04x", (unsigned)character & 0xffffu);
        put_text(json, out);
    } else {
        unsigned rest = (unsigned)(character - 0x10000) & 0xfffffu;
        (void)snprintf(out, sizeof(out), "\\u%04x\\u%04x", 0xd800u + (rest >> 10),
                       0xdc00u + (rest & 0x3ffu));
        put_text(json, out);
    }
}

static void put_string(struct tv_json *json, struct tv_str text)
{
    put_bytes(json, "\"", 1);
    size_t at = 0;
    while (at < text.len) {
        size_t plain = at; /* a run that needs no escape goes out in one piece */
        while (plain < text.len) {
            unsigned char c = (unsigned char)text.at[plain];
            if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
                break;
            plain++;
        }
        put_bytes(json, text.at + at, plain - at);
        at = plain;
        if (at < text.len)
            put_character(json, tv_utf8_next(text, &at));
    }
    put_bytes(json, "\"", 1);
}

void tv_json_key(struct tv_json *json, const char *key)
{
    begin_item(json);
    put_string(json, tv_str_from(key));
    put_bytes(json, ":", 1);
    json->after_key = true;
}

void tv_json_str(struct tv_json *json, struct tv_str text)
{
    begin_item(json);
    put_string(json, text);
}

void tv_json_text(struct tv_json *json, const char *text)
{
    tv_json_str(json, tv_str_from(text));
}

static void put_u64(struct tv_json *json, uint64_t value)
{
    char digits[TV_DECIMAL_MOST];
    char *end = digits + sizeof(digits);
    const char *first = tv_decimal_before(end, value);
    put_bytes(json, first, (size_t)(end - first));
}

void tv_json_u64(struct tv_json *json, uint64_t value)
{
    begin_item(json);
    put_u64(json, value);
}

void tv_json_i64(struct tv_json *json, int64_t value)
{
    begin_item(json);
    if (value < 0)
        put_bytes(json, "-", 1);
    put_u64(json, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void tv_json_truth(struct tv_json *json, bool value)
{
    begin_item(json);
    put_text(json, value ? "true" : "false");
}

void tv_json_digits(struct tv_json *json, struct tv_str digits)
{
    begin_item(json);
    put_bytes(json, digits.at, digits.len);
}

void tv_json_null(struct tv_json *json)
{
    begin_item(json);
    put_text(json, "null");
}

void tv_json_hex(struct tv_json *json, uint64_t value)
{
    char text[24];
    begin_item(json);
    int len = snprintf(text, sizeof(text), "\"0x%llx\"", (unsigned long long)value);
    put_bytes(json, text, (size_t)len);
}

void tv_json_key_str(struct tv_json *json, const char *key, struct tv_str text)
{
    tv_json_key(json, key);
    tv_json_str(json, text);
}

void tv_json_key_text(struct tv_json *json, const char *key, const char *text)
{
    tv_json_key(json, key);
    tv_json_text(json, text);
}

void tv_json_key_u64(struct tv_json *json, const char *key, uint64_t value)
{
    tv_json_key(json, key);
    tv_json_u64(json, value);
}

void tv_json_key_i64(struct tv_json *json, const char *key, int64_t value)
{
    tv_json_key(json, key);
    tv_json_i64(json, value);
}

void tv_json_key_truth(struct tv_json *json, const char *key, bool value)
{
    tv_json_key(json, key);
    tv_json_truth(json, value);
}

enum tv_code tv_json_finish(struct tv_json *json, struct tv_error *err)
{
    tv_assert(json->depth == 0 || json->error.code != TV_OK);
    put_bytes(json, "\n", 1);
    flush(json);
    if (err)
        *err = json->error;
    return json->error.code;
}
