/*
 * The nodes of a written chunk's calls: adding the calls up for them, and giving the calls the
 * ordinals of the finished nodes.
 */
#ifndef TV_INDEX_BUILD_CHUNKS_CHUNK_NODES_H
#define TV_INDEX_BUILD_CHUNKS_CHUNK_NODES_H

#include "index/build/chunks/chunk_write.h"

/*
 * Adds up, in the chunk's own trees, the calls that the chunk opened, and the durations of the
 * calls that it both opened and closed. Done right after writing, while part of the chunk is in the
 * cache. Does nothing where node sums may need 64 bits: then they are made row by row
 * (index/build/node_sums.h). Sets writer->code.
 */
void tv_chunk_sum(struct tv_chunk_writer *writer, const struct tv_layout *layout,
                  struct tv_index *index);
/* Replaces the nodes of the chunk's calls, numbers in the chunk's trees, by ordinals. All chunks
 * are merged, and nodes are numbered (tv_context_tree_number). */
void tv_chunk_renumber(const struct tv_chunk_writer *writer, const struct tv_layout *layout,
                       struct tv_index *index);

#endif
