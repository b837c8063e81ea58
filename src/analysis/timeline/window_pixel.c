/* Segments into pixels, and pixels into boxes; see analysis/timeline/window_pixel.h. */
#include "analysis/timeline/window_pixel.h"

#include "base/error.h"

/* Segments looked at for a second method in a pixel whose folds all name the same. */
#define MIXED_PROBES 64u

static uint32_t method_of(const struct tv_folding *folding, uint64_t call)
{
    const struct tv_index *index = folding->painting->index;
    return index->node_method[index->call_node[call]];
}

void tv_pixel_offer(struct tv_folding *folding, const struct tv_segment *segment)
{
    struct tv_pixel *pixel = &folding->pixel;
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

void tv_pixel_offer_group(struct tv_folding *folding, const struct tv_index_segment_group *group)
{
    if (group->longest_depth == TV_NONE)
        return;
    struct tv_segment longest = {group->longest_start, group->longest_len, group->longest_call,
                                 group->longest_depth};
    tv_pixel_offer(folding, &longest);
    if (!folding->pixel.is_mixed && group->first_depth != TV_NONE &&
        method_of(folding, group->first_call) != folding->pixel.method)
        folding->pixel.is_mixed = true;
}

/* Calls have many segments, between those of their callees; what costs a sum over the callees is
 * told once. */
static void know_call(const struct tv_folding *folding, struct tv_call_ref ref,
                      struct tv_known_call *known)
{
    const struct tv_painting *painting = folding->painting;
    struct tv_box box = tv_box_of_own_call(painting, ref, 0, 0);
    *known =
        (struct tv_known_call){.is_known = true, .call = ref.call, .flags = (uint8_t)box.flags};
    if (painting->opts->has_cpu) {
        uint64_t exclusive[TV_CLOCK_COUNT];
        tv_call_exclusive(painting->index, ref, exclusive);
        known->cpu = (uint8_t)tv_cpu_share(painting->index, exclusive);
    }
}

static struct tv_box box_of_segment(const struct tv_folding *folding,
                                    const struct tv_segment *segment, uint64_t start, uint64_t len)
{
    const struct tv_index *index = folding->painting->index;
    struct tv_call_ref ref = {folding->thread_ix, segment->depth, segment->call};
    struct tv_known_call *known = &folding->known[segment->depth];
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
void tv_pixel_walk(struct tv_folding *folding, const struct tv_index_segment_group *group,
                   uint64_t begin, uint64_t end)
{
    struct tv_walker *prober = &folding->prober;
    struct tv_segment segment;
    tv_walker_seek(prober, group);
    while (tv_walker_next(prober, &segment) && segment.start < end) {
        if (segment.start >= begin)
            tv_pixel_offer(folding, &segment);
    }
}

static void probe_for_mixed(struct tv_folding *folding)
{
    struct tv_walker *prober = &folding->prober;
    struct tv_pixel *pixel = &folding->pixel;
    struct tv_segment segment;
    tv_walker_seek(prober, pixel->whole);
    for (unsigned i = 0; i < MIXED_PROBES && !pixel->is_mixed; i++) {
        if (!tv_walker_next(prober, &segment) || segment.start >= pixel->end)
            return;
        pixel->is_mixed = method_of(folding, segment.call) != pixel->method;
    }
}

static bool is_own(const struct tv_folding *folding, uint64_t time)
{
    return time >= folding->from && time < folding->to;
}

static enum tv_code add_box(struct tv_folding *folding, const struct tv_box *box,
                            struct tv_error *err)
{
    const struct tv_alloc *alloc = folding->painting->window->alloc;
    return tv_add_boxes(&folding->list, alloc, box, 1, err);
}

enum tv_code tv_pixel_finish(struct tv_folding *folding, struct tv_error *err)
{
    struct tv_pixel *pixel = &folding->pixel;
    if (!pixel->is_used)
        return TV_OK;
    pixel->is_used = false;
    if (!is_own(folding, pixel->begin))
        return TV_OK;
    if (pixel->carry && (!pixel->has_segment || pixel->carry->longest_len >= pixel->longest.len))
        tv_pixel_walk(folding, pixel->carry, pixel->begin, pixel->carry_end);
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
    return add_box(folding, &box, err);
}

enum tv_code tv_pixel_change(struct tv_folding *folding, uint64_t time, struct tv_error *err)
{
    TV_TRY(tv_pixel_finish(folding, err));
    uint64_t number = tv_pixel_of(folding->painting, time);
    folding->pixel = (struct tv_pixel){.is_used = true,
                                       .begin = tv_pixel_start(folding->painting, number),
                                       .end = tv_pixel_start(folding->painting, number + 1),
                                       .first_start = time,
                                       .last_end = time};
    return TV_OK;
}

enum tv_code tv_pixel_take(struct tv_folding *folding, const struct tv_segment *segment,
                           struct tv_error *err)
{
    struct tv_pixel *pixel = &folding->pixel;
    if (tv_is_pixel_wide(folding->painting, segment->len)) {
        TV_TRY(tv_pixel_finish(folding, err));
        if (!is_own(folding, segment->start))
            return TV_OK;
        struct tv_box box = box_of_segment(folding, segment, segment->start, segment->len);
        return add_box(folding, &box, err);
    }
    TV_TRY(tv_pixel_enter(folding, segment->start, err));
    tv_pixel_offer(folding, segment);
    pixel->count++;
    if (segment->start + segment->len > pixel->last_end)
        pixel->last_end = segment->start + segment->len;
    return TV_OK;
}
