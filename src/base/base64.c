/* See base/base64.h. */
#include "base/base64.h"

#include "base/alloc.h"
#include "base/error.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Up to three bytes as four characters. */
static void encode(const uint8_t *bytes, size_t len, uint8_t *text)
{
    uint32_t bits = (uint32_t)bytes[0] << 16;
    if (len > 1)
        bits |= (uint32_t)bytes[1] << 8;
    if (len > 2)
        bits |= bytes[2];
    text[0] = (uint8_t)digits[bits >> 18];
    text[1] = (uint8_t)digits[bits >> 12 & 63];
    text[2] = len > 1 ? (uint8_t)digits[bits >> 6 & 63] : '=';
    text[3] = len > 2 ? (uint8_t)digits[bits & 63] : '=';
}

enum tv_code tv_base64_append(struct tv_buffer *text, struct tv_str bytes, struct tv_error *err)
{
    const uint8_t *in = (const uint8_t *)(const void *)bytes.at;
    size_t groups = bytes.len / 3 + (bytes.len % 3 != 0);
    size_t text_len;
    uint8_t *out;
    if (!tv_size_mul(groups, 4, &text_len))
        return tv_fail(err, TV_ERR_MEMORY, TV_NO_OFFSET, "out of memory");
    TV_TRY(tv_buffer_extend(text, text_len, &out, err));
    for (size_t i = 0; i < bytes.len; i += 3, out += 4)
        encode(in + i, bytes.len - i < 3 ? bytes.len - i : 3, out);
    return TV_OK;
}
