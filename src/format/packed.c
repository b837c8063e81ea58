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
/* As many as nearly all traces call methods: a method that is not among them takes as long as five
 * records. */
#define CACHE_CAP 4096u
#define CACHE_SHIFT 52u
#define NO_KEY UINT32_MAX /* keys are multiples of 4 */

struct cached_key {
    uint64_t id;
    uint32_t key;
};

/* The keys of the calls that a thread has opened since the first record that was taken, from at[1]
 * on; at[0] is what an exit gets without one. */
struct open_keys {
    uint32_t *at;
    size_t count, cap;
};

/* How far the numbers of a record are from those of the record before. */
struct steps {
    uint64_t word; /* method and action; layout E: the method, 0 in an exit */
    uint64_t time; /* wall, or the only clock; layout E: the time with the action */
    uint64_t cpu;  /* where there are two clocks */
    size_t len;    /* bytes of the record; 0: no whole one is left */
};

/* The state of unpacking one run. A record has two or three numbers: its word, and the time on one
 * clock or two. */
struct tv_packed {
    const struct tv_trace *trace;
    const struct tv_fixed_run *run;
    struct tv_cursor cursor;
    uint64_t first;   /* ordinal of the window's first record in the trace */
    size_t count;     /* records in the window */
    struct steps sum; /* of the block up to the window's last record; its `len` is not used */
    /* Layout E: the stacks, by number of the thread; once single records were asked for, which may
     * stand anywhere, a stack begins anew with each window. */
    struct open_keys *stacks;
    size_t stack_count;
    bool has_stacks;
    bool is_short_of_memory;            /* a stack could not grow: nothing is unpacked any more */
    struct cached_key cache[CACHE_CAP]; /* direct mapped, in front of the trace's map */
    uint8_t records[WINDOW_CAP * RECORD_MOST + RECORD_MOST];
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

/* Whether a record is an enter, 0 or 1. ticks: the sum before it; step: its first number, or the
 * bytes of that, whose low bits are those of the number. */
TV_INLINE uint64_t is_tick_enter(uint64_t ticks, uint64_t step)
{
    return ((ticks + step) & TV_WIRE_ACTION_MASK) == TV_ACTION_ENTER;
}

/* Of `ends`, which are those of numbers in eight bytes: those from the last number of the record
 * on, which begins with the first of them; 0 where the record goes on behind. */
TV_INLINE uint64_t last_tick_ends(uint64_t ends, unsigned count, uint64_t is_enter)
{
    if (count == NUMBERS_MOST)
        ends &= ends - 1;
    return ends & (ends - is_enter);
}

/* Reads a record number by number, since it has more than eight bytes or stands near the end of the
 * block. count: numbers of an enter. ticks: the sum before. */
static TV_NOINLINE struct steps take_ticks_slowly(const uint8_t *at, const uint8_t *end,
                                                  unsigned count, uint64_t ticks)
{
    struct steps steps = {0};
    struct tv_cursor cursor = {.bytes = at, .len = (size_t)(end - at)};
    if (tv_leb_take_signed(&cursor, &steps.time) &&
        (count < NUMBERS_MOST || tv_leb_take(&cursor, &steps.cpu)) &&
        (!is_tick_enter(ticks, steps.time) || tv_leb_take_signed(&cursor, &steps.word)))
        steps.len = cursor.pos;
    return steps;
}

/* The bytes of the next record. Of *ticks, the sum, only the low bits are kept right. */
TV_INLINE size_t skip_ticks(const uint8_t *at, const uint8_t *end, unsigned count, uint64_t *ticks)
{
    uint64_t bytes = 0;
    uint64_t last = 0;
    if (TV_LIKELY((size_t)(end - at) >= sizeof(bytes))) {
        bytes = tv_load_le64(at);
        last = last_tick_ends(tv_leb_ends(bytes), count, is_tick_enter(*ticks, bytes));
    }
    if (TV_LIKELY(last)) {
        *ticks += bytes;
        return tv_leb_end(last) / 8;
    }
    struct steps steps = take_ticks_slowly(at, end, count, *ticks);
    *ticks += steps.time;
    return steps.len;
}

/* Counts the whole records of a block of layout E. *used: the bytes that they have. With action 3
 * it counts more than a plain block has. */
static TV_NOINLINE uint64_t count_tick_records(const struct tv_trace *trace,
                                               const struct tv_packet *packet, size_t *used)
{
    const uint8_t *first = trace->bytes + packet->payload_pos;
    const uint8_t *at = first;
    const uint8_t *end = first + packet->payload_len;
    const unsigned numbers = numbers_of(trace);
    uint64_t ticks = 0;
    uint64_t count = 0;
    size_t len;
    for (; (len = skip_ticks(at, end, numbers, &ticks)) != 0; at += len, count++) {
        if ((ticks & TV_WIRE_ACTION_MASK) == TV_ACTION_RESERVED)
            return UINT64_MAX;
    }
    *used = (size_t)(at - first);
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
        size_t used = 0;
        uint64_t records = count_tick_records(trace, packet, &used);
        *is_used_up = used == packet->payload_len;
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
    const uint8_t *at = trace->bytes + run->off;
    const uint8_t *end = at + run->len;
    const unsigned numbers = numbers_of(trace);
    uint64_t ticks = 0;
    for (; skipped; skipped--)
        at += skip_ticks(at, end, numbers, &ticks);
    return (uint64_t)(at - trace->bytes);
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

/* The key of a method, or NO_KEY for one without a description, where the cache has another one. */
static TV_NOINLINE uint32_t cache_key(struct tv_packed *packed, uint64_t id,
                                      struct cached_key *cached)
{
    uint32_t method = tv_map_get(&packed->trace->method_of_id, id);
    if (method == TV_MAP_NONE || method > UINT32_MAX / 4)
        return NO_KEY;
    *cached = (struct cached_key){.id = id, .key = method * 4};
    return cached->key;
}

TV_INLINE uint32_t find_key(struct tv_packed *packed, uint64_t id)
{
    struct cached_key *cached = &packed->cache[id * UINT64_C(0x9e3779b97f4a7c15) >> CACHE_SHIFT];
    if (TV_LIKELY(cached->id == id && cached->key != NO_KEY))
        return cached->key;
    return cache_key(packed, id, cached);
}

/* Reads a record number by number, since it has more than eight bytes or stands near the end of the
 * block. */
static TV_NOINLINE struct steps take_words_slowly(const uint8_t *at, const uint8_t *end,
                                                  unsigned count)
{
    struct steps steps = {0};
    struct tv_cursor cursor = {.bytes = at, .len = (size_t)(end - at)};
    if (tv_leb_take_signed(&cursor, &steps.word) && tv_leb_take(&cursor, &steps.time) &&
        (count < NUMBERS_MOST || tv_leb_take(&cursor, &steps.cpu)))
        steps.len = cursor.pos;
    return steps;
}

/* Reads the next record of layout C or D, with one load. */
TV_INLINE struct steps take_words(const uint8_t *at, const uint8_t *stop, unsigned count)
{
    if (TV_UNLIKELY((size_t)(stop - at) < sizeof(uint64_t)))
        return take_words_slowly(at, stop, count);
    const uint64_t bytes = tv_load_le64(at);
    const uint64_t ends = tv_leb_ends(bytes);
    const uint64_t time_ends = ends & (ends - 1);
    const uint64_t last_ends = count < NUMBERS_MOST ? time_ends : time_ends & (time_ends - 1);
    if (TV_UNLIKELY(!last_ends))
        return take_words_slowly(at, stop, count);
    const unsigned word_end = tv_leb_end(ends);
    const unsigned time_end = tv_leb_end(time_ends);
    return (struct steps){.word = tv_leb_signed(tv_leb_value_at(bytes, ends, 0), word_end / 8),
                          .time = tv_leb_value_at(bytes, time_ends, word_end),
                          .cpu = count < NUMBERS_MOST ? 0
                                                      : tv_leb_value_at(bytes, last_ends, time_end),
                          .len = tv_leb_end(last_ends) / 8};
}

/* The same for layout E. An exit is read like an enter whose last number has no bytes: what comes
 * next, a processor cannot guess. */
TV_INLINE struct steps take_ticks(const uint8_t *at, const uint8_t *stop, unsigned count,
                                  uint64_t ticks)
{
    if (TV_UNLIKELY((size_t)(stop - at) < sizeof(uint64_t)))
        return take_ticks_slowly(at, stop, count, ticks);
    const uint64_t bytes = tv_load_le64(at);
    const uint64_t is_enter = is_tick_enter(ticks, bytes);
    const uint64_t ends = tv_leb_ends(bytes);
    const uint64_t exit_ends = last_tick_ends(ends, count, 0);
    const uint64_t last_ends = last_tick_ends(ends, count, is_enter);
    if (TV_UNLIKELY(!last_ends))
        return take_ticks_slowly(at, stop, count, ticks);
    const unsigned tick_end = tv_leb_end(ends);
    const unsigned exit_end = tv_leb_end(exit_ends);
    const unsigned end = tv_leb_end(last_ends);
    const uint64_t method = tv_leb_value_at(bytes, last_ends, exit_end);
    return (struct steps){.time = tv_leb_signed(tv_leb_value_at(bytes, ends, 0), tick_end / 8),
                          .cpu = count < NUMBERS_MOST ? 0
                                                      : tv_leb_value_at(bytes, exit_ends, tick_end),
                          .word = tv_leb_signed(method, (end - exit_end) / 8) & (0 - is_enter),
                          .len = end / 8};
}

/* Writes a record as version 3 has it, which the index reads: CPU time before wall time. It also
 * writes to the place of the next record, so that there are two stores and not eight. */
TV_INLINE void store_record(uint8_t *to, uint64_t thread, uint64_t word, uint64_t wall,
                            uint64_t cpu, unsigned count)
{
    uint64_t times = count == NUMBERS_MOST ? (cpu & UINT32_MAX) | wall << 32 : wall & UINT32_MAX;
    tv_store_le64(to, thread | word << (8 * THREAD_LEN) | times << 48);
    tv_store_le64(to + sizeof(uint64_t), times >> 16);
}

/* Tells the times of a window's first record. */
TV_INLINE void tell_first(const struct tv_packed *packed, const uint8_t *to, uint64_t time,
                          uint64_t cpu, uint64_t first[TV_CLOCK_COUNT])
{
    if (TV_LIKELY(to != packed->records))
        return;
    first[0] = time;
    first[1] = cpu;
}

/* Ends a window with the record before `to`, which ends at `at`. */
static void end_window(struct tv_packed *packed, const uint8_t *at, const uint8_t *to,
                       const struct steps *sum)
{
    packed->cursor.pos = (size_t)(at - packed->cursor.bytes);
    packed->sum = *sum;
    packed->first += packed->count;
    packed->count = (size_t)(to - packed->records) / packed->trace->fixed.len;
}

/* Unpacks up to `most` records that follow the window. It stops early where a step of a 64-bit time
 * is too long for the low half to tell it, and where the block is not as it should be. first: the
 * times of the first record. The parameters but the first two are constants after inlining. */
TV_INLINE void unpack(struct tv_packed *packed, uint64_t most, unsigned count, bool has_times,
                      uint64_t first[TV_CLOCK_COUNT])
{
    const uint32_t len = THREAD_LEN + 4 * count;
    const uint32_t thread = packed->run->thread;
    const uint8_t *at = packed->cursor.bytes + packed->cursor.pos;
    const uint8_t *stop = packed->cursor.bytes + packed->cursor.len;
    uint64_t word = packed->sum.word;
    uint64_t time = packed->sum.time;
    uint64_t cpu = packed->sum.cpu;
    uint8_t *to = packed->records;
    uint8_t *end = to + most * len;
    while (to < end) {
        const struct steps steps = take_words(at, stop, count);
        const bool is_long =
            has_times && (steps.time | steps.cpu) >> STEP_BITS && to != packed->records;
        const uint64_t next = word + steps.word;
        const uint32_t key = find_key(packed, next & ~(uint64_t)TV_WIRE_ACTION_MASK);
        if (TV_UNLIKELY(!steps.len || is_long || key == NO_KEY))
            break;
        at += steps.len;
        word = next;
        time += steps.time;
        cpu += steps.cpu;
        tell_first(packed, to, time, cpu, first);
        store_record(to, thread, key | (word & TV_WIRE_ACTION_MASK), time, cpu, count);
        to += len;
    }
    end_window(packed, at, to, &(struct steps){.word = word, .time = time, .cpu = cpu});
}

/* The same for layout E. An exit takes the key on top of the stack, and its method is looked up all
 * the same, which is that of the enter before. */
TV_INLINE void unpack_ticks(struct tv_packed *packed, uint64_t most, unsigned count,
                            struct open_keys *keys, uint64_t first[TV_CLOCK_COUNT])
{
    const uint32_t len = THREAD_LEN + 4 * count;
    const uint32_t thread = packed->run->thread;
    const uint8_t *at = packed->cursor.bytes + packed->cursor.pos;
    const uint8_t *stop = packed->cursor.bytes + packed->cursor.len;
    uint64_t method = packed->sum.word;
    uint64_t ticks = packed->sum.time;
    uint64_t cpu = packed->sum.cpu;
    uint32_t *const stack = keys->at;
    size_t open = keys->count;
    uint8_t *to = packed->records;
    uint8_t *end = to + most * len;
    while (to < end) {
        const struct steps steps = take_ticks(at, stop, count, ticks);
        const uint64_t next = ticks + steps.time;
        const uint64_t time = tv_block_time_of_ticks(next);
        const bool is_long = ((time - tv_block_time_of_ticks(ticks)) | steps.cpu) >> STEP_BITS &&
                             to != packed->records;
        const size_t is_enter = (size_t)is_tick_enter(next, 0);
        uint32_t key = find_key(packed, method + steps.word);
        key = stack[open] ^ ((stack[open] ^ key) & (uint32_t)(0 - is_enter));
        if (TV_UNLIKELY(!steps.len || is_long || key == NO_KEY))
            break;
        at += steps.len;
        method += steps.word;
        ticks = next;
        cpu += steps.cpu;
        tell_first(packed, to, time, cpu, first);
        store_record(to, thread, key | (ticks & TV_WIRE_ACTION_MASK), time, cpu, count);
        stack[open + 1] = key;
        open += is_enter - ((open > 0) & (is_enter ^ 1));
        to += len;
    }
    keys->count = open;
    end_window(packed, at, to, &(struct steps){.word = method, .time = ticks, .cpu = cpu});
}

/* The stack of the run's thread, with room for a window; NULL without memory, which the state says.
 */
static struct open_keys *open_keys_of(struct tv_packed *packed)
{
    const struct tv_alloc *alloc = packed->trace->alloc;
    size_t thread_count = packed->trace->fixed.thread_count;
    packed->is_short_of_memory = true;
    if (!packed->stacks) {
        if (tv_alloc_new(alloc, &packed->stacks, thread_count, sizeof(*packed->stacks), NULL) !=
            TV_OK)
            return NULL;
        packed->stack_count = thread_count;
    }
    struct open_keys *keys = &packed->stacks[packed->run->thread - 1];
    if (!packed->has_stacks)
        keys->count = 0;
    if (tv_alloc_grow(alloc, &keys->at, &keys->cap, keys->count + WINDOW_CAP + 1, sizeof(*keys->at),
                      NULL) != TV_OK)
        return NULL;
    keys->at[0] = TV_FIXED_BARE_KEY;
    packed->is_short_of_memory = false;
    return keys;
}

/* Unpacks the next window, and gives the times of its first record; false when there is none. */
static bool unpack_window(struct tv_packed *packed, uint64_t most, uint64_t first[TV_CLOCK_COUNT])
{
    bool has_times = packed->trace->clock_bits == 64;
    if (most > WINDOW_CAP)
        most = WINDOW_CAP;
    if (packed->trace->fixed.has_bare_exits) {
        struct open_keys *keys = open_keys_of(packed);
        if (!keys)
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
        packed->sum = (struct steps){0};
    }
    uint64_t ignored[TV_CLOCK_COUNT];
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
    uint64_t first[TV_CLOCK_COUNT] = {0, 0};
    const struct tv_trace *trace = part->trace;
    bool is_there = seek(packed, run, part->first) && unpack_window(packed, *count, first);
    *count = is_there ? packed->count : 0;
    part->has_times = trace->clock_bits == 64;
    part->time[TV_CLOCK_WALL] = trace->has_clock[TV_CLOCK_WALL] ? first[0] : 0;
    part->time[TV_CLOCK_CPU] = trace->has_clock[TV_CLOCK_CPU] ? first[numbers_of(trace) - 2] : 0;
    if (part->has_times && (first[0] | first[1]) >> TIME_BITS)
        *count = 0;
    return packed->records;
}

bool tv_packed_is_short_of_memory(const struct tv_packed *packed)
{
    return packed->is_short_of_memory;
}

uint32_t tv_packed_word(struct tv_packed *packed, const struct tv_fixed_run *run, uint64_t record)
{
    uint64_t ignored[TV_CLOCK_COUNT];
    packed->has_stacks = false;
    if (packed->run != run || record < packed->first || record - packed->first >= packed->count) {
        if (!seek(packed, run, record) || !unpack_window(packed, WINDOW_CAP, ignored))
            return 0;
    }
    return tv_load_le32(packed->records + (record - packed->first) * packed->trace->fixed.len +
                        THREAD_LEN);
}
