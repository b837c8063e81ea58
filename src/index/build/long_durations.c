/*
 * The choice of 2-byte durations, and the room for long calls; see index/build/long_durations.h.
 *
 * While columns are written, each row has its long calls in room of its own, as large as the bound
 * says. At the end the rows' parts are put together without the room that was not used.
 */
#include "index/build/long_durations.h"

#include "base/alloc.h"
#include "base/error.h"

/* A thread gets 2-byte durations when at most one call in this many can be long. An entry of the
 * list takes 16 bytes, and each short duration saves 2, so the index is never longer for it. */
#define CALLS_PER_LONG 16u

/* The bound for a row on one clock. */
static uint64_t most_in_row(const struct tv_layout *layout, const struct tv_builder *b,
                            const struct tv_build_thread *thread, enum tv_clock clock, size_t row)
{
    const struct tv_thread_clock *own = &thread->clock[clock];
    uint64_t span = thread->depth ? tv_layout_open_end(layout, b, thread, clock)
                                  : (uint64_t)(own->high - own->first);
    uint64_t most = span / TV_LONG_DURATION;
    return most < thread->rows[row].count ? most : thread->rows[row].count;
}

void tv_long_durations_choose_width(const struct tv_layout *layout, const struct tv_builder *b,
                                    struct tv_build_thread *thread)
{
    uint64_t most = 0; /* over both clocks and all rows */
    thread->duration_len = thread->is_wide ? 8 : 4;
    if (thread->is_wide)
        return;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        for (size_t row = 0; b->trace->has_clock[clock] && row < thread->row_count; row++)
            most += most_in_row(layout, b, thread, (enum tv_clock)clock, row);
    }
    if (most <= thread->calls / CALLS_PER_LONG)
        thread->duration_len = 2;
    thread->has_long_room = most;
}

/* Gives each row of a thread its room, first on the wall clock and then on the CPU clock. */
static void place_long_calls(struct tv_layout *layout, const struct tv_builder *b,
                             const struct tv_build_thread *thread)
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        for (size_t row = 0; b->trace->has_clock[clock] && row < thread->row_count; row++) {
            uint64_t room = most_in_row(layout, b, thread, (enum tv_clock)clock, row);
            layout->row_long_calls[2 * (thread->out->row_first + row) + clock] =
                (struct tv_row_long_calls){.first = layout->long_cap, .room = (uint32_t)room};
            layout->long_cap += room;
        }
    }
}

enum tv_code tv_long_durations_make(struct tv_layout *layout, const struct tv_builder *builder,
                                    struct tv_error *err)
{
    bool has_long = false;
    for (size_t i = 0; i < builder->thread_count; i++)
        has_long |= builder->threads[i]->duration_len == 2 && builder->threads[i]->has_long_room;
    if (!has_long)
        return TV_OK;
    TV_TRY(tv_alloc_new(layout->alloc, &layout->row_long_calls, 2 * layout->row_count,
                        sizeof(*layout->row_long_calls), err));
    for (size_t i = 0; i < layout->thread_count; i++) {
        const struct tv_build_thread *thread = layout->threads[i];
        if (thread && thread->duration_len == 2)
            place_long_calls(layout, builder, thread);
    }
    /* As many entries as the bounds of all rows, which may be more than there are long calls. */
    return tv_alloc_new(layout->alloc, &layout->long_calls, layout->long_cap,
                        sizeof(*layout->long_calls), err);
}

void tv_long_durations_release(struct tv_layout *layout)
{
    tv_alloc_release(layout->alloc, &layout->long_calls, layout->long_cap,
                     sizeof(*layout->long_calls));
    tv_alloc_release(layout->alloc, &layout->row_long_calls, 2 * layout->row_count,
                     sizeof(*layout->row_long_calls));
}

bool tv_long_durations_add(const struct tv_layout *layout, uint64_t row_ix, unsigned clock,
                           uint64_t call, uint64_t duration)
{
    struct tv_row_long_calls *row =
        layout->row_long_calls ? &layout->row_long_calls[2 * row_ix + clock] : NULL;
    if (!row || row->count == row->room)
        return false;
    layout->long_calls[row->first + row->count++] =
        (struct tv_index_long_call){.call = call, .duration = duration};
    return true;
}

uint64_t tv_long_durations_total(const struct tv_layout *layout)
{
    uint64_t total = 0;
    for (size_t i = 0; layout->row_long_calls && i < 2 * layout->row_count; i++)
        total += layout->row_long_calls[i].count;
    return total;
}

void tv_long_durations_write(const struct tv_layout *layout, struct tv_index_thread *threads,
                             struct tv_index_long_call *out)
{
    uint64_t total = 0;
    /* By thread, clock and row, so the list of each thread and clock ascends by ordinal. */
    for (size_t i = 0; i < layout->thread_count; i++) {
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            threads[i].long_first[clock] = total;
            for (uint64_t row = 0; layout->row_long_calls && row < threads[i].max_depth; row++) {
                const struct tv_row_long_calls *long_calls =
                    &layout->row_long_calls[2 * (threads[i].row_first + row) + clock];
                if (long_calls->count)
                    memcpy(out + total, layout->long_calls + long_calls->first,
                           long_calls->count * sizeof(*out));
                total += long_calls->count;
            }
            threads[i].long_count[clock] = total - threads[i].long_first[clock];
        }
    }
}
