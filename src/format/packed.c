/*
 * Packed records; see format/packed.h.
 *
 * A number of LEB128 ends with each byte whose top bit is clear. So the records of a block are
 * counted by counting such bytes, without decoding, which is how runs are found at open and records
 * are skipped later. Records are unpacked in windows, since each needs the sums of the one before
 * it.
 *
 * In layout E an enter has a number more than an exit, and which of both a record is stands in the
 * sum of its times. So records are counted by going through them. An exit gets the key of the call
 * on top of a stack that is kept for its thread while records are taken.
 */
#include "format/packed.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/map.h"
#include "format/leb.h"
#include "format/packet.h"
#include "format/wire.h"

/* Records that are unpacked together, and the most bytes that one takes. */
#define WINDOW_CAP 1024u
#define RECORD_MOST 14u
#define THREAD_LEN 2u
#define THREADS_MOST 65535u
/* The most records of a block: to get at a record, all before it in its block must be unpacked. */
#define BLOCK_RECORDS_MOST (UINT64_C(1) << 18)
/* Times of this many bits and more, and steps above 2^31, are left to tv_trace_next: such times may
 * be meant negative, and a record here has only the low half of a time. */
#define TIME_BITS 62u
#define STEP_BITS 31u
#define NUMBERS_MOST 3u
#define CACHE_CAP 512u
#define CACHE_SHIFT 55u
#define NO_KEY UINT32_MAX /* keys are multiples of 4 */

struct cached_key {
    uint64_t id;
    uint32_t key;
};

/* The keys of the calls that a thread has opened since the first record that was taken. */
struct open_keys {
    uint32_t *at;
    size_t count, cap;
};

/* The state of unpacking one run. A record has two or three numbers: its word, and the time on one
 * clock or two. */
struct tv_packed {
    const struct tv_trace *trace;
    const struct tv_fixed_run *run;
    struct tv_cursor cursor;
    uint64_t first; /* ordinal of the window's first record in the trace */
    size_t count;   /* records in the window */
    /* The numbers of the window's last record, as the block sums them. */
    uint64_t sum[NUMBERS_MOST];
    /* Layout E: the sum of times with actions, and the stacks, by number of the thread; when single
     * records were asked for, exits get TV_FIXED_BARE_KEY. */
    uint64_t ticks;
    struct open_keys *stacks;
    size_t stack_count;
    bool has_stacks;
    bool is_short_of_memory;            /* a stack could not grow: nothing is unpacked any more */
    struct cached_key cache[CACHE_CAP]; /* direct mapped, in front of the trace's map */
    uint8_t records[WINDOW_CAP * RECORD_MOST];
};

static unsigned numbers_of(const struct tv_trace *trace)
{
    return 1u + trace->has_clock[TV_CLOCK_WALL] + trace->has_clock[TV_CLOCK_CPU];
}

/* Finding the runs. */

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

/* Reads how far each number of the next record of layout E is from the last one's; step[0] is that
 * of the method, 0 in an exit. count: numbers of an enter. *ticks: the sum of times with actions.
 */
TV_INLINE bool take_tick_steps(struct tv_cursor *cursor, unsigned count, uint64_t *ticks,
                               uint64_t step[NUMBERS_MOST])
{
    uint64_t delta;
    if (!tv_leb_take_signed(cursor, &delta))
        return false;
    const uint64_t before = tv_block_time_of_ticks(*ticks);
    *ticks += delta;
    step[1] = tv_block_time_of_ticks(*ticks) - before;
    if (count == NUMBERS_MOST && !tv_leb_take(cursor, &step[2]))
        return false;
    step[0] = 0;
    return (*ticks & TV_WIRE_ACTION_MASK) != TV_ACTION_ENTER ||
           tv_leb_take_signed(cursor, &step[0]);
}

/* Counts the whole records of a block of layout E. *end: where the last of them ends. With action 3
 * it counts more than a plain block has. */
