/*
 * Thrift's compact protocol; see export/tables/thrift.h.
 *
 * Numbers are LEB128, signed ones in zigzag. A field is told by its distance from the field before
 * it in the same struct, so last_field has an entry for each struct that is open. The first failure
 * is kept, and everything after it writes nothing, so callers check once at the end.
 */
#include "export/tables/thrift.h"

#include "base/bytes.h"

static void put(struct tv_thrift *thrift, const void *bytes, size_t len)
{
    if (thrift->error.code == TV_OK)
        thrift->error.code = tv_buffer_append(thrift->out, bytes, len, &thrift->error);
}

static void put_byte(struct tv_thrift *thrift, unsigned value)
{
    uint8_t byte = (uint8_t)value;
    put(thrift, &byte, 1);
}

static void put_varint(struct tv_thrift *thrift, uint64_t value)
{
    uint8_t bytes[TV_LEB_MOST];
    put(thrift, bytes, tv_store_uleb(bytes, value));
}

/* Small numbers of either sign become small ones without a sign. */
static void put_zigzag(struct tv_thrift *thrift, int64_t value)
{
    put_varint(thrift, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

/* A field names its distance from the one before it; Parquet has none above 15. */
static void put_field(struct tv_thrift *thrift, int field, enum tv_thrift_type type)
{
    int *last = &thrift->last_field[thrift->depth];
    tv_assert(field > *last && field - *last < 16);
    put_byte(thrift, (unsigned)(field - *last) << 4 | (unsigned)type);
    *last = field;
}

void tv_thrift_begin(struct tv_thrift *thrift, struct tv_buffer *out)
{
    *thrift = (struct tv_thrift){.out = out, .error = {.code = TV_OK, .offset = TV_NO_OFFSET}};
}

enum tv_code tv_thrift_end(struct tv_thrift *thrift, struct tv_error *err)
{
    tv_assert(thrift->depth == 0);
    put_byte(thrift, 0);
    if (thrift->error.code != TV_OK && err)
        *err = thrift->error;
    return thrift->error.code;
}

void tv_thrift_truth(struct tv_thrift *thrift, int field, bool value)
{
    put_field(thrift, field, value ? TV_THRIFT_TRUE : TV_THRIFT_FALSE);
}

void tv_thrift_byte(struct tv_thrift *thrift, int field, uint8_t value)
{
    put_field(thrift, field, TV_THRIFT_BYTE);
    put_byte(thrift, value);
}

void tv_thrift_i32(struct tv_thrift *thrift, int field, int32_t value)
{
    put_field(thrift, field, TV_THRIFT_I32);
    put_zigzag(thrift, value);
}

void tv_thrift_i64(struct tv_thrift *thrift, int field, int64_t value)
{
    put_field(thrift, field, TV_THRIFT_I64);
    put_zigzag(thrift, value);
}

void tv_thrift_binary(struct tv_thrift *thrift, int field, struct tv_str value)
{
    put_field(thrift, field, TV_THRIFT_BINARY);
    tv_thrift_binary_item(thrift, value);
}

void tv_thrift_open_struct(struct tv_thrift *thrift, int field)
{
    put_field(thrift, field, TV_THRIFT_STRUCT);
    tv_thrift_open_item(thrift);
}

void tv_thrift_close_struct(struct tv_thrift *thrift)
{
    tv_assert(thrift->depth > 0);
    put_byte(thrift, 0);
    thrift->depth--;
}

/* The count stands beside the type while it is below 15, else behind it. */
void tv_thrift_list(struct tv_thrift *thrift, int field, enum tv_thrift_type type, size_t count)
{
    put_field(thrift, field, TV_THRIFT_LIST);
    put_byte(thrift, (unsigned)(count < 15 ? count : 15) << 4 | (unsigned)type);
    if (count >= 15)
        put_varint(thrift, count);
}

void tv_thrift_open_item(struct tv_thrift *thrift)
{
    tv_assert(thrift->depth + 1 < TV_THRIFT_DEPTH_LIMIT);
    thrift->last_field[++thrift->depth] = 0;
}

void tv_thrift_i32_item(struct tv_thrift *thrift, int32_t value)
{
    put_zigzag(thrift, value);
}

void tv_thrift_binary_item(struct tv_thrift *thrift, struct tv_str value)
{
    put_varint(thrift, value.len);
    put(thrift, value.at, value.len);
}

void tv_thrift_items(struct tv_thrift *thrift, const struct tv_buffer *items)
{
    put(thrift, items->bytes, items->len);
}
