/* From the rows of the serial builder to the columns of the block. */
#ifndef TV_INDEX_BUILD_RECORDS_COPY_ROWS_H
#define TV_INDEX_BUILD_RECORDS_COPY_ROWS_H

#include "base/memory/pool.h"
#include "index/build/layout.h"

/* Copies the builder's rows into the columns of the index, and releases their pages on the way.
 * Nodes have their ordinals (tv_context_tree_number), and no call is open. */
void tv_rows_copy(const struct tv_layout *layout, struct tv_builder *builder,
                  const struct tv_pool *pool, struct tv_index *index);
#endif
