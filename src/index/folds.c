/*
 * Folds were filled while rows still moved: an adopting call pushes every row one deeper, and gives the time
 * in which nothing was open an innermost call. Here their numbering is brought up to date.
 */
#include "index/folds.h"

uint64_t tv_folds_total(uint64_t count)
{
    uint64_t total = count;
    while (count > 1) {
        count = (count + TV_FOLD_FANOUT - 1) / TV_FOLD_FANOUT;
        total += count;
    }
    return total;
}

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

static void finish_fold(const struct tv_build_thread *thread, const struct tv_index_row *rows,
                        uint64_t multiple, const struct tv_build_fold *fold,
                        struct tv_index_fold *out)
{
    struct place first = place_of(thread, rows, fold->first_depth, fold->first_epoch,
                                  fold->first_ordinal);
    struct place longest = {.depth = TV_NONE, .call = UINT64_MAX};
    uint64_t start = 0;
    uint64_t len = 0;
    if (fold->longest_depth != TV_NONE) {
        longest = place_of(thread, rows, fold->longest_depth, fold->longest_epoch,
                           fold->longest_ordinal);
        start = fold->longest_start;
        len = fold->longest_len;
    }
    bool idle_was_adopted = fold->idle_len && fold->idle_epoch < thread->adopter_count;
    if (idle_was_adopted && (longest.depth == TV_NONE || fold->idle_len > len ||
                             (fold->idle_len == len && fold->idle_start < start))) {
        longest = place_of(thread, rows, TV_NONE, fold->idle_epoch, 0);
        start = fold->idle_start;
        len = fold->idle_len;
    }
    *out = (struct tv_index_fold){
        .start = fold->start + multiple,
        .longest_start = longest.depth == TV_NONE ? 0 : start + multiple,
        .longest_len = len,
        .first_call = first.call,
        .longest_call = longest.call,
        .first_depth = first.depth,
        .longest_depth = longest.depth,
    };
}

static struct tv_index_fold join_folds(const struct tv_index_fold *folds, uint64_t count)
{
    struct tv_index_fold joined = folds[0];
    for (uint64_t i = 1; i < count; i++) {
        bool is_longer = folds[i].longest_depth != TV_NONE &&
                         (joined.longest_depth == TV_NONE ||
                          folds[i].longest_len > joined.longest_len);
        if (!is_longer)
            continue;
        joined.longest_start = folds[i].longest_start;
        joined.longest_len = folds[i].longest_len;
        joined.longest_call = folds[i].longest_call;
        joined.longest_depth = folds[i].longest_depth;
    }
    return joined;
}

void tv_folds_write(const struct tv_build_thread *thread, const struct tv_index_row *rows,
                    uint64_t multiple, struct tv_index_fold *out)
{
    uint64_t count = thread->fold_count;
    for (uint64_t i = 0; i < count; i++)
        finish_fold(thread, rows, multiple, &thread->folds[i], &out[i]);
    while (count > 1) {
        uint64_t above = (count + TV_FOLD_FANOUT - 1) / TV_FOLD_FANOUT;
        for (uint64_t i = 0; i < above; i++) {
            uint64_t from = i * TV_FOLD_FANOUT;
            uint64_t len = count - from < TV_FOLD_FANOUT ? count - from : TV_FOLD_FANOUT;
            out[count + i] = join_folds(out + from, len);
        }
        out += count;
        count = above;
    }
}
