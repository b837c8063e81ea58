/*
 * Segment groups of a finished thread: joining two of them, and the levels above; see
 * index/segment_groups.h.
 *
 * An entry of a higher level stands for TV_SEGMENT_GROUP_FANOUT entries of the level below. It
 * begins as a copy of the first of these, and keeps the longest segment of all. Among equally long
 * segments the earlier one stays, so the result does not depend on how a thread was cut into
 * chunks. docs/index.md.
 */
#include "index/segment_groups.h"

uint64_t tv_segment_groups_total(uint64_t count)
{
    uint64_t total = count;
    while (count > 1) {
        count = (count + TV_SEGMENT_GROUP_FANOUT - 1) / TV_SEGMENT_GROUP_FANOUT;
        total += count;
    }
    return total;
}

void tv_segment_group_join(struct tv_index_segment_group *group,
                           const struct tv_index_segment_group *later)
{
    bool is_longer = later->longest_depth != TV_NONE &&
                     (group->longest_depth == TV_NONE || later->longest_len > group->longest_len);
    if (!is_longer)
        return;
    group->longest_start = later->longest_start;
    group->longest_len = later->longest_len;
    group->longest_call = later->longest_call;
    group->longest_depth = later->longest_depth;
}

/* Each round writes one level behind the level below it, until a level has one entry. */
void tv_segment_groups_add_levels(struct tv_index_segment_group *groups, uint64_t count)
{
    while (count > 1) {
        uint64_t above = (count + TV_SEGMENT_GROUP_FANOUT - 1) / TV_SEGMENT_GROUP_FANOUT;
        for (uint64_t i = 0; i < above; i++) {
            uint64_t from = i * TV_SEGMENT_GROUP_FANOUT;
            uint64_t end =
                from + TV_SEGMENT_GROUP_FANOUT < count ? from + TV_SEGMENT_GROUP_FANOUT : count;
            groups[count + i] = groups[from];
            for (uint64_t j = from + 1; j < end; j++)
                tv_segment_group_join(&groups[count + i], &groups[j]);
        }
        groups += count;
        count = above;
    }
}
