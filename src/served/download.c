/*
 * The ring between the thread that makes an export and the one that sends it; see
 * served/download.h.
 *
 * The maker writes into a ring of fixed size and waits when it is full; the reader takes bytes out
 * and sleeps when it is empty. A place in the table is free again when both have left. Everything
 * that both touch is under the table's lock, and so is waking the reader. Lock order: this lock,
 * then the sender's (http/body_sender.c). The maker's thread is joined by whoever takes its place
 * next, or at the end.
 */
#include "served/download.h"

#include <signal.h>
#include <string.h>

#include "base/error.h"
#include "index/memory.h"
#include "os/clock.h"
#include "os/file/compress.h"
#include "os/memory/fault.h"
#include "os/memory/mapping.h"
#include "os/random_sleep.h"
#include "served/export_tools.h"

/* Bytes in the ring that wake a sleeping reader: waking it for each piece would take longer than
 * the pieces. */
#define WAKE_AT (TV_DOWNLOAD_RING / 2)

/* --- the table --- */

void tv_downloads_init(struct tv_downloads *downloads, const struct tv_alloc *alloc,
                       const struct tv_pool *pool)
{
    *downloads = (struct tv_downloads){.alloc = alloc, .pool = pool};
    (void)pthread_mutex_init(&downloads->lock, NULL);
    for (size_t i = 0; i < TV_DOWNLOADS_PLACES; i++) {
        downloads->of[i].table = downloads;
        (void)pthread_cond_init(&downloads->of[i].has_room, NULL);
    }
}

void tv_downloads_release(struct tv_downloads *downloads)
{
    for (size_t i = 0; i < TV_DOWNLOADS_PLACES; i++)
        (void)pthread_cond_destroy(&downloads->of[i].has_room);
    (void)pthread_mutex_destroy(&downloads->lock);
}

static void wake(struct tv_download *download)
{
    if (!download->is_asleep)
        return;
    download->is_asleep = false;
    download->reader.wake(download->reader.ctx);
}

/* Ends what is under way. The reader is woken; the maker finds out when it writes or tells next.
 * Called with the lock held. */
static void stop(struct tv_download *download, enum tv_download_state state)
{
    if (download->now.state == TV_DOWNLOAD_RUNNING)
        download->now.state = state;
    download->is_stopped = true;
    (void)pthread_cond_signal(&download->has_room);
    wake(download);
}

/* Joins a maker that has ended. It has given up the lock for good by then, so the wait is short. */
static void join(struct tv_download *download)
{
    if (download->is_to_join)
        (void)pthread_join(download->maker, NULL);
    download->is_to_join = false;
}

/* Makers are told to stop under the lock and joined without it, since they need it to stop. */
void tv_downloads_end(struct tv_downloads *downloads)
{
    pthread_mutex_lock(&downloads->lock);
    downloads->is_ended = true;
    for (size_t i = 0; i < TV_DOWNLOADS_PLACES; i++)
        stop(&downloads->of[i], TV_DOWNLOAD_CANCELLED);
    pthread_mutex_unlock(&downloads->lock);
    for (size_t i = 0; i < TV_DOWNLOADS_PLACES; i++)
        join(&downloads->of[i]);
}

/* The free place that was taken longest ago, so that what became of the latest downloads stays
 * known. */
static struct tv_download *find_place(struct tv_downloads *downloads)
{
    struct tv_download *place = NULL;
    for (size_t i = 0; i < TV_DOWNLOADS_PLACES; i++) {
        struct tv_download *download = &downloads->of[i];
        if (!download->has_reader && !download->has_maker &&
            (!place || download->taken_no < place->taken_no))
            place = download;
    }
    return place;
}

static bool is_under_way(const struct tv_download *download)
{
    return (download->has_reader || download->has_maker) && !download->is_stopped;
}

/* Counts the downloads that are under way; with a party, only those of the party. */
static unsigned count_under_way(const struct tv_downloads *downloads,
                                const struct tv_http_party *party)
{
    unsigned count = 0;
    for (size_t i = 0; i < TV_DOWNLOADS_PLACES; i++)
        count += is_under_way(&downloads->of[i]) &&
                 (!party || memcmp(&downloads->of[i].party, party, sizeof(*party)) == 0);
    return count;
}

/* Stops a download whose reader takes less than the least rate. A full ring shows that it is the
 * reader who keeps the maker waiting. */
