/*
 * A folded row: the innermost call at each moment. Where pixels are dense the boxes come from the
 * segment groups of the index, elsewhere from a walk over the segments
 * (analysis/timeline/segments.h).
 *
 * A group (or an entry of a level above, which joins 32 of the level below) that lies inside one
 * pixel and has no segment as long as a pixel is added whole: the pixel needs only its longest
 * segment. A group over the border of two neighbouring pixels gives its longest segment to the
 * pixel in which the segment starts; the part in the other pixel is read only if it may hold the
 * longest segment of that pixel. All other groups are read segment by segment.
 */
#include "analysis/timeline/window_pixel.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/search.h"

/*
 * Where a row has many groups, it is split into stretches of whole pixels that the pool makes at
 * the same time. What lies in a pixel comes from the groups that start in it and from the group
 * that contains its beginning; so a stretch starts to read at that group, and keeps only the boxes
 * of its own pixels. The boxes are the same however the row is split.
 */

/* Where a group of the lowest level starts, which is where the one before it ends; UINT64_MAX
 * past the last group. */
static uint64_t group_start(const struct tv_folded_stretch *stretch, uint64_t i)
{
    return i < stretch->counts[0] ? stretch->levels[0][i].start : UINT64_MAX;
}

/* The first group of the lowest level that starts at or after `time`. */
static uint64_t first_group_from(const struct tv_folded_stretch *stretch, uint64_t time)
{
    return tv_search_from(TV_ASCENDING_FIELD(stretch->levels[0], (size_t)stretch->counts[0],
                                             struct tv_index_segment_group, start),
                          time);
}

/* Adds the segments of a group one by one, those that end before the window left out. */
static enum tv_code walk_group(struct tv_folded_stretch *stretch, uint64_t i, struct tv_error *err)
{
    struct tv_walker *walker = &stretch->walker;
    uint64_t end = group_start(stretch, i + 1);
    struct tv_segment segment;
    if (end > stretch->window_end)
        end = stretch->window_end;
    tv_walker_seek(walker, &stretch->levels[0][i]);
    while (tv_walker_next(walker, &segment) && segment.start < end && !stretch->list.is_full) {
        if (segment.start + segment.len < stretch->window_begin)
            continue;
        TV_TRY(tv_pixel_add_segment(stretch, &segment, err));
    }
    return TV_OK;
}

/* Adds a group, or an entry of a level above, that ends at `end` and lies in the
 * pixel in which it starts. */
static enum tv_code add_whole_group(struct tv_folded_stretch *stretch,
                                    const struct tv_index_segment_group *group, uint64_t end,
                                    struct tv_error *err)
{
    struct tv_pixel *pixel = &stretch->pixel;
    TV_TRY(tv_pixel_enter(stretch, group->start, err));
    tv_pixel_offer_group(stretch, group);
    pixel->whole_group = group;
    if (end > pixel->last_end)
        pixel->last_end = end;
    return TV_OK;
}

/* Adds a group over the border of two neighbouring pixels; see the top of this file. */
static enum tv_code add_border_group(struct tv_folded_stretch *stretch, uint64_t i,
                                     struct tv_error *err)
{
    const struct tv_index_segment_group *group = &stretch->levels[0][i];
    struct tv_pixel *pixel = &stretch->pixel;
    TV_TRY(tv_pixel_enter(stretch, group->start, err));
    uint64_t border = pixel->end;
    bool is_before = group->longest_start < border;
    if (is_before)
        tv_pixel_offer_group(stretch, group);
    else if (!pixel->has_segment || group->longest_len > pixel->longest.len)
        tv_pixel_walk(stretch, group, group->start, border);
    pixel->whole_group = group;
    pixel->last_end = border;
    TV_TRY(tv_pixel_enter(stretch, border, err));
    pixel->first_start = border;
    pixel->last_end = group_start(stretch, i + 1);
    if (is_before) {
        pixel->unread_group = group;
        pixel->unread_end = group_start(stretch, i + 1);
    } else {
        tv_pixel_offer_group(stretch, group);
        /* Nothing of it is left to read in this pixel, but its segments were not counted. */
        pixel->unread_group = group;
        pixel->unread_end = border;
    }
    return TV_OK;
}

