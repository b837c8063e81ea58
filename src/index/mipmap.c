/*
 * Mipmaps of rows: searching, and writing them; see index/mipmap.h.
 *
 * A search by time starts at the highest level, which has at most FANOUT entries. On each level it
 * counts how many of FANOUT starts are below the time, which a vector does in a few instructions
 * and without a branch, and goes on below the last of those. A search for the longest call cuts the
 * calls into pieces of high levels, takes the longest piece, and goes down into it.
 */
#include "index/mipmap.h"

#include <string.h>

#define FANOUT ((uint64_t)TV_MIPMAP_FANOUT)
/* Bytes of a line of the processor's cache. */
#define LINE_LEN 64

/* Entries that a level needs above one of `count` entries. */
static uint64_t entries_above(uint64_t count)
{
    return (count + FANOUT - 1) / FANOUT;
}

uint64_t tv_mipmap_words(uint64_t call_count, bool is_wide)
{
    uint64_t total = 0;
    for (uint64_t count = call_count; count > FANOUT;) {
        count = entries_above(count);
        total += count;
    }
    return is_wide ? 2 * total : total;
}

/* Bytes of a start on this thread, and of a duration above level 0. */
static size_t width_of(const struct tv_index_thread *thread)
{
    return thread->is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

/* Level 0 is the columns of the row themselves; the levels above stand in the mipmap sections, the
 * lowest first. No level is stored above one with at most FANOUT entries. */
struct tv_mipmap tv_mipmap_of(const struct tv_index *index, uint32_t thread_ix, uint32_t row_ix)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    const struct tv_index_row *row = &index->rows[row_ix];
    const size_t width = width_of(thread);
    struct tv_mipmap mipmap;
    mipmap.index = index;
    mipmap.thread = thread;
    mipmap.axis = tv_index_axis(index);
    mipmap.call_first = row->call_first;
    mipmap.counts[0] = row->call_count;
    uint64_t call = row->call_first - thread->call_first;
    const uint64_t *time_off = &thread->time_off[2 * (size_t)mipmap.axis];
    mipmap.starts[0] = index->times + time_off[0] + call * width;
    mipmap.lens[0] = index->times + time_off[1] + call * thread->duration_len;
    uint64_t at = row->mipmap_first * sizeof(uint32_t);
    unsigned level = 0;
    for (; mipmap.counts[level] > FANOUT; level++) {
        uint64_t count = entries_above(mipmap.counts[level]);
        mipmap.counts[level + 1] = count;
        mipmap.starts[level + 1] = (const uint8_t *)index->mipmap_starts + at;
        mipmap.lens[level + 1] = (const uint8_t *)index->mipmap_lens + at;
        at += count * width;
    }
    mipmap.top = level;
    return mipmap;
}

/*
 * Functions over numbers of one width in a column; wide entries of the mipmap stand at multiples of
 * 4 bytes, not of 8, so numbers are loaded by memcpy. at: the number at a place. most: the largest
 * of `count`. below: how many of `count` are less than a limit. Where `count` is the constant
 * FANOUT, the compiler makes vectors of the loop, so callers test for that case.
 */
#define DEFINE_LENS(type)                                                                          \
    TV_INLINE type at_##type(const uint8_t *column, uint64_t i)                                    \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, column + i * sizeof(value), sizeof(value));                                 \
        return value;                                                                              \
    }                                                                                              \
    TV_INLINE type most_##type(const uint8_t *column, uint64_t count)                              \
    {                                                                                              \
        type most = 0;                                                                             \
        for (uint64_t i = 0; i < count; i++)                                                       \
            most = at_##type(column, i) > most ? at_##type(column, i) : most;                      \
        return most;                                                                               \
    }

#define DEFINE_STARTS(type)                                                                        \
    TV_INLINE type below_##type(const uint8_t *column, uint64_t count, type limit)                 \
    {                                                                                              \
        type below = 0;                                                                            \
        for (uint64_t i = 0; i < count; i++)                                                       \
            below += at_##type(column, i) < limit;                                                 \
        return below;                                                                              \
    }

DEFINE_LENS(uint16_t)
DEFINE_LENS(uint32_t)
DEFINE_LENS(uint64_t)
DEFINE_STARTS(uint32_t)
DEFINE_STARTS(uint64_t)

/* Start of an entry, units since the thread's first record. */
static uint64_t start_of(const struct tv_mipmap *mipmap, unsigned level, uint64_t i)
{
    const uint8_t *starts = mipmap->starts[level];
    return mipmap->thread->is_wide ? at_uint64_t(starts, i) : at_uint32_t(starts, i);
}

/* Prefetches all lines with bytes of [from, to). Inline by force: gcc takes a function that only
 * prefetches for one that does nothing, and drops the call. */
