/*
 * A folded row: what was innermost, from the index's folds where pixels are dense and from a walk
 * where they are not.
 *
 * Folds that lie inside one pixel, and have no segment as wide as one, are taken whole, by the
 * levels above them where those do, too. A fold over the border of two pixels gives its longest
 * segment to the pixel that has it; the other pixel needs to walk its part only if that might still
 * hold something longer than all it has.
 *
 * Where there are many folds, stretches of pixels are made at once. All that lies in a pixel comes
 * from the folds that start in it, and from the one that is under way where it begins; so a stretch
 * begins with that one, and keeps no box of other stretches.
 */
#include "analysis/timeline/window_pixel.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/search.h"

static uint64_t group_end(const struct tv_folding *folding, uint64_t i)
{
    return i < folding->counts[0] ? folding->levels[0][i].start : UINT64_MAX;
}

/* The first fold that starts at or after `time`. */
static uint64_t group_from(const struct tv_folding *folding, uint64_t time)
{
    return tv_search_from(TV_ASCENDING_FIELD(folding->levels[0], (size_t)folding->counts[0],
                                             struct tv_index_segment_group, start),
                          time);
}

/* All segments of a fold, one by one. */
static enum tv_code walk_group(struct tv_folding *folding, uint64_t i, struct tv_error *err)
{
    struct tv_walker *walker = &folding->walker;
    uint64_t end = group_end(folding, i + 1);
    struct tv_segment segment;
    if (end > folding->window_end)
        end = folding->window_end;
    tv_walker_seek(walker, &folding->levels[0][i]);
    while (tv_walker_next(walker, &segment) && segment.start < end && !folding->list.is_full) {
        if (segment.start + segment.len < folding->window_begin)
            continue;
        TV_TRY(tv_pixel_take(folding, &segment, err));
    }
    return TV_OK;
}

/* A fold, or an entry of a level above, whose segments all start in the pixel of its start. */
static enum tv_code take_whole(struct tv_folding *folding,
                               const struct tv_index_segment_group *group, uint64_t end,
                               struct tv_error *err)
{
    struct tv_pixel *pixel = &folding->pixel;
    TV_TRY(tv_pixel_enter(folding, group->start, err));
    tv_pixel_offer_group(folding, group);
    pixel->whole = group;
    if (end > pixel->last_end)
        pixel->last_end = end;
    return TV_OK;
}

/* A fold over the border of two neighbouring pixels. */
static enum tv_code take_border(struct tv_folding *folding, uint64_t i, struct tv_error *err)
{
    const struct tv_index_segment_group *group = &folding->levels[0][i];
    struct tv_pixel *pixel = &folding->pixel;
    TV_TRY(tv_pixel_enter(folding, group->start, err));
    uint64_t border = pixel->end;
    bool is_before = group->longest_start < border;
    if (is_before)
        tv_pixel_offer_group(folding, group);
    else if (!pixel->has_segment || group->longest_len > pixel->longest.len)
        tv_pixel_walk(folding, group, group->start, border);
    pixel->whole = group;
    pixel->last_end = border;
    TV_TRY(tv_pixel_enter(folding, border, err));
    pixel->first_start = border;
    pixel->last_end = group_end(folding, i + 1);
    if (is_before) {
        pixel->carry = group;
        pixel->carry_end = group_end(folding, i + 1);
    } else {
        tv_pixel_offer_group(folding, group);
        pixel->carry = group; /* its segments were not counted */
        pixel->carry_end = border;
    }
    return TV_OK;
}

/* The next fold, and its start: what was taken before it knows that, too, and nearer. */
struct place {
    uint64_t group;
    uint64_t start;
};

/* Those that one entry above stands for are mostly taken one by one: before the end of a pixel, and
 * behind it. Inline by force: gcc takes a function that only asks ahead for one that does nothing.
 */
TV_INLINE void ask_for_groups(const struct tv_folding *folding, uint64_t first)
{
    uint64_t left = folding->counts[0] - first;
    uint64_t count = left < TV_SEGMENT_GROUP_FANOUT ? left : TV_SEGMENT_GROUP_FANOUT;
    for (uint64_t i = 0; i < count; i++)
        TV_PREFETCH(&folding->levels[0][first + i]);
}

/*
 * The entry of the highest level that begins with the next fold and stays inside its pixel; NULL
 * when there is none. `place` is moved behind it.
 */
