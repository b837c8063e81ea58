/* The folds of a thread in their finished form, and the levels above them. */
#ifndef TV_INDEX_FOLDS_H
#define TV_INDEX_FOLDS_H

#include "index/builder.h"

/* The fold's idle time so far lies in a call that adopts it. */
void tv_build_fold_adopt(struct tv_build_fold *fold);
/* Folds of a thread that has `count` of the lowest level, all levels together. */
uint64_t tv_folds_total(uint64_t count);
/*
 * Writes the folds of a thread and the levels above them to out, which has room for tv_folds_total.
 * `rows` are the thread's finished rows; multiple is added to times (wall axis only).
 */
void tv_folds_write(const struct tv_build_thread *thread, const struct tv_index_row *rows,
                    uint64_t multiple, struct tv_index_fold *out);

/* Writes the levels above the `count` folds that stand at folds. */
void tv_folds_raise(struct tv_index_fold *folds, uint64_t count);
/* Takes over the longest segment of `later`, which follows, where it is longer. */
void tv_fold_join(struct tv_index_fold *fold, const struct tv_index_fold *later);

#endif
