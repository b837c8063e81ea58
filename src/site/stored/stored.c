/*
 * The cache of open indexes; see site/stored/stored.h.
 *
 * They are few, so a list is searched from its start. A place in the list is taken before the file
 * is opened, outside of the lock: whoever wants the same index meanwhile waits for that, and others
 * do not. A held index is never closed; when there are too many, the one that was used longest ago
 * and is held by nobody goes. The lock is never held while a file is opened or released.
 *
 * An index that is not on this machine is brought by other threads (site/stored/far_indexes.h), and
 * few of those that answer wait for it, and not for long.
 */
#include "site/stored/stored.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "index/memory.h"
#include "index/saved/saved.h"
#include "os/clock.h"
#include "os/memory/mapping.h"
#include "os/random_sleep.h"
#include "os/waits.h"
#include "site/jobs/index_job.h"
#include "site/stored/stored_cache.h"

static_assert(TV_SAVED_HEAD_LEN == TV_MAPPING_HEAD_LEN, "the block begins at the second page");

/* How long a request waits for indexes that are brought, and how soon it is to come again. */
#define FAR_NS (2 * (uint64_t)TV_NS_PER_S)

static void bring(void *ctx, const struct tv_far_index *far, bool is_ending);

enum tv_code tv_stored_new(struct tv_stored **stored, const struct tv_stored_opts *opts,
                           struct tv_error *err)
{
    TV_TRY(tv_alloc_new(opts->alloc, stored, 1, sizeof(**stored), err));
    (*stored)->opts = *opts;
    if ((*stored)->opts.open_most > TV_STORED_MOST)
        (*stored)->opts.open_most = TV_STORED_MOST;
    tv_downloads_init(&(*stored)->downloads, opts->alloc, opts->pool);
    (*stored)->downloads.shares = (struct tv_download_shares){
        .of_party = TV_STORED_EXPORTS_OF_PARTY, .least_rate = opts->slowest_when_full};
    tv_lean_cache_init(&(*stored)->leans, opts->alloc, TV_LEAN_CACHE_ROOM);
    (void)pthread_mutex_init(&(*stored)->lock, NULL);
    (void)tv_wait_init(&(*stored)->opened);
    tv_far_indexes_init(&(*stored)->fars, opts->alloc, bring, *stored);
    return TV_OK;
}

void tv_stored_tick(struct tv_stored *stored, uint64_t now_ns)
{
    tv_downloads_tick(&stored->downloads, now_ns);
}

void tv_stored_end(struct tv_stored *stored)
{
    tv_downloads_end(&stored->downloads);
}

static void release_entry(struct tv_stored *stored, struct tv_stored_index *entry)
{
    tv_lean_cache_forget(&stored->leans, &entry->index);
    tv_index_release(&entry->index);
    tv_alloc_release(stored->opts.alloc, &entry, 1, sizeof(*entry));
}

/* Nobody holds an index any more, since the server has ended. */
void tv_stored_free(struct tv_stored *stored)
{
    if (!stored)
        return;
    tv_far_indexes_end(&stored->fars);
    while (stored->first) {
        struct tv_stored_index *entry = stored->first;
        tv_assert(!entry->holder_count);
        stored->first = entry->next;
        release_entry(stored, entry);
    }
    tv_downloads_release(&stored->downloads);
    (void)pthread_cond_destroy(&stored->opened);
    (void)pthread_mutex_destroy(&stored->lock);
    tv_alloc_release(stored->opts.alloc, &stored, 1, sizeof(*stored));
}

void tv_stored_refuse(struct tv_http_response *response, const struct tv_error *err)
{
    if (err->code == TV_ERR_AWAY)
        tv_http_refuse_for_now(response, err->text);
    else
        tv_http_refuse(response, 500, err->text);
}

/* --- opening; without the lock --- */

/* The name of the file is its hash, and that of the index stands in the row of the job.
 * TV_ERR_NOT_FOUND: it would have to be brought, and is not to be. */
