/* Room for long calls; see index/build/long_durations.h. */
#include "index/build/long_durations.h"

#include "base/alloc.h"
#include "base/error.h"

/* A thread has short durations when at most one in so many calls can be long. */
#define CALLS_PER_LONG 16u

/* The most calls of a row that can be long on a clock. */
static uint64_t most_in_row(const struct tv_layout *layout, const struct tv_builder *b,
                            const struct tv_build_thread *thread, enum tv_clock clock, size_t row)
{
    const struct tv_thread_clock *own = &thread->clock[clock];
    uint64_t span = thread->depth ? tv_layout_open_end(layout, b, thread, clock)
                                  : (uint64_t)(own->high - own->first);
    uint64_t most = span / TV_LONG_DURATION;
    return most < thread->rows[row].count ? most : thread->rows[row].count;
}

void tv_longs_settle(const struct tv_layout *layout, const struct tv_builder *b,
                     struct tv_build_thread *thread)
{
    uint64_t most = 0;
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

/* Gives each row of a thread its room, on one clock after the other. */
static void place_longs(struct tv_layout *layout, const struct tv_builder *b,
                        const struct tv_build_thread *thread)
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        for (size_t row = 0; b->trace->has_clock[clock] && row < thread->row_count; row++) {
            uint64_t room = most_in_row(layout, b, thread, (enum tv_clock)clock, row);
            layout->row_longs[2 * (thread->out->row_first + row) + clock] =
                (struct tv_row_longs){.first = layout->long_cap, .room = (uint32_t)room};
            layout->long_cap += room;
        }
    }
}

enum tv_code tv_longs_make(struct tv_layout *layout, const struct tv_builder *builder,
                           struct tv_error *err)
{
    bool has_long = false;
    for (size_t i = 0; i < builder->thread_count; i++)
        has_long |= builder->threads[i]->duration_len == 2 && builder->threads[i]->has_long_room;
    if (!has_long)
        return TV_OK;
    TV_TRY(tv_alloc_new(layout->alloc, &layout->row_longs, 2 * layout->row_count,
                        sizeof(*layout->row_longs), err));
    for (size_t i = 0; i < layout->thread_count; i++) {
        const struct tv_build_thread *thread = layout->threads[i];
        if (thread && thread->duration_len == 2)
            place_longs(layout, builder, thread);
    }
    return tv_alloc_new(layout->alloc, &layout->longs, layout->long_cap, sizeof(*layout->longs),
                        err);
}

void tv_longs_release(struct tv_layout *layout)
{
    tv_alloc_free(layout->alloc, layout->longs, layout->long_cap, sizeof(*layout->longs));
    tv_alloc_free(layout->alloc, layout->row_longs, 2 * layout->row_count,
                  sizeof(*layout->row_longs));
}

bool tv_longs_add(const struct tv_layout *layout, uint64_t row_ix, unsigned clock, uint64_t call,
                  uint64_t duration)
{
    struct tv_row_longs *row = layout->row_longs ? &layout->row_longs[2 * row_ix + clock] : NULL;
    if (!row || row->count == row->room)
        return false;
    layout->longs[row->first + row->count++] =
        (struct tv_index_long){.call = call, .duration = duration};
    return true;
}

uint64_t tv_longs_total(const struct tv_layout *layout)
{
    uint64_t total = 0;
    for (size_t i = 0; layout->row_longs && i < 2 * layout->row_count; i++)
        total += layout->row_longs[i].count;
    return total;
}

void tv_longs_write(const struct tv_layout *layout, struct tv_index_thread *threads,
                    struct tv_index_long *out)
{
    uint64_t total = 0;
    for (size_t i = 0; i < layout->thread_count; i++) {
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            threads[i].long_first[clock] = total;
            for (uint64_t row = 0; layout->row_longs && row < threads[i].max_depth; row++) {
                const struct tv_row_longs *longs =
                    &layout->row_longs[2 * (threads[i].row_first + row) + clock];
                if (longs->count)
                    memcpy(out + total, layout->longs + longs->first, longs->count * sizeof(*out));
                total += longs->count;
            }
            threads[i].long_count[clock] = total - threads[i].long_first[clock];
        }
    }
}
