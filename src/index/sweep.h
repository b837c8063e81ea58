/* What follows from the finished columns of calls: the sums of the nodes, and the levels of the
 * rows. */
#ifndef TV_INDEX_SWEEP_H
#define TV_INDEX_SWEEP_H

#include "index/build.h"

/*
 * Adds up calls and inclusive times of all nodes, and writes the levels, row by row on the pool: a
 * node has calls in one row only. The columns of calls, threads and rows are finished, and the
 * sections of sums are 0.
 */
void tv_sweep_rows(const struct tv_layout *layout, const struct tv_pool *pool,
                   struct tv_index *index);

#endif
