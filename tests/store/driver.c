/*
 * What tests/store/killed.py kills: a process that works on a store and says what is done, line by
 * line, on standard output. A line is written when the function has returned, so what it says was
 * acknowledged.
 *
 *     store-driver DIR NOW upload ID BYTES SEED     trace ID HASH BYTES
 *     store-driver DIR NOW part ID OFFSET BYTES SEED     part ID END (begins the upload at 0)
 *     store-driver DIR NOW finish ID                finished ID
 *     store-driver DIR NOW index                    index RAW INDEX
 *     store-driver DIR NOW drop ID                  dropping ID, before; dropped ID
 *     store-driver DIR NOW gc GRACE                 gc FILES
 *     store-driver DIR NOW backup TO                backup FILES
 *     store-driver DIR NOW loop SEED                all of them at random, for ever, in two threads
 *
 * With STORE_ROWS, an address of PostgreSQL, the rows are there, and DIR has the files.
 *
 * A call that fails is "failed CODE TEXT". The bytes of a file follow from its length and its seed.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "store/store.h"

#define BUILD "build-1"
#define TRIES 5u
#define OWN_MOST 8u

struct driver {
    struct tv_store *store;
    int64_t now;
    uint64_t random;
    char worker[32];
};

/* One write for each line: two threads and processes write to one pipe. */
TV_PRINTF(1, 2) static void say(const char *format, ...)
{
    char line[512];
    va_list list;
    va_start(list, format);
    int len = vsnprintf(line, sizeof(line), format, list);
    va_end(list);
    if (write(STDOUT_FILENO, line, (size_t)len) != len)
        _exit(3);
}

static bool is_done(enum tv_code code, const struct tv_error *err)
{
    if (code != TV_OK)
        say("failed %s %s\n", tv_code_name(code), err->text);
    return code == TV_OK;
}

/* xorshift64: any number but 0 leads through all others. */
static uint64_t next(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/* Lets the bytes follow those of an upload, where its id is odd: the others are hashed at their
 * end, as those of a program of before. */
static enum tv_code follow(const struct driver *driver, struct tv_arrival *arrival,
                           const struct tv_id *upload, struct tv_error *err)
{
    const struct tv_store_db *db = &driver->store->db;
    struct tv_arena arena;
    struct tv_upload found;
    if (!upload || (upload->hex[31] & 1) == 0)
        return TV_OK;
    tv_arena_init(&arena, tv_alloc_libc());
    enum tv_code code = db->get_upload(db->ctx, upload, driver->now, &arena, &found, err);
    if (code == TV_OK)
        tv_arrival_follow(arrival, found.arrived, &found.so_far);
    tv_arena_release(&arena);
    return code;
}

static enum tv_code arrive(struct driver *driver, struct tv_arrival *arrival,
                           const struct tv_id *of_upload, uint64_t len, uint64_t seed,
                           struct tv_error *err)
{
    uint64_t random = seed * 2 + 1;
    TV_TRY(tv_arrival_begin(arrival, driver->store, TV_DIGEST_SHA256_AND_MD5, err));
    TV_TRY(follow(driver, arrival, of_upload, err));
    for (uint64_t done = 0; done < len;) {
        uint8_t bytes[4096];
        size_t part = len - done < sizeof(bytes) ? (size_t)(len - done) : sizeof(bytes);
        for (size_t i = 0; i < part; i++)
            bytes[i] = (uint8_t)(next(&random) >> 24);
        TV_TRY(tv_arrival_write(arrival, bytes, part, err));
        done += part;
    }
    return TV_OK;
}

static bool upload(struct driver *driver, const struct tv_id *id, uint64_t len, uint64_t seed)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_arrival arrival;
    struct tv_label label = {TV_STR("app"), TV_STR("driver")};
    struct tv_trace_row row = {.id = *id,
                               .bytes = len,
                               .title = TV_STR("a trace"),
                               .labels = &label,
                               .label_count = 1,
                               .created = driver->now};
    enum tv_code code = arrive(driver, &arrival, NULL, len, seed, &err);
    tv_arrival_end(&arrival, &row.raw, row.md5);
    if (code == TV_OK)
        code = tv_store_keep_trace(driver->store, &arrival, &row, BUILD, NULL, driver->now, NULL,
                                   &err);
    tv_arrival_release(&arrival);
    if (is_done(code, &err))
        say("trace %s %s %llu\n", id->hex, row.raw.hex, (unsigned long long)len);
    return code == TV_OK;
}