static const struct tv_index_segment_group *pass_entry(const struct tv_folding *folding,
                                                       struct place *place)
{
    uint64_t border = tv_border_after(folding, place->start);
    uint64_t end = border < folding->window_end ? border : folding->window_end;
    uint64_t span = 1;
    uint32_t level = 0;
    for (; level + 1 < folding->level_count && place->group % (span * TV_SEGMENT_GROUP_FANOUT) == 0;
         level++)
        span *= TV_SEGMENT_GROUP_FANOUT;
    /* From above, since most folds that lie in an entry need not be looked at. */
    for (;; level--, span /= TV_SEGMENT_GROUP_FANOUT) {
        uint64_t i = place->group / span;
        const struct tv_index_segment_group *entry = &folding->levels[level][i];
        uint64_t entry_end = i + 1 < folding->counts[level] ? entry[1].start : UINT64_MAX;
        if (entry_end <= end && !tv_is_pixel_wide(folding->painting, entry->longest_len)) {
            *place = (struct place){place->group + span, entry_end};
            return entry;
        }
        if (!level)
            return NULL;
        if (level == 1)
            ask_for_groups(folding, place->group);
    }
}

static enum tv_code take_group(struct tv_folding *folding, struct place *place,
                               struct tv_error *err)
{
    const struct tv_painting *painting = folding->painting;
    const uint64_t start = place->start;
    const struct tv_index_segment_group *entry = NULL;
    if (start >= folding->window_begin)
        entry = pass_entry(folding, place);
    if (entry)
        return take_whole(folding, entry, place->start, err);
    const uint64_t i = place->group++;
    uint64_t end = group_end(folding, i + 1);
    place->start = end;
    const struct tv_index_segment_group *group = &folding->levels[0][i];
    bool is_inside = start >= folding->window_begin && end <= folding->window_end;
    bool has_wide = tv_is_pixel_wide(painting, group->longest_len);
    bool is_border =
        is_inside && !has_wide && tv_pixel_of(painting, end) - tv_pixel_of(painting, start) == 1;
    if (is_border && group->longest_depth != TV_NONE)
        return take_border(folding, i, err);
    return walk_group(folding, i, err);
}

static enum tv_code paint(struct tv_folding *folding, struct tv_error *err)
{
    uint64_t end = folding->to < folding->window_end ? folding->to : folding->window_end;
    struct place place = {folding->first, group_end(folding, folding->first)};
    while (place.group < folding->counts[0] && place.start < end && !folding->list.is_full)
        TV_TRY(take_group(folding, &place, err));
    return tv_pixel_finish(folding, err);
}

/* What a stretch is made with goes; its boxes stay. */
static void release_scratch(struct tv_folding *folding)
{
    const struct tv_painting *painting = folding->painting;
    uint32_t max_depth = painting->index->threads[folding->thread_ix].max_depth;
    tv_alloc_free(painting->window->alloc, folding->known, max_depth, sizeof(*folding->known));
    tv_walker_release(&folding->prober);
    tv_walker_release(&folding->walker);
}

static enum tv_code paint_stretch(struct tv_folding *folding, struct tv_error *err)
{
    const struct tv_painting *painting = folding->painting;
    const struct tv_alloc *alloc = painting->window->alloc;
    uint32_t max_depth = painting->index->threads[folding->thread_ix].max_depth;
    tv_walker_init(&folding->walker, alloc);
    tv_walker_init(&folding->prober, alloc);
    enum tv_code code = tv_walker_open(&folding->walker, painting->index, folding->thread_ix, err);
    if (code == TV_OK)
        code = tv_walker_open(&folding->prober, painting->index, folding->thread_ix, err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &folding->known, max_depth, sizeof(*folding->known), err);
    if (code == TV_OK)
        code = paint(folding, err);
    release_scratch(folding);
    return code;
}

/* Pixels of a stretch: enough of them that what it takes to begin one does not count. */
#define STRETCH_PIXELS 100u
#define STRETCH_FOLDS 16u
#define STRETCH_LIMIT 64u

struct stretch {
    struct tv_folding folding;
    enum tv_code code;
    struct tv_error err;
};

static void stretch_task(void *arg, size_t task_ix)
{
    struct stretch *stretch = (struct stretch *)arg + task_ix;
    stretch->code = paint_stretch(&stretch->folding, &stretch->err);
}

