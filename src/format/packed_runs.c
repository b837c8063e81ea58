/*
 * Finds the runs of a file of packets; see format/packed.h.
 *
 * A number of LEB128 ends with each byte whose top bit is clear. So the records of a block are
 * counted by counting such bytes, without decoding, which is how runs are found at open and records
 * are skipped later. In layout E records are counted by going through them, since an enter has a
 * number more than an exit.
 */
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/bytes/cursor.h"
#include "base/error.h"
#include "base/memory/map.h"
#include "format/leb.h"
#include "format/packed.h"
#include "format/packed_steps.h"
#include "format/packet.h"
#include "format/wire.h"

#define THREADS_MOST 65535u
/* The most records of a block: to get at a record, all before it in its block must be unpacked. */
#define BLOCK_RECORDS_MOST (UINT64_C(1) << 18)

#define BLOCKS_AT_ONCE 3u /* whose records are counted side by side */

/* Counts the bytes that end a number, eight at a time: the product adds up the top bits
 * of all bytes. */
static uint64_t count_ends(const uint8_t *at, size_t len)
{
    uint64_t count = 0;
    size_t i = 0;
    for (; len - i >= sizeof(uint64_t); i += sizeof(uint64_t))
        count += (tv_leb_ends(tv_load_le64(at + i)) >> 7) * UINT64_C(0x0101010101010101) >> 56;
    for (; i < len; i++)
        count += !(at[i] & 0x80);
    return count;
}

/* A block, and what counting its records found. */
struct block {
    struct tv_packet packet;
    uint64_t records;
    bool is_used_up; /* by whole records */
    /* Layout E, while its records are counted. */
    const uint8_t *at, *end;
    uint64_t ticks; /* the sum, of which only the low bits are right */
};

/* Counts a record of a block of layout E; false where no whole record is left, or the record has
 * action 3: the block is not plain then. */
TV_INLINE bool count_tick_record(struct block *block, unsigned numbers)
{
    uint64_t ticks = block->ticks;
    size_t len = tv_steps_skip_ticks(block->at, block->end, numbers, &ticks);
    if (TV_UNLIKELY(!len))
        return false;
    block->ticks = ticks;
    block->at += len;
    block->records++;
    if (TV_UNLIKELY((ticks & TV_WIRE_ACTION_MASK) == TV_ACTION_RESERVED))
        block->records = UINT64_MAX / 2;
    return true;
}

/* Counts the records of blocks of layout E. Where the next record begins is known late, when this
 * one is read, so several blocks are gone through side by side, as far as all of them go; what is
 * left of each follows. */
static TV_NOINLINE void count_tick_records(struct block *blocks, size_t count, unsigned numbers)
{
    struct block a = blocks[0];
    struct block b = blocks[1];
    struct block c = blocks[2];
    bool is_going = count == BLOCKS_AT_ONCE;
    while (is_going) {
        is_going = count_tick_record(&a, numbers);
        is_going &= count_tick_record(&b, numbers);
        is_going &= count_tick_record(&c, numbers);
    }
    blocks[0] = a;
    blocks[1] = b;
    blocks[2] = c;
    for (size_t i = 0; i < count; i++) {
        while (count_tick_record(&blocks[i], numbers))
            ;
        blocks[i].is_used_up = blocks[i].at == blocks[i].end;
    }
}

/* Whether a block's first record names a described method. A block that goes on with the sums of
 * the one before hardly does. */
static bool begins_with_known(const struct tv_trace *trace, const struct tv_packet *packet)
{
    struct tv_cursor cursor = {.bytes = trace->bytes,
                               .len = packet->payload_pos + packet->payload_len,
                               .pos = packet->payload_pos};
    int64_t word;
    return tv_cursor_take_sleb(&cursor, &word) &&
           tv_map_get(&trace->method_of_id, (uint64_t)word & ~(uint64_t)TV_WIRE_ACTION_MASK) !=
               TV_MAP_NONE;
}

/* The number of a thread; THREADS_MOST + 1 when there are too many. */
static enum tv_code number_thread(struct tv_fixed_records *fixed, struct tv_map *number_of_id,
                                  uint32_t id, uint32_t *number, struct tv_error *err)
{
    *number = tv_map_get(number_of_id, id);
    if (*number != TV_MAP_NONE)
        return TV_OK;
    *number = (uint32_t)fixed->thread_count + 1;
    if (*number > THREADS_MOST)
        return TV_OK;
    TV_TRY(tv_alloc_grow(number_of_id->alloc, &fixed->thread_ids, &fixed->thread_cap,
                         fixed->thread_count + 1, sizeof(*fixed->thread_ids), err));
    fixed->thread_ids[fixed->thread_count++] = id;
    return tv_map_put(number_of_id, id, *number, err);
}

/* Counts the whole records of a block of layout C or D. */
static void count_word_records(struct block *block, unsigned numbers)
{
    size_t len = (size_t)(block->end - block->at);
    uint64_t ends = count_ends(block->at, len);
    block->is_used_up = !len || (ends % numbers == 0 && !(block->end[-1] & 0x80));
    block->records = ends / numbers;
}

