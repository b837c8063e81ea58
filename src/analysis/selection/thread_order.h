/* The order of threads where the busiest come first. */
#ifndef TV_ANALYSIS_SELECTION_THREAD_ORDER_H
#define TV_ANALYSIS_SELECTION_THREAD_ORDER_H

#include "index/index.h"

/* Compares two threads, for tv_sort with the index as its ctx: the one with more time of root calls
 * on the default clock first, without clocks the one with more records, and of two with the same
 * the one of the lower ordinal. */
int tv_thread_order(const void *index, uint32_t a, uint32_t b);

#endif
