/*
 * A folded row: what was innermost, from the index's folds where pixels are dense and from a walk
 * where they are not.
 *
 * Folds that lie inside one pixel, and have no segment as wide as one, are taken whole, by the
 * levels above them where those do, too. A fold over the border of two pixels gives its longest
 * segment to the pixel that has it; the other pixel needs to walk its part only if that might still
 * hold something longer than all it has.
 */
#include "analysis/window_rows.h"

#include "base/alloc.h"
#include "base/error.h"

/* Segments looked at for a second method in a pixel whose folds all name the same. */
#define MIXED_PROBES 64u

/* The pixel that is being filled with segments smaller than it. */
struct pixel {
    bool is_used;
    uint64_t number;
    uint64_t begin; /* units: [begin, end) are the starts that belong to it */
    uint64_t end;
    uint64_t first_start;
    uint64_t last_end;
    struct tv_segment longest;
    bool has_segment; /* `longest` says something */
    bool is_mixed;
    uint32_t method;                   /* the first one met */
    uint32_t count;                    /* segments, while all were seen one by one */
    const struct tv_index_fold *whole; /* a fold that was taken whole, to be probed; NULL: none */
    const struct tv_index_fold
        *carry; /* a fold over its beginning that was not looked at; NULL: none */
    uint64_t carry_end;
};

/* The call of the last box of a depth. */
struct known_call {
    uint64_t call;
    bool is_known;
    uint8_t flags;
    uint8_t cpu;
};

struct folding {
    struct tv_painting *painting;
    uint32_t thread_ix;
    const struct tv_index_fold *folds; /* the lowest level */
    uint64_t fold_count;
    uint64_t from; /* units: the window */
    uint64_t to;
    struct pixel pixel;
    struct known_call *known; /* per depth */
};

static uint32_t method_of(const struct folding *folding, uint64_t call)
{
    const struct tv_index *index = folding->painting->index;
    return index->node_method[index->call_node[call]];
}

static uint64_t fold_end(const struct folding *folding, uint64_t i)
{
    return i < folding->fold_count ? folding->folds[i].start : UINT64_MAX;
}

/* A segment may be the longest of the pixel: the longer, then the earlier, whatever the order they
 * come in. */
static void offer(struct folding *folding, const struct tv_segment *segment)
{
    struct pixel *pixel = &folding->pixel;
    if (!pixel->has_segment) {
        pixel->longest = *segment;
        pixel->method = method_of(folding, segment->call);
        pixel->has_segment = true;
        return;
    }
    /* What method a call has must come from memory, twice; most pixels soon know enough. */
    pixel->is_mixed = pixel->is_mixed || method_of(folding, segment->call) != pixel->method;
    if (segment->len > pixel->longest.len ||
        (segment->len == pixel->longest.len && segment->start < pixel->longest.start))
        pixel->longest = *segment;
}

static void offer_fold(struct folding *folding, const struct tv_index_fold *fold)
{
    if (fold->longest_depth == TV_NONE)
        return;
    struct tv_segment longest = {fold->longest_start, fold->longest_len, fold->longest_call,
                                 fold->longest_depth};
    offer(folding, &longest);
    if (!folding->pixel.is_mixed && fold->first_depth != TV_NONE &&
        method_of(folding, fold->first_call) != folding->pixel.method)
        folding->pixel.is_mixed = true;
}

/* Calls have many segments, between those of their callees; what costs a sum over the callees is
 * told once. */
static void know_call(const struct folding *folding, struct tv_call_ref ref,
                      struct known_call *known)
{
    const struct tv_painting *painting = folding->painting;
    struct tv_box box = tv_box_of_own_call(painting, ref, 0, 0);
    *known = (struct known_call){.is_known = true, .call = ref.call, .flags = (uint8_t)box.flags};
    if (painting->opts->has_cpu) {
        uint64_t exclusive[TV_CLOCK_COUNT];
        tv_call_exclusive(painting->index, ref, exclusive);
        known->cpu = (uint8_t)tv_cpu_share(painting->index, exclusive);
    }
}

static struct tv_box box_of_segment(const struct folding *folding, const struct tv_segment *segment,
                                    uint64_t start, uint64_t len)
{
    const struct tv_index *index = folding->painting->index;
    struct tv_call_ref ref = {folding->thread_ix, segment->depth, segment->call};
    struct known_call *known = &folding->known[segment->depth];
    if (!known->is_known || known->call != segment->call)
        know_call(folding, ref, known);
    return (struct tv_box){.start_ns = start * index->info->unit_ns,
                           .len_ns = len * index->info->unit_ns,
                           .method = tv_call_method(index, ref),
                           .count = 1,
                           .depth = ref.depth,
                           .call = (uint32_t)tv_call_ordinal_in_row(index, ref),
                           .flags = known->flags,
                           .cpu = known->cpu};
}