static uint64_t count_tick_records(const struct tv_trace *trace, const struct tv_packet *packet,
                                   size_t *end)
{
    struct tv_cursor cursor = {.bytes = trace->bytes,
                               .len = packet->payload_pos + packet->payload_len,
                               .pos = packet->payload_pos};
    uint64_t step[NUMBERS_MOST];
    uint64_t ticks = 0;
    uint64_t count = 0;
    *end = cursor.pos;
    while (tv_cursor_left(&cursor) && take_tick_steps(&cursor, numbers_of(trace), &ticks, step)) {
        if ((ticks & TV_WIRE_ACTION_MASK) == TV_ACTION_RESERVED)
            return UINT64_MAX;
        *end = cursor.pos;
        count++;
    }
    return count;
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

/* Counts the whole records of a block. *is_used_up: nothing follows them. */
static uint64_t count_records(const struct tv_trace *trace, const struct tv_packet *packet,
                              bool *is_used_up)
{
    if (trace->fixed.has_bare_exits) {
        size_t end;
        uint64_t records = count_tick_records(trace, packet, &end);
        *is_used_up = end == packet->payload_pos + packet->payload_len;
        return records;
    }
    const uint8_t *at = trace->bytes + packet->payload_pos;
    uint64_t ends = count_ends(at, packet->payload_len);
    *is_used_up = packet->payload_len == 0 ||
                  (ends % numbers_of(trace) == 0 && !(at[packet->payload_len - 1] & 0x80));
    return ends / numbers_of(trace);
}

/* Adds a block as a run, if it is plain: whole records, few enough, of a thread with a number. */
static enum tv_code tell_block(struct tv_trace *trace, const struct tv_packet *packet,
                               struct tv_map *number_of_id, bool *is_plain, struct tv_error *err)
{
    bool is_used_up;
    uint64_t records = count_records(trace, packet, &is_used_up);
    *is_plain =
        packet->thread_id && (is_used_up || packet->is_cut) && records <= BLOCK_RECORDS_MOST;
    if (!*is_plain || !records)
        return TV_OK;
    uint32_t number;
    TV_TRY(number_thread(&trace->fixed, number_of_id, packet->thread_id, &number, err));
    *is_plain =
        number <= THREADS_MOST && (trace->fixed.has_bare_exits || begins_with_known(trace, packet));
    if (!*is_plain)
        return TV_OK;
    TV_TRY(tv_trace_add_fixed(trace, packet->payload_pos, records, err));
    struct tv_fixed_run *run = &trace->fixed.runs[trace->fixed.run_count - 1];
    run->len = (uint32_t)packet->payload_len;
    run->thread = number;
    return TV_OK;
}

static enum tv_code tell_blocks(struct tv_trace *trace, size_t pos, size_t end,
                                struct tv_map *number_of_id, bool *are_plain, struct tv_error *err)
{
    struct tv_cursor cursor = {.bytes = trace->bytes, .len = end, .pos = pos};
    struct tv_packet packet;
    while (*are_plain && tv_cursor_left(&cursor) &&
           tv_packet_take(&cursor, &packet) == TV_PACKET_TAKEN) {
        if (packet.kind == TV_PACKET_BLOCK)
            TV_TRY(tell_block(trace, &packet, number_of_id, are_plain, err));
    }
    return TV_OK;
}

/* Sets where the fields of a record are after unpacking: those of a version 3 record. */
static void set_shape(struct tv_trace *trace)
{
    struct tv_fixed_records *fixed = &trace->fixed;
    uint32_t at = THREAD_LEN + 4;
    fixed->is_packed = true;
    fixed->thread_len = THREAD_LEN;
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
    struct tv_cursor cursor = {
        .bytes = trace->bytes, .len = (size_t)run->off + run->len, .pos = (size_t)run->off};
    uint64_t step[NUMBERS_MOST];
    uint64_t ticks = 0;
    while (skipped && take_tick_steps(&cursor, numbers_of(trace), &ticks, step))
        skipped--;
    return cursor.pos;
}

uint64_t tv_packed_skip(const struct tv_trace *trace, const struct tv_fixed_run *run, uint64_t off,
                        uint64_t skipped)
{
    const uint8_t *bytes = trace->bytes;
    const uint64_t end = run->off + run->len;
    if (trace->fixed.has_bare_exits)
        return skip_tick_records(trace, run, skipped);
    uint64_t left = skipped * numbers_of(trace);
    for (; left >= sizeof(uint64_t) && end - off >= sizeof(uint64_t); off += sizeof(uint64_t))
        left -= count_ends(bytes + off, sizeof(uint64_t));
    for (; left && off < end; off++)
        left -= !(bytes[off] & 0x80);
    return off;
}

/* Unpacking. */

enum tv_code tv_packed_new(struct tv_packed **packed, const struct tv_trace *trace,
                           struct tv_error *err)
{
    TV_TRY(tv_alloc_new(trace->alloc, packed, 1, sizeof(**packed), err));
    (*packed)->trace = trace;
    (*packed)->has_stacks = trace->fixed.has_bare_exits;
    for (size_t i = 0; i < CACHE_CAP; i++)
        (*packed)->cache[i].key = NO_KEY;
    return TV_OK;
}

void tv_packed_free(struct tv_packed *packed)
{
    if (!packed)
        return;
    const struct tv_alloc *alloc = packed->trace->alloc;
    for (size_t i = 0; i < packed->stack_count; i++)
        tv_alloc_release(alloc, &packed->stacks[i].at, packed->stacks[i].cap,
                         sizeof(*packed->stacks[i].at));
    tv_alloc_release(alloc, &packed->stacks, packed->stack_count, sizeof(*packed->stacks));
    tv_alloc_release(alloc, &packed, 1, sizeof(*packed));
}

/* The key of a method, or NO_KEY for one without a description. */
TV_INLINE uint32_t find_key(struct tv_packed *packed, uint64_t id)
{
    struct cached_key *cached = &packed->cache[id * UINT64_C(0x9e3779b97f4a7c15) >> CACHE_SHIFT];
    if (TV_LIKELY(cached->id == id && cached->key != NO_KEY))
        return cached->key;
    uint32_t method = tv_map_get(&packed->trace->method_of_id, id);
    if (method == TV_MAP_NONE || method > UINT32_MAX / 4)
        return NO_KEY;
    *cached = (struct cached_key){.id = id, .key = method * 4};
    return cached->key;
}

/* Reads the numbers of a record that have more than eight bytes together, or stand near the end
 * of the block. */
static TV_NOINLINE bool take_slowly(struct tv_cursor *cursor, unsigned count,
                                    uint64_t step[NUMBERS_MOST])
{
    int64_t word = 0;
    bool is_taken = tv_cursor_take_sleb(cursor, &word);
    step[0] = (uint64_t)word;
    for (unsigned i = 1; i < count && is_taken; i++)
        is_taken = tv_cursor_take_uleb(cursor, &step[i]);
    return is_taken;
}

/* Reads how far each number of the next record is from the last one's. */
TV_INLINE bool take_steps(struct tv_cursor *cursor, unsigned count, uint64_t step[NUMBERS_MOST])
{
    if (TV_UNLIKELY(tv_cursor_left(cursor) < sizeof(uint64_t)))
        return take_slowly(cursor, count, step);
    uint64_t bytes = tv_load_le64(cursor->bytes + cursor->pos);
    uint64_t ends = tv_leb_ends(bytes);
    uint64_t mask = 0; /* covers the bytes of the numbers before */
    unsigned bits = 0;
    for (unsigned i = 0; i < count; i++) {
        if (TV_UNLIKELY(!ends))
            return take_slowly(cursor, count, step);
        uint64_t upto = ends ^ (ends - 1);
        unsigned next = (unsigned)__builtin_ctzll(ends) + 1;
        step[i] = tv_leb_value((bytes & upto & ~mask) >> bits);
        if (i == 0)
            step[i] = tv_leb_signed(step[i], next / 8);
        mask = upto;
        bits = next;
        ends &= ends - 1;
    }
    cursor->pos += bits / 8;
    return true;
}

/* Writes a record as version 3 has it, which the index reads. */
TV_INLINE void store_record(uint8_t *to, uint32_t thread, uint32_t word,
                            const uint64_t sum[NUMBERS_MOST], unsigned count)
{
    tv_store_le16(to, (uint16_t)thread);
    tv_store_le32(to + THREAD_LEN, word);
    if (count == NUMBERS_MOST) { /* the block has wall before CPU, and v3 the other way round */
        tv_store_le32(to + THREAD_LEN + 4, (uint32_t)sum[2]);
        tv_store_le32(to + THREAD_LEN + 8, (uint32_t)sum[1]);
    } else {
        tv_store_le32(to + THREAD_LEN + 4, (uint32_t)sum[1]);
    }
}

/* Unpacks up to `most` records that follow the window. It stops early where a step of a 64-bit time
 * is too long for the low half to tell it, and where the block is not as it should be. The
 * parameters but the first two are constants after inlining. */
TV_INLINE void unpack(struct tv_packed *packed, uint64_t most, unsigned count, bool has_times,
                      uint64_t time[NUMBERS_MOST])
{
    const uint32_t len = THREAD_LEN + 4 * count;
    const uint32_t thread = packed->run->thread;
    struct tv_cursor cursor = packed->cursor;
    uint64_t sum[NUMBERS_MOST] = {packed->sum[0], packed->sum[1], packed->sum[2]};
    uint8_t *to = packed->records;
    uint8_t *end = to + most * len;
    while (to < end) {
        uint64_t step[NUMBERS_MOST] = {0, 0, 0};
        struct tv_cursor before = cursor;
        bool is_taken = take_steps(&cursor, count, step);
        bool is_long = has_times && (step[1] | step[2]) >> STEP_BITS && to != packed->records;
        uint32_t key = find_key(packed, (sum[0] + step[0]) & ~(uint64_t)TV_WIRE_ACTION_MASK);
        if (TV_UNLIKELY(!is_taken || is_long || key == NO_KEY)) {
            cursor = before;
            break;
        }
        for (unsigned i = 0; i < count; i++)
            sum[i] += step[i];
        if (to == packed->records)
            memcpy(time, sum, sizeof(sum));
        store_record(to, thread, key | (uint32_t)(sum[0] & TV_WIRE_ACTION_MASK), sum, count);
        to += len;
    }
    packed->cursor = cursor;
    memcpy(packed->sum, sum, sizeof(sum));
    packed->first += packed->count;
    packed->count = (size_t)(to - packed->records) / len;
}

/* The same for layout E. keys: those of the thread's open calls, with room for `most` more; NULL:
 * exits get TV_FIXED_BARE_KEY. */
TV_INLINE void unpack_ticks(struct tv_packed *packed, uint64_t most, unsigned count,
                            struct open_keys *keys, uint64_t time[NUMBERS_MOST])
{
    const uint32_t len = THREAD_LEN + 4 * count;
    const uint32_t thread = packed->run->thread;
    struct tv_cursor cursor = packed->cursor;
    uint64_t sum[NUMBERS_MOST] = {packed->sum[0], packed->sum[1], packed->sum[2]};
    uint64_t ticks = packed->ticks;
    size_t open = keys ? keys->count : 0;
    uint8_t *to = packed->records;
    uint8_t *end = to + most * len;
    while (to < end) {
        uint64_t step[NUMBERS_MOST] = {0, 0, 0};
        uint64_t next = ticks;
        size_t before = cursor.pos;
        bool is_taken = take_tick_steps(&cursor, count, &next, step);
        bool is_long = (step[1] | step[2]) >> STEP_BITS && to != packed->records;
        bool is_enter = (next & TV_WIRE_ACTION_MASK) == TV_ACTION_ENTER;
        uint32_t key = TV_FIXED_BARE_KEY;
        if (is_enter)
            key = find_key(packed, sum[0] + step[0]);
        else if (open)
            key = keys->at[open - 1];
        if (TV_UNLIKELY(!is_taken || is_long || key == NO_KEY)) {
            cursor.pos = before;
            break;
        }
        ticks = next;
        for (unsigned i = 0; i < count; i++)
            sum[i] += step[i];
        if (to == packed->records)
            memcpy(time, sum, sizeof(sum));
        store_record(to, thread, key | (uint32_t)(ticks & TV_WIRE_ACTION_MASK), sum, count);
        if (is_enter && keys)
            keys->at[open++] = key;
        else
            open -= open > 0;
        to += len;
    }
    if (keys)
        keys->count = open;
    packed->ticks = ticks;
    packed->cursor = cursor;
    memcpy(packed->sum, sum, sizeof(sum));
    packed->first += packed->count;
    packed->count = (size_t)(to - packed->records) / len;
}

/* The stack of the run's thread, with room for a window; NULL where none is kept, or without
 * memory, which the state says. */
static struct open_keys *open_keys_of(struct tv_packed *packed)
{
    const struct tv_alloc *alloc = packed->trace->alloc;
    size_t thread_count = packed->trace->fixed.thread_count;
    if (!packed->has_stacks)
        return NULL;
    packed->is_short_of_memory = true;
    if (!packed->stacks) {
        if (tv_alloc_new(alloc, &packed->stacks, thread_count, sizeof(*packed->stacks), NULL) !=
            TV_OK)
            return NULL;
        packed->stack_count = thread_count;
    }
    struct open_keys *keys = &packed->stacks[packed->run->thread - 1];
    if (tv_alloc_grow(alloc, &keys->at, &keys->cap, keys->count + WINDOW_CAP, sizeof(*keys->at),
                      NULL) != TV_OK)
        return NULL;
    packed->is_short_of_memory = false;
    return keys;
}

/* Unpacks the next window, and gives the numbers of its first record; false when there is none. */
static bool unpack_window(struct tv_packed *packed, uint64_t most, uint64_t first[NUMBERS_MOST])
{
    bool has_times = packed->trace->clock_bits == 64;
    if (most > WINDOW_CAP)
        most = WINDOW_CAP;
    if (packed->trace->fixed.has_bare_exits) {
        struct open_keys *keys = open_keys_of(packed);
        if (packed->is_short_of_memory)
            return false;
        if (numbers_of(packed->trace) == NUMBERS_MOST)
            unpack_ticks(packed, most, NUMBERS_MOST, keys, first);
        else
            unpack_ticks(packed, most, NUMBERS_MOST - 1, keys, first);
    } else if (numbers_of(packed->trace) == NUMBERS_MOST && has_times)
        unpack(packed, most, NUMBERS_MOST, true, first);
    else if (numbers_of(packed->trace) == NUMBERS_MOST)
        unpack(packed, most, NUMBERS_MOST, false, first);
    else
        unpack(packed, most, NUMBERS_MOST - 1, has_times, first);
    return packed->count;
}

/* Moves the window so that `record` of the run follows it; false when unpacking stops before. */
static bool seek(struct tv_packed *packed, const struct tv_fixed_run *run, uint64_t record)
{
    if (packed->run != run || record < packed->first + packed->count) {
        packed->run = run;
        packed->cursor = (struct tv_cursor){.bytes = packed->trace->bytes,
                                            .len = (size_t)run->off + run->len,
                                            .pos = (size_t)run->off};
        packed->first = run->first;
        packed->count = 0;
        packed->ticks = 0;
        memset(packed->sum, 0, sizeof(packed->sum));
    }
    uint64_t ignored[NUMBERS_MOST];
    while (packed->first + packed->count < record) {
        if (!unpack_window(packed, record - packed->first - packed->count, ignored))
            return false;
    }
    return true;
}

const uint8_t *tv_packed_take(struct tv_fixed_part *part, const struct tv_fixed_run *run,
                              uint64_t *count)
{
    struct tv_packed *packed = part->packed;
    uint64_t first[NUMBERS_MOST] = {0, 0, 0};
    const struct tv_trace *trace = part->trace;
    bool is_there = seek(packed, run, part->first) && unpack_window(packed, *count, first);
    *count = is_there ? packed->count : 0;
    part->has_times = trace->clock_bits == 64;
    part->time[TV_CLOCK_WALL] = trace->has_clock[TV_CLOCK_WALL] ? first[1] : 0;
    part->time[TV_CLOCK_CPU] = trace->has_clock[TV_CLOCK_CPU] ? first[numbers_of(trace) - 1] : 0;
    if (part->has_times && (first[1] | first[2]) >> TIME_BITS)
        *count = 0;
    return packed->records;
}

bool tv_packed_is_short_of_memory(const struct tv_packed *packed)
{
    return packed->is_short_of_memory;
}

uint32_t tv_packed_word(struct tv_packed *packed, const struct tv_fixed_run *run, uint64_t record)
{
    uint64_t ignored[NUMBERS_MOST];
    packed->has_stacks = false;
    if (packed->run != run || record < packed->first || record - packed->first >= packed->count) {
        if (!seek(packed, run, record) || !unpack_window(packed, WINDOW_CAP, ignored))
            return 0;
    }
    return tv_load_le32(packed->records + (record - packed->first) * packed->trace->fixed.len +
                        THREAD_LEN);
}
