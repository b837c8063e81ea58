/* Levels of rows; see index/levels.h. */
#include "index/levels.h"

#include <string.h>

#include "index/block.h"

#define FANOUT ((uint64_t)TV_LEVEL_FANOUT)
/* Of the processor's cache. */
#define LINE_LEN 64

static uint64_t entries_above(uint64_t count)
{
    return (count + FANOUT - 1) / FANOUT;
}

uint64_t tv_levels_words(uint64_t call_count, bool is_wide)
{
    uint64_t total = 0;
    for (uint64_t count = call_count; count > FANOUT;) {
        count = entries_above(count);
        total += count;
    }
    return is_wide ? 2 * total : total;
}

static size_t width_of(const struct tv_index_thread *thread)
{
    return thread->is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

struct tv_levels tv_levels_of(const struct tv_index *index, uint32_t thread_ix, uint32_t row_ix)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    const struct tv_index_row *row = &index->rows[row_ix];
    const size_t width = width_of(thread);
    struct tv_levels levels;
    levels.index = index;
    levels.thread = thread;
    levels.axis = tv_index_axis(index);
    levels.call_first = row->call_first;
    levels.counts[0] = row->call_count;
    uint64_t call = row->call_first - thread->call_first;
    const uint64_t *time_off = &thread->time_off[2 * (size_t)levels.axis];
    levels.starts[0] = index->times + time_off[0] + call * width;
    levels.lens[0] = index->times + time_off[1] + call * thread->duration_len;
    uint64_t at = row->level_first * sizeof(uint32_t);
    unsigned level = 0;
    for (; levels.counts[level] > FANOUT; level++) {
        uint64_t count = entries_above(levels.counts[level]);
        levels.counts[level + 1] = count;
        levels.starts[level + 1] = (const uint8_t *)index->level_starts + at;
        levels.lens[level + 1] = (const uint8_t *)index->level_lens + at;
        at += count * width;
    }
    levels.top = level;
    return levels;
}

/*
 * Numbers of a column, whose words need not stand at multiples of their length. Most loops are over
 * as many as an entry stands for: where that is plain, they are done in vectors.
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

static uint64_t start_of(const struct tv_levels *levels, unsigned level, uint64_t i)
{
    const uint8_t *starts = levels->starts[level];
    return levels->thread->is_wide ? at_uint64_t(starts, i) : at_uint32_t(starts, i);
}

static void ask_for(const uint8_t *from, const uint8_t *to)
{
    for (; from < to; from += LINE_LEN)
        TV_PREFETCH(from);
}

/* How many of the FANOUT entries from `from` on start before `time`, units above the base. */
static uint64_t starts_before(const struct tv_levels *levels, unsigned level, uint64_t from,
                              uint64_t time)
{
    uint64_t left = levels->counts[level] - from;
    const uint8_t *starts = levels->starts[level] + from * width_of(levels->thread);
    if (levels->thread->is_wide)
        return below_uint64_t(starts, left < FANOUT ? left : FANOUT, time);
    if (TV_LIKELY(left >= FANOUT))
        return below_uint32_t(starts, FANOUT, (uint32_t)time);
    return below_uint32_t(starts, left, (uint32_t)time);
}

/* Where the calls begin of the last entry that starts before `time`, among those of its level from
 * `from` on, of which the first does. */
static uint64_t descend(const struct tv_levels *levels, unsigned level, uint64_t from,
                        uint64_t time)
{
    for (; level; level--)
        from = (from + starts_before(levels, level, from, time) - 1) * FANOUT;
    return from;
}

static uint64_t search_calls(const struct tv_levels *levels, uint64_t from, uint64_t time)
{
    return levels->call_first + from + starts_before(levels, 0, from, time);
}

/* Units above the thread's base; false when it is beyond all starts. */
static bool is_within(const struct tv_levels *levels, uint64_t time)
{
    return levels->thread->is_wide || time <= UINT32_MAX;
}

