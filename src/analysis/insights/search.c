/*
 * What the parts of the search for insights share; see analysis/insights/search.h.
 *
 * The list of insights is short and sorted, so an insight is put in its place by moving those
 * behind it. Marks are added up by method into groups; a mark that lies inside the longest mark of
 * its group adds no time, because that time is counted already.
 */
#include "analysis/insights/search.h"

#include "base/error.h"
#include "base/memory/sort.h"

void tv_insight_add(struct tv_insights *insights, const struct tv_insight *insight)
{
    size_t at = insights->count;
    while (at && insights->of[at - 1].kind != TV_INSIGHT_OVERFLOW &&
           insights->of[at - 1].at_stake_ns < insight->at_stake_ns)
        at--;
    if (at == TV_INSIGHTS_MOST)
        return;
    if (insights->count < TV_INSIGHTS_MOST)
        insights->count++;
    for (size_t i = insights->count - 1; i > at; i--)
        insights->of[i] = insights->of[i - 1];
    insights->of[at] = *insight;
    insights->of[at].clock = insights->clock;
}

struct tv_insight tv_insight_blank(enum tv_insight_kind kind)
{
    return (struct tv_insight){.kind = kind,
                               .call = TV_NO_CALL,
                               .method = TV_NONE,
                               .other_thread = TV_NONE,
                               .other_method = TV_NONE};
}

void tv_insight_take_call(const struct tv_insight_search *search,
                          const struct tv_insight_mark *mark, struct tv_insight *insight)
{
    const struct tv_index *index = search->index;
    const struct tv_index_thread *thread = &index->threads[mark->ref.thread_ix];
    const enum tv_clock axis = tv_index_axis(index);
    const uint64_t start = tv_index_start(index, thread, axis, mark->ref.call);
    const uint64_t len = tv_index_duration(index, thread, axis, mark->ref.call);
    insight->call = mark->ref;
    insight->from_ns = start * index->info->unit_ns;
    insight->to_ns = (start + len) * index->info->unit_ns;
    insight->took_ns = (mark->end - mark->start) * index->info->unit_ns;
}

void tv_insight_keep_mark(struct tv_insight_search *search, struct tv_insight_marks *marks,
                          const struct tv_insight_mark *mark)
{
    if (search->code == TV_OK)
        search->code = tv_alloc_grow(search->alloc, &marks->of, &marks->cap, marks->count + 1,
                                     sizeof(*marks->of), search->err);
    if (search->code == TV_OK)
        marks->of[marks->count++] = *mark;
}

/* Adds the mark at a place to its group. */
static void add_mark(const struct tv_insight_marks *marks, size_t at,
                     struct tv_insight_group *group)
{
    const struct tv_insight_mark *mark = &marks->of[at];
    const struct tv_insight_mark *news = &marks->of[group->longest_news];
    bool is_inside = !mark->is_own && group->at_stake &&
                     news->ref.thread_ix == mark->ref.thread_ix && mark->start >= news->start &&
                     mark->end <= news->end;
    if (!group->calls || mark->at_stake > marks->of[group->longest].at_stake)
        group->longest = at;
    group->calls++;
    if (mark->is_explained)
        return;
    if (!group->at_stake || mark->at_stake > news->at_stake)
        group->longest_news = at;
    group->at_stake += is_inside ? 0 : mark->at_stake;
}

void tv_insight_add_up(struct tv_insight_search *search)
{
    for (size_t i = 0; i < search->group_count; i++)
        search->groups[i].calls = search->groups[i].at_stake = 0;
    for (size_t i = 0; i < search->marks.count; i++)
        add_mark(&search->marks, i, &search->groups[search->marks.of[i].slot]);
}

enum tv_code tv_insight_add_group(struct tv_insight_search *search,
                                  const struct tv_insight_group *group)
{
    TV_TRY(tv_alloc_grow(search->alloc, &search->groups, &search->group_cap,
                         search->group_count + 1, sizeof(*search->groups), search->err));
    search->groups[search->group_count++] = *group;
    return TV_OK;
}

static int by_stake(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_insight_group *of = ctx;
    if (of[a].at_stake != of[b].at_stake)
        return of[a].at_stake > of[b].at_stake ? -1 : 1;
    return 0;
}

enum tv_code tv_insight_rank(struct tv_insight_search *search)
{
    return tv_sort_rows(search->alloc, search->groups, search->group_count, sizeof(*search->groups),
                        by_stake, search->groups, search->err);
}

size_t tv_insight_told(const struct tv_insight_search *search)
{
    size_t count = 0;
    while (count < search->group_count && search->groups[count].at_stake >= search->least)
        count++;
    return count;
}

void tv_insight_forget_methods(struct tv_insight_search *search)
{
    for (uint32_t i = 0; i < search->index->method_count; i++)
        search->per_method[i] = 0;
}
