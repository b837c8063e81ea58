/*
 * The saved index: a block (index/block.h) behind a head that tells what it was made of and has a
 * checksum of each section, so that it can be mapped and used as it is.
 *
 *     0     struct tv_saved_head, then zeros up to TV_SAVED_HEAD_LEN, which is a page
 *     4096  the block
 *
 * All numbers are in the machine's own order.
 *
 * How far a saved index is trusted depends on who wrote the file. Opening checks the version, the
 * lengths, the identity and every checksum, so a file that is torn, damaged, or made by another
 * build of the program or of another trace is refused. Checksums keep no forger out: whoever can
 * write the file can write its checksums. So opening is enough only for a file that this user's own
 * program wrote into a folder that nobody else may write into (os/file/cache.h). An index that
 * another process made of a stranger's file goes through tv_saved_check, too, once, before anything
 * reads it: whoever forged it then gets wrong answers at worst.
 */
#ifndef TV_INDEX_SAVED_SAVED_H
#define TV_INDEX_SAVED_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "index/block.h"
#include "index/index.h"

#define TV_SAVED_MAGIC 0x3144455641535654u
#define TV_SAVED_VERSION 2u
#define TV_SAVED_HEAD_LEN 4096u

/* What indexes have in them. It is raised by whoever changes what a build makes of any trace, or
 * which it can read: sites take an index of the same version from any build of the program.
 * tests/site/index_sums.json has the sums of some indexes, and tells when that was forgotten.
 * Digits alone: it is a part of names, such as those of rows (fleet/rows_version.h). */
#define TV_INDEX_VERSION 9
/* The version by name, such as "1.2-0a1b2c3d": that of what is in them, that of the file, and a sum
 * of how long the elements of the sections are and of the order of bytes, which nobody has to think
 * of. */
#define TV_SAVED_NAME_CAP 48u
void tv_saved_name(char name[TV_SAVED_NAME_CAP]);

/* What an index was made of. */
struct tv_saved_source {
    uint64_t identity[2]; /* of the files; what it is made of is its maker's affair */
    uint64_t names; /* checksum of what else gives the methods their names; 0: the files alone do */
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
 * Opens a saved index that lies in the caller's bytes; the index is a view of these bytes. `source`
 * has the identity that is wanted. TV_ERR_FORMAT: the file is not whole, or made by another build
 * or of another source; TV_ERR_MEMORY says nothing about the file.
 */
enum tv_code tv_saved_open(struct tv_index *index, struct tv_saved_bytes bytes,
                           const struct tv_saved_source *source, const struct tv_alloc *alloc,
                           const struct tv_pool *pool, struct tv_error *err) TV_MUST_CHECK;
/*
 * Whether the sections of an opened index fit together as a builder would have made them;
 * index/saved/saved_check.h says what is checked. One pass over the calls, row by row on the pool,
 * and one over everything else. TV_ERR_FORMAT says what does not fit, TV_ERR_MEMORY that this could
 * not be found out; the index stays open in either case.
 */
enum tv_code tv_saved_check(const struct tv_index *index, const struct tv_alloc *alloc,
                            const struct tv_pool *pool, struct tv_error *err) TV_MUST_CHECK;

#endif
