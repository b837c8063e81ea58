/*
 * The loops of event blocks; see format/event_block.h.
 *
 * A record is a few LEB128 numbers, each a difference from the record before. The sums wrap modulo
 * 2^64, so damaged numbers overflow nothing. One loop is compiled for each layout: functions that
 * take a record are inlined with the layout as a constant. A record that cannot be read marks the
 * block as broken, and the cursor goes back to where that record begins.
 */
#include "format/event_block.h"

#include "format/leb.h"
#include "format/wire.h"

bool tv_block_has_bare_exits(enum tv_block_layout layout)
{
    return layout >= TV_BLOCK_TICKS;
}

void tv_block_start(struct tv_event_block *block, enum tv_block_layout layout, const uint8_t *bytes,
                    size_t pos, size_t len)
{
    *block = (struct tv_event_block){.layout = layout,
                                     .cursor = {.bytes = bytes, .len = pos + len, .pos = pos}};
}

/* Each of these reads one record: true when the sums are moved and the record is set, else the
 * cursor may stand anywhere. */

TV_INLINE bool take_word(struct tv_event_block *block, struct tv_raw *raw)
{
    uint64_t delta;
    if (!tv_leb_take_signed(&block->cursor, &delta))
        return false;
    block->word += delta;
    raw->action[raw->count] = block->word & TV_WIRE_ACTION_MASK;
    raw->method_id[raw->count] = block->word & ~(uint64_t)TV_WIRE_ACTION_MASK;
    return true;
}

TV_INLINE bool take_time(struct tv_event_block *block, uint64_t *sum, uint64_t *time)
{
    uint64_t delta;
    if (!tv_leb_take(&block->cursor, &delta))
        return false;
    *sum += delta;
    *time = *sum;
    return true;
}

TV_INLINE bool take_enter_method(struct tv_event_block *block, struct tv_raw *raw, bool is_enter)
{
    uint64_t delta = 0;
    if (is_enter && !tv_leb_take_signed(&block->cursor, &delta))
        return false;
    block->word += delta;
    raw->method_id[raw->count] = is_enter ? block->word : 0;
    return true;
}

TV_INLINE bool take_ticks(struct tv_event_block *block, struct tv_raw *raw, bool has_cpu)
{
    uint64_t delta;
    uint64_t *cpu = &raw->time[TV_CLOCK_CPU][raw->count];
    if (!tv_leb_take_signed(&block->cursor, &delta) ||
        (has_cpu && !take_time(block, &block->cpu, cpu)))
        return false;
    block->wall += delta;
    raw->action[raw->count] = block->wall & TV_WIRE_ACTION_MASK;
    raw->time[TV_CLOCK_WALL][raw->count] = tv_block_time_of_ticks(block->wall);
    return take_enter_method(block, raw, raw->action[raw->count] == TV_ACTION_ENTER);
}

TV_INLINE bool take_long_running(struct tv_event_block *block, struct tv_raw *raw)
{
    uint64_t delta;
    if (!tv_leb_take_signed(&block->cursor, &delta))
        return false;
    block->wall += delta;
    bool is_exit = block->wall & 1;
    raw->action[raw->count] = is_exit ? TV_ACTION_EXIT : TV_ACTION_ENTER;
    raw->time[TV_CLOCK_WALL][raw->count] = block->wall >> 1;
    return take_enter_method(block, raw, !is_exit);
}

TV_INLINE bool take_record(struct tv_event_block *block, struct tv_raw *raw,
                           enum tv_block_layout layout)
{
    uint64_t *wall = &raw->time[TV_CLOCK_WALL][raw->count];
    uint64_t *cpu = &raw->time[TV_CLOCK_CPU][raw->count];
    switch (layout) {
    case TV_BLOCK_WALL:
        return take_word(block, raw) && take_time(block, &block->wall, wall);
    case TV_BLOCK_CPU:
        return take_word(block, raw) && take_time(block, &block->cpu, cpu);
    case TV_BLOCK_WALL_CPU:
        return take_word(block, raw) && take_time(block, &block->wall, wall) &&
               take_time(block, &block->cpu, cpu);
    case TV_BLOCK_TICKS:
        return take_ticks(block, raw, false);
    case TV_BLOCK_TICKS_CPU:
        return take_ticks(block, raw, true);
    case TV_BLOCK_LONG_RUNNING:
        return take_long_running(block, raw);
    }
    return false;
}

/* Is inlined once per layout, so that the compiler sees the layout as a constant. */
TV_INLINE void decode_as(struct tv_event_block *block, struct tv_raw *raw, size_t raw_cap,
                         enum tv_block_layout layout)
{
    while (raw->count < raw_cap && block->cursor.pos < block->cursor.len) {
        size_t pos = block->cursor.pos;
        raw->offset[raw->count] = pos;
        if (!take_record(block, raw, layout)) {
            block->cursor.pos = pos;
            block->is_broken = true;
            return;
        }
        raw->count++;
    }
}

/* One loop per layout, so that no loop asks for the layout at each record. */
void tv_block_decode(struct tv_event_block *block, struct tv_raw *raw, size_t raw_cap)
{
    raw->count = 0;
    if (block->is_broken)
        return;
    switch (block->layout) {
    case TV_BLOCK_WALL:
        decode_as(block, raw, raw_cap, TV_BLOCK_WALL);
        break;
    case TV_BLOCK_CPU:
        decode_as(block, raw, raw_cap, TV_BLOCK_CPU);
        break;
    case TV_BLOCK_WALL_CPU:
        decode_as(block, raw, raw_cap, TV_BLOCK_WALL_CPU);
        break;
    case TV_BLOCK_TICKS:
        decode_as(block, raw, raw_cap, TV_BLOCK_TICKS);
        break;
    case TV_BLOCK_TICKS_CPU:
        decode_as(block, raw, raw_cap, TV_BLOCK_TICKS_CPU);
        break;
    case TV_BLOCK_LONG_RUNNING:
        decode_as(block, raw, raw_cap, TV_BLOCK_LONG_RUNNING);
        break;
    }
}
