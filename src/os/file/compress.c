/*
 * Packing what is written; see os/file/compress.h.
 *
 * A compressor is a sink before another sink: bytes go in at any length, and packed bytes go out in
 * pieces of at most ROOM. gzip is made by zlib and zstd by libzstd. Block packers pack one block at
 * a time into memory, for tables whose parts are packed alone.
 */
#include "os/file/compress.h"

#define ZLIB_CONST /* what zlib only reads is const */
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/str.h"

#define ROOM 65536u
/* zlib's deflateInit2: window bits 15, plus 16 for a gzip header; 8 is its usual memory level. */
#define GZIP_WINDOW (15 + 16)
#define GZIP_MEMORY 8
/* What zlib takes at a time counts in an unsigned int. */
/* A block is packed for speed: with level 3 an export of a large trace takes a seventh longer and
 * is 2 % shorter. */
#define BLOCK_LEVEL 1
#define PART_MOST ((size_t)1 << 30)

struct tv_compressor {
    const struct tv_alloc *alloc;
    enum tv_packing packing;
    struct tv_sink to;
    z_stream gzip;
    ZSTD_CCtx *zstd;
    uint8_t room[ROOM];
};

/* A name that is only the suffix, such as ".gz", is a hidden file and says nothing of packing. */
static bool has_suffix(struct tv_str name, struct tv_str suffix)
{
    return name.len > suffix.len && tv_str_ends_with(name, suffix);
}

enum tv_packing tv_packing_of_name(const char *name)
{
    struct tv_str text = tv_str_from(name);
    if (has_suffix(text, TV_STR(".gz")))
        return TV_PACKING_GZIP;
    return has_suffix(text, TV_STR(".zst")) ? TV_PACKING_ZSTD : TV_PACKING_NONE;
}

/* Higher levels of zstd want windows that readers in browsers refuse. Those from 13 to 15 take
 * twice to seven times as long as 12, for a few percent. */
#define ZSTD_SMALLEST_LEVEL 19
#define ZSTD_SMALLER_LEVEL 12

static int zstd_level(enum tv_pack_effort effort)
{
    return effort == TV_PACK_SMALLEST  ? ZSTD_SMALLEST_LEVEL
           : effort == TV_PACK_SMALLER ? ZSTD_SMALLER_LEVEL
                                       : ZSTD_CLEVEL_DEFAULT;
}

static bool begin(struct tv_compressor *pack, enum tv_pack_effort effort)
{
    if (pack->packing == TV_PACKING_ZSTD) {
        pack->zstd = ZSTD_createCCtx();
        return pack->zstd &&
               !ZSTD_isError(ZSTD_CCtx_setParameter(pack->zstd, ZSTD_c_checksumFlag, 1)) &&
               !ZSTD_isError(
                   ZSTD_CCtx_setParameter(pack->zstd, ZSTD_c_compressionLevel, zstd_level(effort)));
    }
    int level = effort == TV_PACK_QUICK      ? Z_BEST_SPEED
                : effort == TV_PACK_SMALLEST ? Z_BEST_COMPRESSION
                                             : Z_DEFAULT_COMPRESSION;
    return deflateInit2(&pack->gzip, level, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                        Z_DEFAULT_STRATEGY) == Z_OK;
}

enum tv_code tv_pack_new(struct tv_compressor **pack, const struct tv_alloc *alloc,
                         enum tv_packing packing, enum tv_pack_effort effort, struct tv_sink to,
                         struct tv_error *err)
{
    struct tv_compressor *made;
    *pack = NULL;
    if (packing == TV_PACKING_NONE)
        return TV_OK;
    TV_TRY(tv_alloc_new(alloc, &made, 1, sizeof(*made), err));
    made->alloc = alloc;
    made->packing = packing;
    made->to = to;
    if (!begin(made, effort)) {
        tv_pack_free(made);
        return tv_fail(err, TV_ERR_MEMORY, TV_NO_OFFSET, "not enough memory to pack");
    }
    *pack = made;
    return TV_OK;
}

static enum tv_code put(struct tv_compressor *pack, size_t len, struct tv_error *err)
{
    return len ? pack->to.write(pack->to.ctx, pack->room, len, err) : TV_OK;
}

