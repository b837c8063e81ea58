/* Fields of a protobuf message, one at a time: a number and its value. Nothing is known of what the
 * fields mean. https://protobuf.dev/programming-guides/encoding */
#ifndef TV_BASE_BYTES_PROTOBUF_H
#define TV_BASE_BYTES_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes/cursor.h"
#include "base/compiler.h"
#include "base/str.h"

/* The low bits of a tag say what the value is; the others are the number of the field. Groups, of
 * two more types, are in no new file. */
#define TV_FIELD_TYPE_BITS 3u

enum tv_field_type {
    TV_FIELD_VARINT = 0,
    TV_FIELD_EIGHT_BYTES = 1,
    TV_FIELD_BYTES = 2,
    TV_FIELD_FOUR_BYTES = 5
};

struct tv_field {
    uint64_t number;
    bool is_bytes; /* text, bytes or a message; else a number */
    uint64_t value;
    size_t pos;  /* bytes: where they begin */
    size_t len;  /* bytes: as far as the message goes */
    bool is_cut; /* bytes: the message ends before them */
};

/* Takes the field at the cursor, whose len is the end of the message; false at the end, and where
 * no field begins, which moves nothing. */
bool tv_field_take(struct tv_cursor *cursor, struct tv_field *field) TV_MUST_CHECK;
/* The message in a field of bytes, or its text. */
struct tv_cursor tv_field_message(const struct tv_cursor *cursor, const struct tv_field *field);
struct tv_str tv_field_text(const struct tv_cursor *cursor, const struct tv_field *field);

#endif
