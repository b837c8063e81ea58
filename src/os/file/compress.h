/*
 * Packing what is written, as the name of its file asks: .gz by zlib, .zst by libzstd. The reverse
 * of os/file/inflate.h.
 */
#ifndef TV_OS_FILE_COMPRESS_H
#define TV_OS_FILE_COMPRESS_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/block_packer.h"
#include "base/sink.h"
#include "os/file/inflate.h"

/* The packing that a file of this name has: that of .gz and .zst. */
enum tv_packing tv_packing_of_name(const char *name);

/* What gzip is to save: bytes, where somebody asks for packing; time, where the format does, as it
 * is never seen unpacked. In half the time or less, a file is a sixth longer. SMALLEST is for what
 * is packed once and sent often, and is zstd's too: some seconds for ten megabytes. SMALLER is
 * zstd's alone: about the time that gzip takes for SMALL. */
enum tv_pack_effort { TV_PACK_SMALL, TV_PACK_QUICK, TV_PACK_SMALLER, TV_PACK_SMALLEST };

struct tv_compressor;

/* Begins to pack onto a sink; *pack is NULL for TV_PACKING_NONE, which needs none. */
enum tv_code tv_pack_new(struct tv_compressor **pack, const struct tv_alloc *alloc,
                         enum tv_packing packing, enum tv_pack_effort effort, struct tv_sink to,
                         struct tv_error *err) TV_MUST_CHECK;
/* Where to write what is to be packed. */
struct tv_sink tv_pack_sink(struct tv_compressor *pack);
/* Writes what is left and the end. */
enum tv_code tv_pack_finish(struct tv_compressor *pack, struct tv_error *err) TV_MUST_CHECK;
/* NULL is allowed. */
void tv_pack_free(struct tv_compressor *pack);

/* Packs blocks one by one, with libzstd. The struct must not move while its packer is used. */
struct tv_block_pack {
    struct ZSTD_CCtx_s *zstd; /* NULL before the first block */
};

void tv_block_pack_init(struct tv_block_pack *pack);
void tv_block_pack_release(struct tv_block_pack *pack);
struct tv_block_packer tv_block_pack_packer(struct tv_block_pack *pack);

#endif
