/*
 * A streaming JSON writer onto a sink. Strings may hold any bytes: invalid UTF-8 becomes U+FFFD,
 * modified UTF-8 surrogate pairs become their character, and what tv_utf8_needs_escape names is
 * escaped. The first failure sticks and
 * tv_json_finish returns it, so callers write without checking each step. Commas are put by the
 * writer. At most 900 levels deep.
 */
#ifndef TV_BASE_TEXT_JSON_H
#define TV_BASE_TEXT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/sink.h"
#include "base/str.h"

struct tv_json {
    struct tv_sink sink;
    struct tv_error error;
    size_t len;     /* bytes waiting in room */
    unsigned depth; /* open objects and arrays */
    bool has_item;  /* the innermost of them has an item already */
    bool after_key;
    char room[1024];
};

void tv_json_init(struct tv_json *json, struct tv_sink sink);
void tv_json_open_object(struct tv_json *json);
void tv_json_close_object(struct tv_json *json);
void tv_json_open_array(struct tv_json *json);
void tv_json_close_array(struct tv_json *json);
void tv_json_key(struct tv_json *json, const char *key);
void tv_json_str(struct tv_json *json, struct tv_str text);
void tv_json_text(struct tv_json *json, const char *text);
void tv_json_u64(struct tv_json *json, uint64_t value);
void tv_json_i64(struct tv_json *json, int64_t value);
void tv_json_truth(struct tv_json *json, bool value);
/* A number as its digits stand in JSON. */
void tv_json_digits(struct tv_json *json, struct tv_str digits);
void tv_json_null(struct tv_json *json);
/* "0x..." as a string */
void tv_json_hex(struct tv_json *json, uint64_t value);
/* key and value in one */
void tv_json_key_str(struct tv_json *json, const char *key, struct tv_str text);
void tv_json_key_text(struct tv_json *json, const char *key, const char *text);
void tv_json_key_u64(struct tv_json *json, const char *key, uint64_t value);
void tv_json_key_i64(struct tv_json *json, const char *key, int64_t value);
void tv_json_key_truth(struct tv_json *json, const char *key, bool value);
/* Ends the document with a newline, flushes, and tells the first failure. */
enum tv_code tv_json_finish(struct tv_json *json, struct tv_error *err) TV_MUST_CHECK;

#endif
