/*
 * Thrift's compact protocol, as far as Parquet needs it (Thrift's own documents describe it).
 * Fields of a struct are written in ascending order. The first failure sticks and tv_thrift_end
 * tells it.
 */
#ifndef TV_EXPORT_TABLES_THRIFT_H
#define TV_EXPORT_TABLES_THRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"

#define TV_THRIFT_DEPTH_LIMIT 8u

enum tv_thrift_type {
    TV_THRIFT_TRUE = 1,
    TV_THRIFT_FALSE = 2,
    TV_THRIFT_BYTE = 3,
    TV_THRIFT_I32 = 5,
    TV_THRIFT_I64 = 6,
    TV_THRIFT_BINARY = 8,
    TV_THRIFT_LIST = 9,
    TV_THRIFT_STRUCT = 12,
};

struct tv_thrift {
    struct tv_buffer *out;
    struct tv_error error;
    unsigned depth;
    int last_field[TV_THRIFT_DEPTH_LIMIT]; /* of each open struct */
};

/* Begins a struct that is nobody's field. */
void tv_thrift_begin(struct tv_thrift *thrift, struct tv_buffer *out);
/* Ends the struct of tv_thrift_begin. Returns the first failure of any call in between. */
enum tv_code tv_thrift_end(struct tv_thrift *thrift, struct tv_error *err) TV_MUST_CHECK;

void tv_thrift_truth(struct tv_thrift *thrift, int field, bool value);
void tv_thrift_byte(struct tv_thrift *thrift, int field, uint8_t value);
void tv_thrift_i32(struct tv_thrift *thrift, int field, int32_t value);
void tv_thrift_i64(struct tv_thrift *thrift, int field, int64_t value);
void tv_thrift_binary(struct tv_thrift *thrift, int field, struct tv_str value);
void tv_thrift_open_struct(struct tv_thrift *thrift, int field);
void tv_thrift_close_struct(struct tv_thrift *thrift);
/* `count` items follow: structs between open_item and close_struct, or those below. */
void tv_thrift_list(struct tv_thrift *thrift, int field, enum tv_thrift_type type, size_t count);
void tv_thrift_open_item(struct tv_thrift *thrift);
void tv_thrift_i32_item(struct tv_thrift *thrift, int32_t value);
void tv_thrift_binary_item(struct tv_thrift *thrift, struct tv_str value);
/* Items that were written before, as they are. */
void tv_thrift_items(struct tv_thrift *thrift, const struct tv_buffer *items);

#endif