/* Walks from the start of a fold over the segments that start in [begin, end), and offers them to
 * the pixel. */
static void walk_into_pixel(struct folding *folding, const struct tv_index_fold *fold,
                            uint64_t begin, uint64_t end)
{
    struct tv_walker *prober = &folding->painting->prober;
    struct tv_segment segment;
    tv_walker_seek(prober, fold);
    while (tv_walker_next(prober, &segment) && segment.start < end) {
        if (segment.start >= begin)
            offer(folding, &segment);
    }
}

static void probe_for_mixed(struct folding *folding)
{
    struct tv_walker *prober = &folding->painting->prober;
    struct pixel *pixel = &folding->pixel;
    struct tv_segment segment;
    tv_walker_seek(prober, pixel->whole);
    for (unsigned i = 0; i < MIXED_PROBES && !pixel->is_mixed; i++) {
        if (!tv_walker_next(prober, &segment) || segment.start >= pixel->end)
            return;
        pixel->is_mixed = method_of(folding, segment.call) != pixel->method;
    }
}

static enum tv_code finish_pixel(struct folding *folding, struct tv_error *err)
{
    struct pixel *pixel = &folding->pixel;
    if (!pixel->is_used)
        return TV_OK;
    pixel->is_used = false;
    if (pixel->carry && (!pixel->has_segment || pixel->carry->longest_len > pixel->longest.len))
        walk_into_pixel(folding, pixel->carry, pixel->begin, pixel->carry_end);
    if (!pixel->has_segment)
        return TV_OK;
    if (pixel->whole && !pixel->is_mixed)
        probe_for_mixed(folding);
    struct tv_box box = box_of_segment(folding, &pixel->longest, pixel->first_start,
                                       pixel->last_end - pixel->first_start);
    bool is_whole = !pixel->whole && !pixel->carry;
    box.count = is_whole ? pixel->count : 0;
    if (pixel->is_mixed)
        box.flags |= TV_BOX_MIXED;
    return tv_paint_box(folding->painting, &box, err);
}

/* Makes the pixel that `time` lies in the current one. */
static enum tv_code enter_pixel(struct folding *folding, uint64_t time, struct tv_error *err)
{
    struct pixel *pixel = &folding->pixel;
    if (pixel->is_used && time < pixel->end)
        return TV_OK;
    TV_TRY(finish_pixel(folding, err));
    uint64_t number = tv_pixel_of(folding->painting, time);
    *pixel = (struct pixel){.is_used = true,
                            .number = number,
                            .begin = tv_pixel_start(folding->painting, number),
                            .end = tv_pixel_start(folding->painting, number + 1),
                            .first_start = time,
                            .last_end = time};
    return TV_OK;
}

static enum tv_code take_segment(struct folding *folding, const struct tv_segment *segment,
                                 struct tv_error *err)
{
    struct pixel *pixel = &folding->pixel;
    if (tv_is_pixel_wide(folding->painting, segment->len)) {
        TV_TRY(finish_pixel(folding, err));
        struct tv_box box = box_of_segment(folding, segment, segment->start, segment->len);
        return tv_paint_box(folding->painting, &box, err);
    }
    TV_TRY(enter_pixel(folding, segment->start, err));
    offer(folding, segment);
    pixel->count++;
    if (segment->start + segment->len > pixel->last_end)
        pixel->last_end = segment->start + segment->len;
    return TV_OK;
}

/* All segments of a fold, one by one. */
static enum tv_code walk_fold(struct folding *folding, uint64_t i, struct tv_error *err)
{
    struct tv_walker *walker = &folding->painting->walker;
    uint64_t end = fold_end(folding, i + 1);
    struct tv_segment segment;
    if (end > folding->to)
        end = folding->to;
    tv_walker_seek(walker, &folding->folds[i]);
    while (tv_walker_next(walker, &segment) && segment.start < end && !folding->painting->is_full) {
        if (segment.start + segment.len < folding->from)
            continue;
        TV_TRY(take_segment(folding, &segment, err));
    }
    return TV_OK;
}

/* A fold, or an entry of a level above, whose segments all start in the pixel of its start. */
static enum tv_code take_whole(struct folding *folding, const struct tv_index_fold *fold,
                               uint64_t end, struct tv_error *err)
{
    struct pixel *pixel = &folding->pixel;
    TV_TRY(enter_pixel(folding, fold->start, err));
    offer_fold(folding, fold);
    pixel->whole = fold;
    if (end > pixel->last_end)
        pixel->last_end = end;
    return TV_OK;
}

