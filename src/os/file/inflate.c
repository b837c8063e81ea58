/*
 * Unpacking; see os/file/inflate.h.
 *
 * zlib and libzstd write straight into the growing buffer, one step at a time; between steps come
 * progress, the bound and cancelling. A zstd frame that tells its length gets all its room at once,
 * which saves growing.
 */
#include "os/file/inflate.h"

#define ZLIB_CONST /* what zlib only reads is const */
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/error.h"
#include "base/memory/text_damage.h"

#define STEP_LEN ((size_t)4 << 20)
/* Packed bytes given to libzstd at a time: small, since an error is reported at the start
 * of the step. */
#define PACKED_STEP ((size_t)128 * 1024)
/* Windows of zstd data, as powers of two: what libzstd takes unless told otherwise, and the largest
 * that zstd --long makes. */
#define USUAL_WINDOW 27
#define LARGEST_WINDOW 31
/* zlib's inflateInit2: window bits 15, plus 16 for "gzip only". */
#define GZIP_WINDOW (15 + 16)
#define ZLIB_WINDOW 15

/* The state of one unpacking. */
struct unpacking {
    const uint8_t *bytes;
    size_t len;
    size_t pos; /* packed bytes that are unpacked */
    uint64_t most_len;
    const struct tv_inflate_opts *opts;
    struct tv_buffer *out;
    size_t first; /* offset in `out` of the first byte unpacked */
    bool *is_cut;
    struct tv_error *err;
};

enum tv_packing tv_packing_of(const uint8_t *bytes, size_t len)
{
    static const uint8_t gzip[] = {0x1f, 0x8b, 8};
    static const uint8_t zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    if (len >= sizeof(gzip) && memcmp(bytes, gzip, sizeof(gzip)) == 0)
        return TV_PACKING_GZIP;
    if (len >= sizeof(zstd) && memcmp(bytes, zstd, sizeof(zstd)) == 0)
        return TV_PACKING_ZSTD;
    return TV_PACKING_NONE;
}

uint64_t tv_inflate_most(size_t len, const struct tv_inflate_opts *opts)
{
    if (opts && opts->most_len)
        return opts->most_len;
    if ((opts && opts->is_trusted) ||
        len > (TV_INFLATE_MOST - TV_INFLATE_FREE_LEN) / TV_INFLATE_RATIO)
        return TV_INFLATE_MOST;
    return TV_INFLATE_FREE_LEN + (uint64_t)len * TV_INFLATE_RATIO;
}

static const char *way_out(const struct unpacking *run)
{
    return run->opts && run->opts->way_out ? run->opts->way_out
                                           : "give --unpack-all if you trust it";
}

static enum tv_code check_bound(const struct unpacking *run)
{
    if (run->out->len - run->first <= run->most_len)
        return TV_OK;
    return tv_fail(run->err, TV_ERR_LIMIT, run->pos,
                   "unpacks to more than %llu MiB, which few files of this size do: %s",
                   (unsigned long long)(run->most_len >> 20), way_out(run));
}

/* Gets room for the next step, up to one byte beyond the bound: that byte tells passing the bound
 * from reaching it. */
static enum tv_code take_room(struct unpacking *run, size_t wanted, uint8_t **at, size_t *room)
{
    uint64_t used = run->out->len - run->first;
    if (run->opts && run->opts->progress &&
        !run->opts->progress(run->opts->progress_ctx, run->pos, run->len))
        return tv_fail(run->err, TV_ERR_CANCELLED, TV_NO_OFFSET, "cancelled");
    TV_TRY(check_bound(run));
    uint64_t left = run->most_len - used + 1;
    *room = left < wanted ? (size_t)left : wanted;
    return tv_buffer_extend(run->out, *room, at, run->err);
}

static enum tv_code damaged(const struct unpacking *run, const char *kind, const char *what)
{
    TV_TRY(tv_text_damage_refuse(tv_text_damage_judge(run->bytes, run->len), run->pos, run->err));
    return tv_fail(run->err, TV_ERR_FORMAT, run->pos, "damaged %s data, %s: fetch the file again",
                   kind, what);
}

/* Inflates until the member ends (is_end) or the packed bytes do. */
static enum tv_code inflate_member(struct unpacking *run, z_stream *stream, const char *kind,
                                   bool *is_end)
{
    *is_end = false;
    for (;;) {
        uint8_t *at = NULL;
        size_t room = 0;
        TV_TRY(take_room(run, STEP_LEN, &at, &room));
        size_t left = run->len - run->pos;
        uInt piece = (uInt)(left < STEP_LEN ? left : STEP_LEN);
        stream->next_in = run->bytes + run->pos;
        stream->avail_in = piece;
        stream->next_out = at;
        stream->avail_out = (uInt)room;
        int result = inflate(stream, Z_NO_FLUSH);
        run->pos += piece - stream->avail_in;
        run->out->len -= stream->avail_out;
        *is_end = result == Z_STREAM_END;
        if (*is_end || (result == Z_BUF_ERROR && run->pos == run->len))
            return TV_OK;
        if (result == Z_MEM_ERROR)
            return tv_fail_memory(run->err, STEP_LEN);
        if (result != Z_OK && result != Z_BUF_ERROR)
            return damaged(run, kind, stream->msg ? stream->msg : "not such a stream");
    }
}

/* A file may be several members one after another, as gzip allows. The last member may be cut,
 * which is not an error here: the trace ends early, and is_cut says so. */
