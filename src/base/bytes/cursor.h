/* Reading untrusted bytes whose layout varies: each step is checked. A step that does not fit
 * returns false and moves nothing. */
#ifndef TV_BASE_BYTES_CURSOR_H
#define TV_BASE_BYTES_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/str.h"

struct tv_cursor {
    const uint8_t *bytes; /* the whole file */
    size_t len;
    size_t pos; /* never above len */
};

TV_INLINE size_t tv_cursor_left(const struct tv_cursor *cursor)
{
    return cursor->len - cursor->pos;
}

bool tv_cursor_skip(struct tv_cursor *cursor, uint64_t len) TV_MUST_CHECK;
bool tv_cursor_take_u8(struct tv_cursor *cursor, uint8_t *value) TV_MUST_CHECK;
bool tv_cursor_take_u16(struct tv_cursor *cursor, uint16_t *value) TV_MUST_CHECK;
bool tv_cursor_take_u32(struct tv_cursor *cursor, uint32_t *value) TV_MUST_CHECK;
bool tv_cursor_take_u64(struct tv_cursor *cursor, uint64_t *value) TV_MUST_CHECK;
/* A view of the next len bytes. */
bool tv_cursor_take_str(struct tv_cursor *cursor, uint64_t len, struct tv_str *view) TV_MUST_CHECK;
/* The line up to "\n" or the end, without "\n" or "\r\n"; false only at the end of the bytes. */
bool tv_cursor_take_line(struct tv_cursor *cursor, struct tv_str *line) TV_MUST_CHECK;
/* LEB128 of at most 10 bytes, modulo 2^64. */
bool tv_cursor_take_uleb(struct tv_cursor *cursor, uint64_t *value) TV_MUST_CHECK;
bool tv_cursor_take_sleb(struct tv_cursor *cursor, int64_t *value) TV_MUST_CHECK;

#endif