static enum tv_code map_file(const struct tv_stored *stored, const struct tv_stored_trace *trace,
                             bool may_bring, struct tv_mapping *mapping, struct tv_error *err)
{
    const struct tv_store_files *files = stored->opts.files;
    struct tv_hash name;
    uint64_t len;
    int fd;
    memcpy(name.hex, trace->index_hash, sizeof(name.hex));
    enum tv_code code =
        (may_bring ? files->open : files->open_here)(files->ctx, &name, &fd, &len, err);
    /* A row names the index, so its absence is the site's fault and not the request's. */
    if (code == TV_ERR_NOT_FOUND && may_bring)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "the index is missing in the store");
    TV_TRY(code);
    code = tv_mapping_open(mapping, fd, (size_t)len, err);
    (void)close(fd);
    return code;
}

/* The memory of answers is bounded by lengths that stand in the index, which a hostile trace may
 * have had written. So the length of the trace counts no further than the bytes that are really
 * here. */
static void bound_length(struct tv_index *index, uint64_t raw_len)
{
    uint64_t here = raw_len + 4 * (uint64_t)index->block_len;
    if (index->made_of.len > here)
        index->made_of.len = here;
}

/* The index is checked once when it is opened; who holds it later reads mapped memory. */
static enum tv_code open_index(const struct tv_stored *stored, const struct tv_stored_trace *trace,
                               bool may_bring, struct tv_stored_index *entry, struct tv_error *err)
{
    const struct tv_saved_source source = tv_index_job_source(trace->raw_hash, trace->mappings);
    struct tv_mapping mapping;
    TV_TRY(map_file(stored, trace, may_bring, &mapping, err));
    enum tv_code code =
        tv_saved_open(&entry->index, (struct tv_saved_bytes){mapping.bytes, mapping.len}, &source,
                      stored->opts.alloc, stored->opts.pool, err);
    /* From here on the index is believed; bytes that went missing before this show in the check. */
    tv_mapping_stop_readers(mapping.bytes);
    if (code == TV_OK)
        code = tv_mapping_check(mapping.bytes, err);
    if (code != TV_OK) {
        tv_mapping_release(&mapping);
        tv_index_init(&entry->index);
        return code;
    }
    entry->index.alloc = tv_mapping_alloc();
    bound_length(&entry->index, trace->raw_len);
    entry->memory_most = tv_memory_of_answer(&entry->index);
    return TV_OK;
}

/* --- the list; with the lock --- */

static struct tv_stored_index *find(const struct tv_stored *stored, const char *hash)
{
    struct tv_stored_index *entry = stored->first;
    while (entry && strcmp(entry->hash, hash) != 0)
        entry = entry->next;
    return entry;
}

static void take_out(struct tv_stored *stored, struct tv_stored_index *entry)
{
    struct tv_stored_index **at = &stored->first;
    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    stored->open_count--;
}

/* Takes out the index that was used longest ago if too many are open; NULL: there are not, or all
 * are held, or waited for by threads that look at the entry when they wake. The caller releases it
 * without the lock. */
static struct tv_stored_index *take_oldest(struct tv_stored *stored)
{
    struct tv_stored_index *oldest = NULL;
    if (stored->open_count <= stored->opts.open_most)
        return NULL;
    for (struct tv_stored_index *entry = stored->first; entry; entry = entry->next) {
        const bool is_free = !entry->holder_count && !entry->waiter_count;
        if (is_free && (!oldest || entry->used_no < oldest->used_no))
            oldest = entry;
    }
    if (oldest) {
        take_out(stored, oldest);
        stored->counts.closed++;
    }
    return oldest;
}

/* The entry is in the list while it is being opened, so that a second request waits for it rather
 * than opening it again. */
static enum tv_code add(struct tv_stored *stored, const char *hash, struct tv_stored_index **entry,
                        struct tv_error *err)
{
    TV_TRY(tv_alloc_new(stored->opts.alloc, entry, 1, sizeof(**entry), err));
    tv_index_init(&(*entry)->index);
    memcpy((*entry)->hash, hash, sizeof((*entry)->hash));
    (*entry)->is_opening = true;
    (*entry)->holder_count = 1;
    (*entry)->next = stored->first;
    stored->first = *entry;
    stored->open_count++;
    return TV_OK;
}

/* Whether this thread may go on waiting for an index that is brought. With the lock held. */
static bool may_wait(const struct tv_stored *stored, uint64_t end_ns)
{
    const unsigned most = stored->opts.waiting_most ? stored->opts.waiting_most : 1;
    return stored->waiting_count < most && tv_now_ns() < end_ns;
}

