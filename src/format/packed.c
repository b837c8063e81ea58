/*
 * Packed records; see format/packed.h.
 *
 * Records are unpacked in windows, since each needs the sums of the one before it.
 */
#include "format/packed.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/bytes/cursor.h"
#include "base/bytes/gather.h"
#include "base/error.h"
#include "base/memory/map.h"
#include "format/packed_patterns.h"
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

/* The state of unpacking one run. A record has two or three numbers: its word, and the time on one
 * clock or two. */
struct tv_packed {
    const struct tv_trace *trace;
    const struct tv_fixed_run *run;
    struct tv_cursor cursor;
    uint64_t first;      /* ordinal of the window's first record in the trace */
    size_t count;        /* records in the window */
    struct tv_steps sum; /* of the block up to the window's last record; its `len` is not used */
    bool has_keys;       /* else records have their actions alone (tv_packed_omit_keys) */
    bool gathers;        /* tv_gather_bits is quick here */
    /* Of records, or of exits and enters of layout E; made where `gathers`. */
    struct tv_packed_patterns patterns[2];
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

static void make_patterns(struct tv_packed *packed)
{
    const unsigned count = tv_steps_numbers(packed->trace);
    if (!packed->gathers)
        return;
    tv_packed_patterns_make(&packed->patterns[0],
                            packed->trace->fixed.has_bare_exits ? count - 1 : count);
    tv_packed_patterns_make(&packed->patterns[1], count);
}

enum tv_code tv_packed_new(struct tv_packed **packed, const struct tv_trace *trace,
                           struct tv_error *err)
{
    unsigned bits = CACHE_LEAST_BITS;
    while (bits < CACHE_MOST_BITS && (size_t)1 << bits < 2 * trace->method_count)
        bits++;
    TV_TRY(tv_alloc_new(trace->alloc, packed, 1, sizeof(**packed), err));
    (*packed)->trace = trace;
    (*packed)->has_keys = true;
    (*packed)->gathers = tv_gather_is_quick();
    make_patterns(*packed);
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

/* Writes a record as version 3 has it, which the index reads: CPU time before wall time. It also
 * writes to the place of the next record, so that there are few stores. */
TV_INLINE void store_record(uint8_t *to, uint64_t thread, uint64_t word, uint64_t wall,
                            uint64_t cpu, unsigned count)
{
    const bool has_two = count == TV_STEPS_MOST;
    tv_store_le64(to, thread | word << (8 * TV_PACKED_THREAD_LEN));
    tv_store_le32(to + TV_PACKED_THREAD_LEN + 4, (uint32_t)(has_two ? cpu : wall));
    if (has_two)
        tv_store_le32(to + TV_PACKED_THREAD_LEN + 8, (uint32_t)wall);
}

/* What a loop over records keeps in registers. */
struct unpacking {
    const uint8_t *at, *stop;
    uint8_t *to, *end;
    uint64_t word, time, cpu; /* the sums, as in struct tv_packed */
    uint64_t last;      /* layout E: the time of the record before, or of the first one itself */
    uint64_t long_bits; /* those that a step of time must not have: none before the first record */
};

/* What is the same for all records of a window. The last ones are constants after inlining. */
struct window {
    struct tv_packed *packed;
    struct cached_key *cache;
    unsigned shift;
    uint32_t thread;
    uint64_t long_bits;
    unsigned count; /* numbers of a record */
    bool has_keys, gathers;
};

TV_INLINE struct window window_of(struct tv_packed *packed, unsigned count, bool has_keys,
                                  bool gathers)
{
    return (struct window){.packed = packed,
                           .cache = packed->cache,
                           .shift = packed->cache_shift,
                           .thread = packed->run->thread,
                           .long_bits = packed->trace->clock_bits == 64 ? LONG_BITS : 0,
                           .count = count,
                           .has_keys = has_keys,
                           .gathers = gathers};
}

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

TV_INLINE void write_record(const struct window *window, struct unpacking *loop, uint64_t word,
                            uint64_t time)
{
    store_record(loop->to, window->thread, word, time, loop->cpu, window->count);
    loop->to += TV_PACKED_THREAD_LEN + 4 * window->count;
}

/* Adds a record of layout C or D; false, and nothing is changed, where it is not as it should be:
 * a step of a 64-bit time is too long for the low half to tell it, or the method is unknown. */
TV_INLINE bool add_words(const struct window *window, struct unpacking *loop, struct tv_steps steps)
{
    const uint64_t word = loop->word + steps.word;
    const bool is_long = (steps.time | steps.cpu) & loop->long_bits;
    uint32_t key = 0;
    if (window->has_keys)
        key = find_key(window->packed, window->cache, window->shift,
                       word & ~(uint64_t)TV_WIRE_ACTION_MASK);
    if (TV_UNLIKELY(is_long || key == NO_KEY))
        return false;
    loop->at += steps.len;
    loop->word = word;
    loop->time += steps.time;
    loop->cpu += steps.cpu;
    loop->long_bits = window->long_bits;
    write_record(window, loop, key | (word & TV_WIRE_ACTION_MASK), loop->time);
    return true;
}

/* Whether the next 64 bytes can be taken by patterns. */
TV_INLINE bool has_stretch(const struct unpacking *loop)
{
    return (size_t)(loop->stop - loop->at) >= TV_PACKED_STRETCH && loop->to < loop->end;
}

/* Adds records of layout C or D by patterns, up to one that has more than eight bytes, is not as it
 * should be, or stands near the end of the block. */
TV_INLINE void add_words_by_pattern(const struct window *window, struct unpacking *loop)
{
    bool is_plain = true;
    while (is_plain && has_stretch(loop)) {
        const uint8_t *const last = loop->at + TV_PACKED_STRETCH_LAST;
        uint64_t ends = ~tv_gather_bits_of_64(loop->at, 7);
        do {
            const struct tv_packed_pattern *pattern =
                &window->packed->patterns[0].of_ends[ends & 255];
            const uint64_t bytes = tv_load_le64(loop->at);
            if (TV_UNLIKELY(!pattern->len))
                return;
            uint64_t record_end = ends & (ends - 1);
            if (window->count == TV_STEPS_MOST)
                record_end &= record_end - 1;
            const size_t len = (size_t)__builtin_ctzll(record_end) + 1;
            const struct tv_steps steps = {.word = tv_packed_pattern_signed(pattern, 0, bytes),
                                           .time = tv_packed_pattern_number(pattern, 1, bytes),
                                           .cpu = window->count < TV_STEPS_MOST
                                                      ? 0
                                                      : tv_packed_pattern_number(pattern, 2, bytes),
                                           .len = len};
            is_plain = add_words(window, loop, steps);
            ends >>= len;
        } while (TV_LIKELY(is_plain) && loop->at <= last && loop->to < loop->end);
    }
}

/* Unpacks up to `most` records that follow the window. It stops early at a record that is not as it
 * should be. first: is set to the times of the first record. The parameters but the first two are
 * constants after inlining. */
TV_INLINE void unpack_words(struct tv_packed *packed, uint64_t most, unsigned count, bool has_keys,
                            bool gathers, uint64_t first[TV_CLOCK_COUNT])
{
    const struct window window = window_of(packed, count, has_keys, gathers);
    struct unpacking loop = begin_window(packed, most, count);
    const struct tv_steps begin = tv_steps_take_words(loop.at, loop.stop, count);
    first[0] = loop.time + begin.time;
    first[1] = loop.cpu + begin.cpu;
    while (loop.to < loop.end) {
        const struct tv_steps steps = tv_steps_take_words(loop.at, loop.stop, count);
        if (TV_UNLIKELY(!steps.len || !add_words(&window, &loop, steps)))
            break;
        if (gathers)
            add_words_by_pattern(&window, &loop);
    }
    end_window(packed, &loop);
}

/* Adds a record of layout E; false as add_words. An exit gets the key 0. */
TV_INLINE bool add_ticks(const struct window *window, struct unpacking *loop, struct tv_steps steps,
                         bool is_enter)
{
    const uint64_t ticks = loop->time + steps.time;
    /* Positive, as the first time is, and steps back are long. */
    const uint64_t time = ticks >> 2;
    const bool is_long = ((time - loop->last) | steps.cpu) & loop->long_bits;
    uint32_t key = 0;
    if (window->has_keys && is_enter)
        key = find_key(window->packed, window->cache, window->shift, loop->word + steps.word);
    if (TV_UNLIKELY(is_long || key == NO_KEY))
        return false;
    loop->at += steps.len;
    loop->word += steps.word;
    loop->time = ticks;
    loop->last = time;
    loop->cpu += steps.cpu;
    loop->long_bits = LONG_BITS;
    write_record(window, loop, key | (ticks & TV_WIRE_ACTION_MASK), time);
    return true;
}

/* One bit of each byte of a stretch, the next one lowest. */
struct stretch {
    uint64_t ends;      /* whether the byte ends a number */
    uint64_t low, high; /* layout E: the bits of a number that are the action in the sum */
};

/* Adds the next record of layout E by its pattern; false as add_ticks, or where it has more than
 * eight bytes. is_enter: a constant. */
TV_INLINE bool add_ticks_at(const struct window *window, struct unpacking *loop,
                            struct stretch *stretch, bool is_enter)
{
    const bool has_two = window->count == TV_STEPS_MOST;
    const struct tv_packed_pattern *pattern =
        &window->packed->patterns[is_enter].of_ends[stretch->ends & 255];
    const uint64_t bytes = tv_load_le64(loop->at);
    uint64_t record_end = has_two ? stretch->ends & (stretch->ends - 1) : stretch->ends;
    if (TV_UNLIKELY(!pattern->len))
        return false;
    if (is_enter)
        record_end &= record_end - 1;
    const struct tv_steps steps = {
        .time = tv_packed_pattern_signed(pattern, 0, bytes),
        .cpu = has_two ? tv_packed_pattern_number(pattern, 1, bytes) : 0,
        .word = is_enter ? tv_packed_pattern_signed(pattern, window->count - 1, bytes) : 0,
        .len = (size_t)__builtin_ctzll(record_end) + 1};
    stretch->ends >>= steps.len;
    stretch->low >>= steps.len;
    stretch->high >>= steps.len;
    return add_ticks(window, loop, steps, is_enter);
}

/* add_words_by_pattern for layout E. What comes next, an enter or an exit, stands in the lowest two
 * bits of the sums. The processor guesses it often enough that a branch is quickest. */
TV_INLINE void add_ticks_by_pattern(const struct window *window, struct unpacking *loop)
{
    bool is_plain = true;
    while (is_plain && has_stretch(loop)) {
        const uint8_t *const last = loop->at + TV_PACKED_STRETCH_LAST;
        struct stretch stretch = {.ends = ~tv_gather_bits_of_64(loop->at, 7),
                                  .low = tv_gather_bits_of_64(loop->at, 0),
                                  .high = tv_gather_bits_of_64(loop->at, 1)};
        uint64_t ticks = loop->time; /* of the sum the low bits */
        do {
            ticks += (stretch.low & 1) + 2 * (stretch.high & 1);
            if ((ticks & TV_WIRE_ACTION_MASK) == TV_ACTION_ENTER)
                is_plain = add_ticks_at(window, loop, &stretch, true);
            else
                is_plain = add_ticks_at(window, loop, &stretch, false);
        } while (TV_LIKELY(is_plain) && loop->at <= last && loop->to < loop->end);
    }
}

/* Unpacks records of layout E. */
TV_INLINE void unpack_ticks(struct tv_packed *packed, uint64_t most, unsigned count, bool has_keys,
                            bool gathers, uint64_t first[TV_CLOCK_COUNT])
{
    const struct window window = window_of(packed, count, has_keys, gathers);
    struct unpacking loop = begin_window(packed, most, count);
    const struct tv_steps begin = tv_steps_take_ticks(loop.at, loop.stop, count, loop.time);
    first[0] = tv_block_time_of_ticks(loop.time + begin.time);
    first[1] = loop.cpu + begin.cpu;
    loop.last = first[0];
    while (loop.to < loop.end) {
        const struct tv_steps steps = tv_steps_take_ticks(loop.at, loop.stop, count, loop.time);
        if (TV_UNLIKELY(!steps.len || !add_ticks(&window, &loop, steps,
                                                 tv_steps_is_enter(loop.time, steps.time))))
            break;
        if (gathers)
            add_ticks_by_pattern(&window, &loop);
    }
    end_window(packed, &loop);
}

/* Each loop with what is constant in it: with one time or two, with and without keys. */

TV_INLINE void unpack_all(struct tv_packed *packed, uint64_t most, bool gathers,
                          uint64_t first[TV_CLOCK_COUNT])
{
    const bool has_two = tv_steps_numbers(packed->trace) == TV_STEPS_MOST;
    if (packed->trace->fixed.has_bare_exits) {
        if (has_two && packed->has_keys)
            unpack_ticks(packed, most, TV_STEPS_MOST, true, gathers, first);
        else if (has_two)
            unpack_ticks(packed, most, TV_STEPS_MOST, false, gathers, first);
        else
            unpack_ticks(packed, most, TV_STEPS_MOST - 1, packed->has_keys, gathers, first);
    } else if (has_two && packed->has_keys)
        unpack_words(packed, most, TV_STEPS_MOST, true, gathers, first);
    else if (has_two)
        unpack_words(packed, most, TV_STEPS_MOST, false, gathers, first);
    else
        unpack_words(packed, most, TV_STEPS_MOST - 1, packed->has_keys, gathers, first);
}

/* unpack_all twice: with tv_gather_bits, and without. */

static TV_NOINLINE TV_GATHERS void unpack_gathering(struct tv_packed *packed, uint64_t most,
                                                    uint64_t first[TV_CLOCK_COUNT])
{
    unpack_all(packed, most, true, first);
}

static TV_NOINLINE void unpack_shifting(struct tv_packed *packed, uint64_t most,
                                        uint64_t first[TV_CLOCK_COUNT])
{
    unpack_all(packed, most, false, first);
}

/* Unpacks the next window, and gives the times of its first record; false when there is none. */
static bool unpack_window(struct tv_packed *packed, uint64_t most, uint64_t first[TV_CLOCK_COUNT])
{
    if (most > WINDOW_CAP)
        most = WINDOW_CAP;
    if (TV_HAS_GATHER && packed->gathers)
        unpack_gathering(packed, most, first);
    else
        unpack_shifting(packed, most, first);
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

uint32_t tv_packed_word(struct tv_packed *packed, const struct tv_fixed_run *run, uint64_t record)
{
    uint64_t ignored[TV_CLOCK_COUNT];
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
