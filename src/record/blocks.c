/*
 * From the slots of blocks to records; see record/blocks.h.
 *
 * Slots hold times in ticks, cut to 48 bits, and may have holes and times that step back. A block
 * is mended first, from its last slot to its first; then each slot becomes a record whose times go
 * on from those of the row's record before (struct tv_row: wall, cpu), and is written in the bytes
 * of the file's format (format/encode.h). Under the lock of cold.h, so one block at a time.
 */
#include "record/blocks.h"

#include <stddef.h>
#include <string.h>

#include "base/units.h"
#include "format/encode.h"
#include "record/recorder.h"

#define TIME_MASK ((UINT64_C(1) << TV_SLOT_TIME_BITS) - 1)
/* A time that is less than this behind the next record's is late: mend_block sets it to the next
 * one's. A time that is behind by more is no error: the thread was silent for hours, and the 48
 * bits of the clock began anew. */
#define LATE_MOST (UINT64_C(1) << 40)
#define RECORDS_MOST (TV_BLOCK_SLOTS_LEAST << (TV_BLOCK_SIZES - 1))

/* A record with its times in the unit of the file. */
struct record {
    uint32_t word;
    uint64_t wall, cpu;
};

static uint64_t wall_of(const struct tv_slot *slot)
{
    return slot->wall_and_low >> TV_SLOT_WORD_BITS;
}

static uint64_t cpu_of(const struct tv_slot *slot)
{
    return slot->cpu_and_high >> TV_SLOT_WORD_BITS;
}

static bool is_late(uint64_t time, uint64_t next)
{
    uint64_t behind = (time - next) & TIME_MASK;
    return behind && behind < LATE_MOST;
}

/* Gives a slot earlier times; its word stays. */
static void set_times(struct tv_slot *slot, uint64_t wall, uint64_t cpu)
{
    uint32_t word = tv_slot_word(slot);
    slot->wall_and_low = wall << TV_SLOT_WORD_BITS | (word & 0xffffu);
    slot->cpu_and_high = cpu << TV_SLOT_WORD_BITS | word >> TV_SLOT_WORD_BITS;
}

/*
 * Takes the empty slots out of a block, and makes its times go forward. A signal handler that
 * records while its thread is about to fill a slot gets the slots behind it, and its clock readings
 * are the earlier ones; and a CPU time that was told without a system call may be some microseconds
 * too high. The earlier record is the one that gives way. `next` is the record that follows the
 * block, or NULL.
 */
static void mend_block(struct tv_block *block, const struct tv_slot *next)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < block->used; i++) {
        if (block->slots[i].wall_and_low)
            block->slots[used++] = block->slots[i];
    }
    memset(block->slots + used, 0, (block->used - used) * sizeof(block->slots[0]));
    block->used = used;
    for (uint32_t i = used; i-- > 0; next = &block->slots[i]) {
        struct tv_slot *slot = &block->slots[i];
        if (!next)
            continue;
        uint64_t wall = is_late(wall_of(slot), wall_of(next)) ? wall_of(next) : wall_of(slot);
        uint64_t cpu = is_late(cpu_of(slot), cpu_of(next)) ? cpu_of(next) : cpu_of(slot);
        if (wall != wall_of(slot) || cpu != cpu_of(slot))
            set_times(slot, wall, cpu);
    }
}

static struct tv_block *reversed(struct tv_block *block)
{
    struct tv_block *before = NULL;
    while (block) {
        struct tv_block *next = block->next;
        block->next = before;
        before = block;
        block = next;
    }
    return before;
}

void tv_blocks_mend(struct tv_row *row)
{
    struct tv_block *last = reversed(row->first);
    const struct tv_slot *next = NULL;
    for (struct tv_block *block = last; block; block = block->next) {
        mend_block(block, next);
        if (block->used)
            next = &block->slots[0];
    }
    row->first = reversed(last);
}

static uint64_t in_unit(const struct tv_recording *recording, uint64_t ticks)
{
    uint64_t ns = tv_ticks_to_ns(recording->rate, ticks);
    return recording->format == TV_RECORD_PACKETS ? ns : ns / TV_NS_PER_US;
}

/* How far a clock of 48 bits went from one record to the next. A time that is still late after
 * mend_block is late against a block that was written to the file before, so nothing can be mended:
 * the clock stands still. */
static uint64_t step_of(uint64_t time, uint64_t last)
{
    uint64_t step = (time - last) & TIME_MASK;
    return is_late(0, step) ? 0 : step;
}

/* The first record of a row in the file. A ring's times count from the file's begin. */
static void begin_times(const struct tv_recording *recording, struct tv_row *row,
                        const struct tv_slot *slot)
{
    const uint64_t begin = recording->begin_ticks;
    row->wall = begin + ((wall_of(slot) - begin) & TIME_MASK);
    row->first_cpu = row->cpu = cpu_of(slot);
    row->file_wall = in_unit(recording, row->wall - begin);
    row->file_cpu = 0;
}

/* Makes the record of a slot, and moves the row's times on to it. A thread's CPU time counts from
 * its first record. CPU time cannot grow by more than wall time, but two roundings can make it seem
 * so: then it is cut. It is not cut for rows with a booking (sampling), where a record may get CPU
 * time that passed before it. */
