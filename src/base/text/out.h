/* Bytes and numbers on their way to a sink, gathered in pieces. The first failure sticks, and
 * tv_out_finish returns it, so that writers need not look at each step. */
#ifndef TV_BASE_TEXT_OUT_H
#define TV_BASE_TEXT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/sink.h"
#include "base/str.h"

struct tv_out {
    struct tv_sink sink; /* without a write function bytes are only counted */
    struct tv_error error;
    uint64_t total; /* bytes put so far */
    size_t len;     /* bytes that wait in `room` */
    uint8_t room[16384];
};

void tv_out_init(struct tv_out *out, struct tv_sink sink);
/* Bytes that do not fit into the room: for tv_out_bytes alone. */
void tv_out_flush_bytes(struct tv_out *out, const void *bytes, size_t len);

/* Most pieces are a few bytes long, so a call for each would cost more than copying it. */
TV_INLINE void tv_out_bytes(struct tv_out *out, const void *bytes, size_t len)
{
    if (TV_UNLIKELY(len > sizeof(out->room) || out->len > sizeof(out->room) - len)) {
        tv_out_flush_bytes(out, bytes, len);
        return;
    }
    if (len)
        memcpy(out->room + out->len, bytes, len);
    out->len += len;
    out->total += len;
}

TV_INLINE void tv_out_text(struct tv_out *out, struct tv_str text)
{
    tv_out_bytes(out, text.at, text.len);
}

/* Gives room for `most` bytes, at most 64, to be filled in place; tv_out_filled says
 * how many were. */
uint8_t *tv_out_reserve(struct tv_out *out, size_t most);
void tv_out_filled(struct tv_out *out, size_t len);
/* A name as every reader takes it: valid UTF-8, with spaces for the line ends and tabs that would
 * end a line or a column of the file. Returns whether that changed it. */
bool tv_out_name(struct tv_out *out, struct tv_str name);
void tv_out_decimal(struct tv_out *out, uint64_t value);
/* A number as "%*lld" prints it: right-justified in a width of at most 31, or wider where it has
 * more digits. It exists because in output of many lines a format would cost more than everything
 * else. */
void tv_out_padded(struct tv_out *out, size_t width, int64_t value);
/* A number as "%*.*f" prints it, equal to the last digit; `decimals` is 1 or 2, and `width` at most
 * 31. */
void tv_out_real(struct tv_out *out, size_t width, unsigned decimals, double value);
/* 1,234,567 */
void tv_out_count(struct tv_out *out, uint64_t count);
/* value / 10^places, with no zeros at the end of the fraction: 1500 with 3 places is "1.5".
 * `places` is at most 9. */
void tv_out_fraction(struct tv_out *out, uint64_t value, unsigned places);
/* "0x1f", and "0" for 0, as ART prints ids. */
void tv_out_id(struct tv_out *out, uint64_t value);
/* A short piece, of at most 511 bytes: numbers in columns and the like. */
void tv_out_add(struct tv_out *out, const char *format, ...) TV_PRINTF(2, 3);
/* A name for people: its first `most` bytes, and how many more there are. What tv_utf8_needs_escape
 * names, line ends and tabs are escaped, invalid bytes are U+FFFD. */
void tv_out_shown(struct tv_out *out, struct tv_str name, size_t most);
/* A sink that writes here, so that other writers take part. It reports the first failure, too. */
struct tv_sink tv_out_sink(struct tv_out *out);
enum tv_code tv_out_finish(struct tv_out *out, struct tv_error *err) TV_MUST_CHECK;

#endif