/* The next group to add, and its start, which is known from the entry before: that entry
 * is nearer in memory. */
struct group_cursor {
    uint64_t group;
    uint64_t start;
};

/* Prefetches the groups that one entry of the second level joins: where the entry does not fit its
 * pixel, most of them are added one by one. Forced inline, since gcc drops a call of a function
 * that only prefetches. */
TV_INLINE void prefetch_groups(const struct tv_folded_stretch *stretch, uint64_t first)
{
    uint64_t left = stretch->counts[0] - first;
    uint64_t count = left < TV_SEGMENT_GROUP_FANOUT ? left : TV_SEGMENT_GROUP_FANOUT;
    for (uint64_t i = 0; i < count; i++)
        TV_PREFETCH(&stretch->levels[0][first + i]);
}

/* The largest entry that begins with the next group and may be added whole, or NULL; moves the
 * cursor to its end. An entry of level k begins with group i only if i is a multiple of 32^k. */
static const struct tv_index_segment_group *
take_whole_entry(const struct tv_folded_stretch *stretch, struct group_cursor *cursor)
{
    uint64_t border = tv_pixel_end_after(stretch, cursor->start);
    uint64_t end = border < stretch->window_end ? border : stretch->window_end;
    uint64_t span = 1;
    uint32_t level = 0;
    for (;
         level + 1 < stretch->level_count && cursor->group % (span * TV_SEGMENT_GROUP_FANOUT) == 0;
         level++)
        span *= TV_SEGMENT_GROUP_FANOUT;
    /* From the highest level down: an entry that fits spares a look at all groups below it. */
    for (;; level--, span /= TV_SEGMENT_GROUP_FANOUT) {
        uint64_t i = cursor->group / span;
        const struct tv_index_segment_group *entry = &stretch->levels[level][i];
        uint64_t entry_end = i + 1 < stretch->counts[level] ? entry[1].start : UINT64_MAX;
        if (entry_end <= end && !tv_is_pixel_wide(stretch->builder, entry->longest_len)) {
            *cursor = (struct group_cursor){cursor->group + span, entry_end};
            return entry;
        }
        if (!level)
            return NULL;
        if (level == 1)
            prefetch_groups(stretch, cursor->group);
    }
}

/* Adds what comes next in the cheapest way: whole, over a border, or segment by segment. */
static enum tv_code add_next_group(struct tv_folded_stretch *stretch, struct group_cursor *cursor,
                                   struct tv_error *err)
{
    const struct tv_window_builder *builder = stretch->builder;
    const uint64_t start = cursor->start;
    const struct tv_index_segment_group *entry = NULL;
    if (start >= stretch->window_begin)
        entry = take_whole_entry(stretch, cursor);
    if (entry)
        return add_whole_group(stretch, entry, cursor->start, err);
    const uint64_t i = cursor->group++;
    uint64_t end = group_start(stretch, i + 1);
    cursor->start = end;
    const struct tv_index_segment_group *group = &stretch->levels[0][i];
    bool is_inside = start >= stretch->window_begin && end <= stretch->window_end;
    bool has_wide = tv_is_pixel_wide(builder, group->longest_len);
    bool is_border =
        is_inside && !has_wide && tv_pixel_of(builder, end) - tv_pixel_of(builder, start) == 1;
    if (is_border && group->longest_depth != TV_NONE)
        return add_border_group(stretch, i, err);
    return walk_group(stretch, i, err);
}

