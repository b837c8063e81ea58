/* What the two kinds of low-overhead dumps share: docs/formats/low-overhead.md. */
#ifndef TV_FORMAT_LOW_OVERHEAD_H
#define TV_FORMAT_LOW_OVERHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/cursor.h"
#include "base/map.h"
#include "format/block.h"

/*
 * A dump of all methods: blocks without a length, which their counts delimit, then thread and
 * method packets. An exit writes nothing but that it is one. What the next entry counts from is
 * then either the value 1 or the word of the method that was left; the sources do not say, so the
 * described methods decide.
 */
enum tv_all_methods_base { TV_BASE_ONE, TV_BASE_LEFT_METHOD };

#define TV_ALL_METHODS_DEPTH 2048u /* entries of a thread's ring */

struct tv_all_methods {
    struct tv_cursor cursor; /* its len is the end of the blocks */
    enum tv_all_methods_base base;
    uint32_t thread_id; /* of the block */
    uint32_t left;      /* records of it */
    uint64_t word;      /* that the next delta counts from */
    bool is_after_exit;
    uint32_t depth;
    uint64_t stack[TV_ALL_METHODS_DEPTH];
};

/* Whether the bytes are such a dump; *blocks_end is where its blocks end. */
bool tv_all_methods_matches(const uint8_t *bytes, size_t len, size_t *blocks_end);
void tv_all_methods_start(struct tv_all_methods *dump, enum tv_all_methods_base base,
                          const uint8_t *bytes, size_t blocks_end);
/* The next records of one block, up to raw_cap; no times. False at the end. */
bool tv_all_methods_next(struct tv_all_methods *dump, struct tv_raw *raw, size_t raw_cap);

#endif
