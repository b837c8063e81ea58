/*
 * Folds were filled while rows still moved: an adopting call pushes every row one deeper, and gives
 * the time in which nothing was open an innermost call. Here their numbering is brought up to date.
 */
#include "index/build/segment_groups_write.h"

#include "index/segment_groups.h"

/* A call by the numbering of its time: in its row of now, and over the whole trace. */
struct place {
    uint32_t depth;
    uint64_t call;
};

static struct place place_of(const struct tv_build_thread *thread, const struct tv_index_row *rows,
                             uint32_t depth, uint32_t epoch, uint64_t ordinal)
{
    uint32_t adopters = (uint32_t)thread->adopter_count;
    struct place place = {.depth = TV_NONE, .call = UINT64_MAX};
    if (depth != TV_NONE)
        place.depth = depth + (adopters - epoch);
    else if (epoch < adopters)
        place.depth = adopters - 1 - epoch;
    if (place.depth != TV_NONE)
        place.call = rows[place.depth].call_first + (depth == TV_NONE ? 0 : ordinal);
    return place;
}

void tv_build_fold_adopt(struct tv_build_fold *fold)
{
    if (fold->idle_len > fold->adopted_len) {
        fold->adopted_len = fold->idle_len;
        fold->adopted_start = fold->idle_start;
        fold->adopted_epoch = fold->idle_epoch;
    }
    fold->idle_len = 0;
}

static void finish_fold(const struct tv_build_thread *thread, const struct tv_index_row *rows,
                        uint64_t multiple, struct tv_build_fold fold, struct tv_index_fold *out)
{
    struct place first =
        place_of(thread, rows, fold.first_depth, fold.first_epoch, fold.first_ordinal);
    struct place longest = {.depth = TV_NONE, .call = UINT64_MAX};
    uint64_t start = 0;
    uint64_t len = 0;
    if (fold.idle_epoch < thread->adopter_count)
        tv_build_fold_adopt(&fold);
    if (fold.longest_depth != TV_NONE) {
        longest =
            place_of(thread, rows, fold.longest_depth, fold.longest_epoch, fold.longest_ordinal);
        start = fold.longest_start;
        len = fold.longest_len;
    }
    bool is_adopted = fold.adopted_len > len ||
                      (fold.adopted_len && fold.adopted_len == len && fold.adopted_start < start);
    if (is_adopted) {
        longest = place_of(thread, rows, TV_NONE, fold.adopted_epoch, 0);
        start = fold.adopted_start;
        len = fold.adopted_len;
    }
    *out = (struct tv_index_fold){
        .start = fold.start + multiple,
        .longest_start = longest.depth == TV_NONE ? 0 : start + multiple,
        .longest_len = len,
        .first_call = first.call,
        .longest_call = longest.call,
        .first_depth = first.depth,
        .longest_depth = longest.depth,
    };
}

void tv_folds_write(const struct tv_build_thread *thread, const struct tv_index_row *rows,
                    uint64_t multiple, struct tv_index_fold *out)
{
    for (uint64_t i = 0; i < thread->fold_count; i++)
        finish_fold(thread, rows, multiple, thread->folds[i], &out[i]);
    tv_folds_raise(out, thread->fold_count);
}