static enum tv_code unpack_gzip(struct unpacking *run)
{
    z_stream stream = {.zalloc = Z_NULL};
    if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
        return tv_fail_memory(run->err, STEP_LEN);
    enum tv_code code = TV_OK;
    bool is_end = true;
    /* Bytes after a member that are no member are padding, which gzip ignores too. */
    while (code == TV_OK && is_end && run->pos < run->len) {
        if (run->pos &&
            tv_packing_of(run->bytes + run->pos, run->len - run->pos) != TV_PACKING_GZIP)
            break;
        (void)inflateReset(&stream);
        code = inflate_member(run, &stream, "gzip", &is_end);
    }
    *run->is_cut = !is_end;
    (void)inflateEnd(&stream);
    return code;
}

/* One stream, which nothing follows. */
static enum tv_code unpack_zlib(struct unpacking *run)
{
    z_stream stream = {.zalloc = Z_NULL};
    bool is_end;
    if (inflateInit2(&stream, ZLIB_WINDOW) != Z_OK)
        return tv_fail_memory(run->err, STEP_LEN);
    enum tv_code code = inflate_member(run, &stream, "zlib", &is_end);
    *run->is_cut = !is_end;
    (void)inflateEnd(&stream);
    return code;
}

/* The room for the frame that begins at pos: its length where the frame tells it. */
static size_t frame_room(const struct unpacking *run)
{
    unsigned long long len = ZSTD_getFrameContentSize(run->bytes + run->pos, run->len - run->pos);
    if (len == ZSTD_CONTENTSIZE_UNKNOWN || len == ZSTD_CONTENTSIZE_ERROR || len < STEP_LEN)
        return STEP_LEN;
    /* A length that is a lie costs address space, not memory: pages that are never touched
     * do not exist. */
    return len > run->most_len ? STEP_LEN : (size_t)len;
}

/* By default libzstd takes windows up to 128 MiB. A larger window, of zstd --long, is allowed only
 * up to the size that the file may unpack to. */
static void allow_window(ZSTD_DCtx *stream, uint64_t most_len)
{
    int most = USUAL_WINDOW;
    while (most < LARGEST_WINDOW && most_len >> (most + 1))
        most++;
    (void)ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, most);
}

static enum tv_code fail_zstd(const struct unpacking *run, size_t result)
{
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        return tv_fail_memory(run->err, run->most_len);
    if (ZSTD_getErrorCode(result) != ZSTD_error_frameParameter_windowTooLarge)
        return damaged(run, "zstd", ZSTD_getErrorName(result));
    return tv_fail(
        run->err, TV_ERR_LIMIT, run->pos,
        "needs more memory to unpack than a file of this size may take (zstd --long): %s",
        way_out(run));
}

/* Frames follow one another. When all packed bytes are taken and the frame is not complete, the
 * file was cut. */
static enum tv_code unpack_frames(struct unpacking *run, ZSTD_DCtx *stream)
{
    bool is_between = true; /* between two frames */
    while (run->pos < run->len || !is_between) {
        uint8_t *at = NULL;
        size_t room = 0;
        TV_TRY(take_room(run, is_between ? frame_room(run) : STEP_LEN, &at, &room));
        size_t packed = run->len - run->pos < PACKED_STEP ? run->len - run->pos : PACKED_STEP;
        ZSTD_inBuffer in = {run->bytes + run->pos, packed, 0};
        ZSTD_outBuffer out = {at, room, 0};
        size_t left = ZSTD_decompressStream(stream, &out, &in);
        run->out->len -= room - out.pos;
        run->pos += in.pos;
        if (ZSTD_isError(left))
            return fail_zstd(run, left);
        is_between = left == 0;
        /* No packed bytes are left, and libzstd has written all that it had. */
        if (!is_between && run->pos == run->len && out.pos < room) {
            *run->is_cut = true;
            return TV_OK;
        }
    }
    return TV_OK;
}

static enum tv_code unpack_zstd(struct unpacking *run)
{
    ZSTD_DCtx *stream = ZSTD_createDCtx();
    if (!stream)
        return tv_fail_memory(run->err, STEP_LEN);
    allow_window(stream, run->most_len);
    enum tv_code code = unpack_frames(run, stream);
    (void)ZSTD_freeDCtx(stream);
    return code;
}

enum tv_code tv_inflate(const uint8_t *bytes, size_t len, const struct tv_inflate_opts *opts,
                        struct tv_buffer *out, bool *is_cut, struct tv_error *err)
{
    return tv_inflate_as(tv_packing_of(bytes, len), bytes, len, opts, out, is_cut, err);
}

/* What came before the cut stays in `out`: a trace that was cut off is read as far as it goes. */
enum tv_code tv_inflate_as(enum tv_packing packing, const uint8_t *bytes, size_t len,
                           const struct tv_inflate_opts *opts, struct tv_buffer *out, bool *is_cut,
                           struct tv_error *err)
{
    struct unpacking run = {.bytes = bytes,
                            .len = len,
                            .most_len = tv_inflate_most(len, opts),
                            .opts = opts,
                            .out = out,
                            .first = out->len,
                            .is_cut = is_cut,
                            .err = err};
    *is_cut = false;
    switch (packing) {
    case TV_PACKING_GZIP:
        TV_TRY(unpack_gzip(&run));
        return check_bound(&run);
    case TV_PACKING_ZSTD:
        TV_TRY(unpack_zstd(&run));
        return check_bound(&run);
    case TV_PACKING_ZLIB:
        TV_TRY(unpack_zlib(&run));
        return check_bound(&run);
    case TV_PACKING_NONE:
        break;
    }
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "neither gzip nor zstd");
}