/* Waits for a change of what is opened; false: it was long enough. With the lock held. */
static bool wait_for_far(struct tv_stored *stored, struct tv_stored_index *entry, uint64_t end_ns)
{
    if (!may_wait(stored, end_ns))
        return false;
    const struct timespec until = tv_wait_until(end_ns - tv_now_ns());
    stored->waiting_count++;
    entry->waiter_count++;
    (void)pthread_cond_timedwait(&stored->opened, &stored->lock, &until);
    stored->waiting_count--;
    entry->waiter_count--;
    return true;
}

/* Takes the failure of whoever brought it. The last that waited for it forgets it, so that it is
 * tried anew. With the lock held. */
static enum tv_code take_failure(struct tv_stored *stored, struct tv_stored_index *entry,
                                 struct tv_stored_index **gone, struct tv_error *err)
{
    const enum tv_code code = entry->failure.code;
    if (err)
        *err = entry->failure;
    if (!entry->waiter_count) {
        take_out(stored, entry);
        *gone = entry;
    }
    return code;
}

static struct tv_stored_index *hold_entry(struct tv_stored *stored, struct tv_stored_index *entry)
{
    entry->holder_count++;
    entry->used_no = ++stored->used_no;
    return entry;
}

/* Returns the index, held, if it is open, after waiting for whoever opens it. Neither it nor a
 * failure: the caller is to open it. With the lock held; *gone is to be released without. */
static enum tv_code hold_open(struct tv_stored *stored, const char *hash,
                              struct tv_stored_index **held, struct tv_stored_index **gone,
                              struct tv_error *err)
{
    const uint64_t waited_ns = tv_waits_of(TV_WAIT_FILES);
    const uint64_t end_ns = tv_now_ns() + (waited_ns < FAR_NS ? FAR_NS - waited_ns : 0);
    struct tv_stored_index *entry = find(stored, hash);
    for (; entry && entry->is_opening; entry = find(stored, hash)) {
        if (!entry->is_far)
            (void)pthread_cond_wait(&stored->opened, &stored->lock);
        else if (!wait_for_far(stored, entry, end_ns))
            return tv_fail(err, TV_ERR_AWAY, TV_NO_OFFSET, TV_STORED_LOADING);
    }
    if (entry && entry->failure.code != TV_OK)
        return take_failure(stored, entry, gone, err);
    *held = entry ? hold_entry(stored, entry) : NULL;
    return TV_OK;
}

/* Ends an opening and wakes those who wait for it. Returns what is to be released: the place of an
 * index that could not be opened, or the index that gives way. A failure, which is `why`, stays for
 * those who wait. */
static struct tv_stored_index *end_opening(struct tv_stored *stored, struct tv_stored_index *entry,
                                           enum tv_code code, const struct tv_error *why)
{
    pthread_mutex_lock(&stored->lock);
    struct tv_stored_index *gone = NULL;
    entry->is_opening = false;
    entry->used_no = ++stored->used_no;
    if (code == TV_OK) {
        entry->holder_count -= entry->is_far;
        stored->counts.opened++;
        gone = take_oldest(stored);
    } else if (!entry->waiter_count) {
        take_out(stored, entry);
        gone = entry;
    } else {
        entry->failure = *why;
        entry->failure.code = code;
    }
    (void)pthread_cond_broadcast(&stored->opened);
    pthread_mutex_unlock(&stored->lock);
    return gone;
}

/* On a thread that brings indexes. */
static void bring(void *ctx, const struct tv_far_index *far, bool is_ending)
{
    struct tv_stored *stored = ctx;
    struct tv_error why = {.code = TV_OK};
    enum tv_code code = is_ending ? tv_fail(&why, TV_ERR_AWAY, TV_NO_OFFSET, "the server ends")
                                  : open_index(stored, &far->trace, true, far->entry, &why);
    tv_random_sleep();
    struct tv_stored_index *gone = end_opening(stored, far->entry, code, &why);
    if (gone)
        release_entry(stored, gone);
}