static bool add_part(struct driver *driver, const struct tv_id *id, uint64_t offset, uint64_t len,
                     uint64_t seed)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_arrival arrival;
    struct tv_trace_row row = {.id = *id, .created = driver->now};
    struct tv_part part = {.offset = offset, .len = len};
    const struct tv_store_db *db = &driver->store->db;
    char md5[33];
    enum tv_code code = TV_OK;
    if (offset == 0)
        code = db->add_trace(db->ctx, &row, driver->now + 1000, NULL, NULL, &err);
    if (!is_done(code, &err))
        return false;
    code = arrive(driver, &arrival, id, len, seed, &err);
    tv_arrival_end(&arrival, &part.file, md5);
    part.so_far = arrival.so_far;
    if (code == TV_OK)
        code = tv_store_keep_part(driver->store, &arrival, id, &part, NULL, driver->now,
                                  driver->now + 1000, NULL, &err);
    tv_arrival_release(&arrival);
    if (is_done(code, &err))
        say("part %s %llu\n", id->hex, (unsigned long long)(offset + len));
    return code == TV_OK;
}

static bool finish(struct driver *driver, const struct tv_id *id)
{
    struct tv_error err = {.code = TV_OK};
    enum tv_code code = tv_store_finish_upload(driver->store, id, NULL, BUILD, driver->now, &err);
    if (is_done(code, &err))
        say("finished %s\n", id->hex);
    return code == TV_OK;
}

/* What a worker does: the bytes of the "index" follow from the name of the raw file. */
static bool make_index(struct driver *driver)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_store *store = driver->store;
    struct tv_job job;
    int draft = -1;
    enum tv_code code =
        store->db.take_job(store->db.ctx, BUILD, driver->worker, driver->now, 60, 100, &job, &err);
    if (code == TV_ERR_NOT_FOUND)
        return false;
    if (code == TV_OK)
        code = store->files.draft(store->files.ctx, &draft, &err);
    if (code == TV_OK && dprintf(draft, "index of %s", job.raw.hex) < 0)
        code = tv_fail(&err, TV_ERR_SYSTEM, TV_NO_OFFSET, "dprintf");
    if (code == TV_OK)
        code = tv_store_keep_index(store, draft, &job, driver->worker, "", driver->now, &err);
    if (draft >= 0)
        (void)close(draft);
    if (is_done(code, &err))
        say("index %s\n", job.raw.hex);
    return code == TV_OK;
}

static void drop(struct driver *driver, const struct tv_id *id)
{
    struct tv_error err = {.code = TV_OK};
    say("dropping %s\n", id->hex);
    if (is_done(driver->store->db.drop_trace(driver->store->db.ctx, id, &err), &err))
        say("dropped %s\n", id->hex);
}

static void gc(struct driver *driver, int64_t grace)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_store_gc done;
    if (is_done(tv_store_gc(driver->store, driver->now, grace, &done, &err), &err))
        say("gc %llu\n", (unsigned long long)done.files);
}

static void backup(struct driver *driver, const char *to)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_store_backup done;
    if (is_done(tv_store_backup(driver->store, to, driver->now, &done, &err), &err))
        say("backup %llu\n", (unsigned long long)done.files);
}

static struct tv_id random_id(uint64_t *random)
{
    struct tv_id id;
    uint64_t first = next(random);
    (void)snprintf(id.hex, sizeof(id.hex), "%016llx%016llx", (unsigned long long)first,
                   (unsigned long long)next(random));
    return id;
}

