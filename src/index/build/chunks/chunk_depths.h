/*
 * The levels of a thread of a chunk: counted in groups of four records while scanning, settled into
 * the calls of each level and the keys of the calls that the chunk leaves open.
 *
 * Of a level is known, besides its groups, which group came last of those that went no lower than
 * it (its mark). A call that stays open was opened at the last record that stood on its level,
 * since the thread is above it ever after; and the last group that has such a record is the latest
 * of those whose lowest level is this one or one of the three below: a later one of these would
 * have to come up through this level again. So nothing is kept of the stack while scanning.
 */
#ifndef TV_INDEX_BUILD_CHUNKS_CHUNK_DEPTHS_H
#define TV_INDEX_BUILD_CHUNKS_CHUNK_DEPTHS_H

#include "index/build/chunks/chunk_scan.h"

/* Records of a group. */
#define TV_QUAD_LEN 4u

/* Of a group that begins with record `ordinal` of the chunk, or of that record alone; never 0. */
TV_INLINE uint32_t tv_chunk_mark(uint32_t ordinal, bool is_alone)
{
    return (ordinal << 1 | is_alone) + 1;
}

/* From the mark of a group to that of one that begins a record later. */
#define TV_CHUNK_MARK_STEP 2u

/* Fills a table that is asked for by the actions of four records, two bits each, the first in the
 * lowest. */
void tv_chunk_make_steps(struct tv_quad_step steps[TV_QUAD_STEPS]);

/* Gives the thread `cap` levels, a number above what it has, `shift` of the new ones in front. */
enum tv_code tv_chunk_depths_resize(struct tv_chunk_thread *thread, const struct tv_alloc *alloc,
                                    size_t cap, size_t shift, struct tv_error *err) TV_MUST_CHECK;
/* Takes an enter alone, record `ordinal` of the chunk. */
enum tv_code tv_chunk_depths_enter(struct tv_chunk_thread *thread, const struct tv_alloc *alloc,
                                   uint32_t ordinal, struct tv_error *err) TV_MUST_CHECK;

/* Sets what the thread has when scanned, and releases its levels. */
enum tv_code tv_chunk_depths_finish(struct tv_chunk_scan *scan, struct tv_chunk_thread *thread,
                                    struct tv_error *err) TV_MUST_CHECK;
void tv_chunk_depths_release(struct tv_chunk_thread *thread, const struct tv_alloc *alloc);

#endif
