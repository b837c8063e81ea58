/* The folds of a thread in their finished form, and the levels above them. */
#ifndef TV_INDEX_SEGMENT_GROUPS_H
#define TV_INDEX_SEGMENT_GROUPS_H

#include <stdint.h>

#include "index/index.h"

/* Folds of a thread that has `count` of the lowest level, all levels together. */
uint64_t tv_segment_groups_total(uint64_t count);
/* Writes the levels above the `count` folds that stand at folds. */
void tv_segment_groups_add_levels(struct tv_index_segment_group *groups, uint64_t count);
/* Takes over the longest segment of `later`, which follows, where it is longer. */
void tv_segment_group_join(struct tv_index_segment_group *group,
                           const struct tv_index_segment_group *later);

#endif
