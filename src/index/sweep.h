/* What follows from the finished columns of calls: the sums of the nodes, and the levels of the
 * rows. */
#ifndef TV_INDEX_SWEEP_H
#define TV_INDEX_SWEEP_H

#include "index/build.h"

/*
 * Adds up calls and inclusive times of all nodes, and writes the levels, row by row on the pool: a
 * node has calls in one row only. Beside that, marks recursive nodes. The columns of calls,
 * threads, rows, and methods and parents of nodes are finished, and the sections of sums are 0.
 */
enum tv_code tv_sweep(const struct tv_layout *layout, const struct tv_pool *pool,
                      struct tv_index *index, struct tv_error *err) TV_MUST_CHECK;

#endif
