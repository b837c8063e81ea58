/*
 * The levels of a row (index/index.h): what finds a moment in it, and the longest of some of its
 * calls, without looking at all of them. Level 0 are the calls themselves.
 *
 * What a look-up takes is waiting for memory. So starts and durations stand apart: what is compared
 * with each other lies side by side.
 */
#ifndef TV_INDEX_MIPMAP_H
#define TV_INDEX_MIPMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/index.h"

/* Of a row of less than 2^64 calls, level 0 included. */
#define TV_MOST_MIPMAP_LEVELS 13u

/* A row that things are looked up in. Any number of threads at once. */
struct tv_mipmap {
    const struct tv_index *index;
    const struct tv_index_thread *thread;
    enum tv_clock axis;
    unsigned top; /* the highest level; 0: there are only the calls */
    uint64_t call_first;
    uint64_t counts[TV_MOST_MIPMAP_LEVELS]; /* entries of each level */
    const uint8_t
        *starts[TV_MOST_MIPMAP_LEVELS]; /* units above the thread's base, as wide as its starts */
    const uint8_t *lens[TV_MOST_MIPMAP_LEVELS]; /* as wide; those of level 0 as durations are */
};

struct tv_mipmap tv_mipmap_of(const struct tv_index *index, uint32_t thread_ix, uint32_t row_ix);

/* Words of 32 bits that the levels of a row of so many calls take in either section. */
uint64_t tv_mipmap_words(uint64_t call_count, bool is_wide);
/* Writes the levels of a row whose columns are finished, into the block that is being filled. */
void tv_mipmap_write(const struct tv_mipmap *mipmap);
/* Whether they are what tv_levels_write would write. */
bool tv_mipmap_fit(const struct tv_mipmap *mipmap);

/* The first call that starts at or after `time` (units, axis clock), or the end of the row; calls
 * are ordinals over the whole trace. */
uint64_t tv_mipmap_search(const struct tv_mipmap *mipmap, uint64_t time);
/* The same, from a call on that starts before `time`: quicker when it is near. */
uint64_t tv_mipmap_skip_to(const struct tv_mipmap *mipmap, uint64_t first, uint64_t time);
/* Asks memory for what searches end at, all at once: no more than TV_LEVELS_SEARCHES. */
#define TV_MIPMAP_SEARCHES 8u
void tv_mipmap_prefetch_searches(const struct tv_mipmap *mipmap, const uint64_t *times,
                                 size_t count);

/* Entries of one level, side by side: [from, to). */
struct tv_mipmap_piece {
    unsigned level;
    uint64_t from;
    uint64_t to;
};

/* The longest of some calls, while it is looked for. */
struct tv_longest_call {
    struct tv_mipmap_piece piece; /* it is in the first of these entries that is so long */
    uint64_t len;
    uint64_t call; /* once it is found: the first among equals, as an ordinal over the trace */
};

/* Begins to look for the longest of the calls [from, to), from < to. */
struct tv_longest_call tv_mipmap_longest(const struct tv_mipmap *mipmap, uint64_t from,
                                         uint64_t to);
/* Looks one level down, and asks memory for what comes next; false once the call is found. Whoever
 * looks for several goes on with others meanwhile. */
bool tv_mipmap_narrow(const struct tv_mipmap *mipmap, struct tv_longest_call *longest);
/* Asks memory for the start and the duration of a call of the row. */
void tv_mipmap_prefetch_call(const struct tv_mipmap *mipmap, uint64_t call);
/* Asks memory for what tv_levels_longest looks at. */
void tv_mipmap_prefetch_longest(const struct tv_mipmap *mipmap, uint64_t from, uint64_t to);

#endif
