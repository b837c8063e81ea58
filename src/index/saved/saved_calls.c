/*
 * Calls, mipmaps and segment groups of a block that may be forged; see index/saved/saved_check.h.
 *
 * Rows are checked as tasks of their own. In each row calls must follow each other, and each call
 * must lie within a call of the row above whose node is the parent of its own; one walk along both
 * rows shows that. The times that fit are added up per node, and saved_check.c compares the sums. A
 * mipmap or a level of segment groups is compared with the level below it.
 */
#include <string.h>

#include "index/mipmap.h"
#include "index/saved/saved_check.h"
#include "index/segment_groups.h"

/*
 * A row while its calls are looked at one after the other. It and what it points to are copies in
 * the frame of one function, so that the compiler need not load them anew after each store.
 */
struct row_check {
    const struct tv_index *index;
    const struct tv_index_thread *thread;
    uint64_t most[TV_CLOCK_COUNT];  /* units above the thread's base */
    uint64_t start[TV_CLOCK_COUNT]; /* of the call, above the base */
    uint64_t end[TV_CLOCK_COUNT];   /* of the call, and before that of the one before it */
    uint64_t caller;                /* where the search for the next caller begins */
    uint64_t caller_end;            /* of the row above */
    bool has_clock[TV_CLOCK_COUNT];
    enum tv_clock axis;
};

/* Times of the thread's calls end at or before what `most` says; false when none can. */
static bool limit_times(const struct tv_index *index, const struct tv_index_thread *thread,
                        uint64_t most[TV_CLOCK_COUNT])
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        bool is_axis = clock == (unsigned)tv_index_axis(index);
        most[clock] = is_axis ? index->info->axis_len : tv_saved_largest_time(index);
        if (thread->first[clock] > most[clock])
            return false;
        most[clock] -= thread->first[clock];
    }
    return true;
}

/* Takes the times of the next call: behind those of the one before, and not too large. */
TV_INLINE bool take_times(struct row_check *check, uint64_t call, struct tv_saved_node *node)
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!check->has_clock[clock])
            continue;
        uint64_t start = tv_index_time(check->index, check->thread, 2 * clock, call);
        uint64_t len = tv_index_duration(check->index, check->thread, (enum tv_clock)clock, call);
        if (start < check->end[clock] || start > check->most[clock] ||
            len > check->most[clock] - start)
            return false;
        check->start[clock] = start;
        check->end[clock] = start + len;
        node->inclusive[clock] += len;
    }
    node->calls++;
    return true;
}

/* Whether a call of the caller's node spans the call; callers come in the order of their callees.
 */
TV_INLINE bool find_caller(struct row_check *check, uint32_t parent)
{
    const struct tv_index *index = check->index;
    unsigned axis = (unsigned)check->axis;
    for (; check->caller < check->caller_end; check->caller++) {
        if (index->call_node[check->caller] != parent)
            continue;
        uint64_t start = tv_index_time(index, check->thread, 2 * axis, check->caller);
        uint64_t end = start + tv_index_duration(index, check->thread, check->axis, check->caller);
        if (start <= check->start[axis] && end >= check->end[axis])
            return true;
    }
    return false;
}

/* The structs are copied, so that the compiler can keep their fields in registers while nodes are
 * written. */
static bool row_fits(struct tv_saved_calls *calls, uint32_t row_ix)
{
    const struct tv_index index = *calls->index;
    const struct tv_index_thread thread = index.threads[calls->thread_of_row[row_ix]];
    const struct tv_index_row row = index.rows[row_ix];
    struct tv_saved_node *const nodes = calls->nodes;
    const bool is_root = row_ix == thread.row_first;
    struct row_check check = {.index = &index,
                              .thread = &thread,
                              .has_clock = {index.info->has_clock[0], index.info->has_clock[1]},
                              .axis = tv_index_axis(&index)};
    uint64_t most[TV_CLOCK_COUNT];
    if (!limit_times(calls->index, &calls->index->threads[calls->thread_of_row[row_ix]], most))
        return false;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        check.most[clock] = most[clock];
    if (!is_root) {
        check.caller = index.rows[row_ix - 1].call_first;
        check.caller_end = check.caller + index.rows[row_ix - 1].call_count;
    }
    for (uint64_t call = row.call_first; call < row.call_first + row.call_count; call++) {
        if (index.call_node[call] >= index.node_count)
            return false;
        struct tv_saved_node *node = &nodes[index.call_node[call]];
        if (node->row != row_ix || !take_times(&check, call, node))
            return false;
        if (!is_root && !find_caller(&check, node->parent))
            return false;
    }
    const struct tv_mipmap mipmap =
        tv_mipmap_of(calls->index, calls->thread_of_row[row_ix], row_ix);
    return tv_mipmap_fit(&mipmap);
}