/* From now on other threads wait for this index as for one that is brought from the bucket; those
 * that wait already are woken to see that. */
static void note_far(struct tv_stored *stored, struct tv_stored_index *entry)
{
    pthread_mutex_lock(&stored->lock);
    entry->is_far = true;
    (void)pthread_cond_broadcast(&stored->opened);
    pthread_mutex_unlock(&stored->lock);
}

/* Opens an index whose place was taken, or has it brought; *is_far tells which. */
static enum tv_code open_or_bring(struct tv_stored *stored, const struct tv_stored_trace *trace,
                                  struct tv_stored_index *entry, bool *is_far, struct tv_error *err)
{
    struct tv_error why = {.code = TV_OK};
    enum tv_code code = open_index(stored, trace, false, entry, &why);
    *is_far = false;
    if (code == TV_ERR_NOT_FOUND) {
        note_far(stored, entry);
        tv_random_sleep();
        code = tv_far_indexes_add(&stored->fars, trace, entry, &why);
        *is_far = code == TV_OK;
        if (*is_far)
            return TV_OK;
    }
    tv_random_sleep();
    struct tv_stored_index *gone = end_opening(stored, entry, code, &why);
    if (gone)
        release_entry(stored, gone);
    if (code != TV_OK && err)
        *err = why;
    return code;
}

/* Holds the index where it is open, else takes a place for it. */
static enum tv_code hold_or_add(struct tv_stored *stored, const char *hash,
                                struct tv_stored_index **held, struct tv_stored_index **added,
                                struct tv_error *err)
{
    struct tv_stored_index *gone = NULL;
    const uint64_t begun_ns = tv_now_ns();
    *held = *added = NULL;
    pthread_mutex_lock(&stored->lock);
    enum tv_code code = hold_open(stored, hash, held, &gone, err);
    if (code == TV_OK && !*held)
        code = add(stored, hash, added, err);
    pthread_mutex_unlock(&stored->lock);
    tv_waits_note(TV_WAIT_FILES, begun_ns);
    if (gone)
        release_entry(stored, gone);
    return code;
}

/* Opening takes a while and is done outside of the lock; others who want the same index wait for
 * its end. One that is brought is looked for again. */
enum tv_code tv_stored_hold(struct tv_stored *stored, const struct tv_stored_trace *trace,
                            struct tv_stored_index **held, struct tv_error *err)
{
    struct tv_stored_index *entry;
    for (bool is_far = true; is_far;) {
        TV_TRY(hold_or_add(stored, trace->index_hash, held, &entry, err));
        if (*held)
            return TV_OK;
        TV_TRY(open_or_bring(stored, trace, entry, &is_far, err));
    }
    *held = entry;
    return TV_OK;
}

void tv_stored_wish(struct tv_stored *stored, const struct tv_stored_trace *trace,
                    struct tv_stored_index **held)
{
    struct tv_stored_index *added = NULL;
    bool is_far;
    *held = NULL;
    pthread_mutex_lock(&stored->lock);
    struct tv_stored_index *entry = find(stored, trace->index_hash);
    if (entry && !entry->is_opening && entry->failure.code == TV_OK)
        *held = hold_entry(stored, entry);
    else if (!entry && add(stored, trace->index_hash, &entry, NULL) == TV_OK)
        added = entry;
    pthread_mutex_unlock(&stored->lock);
    if (added && open_or_bring(stored, trace, added, &is_far, NULL) == TV_OK && !is_far)
        *held = added;
}

/* The oldest that nobody holds is closed where there are more than open_most; it is closed outside
 * of the lock. */
void tv_stored_let_go(struct tv_stored *stored, struct tv_stored_index *held)
{
    if (!held)
        return;
    tv_random_sleep();
    pthread_mutex_lock(&stored->lock);
    held->holder_count--;
    struct tv_stored_index *gone = take_oldest(stored);
    pthread_mutex_unlock(&stored->lock);
    if (gone)
        release_entry(stored, gone);
}

struct tv_stored_counts tv_stored_count(struct tv_stored *stored)
{
    pthread_mutex_lock(&stored->lock);
    struct tv_stored_counts counts = stored->counts;
    counts.open = stored->open_count;
    pthread_mutex_unlock(&stored->lock);
    return counts;
}
