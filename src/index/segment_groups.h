/*
 * The segment groups of a thread in their finished form (struct tv_index_segment_group), and the
 * levels above the groups.
 *
 * Level 0 is the groups themselves. An entry of a level above joins TV_SEGMENT_GROUP_FANOUT entries
 * of the level below: it begins where the first of them begins, and has the longest segment of all.
 * The highest level has one entry. Levels stand behind each other, the lowest first.
 * docs/index.md, "Segment groups".
 */
#ifndef TV_INDEX_SEGMENT_GROUPS_H
#define TV_INDEX_SEGMENT_GROUPS_H

#include <stdint.h>

#include "index/index.h"

/* Entries of all levels of a thread that has `count` groups. */
uint64_t tv_segment_groups_total(uint64_t count);
/* Writes the levels above `count` groups behind those groups; `groups` has room for the total. */
void tv_segment_groups_add_levels(struct tv_index_segment_group *groups, uint64_t count);
/* Takes over the longest segment of `later`, a group that follows, where it is longer. Among equals
 * the first one stays. */
void tv_segment_group_join(struct tv_index_segment_group *group,
                           const struct tv_index_segment_group *later);

#endif
