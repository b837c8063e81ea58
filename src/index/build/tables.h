/*
 * The last step of both builders: everything that stands behind the columns of calls in the block.
 */
#ifndef TV_INDEX_BUILD_TABLES_H
#define TV_INDEX_BUILD_TABLES_H

#include "base/memory/pool.h"
#include "index/build/layout.h"

/*
 * Makes the block longer and writes its other sections: info, properties, methods, nodes, long
 * calls, mipmaps and text. Threads, rows, segment groups and columns of calls are written, and
 * nodes have their ordinals (tv_context_tree_number). On failure the index must be released.
 */
enum tv_code tv_tables_write(struct tv_layout *layout, struct tv_builder *builder,
                             const struct tv_pool *pool, struct tv_index *index,
                             struct tv_error *err) TV_MUST_CHECK;

#endif
