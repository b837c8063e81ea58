/*
 * A growing run of bytes, and the sink that appends to it; see base/memory/buffer.h. Growth doubles
 * (tv_alloc_grow), so appending n bytes one by one costs about n copies.
 */
#include "base/memory/buffer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

void tv_buffer_init(struct tv_buffer *buffer, const struct tv_alloc *alloc)
{
    *buffer = (struct tv_buffer){.alloc = alloc, .bytes = NULL, .len = 0, .cap = 0};
}

void tv_buffer_release(struct tv_buffer *buffer)
{
    tv_alloc_release(buffer->alloc, &buffer->bytes, buffer->cap, 1);
    tv_buffer_init(buffer, buffer->alloc);
}

enum tv_code tv_buffer_extend(struct tv_buffer *buffer, size_t len, uint8_t **at,
                              struct tv_error *err)
{
    size_t need;
    if (!tv_size_add(buffer->len, len, &need))
        return tv_fail_memory(err, UINT64_MAX);
    TV_TRY(tv_alloc_grow(buffer->alloc, &buffer->bytes, &buffer->cap, need, 1, err));
    /* Nothing added to nothing has no address to count from. */
    *at = buffer->len ? buffer->bytes + buffer->len : buffer->bytes;
    buffer->len = need;
    return TV_OK;
}

enum tv_code tv_buffer_append(struct tv_buffer *buffer, const void *bytes, size_t len,
                              struct tv_error *err)
{
    uint8_t *at;
    if (!len)
        return TV_OK;
    TV_TRY(tv_buffer_extend(buffer, len, &at, err));
    memcpy(at, bytes, len);
    return TV_OK;
}

struct tv_str tv_buffer_view(const struct tv_buffer *buffer)
{
    return (struct tv_str){.at = (const char *)buffer->bytes, .len = buffer->len};
}

static enum tv_code append_to_buffer(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    return tv_buffer_append(ctx, bytes, len, err);
}

struct tv_sink tv_buffer_sink(struct tv_buffer *buffer)
{
    return (struct tv_sink){.write = append_to_buffer, .ctx = buffer};
}