TV_INLINE void prefetch(const uint8_t *from, const uint8_t *to)
{
    for (from -= (uintptr_t)from % LINE_LEN; from < to; from += LINE_LEN)
        TV_PREFETCH(from);
}

/* How many of the FANOUT entries from `from` on start before `time` (units since the thread's first
 * record). */
static uint64_t starts_before(const struct tv_mipmap *mipmap, unsigned level, uint64_t from,
                              uint64_t time)
{
    uint64_t left = mipmap->counts[level] - from;
    const uint8_t *starts = mipmap->starts[level] + from * width_of(mipmap->thread);
    if (mipmap->thread->is_wide)
        return below_uint64_t(starts, left < FANOUT ? left : FANOUT, time);
    if (TV_LIKELY(left >= FANOUT))
        return below_uint32_t(starts, FANOUT, (uint32_t)time);
    return below_uint32_t(starts, left, (uint32_t)time);
}

/* Goes down from `level` to level 0: from each level to the entries below its last entry that
 * starts before `time`. The entry `from` does start before it. Returns the first of those calls, as
 * a place in the row. */
static uint64_t descend(const struct tv_mipmap *mipmap, unsigned level, uint64_t from,
                        uint64_t time)
{
    for (; level; level--)
        from = (from + starts_before(mipmap, level, from, time) - 1) * FANOUT;
    return from;
}

/* The last step of a search: the first of the calls from `from` on that does not start before
 * `time`. */
static uint64_t search_calls(const struct tv_mipmap *mipmap, uint64_t from, uint64_t time)
{
    return mipmap->call_first + from + starts_before(mipmap, 0, from, time);
}

/* Whether a time, in units since the thread's first record, fits the width of starts; if not, it is
 * beyond all of them. */
static bool is_within(const struct tv_mipmap *mipmap, uint64_t time)
{
    return mipmap->thread->is_wide || time <= UINT32_MAX;
}

uint64_t tv_mipmap_search(const struct tv_mipmap *mipmap, uint64_t time)
{
    uint64_t base = mipmap->thread->first[mipmap->axis];
    if (time <= base || start_of(mipmap, mipmap->top, 0) >= time - base)
        return mipmap->call_first;
    if (!is_within(mipmap, time - base))
        return mipmap->call_first + mipmap->counts[0];
    return search_calls(mipmap, descend(mipmap, mipmap->top, 0, time - base), time - base);
}

/* Prefetches the starts of FANOUT entries of a level from `from` on. */
TV_INLINE void prefetch_starts(const struct tv_mipmap *mipmap, unsigned level, uint64_t from)
{
    const size_t width = width_of(mipmap->thread);
    const uint8_t *starts = mipmap->starts[level] + from * width;
    prefetch(starts, starts + FANOUT * width);
}

/* Goes down all searches level by level, so the memory that one search needs next is fetched while
 * the others look at theirs. Results are thrown away: the searches that follow find their memory in
 * the cache. */