/* Begins a stretch where a pixel begins; false where it cannot: several folds begin there, and
 * those before may take the first of them along. */
static bool begin_stretch(struct tv_folding *stretch, uint64_t time)
{
    uint64_t next = group_from(stretch, time);
    stretch->from = time;
    stretch->first = next ? next - 1 : 0;
    return group_end(stretch, next) != time || group_end(stretch, next + 1) != time;
}

/* Cuts a folded row into stretches, no more than `most`; returns how many. */
static size_t cut_row(const struct tv_folding *row, struct stretch *stretches, size_t most)
{
    const struct tv_painting *painting = row->painting;
    uint64_t pixel_first = tv_pixel_of(painting, row->window_begin);
    uint64_t pixels = tv_pixel_of(painting, row->window_end) - pixel_first;
    size_t count = 1;
    stretches[0].folding = *row;
    for (size_t i = 1; i < most; i++) {
        struct tv_folding next = *row;
        if (!begin_stretch(&next, tv_pixel_start(painting, pixel_first + pixels * i / most)))
            continue;
        stretches[count - 1].folding.to = next.from;
        stretches[count++].folding = next;
    }
    return count;
}

/* How many stretches a row is worth. */
static size_t stretches_of(const struct tv_folding *row)
{
    const struct tv_painting *painting = row->painting;
    uint64_t groups = group_from(row, row->window_end) - group_from(row, row->window_begin);
    uint64_t pixels =
        (row->window_end - row->window_begin) * painting->index->info->unit_ns / painting->pixel_ns;
    /* A deep thread takes its time to begin. */
    uint64_t depth = painting->index->threads[row->thread_ix].max_depth;
    uint64_t count = pixels / (depth > STRETCH_PIXELS ? depth : STRETCH_PIXELS);
    count = count < groups / STRETCH_FOLDS ? count : groups / STRETCH_FOLDS;
    count = count < STRETCH_LIMIT ? count : STRETCH_LIMIT;
    return count ? (size_t)count : 1;
}

static enum tv_code gather(struct tv_painting *painting, const struct stretch *stretches,
                           size_t count, struct tv_error *err)
{
    const struct tv_alloc *alloc = painting->window->alloc;
    for (size_t i = 0; i < count; i++) {
        const struct tv_box_list *list = &stretches[i].folding.list;
        if (stretches[i].code != TV_OK) {
            if (err)
                *err = stretches[i].err;
            return stretches[i].code;
        }
        painting->others.is_full = painting->others.is_full || list->is_full;
        TV_TRY(tv_add_boxes(&painting->others, alloc, list->boxes, list->count, err));
    }
    return TV_OK;
}

static void find_levels(struct tv_folding *row)
{
    const struct tv_index *index = row->painting->index;
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

enum tv_code tv_paint_folded(struct tv_painting *painting, uint32_t thread_ix, struct tv_error *err)
{
    const struct tv_index *index = painting->index;
    const struct tv_alloc *alloc = painting->window->alloc;
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    uint64_t unit_ns = index->info->unit_ns;
    struct tv_folding row = {.painting = painting,
                             .thread_ix = thread_ix,
                             .window_begin = painting->opts->from_ns / unit_ns,
                             .window_end = painting->opts->to_ns / unit_ns + 1};
    struct stretch *stretches;
    if (!thread->group_count || !thread->max_depth)
        return TV_OK;
    find_levels(&row);
    row.to = UINT64_MAX;
    row.first = group_from(&row, row.window_begin + 1);
    row.first -= row.first > 0;
    row.list.limit = painting->others.limit - painting->others.count;
    size_t most = stretches_of(&row);
    TV_TRY(tv_alloc_new(alloc, &stretches, most, sizeof(*stretches), err));
    size_t count = cut_row(&row, stretches, most);
    painting->pool->run(painting->pool->ctx, stretch_task, stretches, count);
    enum tv_code code = gather(painting, stretches, count, err);
    for (size_t i = 0; i < count; i++) {
        const struct tv_box_list *list = &stretches[i].folding.list;
        tv_alloc_free(alloc, list->boxes, list->cap, sizeof(*list->boxes));
    }
    tv_alloc_free(alloc, stretches, most, sizeof(*stretches));
    return code;
}
