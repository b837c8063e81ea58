/*
 * Packed records; see format/packed.h.
 *
 * Records are unpacked in windows, since each needs the sums of the one before it. In layout E an
 * exit gets the key of the call on top of a stack that is kept for its thread while records are
 * taken.
 */
#include "format/packed.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/bytes/cursor.h"
#include "base/bytes/gather.h"
#include "base/error.h"
#include "base/memory/map.h"
#include "format/packed_steps.h"
#include "format/wire.h"

/* Records that are unpacked together, and the most bytes that one takes. */
#define WINDOW_CAP 1024u
#define RECORD_MOST 14u
/* A window whose first time has this many bits or more is left to tv_trace_next: it may be meant
 * negative. So are steps above 2^31, since a record here has only the low half of a time. No time
 * in a window then reaches the 62 bits that it may have beside an action. */
#define TIME_BITS 60u
#define LONG_BITS (~UINT64_C(0) << 31)
/* The cache of keys has at least twice as many entries as the trace has methods, within these
 * bounds: two methods that share one cost ten records each time that they come in turns. */
#define CACHE_LEAST_BITS 10u
#define CACHE_MOST_BITS 15u
#define NO_KEY UINT32_MAX /* keys are multiples of 4 */

/* An entry that was not written has an id that belongs to another entry. */
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
    bool has_keys;            /* else records have their actions alone (tv_packed_omit_keys) */
    bool is_short_of_memory;  /* a stack could not grow: nothing is unpacked any more */
    bool gathers;             /* tv_gather_bits is quick here */
    struct cached_key *cache; /* direct mapped, in front of the trace's map */
    unsigned cache_shift;     /* 64 less the bits of its length */
    uint8_t records[WINDOW_CAP * RECORD_MOST + RECORD_MOST];
};

/* The entry of the cache for an id. */
TV_INLINE size_t entry_of(uint64_t id, unsigned shift)
{
    return (size_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> shift);
}

static size_t cache_cap(const struct tv_packed *packed)
{
    return (size_t)1 << (64 - packed->cache_shift);
}

enum tv_code tv_packed_new(struct tv_packed **packed, const struct tv_trace *trace,
                           struct tv_error *err)
{
    unsigned bits = CACHE_LEAST_BITS;
    while (bits < CACHE_MOST_BITS && (size_t)1 << bits < 2 * trace->method_count)
        bits++;
    TV_TRY(tv_alloc_new(trace->alloc, packed, 1, sizeof(**packed), err));
    (*packed)->trace = trace;
    (*packed)->has_stacks = trace->fixed.has_bare_exits;
    (*packed)->has_keys = true;
    (*packed)->gathers = tv_gather_is_quick();
    (*packed)->cache_shift = 64 - bits;
    TV_TRY(tv_alloc_new(trace->alloc, &(*packed)->cache, cache_cap(*packed),
                        sizeof(*(*packed)->cache), err));
    /* The id 0 belongs to the first entry, and 1 to another one. */
    (*packed)->cache[0].id = 1;
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
    if (packed->cache)
        tv_alloc_release(alloc, &packed->cache, cache_cap(packed), sizeof(*packed->cache));
    tv_alloc_release(alloc, &packed, 1, sizeof(*packed));
}