void tv_mipmap_prefetch_searches(const struct tv_mipmap *mipmap, const uint64_t *times,
                                 size_t count)
{
    uint64_t froms[TV_MIPMAP_SEARCHES] = {0};
    uint64_t after[TV_MIPMAP_SEARCHES]; /* time since the thread's first record; 0: no search */
    uint64_t base = mipmap->thread->first[mipmap->axis];
    tv_assert(count <= TV_MIPMAP_SEARCHES);
    for (size_t i = 0; i < count; i++) {
        bool is_found = times[i] <= base || start_of(mipmap, mipmap->top, 0) >= times[i] - base ||
                        !is_within(mipmap, times[i] - base);
        after[i] = is_found ? 0 : times[i] - base;
    }
    for (unsigned level = mipmap->top; level; level--) {
        for (size_t i = 0; i < count; i++) {
            if (!after[i])
                continue;
            froms[i] = (froms[i] + starts_before(mipmap, level, froms[i], after[i]) - 1) * FANOUT;
            prefetch_starts(mipmap, level - 1, froms[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const uint8_t *lens = mipmap->lens[0] + froms[i] * mipmap->thread->duration_len;
        if (after[i])
            prefetch(lens, lens + FANOUT * mipmap->thread->duration_len);
    }
}

uint64_t tv_mipmap_skip_to(const struct tv_mipmap *mipmap, uint64_t first, uint64_t time)
{
    uint64_t place = first - mipmap->call_first;
    unsigned level = 0;
    time -= mipmap->thread->first[mipmap->axis];
    if (!is_within(mipmap, time))
        return mipmap->call_first + mipmap->counts[0];
    /* Goes up while even the entry behind the current one starts before `time`: the call that is
     * looked for is not below the current entry then. */
    for (; level < mipmap->top; level++, place /= FANOUT) {
        uint64_t next = place / FANOUT + 1;
        if (next == mipmap->counts[level + 1] || start_of(mipmap, level + 1, next) >= time)
            break;
    }
    return search_calls(mipmap, descend(mipmap, level, place / FANOUT * FANOUT, time), time);
}

/* Duration of an entry, units. The duration of a long call is looked up in the list. */
static uint64_t len_of(const struct tv_mipmap *mipmap, unsigned level, uint64_t i)
{
    if (!level)
        return tv_index_duration(mipmap->index, mipmap->thread, mipmap->axis,
                                 mipmap->call_first + i);
    const uint8_t *lens = mipmap->lens[level];
    return mipmap->thread->is_wide ? at_uint64_t(lens, i) : at_uint32_t(lens, i);
}

/* The longest of a piece of 16-bit durations that has long calls. */
static uint64_t longest_long_in(const struct tv_mipmap *mipmap, const struct tv_mipmap_piece *piece)
{
    uint64_t longest = 0;
    for (uint64_t i = piece->from; i < piece->to; i++) {
        uint64_t len = len_of(mipmap, piece->level, i);
        longest = len > longest ? len : longest;
    }
    return longest;
}

/* The longest duration of a piece of no more than FANOUT entries. */
static uint64_t longest_in(const struct tv_mipmap *mipmap, const struct tv_mipmap_piece *piece)
{
    uint64_t count = piece->to - piece->from;
    const uint8_t *lens = mipmap->lens[piece->level];
    if (mipmap->thread->is_wide)
        return most_uint64_t(lens + piece->from * sizeof(uint64_t), count);
    if (piece->level || mipmap->thread->duration_len == sizeof(uint32_t)) {
        lens += piece->from * sizeof(uint32_t);
        return count == FANOUT ? most_uint32_t(lens, FANOUT) : most_uint32_t(lens, count);
    }
    lens += piece->from * sizeof(uint16_t);
    uint64_t longest = count == FANOUT ? most_uint16_t(lens, FANOUT) : most_uint16_t(lens, count);
    return longest == TV_LONG_DURATION ? longest_long_in(mipmap, piece) : longest;
}

/* A call is at most as long as each entry above it, so entries shorter than `least` are passed over
 * with all calls below them. */
void tv_mipmap_each_from(const struct tv_mipmap *mipmap, uint64_t least,
                         void (*visit)(void *ctx, uint64_t call, uint64_t len), void *ctx)
{
    unsigned level = mipmap->top;
    for (uint64_t i = 0; i < mipmap->counts[level];) {
        uint64_t len = len_of(mipmap, level, i);
        if (len >= least && level) {
            level--;
            i *= FANOUT;
            continue;
        }
        if (len >= least)
            visit(ctx, mipmap->call_first + i, len);
        /* When all entries below an entry of a higher level were visited, the walk goes up and on
         * with the next entry there. */
        for (i++; level < mipmap->top && (i % FANOUT == 0 || i == mipmap->counts[level]); level++)
            i = entries_above(i);
    }
}

/* The entries one level below that an entry stands for; level is 1 or more. */
static struct tv_mipmap_piece piece_below(const struct tv_mipmap *mipmap, unsigned level,
                                          uint64_t i)
{
    uint64_t left = mipmap->counts[level - 1] - i * FANOUT;
    return (struct tv_mipmap_piece){level - 1, i * FANOUT,
                                    i * FANOUT + (left < FANOUT ? left : FANOUT)};
}

/*
 * Cuts the calls [from, to), places in the row, into pieces of levels as high as possible: on each
 * level one piece at the left end, and one at the right end, either of which may be empty. Returns
 * the number of pieces; those with even places are left ends, ascending, and the others are right
 * ends, descending.
 */
static size_t cut(const struct tv_mipmap *mipmap, uint64_t from, uint64_t to,
                  struct tv_mipmap_piece pieces[2 * TV_MOST_MIPMAP_LEVELS])
{
    size_t count = 0;
    for (unsigned level = 0; from < to; level++) {
        uint64_t left_end = entries_above(from) * FANOUT;
        uint64_t right_from = to / FANOUT * FANOUT;
        if (level == mipmap->top || left_end > right_from)
            left_end = right_from = to;
        pieces[count++] = (struct tv_mipmap_piece){level, from, left_end};
        pieces[count++] = (struct tv_mipmap_piece){level, right_from, to};
        from = entries_above(left_end);
        to = left_end == to ? from : right_from / FANOUT;
    }
    return count;
}

TV_INLINE void prefetch_lens(const struct tv_mipmap *mipmap, const struct tv_mipmap_piece *piece)
{
    size_t width = piece->level ? width_of(mipmap->thread) : mipmap->thread->duration_len;
    const uint8_t *lens = mipmap->lens[piece->level];
    prefetch(lens + piece->from * width, lens + piece->to * width);
}

bool tv_mipmap_narrow(const struct tv_mipmap *mipmap, struct tv_longest_call *longest)
{
    struct tv_mipmap_piece *piece = &longest->piece;
    uint64_t i = piece->from;
    while (i + 1 < piece->to && len_of(mipmap, piece->level, i) != longest->len)
        i++;
    longest->call = mipmap->call_first + i;
    if (!piece->level)
        return false;
    *piece = piece_below(mipmap, piece->level, i);
    prefetch_lens(mipmap, piece);
    return true;
}

struct tv_longest_call tv_mipmap_longest(const struct tv_mipmap *mipmap, uint64_t from, uint64_t to)
{
    struct tv_mipmap_piece pieces[2 * TV_MOST_MIPMAP_LEVELS];
    struct tv_mipmap_piece best[2] = {{.level = 0},
                                      {.level = 0}}; /* of the left end, and of the right */
    uint64_t more[2] = {0, 0}; /* the duration of each best plus 1; 0 where there is none yet */
    size_t count = cut(mipmap, from - mipmap->call_first, to - mipmap->call_first, pieces);
    for (size_t i = 0; i < count; i++) {
        const size_t side = i % 2;
        if (pieces[i].from == pieces[i].to)
            continue;
        /* Among equals the first call counts. A later piece of the left end stands behind the
         * pieces before, so it must be longer; one of the right end stands before them, so equal is
         * enough. */
        uint64_t len = longest_in(mipmap, &pieces[i]);
        if (len + side < more[side])
            continue;
        best[side] = pieces[i];
        more[side] = len + 1;
    }
    size_t side = more[1] > more[0];
    return (struct tv_longest_call){best[side], more[side] - 1, from};
}

void tv_mipmap_prefetch_call(const struct tv_mipmap *mipmap, uint64_t call)
{
    uint64_t i = call - mipmap->call_first;
    TV_PREFETCH(mipmap->starts[0] + i * width_of(mipmap->thread));
    TV_PREFETCH(mipmap->lens[0] + i * mipmap->thread->duration_len);
}

void tv_mipmap_prefetch_longest(const struct tv_mipmap *mipmap, uint64_t from, uint64_t to)
{
    struct tv_mipmap_piece pieces[2 * TV_MOST_MIPMAP_LEVELS];
    size_t count = cut(mipmap, from - mipmap->call_first, to - mipmap->call_first, pieces);
    for (size_t i = 0; i < count; i++)
        prefetch_lens(mipmap, &pieces[i]);
}

/* The two numbers of an entry. */
struct entry {
    uint64_t start;
    uint64_t len;
};

/* The numbers of an entry, made from the level below. */
static struct entry entry_of(const struct tv_mipmap *mipmap, unsigned level, uint64_t i)
{
    struct tv_mipmap_piece below = piece_below(mipmap, level, i);
    return (struct entry){start_of(mipmap, level - 1, below.from), longest_in(mipmap, &below)};
}

static void store(const struct tv_mipmap *mipmap, uint8_t *column, uint64_t i, uint64_t value)
{
    uint32_t narrow = (uint32_t)value;
    if (mipmap->thread->is_wide)
        memcpy(column + i * sizeof(value), &value, sizeof(value));
    else
        memcpy(column + i * sizeof(narrow), &narrow, sizeof(narrow));
}

void tv_mipmap_write(const struct tv_mipmap *mipmap, uint32_t *starts, uint32_t *lens)
{
    const struct tv_index *index = mipmap->index;
    for (unsigned level = 1; level <= mipmap->top; level++) {
        size_t at = (size_t)(mipmap->starts[level] - (const uint8_t *)index->mipmap_starts);
        for (uint64_t i = 0; i < mipmap->counts[level]; i++) {
            struct entry entry = entry_of(mipmap, level, i);
            store(mipmap, (uint8_t *)starts + at, i, entry.start);
            store(mipmap, (uint8_t *)lens + at, i, entry.len);
        }
    }
}

bool tv_mipmap_fit(const struct tv_mipmap *mipmap)
{
    for (unsigned level = 1; level <= mipmap->top; level++) {
        for (uint64_t i = 0; i < mipmap->counts[level]; i++) {
            struct entry entry = entry_of(mipmap, level, i);
            if (start_of(mipmap, level, i) != entry.start || len_of(mipmap, level, i) != entry.len)
                return false;
        }
    }
    return true;
}
