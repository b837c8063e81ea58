/*
 * Segments to pixels, and pixels to boxes; see analysis/timeline/window_pixel.h.
 *
 * What was not read while a pixel was filled is read when the pixel is finished, and only if it may
 * change the box: a group that may hold a longer segment, or one that may hold a second method.
 */
#include "analysis/timeline/window_pixel.h"

#include "base/error.h"

/* Segments that are read to find a second method in a pixel whose groups all name the same one. A
 * pixel with more than these may lack its mark "mixed". */
#define MIXED_PROBES 64u

static uint32_t method_of(const struct tv_folded_stretch *stretch, uint64_t call)
{
    const struct tv_index *index = stretch->builder->index;
    return index->node_method[index->call_node[call]];
}

void tv_pixel_offer_segment(struct tv_folded_stretch *stretch, const struct tv_segment *segment)
{
    struct tv_pixel *pixel = &stretch->pixel;
    if (!pixel->has_segment) {
        pixel->longest = *segment;
        pixel->method = method_of(stretch, segment->call);
        pixel->has_segment = true;
        return;
    }
    /* The method of a call is two reads of memory away, so a pixel known to
     * be mixed asks no more. */
    pixel->is_mixed = pixel->is_mixed || method_of(stretch, segment->call) != pixel->method;
    if (segment->len > pixel->longest.len ||
        (segment->len == pixel->longest.len && segment->start < pixel->longest.start))
        pixel->longest = *segment;
}

void tv_pixel_offer_group(struct tv_folded_stretch *stretch,
                          const struct tv_index_segment_group *group)
{
    if (group->longest_depth == TV_NONE)
        return;
    struct tv_segment longest = {group->longest_start, group->longest_len, group->longest_call,
                                 group->longest_depth};
    tv_pixel_offer_segment(stretch, &longest);
    if (!stretch->pixel.is_mixed && group->first_depth != TV_NONE &&
        method_of(stretch, group->first_call) != stretch->pixel.method)
        stretch->pixel.is_mixed = true;
}

/* Finds what box_of_segment remembers of a call. */
static void find_marks(const struct tv_folded_stretch *stretch, struct tv_call_ref ref,
                       struct tv_call_marks *marks)
{
    const struct tv_window_builder *builder = stretch->builder;
    struct tv_box box = tv_box_of_single_call(builder, ref, 0, 0);
    *marks = (struct tv_call_marks){.is_known = true,
                                    .call = ref.call,
                                    .depth = box.depth,
                                    .ordinal = box.call,
                                    .flags = (uint8_t)box.flags};
    if (builder->opts->has_cpu) {
        uint64_t exclusive[TV_CLOCK_COUNT];
        uint64_t unrecorded = tv_call_exclusive_recorded(builder->index, ref, exclusive);
        marks->cpu = (uint8_t)tv_box_cpu_share(builder->index, exclusive, unrecorded);
    }
}

/* The marks of the last call of each depth are kept, because a call has many segments. */
static struct tv_box box_of_segment(const struct tv_folded_stretch *stretch,
                                    const struct tv_segment *segment, uint64_t start, uint64_t len)
{
    const struct tv_index *index = stretch->builder->index;
    struct tv_call_ref ref = {stretch->thread_ix, segment->depth, segment->call};
    struct tv_call_marks *marks = &stretch->marks[segment->depth];
    if (!marks->is_known || marks->call != segment->call)
        find_marks(stretch, ref, marks);
    return (struct tv_box){.start_ns = start * index->info->unit_ns,
                           .len_ns = len * index->info->unit_ns,
                           .method = tv_call_method(index, ref),
                           .count = 1,
                           .depth = marks->depth,
                           .call = marks->ordinal,
                           .flags = marks->flags,
                           .cpu = marks->cpu};
}

/* A group names its first innermost call and its longest segment only, so what lies in a part of it
 * must be walked to, from the start of the group. */
void tv_pixel_walk(struct tv_folded_stretch *stretch, const struct tv_index_segment_group *group,
                   uint64_t begin, uint64_t end)
{
    struct tv_walker *side_walker = &stretch->side_walker;
    struct tv_segment segment;
    tv_walker_seek(side_walker, group);
    while (tv_walker_next(side_walker, &segment) && segment.start < end) {
        if (segment.start >= begin)
            tv_pixel_offer_segment(stretch, &segment);
    }
}

