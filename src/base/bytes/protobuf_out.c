/*
 * Protobuf messages on their way to a sink; see base/bytes/protobuf_out.h.
 *
 * A message is written behind a gap for its length; when it ends, its length is known, and what
 * lies behind the gap is moved so that the length takes as few bytes as it can. When no message is
 * open, all bytes are whole and go to the sink.
 */
#include "base/bytes/protobuf_out.h"

#include <string.h>

#include "base/bytes.h"
#include "base/bytes/protobuf.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/text/utf8.h"

/* Bytes of a tag: 29 bits of a field number, and those of its type. */
#define TAG_MOST 5u

void tv_message_init(struct tv_message_out *message, struct tv_out *out,
                     const struct tv_alloc *alloc)
{
    *message = (struct tv_message_out){.alloc = alloc, .out = out};
}

void tv_message_release(struct tv_message_out *message)
{
    tv_alloc_release(message->alloc, &message->bytes, message->cap, 1);
    message->len = message->cap = 0;
}

/* Room for `most` bytes, to be filled in place; NULL after a failure. */
static uint8_t *room_for(struct tv_message_out *message, size_t most)
{
    struct tv_error *error = &message->out->error;
    if (TV_LIKELY(message->cap - message->len >= most))
        return message->bytes + message->len;
    if (error->code != TV_OK || tv_alloc_grow(message->alloc, &message->bytes, &message->cap,
                                              message->len + most, 1, error) != TV_OK)
        return NULL;
    return message->bytes + message->len;
}

/* Gives away what is whole. */
static void give(struct tv_message_out *message)
{
    if (message->depth)
        return;
    tv_out_bytes(message->out, message->bytes, message->len);
    message->len = 0;
}

static size_t store_tag(uint8_t *to, uint32_t field, enum tv_field_type type)
{
    return tv_store_uleb(to, (uint64_t)field << TV_FIELD_TYPE_BITS | type);
}

/* One byte is left for the length, which most messages need; tv_message_end moves the content where
 * it needs more. */
void tv_message_begin(struct tv_message_out *message, uint32_t field)
{
    uint8_t *at = room_for(message, TAG_MOST + 1);
    tv_assert(message->depth < TV_MESSAGE_DEPTH_MOST);
    if (at)
        message->len += store_tag(at, field, TV_FIELD_BYTES) + 1; /* the length of most messages */
    message->content[message->depth++] = message->len;
}

void tv_message_end(struct tv_message_out *message)
{
    uint8_t len[TV_LEB_MOST];
    size_t content = message->content[--message->depth];
    size_t content_len = message->len - content;
    size_t len_len = tv_store_uleb(len, content_len);
    if (message->out->error.code == TV_OK && room_for(message, len_len)) {
        uint8_t *at = message->bytes + content;
        if (len_len > 1)
            memmove(at - 1 + len_len, at, content_len);
        memcpy(at - 1, len, len_len);
        message->len += len_len - 1;
    }
    give(message);
}

void tv_message_number(struct tv_message_out *message, uint32_t field, uint64_t value)
{
    uint8_t *at = room_for(message, TAG_MOST + TV_LEB_MOST);
    if (!at)
        return;
    size_t len = store_tag(at, field, TV_FIELD_VARINT);
    message->len += len + tv_store_uleb(at + len, value);
    give(message);
}

void tv_message_packed(struct tv_message_out *message, uint64_t value)
{
    uint8_t *at = room_for(message, TV_LEB_MOST);
    if (at)
        message->len += tv_store_uleb(at, value);
}

void tv_message_bytes(struct tv_message_out *message, uint32_t field, const void *bytes, size_t len)
{
    uint8_t *at = room_for(message, TAG_MOST + TV_LEB_MOST + len);
    if (!at)
        return;
    size_t head_len = store_tag(at, field, TV_FIELD_BYTES);
    head_len += tv_store_uleb(at + head_len, len);
    memcpy(at + head_len, bytes, len);
    message->len += head_len + len;
    give(message);
}

/* Bytes that are no UTF-8 are replaced, since readers refuse a whole message for one of them.
 */
void tv_message_text(struct tv_message_out *message, uint32_t field, struct tv_str text)
{
    tv_message_begin(message, field);
    for (size_t next = 0; next < text.len;) {
        char bytes[4];
        uint32_t character = tv_utf8_next(text, &next);
        unsigned len = tv_utf8_put(bytes, character);
        uint8_t *at = room_for(message, len);
        if (!at)
            break;
        memcpy(at, bytes, len);
        message->len += len;
    }
    tv_message_end(message);
}
