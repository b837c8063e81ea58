/*
 * Protobuf messages on their way to a sink: the reverse of base/bytes/protobuf.h. Nothing is known
 * of what the fields mean.
 *
 *     tv_message_begin(&out, FIELD_OF_THE_OUTER_MESSAGE);
 *     tv_message_number(&out, FIELD, 7);
 *     tv_message_end(&out);
 *
 * A message stands behind its length, so the outermost message that is open is kept in memory until
 * it ends; a file that is one endless message is a row of fields that no tv_message_begin holds.
 * Lengths take as few bytes as they can: the bytes are those of every other writer that puts the
 * same fields in the same order. The first failure sticks in the tv_out.
 */
#ifndef TV_BASE_BYTES_PROTOBUF_OUT_H
#define TV_BASE_BYTES_PROTOBUF_OUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/text/out.h"

#define TV_MESSAGE_DEPTH_MOST 8u

struct tv_message_out {
    const struct tv_alloc *alloc;
    struct tv_out *out;
    uint8_t *bytes; /* of the outermost open message, its tag included */
    size_t len;
    size_t cap;
    size_t content[TV_MESSAGE_DEPTH_MOST]; /* where the content of each open message begins */
    unsigned depth;                        /* open messages */
};

void tv_message_init(struct tv_message_out *message, struct tv_out *out,
                     const struct tv_alloc *alloc);
void tv_message_release(struct tv_message_out *message);
void tv_message_begin(struct tv_message_out *message, uint32_t field);
void tv_message_end(struct tv_message_out *message);
/* A field of any type that is a varint; a negative number is its two's complement of 64 bits. */
void tv_message_number(struct tv_message_out *message, uint32_t field, uint64_t value);
/* A number alone: an entry of a packed field, which is begun and ended as a message is. */
void tv_message_packed(struct tv_message_out *message, uint64_t value);
/* A field of bytes: a packed field that is encoded already. */
void tv_message_bytes(struct tv_message_out *message, uint32_t field, const void *bytes,
                      size_t len);
/* A field of text, which protobuf wants as valid UTF-8: each invalid byte becomes U+FFFD. */
void tv_message_text(struct tv_message_out *message, uint32_t field, struct tv_str text);

#endif