static void make_room(struct tv_downloads *downloads)
{
    const uint64_t now_ns = tv_now_ns();
    for (size_t i = 0; i < TV_DOWNLOADS_PLACES; i++) {
        struct tv_download *download = &downloads->of[i];
        if (!is_under_way(download) || download->len < TV_DOWNLOAD_RING || !download->reader.cut ||
            !tv_pace_is_below(&download->pace, download->now.bytes, now_ns,
                              downloads->shares.least_rate))
            continue;
        stop(download, TV_DOWNLOAD_CANCELLED);
        download->reader.cut(download->reader.ctx);
        return;
    }
}

/* The thread that had the place before has ended its work, and is joined here; so no thread is
 * waited for while it writes. */
static enum tv_code take_place(struct tv_downloads *downloads, const struct tv_http_party *party,
                               struct tv_download **place, struct tv_error *err)
{
    const unsigned of_party = downloads->shares.of_party;
    uint8_t *ring;
    if (downloads->is_ended)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "the server ends");
    if (of_party && count_under_way(downloads, party) >= of_party)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "%u exports of yours are under way: wait until one of them is done, or "
                       "cancel it",
                       of_party);
    if (count_under_way(downloads, NULL) >= TV_DOWNLOADS_MOST)
        make_room(downloads);
    struct tv_download *found =
        count_under_way(downloads, NULL) < TV_DOWNLOADS_MOST ? find_place(downloads) : NULL;
    if (!found)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "%u exports are under way: wait until one of them is done, or cancel it",
                       TV_DOWNLOADS_MOST);
    TV_TRY(tv_alloc_new(downloads->alloc, &ring, TV_DOWNLOAD_RING, 1, err));
    join(found);
    found->ring = ring;
    *place = found;
    return TV_OK;
}

/* The trace is the download's from here on, also when this fails: then it is let go at once. */
enum tv_code tv_download_take(struct tv_downloads *downloads, const struct tv_held *held,
                              struct tv_download **download, struct tv_error *err)
{
    struct tv_download *taken = NULL;
    pthread_mutex_lock(&downloads->lock);
    enum tv_code code = take_place(downloads, &held->party, &taken, err);
    if (taken) {
        taken->taken_no = ++downloads->taken_no;
        taken->has_reader = true;
        taken->party = held->party;
        tv_pace_begin(&taken->pace, 0, tv_now_ns());
        taken->was_begun = taken->is_made = taken->is_stopped = taken->is_asleep = false;
        taken->first = taken->len = 0;
        taken->now = (struct tv_download_view){.state = TV_DOWNLOAD_RUNNING};
    }
    pthread_mutex_unlock(&downloads->lock);
    *download = taken;
    if (!taken) {
        held->let_go(held->owner, held->what);
        return code;
    }
    tv_random_sleep();
    taken->held = *held;
    tv_limit_init(&taken->limit, downloads->alloc, held->memory_most);
    tv_arena_init(&taken->arena, &taken->limit.alloc);
    return TV_OK;
}

void tv_downloads_tick(struct tv_downloads *downloads, uint64_t now_ns)
{
    pthread_mutex_lock(&downloads->lock);
    for (size_t i = 0; i < TV_DOWNLOADS_PLACES; i++) {
        struct tv_download *download = &downloads->of[i];
        if (download->has_reader)
            tv_pace_note(&download->pace, download->now.bytes, now_ns);
    }
    pthread_mutex_unlock(&downloads->lock);
}

void tv_download_set_id(struct tv_download *download, uint64_t id)
{
    pthread_mutex_lock(&download->table->lock);
    download->now.id = id;
    pthread_mutex_unlock(&download->table->lock);
}

/* Releases what only the maker needs. Without a maker the reader does this. */
static void release_question(struct tv_download *download)
{
    tv_arena_release(&download->arena);
    download->held.let_go(download->held.owner, download->held.what);
    download->held.index = NULL;
}

static void release_ring(struct tv_download *download)
{
    tv_alloc_release(download->table->alloc, &download->ring, TV_DOWNLOAD_RING, 1);
}

/* --- the maker --- */

/* Copies up to the end of the ring, at most what there is room for. */
static size_t put_part(struct tv_download *download, const uint8_t *bytes, size_t len)
{
    size_t at = (download->first + download->len) % TV_DOWNLOAD_RING;
    size_t room = TV_DOWNLOAD_RING - download->len;
    size_t part = room < TV_DOWNLOAD_RING - at ? room : TV_DOWNLOAD_RING - at;
    part = part < len ? part : len;
    memcpy(download->ring + at, bytes, part);
    download->len += part;
    return part;
}

