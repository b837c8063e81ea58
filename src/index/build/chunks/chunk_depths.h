/*
 * The depths of a thread of a chunk: quads are counted per depth while the chunk is scanned; at the
 * end follow the calls of each depth, and the keys of the calls that the chunk leaves open.
 *
 * The scan keeps no stack for those keys. It keeps a mark for each depth: the last quad whose
 * lowest depth it was. A call that stays open at depth d was opened by the last record that stood
 * at d, because the thread is above d ever after. The quad of that record goes no lower than d - 3,
 * and every later quad stays above d. So it is the latest of the quads that are marked at d, d - 1,
 * d - 2 and d - 3, and its four records are read once more.
 */
#ifndef TV_INDEX_BUILD_CHUNKS_CHUNK_DEPTHS_H
#define TV_INDEX_BUILD_CHUNKS_CHUNK_DEPTHS_H

#include "index/build/chunks/chunk_scan.h"

/* Records of a quad. */
#define TV_QUAD_LEN 4u

/* The mark of a quad that begins with record `ordinal` of the chunk, or of that record alone. Never
 * 0, and greater the later the record; ordinals below 2^30 leave 32 bits enough. */
TV_INLINE uint32_t tv_chunk_mark(uint32_t ordinal, bool is_alone)
{
    return (ordinal << 1 | is_alone) + 1;
}

/* From the mark of a quad to that of one that begins a record later. */
#define TV_CHUNK_MARK_STEP 2u

/* Makes the table of quads. The place of a quad is the actions of its four records, two bits each,
 * the first record in the lowest bits. */
void tv_chunk_make_steps(struct tv_quad_step steps[TV_QUAD_STEPS]);

/* Makes room for `cap` depths, more than the thread has; `shift` of the new places are in front. */
enum tv_code tv_chunk_depths_resize(struct tv_chunk_thread *thread, const struct tv_alloc *alloc,
                                    size_t cap, size_t shift, struct tv_error *err) TV_MUST_CHECK;
/* Counts an enter that is taken alone, record `ordinal` of the chunk. */
enum tv_code tv_chunk_depths_enter(struct tv_chunk_thread *thread, const struct tv_alloc *alloc,
                                   uint32_t ordinal, struct tv_error *err) TV_MUST_CHECK;

/* Ends the scan of a thread: sets calls, depth_count, opened and root_record, and releases the
 * counts of quads. */
enum tv_code tv_chunk_depths_finish(struct tv_chunk_scan *scan, struct tv_chunk_thread *thread,
                                    struct tv_error *err) TV_MUST_CHECK;
void tv_chunk_depths_release(struct tv_chunk_thread *thread, const struct tv_alloc *alloc);

#endif
