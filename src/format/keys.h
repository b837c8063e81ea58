/*
 * Methods with 64-bit ids as 32-bit keys: 4 x an index in order of first use, so that they pass for
 * the ids of other formats. And the stacks that stand in for the methods that bare exits do not
 * name.
 */
#ifndef TV_FORMAT_KEYS_H
#define TV_FORMAT_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/map.h"
#include "format/block.h"
#include "format/trace.h"

#define TV_KEY_CACHE 1024u
/* Methods without a description that are told apart; others are TV_METHOD_ID_UNKNOWN. */
#define TV_MOST_UNDESCRIBED (1u << 18)

struct tv_stack_link {
    uint32_t key;
    uint32_t
        below; /* link + 1 of what is below, 0 at the bottom; of a free link: the next free one */
};

/* Whether exits name their method. */
enum tv_exits { TV_EXITS_NAMED, TV_EXITS_BARE };

/* The reverse of index_of_id, id_of_key, stands in the trace. */
struct tv_keys {
    const struct tv_alloc *alloc;
    struct tv_map index_of_id;
    uint32_t undescribed_count;
    uint64_t cached_id[TV_KEY_CACHE]; /* direct mapped, in front of the map */
    uint32_t cached_key[TV_KEY_CACHE];
    /* All stacks are chains of links in one pool; what is popped is used again. */
    struct tv_map top_of_thread; /* link + 1; 0 for an empty stack */
    struct tv_stack_link *links;
    size_t link_count, link_cap;
    uint32_t free_link; /* link + 1; 0: none */
};

void tv_keys_init(struct tv_keys *keys, const struct tv_alloc *alloc);
void tv_keys_release(struct tv_keys *keys);
/*
 * Appends the methods, actions, offsets and the thread of decoded records to the batch, which has
 * room; the caller sets the times. With bare exits, an exit is of the method on top of its thread's
 * stack, which lasts across blocks, or of TV_METHOD_ID_UNKNOWN when that is empty.
 */
enum tv_code tv_keys_append(struct tv_keys *keys, struct tv_trace *trace, const struct tv_raw *raw,
                            enum tv_exits exits, struct tv_batch *batch,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
