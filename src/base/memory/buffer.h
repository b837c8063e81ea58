/* A growing array of bytes, and the sink that appends to it. Owned by whoever called init. */
#ifndef TV_BASE_MEMORY_BUFFER_H
#define TV_BASE_MEMORY_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/sink.h"
#include "base/str.h"

struct tv_buffer {
    const struct tv_alloc *alloc;
    uint8_t *bytes;
    size_t len;
    size_t cap;
};

void tv_buffer_init(struct tv_buffer *buffer, const struct tv_alloc *alloc);
void tv_buffer_release(struct tv_buffer *buffer);
enum tv_code tv_buffer_append(struct tv_buffer *buffer, const void *bytes, size_t len,
                              struct tv_error *err) TV_MUST_CHECK;
/* Appends len bytes whose content is not set yet; *at points at them until the next append. */
enum tv_code tv_buffer_extend(struct tv_buffer *buffer, size_t len, uint8_t **at,
                              struct tv_error *err) TV_MUST_CHECK;
struct tv_str tv_buffer_view(const struct tv_buffer *buffer);
/* A sink that appends to `buffer`, which must outlive it. */
struct tv_sink tv_buffer_sink(struct tv_buffer *buffer);

#endif
