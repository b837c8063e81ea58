/* Packs a block of bytes at once, as a zstd frame: for files of which each part is packed alone. */
#ifndef TV_BASE_MEMORY_BLOCK_PACKER_H
#define TV_BASE_MEMORY_BLOCK_PACKER_H

#include <stddef.h>

#include "base/error.h"
#include "base/memory/buffer.h"

struct tv_block_packer {
    /* Appends the packed bytes. */
    enum tv_code (*pack)(void *ctx, const void *bytes, size_t len, struct tv_buffer *out,
                         struct tv_error *err);
    void *ctx;
};

#endif
