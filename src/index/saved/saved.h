/*
 * The saved index: a block (index/block.h) behind a head that tells what it was made of and has a
 * checksum of each section, so that it can be mapped and used as it is.
 *
 *     0     struct tv_saved_head, then zeros up to TV_SAVED_HEAD_LEN, which is a page
 *     4096  the block
 *
 * All numbers are in the machine's own order. A saved index is a cache and never trusted: opening
 * it checks version and lengths, every checksum, and then that the sections tell of a trace as a
 * builder would have (index/saved/saved_check.h), so that whoever forged it gets wrong answers at
 * worst. One that is refused is deleted and made anew.
 */
#ifndef TV_INDEX_SAVED_SAVED_H
#define TV_INDEX_SAVED_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/pool.h"
#include "index/block.h"
#include "index/index.h"

#define TV_SAVED_MAGIC 0x3144455641535654u
#define TV_SAVED_VERSION 1u
#define TV_SAVED_HEAD_LEN 4096u

/* What an index was made of, and what reading found out besides it. */
struct tv_saved_source {
    uint64_t identity[2]; /* of the files; what it is made of is its maker's affair */
    uint32_t is_cut;      /* the packed data ends early */
    uint32_t reserved;
};

struct tv_saved_head {
    uint64_t magic;
    uint32_t version;
    uint32_t section_count;
    uint64_t block_len;
    uint64_t head_sum; /* of all before the first section but these 8 bytes */
    struct tv_saved_source source;
    uint64_t elem_lens[TV_SECTION_COUNT]; /* so that a struct that grew unnoticed is another kind */
    uint64_t section_sums[TV_SECTION_COUNT];
};

/* Whether an index can be saved: it has a clock, and its times in nanoseconds fit 63 bits. Nearly
 * every one has. */
bool tv_saved_can_hold(const struct tv_index *index);
/* The head that goes before index->block: TV_SAVED_HEAD_LEN bytes. Reads the whole block. */
enum tv_code tv_saved_seal(const struct tv_index *index, const struct tv_saved_source *source,
                           const struct tv_alloc *alloc, const struct tv_pool *pool,
                           uint8_t head[TV_SAVED_HEAD_LEN], struct tv_error *err) TV_MUST_CHECK;
/* A file in memory, at a multiple of 8. */
struct tv_saved_bytes {
    const uint8_t *at;
    size_t len;
};

/*
 * Opens a saved index that lies in the caller's bytes. The index is a view of
 * them. `source` has the identity that is wanted, and gets the rest. TV_ERR_FORMAT: it is not
 * whole, not ours, or not of this source; TV_ERR_MEMORY says nothing about it.
 */
enum tv_code tv_saved_open(struct tv_index *index, struct tv_saved_bytes bytes,
                           struct tv_saved_source *source, const struct tv_alloc *alloc,
                           const struct tv_pool *pool, struct tv_error *err) TV_MUST_CHECK;

#endif