/* Waits for room when the ring is full; a download that was stopped ends the export. */
static enum tv_code put(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    struct tv_download *download = ctx;
    const uint8_t *at = bytes;
    pthread_mutex_lock(&download->table->lock);
    while (len && !download->is_stopped) {
        size_t part = put_part(download, at, len);
        at += part;
        len -= part;
        if (download->len >= WAKE_AT)
            wake(download);
        if (len && !part)
            (void)pthread_cond_wait(&download->has_room, &download->table->lock);
    }
    bool is_stopped = download->is_stopped;
    pthread_mutex_unlock(&download->table->lock);
    return is_stopped ? tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET, "cancelled") : TV_OK;
}

/* Called by the export for every piece of progress; its answer is how a cancelled export ends. */
static bool tell(void *ctx, uint64_t done, uint64_t of)
{
    struct tv_download *download = ctx;
    pthread_mutex_lock(&download->table->lock);
    download->now.done = done;
    download->now.of = of;
    bool goes_on = !download->is_stopped;
    pthread_mutex_unlock(&download->table->lock);
    return goes_on;
}

/* What the maker has while it makes an export. */
struct making {
    struct tv_download *download;
    struct tv_sink sink;
    struct tv_export_result result;
    enum tv_code code;
    struct tv_error err;
};

/* Runs under tv_mapping_run (write_file): the index may be a file that is cut meanwhile. */
static void run_export(void *ctx)
{
    struct making *making = ctx;
    struct tv_download *download = making->download;
    struct tv_export_query *query = &download->query;
    struct tv_export_tools tools;
    making->code = tv_export_tools_open(&tools, query->format, &download->limit.alloc, &query->opts,
                                        &making->err);
    if (making->code != TV_OK)
        return;
    making->code =
        tv_export_run(query->format, download->held.index, &query->opts, &download->limit.alloc,
                      download->table->pool, making->sink, &making->result, &making->err);
    tv_export_tools_close(&tools);
}

/* Writes the file. A saved index that is cut meanwhile stops it, or is found out by the check; the
 * file is then not ended, so that the client notices. */
static enum tv_code write_file(struct making *making, struct tv_compressor *pack,
                               struct tv_error *err)
{
    struct tv_download *download = making->download;
    making->sink = pack ? tv_pack_sink(pack) : (struct tv_sink){.write = put, .ctx = download};
    TV_TRY(tv_mapping_run(run_export, making, err));
    if (making->code != TV_OK) {
        *err = making->err;
        return tv_memory_tell(&download->limit, making->code, download->held.index,
                              "the export takes too much memory: ask for a smaller part", err);
    }
    TV_TRY(tv_mapping_check(download->held.index->block, err));
    return pack ? tv_pack_finish(pack, err) : TV_OK;
}

/* What an export writes goes through a packer into the ring; formats that are packed by themselves
 * are packed quickly, since their reader waits. */
static enum tv_code make_file(struct making *making, struct tv_error *err)
{
    struct tv_download *download = making->download;
    const bool has_gzip = download->query.format->is_gzip;
    struct tv_compressor *pack;
    download->query.opts.tell = tell;
    download->query.opts.ctx = download;
    TV_TRY(tv_pack_new(&pack, &download->limit.alloc,
                       has_gzip || download->query.is_gzip ? TV_PACKING_GZIP : TV_PACKING_NONE,
                       has_gzip ? TV_PACK_QUICK : TV_PACK_SMALL,
                       (struct tv_sink){.write = put, .ctx = download}, err));
    enum tv_code code = write_file(making, pack, err);
    tv_pack_free(pack);
    return code;
}

/* The maker leaves. If the reader has left already, the ring goes. */
static void end_making(struct tv_download *download, enum tv_code code, const struct making *making,
                       const struct tv_error *err)
{
    tv_random_sleep();
    pthread_mutex_lock(&download->table->lock);
    download->has_maker = false;
    download->is_made = code == TV_OK;
    download->now.result = making->result;
    if (code != TV_OK && download->now.state == TV_DOWNLOAD_RUNNING) {
        download->now.state = TV_DOWNLOAD_FAILED;
        download->now.failure = *err;
    }
    wake(download);
    if (!download->has_reader)
        release_ring(download);
    pthread_mutex_unlock(&download->table->lock);
}

/* The thread of one download. What it was asked is released before its end is told, so that whoever
 * waits for the end finds nothing held. */
static void *make(void *arg)
{
    struct tv_download *download = arg;
    struct making making = {.download = download};
    struct tv_error err = {.code = TV_OK};
    enum tv_code code = make_file(&making, &err);
    release_question(download);
    end_making(download, code, &making, &err);
    return NULL;
}

/* Signals are the main thread's. */
static bool start_maker(struct tv_download *download)
{
    sigset_t old;
    tv_fault_hold_signals(&old);
    bool is_started = pthread_create(&download->maker, NULL, make, download) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return is_started;
}

/* Starts the maker, unless the server ends. The reader sleeps until the first bytes or a failure.
 */