/* A row's nodes are its own, so rows add to sums side by side. */
static void check_row(void *arg, size_t row_ix)
{
    struct tv_saved_calls *calls = arg;
    calls->row_fits[row_ix] = row_fits(calls, (uint32_t)row_ix);
}

/* Whether the call is on the thread's row of that depth, and spans [start, start + len). */
static bool place_fits(const struct tv_index *index, const struct tv_index_thread *thread,
                       uint32_t depth, uint64_t call, uint64_t start, uint64_t len)
{
    enum tv_clock axis = tv_index_axis(index);
    if (depth == TV_NONE)
        return call == UINT64_MAX;
    if (depth >= thread->max_depth)
        return false;
    const struct tv_index_row *row = &index->rows[thread->row_first + depth];
    if (call < row->call_first || call - row->call_first >= row->call_count)
        return false;
    uint64_t call_start = tv_index_start(index, thread, axis, call);
    uint64_t call_end = call_start + tv_index_duration(index, thread, axis, call);
    return call_start <= start && start <= call_end && len <= call_end - start;
}

static bool group_fits(const struct tv_index *index, const struct tv_index_thread *thread,
                       const struct tv_index_segment_group *group)
{
    if (group->start > index->info->axis_len ||
        !place_fits(index, thread, group->first_depth, group->first_call, group->start, 0) ||
        !place_fits(index, thread, group->longest_depth, group->longest_call, group->longest_start,
                    group->longest_len))
        return false;
    if (group->longest_depth == TV_NONE)
        return !group->longest_start && !group->longest_len;
    return group->longest_start >= group->start;
}

/* An entry of a level above is what its entries below give. */
static bool mipmap_fits(const struct tv_index_segment_group *below, uint64_t count,
                        const struct tv_index_segment_group *above)
{
    for (uint64_t from = 0; from < count; from += TV_SEGMENT_GROUP_FANOUT, above++) {
        struct tv_index_segment_group joined = below[from];
        for (uint64_t i = from + 1; i < count && i - from < TV_SEGMENT_GROUP_FANOUT; i++)
            tv_segment_group_join(&joined, &below[i]);
        if (memcmp(&joined, above, sizeof(joined)) != 0)
            return false;
    }
    return true;
}

static bool groups_fit(const struct tv_index *index, const struct tv_index_thread *thread)
{
    const struct tv_index_segment_group *groups = index->segment_groups + thread->group_first;
    for (uint64_t i = 0; i < thread->group_count; i++) {
        if (!group_fits(index, thread, &groups[i]) || (i && groups[i].start < groups[i - 1].start))
            return false;
    }
    for (uint64_t count = thread->group_count; count > 1;) {
        uint64_t above = (count + TV_SEGMENT_GROUP_FANOUT - 1) / TV_SEGMENT_GROUP_FANOUT;
        if (!mipmap_fits(groups, count, groups + count))
            return false;
        groups += count;
        count = above;
    }
    return true;
}

static void check_groups(void *arg, size_t thread_ix)
{
    struct tv_saved_calls *calls = arg;
    calls->thread_fits[thread_ix] = groups_fit(calls->index, &calls->index->threads[thread_ix]);
}

/* Groups are checked only when all rows fit, because a group names calls and their times. */
bool tv_saved_calls_fit(struct tv_saved_calls *calls, const struct tv_pool *pool)
{
    const struct tv_index *index = calls->index;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        for (uint32_t depth = 0; depth < index->threads[i].max_depth; depth++)
            calls->thread_of_row[index->threads[i].row_first + depth] = i;
    }
    pool->run(pool->ctx, check_row, calls, index->row_count);
    for (uint32_t i = 0; i < index->row_count; i++) {
        if (!calls->row_fits[i])
            return false;
    }
    pool->run(pool->ctx, check_groups, calls, index->thread_count);
    for (uint32_t i = 0; i < index->thread_count; i++) {
        if (!calls->thread_fits[i])
            return false;
    }
    return true;
}