static struct record take_record(const struct tv_recording *recording, struct tv_row *row,
                                 const struct tv_slot *slot)
{
    if (!row->wall)
        begin_times(recording, row, slot);
    row->wall += step_of(wall_of(slot), row->wall);
    row->cpu += step_of(cpu_of(slot), row->cpu);
    uint64_t wall = in_unit(recording, row->wall - recording->begin_ticks);
    uint64_t cpu = in_unit(recording, row->cpu - row->first_cpu);
    uint64_t cpu_most = row->file_cpu + (wall - row->file_wall);
    const bool is_cut = recording->has_wall && !row->booking && cpu > cpu_most;
    row->file_cpu = is_cut ? cpu_most : cpu;
    row->file_wall = wall;
    return (struct record){.word = tv_slot_word(slot), .wall = wall, .cpu = row->file_cpu};
}

/* The first and the last record of a row whose blocks are not in the file yet. */
static void take_ends(const struct tv_recording *recording, struct tv_row *row)
{
    const struct tv_slot *last = NULL;
    row->wall = 0;
    for (const struct tv_block *block = row->first; block; block = block->next) {
        if (!block->used)
            continue;
        if (!last)
            (void)take_record(recording, row, &block->slots[0]);
        last = &block->slots[block->used - 1];
    }
    if (last)
        (void)take_record(recording, row, last);
}

bool tv_blocks_last_seen(const struct tv_recording *recording, const struct tv_row *row,
                         uint64_t *wall_ns, uint64_t *cpu_ns)
{
    const uint64_t unit_ns = recording->format == TV_RECORD_PACKETS ? 1 : TV_NS_PER_US;
    struct tv_row copy = *row;
    if (!row->seen_wall)
        return false;
    if (row->first)
        take_ends(recording, &copy);
    if (!copy.wall)
        return false;
    const uint64_t cpu = row->seen_cpu > copy.cpu ? row->seen_cpu : copy.cpu;
    const struct record seen =
        take_record(recording, &copy,
                    &(struct tv_slot){.wall_and_low = row->seen_wall << TV_SLOT_WORD_BITS,
                                      .cpu_and_high = cpu << TV_SLOT_WORD_BITS});
    *wall_ns = recording->has_wall ? seen.wall * unit_ns : 0;
    /* 0 says that it is not known: a thread that took no time since its first record has a unit. */
    const bool knows_cpu = recording->has_cpu && (row->booking || row->seen_cpu);
    *cpu_ns = knows_cpu ? (seen.cpu ? seen.cpu : 1) * unit_ns : 0;
    return true;
}

static void put_plain_record(struct tv_recording *recording, const struct tv_row *row,
                             const struct record *record)
{
    uint32_t wall = (uint32_t)record->wall;
    uint32_t cpu = (uint32_t)record->cpu;
    uint16_t thread = (uint16_t)row->id;
    uint8_t *to = tv_output_reserve(&recording->output, TV_WIRE_TWO_TIMES_RECORD);
    size_t len =
        recording->has_wall && recording->has_cpu
            ? tv_encode_two_times_record(to, thread, record->word, cpu, wall)
            : tv_encode_one_time_record(to, thread, record->word, recording->has_wall ? wall : cpu);
    tv_output_filled(&recording->output, len);
}

void tv_blocks_begin_row(struct tv_recording *recording, struct tv_row *row)
{
    const struct tv_block *block = row->first;
    row->wall = row->cpu = 0; /* the row may have been written before */
    while (block && !block->used)
        block = block->next;
    if (!block)
        return;
    begin_times(recording, row, &block->slots[0]);
    for (uint32_t i = 0; i < row->before.depth; i++) {
        const struct record record = {
            .word = tv_recorder_word(row->before.numbers[i], TV_RECORDER_ENTER),
            .wall = row->file_wall};
        put_plain_record(recording, row, &record);
        if (recording->output.len > TV_OUTPUT_CAP / 2)
            tv_output_flush(&recording->output);
    }
}

static void put_plain_block(struct tv_recording *recording, struct tv_row *row,
                            const struct tv_block *block)
{
    for (uint32_t i = 0; i < block->used; i++) {
        struct record record = take_record(recording, row, &block->slots[i]);
        put_plain_record(recording, row, &record);
    }
}

/* A block is one packet: its records as differences to the record before, in LEB128
 * (docs/formats/packets.md). The payload is put together in static memory, which the lock guards: a
 * thread of the program may have little stack. */
static void put_packet_block(struct tv_recording *recording, struct tv_row *row,
                             const struct tv_block *block)
{
    static uint8_t payload[RECORDS_MOST * 3 * TV_LEB_MOST];
    struct record before = {.word = 0};
    size_t len = 0;
    for (uint32_t i = 0; i < block->used; i++) {
        struct record record = take_record(recording, row, &block->slots[i]);
        len += tv_encode_sleb(payload + len, (uint64_t)record.word - before.word);
        if (recording->has_wall)
            len += tv_store_uleb(payload + len, record.wall - before.wall);
        if (recording->has_cpu)
            len += tv_store_uleb(payload + len, record.cpu - before.cpu);
        before = record;
    }
    uint8_t *to = tv_output_reserve(&recording->output, TV_PACKET_BLOCK_HEAD);
    tv_output_filled(&recording->output,
                     tv_encode_packet_block(to, row->id, (uint16_t)block->used, (uint32_t)len));
    tv_output_put(&recording->output, payload, len);
}

void tv_blocks_put(struct tv_recording *recording, struct tv_row *row, const struct tv_block *block)
{
    if (!block->used)
        return;
    if (recording->format == TV_RECORD_PACKETS)
        put_packet_block(recording, row, block);
    else
        put_plain_block(recording, row, block);
}
