/* What the two kinds of low-overhead dumps share: docs/formats/low-overhead.md. */
#ifndef TV_FORMAT_LOW_OVERHEAD_LOW_OVERHEAD_H
#define TV_FORMAT_LOW_OVERHEAD_LOW_OVERHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes/cursor.h"
#include "base/compiler.h"
#include "base/memory/map.h"
#include "format/event_block.h"
#include "format/keys.h"

/* What a dump that is cut early is recognised by: thread ids of Linux, which have at most 22 bits,
 * and addresses of methods, which are aligned and not in the first page. */
#define TV_THREAD_ID_MOST (UINT32_C(1) << 22)
#define TV_ADDRESS_LEAST 4096u

TV_INLINE bool tv_is_thread_plausible(uint32_t id)
{
    return id && id <= TV_THREAD_ID_MOST;
}

TV_INLINE bool tv_is_address_plausible(uint64_t id)
{
    return id >= TV_ADDRESS_LEAST && id % 4 == 0;
}

/*
 * A dump of all methods: blocks without a length, delimited by their counts, then thread and method
 * packets, or lists of text in older dumps. An exit writes only that it is one. The next entry then
 * counts either from the value 1 or from the word of the method that was left; the sources do not
 * say which, so the described methods decide.
 */
enum tv_all_methods_base { TV_BASE_ONE, TV_BASE_LEFT_METHOD };

#define TV_ALL_METHODS_DEPTH 2048u /* entries of a thread's ring */

/* The blocks of a dump: where they are, and how long the header of each is. */
struct tv_all_methods_blocks {
    const uint8_t *bytes;
    size_t first;
    size_t end;
    size_t header_len;
    bool is_cut; /* another block begins at `end`, and the bytes end inside it */
};

#define TV_ALL_METHODS_HEADER 12u    /* bytes; the last four mean nothing */
#define TV_ALL_METHODS_HEADER_OLD 8u /* bytes; the count is the last */

struct tv_all_methods {
    struct tv_all_methods_blocks blocks;
    struct tv_cursor cursor; /* its len is the end of the blocks */
    enum tv_all_methods_base base;
    uint32_t thread_id; /* of the block */
    uint32_t left;      /* records left in the block */
    uint64_t word;      /* the word that the next delta counts from */
    bool is_after_exit;
    uint32_t depth;
    uint64_t stack[TV_ALL_METHODS_DEPTH];
};

/* Walks the blocks from blocks->first to the first that is none, or to blocks->end, and sets
 * blocks->end to where it stopped. */
void tv_all_methods_walk(struct tv_all_methods_blocks *blocks);
/* Whether the bytes are a low-overhead dump, with packets after its blocks, or the beginning of
 * one. */
bool tv_all_methods_matches(const uint8_t *bytes, size_t len, struct tv_all_methods_blocks *blocks);
/* Starts to read with the base by which more records name described methods; returns how many
 * records there are. Overwrites raw. */
uint64_t tv_all_methods_start(struct tv_all_methods *dump,
                              const struct tv_all_methods_blocks *blocks,
                              const struct tv_map *known_methods, struct tv_raw *raw);
/* Gives the next records of one block, up to raw_cap, without times; false at the end. */
bool tv_all_methods_next(struct tv_all_methods *dump, struct tv_raw *raw, size_t raw_cap);

/* What the readers of both kinds have first in their state, which is trace->reader. */
struct tv_dump_reader {
    struct tv_keys keys;
    struct tv_raw raw;
    size_t end; /* of the records */
    /* The next records with their times in the file's unit, up to raw_cap, into raw; false at the
     * end. NULL: there are no times, and records are those of `dump`. */
    bool (*take_timed)(struct tv_dump_reader *reader, size_t raw_cap);
    struct tv_all_methods dump;
};

enum tv_code tv_dump_next(struct tv_trace *trace, struct tv_batch *batch,
                          struct tv_error *err) TV_MUST_CHECK;
void tv_dump_close(struct tv_trace *trace);
/* The trace has times, on the wall clock. */
void tv_dump_set_timed(struct tv_trace *trace, struct tv_dump_reader *reader,
                       bool (*take_timed)(struct tv_dump_reader *reader, size_t raw_cap));

#endif
