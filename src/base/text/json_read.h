/*
 * Reading JSON (RFC 8259) token by token, of texts that nobody vouches for. Nothing is
 * allocated; a text that nests deeper than TV_JSON_LEVELS_MOST is refused.
 */
#ifndef TV_BASE_TEXT_JSON_READ_H
#define TV_BASE_TEXT_JSON_READ_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"

#define TV_JSON_LEVELS_MOST 64u

enum tv_json_token {
    TV_JSON_OBJECT,
    TV_JSON_OBJECT_END,
    TV_JSON_ARRAY,
    TV_JSON_ARRAY_END,
    TV_JSON_KEY,    /* raw: between the quotes, as it stands there */
    TV_JSON_STRING, /* the same */
    TV_JSON_NUMBER, /* raw: its digits */
    TV_JSON_WORD,   /* raw: true, false or null */
    TV_JSON_END     /* of the text */
};

struct tv_json_reader {
    struct tv_str text; /* borrowed */
    size_t pos;
    struct tv_str raw; /* of the last token */
    uint64_t objects;  /* bit i: level i is an object, else an array */
    unsigned levels;   /* that are open */
    unsigned state;    /* what may come next */
};

struct tv_json_reader tv_json_reader_of(struct tv_str text);
/* TV_ERR_FORMAT: the text is no JSON, from that offset on. */
enum tv_code tv_json_read(struct tv_json_reader *reader, enum tv_json_token *token,
                          struct tv_error *err) TV_MUST_CHECK;
/* Passes over the rest of what `token`, the last one, has begun: a value, or nothing. */
enum tv_code tv_json_read_past(struct tv_json_reader *reader, enum tv_json_token token,
                               struct tv_error *err) TV_MUST_CHECK;
/* Writes what a raw string says, which is never longer than it; `out` has raw.len bytes. Half of a
 * surrogate pair becomes U+FFFD. */
enum tv_code tv_json_unescape(struct tv_str raw, char *out, size_t *len,
                              struct tv_error *err) TV_MUST_CHECK;

#endif