/* Adds a block as a run, if it is plain: whole records, few enough, of a thread with a number. */
static enum tv_code tell_block(struct tv_trace *trace, const struct block *block,
                               struct tv_map *number_of_id, bool *is_plain, struct tv_error *err)
{
    const struct tv_packet *packet = &block->packet;
    *is_plain = packet->thread_id && (block->is_used_up || packet->is_cut) &&
                block->records <= BLOCK_RECORDS_MOST;
    if (!*is_plain || !block->records)
        return TV_OK;
    uint32_t number;
    TV_TRY(number_thread(&trace->fixed, number_of_id, packet->thread_id, &number, err));
    *is_plain =
        number <= THREADS_MOST && (trace->fixed.has_bare_exits || begins_with_known(trace, packet));
    if (!*is_plain)
        return TV_OK;
    TV_TRY(tv_trace_add_fixed(trace, packet->payload_pos, block->records, err));
    struct tv_fixed_run *run = &trace->fixed.runs[trace->fixed.run_count - 1];
    run->len = (uint32_t)packet->payload_len;
    run->thread = number;
    return TV_OK;
}

/* Takes the next blocks, up to BLOCKS_AT_ONCE; 0 when there are none. */
static size_t take_blocks(const struct tv_trace *trace, struct tv_cursor *cursor,
                          struct block *blocks)
{
    size_t count = 0;
    struct tv_packet packet;
    while (count < BLOCKS_AT_ONCE && tv_cursor_left(cursor) &&
           tv_packet_take(cursor, &packet) == TV_PACKET_TAKEN) {
        const uint8_t *at = trace->bytes + packet.payload_pos;
        if (packet.kind == TV_PACKET_BLOCK)
            blocks[count++] =
                (struct block){.packet = packet, .at = at, .end = at + packet.payload_len};
    }
    return count;
}

static enum tv_code tell_blocks(struct tv_trace *trace, size_t pos, size_t end,
                                struct tv_map *number_of_id, bool *are_plain, struct tv_error *err)
{
    struct tv_cursor cursor = {.bytes = trace->bytes, .len = end, .pos = pos};
    const unsigned numbers = tv_steps_numbers(trace);
    struct block blocks[BLOCKS_AT_ONCE] = {{.records = 0}};
    size_t count;
    while (*are_plain && (count = take_blocks(trace, &cursor, blocks)) != 0) {
        if (trace->fixed.has_bare_exits)
            count_tick_records(blocks, count, numbers);
        for (size_t i = 0; i < count && *are_plain; i++) {
            if (!trace->fixed.has_bare_exits)
                count_word_records(&blocks[i], numbers);
            TV_TRY(tell_block(trace, &blocks[i], number_of_id, are_plain, err));
        }
    }
    return TV_OK;
}

/* Sets where the fields of a record are after unpacking: those of a version 3 record. */
static void set_shape(struct tv_trace *trace)
{
    struct tv_fixed_records *fixed = &trace->fixed;
    uint32_t at = TV_PACKED_THREAD_LEN + 4;
    fixed->is_packed = true;
    fixed->thread_len = TV_PACKED_THREAD_LEN;
    for (unsigned i = 0; i < TV_CLOCK_COUNT; i++) {
        unsigned clock = i ? TV_CLOCK_WALL : TV_CLOCK_CPU; /* in the order of v3 */
        fixed->time_at[clock] = trace->has_clock[clock] ? at : 0;
        at += trace->has_clock[clock] ? 4 : 0;
    }
    fixed->len = at;
}

enum tv_code tv_packed_tell_fixed(struct tv_trace *trace, enum tv_block_layout layout, size_t pos,
                                  size_t end, struct tv_error *err)
{
    struct tv_map number_of_id;
    bool are_plain = true;
    trace->fixed.has_bare_exits = tv_block_has_bare_exits(layout);
    tv_map_init(&number_of_id, trace->alloc);
    enum tv_code code = tell_blocks(trace, pos, end, &number_of_id, &are_plain, err);
    tv_map_release(&number_of_id);
    if (code == TV_OK && are_plain)
        set_shape(trace);
    else
        tv_fixed_release(&trace->fixed, trace->alloc);
    return code;
}

/* Goes through the records of a run of layout E. */
static uint64_t skip_tick_records(const struct tv_trace *trace, const struct tv_fixed_run *run,
                                  uint64_t skipped)
{
    const uint8_t *at = trace->bytes + run->off;
    const uint8_t *end = at + run->len;
    const unsigned numbers = tv_steps_numbers(trace);
    uint64_t ticks = 0;
    for (; skipped; skipped--)
        at += tv_steps_skip_ticks(at, end, numbers, &ticks);
    return (uint64_t)(at - trace->bytes);
}

uint64_t tv_packed_skip(const struct tv_trace *trace, const struct tv_fixed_run *run, uint64_t off,
                        uint64_t skipped)
{
    const uint8_t *bytes = trace->bytes;
    const uint64_t end = run->off + run->len;
    if (trace->fixed.has_bare_exits)
        return skip_tick_records(trace, run, skipped);
    uint64_t left = skipped * tv_steps_numbers(trace);
    for (; left >= sizeof(uint64_t) && end - off >= sizeof(uint64_t); off += sizeof(uint64_t))
        left -= count_ends(bytes + off, sizeof(uint64_t));
    for (; left && off < end; off++)
        left -= !(bytes[off] & 0x80);
    return off;
}