void tv_download_begin(struct tv_download *download, const struct tv_http_reader *reader)
{
    pthread_mutex_lock(&download->table->lock);
    download->reader = *reader;
    download->is_asleep = true;
    download->has_maker = !download->table->is_ended && start_maker(download);
    download->was_begun = download->is_to_join = download->has_maker;
    download->is_counted = download->table->counter.begun != NULL;
    if (download->is_counted)
        download->table->counter.begun(download->table->counter.ctx);
    if (download->table->is_ended) {
        stop(download, TV_DOWNLOAD_CANCELLED);
    } else if (!download->has_maker) {
        (void)tv_fail(&download->now.failure, TV_ERR_SYSTEM, TV_NO_OFFSET,
                      "no thread can be started for the export");
        stop(download, TV_DOWNLOAD_FAILED);
    }
    pthread_mutex_unlock(&download->table->lock);
}

/* --- the reader --- */

/* Asked when the first bytes are due: a failure before them is still a refusal with a status. */
bool tv_download_has_failed(struct tv_download *download, struct tv_error *err)
{
    pthread_mutex_lock(&download->table->lock);
    bool has_failed = download->now.state == TV_DOWNLOAD_FAILED || download->is_stopped;
    if (download->now.state == TV_DOWNLOAD_FAILED)
        *err = download->now.failure;
    else if (has_failed)
        (void)tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET, "the export was cancelled");
    pthread_mutex_unlock(&download->table->lock);
    return has_failed;
}

/* Copies up to the end of the ring. */
static size_t get_part(struct tv_download *download, void *out, size_t cap)
{
    size_t part = TV_DOWNLOAD_RING - download->first;
    part = part < download->len ? part : download->len;
    part = part < cap ? part : cap;
    memcpy(out, download->ring + download->first, part);
    download->first = (download->first + part) % TV_DOWNLOAD_RING;
    download->len -= part;
    download->now.bytes += part;
    (void)pthread_cond_signal(&download->has_room);
    return part;
}

/* Called with the lock held: bytes, the end, a failure, or sleep. */
static ssize_t read_ring(struct tv_download *download, void *out, size_t cap)
{
    if (download->is_stopped || download->now.state == TV_DOWNLOAD_FAILED)
        return TV_HTTP_SOURCE_BROKEN;
    if (download->len)
        return (ssize_t)get_part(download, out, cap);
    if (download->is_made) {
        download->now.state = TV_DOWNLOAD_DONE;
        return TV_HTTP_SOURCE_END;
    }
    download->is_asleep = true;
    return 0;
}

ssize_t tv_download_read(struct tv_download *download, void *out, size_t cap)
{
    pthread_mutex_lock(&download->table->lock);
    ssize_t len = read_ring(download, out, cap);
    pthread_mutex_unlock(&download->table->lock);
    return len;
}

/* The reader leaves. If the maker has left already, or never began, the ring goes. */
void tv_download_leave(struct tv_download *download)
{
    if (!download)
        return;
    pthread_mutex_t *lock = &download->table->lock;
    tv_random_sleep();
    pthread_mutex_lock(lock);
    download->is_asleep = false; /* nobody is there to be woken */
    tv_http_reader_release(&download->reader);
    stop(download, TV_DOWNLOAD_CANCELLED);
    if (!download->was_begun)
        release_question(download);
    if (download->is_counted)
        download->table->counter.left(download->table->counter.ctx);
    download->is_counted = false;
    download->has_reader = false;
    if (!download->has_maker)
        release_ring(download);
    pthread_mutex_unlock(lock);
}

/* --- askers --- */

/* The latest download with this id. */
static struct tv_download *find(struct tv_downloads *downloads, uint64_t id)
{
    struct tv_download *found = NULL;
    for (size_t i = 0; i < TV_DOWNLOADS_PLACES; i++) {
        struct tv_download *download = &downloads->of[i];
        if (download->now.id == id && (!found || download->taken_no > found->taken_no))
            found = download;
    }
    return found;
}

bool tv_downloads_look(struct tv_downloads *downloads, uint64_t id, struct tv_download_view *view)
{
    pthread_mutex_lock(&downloads->lock);
    const struct tv_download *download = find(downloads, id);
    if (download)
        *view = download->now;
    pthread_mutex_unlock(&downloads->lock);
    return download != NULL;
}

void tv_downloads_cancel(struct tv_downloads *downloads, uint64_t id)
{
    pthread_mutex_lock(&downloads->lock);
    struct tv_download *download = find(downloads, id);
    if (download)
        stop(download, TV_DOWNLOAD_CANCELLED);
    pthread_mutex_unlock(&downloads->lock);
}
