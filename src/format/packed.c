/*
 * Packed records; see format/packed.h.
 *
 * Records are unpacked in windows, since each needs the sums of the one before it. In layout E an
 * exit gets the key of the call on top of a stack that is kept for its thread while records are
 * taken.
 */
#include "format/packed.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/bytes/cursor.h"
#include "base/error.h"
#include "base/memory/map.h"
#include "format/packed_steps.h"
#include "format/wire.h"

/* Records that are unpacked together, and the most bytes that one takes. */
#define WINDOW_CAP 1024u
#define RECORD_MOST 14u
/* Times of this many bits and more, and steps above 2^31, are left to tv_trace_next: such times may
 * be meant negative, and a record here has only the low half of a time. */
#define TIME_BITS 62u
#define STEP_BITS 31u
/* Entries of the cache of keys: nearly all traces call fewer methods than this. Looking up a method
 * that is not in the cache takes as long as five records. */
#define CACHE_CAP 4096u
#define CACHE_SHIFT 52u
#define NO_KEY UINT32_MAX /* keys are multiples of 4 */

struct cached_key {
    uint64_t id;
    uint32_t key;
};

/* The keys of the calls that a thread has opened since the first record that was taken, from at[1]
 * on. An exit without such a call gets at[0], 0, which says nothing (has_bare_exits): a key that
 * would say "none" is a key of a method, too. */
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
    uint64_t first;      /* ordinal of the window's first record in the trace */
    size_t count;        /* records in the window */
    struct tv_steps sum; /* of the block up to the window's last record; its `len` is not used */
    /* Layout E: the stacks, by number of the thread; once single records were asked for, which may
     * stand anywhere, a stack begins anew with each window. */
    struct open_keys *stacks;
    size_t stack_count;
    bool has_stacks;
    bool is_short_of_memory;            /* a stack could not grow: nothing is unpacked any more */
    struct cached_key cache[CACHE_CAP]; /* direct mapped, in front of the trace's map */
    uint8_t records[WINDOW_CAP * RECORD_MOST + RECORD_MOST];
};

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

/* Writes a record as version 3 has it, which the index reads: CPU time before wall time. It also
 * writes to the place of the next record, so that there are two stores and not eight. */
TV_INLINE void store_record(uint8_t *to, uint64_t thread, uint64_t word, uint64_t wall,
                            uint64_t cpu, unsigned count)
{
    uint64_t times = count == TV_STEPS_MOST ? (cpu & UINT32_MAX) | wall << 32 : wall & UINT32_MAX;
    tv_store_le64(to, thread | word << (8 * TV_PACKED_THREAD_LEN) | times << 48);
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
                       const struct tv_steps *sum)
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
    const uint32_t len = TV_PACKED_THREAD_LEN + 4 * count;
    const uint32_t thread = packed->run->thread;
    const uint8_t *at = packed->cursor.bytes + packed->cursor.pos;
    const uint8_t *stop = packed->cursor.bytes + packed->cursor.len;
    uint64_t word = packed->sum.word;
    uint64_t time = packed->sum.time;
    uint64_t cpu = packed->sum.cpu;
    uint8_t *to = packed->records;
    uint8_t *end = to + most * len;
    while (to < end) {
        const struct tv_steps steps = tv_steps_take_words(at, stop, count);
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
    end_window(packed, at, to, &(struct tv_steps){.word = word, .time = time, .cpu = cpu});
}

/* Unpacks records of layout E. An exit takes its key from the top of the stack. The look-up of a
 * method is done for exits, too, with the method of the last enter: so the loop needs no branch. */
TV_INLINE void unpack_ticks(struct tv_packed *packed, uint64_t most, unsigned count,
                            struct open_keys *keys, uint64_t first[TV_CLOCK_COUNT])
{
    const uint32_t len = TV_PACKED_THREAD_LEN + 4 * count;
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
        const struct tv_steps steps = tv_steps_take_ticks(at, stop, count, ticks);
        const uint64_t next = ticks + steps.time;
        const uint64_t time = tv_block_time_of_ticks(next);
        const bool is_long = ((time - tv_block_time_of_ticks(ticks)) | steps.cpu) >> STEP_BITS &&
                             to != packed->records;
        const size_t is_enter = (size_t)tv_steps_is_enter(next, 0);
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
    end_window(packed, at, to, &(struct tv_steps){.word = method, .time = ticks, .cpu = cpu});
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
    keys->at[0] = 0;
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
        if (tv_steps_numbers(packed->trace) == TV_STEPS_MOST)
            unpack_ticks(packed, most, TV_STEPS_MOST, keys, first);
        else
            unpack_ticks(packed, most, TV_STEPS_MOST - 1, keys, first);
    } else if (tv_steps_numbers(packed->trace) == TV_STEPS_MOST && has_times)
        unpack(packed, most, TV_STEPS_MOST, true, first);
    else if (tv_steps_numbers(packed->trace) == TV_STEPS_MOST)
        unpack(packed, most, TV_STEPS_MOST, false, first);
    else
        unpack(packed, most, TV_STEPS_MOST - 1, has_times, first);
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
        packed->sum = (struct tv_steps){0};
    }
    uint64_t ignored[TV_CLOCK_COUNT];
    while (packed->first + packed->count < record) {
        if (!unpack_window(packed, record - packed->first - packed->count, ignored))
            return false;
    }
    return true;
}

/* Where times have 64 bits, records hold their low halves alone; the times of the window's first
 * record are told in full beside them. */
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
    part->time[TV_CLOCK_CPU] =
        trace->has_clock[TV_CLOCK_CPU] ? first[tv_steps_numbers(trace) - 2] : 0;
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
                        TV_PACKED_THREAD_LEN);
}