uint64_t tv_levels_search(const struct tv_levels *levels, uint64_t time)
{
    uint64_t base = levels->thread->base[levels->axis];
    if (time <= base || start_of(levels, levels->top, 0) >= time - base)
        return levels->call_first;
    if (!is_within(levels, time - base))
        return levels->call_first + levels->counts[0];
    return search_calls(levels, descend(levels, levels->top, 0, time - base), time - base);
}

void tv_levels_ask_search(const struct tv_levels *levels, uint64_t time)
{
    uint64_t base = levels->thread->base[levels->axis];
    if (time <= base || start_of(levels, levels->top, 0) >= time - base ||
        !is_within(levels, time - base))
        return;
    uint64_t from = descend(levels, levels->top, 0, time - base);
    const uint8_t *starts = levels->starts[0] + from * width_of(levels->thread);
    const uint8_t *lens = levels->lens[0] + from * levels->thread->duration_len;
    ask_for(starts, starts + FANOUT * width_of(levels->thread));
    ask_for(lens, lens + FANOUT * levels->thread->duration_len);
}

uint64_t tv_levels_skip_to(const struct tv_levels *levels, uint64_t first, uint64_t time)
{
    uint64_t place = first - levels->call_first;
    unsigned level = 0;
    time -= levels->thread->base[levels->axis];
    if (!is_within(levels, time))
        return levels->call_first + levels->counts[0];
    /* As long as what comes behind the entry's group starts before, too. */
    for (; level < levels->top; level++, place /= FANOUT) {
        uint64_t next = place / FANOUT + 1;
        if (next == levels->counts[level + 1] || start_of(levels, level + 1, next) >= time)
            break;
    }
    return search_calls(levels, descend(levels, level, place / FANOUT * FANOUT, time), time);
}

static uint64_t len_of(const struct tv_levels *levels, unsigned level, uint64_t i)
{
    if (!level)
        return tv_index_duration(levels->index, levels->thread, levels->axis,
                                 levels->call_first + i);
    const uint8_t *lens = levels->lens[level];
    return levels->thread->is_wide ? at_uint64_t(lens, i) : at_uint32_t(lens, i);
}

/* Entries of one level, side by side. */
struct piece {
    unsigned level;
    uint64_t from;
    uint64_t to;
};

static uint64_t longest_long_in(const struct tv_levels *levels, const struct piece *piece)
{
    uint64_t longest = 0;
    for (uint64_t i = piece->from; i < piece->to; i++) {
        uint64_t len = len_of(levels, piece->level, i);
        longest = len > longest ? len : longest;
    }
    return longest;
}

/* Of a piece of no more than FANOUT entries. */
static uint64_t longest_in(const struct tv_levels *levels, const struct piece *piece)
{
    uint64_t count = piece->to - piece->from;
    const uint8_t *lens = levels->lens[piece->level];
    if (levels->thread->is_wide)
        return most_uint64_t(lens + piece->from * sizeof(uint64_t), count);
    if (piece->level || levels->thread->duration_len == sizeof(uint32_t)) {
        lens += piece->from * sizeof(uint32_t);
        return count == FANOUT ? most_uint32_t(lens, FANOUT) : most_uint32_t(lens, count);
    }
    lens += piece->from * sizeof(uint16_t);
    uint64_t longest = count == FANOUT ? most_uint16_t(lens, FANOUT) : most_uint16_t(lens, count);
    return longest == TV_LONG_DURATION ? longest_long_in(levels, piece) : longest;
}

/* What an entry of a level above the calls stands for. */
static struct piece piece_below(const struct tv_levels *levels, unsigned level, uint64_t i)
{
    uint64_t left = levels->counts[level - 1] - i * FANOUT;
    return (struct piece){level - 1, i * FANOUT, i * FANOUT + (left < FANOUT ? left : FANOUT)};
}

/*
 * Cuts the calls [from, to) of a row, by ordinals in it, into pieces of levels as high as can be:
 * on each level one at the left end and one at the right, which may be empty. Returns how many.
 */