static enum tv_code make_boxes(struct tv_folded_stretch *stretch, struct tv_error *err)
{
    uint64_t end = stretch->to < stretch->window_end ? stretch->to : stretch->window_end;
    struct group_cursor cursor = {stretch->first, group_start(stretch, stretch->first)};
    while (cursor.group < stretch->counts[0] && cursor.start < end && !stretch->list.is_full)
        TV_TRY(add_next_group(stretch, &cursor, err));
    return tv_pixel_finish(stretch, err);
}

/* Releases what only the making of a stretch needs; its boxes stay. */
static void release_scratch(struct tv_folded_stretch *stretch)
{
    const struct tv_window_builder *builder = stretch->builder;
    uint32_t max_depth = builder->index->threads[stretch->thread_ix].max_depth;
    tv_alloc_release(builder->window->alloc, &stretch->marks, max_depth, sizeof(*stretch->marks));
    tv_walker_release(&stretch->side_walker);
    tv_walker_release(&stretch->walker);
}

static enum tv_code make_stretch(struct tv_folded_stretch *stretch, struct tv_error *err)
{
    const struct tv_window_builder *builder = stretch->builder;
    const struct tv_alloc *alloc = builder->window->alloc;
    uint32_t max_depth = builder->index->threads[stretch->thread_ix].max_depth;
    tv_walker_init(&stretch->walker, alloc);
    tv_walker_init(&stretch->side_walker, alloc);
    enum tv_code code = tv_walker_open(&stretch->walker, builder->index, stretch->thread_ix, err);
    if (code == TV_OK)
        code = tv_walker_open(&stretch->side_walker, builder->index, stretch->thread_ix, err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &stretch->marks, max_depth, sizeof(*stretch->marks), err);
    if (code == TV_OK)
        code = make_boxes(stretch, err);
    release_scratch(stretch);
    return code;
}

/* A stretch has at least this many pixels and groups, so that the look-ups with which it starts do
 * not count; and a row has at most this many stretches. */
#define STRETCH_PIXELS 100u
#define STRETCH_GROUPS 16u
#define STRETCH_LIMIT 64u

struct stretch_job {
    struct tv_folded_stretch stretch;
    enum tv_code code;
    struct tv_error err;
};

static void make_stretch_task(void *arg, size_t task_ix)
{
    struct stretch_job *job = (struct stretch_job *)arg + task_ix;
    job->code = make_stretch(&job->stretch, &job->err);
}

/* Lets a stretch begin at `time`, where a pixel begins. False where several groups start at that
 * very moment: the stretch before may add the first of them together with its own, and which one
 * does must not depend on the split. */
static bool start_stretch(struct tv_folded_stretch *stretch, uint64_t time)
{
    uint64_t next = first_group_from(stretch, time);
    stretch->from = time;
    stretch->first = next ? next - 1 : 0;
    return group_start(stretch, next) != time || group_start(stretch, next + 1) != time;
}

/* Splits a folded row into at most `most` stretches of about equally many
 * pixels; returns how many. */
static size_t split_row(const struct tv_folded_stretch *row, struct stretch_job *jobs, size_t most)
{
    const struct tv_window_builder *builder = row->builder;
    uint64_t pixel_first = tv_pixel_of(builder, row->window_begin);
    uint64_t pixels = tv_pixel_of(builder, row->window_end) - pixel_first;
    size_t count = 1;
    jobs[0].stretch = *row;
    for (size_t i = 1; i < most; i++) {
        struct tv_folded_stretch next = *row;
        if (!start_stretch(&next, tv_pixel_start(builder, pixel_first + pixels * i / most)))
            continue;
        jobs[count - 1].stretch.to = next.from;
        jobs[count++].stretch = next;
    }
    return count;
}

/* How many stretches a row is worth: only its pixels, groups and depth decide, not
 * the number of cores. */
