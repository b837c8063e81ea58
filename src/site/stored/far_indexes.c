/*
 * Threads that bring indexes, and their queue; see site/stored/far_indexes.h. They start with the
 * first index that is far: a site whose files lie in a folder has none. What a thread needs to know
 * of a trace is copied, since the request that wanted it may be over.
 */
#include "site/stored/far_indexes.h"

#include <string.h>

#include "os/process/threads.h"

void tv_far_indexes_init(struct tv_far_indexes *fars, const struct tv_alloc *alloc,
                         void (*bring)(void *ctx, const struct tv_far_index *far, bool is_ending),
                         void *ctx)
{
    *fars = (struct tv_far_indexes){.alloc = alloc, .bring = bring, .ctx = ctx};
    (void)pthread_mutex_init(&fars->lock, NULL);
    (void)pthread_cond_init(&fars->came, NULL);
}

static void release(const struct tv_far_indexes *fars, struct tv_far_index *far)
{
    tv_alloc_release(fars->alloc, &far->texts, far->texts_len, 1);
    tv_alloc_release(fars->alloc, &far, 1, sizeof(*far));
}

/* The next one, with the lock; NULL: the threads end. */
static struct tv_far_index *take(struct tv_far_indexes *fars)
{
    while (!fars->first && !fars->is_ending)
        (void)pthread_cond_wait(&fars->came, &fars->lock);
    struct tv_far_index *far = fars->first;
    if (!far)
        return NULL;
    fars->first = far->next;
    if (!fars->first)
        fars->last = NULL;
    fars->count--;
    return far;
}

static void *work(void *arg)
{
    struct tv_far_indexes *fars = arg;
    (void)pthread_mutex_lock(&fars->lock);
    for (struct tv_far_index *far; (far = take(fars)) != NULL;) {
        const bool is_ending = fars->is_ending;
        (void)pthread_mutex_unlock(&fars->lock);
        fars->bring(fars->ctx, far, is_ending);
        release(fars, far);
        (void)pthread_mutex_lock(&fars->lock);
    }
    (void)pthread_mutex_unlock(&fars->lock);
    return NULL;
}

/* Copies the texts of the trace into one block. */
static enum tv_code copy_trace(const struct tv_far_indexes *fars, struct tv_far_index *far,
                               const struct tv_stored_trace *trace, struct tv_error *err)
{
    const char **const texts[] = {&far->trace.raw_hash, &far->trace.index_hash,
                                  &far->trace.mappings, &far->trace.file_name};
    size_t len = 0;
    far->trace = *trace;
    for (size_t i = 0; i < TV_COUNT_OF(texts); i++)
        far->texts_len += strlen(*texts[i]) + 1;
    TV_TRY(tv_alloc_new(fars->alloc, &far->texts, far->texts_len, 1, err));
    for (size_t i = 0; i < TV_COUNT_OF(texts); i++) {
        const size_t text_len = strlen(*texts[i]) + 1;
        memcpy(far->texts + len, *texts[i], text_len);
        *texts[i] = far->texts + len;
        len += text_len;
    }
    return TV_OK;
}

/* The caller holds the lock. */
static enum tv_code put(struct tv_far_indexes *fars, struct tv_far_index *far, struct tv_error *err)
{
    if (fars->is_ending)
        return tv_fail(err, TV_ERR_AWAY, TV_NO_OFFSET, "the server ends");
    if (fars->count >= TV_FAR_INDEXES_MOST)
        return tv_fail(err, TV_ERR_AWAY, TV_NO_OFFSET,
                       "too many traces are being brought from the object store");
    if (!fars->thread_count)
        fars->thread_count = tv_threads_start(fars->threads, TV_FAR_INDEXES_THREADS, work, fars);
    if (!fars->thread_count)
        return tv_fail(err, TV_ERR_AWAY, TV_NO_OFFSET, "no thread can be started");
    *(fars->last ? &fars->last->next : &fars->first) = far;
    fars->last = far;
    fars->count++;
    (void)pthread_cond_signal(&fars->came);
    return TV_OK;
}

enum tv_code tv_far_indexes_add(struct tv_far_indexes *fars, const struct tv_stored_trace *trace,
                                struct tv_stored_index *entry, struct tv_error *err)
{
    struct tv_far_index *far;
    TV_TRY(tv_alloc_new(fars->alloc, &far, 1, sizeof(*far), err));
    far->entry = entry;
    enum tv_code code = copy_trace(fars, far, trace, err);
    if (code == TV_OK) {
        (void)pthread_mutex_lock(&fars->lock);
        code = put(fars, far, err);
        (void)pthread_mutex_unlock(&fars->lock);
    }
    if (code != TV_OK)
        release(fars, far);
    return code;
}

void tv_far_indexes_end(struct tv_far_indexes *fars)
{
    (void)pthread_mutex_lock(&fars->lock);
    fars->is_ending = true;
    (void)pthread_cond_broadcast(&fars->came);
    (void)pthread_mutex_unlock(&fars->lock);
    tv_threads_join(fars->threads, fars->thread_count);
    fars->thread_count = 0;
    (void)pthread_cond_destroy(&fars->came);
    (void)pthread_mutex_destroy(&fars->lock);
}