static size_t cut(const struct tv_levels *levels, uint64_t from, uint64_t to,
                  struct piece pieces[2 * TV_MOST_LEVELS])
{
    size_t count = 0;
    for (unsigned level = 0; from < to; level++) {
        uint64_t left_end = entries_above(from) * FANOUT;
        uint64_t right_from = to / FANOUT * FANOUT;
        if (level == levels->top || left_end > right_from)
            left_end = right_from = to;
        pieces[count++] = (struct piece){level, from, left_end};
        pieces[count++] = (struct piece){level, right_from, to};
        from = entries_above(left_end);
        to = left_end == to ? from : right_from / FANOUT;
    }
    return count;
}

/* The first call of the piece's entries that is so long. */
static uint64_t find_len(const struct tv_levels *levels, struct piece piece, uint64_t len)
{
    for (;;) {
        uint64_t i = piece.from;
        while (i + 1 < piece.to && len_of(levels, piece.level, i) != len)
            i++;
        if (!piece.level)
            return levels->call_first + i;
        piece = piece_below(levels, piece.level, i);
    }
}

uint64_t tv_levels_longest(const struct tv_levels *levels, uint64_t from, uint64_t to)
{
    struct piece pieces[2 * TV_MOST_LEVELS];
    struct piece best[2] = {{.level = 0}, {.level = 0}}; /* at the left end, and at the right */
    uint64_t more[2] = {0, 0};                           /* one more than its length; 0: none yet */
    size_t count = cut(levels, from - levels->call_first, to - levels->call_first, pieces);
    for (size_t i = 0; i < count; i++) {
        const size_t side = i % 2;
        if (pieces[i].from == pieces[i].to)
            continue;
        /* Pieces stand behind those before them on the left, and before them on the right. */
        uint64_t len = longest_in(levels, &pieces[i]);
        if (len + side < more[side])
            continue;
        best[side] = pieces[i];
        more[side] = len + 1;
    }
    size_t side = more[1] > more[0];
    return find_len(levels, best[side], more[side] - 1);
}

void tv_levels_ask_longest(const struct tv_levels *levels, uint64_t from, uint64_t to)
{
    struct piece pieces[2 * TV_MOST_LEVELS];
    size_t count = cut(levels, from - levels->call_first, to - levels->call_first, pieces);
    for (size_t i = 0; i < count; i++) {
        size_t width = pieces[i].level ? width_of(levels->thread) : levels->thread->duration_len;
        const uint8_t *lens = levels->lens[pieces[i].level];
        ask_for(lens + pieces[i].from * width, lens + pieces[i].to * width);
    }
}

/* What an entry stands for. */
struct entry {
    uint64_t start;
    uint64_t len;
};

static struct entry entry_of(const struct tv_levels *levels, unsigned level, uint64_t i)
{
    struct piece below = piece_below(levels, level, i);
    return (struct entry){start_of(levels, level - 1, below.from), longest_in(levels, &below)};
}

static void store(const struct tv_levels *levels, uint8_t *column, uint64_t i, uint64_t value)
{
    uint32_t narrow = (uint32_t)value;
    if (levels->thread->is_wide)
        memcpy(column + i * sizeof(value), &value, sizeof(value));
    else
        memcpy(column + i * sizeof(narrow), &narrow, sizeof(narrow));
}

void tv_levels_write(const struct tv_levels *levels)
{
    const struct tv_index *index = levels->index;
    uint8_t *starts = tv_block_section(index, TV_SECTION_LEVEL_STARTS);
    uint8_t *lens = tv_block_section(index, TV_SECTION_LEVEL_LENS);
    for (unsigned level = 1; level <= levels->top; level++) {
        size_t at = (size_t)(levels->starts[level] - (const uint8_t *)index->level_starts);
        for (uint64_t i = 0; i < levels->counts[level]; i++) {
            struct entry entry = entry_of(levels, level, i);
            store(levels, starts + at, i, entry.start);
            store(levels, lens + at, i, entry.len);
        }
    }
}

bool tv_levels_fit(const struct tv_levels *levels)
{
    for (unsigned level = 1; level <= levels->top; level++) {
        for (uint64_t i = 0; i < levels->counts[level]; i++) {
            struct entry entry = entry_of(levels, level, i);
            if (start_of(levels, level, i) != entry.start || len_of(levels, level, i) != entry.len)
                return false;
        }
    }
    return true;
}
