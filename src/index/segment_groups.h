/* The folds of a thread in their finished form, and the levels above them. */
#ifndef TV_INDEX_SEGMENT_GROUPS_H
#define TV_INDEX_SEGMENT_GROUPS_H

#include <stdint.h>

#include "index/index.h"

/* Folds of a thread that has `count` of the lowest level, all levels together. */
uint64_t tv_folds_total(uint64_t count);
/* Writes the levels above the `count` folds that stand at folds. */
void tv_folds_raise(struct tv_index_fold *folds, uint64_t count);
/* Takes over the longest segment of `later`, which follows, where it is longer. */
void tv_fold_join(struct tv_index_fold *fold, const struct tv_index_fold *later);

#endif
