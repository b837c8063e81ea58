/*
 * Unpacks gzip data (of several members, one after another, too) and zstd data (of several frames).
 * They are told apart by their first bytes, never by a name.
 *
 * How much a file may unpack to is bounded, so that a small hostile file cannot fill the memory:
 * TV_INFLATE_FREE_LEN and TV_INFLATE_RATIO times its own length, and never more than
 * TV_INFLATE_MOST. More is TV_ERR_LIMIT. Traces are packed to between a fourth and a thirtieth. The
 * window of zstd data, which is memory too, has the same bound. A user who trusts a file lifts the
 * ratio.
 */
#ifndef TV_OS_FILE_INFLATE_H
#define TV_OS_FILE_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"

#define TV_INFLATE_FREE_LEN ((uint64_t)64 << 20)
#define TV_INFLATE_RATIO 100u
#define TV_INFLATE_MOST ((uint64_t)64 << 30)

/* A stream of zlib is told by no file's first bytes: it stands inside others. */
enum tv_packing { TV_PACKING_NONE, TV_PACKING_GZIP, TV_PACKING_ZSTD, TV_PACKING_ZLIB };

enum tv_packing tv_packing_of(const uint8_t *bytes, size_t len);

/* Is told how many packed bytes are done; false cancels. */
typedef bool (*tv_inflate_progress)(void *ctx, uint64_t done, uint64_t of);

struct tv_inflate_opts {
    tv_inflate_progress progress; /* may be NULL */
    void *progress_ctx;
    uint64_t most_len;   /* 0: the bound above; tests set a smaller one */
    bool is_trusted;     /* only TV_INFLATE_MOST is the bound */
    const char *way_out; /* what to do beyond the bound; NULL: to give the option that lifts it */
};

/* Appends the unpacked bytes to `out`. When the packed bytes end early, `out` has what came before,
 * and *is_cut is set: that is no failure. Damaged bytes are TV_ERR_FORMAT, with their offset in the
 * packed bytes. */
enum tv_code tv_inflate(const uint8_t *bytes, size_t len, const struct tv_inflate_opts *opts,
                        struct tv_buffer *out, bool *is_cut, struct tv_error *err) TV_MUST_CHECK;
/* Unpacks bytes whose packing the caller knows; it need not show in the bytes. */
enum tv_code tv_inflate_as(enum tv_packing packing, const uint8_t *bytes, size_t len,
                           const struct tv_inflate_opts *opts, struct tv_buffer *out, bool *is_cut,
                           struct tv_error *err) TV_MUST_CHECK;
/* The most bytes that packed bytes of this length may unpack to. */
uint64_t tv_inflate_most(size_t len, const struct tv_inflate_opts *opts);

#endif
