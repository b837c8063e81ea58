/* Walks all event blocks among some packets, record after record, in one layout. */
#ifndef TV_FORMAT_EVENT_BLOCK_WALK_H
#define TV_FORMAT_EVENT_BLOCK_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes/cursor.h"
#include "base/compiler.h"
#include "base/memory/map.h"
#include "format/event_block.h"

struct tv_block_walk {
    const struct tv_map *known_methods; /* by id */
    struct tv_cursor cursor;            /* over the packets; its len is where they end */
    struct tv_event_block block;
    uint32_t thread_id; /* of the block */
    bool has_block;
    bool is_cut;           /* the file ends inside the block */
    uint64_t broken_count; /* blocks whose records do not use up their bytes exactly; not the block
                              that the file cuts */
    size_t broken_off;     /* offset of the first record that does not fit its block */
};

/* Starts a walk over the packets in [pos, end) of the bytes. */
void tv_block_walk_start(struct tv_block_walk *walk, const struct tv_map *known_methods,
                         enum tv_block_layout layout, const uint8_t *bytes, size_t pos, size_t end);
/* Gives the next records, all of one block, up to raw_cap; false at the end. */
bool tv_block_walk_next(struct tv_block_walk *walk, struct tv_raw *raw, size_t raw_cap);

#endif