static size_t stretch_count_of(const struct tv_folded_stretch *row)
{
    const struct tv_window_builder *builder = row->builder;
    uint64_t groups =
        first_group_from(row, row->window_end) - first_group_from(row, row->window_begin);
    uint64_t pixels =
        (row->window_end - row->window_begin) * builder->index->info->unit_ns / builder->pixel_ns;
    /* A walker has a row per depth to set up, so stretches of deep threads are longer. */
    uint64_t depth = builder->index->threads[row->thread_ix].max_depth;
    uint64_t count = pixels / (depth > STRETCH_PIXELS ? depth : STRETCH_PIXELS);
    count = count < groups / STRETCH_GROUPS ? count : groups / STRETCH_GROUPS;
    count = count < STRETCH_LIMIT ? count : STRETCH_LIMIT;
    return count ? (size_t)count : 1;
}

/* Appends the boxes of all stretches in order; the first failure is that of the row. */
static enum tv_code join_stretches(struct tv_window_builder *builder,
                                   const struct stretch_job *jobs, size_t count,
                                   struct tv_error *err)
{
    const struct tv_alloc *alloc = builder->window->alloc;
    for (size_t i = 0; i < count; i++) {
        const struct tv_box_list *list = &jobs[i].stretch.list;
        if (jobs[i].code != TV_OK) {
            if (err)
                *err = jobs[i].err;
            return jobs[i].code;
        }
        builder->other_boxes.is_full = builder->other_boxes.is_full || list->is_full;
        TV_TRY(tv_box_list_append(&builder->other_boxes, alloc, list->boxes, list->count, err));
    }
    return TV_OK;
}

/* Levels of a thread's groups follow each other in the index (struct
 * tv_index_thread, group_first). */
static void find_group_levels(struct tv_folded_stretch *row)
{
    const struct tv_index *index = row->builder->index;
    const struct tv_index_thread *thread = &index->threads[row->thread_ix];
    const struct tv_index_segment_group *level = index->segment_groups + thread->group_first;
    uint64_t count = thread->group_count;
    row->level_count = thread->group_level_count;
    for (uint32_t i = 0; i < row->level_count; i++) {
        row->levels[i] = level;
        row->counts[i] = count;
        level += count;
        count = (count + TV_SEGMENT_GROUP_FANOUT - 1) / TV_SEGMENT_GROUP_FANOUT;
    }
}

enum tv_code tv_window_add_folded_row(struct tv_window_builder *builder, uint32_t thread_ix,
                                      struct tv_error *err)
{
    const struct tv_index *index = builder->index;
    const struct tv_alloc *alloc = builder->window->alloc;
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    uint64_t unit_ns = index->info->unit_ns;
    struct tv_folded_stretch row = {.builder = builder,
                                    .thread_ix = thread_ix,
                                    .window_begin = builder->opts->from_ns / unit_ns,
                                    .window_end = builder->opts->to_ns / unit_ns + 1};
    struct stretch_job *jobs;
    if (!thread->group_count || !thread->max_depth)
        return TV_OK;
    find_group_levels(&row);
    row.to = UINT64_MAX;
    /* The last group that starts at or before the window. */
    row.first = first_group_from(&row, row.window_begin + 1);
    row.first -= row.first > 0;
    row.list.limit = builder->other_boxes.limit - builder->other_boxes.count;
    size_t most = stretch_count_of(&row);
    TV_TRY(tv_alloc_new(alloc, &jobs, most, sizeof(*jobs), err));
    size_t count = split_row(&row, jobs, most);
    builder->pool->run(builder->pool->ctx, make_stretch_task, jobs, count);
    enum tv_code code = join_stretches(builder, jobs, count, err);
    for (size_t i = 0; i < count; i++) {
        struct tv_box_list *list = &jobs[i].stretch.list;
        tv_alloc_release(alloc, &list->boxes, list->cap, sizeof(*list->boxes));
    }
    tv_alloc_release(alloc, &jobs, most, sizeof(*jobs));
    return code;
}
