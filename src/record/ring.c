/*
 * A ring; see record/ring.h.
 *
 * The offered blocks of all rows stand in one queue, in the order in which they became full. Those
 * of one row are in the queue in the row's own order, so the oldest block of the queue is always
 * the first one of its row. Before a block is emptied its records are followed: an enter adds a
 * call to those that the row has open at its begin, an exit takes one away.
 *
 * Slots have 48 bits of time, which pass after 15 hours or more, and the program may run for weeks.
 * So the file's times count from its oldest record, whose age is known: no record of a ring is as
 * old as that.
 */
#include "record/ring.h"

#include <string.h>

#include "record/blocks.h"
#include "record/recorder.h"

#define TIME_MASK ((UINT64_C(1) << TV_SLOT_TIME_BITS) - 1)
#define OPEN_LEAST 64u
#define OPEN_MOST (UINT32_C(1) << 20) /* deeper calls are not noted; none is recorded so deep */

/* A block that may be taken. Blocks themselves have no room for this: a program may have 40,000
 * threads that wait, each with a block of one record. */
struct tv_ring_entry {
    struct tv_ring_entry *newer; /* or the next free one */
    struct tv_block *block;
    struct tv_row *row;
};

static struct tv_ring_entry *take_entry(struct tv_recording *recording)
{
    struct tv_ring_entry *entry = recording->free_entries;
    if (!entry)
        return tv_memory_take(&recording->memory, sizeof(*entry));
    recording->free_entries = entry->newer;
    return entry;
}

/* Without memory the rest of the blocks is offered another time. */
void tv_ring_offer(struct tv_recording *recording, struct tv_row *row)
{
    struct tv_block *block = row->offered ? row->offered->next : row->first;
    for (; block; block = block->next) {
        struct tv_ring_entry *entry = take_entry(recording);
        if (!entry)
            return;
        *entry = (struct tv_ring_entry){.block = block, .row = row};
        if (recording->newest)
            recording->newest->newer = entry;
        else
            recording->oldest = entry;
        recording->newest = entry;
        row->offered = block;
    }
}

static bool has_room(struct tv_recording *recording, struct tv_open_calls_before *before)
{
    if (before->depth < before->cap)
        return true;
    const uint32_t cap = before->cap ? before->cap * 2 : OPEN_LEAST;
    uint32_t *numbers =
        cap <= OPEN_MOST ? tv_memory_take(&recording->memory, cap * sizeof(*numbers)) : NULL;
    if (!numbers)
        return false;
    if (before->depth)
        memcpy(numbers, before->numbers, before->depth * sizeof(*numbers));
    before->numbers = numbers;
    before->cap = cap;
    return true;
}

/* Follows the records of a block that is about to go. A slot without a record is one that a signal
 * handler's jump left. */
static void follow(struct tv_recording *recording, struct tv_row *row, const struct tv_block *block)
{
    struct tv_open_calls_before *before = &row->before;
    for (uint32_t i = 0; i < block->used; i++) {
        const uint32_t word = tv_slot_word(&block->slots[i]);
        if (!block->slots[i].wall_and_low)
            continue;
        if ((word & TV_WIRE_ACTION_MASK) != TV_RECORDER_ENTER)
            before->depth -= before->depth != 0;
        else if (has_room(recording, before))
            before->numbers[before->depth++] = tv_recorder_method_of(word);
    }
}

static void free_row(struct tv_recording *recording, struct tv_row *row)
{
    row->next_free = recording->empty_rows;
    recording->empty_rows = row;
}

bool tv_ring_give_oldest(struct tv_recording *recording)
{
    struct tv_ring_entry *entry = recording->oldest;
    if (!entry)
        return false;
    struct tv_block *block = entry->block;
    struct tv_row *row = entry->row;
    recording->oldest = entry->newer;
    if (!recording->oldest)
        recording->newest = NULL;
    entry->newer = recording->free_entries;
    recording->free_entries = entry;
    follow(recording, row, block);
    row->first = block->next;
    if (row->offered == block)
        row->offered = NULL;
    if (row->last == block)
        row->last = NULL;
    recording->dropped += block->used;
    tv_pool_give(&recording->pool, block);
    if (row->has_ended && !row->first)
        free_row(recording, row);
    return true;
}

void tv_ring_end_row(struct tv_recording *recording, struct tv_row *row)
{
    tv_ring_offer(recording, row);
    row->has_ended = true;
    if (!row->first)
        free_row(recording, row);
}

void tv_ring_set_begin(struct tv_recording *recording, uint64_t now_ticks)
{
    uint64_t oldest = 0;
    for (const struct tv_row *row = recording->first_row; row; row = row->next) {
        const struct tv_block *block = row->first;
        while (block && !block->used)
            block = block->next;
        if (!block)
            continue;
        const uint64_t wall = block->slots[0].wall_and_low >> TV_SLOT_WORD_BITS;
        const uint64_t age = (now_ticks - wall) & TIME_MASK;
        oldest = age > oldest ? age : oldest;
    }
    recording->begin_ticks = now_ticks - oldest;
    recording->elapsed_ns = tv_ticks_to_ns(recording->rate, oldest);
}
