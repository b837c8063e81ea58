/*
 * Boxes of a window, as all kinds of rows make them: a box of one call or of several, and the list
 * that boxes are appended to. The rows decide which calls a box has (window_depth.c,
 * window_folded.c, window_extents.c).
 */
#include <string.h>

#include "analysis/timeline/window_rows.h"
#include "base/alloc.h"
#include "base/error.h"

enum tv_code tv_box_list_append(struct tv_box_list *list, const struct tv_alloc *alloc,
                                const struct tv_box *boxes, size_t count, struct tv_error *err)
{
    list->is_full = list->is_full || count > list->limit - list->count;
    if (list->is_full || !count)
        return TV_OK;
    TV_TRY(tv_alloc_grow(alloc, &list->boxes, &list->cap, list->count + count, sizeof(*list->boxes),
                         err));
    memcpy(list->boxes + list->count, boxes, count * sizeof(*boxes));
    list->count += count;
    return TV_OK;
}

uint32_t tv_box_cpu_share(const struct tv_index *index, const uint64_t times[TV_CLOCK_COUNT],
                          uint64_t unrecorded)
{
    uint64_t wall = times[TV_CLOCK_WALL];
    uint64_t cpu = times[TV_CLOCK_CPU];
    if (!index->info->has_clock[TV_CLOCK_WALL] || !index->info->has_clock[TV_CLOCK_CPU] || !wall ||
        unrecorded > wall)
        return TV_BOX_CPU_UNKNOWN;
    if (cpu >= wall)
        return TV_BOX_CPU_WHOLE;
    return (uint32_t)((double)cpu / (double)wall * TV_BOX_CPU_WHOLE + 0.5);
}

/* Fills the part of a box that names its call, which is one of the whole index. */
static void tell_call(struct tv_box *box, const struct tv_index *whole, struct tv_call_ref ref)
{
    box->depth = ref.depth;
    box->call = (uint32_t)tv_call_ordinal_in_row(whole, ref);
    if (tv_call_is_open_at_end(whole, ref))
        box->flags |= TV_BOX_OPEN_AT_END;
    if (tv_call_is_adopted(whole, ref))
        box->flags |= TV_BOX_ADOPTED;
}

/* The CPU share of a call's whole duration. */
static uint32_t cpu_of_call(const struct tv_index *index, struct tv_call_ref ref)
{
    const struct tv_index_thread *thread = &index->threads[ref.thread_ix];
    uint64_t times[TV_CLOCK_COUNT] = {0, 0};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (index->info->has_clock[clock])
            times[clock] = tv_index_duration(index, thread, (enum tv_clock)clock, ref.call);
    }
    uint64_t unrecorded = tv_call_unrecorded(index, ref);
    times[TV_CLOCK_WALL] -= unrecorded;
    return tv_box_cpu_share(index, times, unrecorded);
}

/* Where packages are hidden, `ref` is a call of the lean index; a box names the call of the whole
 * index, so that other questions understand it. */
struct tv_box tv_box_of_call(const struct tv_window_builder *builder, struct tv_call_ref ref,
                             uint64_t start, uint64_t len)
{
    const struct tv_index *index = builder->index;
    struct tv_box box = {
        .start_ns = start * index->info->unit_ns,
        .len_ns = len * index->info->unit_ns,
        .method = tv_call_method(index, ref),
        .count = 1,
    };
    tell_call(&box, builder->whole, builder->lean ? tv_lean_origin(builder->lean, ref) : ref);
    if (builder->lean && builder->lean->origins && builder->lean->has_omitted[ref.call])
        box.flags |= TV_BOX_OMITS;
    if (builder->opts->has_cpu)
        box.cpu = cpu_of_call(index, ref);
    return box;
}

struct tv_box tv_box_of_single_call(const struct tv_window_builder *builder, struct tv_call_ref ref,
                                    uint64_t start, uint64_t len)
{
    struct tv_box box = tv_box_of_call(builder, ref, start, len);
    if (tv_call_is_waiting(builder->index, ref))
        box.flags |= TV_BOX_WAITING;
    return box;
}
