/*
 * Indexes that are not on this machine, while they are brought. Threads of their own bring them, a
 * few at a time, so that the threads that answer requests do not wait: a request for such an index
 * is told to come again.
 */
#ifndef TV_SITE_STORED_FAR_INDEXES_H
#define TV_SITE_STORED_FAR_INDEXES_H

#include <pthread.h>
#include <stdbool.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "site/stored/stored.h"

/* How many are brought at once: an object store gives several streams more bytes a second than one,
 * and each stream is written to the cache. */
#define TV_FAR_INDEXES_THREADS 4u
/* The most indexes that may wait to be brought. */
#define TV_FAR_INDEXES_MOST 64u

/* One that is to be brought. */
struct tv_far_index {
    struct tv_far_index *next;
    struct tv_stored_index *entry;
    struct tv_stored_trace trace; /* its texts are copies */
    char *texts;
    size_t texts_len;
};

struct tv_far_indexes {
    const struct tv_alloc *alloc;
    void (*bring)(void *ctx, const struct tv_far_index *far, bool is_ending);
    void *ctx;
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t came;
    struct tv_far_index *first, *last;
    unsigned count;
    pthread_t threads[TV_FAR_INDEXES_THREADS];
    unsigned thread_count; /* none before the first is wanted */
    bool is_ending;
};

/* `bring` is called on a thread of these, for one index after the other; with `is_ending` only to
 * say that it is not brought. */
void tv_far_indexes_init(struct tv_far_indexes *fars, const struct tv_alloc *alloc,
                         void (*bring)(void *ctx, const struct tv_far_index *far, bool is_ending),
                         void *ctx);
/* Has it brought. TV_ERR_AWAY: too many are wanted, or the site ends. Any thread. */
enum tv_code tv_far_indexes_add(struct tv_far_indexes *fars, const struct tv_stored_trace *trace,
                                struct tv_stored_index *entry, struct tv_error *err) TV_MUST_CHECK;
/* Waits for the indexes that are being brought; those still in the queue are not brought. */
void tv_far_indexes_end(struct tv_far_indexes *fars);

#endif