/* A fold over the border of two neighbouring pixels. */
static enum tv_code take_border(struct folding *folding, uint64_t i, struct tv_error *err)
{
    const struct tv_index_fold *fold = &folding->folds[i];
    struct pixel *pixel = &folding->pixel;
    TV_TRY(enter_pixel(folding, fold->start, err));
    uint64_t border = pixel->end;
    bool is_before = fold->longest_start < border;
    if (is_before)
        offer_fold(folding, fold);
    else if (!pixel->has_segment || fold->longest_len > pixel->longest.len)
        walk_into_pixel(folding, fold, fold->start, border);
    pixel->whole = fold;
    pixel->last_end = border;
    TV_TRY(enter_pixel(folding, border, err));
    pixel->first_start = border;
    pixel->last_end = fold_end(folding, i + 1);
    if (is_before) {
        pixel->carry = fold;
        pixel->carry_end = fold_end(folding, i + 1);
    } else {
        offer_fold(folding, fold);
        pixel->carry = fold; /* its segments were not counted */
        pixel->carry_end = border;
    }
    return TV_OK;
}

/* How many folds from the i-th on were taken at once by the highest level that stays inside a
 * pixel; 0: none. */
static enum tv_code take_level(struct folding *folding, uint64_t i, uint64_t *taken,
                               struct tv_error *err)
{
    const struct tv_index_thread *thread = &folding->painting->index->threads[folding->thread_ix];
    const struct tv_index_fold *level = folding->folds;
    uint64_t count = folding->fold_count;
    uint64_t span = 1;
    uint64_t pixel = tv_pixel_of(folding->painting, folding->folds[i].start);
    uint64_t border = tv_pixel_start(folding->painting, pixel + 1);
    const struct tv_index_fold *best = NULL;
    *taken = 0;
    for (uint32_t k = 0; k < thread->fold_level_count && i % span == 0; k++) {
        uint64_t end =
            fold_end(folding, i + span < folding->fold_count ? i + span : folding->fold_count);
        const struct tv_index_fold *entry = &level[i / span];
        if (end > border || end > folding->to ||
            tv_is_pixel_wide(folding->painting, entry->longest_len))
            break;
        best = entry;
        *taken = span;
        level += count;
        count = (count + TV_FOLD_FANOUT - 1) / TV_FOLD_FANOUT;
        span *= TV_FOLD_FANOUT;
    }
    if (!best)
        return TV_OK;
    return take_whole(folding, best, fold_end(folding, i + *taken), err);
}

static enum tv_code take_fold(struct folding *folding, uint64_t i, uint64_t *taken,
                              struct tv_error *err)
{
    const struct tv_painting *painting = folding->painting;
    const struct tv_index_fold *fold = &folding->folds[i];
    uint64_t end = fold_end(folding, i + 1);
    *taken = 0;
    if (fold->start >= folding->from)
        TV_TRY(take_level(folding, i, taken, err));
    if (*taken)
        return TV_OK;
    *taken = 1;
    bool is_inside = fold->start >= folding->from && end <= folding->to;
    bool has_wide = tv_is_pixel_wide(painting, fold->longest_len);
    bool is_border = is_inside && !has_wide &&
                     tv_pixel_of(painting, end) - tv_pixel_of(painting, fold->start) == 1;
    if (is_border && fold->longest_depth != TV_NONE)
        return take_border(folding, i, err);
    return walk_fold(folding, i, err);
}

/* The last fold that starts at or before `time`. */
static uint64_t fold_at(const struct folding *folding, uint64_t time)
{
    uint64_t low = 0;
    uint64_t high = folding->fold_count;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (folding->folds[middle].start <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static enum tv_code paint(struct folding *folding, struct tv_error *err)
{
    const struct tv_painting *painting = folding->painting;
    uint64_t taken = 0;
    for (uint64_t i = fold_at(folding, folding->from);
         i < folding->fold_count && folding->folds[i].start < folding->to && !painting->is_full;
         i += taken)
        TV_TRY(take_fold(folding, i, &taken, err));
    return finish_pixel(folding, err);
}

enum tv_code tv_paint_folded(struct tv_painting *painting, uint32_t thread_ix, struct tv_error *err)
{
    const struct tv_index *index = painting->index;
    const struct tv_alloc *alloc = painting->window->alloc;
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    uint64_t unit_ns = index->info->unit_ns;
    struct folding folding = {.painting = painting,
                              .thread_ix = thread_ix,
                              .folds = index->folds + thread->fold_first,
                              .fold_count = thread->fold_count,
                              .from = painting->opts->from_ns / unit_ns,
                              .to = painting->opts->to_ns / unit_ns + 1};
    if (!folding.fold_count || !thread->max_depth)
        return TV_OK;
    TV_TRY(tv_walker_open(&painting->walker, index, thread_ix, err));
    TV_TRY(tv_walker_open(&painting->prober, index, thread_ix, err));
    TV_TRY(tv_alloc_new(alloc, &folding.known, thread->max_depth, sizeof(*folding.known), err));
    enum tv_code code = paint(&folding, err);
    tv_alloc_free(alloc, folding.known, thread->max_depth, sizeof(*folding.known));
    return code;
}
