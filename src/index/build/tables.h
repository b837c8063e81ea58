/* What stands behind the columns of calls in the block: nodes, methods, tables, levels. */
#ifndef TV_INDEX_BUILD_TABLES_H
#define TV_INDEX_BUILD_TABLES_H

#include "base/pool.h"
#include "index/build/layout.h"

/*
 * Adds what comes after the columns: nodes (numbered by tv_tree_number, their method keys
 * resolved), methods, tables, levels, the profile. Columns and folds must be filled.
 */
enum tv_code tv_tables_write(struct tv_layout *layout, struct tv_builder *builder,
                             const struct tv_pool *pool, struct tv_index *index,
                             struct tv_error *err) TV_MUST_CHECK;

#endif
