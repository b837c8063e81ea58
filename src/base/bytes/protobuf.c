/*
 * Fields of protobuf messages; see base/bytes/protobuf.h.
 *
 * Tags and lengths are varints, read by the checked cursor. A field of bytes that the file cuts is
 * taken as far as it goes and marked; any other field is taken whole or not at all, and the cursor
 * then stays where it was. Groups are refused.
 */
#include "base/bytes/protobuf.h"

/* A length behind the end gives what there is, marked as cut: a file that was cut off is read as
 * far as it goes. */
static bool take_bytes(struct tv_cursor *cursor, struct tv_field *field)
{
    uint64_t len;
    if (!tv_cursor_take_uleb(cursor, &len))
        return false;
    size_t left = tv_cursor_left(cursor);
    field->is_bytes = true;
    field->is_cut = len > left;
    field->pos = cursor->pos;
    field->len = field->is_cut ? left : (size_t)len;
    cursor->pos += field->len;
    return true;
}

/* Groups (3 and 4) are refused: no format that is read here has them. */
static bool take_value(struct tv_cursor *cursor, struct tv_field *field, unsigned type)
{
    switch (type) {
    case TV_FIELD_VARINT:
        return tv_cursor_take_uleb(cursor, &field->value);
    case TV_FIELD_EIGHT_BYTES:
        return tv_cursor_skip(cursor, sizeof(uint64_t));
    case TV_FIELD_BYTES:
        return take_bytes(cursor, field);
    case TV_FIELD_FOUR_BYTES:
        return tv_cursor_skip(cursor, sizeof(uint32_t));
    default:
        return false;
    }
}

/* The cursor stays before a field that is not whole, so that the caller can say where the file
 * ends. */
bool tv_field_take(struct tv_cursor *cursor, struct tv_field *field)
{
    size_t off = cursor->pos;
    uint64_t tag;
    *field = (struct tv_field){.number = 0};
    if (tv_cursor_left(cursor) && tv_cursor_take_uleb(cursor, &tag) && tag >> TV_FIELD_TYPE_BITS) {
        field->number = tag >> TV_FIELD_TYPE_BITS;
        if (take_value(cursor, field, tag & ((1u << TV_FIELD_TYPE_BITS) - 1)))
            return true;
    }
    cursor->pos = off;
    return false;
}

struct tv_cursor tv_field_message(const struct tv_cursor *cursor, const struct tv_field *field)
{
    return (struct tv_cursor){
        .bytes = cursor->bytes, .len = field->pos + field->len, .pos = field->pos};
}

struct tv_str tv_field_text(const struct tv_cursor *cursor, const struct tv_field *field)
{
    return (struct tv_str){(const char *)cursor->bytes + field->pos, field->len};
}
