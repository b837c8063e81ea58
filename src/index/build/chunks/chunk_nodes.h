/* The calls of a filled chunk and their nodes: what they add up to, and under which numbers. */
#ifndef TV_INDEX_BUILD_CHUNKS_CHUNK_NODES_H
#define TV_INDEX_BUILD_CHUNKS_CHUNK_NODES_H

#include "index/build/chunks/chunk_write.h"

/*
 * Adds up, in the chunk's own trees, its calls and the durations of those that it opened and
 * closed, while all of them are at hand; not where sums may need more than 32 bits. Sets
 * fill->code.
 */
void tv_chunk_sum(struct tv_chunk_writer *writer, const struct tv_layout *layout,
                  struct tv_index *index);
/* Makes the nodes that the chunk wrote those of the joined and numbered tree. */
void tv_chunk_renumber(const struct tv_chunk_writer *writer, const struct tv_layout *layout,
                       struct tv_index *index);

#endif
