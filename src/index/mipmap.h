/*
 * The mipmap of a row: finds a moment in the row, and the longest of some of its calls, without
 * looking at all calls between.
 *
 * Level 0 is the calls of the row. An entry of level k stands for TV_MIPMAP_FANOUT entries of level
 * k-1: it has the start of the first and the duration of the longest of them, on the axis clock.
 * docs/index.md, "Mipmap".
 *
 * Looking something up takes as long as memory needs to answer. So starts and durations are columns
 * of their own: the 32 numbers that are compared with each other stand in two lines of the cache.
 * And where several look-ups are to be made, their memory can be asked for in advance (prefetch).
 */
#ifndef TV_INDEX_MIPMAP_H
#define TV_INDEX_MIPMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/index.h"

/* Enough for a row of 2^64 calls, level 0 included. */
#define TV_MOST_MIPMAP_LEVELS 13u

/* The levels of one row. May be read by any number of threads at once. */
struct tv_mipmap {
    const struct tv_index *index;
    const struct tv_index_thread *thread; /* that the row is of */
    enum tv_clock axis;
    unsigned top;        /* the highest level; 0 where the row has only level 0 */
    uint64_t call_first; /* ordinal of the first call of the row */
    uint64_t counts[TV_MOST_MIPMAP_LEVELS]; /* entries of each level */
    /* Columns of each level. Starts are in units since the thread's first record, and have the
     * width of the thread's starts. So have durations, but on level 0 they have the thread's
     * duration_len. */
    const uint8_t *starts[TV_MOST_MIPMAP_LEVELS];
    const uint8_t *lens[TV_MOST_MIPMAP_LEVELS];
};

struct tv_mipmap tv_mipmap_of(const struct tv_index *index, uint32_t thread_ix, uint32_t row_ix);

/* Words of 32 bits that the levels above a row of `call_count` calls take in MIPMAP_STARTS, and
 * again in MIPMAP_LENS. */
uint64_t tv_mipmap_words(uint64_t call_count, bool is_wide);
/* Writes the levels of a row whose columns are finished. `starts` and `lens` are the index's
 * mipmap_starts and mipmap_lens, which are being made. */
void tv_mipmap_write(const struct tv_mipmap *mipmap, uint32_t *starts, uint32_t *lens);
/* Whether the levels are what tv_mipmap_write would write. */
bool tv_mipmap_fit(const struct tv_mipmap *mipmap);

/* The first call that starts at or after `time`, or the end of the row. Calls are ordinals over the
 * whole trace; time is in units on the axis clock. */
uint64_t tv_mipmap_search(const struct tv_mipmap *mipmap, uint64_t time);
/* The first call that starts at or after `time`, searched from the call `first` on, which starts
 * before `time`: quicker when the call is near `first`. */
uint64_t tv_mipmap_skip_to(const struct tv_mipmap *mipmap, uint64_t first, uint64_t time);
/* Prefetches the calls that tv_mipmap_search would end at, for up to TV_MIPMAP_SEARCHES times. The
 * searches go down level by level side by side, so that they wait for memory together. */
#define TV_MIPMAP_SEARCHES 8u
void tv_mipmap_prefetch_searches(const struct tv_mipmap *mipmap, const uint64_t *times,
                                 size_t count);

/* The entries [from, to) of one level. */
struct tv_mipmap_piece {
    unsigned level;
    uint64_t from;
    uint64_t to;
};

/* The longest of some calls, while it is looked for from level to level. */
struct tv_longest_call {
    struct tv_mipmap_piece piece; /* the call is in the first of these entries that has `len` */
    uint64_t len;                 /* duration of the call, units */
    uint64_t call; /* when found: the first of the longest calls, an ordinal over the trace */
};

/* Begins to look for the longest of the calls [from, to), which are at least one. Its duration is
 * known at once, the call itself when tv_mipmap_narrow has come down to it. */
struct tv_longest_call tv_mipmap_longest(const struct tv_mipmap *mipmap, uint64_t from,
                                         uint64_t to);
/* Goes one level down, and prefetches what the next step looks at; false when the call is found. A
 * caller that looks for several calls makes the step of each in turn, while memory answers. */
bool tv_mipmap_narrow(const struct tv_mipmap *mipmap, struct tv_longest_call *longest);
/* Visits each call of the row that lasts `least` units or longer, in order; `least` is above 0.
 * Looks at the entries that hold such a call, and at no others. */
void tv_mipmap_each_from(const struct tv_mipmap *mipmap, uint64_t least,
                         void (*visit)(void *ctx, uint64_t call, uint64_t len), void *ctx);
/* Prefetches the start and the duration of a call of the row. */
void tv_mipmap_prefetch_call(const struct tv_mipmap *mipmap, uint64_t call);
/* Prefetches what tv_mipmap_longest looks at. */
void tv_mipmap_prefetch_longest(const struct tv_mipmap *mipmap, uint64_t from, uint64_t to);

#endif
