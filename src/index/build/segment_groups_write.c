/*
 * Finishing segment groups; see index/build/segment_groups_write.h.
 *
 * The serial builder meets adopting calls late: an exit without an enter puts a call around
 * everything that its thread did before. While records are read, places of calls are therefore
 * written down with an epoch, which is the number of adopting calls so far. Here all adopting calls
 * are known, and a depth of an epoch becomes a row of the index.
 */
#include "index/build/segment_groups_write.h"

#include "index/segment_groups.h"

/* A call in the finished index. */
struct place {
    uint32_t depth;
    uint64_t call;
};

/*
 * The finished place of a call that was at a depth (TV_NONE: no call was open) in an epoch.
 * Adopting calls that came later lie around it, so it is deeper by their number. Where no call was
 * open, the next adopting call is the innermost: it is the first call of its row, and the later
 * ones lie around it.
 */
static struct place place_of(const struct tv_build_thread *thread, const struct tv_index_row *rows,
                             uint32_t depth, uint32_t epoch, uint64_t ordinal)
{
    uint32_t adopting = (uint32_t)thread->adopting_count;
    struct place place = {.depth = TV_NONE, .call = UINT64_MAX};
    if (depth != TV_NONE)
        place.depth = depth + (adopting - epoch);
    else if (epoch < adopting)
        place.depth = adopting - 1 - epoch;
    if (place.depth != TV_NONE)
        place.call = rows[place.depth].call_first + (depth == TV_NONE ? 0 : ordinal);
    return place;
}

void tv_build_segment_group_adopt(struct tv_build_segment_group *group)
{
    if (group->idle_len > group->adopted_len) {
        group->adopted_len = group->idle_len;
        group->adopted_start = group->idle_start;
        group->adopted_epoch = group->idle_epoch;
    }
    group->idle_len = 0;
}

static void finish_group(const struct tv_build_thread *thread, const struct tv_index_row *rows,
                         uint64_t multiple, struct tv_build_segment_group group,
                         struct tv_index_segment_group *out)
{
    struct place first =
        place_of(thread, rows, group.first_depth, group.first_epoch, group.first_ordinal);
    struct place longest = {.depth = TV_NONE, .call = UINT64_MAX};
    uint64_t start = 0;
    uint64_t len = 0;
    /* An adopting call that came after the group's last idle time lies around that time. */
    if (group.idle_epoch < thread->adopting_count)
        tv_build_segment_group_adopt(&group);
    if (group.longest_depth != TV_NONE) {
        longest =
            place_of(thread, rows, group.longest_depth, group.longest_epoch, group.longest_ordinal);
        start = group.longest_start;
        len = group.longest_len;
    }
    /* Among equals the earlier segment counts. */
    bool is_adopted = group.adopted_len > len || (group.adopted_len && group.adopted_len == len &&
                                                  group.adopted_start < start);
    if (is_adopted) {
        longest = place_of(thread, rows, TV_NONE, group.adopted_epoch, 0);
        start = group.adopted_start;
        len = group.adopted_len;
    }
    *out = (struct tv_index_segment_group){
        .start = group.start + multiple,
        .longest_start = longest.depth == TV_NONE ? 0 : start + multiple,
        .longest_len = len,
        .first_call = first.call,
        .longest_call = longest.call,
        .first_depth = first.depth,
        .longest_depth = longest.depth,
    };
}

void tv_segment_groups_write(const struct tv_build_thread *thread, const struct tv_index_row *rows,
                             uint64_t multiple, struct tv_index_segment_group *out)
{
    for (uint64_t i = 0; i < thread->group_count; i++)
        finish_group(thread, rows, multiple, thread->groups[i], &out[i]);
    tv_segment_groups_add_levels(out, thread->group_count);
}
