/*
 * What follows from the finished columns of calls: the columns of nodes with their sums, the calls
 * of methods, and the mipmaps of rows.
 */
#ifndef TV_INDEX_BUILD_NODE_SUMS_H
#define TV_INDEX_BUILD_NODE_SUMS_H

#include "index/build/builder.h"
#include "index/build/context_tree.h"
#include "index/build/layout.h"

/*
 * Writes the columns of nodes but their exclusive times, the calls of methods, and the mipmaps, and
 * releases the growing trees. Threads, rows and the columns of calls are finished.
 *
 * A thread whose tree has sums (the chunked builder made them) has them copied. For any other
 * thread the calls of each row are added up into the columns, which must be 0: rows are tasks that
 * share no node, because all calls of a node are in one row.
 */
enum tv_code tv_node_sums_write(const struct tv_layout *layout, const struct tv_node_pieces *pieces,
                                const struct tv_pool *pool, struct tv_index *index,
                                struct tv_error *err) TV_MUST_CHECK;

#endif
