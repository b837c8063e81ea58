/*
 * A lean index: an index as it would be if the methods of hidden packages had not been recorded.
 * The timeline draws from it, so that hidden calls take no level: what they called stands on their
 * level, and their time is their callers' own, as in the tables.
 *
 * The *level* of a call is the number of shown calls around it. Levels are the rows of a lean
 * index; the calls that stand on a level come from several rows of the whole index. Calls of one
 * level do not overlap, as one of two calls that overlap is within the other, and deeper. So a lean
 * index has everything that a whole one has for its timeline (columns of calls, mipmaps, segment
 * groups), and a window of it costs what a window of the whole costs.
 *
 * Making one costs a walk over all calls, each thread a task of the pool. Nothing else that is made
 * from an index is as dear, so what was asked for last is kept (struct tv_lean_cache).
 *
 * A lean index knows of the whole one which call each of its calls is. Whoever tells of a call
 * tells of that one: names, ordinals and flags are those of the trace, whatever is hidden.
 */
#ifndef TV_ANALYSIS_LEAN_LEAN_H
#define TV_ANALYSIS_LEAN_LEAN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/call.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/memory/pool.h"
#include "base/str.h"
#include "index/index.h"

/* A block of memory that the lean index owns. */
struct tv_lean_block {
    void *at;
    size_t cap;
    size_t elem_len;
};

#define TV_LEAN_BLOCK_LIMIT 16u

/* Never changes once it is made; any number of threads may read it. */
struct tv_lean {
    const struct tv_alloc *alloc;
    const struct tv_index *whole; /* borrowed */
    /* Methods, nodes and texts are those of the whole, but a node's parent is the shown node next
     * above it, and its exclusive times are its calls' own in the lean sense. Nodes of hidden
     * methods have no calls. */
    struct tv_index index;
    uint32_t *origins;      /* per call: its ordinal in its row of the whole; NULL: no method is
                               hidden, and `index` is a view of the whole */
    uint8_t *has_omitted;   /* per call: 1 where calls that it made are hidden; NULL as above */
    const uint32_t *levels; /* per node; TV_NONE: its method is hidden */
    struct tv_lean_block blocks[TV_LEAN_BLOCK_LIMIT];
    size_t block_count;
    /* The cache's. */
    struct tv_buffer hidden; /* the packages, as they were asked for */
    unsigned holder_count;
};

/* The call of the whole index that a call of the lean one is. */
TV_INLINE struct tv_call_ref tv_lean_origin(const struct tv_lean *lean, struct tv_call_ref ref)
{
    const struct tv_index *whole = lean->whole;
    if (!lean->origins)
        return ref;
    uint32_t depth = whole->node_depth[lean->index.call_node[ref.call]];
    uint32_t row_ix = whole->threads[ref.thread_ix].row_first + depth;
    return (struct tv_call_ref){ref.thread_ix, depth,
                                whole->rows[row_ix].call_first + lean->origins[ref.call]};
}

/* The call of the lean index that a call of the whole one is; TV_NO_CALL for a hidden one. */
struct tv_call_ref tv_lean_find(const struct tv_lean *lean, struct tv_call_ref ref);

/* What hiding leaves of a thread. */
struct tv_lean_thread {
    uint32_t level_count;
    uint64_t calls; /* that are shown */
};

/* Where the nodes of a trace stand when methods are hidden: parents and levels, one per node. */
struct tv_lean_nodes {
    const struct tv_alloc *alloc;
    uint32_t count;
    uint32_t *parents; /* the shown node next above; TV_NONE: there is none */
    uint32_t *levels;  /* TV_NONE: the node's method is hidden */
};

void tv_lean_nodes_init(struct tv_lean_nodes *nodes, const struct tv_alloc *alloc);
void tv_lean_nodes_release(struct tv_lean_nodes *nodes);
/* One pass over the nodes. `hidden` has a byte per method; NULL hides none. */
enum tv_code tv_lean_nodes_find(struct tv_lean_nodes *nodes, const struct tv_index *index,
                                const uint8_t *hidden, struct tv_error *err) TV_MUST_CHECK;
struct tv_lean_thread tv_lean_nodes_of_thread(const struct tv_lean_nodes *nodes,
                                              const struct tv_index *index, uint32_t thread_ix);

/* Without a lean index; release is safe. */
void tv_lean_init(struct tv_lean *lean, const struct tv_alloc *alloc);
void tv_lean_release(struct tv_lean *lean);
/* Makes the lean index of an index, which is borrowed. `hidden` has a byte per method; NULL hides
 * none. pool may be NULL. */
enum tv_code tv_lean_make(struct tv_lean *lean, const struct tv_index *whole, const uint8_t *hidden,
                          const struct tv_pool *pool, struct tv_error *err) TV_MUST_CHECK;

/* The lean indexes that were asked for last, `most` of them. Any number of threads may hold one. */
#define TV_LEAN_CACHE_ROOM 4u
struct tv_lean_cache {
    const struct tv_alloc *alloc;
    unsigned most;    /* 1 to TV_LEAN_CACHE_ROOM */
    atomic_flag lock; /* held for a few instructions, never while an index is read */
    struct tv_lean *kept[TV_LEAN_CACHE_ROOM]; /* the one asked for last first; NULL behind them */
};

void tv_lean_cache_init(struct tv_lean_cache *cache, const struct tv_alloc *alloc, unsigned most);
/* Nobody holds a lean index any more. */
void tv_lean_cache_release(struct tv_lean_cache *cache);
/* Frees what was made of this index, which is about to end: nobody holds it any more. */
void tv_lean_cache_forget(struct tv_lean_cache *cache, const struct tv_index *whole);
/*
 * The lean index without the packages `hidden` ("java.,android."), made or found; the caller lets
 * go of it. It takes no more memory than any answer may (tv_memory_of_answer).
 */
enum tv_code tv_lean_hold(struct tv_lean_cache *cache, const struct tv_index *whole,
                          struct tv_str hidden, const struct tv_pool *pool, struct tv_lean **lean,
                          struct tv_error *err) TV_MUST_CHECK;
/* NULL is fine. */
void tv_lean_let_go(struct tv_lean_cache *cache, struct tv_lean *lean);

#endif