/* Packs up to PART_MOST bytes; with Z_FINISH the end of the stream, too. */
static enum tv_code pack_gzip(struct tv_compressor *pack, const uint8_t *bytes, size_t len,
                              int flush, struct tv_error *err)
{
    z_stream *gzip = &pack->gzip;
    gzip->next_in = bytes;
    gzip->avail_in = (uInt)len;
    do {
        gzip->next_out = pack->room;
        gzip->avail_out = ROOM;
        (void)deflate(gzip, flush);
        TV_TRY(put(pack, ROOM - gzip->avail_out, err));
    } while (!gzip->avail_out);
    return TV_OK;
}

static enum tv_code pack_zstd(struct tv_compressor *pack, const uint8_t *bytes, size_t len,
                              ZSTD_EndDirective end, struct tv_error *err)
{
    ZSTD_inBuffer in = {.src = bytes, .size = len};
    size_t left;
    do {
        ZSTD_outBuffer out = {.dst = pack->room, .size = ROOM};
        left = ZSTD_compressStream2(pack->zstd, &out, &in, end);
        if (ZSTD_isError(left))
            return tv_fail(err, TV_ERR_MEMORY, TV_NO_OFFSET, "cannot be packed: %s",
                           ZSTD_getErrorName(left));
        TV_TRY(put(pack, out.pos, err));
    } while (in.pos < in.size || (end == ZSTD_e_end && left));
    return TV_OK;
}

/* In parts, since the lengths of zlib are 32 bits wide. */
static enum tv_code write_packed(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    struct tv_compressor *pack = ctx;
    const uint8_t *at = bytes;
    while (len) {
        size_t part = len < PART_MOST ? len : PART_MOST;
        if (pack->packing == TV_PACKING_GZIP)
            TV_TRY(pack_gzip(pack, at, part, Z_NO_FLUSH, err));
        else
            TV_TRY(pack_zstd(pack, at, part, ZSTD_e_continue, err));
        at += part;
        len -= part;
    }
    return TV_OK;
}

struct tv_sink tv_pack_sink(struct tv_compressor *pack)
{
    return (struct tv_sink){.write = write_packed, .ctx = pack};
}

enum tv_code tv_pack_finish(struct tv_compressor *pack, struct tv_error *err)
{
    static const uint8_t none[1] = {0};
    if (pack->packing == TV_PACKING_GZIP)
        return pack_gzip(pack, none, 0, Z_FINISH, err);
    return pack_zstd(pack, none, 0, ZSTD_e_end, err);
}

void tv_pack_free(struct tv_compressor *pack)
{
    if (!pack)
        return;
    if (pack->packing == TV_PACKING_GZIP)
        (void)deflateEnd(&pack->gzip);
    (void)ZSTD_freeCCtx(pack->zstd);
    tv_alloc_release(pack->alloc, &pack, 1, sizeof(*pack));
}

void tv_block_pack_init(struct tv_block_pack *pack)
{
    pack->zstd = NULL;
}

void tv_block_pack_release(struct tv_block_pack *pack)
{
    (void)ZSTD_freeCCtx(pack->zstd);
    pack->zstd = NULL;
}

static enum tv_code pack_block(void *ctx, const void *bytes, size_t len, struct tv_buffer *out,
                               struct tv_error *err)
{
    struct tv_block_pack *pack = ctx;
    uint8_t *at;
    size_t bound = ZSTD_compressBound(len);
    size_t before = out->len;
    if (!pack->zstd)
        pack->zstd = ZSTD_createCCtx();
    if (!pack->zstd)
        return tv_fail(err, TV_ERR_MEMORY, TV_NO_OFFSET, "not enough memory to pack");
    TV_TRY(tv_buffer_extend(out, bound, &at, err));
    size_t packed = ZSTD_compressCCtx(pack->zstd, at, bound, bytes, len, BLOCK_LEVEL);
    if (ZSTD_isError(packed))
        return tv_fail(err, TV_ERR_MEMORY, TV_NO_OFFSET, "cannot be packed: %s",
                       ZSTD_getErrorName(packed));
    out->len = before + packed;
    return TV_OK;
}

struct tv_block_packer tv_block_pack_packer(struct tv_block_pack *pack)
{
    return (struct tv_block_packer){.pack = pack_block, .ctx = pack};
}
