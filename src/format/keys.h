/* 32-bit keys for methods with 64-bit ids: 4 x a number in the order of first use, so that keys
 * look like the ids of other formats. And the call stacks that tell which method an exit is of,
 * where exits do not name it (bare exits). */
#ifndef TV_FORMAT_KEYS_H
#define TV_FORMAT_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/map.h"
#include "format/event_block.h"
#include "format/key_stacks.h"
#include "format/trace.h"

#define TV_KEY_CACHE 1024u
/* The most methods without a description that are told apart; all others are
 * TV_METHOD_ID_UNKNOWN. */
#define TV_MOST_UNDESCRIBED (1u << 18)

/* Whether exits name their method. */
enum tv_exits { TV_EXITS_NAMED, TV_EXITS_BARE };

/* The keys of one trace. The ids by key are in the trace (id_of_key). */
struct tv_keys {
    const struct tv_alloc *alloc;
    struct tv_map index_of_id;
    uint32_t undescribed_count;
    uint64_t cached_id[TV_KEY_CACHE]; /* a direct-mapped cache in front of the map */
    uint32_t cached_key[TV_KEY_CACHE];
    struct tv_map top_of_thread; /* the stack of each thread: see format/key_stacks.h */
    struct tv_key_stacks stacks;
};

void tv_keys_init(struct tv_keys *keys, const struct tv_alloc *alloc);
void tv_keys_release(struct tv_keys *keys);
/* Appends the methods, actions, offsets and the thread of decoded records to the batch, which must
 * have room; the caller sets the times. A bare exit is of the method on top of its thread's stack,
 * which lasts across blocks, or of TV_METHOD_ID_UNKNOWN when the stack is empty. */
enum tv_code tv_keys_append(struct tv_keys *keys, struct tv_trace *trace, const struct tv_raw *raw,
                            enum tv_exits exits, struct tv_batch *batch,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