/* Looks for a second method among the first segments of a group of the pixel that was not read. */
static void probe_for_mixed(struct tv_folded_stretch *stretch)
{
    struct tv_walker *side_walker = &stretch->side_walker;
    struct tv_pixel *pixel = &stretch->pixel;
    struct tv_segment segment;
    tv_walker_seek(side_walker, pixel->whole_group);
    for (unsigned i = 0; i < MIXED_PROBES && !pixel->is_mixed; i++) {
        if (!tv_walker_next(side_walker, &segment) || segment.start >= pixel->end)
            return;
        pixel->is_mixed = method_of(stretch, segment.call) != pixel->method;
    }
}

/* Neighbouring stretches read the groups over their borders too, but each
 * keeps only its own boxes. */
static bool starts_in_stretch(const struct tv_folded_stretch *stretch, uint64_t time)
{
    return time >= stretch->from && time < stretch->to;
}

static enum tv_code add_box(struct tv_folded_stretch *stretch, const struct tv_box *box,
                            struct tv_error *err)
{
    const struct tv_alloc *alloc = stretch->builder->window->alloc;
    return tv_box_list_append(&stretch->list, alloc, box, 1, err);
}

enum tv_code tv_pixel_finish(struct tv_folded_stretch *stretch, struct tv_error *err)
{
    struct tv_pixel *pixel = &stretch->pixel;
    if (!pixel->is_used)
        return TV_OK;
    pixel->is_used = false;
    if (!starts_in_stretch(stretch, pixel->begin))
        return TV_OK;
    /* The longest segment of a group bounds the segments of its part in this pixel. */
    if (pixel->unread_group &&
        (!pixel->has_segment || pixel->unread_group->longest_len >= pixel->longest.len))
        tv_pixel_walk(stretch, pixel->unread_group, pixel->begin, pixel->unread_end);
    if (!pixel->has_segment)
        return TV_OK;
    if (pixel->whole_group && !pixel->is_mixed)
        probe_for_mixed(stretch);
    struct tv_box box = box_of_segment(stretch, &pixel->longest, pixel->first_start,
                                       pixel->last_end - pixel->first_start);
    bool is_whole = !pixel->whole_group && !pixel->unread_group;
    box.count = is_whole ? pixel->count : 0;
    if (pixel->is_mixed)
        box.flags |= TV_BOX_MIXED;
    return add_box(stretch, &box, err);
}

enum tv_code tv_pixel_change(struct tv_folded_stretch *stretch, uint64_t time, struct tv_error *err)
{
    TV_TRY(tv_pixel_finish(stretch, err));
    uint64_t number = tv_pixel_of(stretch->builder, time);
    stretch->pixel = (struct tv_pixel){.is_used = true,
                                       .begin = tv_pixel_start(stretch->builder, number),
                                       .end = tv_pixel_start(stretch->builder, number + 1),
                                       .first_start = time,
                                       .last_end = time};
    return TV_OK;
}

/* A segment as long as a pixel is a box of its own; a shorter one joins the box of the pixel that
 * it starts in. */
enum tv_code tv_pixel_add_segment(struct tv_folded_stretch *stretch,
                                  const struct tv_segment *segment, struct tv_error *err)
{
    struct tv_pixel *pixel = &stretch->pixel;
    if (tv_is_pixel_wide(stretch->builder, segment->len)) {
        TV_TRY(tv_pixel_finish(stretch, err));
        if (!starts_in_stretch(stretch, segment->start))
            return TV_OK;
        struct tv_box box = box_of_segment(stretch, segment, segment->start, segment->len);
        return add_box(stretch, &box, err);
    }
    TV_TRY(tv_pixel_enter(stretch, segment->start, err));
    tv_pixel_offer_segment(stretch, segment);
    pixel->count++;
    if (segment->start + segment->len > pixel->last_end)
        pixel->last_end = segment->start + segment->len;
    return TV_OK;
}