void tv_packed_omit_keys(struct tv_packed *packed)
{
    packed->has_keys = false;
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

TV_INLINE uint32_t find_key(struct tv_packed *packed, struct cached_key *cache, unsigned shift,
                            uint64_t id)
{
    struct cached_key *cached = &cache[entry_of(id, shift)];
    if (TV_LIKELY(cached->id == id))
        return cached->key;
    return cache_key(packed, id, cached);
}

/* tv_store_le64 and tv_store_le32 where the compiler may not put single bytes together: gcc 12
 * takes words apart for it that stand side by side. */
TV_INLINE void store_le64(uint8_t *to, uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(to, &value, sizeof(value));
#else
    tv_store_le64(to, value);
#endif
}

TV_INLINE void store_le32(uint8_t *to, uint32_t value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(to, &value, sizeof(value));
#else
    tv_store_le32(to, value);
#endif
}

/* Writes a record as version 3 has it, which the index reads: CPU time before wall time. It also
 * writes to the place of the next record, so that there are few stores. */
TV_INLINE void store_record(uint8_t *to, uint64_t thread, uint64_t word, uint64_t wall,
                            uint64_t cpu, unsigned count)
{
    const bool has_two = count == TV_STEPS_MOST;
    store_le64(to, thread | word << (8 * TV_PACKED_THREAD_LEN));
    store_le32(to + TV_PACKED_THREAD_LEN + 4, (uint32_t)(has_two ? cpu : wall));
    if (has_two)
        store_le32(to + TV_PACKED_THREAD_LEN + 8, (uint32_t)wall);
}

/* What a loop over records keeps in registers. */
struct unpacking {
    const uint8_t *at, *stop;
    uint8_t *to, *end;
    uint64_t word, time, cpu; /* the sums, as in struct tv_packed */
    uint64_t last;      /* layout E: the time of the record before, or of the first one itself */
    uint64_t long_bits; /* those that a step of time must not have: none before the first record */
};

TV_INLINE struct unpacking begin_window(struct tv_packed *packed, uint64_t most, unsigned count)
{
    const uint8_t *bytes = packed->cursor.bytes;
    return (struct unpacking){.at = bytes + packed->cursor.pos,
                              .stop = bytes + packed->cursor.len,
                              .to = packed->records,
                              .end = packed->records + most * (TV_PACKED_THREAD_LEN + 4 * count),
                              .word = packed->sum.word,
                              .time = packed->sum.time,
                              .cpu = packed->sum.cpu};
}

/* Ends a window with the record before the one that the loop stopped at. */
static void end_window(struct tv_packed *packed, const struct unpacking *loop)
{
    packed->cursor.pos = (size_t)(loop->at - packed->cursor.bytes);
    packed->sum = (struct tv_steps){.word = loop->word, .time = loop->time, .cpu = loop->cpu};
    packed->first += packed->count;
    packed->count = (size_t)(loop->to - packed->records) / packed->trace->fixed.len;
}

/* Unpacks up to `most` records that follow the window. It stops early where a step of a 64-bit time
 * is too long for the low half to tell it, and where the block is not as it should be. first: is
 * set to the times of the first record. The parameters but the first two are constants after
 * inlining. */
TV_INLINE void unpack_words(struct tv_packed *packed, uint64_t most, unsigned count, bool has_keys,
                            bool gathers, uint64_t first[TV_CLOCK_COUNT])
{
    const uint32_t len = TV_PACKED_THREAD_LEN + 4 * count;
    const uint32_t thread = packed->run->thread;
    struct cached_key *const cache = packed->cache;
    const unsigned shift = packed->cache_shift;
    const uint64_t long_bits = packed->trace->clock_bits == 64 ? LONG_BITS : 0;
    struct unpacking loop = begin_window(packed, most, count);
    const struct tv_steps begin = tv_steps_take_words(loop.at, loop.stop, count);
    first[0] = loop.time + begin.time;
    first[1] = loop.cpu + begin.cpu;
    while (loop.to < loop.end) {
        const struct tv_steps steps = gathers ? tv_steps_gather_words(loop.at, loop.stop, count)
                                              : tv_steps_take_words(loop.at, loop.stop, count);
        const uint64_t word = loop.word + steps.word;
        const bool is_long = (steps.time | steps.cpu) & loop.long_bits;
        uint32_t key = 0;
        if (has_keys)
            key = find_key(packed, cache, shift, word & ~(uint64_t)TV_WIRE_ACTION_MASK);
        if (TV_UNLIKELY(!steps.len || is_long || key == NO_KEY))
            break;
        loop.at += steps.len;
        loop.word = word;
        loop.time += steps.time;
        loop.cpu += steps.cpu;
        loop.long_bits = long_bits;
        store_record(loop.to, thread, key | (word & TV_WIRE_ACTION_MASK), loop.time, loop.cpu,
                     count);
        loop.to += len;
    }
    end_window(packed, &loop);
}

/* Unpacks records of layout E. An exit takes its key from the top of the stack. The look-up of a
 * method is done for exits, too, with the method of the last enter: so the loop needs no branch. */
TV_INLINE void unpack_ticks(struct tv_packed *packed, uint64_t most, unsigned count,
                            struct open_keys *keys, bool gathers, uint64_t first[TV_CLOCK_COUNT])
{
    const uint32_t len = TV_PACKED_THREAD_LEN + 4 * count;
    const uint32_t thread = packed->run->thread;
    struct cached_key *const cache = packed->cache;
    const unsigned shift = packed->cache_shift;
    const uint32_t *const bottom = keys ? keys->at : NULL;
    uint32_t *top = keys ? keys->at + keys->count : NULL;
    struct unpacking loop = begin_window(packed, most, count);
    const struct tv_steps begin = tv_steps_take_ticks(loop.at, loop.stop, count, loop.time);
    first[0] = tv_block_time_of_ticks(loop.time + begin.time);
    first[1] = loop.cpu + begin.cpu;
    loop.last = first[0];
    while (loop.to < loop.end) {
        const struct tv_steps steps =
            gathers ? tv_steps_gather_ticks(loop.at, loop.stop, count, loop.time)
                    : tv_steps_take_ticks(loop.at, loop.stop, count, loop.time);
        const uint64_t ticks = loop.time + steps.time;
        /* Positive, as the first time is, and steps back are long. */
        const uint64_t time = ticks >> 2;
        const bool is_long = ((time - loop.last) | steps.cpu) & loop.long_bits;
        const size_t is_enter = (size_t)tv_steps_is_enter(ticks, 0);
        uint32_t key = 0;
        if (keys) {
            key = find_key(packed, cache, shift, loop.word + steps.word);
            key = *top ^ ((*top ^ key) & (uint32_t)(0 - is_enter));
        }
        if (TV_UNLIKELY(!steps.len || is_long || key == NO_KEY))
            break;
        if (keys) {
            top[1] = key;
            top += (ptrdiff_t)is_enter - (ptrdiff_t)((top != bottom) & (is_enter ^ 1));
        }
        loop.at += steps.len;
        loop.word += steps.word;
        loop.time = ticks;
        loop.last = time;
        loop.cpu += steps.cpu;
        loop.long_bits = LONG_BITS;
        store_record(loop.to, thread, key | (ticks & TV_WIRE_ACTION_MASK), time, loop.cpu, count);
        loop.to += len;
    }
    if (keys)
        keys->count = (size_t)(top - bottom);
    end_window(packed, &loop);
}

/* Each loop with what is constant in it: with one time or two, with and without keys. */

TV_INLINE void unpack_all(struct tv_packed *packed, uint64_t most, struct open_keys *keys,
                          bool gathers, uint64_t first[TV_CLOCK_COUNT])
{
    const bool has_two = tv_steps_numbers(packed->trace) == TV_STEPS_MOST;
    if (packed->trace->fixed.has_bare_exits) {
        if (has_two && keys)
            unpack_ticks(packed, most, TV_STEPS_MOST, keys, gathers, first);
        else if (has_two)
            unpack_ticks(packed, most, TV_STEPS_MOST, NULL, gathers, first);
        else
            unpack_ticks(packed, most, TV_STEPS_MOST - 1, keys, gathers, first);
    } else if (has_two && packed->has_keys)
        unpack_words(packed, most, TV_STEPS_MOST, true, gathers, first);
    else if (has_two)
        unpack_words(packed, most, TV_STEPS_MOST, false, gathers, first);
    else
        unpack_words(packed, most, TV_STEPS_MOST - 1, packed->has_keys, gathers, first);
}

/* unpack_all twice: with tv_gather_bits, and without. */

static TV_NOINLINE TV_GATHERS void unpack_gathering(struct tv_packed *packed, uint64_t most,
                                                    struct open_keys *keys,
                                                    uint64_t first[TV_CLOCK_COUNT])
{
    unpack_all(packed, most, keys, true, first);
}

static TV_NOINLINE void unpack_shifting(struct tv_packed *packed, uint64_t most,
                                        struct open_keys *keys, uint64_t first[TV_CLOCK_COUNT])
{
    unpack_all(packed, most, keys, false, first);
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
    struct open_keys *keys = NULL;
    if (packed->trace->fixed.has_bare_exits && packed->has_keys) {
        keys = open_keys_of(packed);
        if (!keys)
            return false;
    }
    if (most > WINDOW_CAP)
        most = WINDOW_CAP;
    if (TV_HAS_GATHER && packed->gathers)
        unpack_gathering(packed, most, keys, first);
    else
        unpack_shifting(packed, most, keys, first);
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
    if (!packed->has_keys)
        packed->run = NULL;
    packed->has_keys = true;
    if (packed->run != run || record < packed->first || record - packed->first >= packed->count) {
        if (!seek(packed, run, record) || !unpack_window(packed, WINDOW_CAP, ignored))
            return 0;
    }
    return tv_load_le32(packed->records + (record - packed->first) * packed->trace->fixed.len +
                        TV_PACKED_THREAD_LEN);
}
