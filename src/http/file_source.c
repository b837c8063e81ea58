/*
 * Files on their way out; see http/file_source.h.
 *
 * A source belongs to the library's thread, or, while it is queued, to the readers; whoever has it
 * may touch its block without the lock. When the block is used up and the next bytes are not in
 * memory, the source goes into the queue, its connection sleeps, and the reader that has filled the
 * block wakes it. A source that is left goes through the queue once more, or is there already, and
 * the reader frees it. Lock order: this lock, then the sender's (http/body_sender.c).
 */
#include "http/file_source.h"

#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "os/clock.h"
#include "os/file/read_part.h"
#include "os/process/threads.h"
#include "os/random_sleep.h"

/* Bytes that a reader brings at once, and that a slow client keeps in memory. */
#define BLOCK ((size_t)128 * 1024)
/* The same for bytes that are far away, where each block costs a round trip: a client that takes a
 * block within QUICK_NS gets a block of twice the length, up to FAR_BLOCK_MOST. */
#define FAR_BLOCK ((size_t)512 * 1024)
#define FAR_BLOCK_MOST ((size_t)4 << 20)
#define QUICK_NS (500 * (uint64_t)TV_NS_PER_MS)

struct tv_file_source {
    struct tv_file_readers *readers;
    struct tv_http_reader reader;
    int fd; /* -1: the bytes are far */
    struct tv_http_far_bytes far;
    uint64_t filled_ns; /* when the block was filled last; 0: never */
    uint64_t off;       /* of the next byte that the library gets */
    uint64_t left;      /* bytes that it still gets */
    uint8_t *block;     /* NULL: none was needed yet */
    size_t block_len;
    size_t at;      /* of the first byte in the block that the library has not */
    size_t len;     /* of the block's bytes */
    bool is_broken; /* no more bytes can be read */
    /* The lock of the readers guards the rest. */
    bool is_queued;
    bool is_left;
    struct tv_file_source *next;
};

/* --- the threads that wait --- */

void tv_file_readers_init(struct tv_file_readers *readers, const struct tv_alloc *alloc)
{
    *readers = (struct tv_file_readers){
        .alloc = alloc, .read_cached = tv_file_read_cached, .read_part = tv_file_read_part};
    (void)pthread_mutex_init(&readers->lock, NULL);
    (void)pthread_cond_init(&readers->came, NULL);
}

void tv_file_readers_release(struct tv_file_readers *readers)
{
    (void)pthread_cond_destroy(&readers->came);
    (void)pthread_mutex_destroy(&readers->lock);
}

/* Closing may wait, too: where the file was deleted meanwhile, its bytes go with it. */
static void free_source(struct tv_file_source *source)
{
    const struct tv_alloc *alloc = source->readers->alloc;
    if (source->far.read)
        source->far.close(source->far.ctx);
    else
        (void)close(source->fd);
    tv_alloc_release(alloc, &source->block, source->block_len, 1);
    tv_alloc_release(alloc, &source, 1, sizeof(*source));
}

/* Makes the block longer where the client was quick. The old one is used up. */
static void lengthen(struct tv_file_source *source)
{
    const uint64_t now_ns = tv_now_ns();
    const bool is_quick = source->filled_ns && tv_passed_ns(source->filled_ns, now_ns) < QUICK_NS;
    if (is_quick && source->block && source->block_len < FAR_BLOCK_MOST) {
        tv_alloc_release(source->readers->alloc, &source->block, source->block_len, 1);
        source->block_len *= 2;
    }
}

/* Fills the block, which is used up. */
static void fill(struct tv_file_source *source)
{
    const struct tv_file_readers *readers = source->readers;
    if (source->far.read)
        lengthen(source);
    const size_t want = source->left < source->block_len ? (size_t)source->left : source->block_len;
    source->at = source->len = 0;
    if (!source->block &&
        tv_alloc_new(readers->alloc, &source->block, source->block_len, 1, NULL) != TV_OK) {
        source->is_broken = true;
        return;
    }
    ssize_t got = source->far.read
                      ? source->far.read(source->far.ctx, source->off, source->block, want)
                      : readers->read_part(source->fd, source->off, source->block, want);
    source->filled_ns = tv_now_ns();
    source->is_broken = got <= 0;
    source->len = got > 0 ? (size_t)got : 0;
}

static struct tv_file_source *take_first(struct tv_file_readers *readers)
{
    struct tv_file_source *source = readers->first;
    readers->first = source->next;
    if (!readers->first)
        readers->last = NULL;
    return source;
}

/* Gives the source back to the library, unless that has left it. Called with the lock. */
static bool give_back(struct tv_file_source *source)
{
    if (source->is_left)
        return false;
    source->is_queued = false;
    source->reader.wake(source->reader.ctx);
    return true;
}

