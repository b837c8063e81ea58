/* What follows from the finished columns of calls: the nodes, their sums, and the levels of rows.
 */
#ifndef TV_INDEX_BUILD_NODE_SUMS_H
#define TV_INDEX_BUILD_NODE_SUMS_H

#include "index/build/builder.h"
#include "index/build/context_tree.h"
#include "index/build/layout.h"

/*
 * Lets the trees go, and writes all of the nodes but their exclusive times, the calls of methods,
 * and the levels, on the pool. Sums that no chunk has made are added up row by row, a node having
 * calls in one row only: their sections are 0. The columns of calls, threads and rows are finished.
 */
enum tv_code tv_node_sums_write(const struct tv_layout *layout, const struct tv_node_pieces *pieces,
                                const struct tv_pool *pool, struct tv_index *index,
                                struct tv_error *err) TV_MUST_CHECK;

#endif
