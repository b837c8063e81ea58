/* Rows that were read record by record, brought into the columns; and how an open call ends. */
#ifndef TV_INDEX_BUILD_RECORDS_COPY_ROWS_H
#define TV_INDEX_BUILD_RECORDS_COPY_ROWS_H

#include "base/pool.h"
#include "index/build/layout.h"

/* Copies the builder's rows into the columns of index, and releases them on the way. */
void tv_rows_copy(const struct tv_layout *layout, struct tv_builder *builder,
                  const struct tv_pool *pool, struct tv_index *index);
#endif