static void *run(void *arg)
{
    struct tv_file_readers *readers = arg;
    (void)pthread_mutex_lock(&readers->lock);
    for (;;) {
        while (!readers->first && !readers->is_ending)
            (void)pthread_cond_wait(&readers->came, &readers->lock);
        if (!readers->first)
            break;
        struct tv_file_source *source = take_first(readers);
        const bool is_wanted = !source->is_left;
        (void)pthread_mutex_unlock(&readers->lock);
        tv_random_sleep();
        if (is_wanted)
            fill(source);
        (void)pthread_mutex_lock(&readers->lock);
        if (give_back(source))
            continue;
        (void)pthread_mutex_unlock(&readers->lock);
        free_source(source);
        (void)pthread_mutex_lock(&readers->lock);
    }
    (void)pthread_mutex_unlock(&readers->lock);
    return NULL;
}

bool tv_file_readers_start(struct tv_file_readers *readers)
{
    readers->count = tv_threads_start(readers->threads, TV_FILE_READERS, run, readers);
    return readers->count > 0;
}

void tv_file_readers_join(struct tv_file_readers *readers)
{
    (void)pthread_mutex_lock(&readers->lock);
    readers->is_ending = true;
    (void)pthread_cond_broadcast(&readers->came);
    (void)pthread_mutex_unlock(&readers->lock);
    tv_threads_join(readers->threads, readers->count);
    readers->count = 0;
}

/* --- the source, on the library's threads --- */

/* False: the readers have ended. */
static bool queue(struct tv_file_source *source)
{
    struct tv_file_readers *readers = source->readers;
    (void)pthread_mutex_lock(&readers->lock);
    const bool is_taken = !readers->is_ending;
    if (is_taken) {
        source->is_queued = true;
        source->next = NULL;
        *(readers->last ? &readers->last->next : &readers->first) = source;
        readers->last = source;
        (void)pthread_cond_signal(&readers->came);
    }
    (void)pthread_mutex_unlock(&readers->lock);
    return is_taken;
}

static bool begin(void *ctx, const struct tv_http_reader *reader)
{
    struct tv_file_source *source = ctx;
    source->reader = *reader;
    return true;
}

/* Bytes of the block, or of the memory of the system; -1: a reader must bring them. */
static ssize_t read_ready(struct tv_file_source *source, void *out, size_t cap)
{
    const size_t ready = source->len - source->at;
    if (!ready && source->far.read)
        return -1;
    if (!ready)
        return source->readers->read_cached(source->fd, source->off, out, cap);
    const size_t len = ready < cap ? ready : cap;
    memcpy(out, source->block + source->at, len);
    source->at += len;
    return (ssize_t)len;
}

static ssize_t read_source(void *ctx, void *out, size_t cap)
{
    struct tv_file_source *source = ctx;
    (void)pthread_mutex_lock(&source->readers->lock);
    const bool is_queued = source->is_queued;
    (void)pthread_mutex_unlock(&source->readers->lock);
    if (is_queued)
        return 0;
    if (source->is_broken)
        return TV_HTTP_SOURCE_BROKEN;
    if (!source->left)
        return TV_HTTP_SOURCE_END;
    const ssize_t got = read_ready(source, out, source->left < cap ? (size_t)source->left : cap);
    if (got < 0)
        return queue(source) ? 0 : TV_HTTP_SOURCE_BROKEN;
    source->off += (uint64_t)got;
    source->left -= (uint64_t)got;
    return got ? got : TV_HTTP_SOURCE_BROKEN; /* the file ends before its length */
}

/* Where no reader has the source, and none will, it is freed at once: the server ends. */
static void leave(void *ctx)
{
    struct tv_file_source *source = ctx;
    struct tv_file_readers *readers = source->readers;
    (void)pthread_mutex_lock(&readers->lock);
    const bool is_queued = source->is_queued;
    struct tv_http_reader reader = source->reader;
    source->reader = (struct tv_http_reader){.ctx = NULL};
    source->is_left = true;
    (void)pthread_mutex_unlock(&readers->lock);
    tv_http_reader_release(&reader);
    if (!is_queued && !queue(source))
        free_source(source);
}

static const struct tv_http_source_calls calls = {
    .begin = begin, .read = read_source, .leave = leave};

bool tv_file_source_take(struct tv_file_readers *readers, struct tv_http_response *response)
{
    struct tv_file_source *source = NULL;
    if (tv_alloc_new(readers->alloc, &source, 1, sizeof(*source), NULL) != TV_OK)
        return false;
    source->readers = readers;
    source->fd = response->file.fd;
    source->far = response->file.far;
    source->block_len = source->far.read ? FAR_BLOCK : BLOCK;
    source->off = response->file.off;
    source->left = response->file.len;
    response->source = (struct tv_http_source){
        .calls = &calls, .ctx = source, .has_len = true, .len = response->file.len};
    response->file = (struct tv_http_part){.fd = -1};
    response->kind = TV_HTTP_BODY_SOURCE;
    return true;
}
