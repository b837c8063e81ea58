/* Segment groups of a finished thread: joining two, and the levels above them. */
#include "index/segment_groups.h"

uint64_t tv_folds_total(uint64_t count)
{
    uint64_t total = count;
    while (count > 1) {
        count = (count + TV_FOLD_FANOUT - 1) / TV_FOLD_FANOUT;
        total += count;
    }
    return total;
}

void tv_fold_join(struct tv_index_fold *fold, const struct tv_index_fold *later)
{
    bool is_longer = later->longest_depth != TV_NONE &&
                     (fold->longest_depth == TV_NONE || later->longest_len > fold->longest_len);
    if (!is_longer)
        return;
    fold->longest_start = later->longest_start;
    fold->longest_len = later->longest_len;
    fold->longest_call = later->longest_call;
    fold->longest_depth = later->longest_depth;
}

void tv_folds_raise(struct tv_index_fold *folds, uint64_t count)
{
    while (count > 1) {
        uint64_t above = (count + TV_FOLD_FANOUT - 1) / TV_FOLD_FANOUT;
        for (uint64_t i = 0; i < above; i++) {
            uint64_t from = i * TV_FOLD_FANOUT;
            uint64_t end = from + TV_FOLD_FANOUT < count ? from + TV_FOLD_FANOUT : count;
            folds[count + i] = folds[from];
            for (uint64_t j = from + 1; j < end; j++)
                tv_fold_join(&folds[count + i], &folds[j]);
        }
        folds += count;
        count = above;
    }
}