/* Few contents, so that the same bytes come and go in several processes at once. */
static void upload_in_parts(struct driver *driver, uint64_t *random)
{
    struct tv_id id = random_id(random);
    uint64_t offset = 0;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t len = 1000 + next(random) % 2 * 6000;
        bool is_there = false;
        for (unsigned t = 0; t < TRIES && !is_there; t++)
            is_there = add_part(driver, &id, offset, len, next(random) % 2);
        if (!is_there || next(random) % 8 == 0)
            return; /* given up */
        offset += len;
    }
    (void)finish(driver, &id);
}

static void *work(void *ctx)
{
    struct driver *driver = ctx;
    struct tv_id own[OWN_MOST];
    size_t count = 0;
    for (;;) {
        uint64_t choice = next(&driver->random) % 16;
        if (choice < 5 && count < OWN_MOST) {
            struct tv_id id = random_id(&driver->random);
            uint64_t len = next(&driver->random) % 2 * 7000;
            if (upload(driver, &id, len, next(&driver->random) % 2))
                own[count++] = id;
        } else if (choice < 8 && count) {
            drop(driver, &own[--count]);
        } else if (choice < 10) {
            upload_in_parts(driver, &driver->random);
        } else if (choice < 13) {
            (void)make_index(driver);
        } else {
            gc(driver, 0);
        }
    }
    return NULL;
}

static void loop(struct driver *driver, uint64_t seed)
{
    pthread_t thread;
    struct driver second = *driver;
    driver->random = seed * 2 + 1;
    second.random = seed * 2 + 1000003;
    (void)snprintf(second.worker, sizeof(second.worker), "%.16s-2", driver->worker);
    if (pthread_create(&thread, NULL, work, &second) != 0)
        _exit(3);
    (void)work(driver);
}

static uint64_t number(char *const *words, int i)
{
    return strtoull(words[i], NULL, 10);
}

static struct tv_id id_of(const char *word)
{
    struct tv_id id;
    (void)snprintf(id.hex, sizeof(id.hex), "%s", word);
    return id;
}

static int act(struct driver *driver, int count, char **words)
{
    struct tv_id id = id_of(count > 1 ? words[1] : "");
    if (strcmp(words[0], "upload") == 0 && count == 4)
        (void)upload(driver, &id, number(words, 2), number(words, 3));
    else if (strcmp(words[0], "part") == 0 && count == 5)
        (void)add_part(driver, &id, number(words, 2), number(words, 3), number(words, 4));
    else if (strcmp(words[0], "finish") == 0 && count == 2)
        (void)finish(driver, &id);
    else if (strcmp(words[0], "index") == 0)
        (void)make_index(driver);
    else if (strcmp(words[0], "drop") == 0 && count == 2)
        drop(driver, &id);
    else if (strcmp(words[0], "gc") == 0 && count == 2)
        gc(driver, (int64_t)number(words, 1));
    else if (strcmp(words[0], "backup") == 0 && count == 2)
        backup(driver, words[1]);
    else if (strcmp(words[0], "loop") == 0 && count == 2)
        loop(driver, number(words, 1));
    else
        return 2;
    return 0;
}

int main(int count, char **words)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_store store;
    struct driver driver = {.store = &store};
    const char *rows = getenv("STORE_ROWS");
    if (count < 4)
        return 2;
    driver.now = (int64_t)number(words, 2);
    (void)snprintf(driver.worker, sizeof(driver.worker), "%ld", (long)getpid());
    const struct tv_store_place place = {.rows = rows ? rows : words[1],
                                         .files = rows ? words[1] : NULL};
    if (!is_done(tv_store_open_place(&store, &place, TV_STORE_MAKE, tv_alloc_libc(), &err), &err))
        return 1;
    int status = act(&driver, count - 3, words + 3);
    tv_store_close(&store);
    return status;
}
