/* A store as a whole: rows and files in step, from the first byte of an upload to gc. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/units.h"
#include "os/clock.h"
#include "store/sqlite/schema.h"
#include "store/store.h"

#define T0 ((int64_t)1700000000)
#define DAY ((int64_t)86400)
#define BUILD "build-1"

struct fixture {
    char dir[64];
    struct tv_store store;
    struct tv_arena arena;
    struct tv_error err;
};

static int begin(void **state)
{
    struct fixture *fix = calloc(1, sizeof(*fix));
    assert_non_null(fix);
    (void)snprintf(fix->dir, sizeof(fix->dir), "/tmp/traceview-test-XXXXXX");
    assert_non_null(mkdtemp(fix->dir));
    tv_arena_init(&fix->arena, tv_alloc_libc());
    assert_int_equal(tv_store_open_place(&fix->store, &(struct tv_store_place){.rows = fix->dir},
                                         TV_STORE_MAKE, tv_alloc_libc(), NULL),
                     TV_OK);
    *state = fix;
    return 0;
}

static int end(void **state)
{
    struct fixture *fix = *state;
    char command[256];
    (void)snprintf(command, sizeof(command), "rm -rf '%s' '%s.copy' '%s.second'", fix->dir,
                   fix->dir, fix->dir);
    tv_store_close(&fix->store);
    tv_arena_release(&fix->arena);
    free(fix);
    return system(command);
}

static struct tv_id id(unsigned number)
{
    struct tv_id id;
    (void)snprintf(id.hex, sizeof(id.hex), "%08x%024x", number, 0xau);
    return id;
}

static void arrive(struct fixture *fix, struct tv_arrival *arrival, const char *bytes)
{
    assert_int_equal(tv_arrival_begin(arrival, &fix->store, TV_DIGEST_SHA256_AND_MD5, NULL), TV_OK);
    assert_int_equal(tv_arrival_write(arrival, bytes, strlen(bytes), NULL), TV_OK);
}

static enum tv_code keep(struct fixture *fix, unsigned number, const char *bytes, int64_t now)
{
    struct tv_arrival arrival;
    struct tv_trace_row row = {.id = id(number), .file_name = TV_STR("a.trace"), .created = now};
    arrive(fix, &arrival, bytes);
    tv_arrival_end(&arrival, &row.raw, row.md5);
    row.bytes = arrival.bytes;
    enum tv_code code =
        tv_store_keep_trace(&fix->store, &arrival, &row, BUILD, NULL, now, NULL, &fix->err);
    tv_arrival_release(&arrival);
    return code;
}

static enum tv_code keep_part(struct fixture *fix, unsigned number, uint64_t offset,
                              const char *bytes)
{
    struct tv_arrival arrival;
    struct tv_id upload = id(number);
    struct tv_part part = {.offset = offset};
    char md5[33];
    arrive(fix, &arrival, bytes);
    tv_arrival_end(&arrival, &part.file, md5);
    part.len = arrival.bytes;
    enum tv_code code = tv_store_keep_part(&fix->store, &arrival, &upload, &part, NULL, T0,
                                           T0 + DAY, NULL, &fix->err);
    tv_arrival_release(&arrival);
    return code;
}

static enum tv_code get(struct fixture *fix, unsigned number, struct tv_trace_row *row)
{
    struct tv_id wanted = id(number);
    return fix->store.db.get_trace(fix->store.db.ctx, &wanted, T0, &fix->arena, row, &fix->err);
}

static void assert_raw(struct fixture *fix, unsigned number, const char *bytes)
{
    struct tv_trace_row row;
    char back[256];
    size_t len;
    assert_int_equal(get(fix, number, &row), TV_OK);
    assert_int_equal(row.bytes, strlen(bytes));
    assert_int_equal(
        fix->store.files.read(fix->store.files.ctx, &row.raw, 0, back, sizeof(back), &len, NULL),
        TV_OK);
    assert_int_equal(len, strlen(bytes));
    assert_memory_equal(back, bytes, len);
}

static struct tv_store_check check(struct fixture *fix, struct tv_store *store, char *line,
                                   size_t cap)
{
    struct tv_store_check found;
    struct tv_buffer faults;
    tv_buffer_init(&faults, tv_alloc_libc());
    assert_int_equal(tv_store_check(store, &found, &faults, &fix->err), TV_OK);
    if (line)
        (void)snprintf(line, cap, "%.*s", (int)faults.len,
                       faults.bytes ? (const char *)faults.bytes : "");
    tv_buffer_release(&faults);
    return found;
}

static void assert_whole(struct fixture *fix, uint64_t files)
{
    struct tv_store_check found = check(fix, &fix->store, NULL, 0);
    assert_int_equal(found.faults, 0);
    assert_int_equal(found.strays, 0);
    assert_int_equal(found.files, files);
}

static struct tv_store_gc gc(struct fixture *fix, int64_t now)
{
    struct tv_store_gc done;
    assert_int_equal(tv_store_gc(&fix->store, now, DAY, &done, &fix->err), TV_OK);
    return done;
}

static void trace_is_kept_with_its_sums_and_job(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row row;
    struct tv_job job;
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    assert_raw(fix, 1, "abc");
    assert_int_equal(get(fix, 1, &row), TV_OK);
    assert_string_equal(row.raw.hex, /* FIPS 180-2, B.1 */
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(row.md5, "900150983CD24FB0D6963F7D28E17F72"); /* RFC 1321, A.5 */
    assert_int_equal(fix->store.db.take_job(fix->store.db.ctx, BUILD, "w", T0, 60, 2, &job, NULL),
                     TV_OK);
    assert_string_equal(job.raw.hex, row.raw.hex);
    assert_whole(fix, 1);
}

static void same_bytes_are_two_traces_and_one_file(void **state)
{
    struct fixture *fix = *state;
    struct tv_store_sums sums;
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    assert_int_equal(keep(fix, 2, "abc", T0), TV_OK);
    assert_int_equal(fix->store.db.sums(fix->store.db.ctx, TV_QUOTA_STORE, NULL, &sums, NULL),
                     TV_OK);
    assert_int_equal(sums.traces, 2);
    assert_int_equal(sums.files, 1);
    assert_int_equal(sums.jobs[TV_JOB_QUEUED], 1);
}

static void begin_upload(struct fixture *fix, unsigned number, uint64_t told)
{
    struct tv_trace_row row = {.id = id(number), .bytes = told, .created = T0};
    assert_int_equal(fix->store.db.add_trace(fix->store.db.ctx, &row, T0 + DAY, NULL, NULL, NULL),
                     TV_OK);
}

static enum tv_code finish(struct fixture *fix, unsigned number, const struct tv_hash *expected)
{
    struct tv_id upload = id(number);
    return tv_store_finish_upload(&fix->store, &upload, expected, BUILD, T0, &fix->err);
}

static void parts_become_one_file(void **state)
{
    struct fixture *fix = *state;
    struct tv_store_gc done;
    begin_upload(fix, 1, 9);
    assert_int_equal(keep_part(fix, 1, 0, "one"), TV_OK);
    assert_int_equal(finish(fix, 1, NULL), TV_ERR_CONFLICT);
    assert_int_equal(keep_part(fix, 1, 3, "two"), TV_OK);
    assert_int_equal(keep_part(fix, 1, 3, "two"), TV_OK);
    assert_int_equal(keep_part(fix, 1, 3, "six"), TV_ERR_CONFLICT);
    assert_int_equal(keep_part(fix, 1, 6, "one"), TV_OK);
    assert_int_equal(finish(fix, 1, NULL), TV_OK);
    assert_int_equal(finish(fix, 1, NULL), TV_OK);
    assert_raw(fix, 1, "onetwoone");
    done = gc(fix, T0 + DAY);
    assert_int_equal(done.files, 3); /* "one", "two" and "six" */
    assert_raw(fix, 1, "onetwoone");
    assert_whole(fix, 1);
}

/* As a server takes parts: each goes on with the hash of those before. */
static void keep_part_behind(struct fixture *fix, unsigned number, const char *bytes)
{
    const struct tv_store_db *db = &fix->store.db;
    struct tv_arrival arrival;
    struct tv_id id_of = id(number);
    struct tv_upload upload;
    assert_int_equal(db->get_upload(db->ctx, &id_of, T0, &fix->arena, &upload, NULL), TV_OK);
    struct tv_part part = {.offset = upload.arrived, .len = strlen(bytes)};
    assert_int_equal(tv_arrival_begin(&arrival, &fix->store, TV_DIGEST_SHA256, NULL), TV_OK);
    tv_arrival_follow(&arrival, upload.arrived, &upload.so_far);
    assert_int_equal(tv_arrival_write(&arrival, bytes, part.len, NULL), TV_OK);
    tv_arrival_end(&arrival, &part.file, NULL);
    part.so_far = arrival.so_far;
    assert_int_equal(tv_store_keep_part(&fix->store, &arrival, &id_of, &part, NULL, T0, T0 + DAY,
                                        NULL, &fix->err),
                     TV_OK);
    tv_arrival_release(&arrival);
}

static enum tv_code draft_never(void *ctx, int *fd, struct tv_error *err)
{
    (void)ctx;
    (void)fd;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "a draft was asked for");
}

/* Nothing is read to name the whole: that is known when the last part is there. */
static void parts_that_were_hashed_as_they_came_are_not_read_for_their_name(void **state)
{
    struct fixture *fix = *state;
    struct tv_hash other = {"00"};
    begin_upload(fix, 1, 0);
    keep_part_behind(fix, 1, "one");
    keep_part_behind(fix, 1, "a part that is longer than a block of the hash, which has 64 bytes");
    keep_part_behind(fix, 1, "three");
    enum tv_code (*draft)(void *, int *, struct tv_error *) = fix->store.files.draft;
    fix->store.files.draft = draft_never;
    assert_int_equal(finish(fix, 1, &other), TV_ERR_ARGUMENT);
    assert_int_equal(finish(fix, 1, NULL), TV_OK);
    fix->store.files.draft = draft;
    assert_raw(fix, 1,
               "onea part that is longer than a block of the hash, which has 64 bytesthree");
    assert_whole(fix, 4); /* the parts go by gc */
}

/* As a part that a server of an earlier version took in between. */
static void a_part_that_nobody_hashed_is_read_at_the_end(void **state)
{
    struct fixture *fix = *state;
    begin_upload(fix, 1, 0);
    keep_part_behind(fix, 1, "one");
    assert_int_equal(keep_part(fix, 1, 3, "two"), TV_OK);
    keep_part_behind(fix, 1, "three");
    assert_int_equal(finish(fix, 1, NULL), TV_OK);
    assert_raw(fix, 1, "onetwothree");
    assert_whole(fix, 4); /* the parts go by gc */
}

static void upload_of_other_bytes_than_told_is_refused(void **state)
{
    struct fixture *fix = *state;
    struct tv_hash wrong = {"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ae"};
    struct tv_hash right = {"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"};
    struct tv_trace_row row;
    begin_upload(fix, 1, 0);
    assert_int_equal(keep_part(fix, 1, 0, "abc"), TV_OK);
    assert_int_equal(finish(fix, 1, &wrong), TV_ERR_ARGUMENT);
    assert_int_equal(get(fix, 1, &row), TV_ERR_NOT_FOUND);
    assert_int_equal(finish(fix, 1, &right), TV_OK);
    assert_raw(fix, 1, "abc");
}

static void upload_of_many_parts_is_joined_in_order(void **state)
{
    struct fixture *fix = *state;
    char all[256] = "";
    begin_upload(fix, 1, 0);
    for (unsigned i = 0; i < 80; i++) { /* more than are asked for at once */
        char part[8];
        (void)snprintf(part, sizeof(part), "%02u;", i);
        assert_int_equal(keep_part(fix, 1, strlen(all), part), TV_OK);
        (void)snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s", part);
    }
    assert_int_equal(finish(fix, 1, NULL), TV_OK);
    assert_raw(fix, 1, all);
}

static void index_is_kept_by_who_has_the_job(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    int draft;
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    assert_int_equal(fix->store.db.take_job(fix->store.db.ctx, BUILD, "w", T0, 60, 2, &job, NULL),
                     TV_OK);
    assert_int_equal(fix->store.files.draft(fix->store.files.ctx, &draft, NULL), TV_OK);
    assert_int_equal(write(draft, "index", 5), 5);
    assert_int_equal(tv_store_keep_index(&fix->store, draft, &job, "other", "", T0, NULL),
                     TV_ERR_CONFLICT);
    assert_int_equal(tv_store_keep_index(&fix->store, draft, &job, "w", "", T0, NULL), TV_OK);
    assert_int_equal(tv_store_keep_index(&fix->store, draft, &job, "w", "", T0, NULL), TV_OK);
    (void)close(draft);
    assert_int_equal(
        fix->store.db.want_job(fix->store.db.ctx, &job.raw, BUILD, "", true, T0, &job, NULL),
        TV_OK);
    assert_int_equal(job.state, TV_JOB_DONE);
    assert_whole(fix, 2);
    assert_int_equal(gc(fix, T0 + 2 * DAY).files, 0);
}

static void gc_removes_what_nobody_needs(void **state)
{
    struct fixture *fix = *state;
    struct tv_id dropped = id(1);
    struct tv_arrival arrival;
    struct tv_hash name;
    char md5[33];
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    assert_int_equal(keep(fix, 2, "def", T0), TV_OK);
    arrive(fix, &arrival, "never named"); /* its process ended between file and row */
    tv_arrival_end(&arrival, &name, md5);
    assert_int_equal(fix->store.db.claim_file(fix->store.db.ctx, &name, 11, T0, NULL), TV_OK);
    assert_int_equal(fix->store.files.keep(fix->store.files.ctx, arrival.fd, &name, NULL), TV_OK);
    tv_arrival_release(&arrival);
    assert_int_equal(fix->store.db.drop_trace(fix->store.db.ctx, &dropped, NULL), TV_OK);
    assert_int_equal(gc(fix, T0 + TV_STORE_DROPPED_S - 1).files, 0);
    assert_whole(fix, 3);
    struct tv_store_gc done = gc(fix, T0 + DAY - 1); /* what has had a row does not wait for one */
    assert_int_equal(done.files, 1);
    assert_int_equal(done.file_bytes, 3);
    done = gc(fix, T0 + DAY);
    assert_int_equal(done.files, 1);
    assert_int_equal(done.file_bytes, 11);
    assert_raw(fix, 2, "def");
    assert_whole(fix, 1);
    assert_int_equal(keep(fix, 1, "abc", T0 + DAY), TV_OK); /* and may come again */
    assert_raw(fix, 1, "abc");
}

/* Somebody else who uses the same store, and acts in the middle of a call. */
struct other {
    struct fixture *fix;
    struct tv_store_files files; /* as they are */
    unsigned claims_refused, claims;
    unsigned gcs;
};

static void try_claim(struct other *other, const struct tv_hash *name)
{
    const struct tv_store_db *db = &other->fix->store.db;
    other->claims++;
    other->claims_refused += db->claim_file(db->ctx, name, 3, T0 + DAY, NULL) == TV_ERR_CONFLICT;
}

static enum tv_code remove_beside_claims(void *ctx, const struct tv_hash *name,
                                         struct tv_error *err)
{
    struct other *other = ctx;
    try_claim(other, name);
    enum tv_code code = other->files.remove(other->files.ctx, name, err);
    try_claim(other, name);
    return code;
}

static enum tv_code list_as_it_is(void *ctx, const struct tv_hash *after, struct tv_hash *names,
                                  size_t cap, size_t *count, struct tv_error *err)
{
    struct other *other = ctx;
    return other->files.list(other->files.ctx, after, names, cap, count, err);
}

/* It was ended between taking and forgetting: the next one forgets the file five minutes later.
 * Until then whoever brings its bytes is told soon to come again. */
static void bytes_that_a_dead_gc_has_taken_are_refused_soon(void **state)
{
    struct fixture *fix = *state;
    const struct tv_store_db *db = &fix->store.db;
    struct tv_file_row taken[4];
    struct tv_id dropped = id(1);
    size_t count;
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    assert_int_equal(db->drop_trace(db->ctx, &dropped, NULL), TV_OK);
    assert_int_equal(db->take_dropped(db->ctx, T0 + 60, taken, 4, &count, NULL), TV_OK);
    assert_int_equal(count, 1);
    const uint64_t begun_ns = tv_now_ns();
    assert_int_equal(keep(fix, 2, "abc", T0 + 60), TV_ERR_CANCELLED);
    assert_in_range(tv_now_ns() - begun_ns, TV_NS_PER_S, 4 * TV_NS_PER_S);
    assert_string_equal(fix->err.text, "the same bytes are being removed from the store: try again "
                                       "in a moment");
    begin_upload(fix, 3, 0);
    assert_int_equal(keep_part(fix, 3, 0, "abc"), TV_ERR_CANCELLED);
    assert_int_equal(gc(fix, T0 + 60 + TV_STORE_GOING_S - 1).files, 0);
    assert_int_equal(gc(fix, T0 + 60 + TV_STORE_GOING_S).files, 1);
    assert_int_equal(keep(fix, 2, "abc", T0 + 61 + TV_STORE_GOING_S), TV_OK);
    assert_raw(fix, 2, "abc");
}

/* Whoever brings the bytes again just then has to wait: else gc would remove what was brought. */
static void nobody_claims_what_gc_is_removing(void **state)
{
    struct fixture *fix = *state;
    struct other other = {.fix = fix, .files = fix->store.files};
    struct tv_id dropped = id(1);
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    assert_int_equal(fix->store.db.drop_trace(fix->store.db.ctx, &dropped, NULL), TV_OK);
    fix->store.files.ctx = &other;
    fix->store.files.remove = remove_beside_claims;
    fix->store.files.list = list_as_it_is;
    assert_int_equal(gc(fix, T0 + DAY).files, 1);
    fix->store.files = other.files;
    assert_int_equal(other.claims, 2);
    assert_int_equal(other.claims_refused, 2);
    assert_int_equal(keep(fix, 1, "abc", T0 + DAY), TV_OK);
    assert_raw(fix, 1, "abc");
}

static void run_gc(struct other *other)
{
    struct tv_store_gc done;
    struct tv_store store = other->fix->store;
    store.files = other->files;
    other->gcs++;
    assert_int_equal(tv_store_gc(&store, T0, 0, &done, NULL), TV_OK);
}

/* A gc that waits for nothing, where the clock jumped by more than the grace period: once after the
 * file is kept, and before its row is there. */
static enum tv_code keep_beside_gc(void *ctx, int draft, const struct tv_hash *name,
                                   struct tv_error *err)
{
    struct other *other = ctx;
    enum tv_code code = other->files.keep(other->files.ctx, draft, name, err);
    if (other->gcs == 0)
        run_gc(other);
    return code;
}

static enum tv_code draft_as_it_is(void *ctx, int *fd, struct tv_error *err)
{
    struct other *other = ctx;
    return other->files.draft(other->files.ctx, fd, err);
}

static void gc_between_file_and_row_loses_nothing(void **state)
{
    struct fixture *fix = *state;
    struct other other = {.fix = fix, .files = fix->store.files};
    fix->store.files.ctx = &other;
    fix->store.files.keep = keep_beside_gc;
    fix->store.files.draft = draft_as_it_is;
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    fix->store.files = other.files;
    assert_int_equal(other.gcs, 1);
    assert_raw(fix, 1, "abc");
    assert_whole(fix, 1);
}

/* Bytes that a quota refused take no room for a day. */
static void bytes_that_are_refused_go_within_seconds(void **state)
{
    struct fixture *fix = *state;
    struct tv_arrival arrival;
    const struct tv_quota quota = {.bytes = {[TV_QUOTA_STORE] = 5}};
    struct tv_trace_row row = {.id = id(2), .file_name = TV_STR("a.trace"), .created = T0};
    struct tv_store_gc done;
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    arrive(fix, &arrival, "other");
    tv_arrival_end(&arrival, &row.raw, row.md5);
    row.bytes = arrival.bytes;
    assert_int_equal(
        tv_store_keep_trace(&fix->store, &arrival, &row, BUILD, &quota, T0, NULL, &fix->err),
        TV_ERR_LIMIT);
    tv_arrival_release(&arrival);
    assert_int_equal(
        tv_store_gc_dropped(&fix->store, T0 + TV_STORE_DROPPED_S - 1, &done, &fix->err), TV_OK);
    assert_int_equal(done.files, 0);
    assert_int_equal(tv_store_gc_dropped(&fix->store, T0 + TV_STORE_DROPPED_S, &done, &fix->err),
                     TV_OK);
    assert_int_equal(done.files, 1);
    assert_whole(fix, 1);
}

static void keep_stray(struct fixture *fix)
{
    struct tv_arrival arrival;
    struct tv_hash name;
    char md5[33];
    arrive(fix, &arrival, "stray");
    tv_arrival_end(&arrival, &name, md5);
    assert_int_equal(fix->store.files.keep(fix->store.files.ctx, arrival.fd, &name, NULL), TV_OK);
    tv_arrival_release(&arrival);
}

static void gc_adopts_files_without_a_row(void **state)
{
    struct fixture *fix = *state;
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    keep_stray(fix);
    assert_int_equal(check(fix, &fix->store, NULL, 0).strays, 1);
    assert_int_equal(gc(fix, T0).strays, 1);
    assert_int_equal(gc(fix, T0 + DAY - 1).files, 0);
    assert_int_equal(gc(fix, T0 + DAY).files, 1);
    assert_whole(fix, 1);
}

/* A database whose rows are gone looks as if nothing was ever kept. */
static void lost_rows_are_told_and_their_files_stay(void **state)
{
    struct fixture *fix = *state;
    char line[256];
    keep_stray(fix);
    assert_int_equal(check(fix, &fix->store, line, sizeof(line)).faults, 1);
    assert_string_equal(line, "database: it has no rows, but 1 file is there: bring back a copy of "
                              "the database before new traces let gc remove what has no row\n");
    assert_int_equal(gc(fix, T0).strays, 0);
    assert_int_equal(gc(fix, T0 + 2 * DAY).files, 0);
    assert_int_equal(check(fix, &fix->store, NULL, 0).strays, 1);
}

static void empty_database_beside_files_is_refused(void **state)
{
    struct fixture *fix = *state;
    static const char *const names[] = {"store.sqlite", "store.sqlite-wal", "store.sqlite-shm"};
    char path[128];
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    tv_store_close(&fix->store);
    for (unsigned how = TV_STORE_OPEN; how <= TV_STORE_MAKE; how++) {
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            (void)snprintf(path, sizeof(path), "%s/%s", fix->dir, names[i]);
            assert_true(truncate(path, 0) == 0 || i);
        }
        assert_int_equal(
            tv_store_open_place(&fix->store, &(struct tv_store_place){.rows = fix->dir},
                                (enum tv_store_opening)how, tv_alloc_libc(), &fix->err),
            TV_ERR_CONFLICT);
        assert_string_equal(fix->err.text,
                            "the database of the store is empty or new, but there are files: bring "
                            "back a copy of the database, or remove the files");
    }
}

/* The path of the file that one trace has. */
static void path_of(const struct fixture *fix, const struct tv_hash *name, char path[256])
{
    (void)snprintf(path, 256, "%s/files/%.2s/%s", fix->dir, name->hex, name->hex + 2);
}

static void check_says_what_is_damaged_or_lost(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row row;
    char path[256];
    char line[256];
    char expected[256];
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    assert_int_equal(get(fix, 1, &row), TV_OK);
    path_of(fix, &row.raw, path);
    assert_int_equal(chmod(path, 0600), 0);
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "B", 1, 1), 1);
    assert_int_equal(check(fix, &fix->store, line, sizeof(line)).faults, 1);
    (void)snprintf(expected, sizeof(expected),
                   "file %s: its bytes are not those that it was kept with\n", row.raw.hex);
    assert_string_equal(line, expected);
    assert_int_equal(ftruncate(fd, 2), 0);
    (void)close(fd);
    assert_int_equal(check(fix, &fix->store, line, sizeof(line)).faults, 1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(check(fix, &fix->store, line, sizeof(line)).faults, 1);
    (void)snprintf(expected, sizeof(expected), "file %s: it is missing\n", row.raw.hex);
    assert_string_equal(line, expected);
    assert_int_equal(keep(fix, 2, "abc", T0), TV_OK); /* who brings the bytes again mends it */
    assert_whole(fix, 1);
}

/* A file that became shorter is replaced by who brings the same bytes. */
static void shorter_file_is_mended(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row row;
    char path[256];
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    assert_int_equal(get(fix, 1, &row), TV_OK);
    path_of(fix, &row.raw, path);
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(truncate(path, 1), 0);
    assert_int_equal(keep(fix, 2, "abc", T0), TV_OK);
    assert_raw(fix, 1, "abc");
    assert_whole(fix, 1);
}

static void backup_is_a_store(void **state)
{
    struct fixture *fix = *state;
    struct tv_store copy;
    struct tv_store_backup done;
    struct tv_id dropped = id(1);
    char to[80];
    (void)snprintf(to, sizeof(to), "%s.copy", fix->dir);
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    assert_int_equal(keep(fix, 2, "def", T0), TV_OK);
    assert_int_equal(tv_store_backup(&fix->store, to, T0, &done, &fix->err), TV_OK);
    assert_int_equal(done.files, 2);
    assert_int_equal(done.file_bytes, 6);
    assert_int_equal(fix->store.db.drop_trace(fix->store.db.ctx, &dropped, NULL), TV_OK);
    assert_int_equal(gc(fix, T0 + DAY).files, 1);
    assert_int_equal(tv_store_open_place(&copy, &(struct tv_store_place){.rows = to}, TV_STORE_OPEN,
                                         tv_alloc_libc(), NULL),
                     TV_OK);
    assert_int_equal(check(fix, &copy, NULL, 0).files, 2);
    assert_int_equal(check(fix, &copy, NULL, 0).faults, 0);
    tv_store_close(&fix->store);
    fix->store = copy;
    assert_raw(fix, 1, "abc");
}

static enum tv_code open_copy(struct tv_store *copy, const char *to, enum tv_store_opening how)
{
    return tv_store_open_place(copy, &(struct tv_store_place){.rows = to}, how, tv_alloc_libc(),
                               NULL);
}

/* Each night: what came is brought, what went is removed, and the rest stays as it is. */
static void a_backup_is_renewed(void **state)
{
    struct fixture *fix = *state;
    const struct tv_id ids[] = {id(1), id(2), id(3)};
    const int64_t over = T0 + 5;
    struct tv_store copy;
    struct tv_store_backup done;
    struct tv_trace_row row;
    char to[80];
    char path[TV_PATH_CAP];
    struct stat before, after;
    (void)snprintf(to, sizeof(to), "%s.copy", fix->dir);
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    assert_int_equal(keep(fix, 2, "defg", T0), TV_OK);
    assert_int_equal(get(fix, 2, &row), TV_OK);
    (void)snprintf(path, sizeof(path), "%s/files/%.2s/%s", to, row.raw.hex, row.raw.hex + 2);
    assert_int_equal(tv_store_backup(&fix->store, to, T0, &done, &fix->err), TV_OK);
    assert_int_equal(done.removed, 0);
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(keep(fix, 3, "hi", T0), TV_OK);
    assert_int_equal(fix->store.db.drop_trace(fix->store.db.ctx, &ids[0], NULL), TV_OK);
    assert_int_equal(fix->store.db.change_trace(fix->store.db.ctx, &ids[1], T0,
                                                &(struct tv_trace_change){.expires = &over}, NULL),
                     TV_OK);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(tv_store_backup(&fix->store, to, T0 + 60, &done, &fix->err), TV_OK);
        assert_int_equal(done.files, 1); /* the new one; and the dropped one, which is there yet */
        assert_int_equal(done.removed, 1);
    }
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(open_copy(&copy, to, TV_STORE_OPEN), TV_OK);
    assert_int_equal(check(fix, &copy, NULL, 0).files, 2);
    assert_int_equal(check(fix, &copy, NULL, 0).faults, 0);
    assert_int_equal(copy.db.get_trace(copy.db.ctx, &ids[0], T0, &fix->arena, &row, NULL),
                     TV_ERR_NOT_FOUND);
    for (unsigned i = 1; i < 3; i++) /* the second has expired, and is dropped by no backup */
        assert_int_equal(copy.db.get_trace(copy.db.ctx, &ids[i], T0, &fix->arena, &row, NULL),
                         TV_OK);
    tv_store_close(&copy);
    for (unsigned i = 1; i < 3; i++)
        assert_int_equal(fix->store.db.drop_trace(fix->store.db.ctx, &ids[i], NULL), TV_OK);
    (void)gc(fix, T0 + DAY);
    assert_int_equal(keep(fix, 4, "jklmn", T0 + DAY), TV_OK);
    assert_int_equal(tv_store_backup(&fix->store, to, T0 + DAY, &done, &fix->err), TV_OK);
    assert_int_equal(done.removed, 2);
    assert_int_equal(open_copy(&copy, to, TV_STORE_OPEN), TV_OK);
    assert_int_equal(check(fix, &copy, NULL, 0).faults, 0);
    tv_store_close(&copy);
}

/* The rows of another store would be lost, and a copy that is in use would be damaged. */
static void no_other_store_is_taken_for_a_backup(void **state)
{
    struct fixture *fix = *state;
    struct tv_store copy;
    struct tv_store_backup done;
    char to[80];
    char second[80];
    (void)snprintf(to, sizeof(to), "%s.copy", fix->dir);
    (void)snprintf(second, sizeof(second), "%s.second", fix->dir);
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    assert_int_equal(tv_store_backup(&fix->store, fix->dir, T0, &done, &fix->err), TV_ERR_ARGUMENT);
    assert_non_null(strstr(fix->err.text, "is a store already, and no backup"));
    assert_int_equal(tv_store_backup(&fix->store, to, T0, &done, &fix->err), TV_OK);
    assert_int_equal(open_copy(&copy, to, TV_STORE_OPEN), TV_OK);
    assert_int_equal(tv_store_backup(&fix->store, to, T0, &done, &fix->err), TV_ERR_CONFLICT);
    assert_non_null(strstr(fix->err.text, "is in use"));
    assert_int_equal(tv_store_backup(&copy, second, T0, &done, &fix->err), TV_OK);
    assert_int_equal(tv_store_backup(&copy, to, T0, &done, &fix->err), TV_ERR_ARGUMENT);
    assert_non_null(strstr(fix->err.text, "is a backup of another store"));
    tv_store_close(&copy);
    assert_int_equal(tv_store_backup(&fix->store, second, T0, &done, &fix->err), TV_ERR_ARGUMENT);
    assert_int_equal(tv_store_backup(&fix->store, to, T0, &done, &fix->err), TV_OK);
    /* A site that is brought back from it is a store of its own. */
    assert_int_equal(open_copy(&copy, to, TV_STORE_MAKE), TV_OK);
    tv_store_close(&copy);
    assert_int_equal(tv_store_backup(&fix->store, to, T0, &done, &fix->err), TV_ERR_ARGUMENT);
    assert_non_null(strstr(fix->err.text, "no backup"));
}

/* The copy may be all that is left: where the disk is gone and a new store was begun, and where the
 * database lost its rows. */
static void a_backup_is_not_emptied(void **state)
{
    struct fixture *fix = *state;
    const struct tv_id only = id(1);
    struct tv_store copy;
    struct tv_store_backup done;
    struct tv_trace_row row;
    char to[80], second[80];
    (void)snprintf(to, sizeof(to), "%s.copy", fix->dir);
    (void)snprintf(second, sizeof(second), "%s.second", fix->dir);
    assert_int_equal(tv_store_backup(&fix->store, to, T0, &done, &fix->err), TV_OK);
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    assert_int_equal(tv_store_backup(&fix->store, to, T0, &done, &fix->err), TV_OK);
    assert_int_equal(fix->store.db.drop_trace(fix->store.db.ctx, &only, NULL), TV_OK);
    (void)gc(fix, T0 + DAY);
    assert_int_equal(tv_store_backup(&fix->store, to, T0 + DAY, &done, &fix->err), TV_ERR_CONFLICT);
    assert_non_null(strstr(fix->err.text, "the store has no traces, and its copy has some"));
    assert_int_equal(tv_store_backup(&fix->store, second, T0, &done, &fix->err), TV_OK);
    keep_stray(fix);
    assert_int_equal(tv_store_backup(&fix->store, second, T0, &done, &fix->err), TV_ERR_CONFLICT);
    assert_non_null(strstr(fix->err.text, "there are files and no rows"));
    assert_int_equal(open_copy(&copy, to, TV_STORE_OPEN), TV_OK);
    assert_int_equal(check(fix, &copy, NULL, 0).files, 1);
    assert_int_equal(copy.db.get_trace(copy.db.ctx, &only, T0, &fix->arena, &row, NULL), TV_OK);
    tv_store_close(&copy);
}

/* A store of one trace, "abc", as a program of before left it. */
#define EARLIER ((size_t)6)
#define EARLIER_RAW "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
static void make_earlier_store(struct fixture *fix, const char *dir)
{
    const struct tv_schema earlier = {tv_schema.steps, EARLIER};
    struct tv_sql sql = {.writes = true};
    char path[TV_PATH_CAP];
    char command[256];
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    (void)snprintf(command, sizeof(command), "mkdir '%s' && cp -r '%s/files' '%s'", dir, fix->dir,
                   dir);
    assert_int_equal(system(command), 0);
    (void)snprintf(path, sizeof(path), "%s/store.sqlite", dir);
    assert_int_equal(tv_sql_open(&sql, path, true, NULL), TV_OK);
    assert_int_equal(tv_sql_turn_wal_on(&sql, NULL), TV_OK);
    assert_int_equal(tv_schema_migrate(&sql, &earlier, NULL), TV_OK);
    assert_int_equal(
        tv_sql_execute(
            &sql,
            "INSERT INTO files(name, bytes, claimed) VALUES('" EARLIER_RAW "', 3, 1);"
            "INSERT INTO traces(id, raw, bytes, file_name, title, note, created,"
            " is_raw_shared, is_listed) VALUES('00000000000000000000000000000001', '" EARLIER_RAW
            "', 3, 'a.trace', '', '', 1, 0, 1)",
            NULL),
        TV_OK);
    tv_sql_close(&sql);
}

static int64_t version_of(const char *dir)
{
    struct tv_sql sql = {.writes = true};
    char path[TV_PATH_CAP];
    int64_t version;
    (void)snprintf(path, sizeof(path), "%s/store.sqlite", dir);
    assert_int_equal(tv_sql_open(&sql, path, false, NULL), TV_OK);
    assert_int_equal(tv_sql_ask(&sql, "PRAGMA user_version", &version, NULL), TV_OK);
    tv_sql_close(&sql);
    return version;
}

/* The program that uses the store must be able to go on with it, and with its copy. */
static void a_look_leaves_an_earlier_version_as_it_is(void **state)
{
    struct fixture *fix = *state;
    struct tv_store store;
    struct tv_store_backup done;
    struct tv_store_sums sums;
    char dir[80];
    char to[80];
    (void)snprintf(dir, sizeof(dir), "%s.second", fix->dir);
    (void)snprintf(to, sizeof(to), "%s.copy", fix->dir);
    make_earlier_store(fix, dir);
    assert_int_equal(open_copy(&store, dir, TV_STORE_LOOK), TV_OK);
    assert_int_equal(check(fix, &store, NULL, 0).files, 1);
    assert_int_equal(check(fix, &store, NULL, 0).faults, 0);
    assert_int_equal(store.db.sums(store.db.ctx, TV_QUOTA_STORE, NULL, &sums, NULL), TV_OK);
    assert_int_equal(sums.traces, 1);
    for (unsigned i = 0; i < 2; i++) /* the second one renews the first */
        assert_int_equal(tv_store_backup(&store, to, T0, &done, &fix->err), TV_OK);
    tv_store_close(&store);
    assert_int_equal(tv_store_open_place(&store, &(struct tv_store_place){.rows = dir},
                                         TV_STORE_OPEN, tv_alloc_libc(), &fix->err),
                     TV_ERR_UNSUPPORTED);
    assert_non_null(strstr(fix->err.text, "schema 6"));
    assert_non_null(strstr(fix->err.text, "'traceview store make' brings it to this one"));
    assert_int_equal(version_of(dir), EARLIER);
    assert_int_equal(version_of(to), EARLIER);
    assert_int_equal(open_copy(&store, dir, TV_STORE_MAKE), TV_OK);
    assert_int_equal(version_of(dir), tv_schema.count);
    assert_int_equal(tv_store_backup(&store, to, T0, &done, &fix->err), TV_OK);
    assert_int_equal(version_of(to), tv_schema.count);
    tv_store_close(&store);
}

/* Lists the files as they are, and then a trace comes. */
static enum tv_code list_before_a_trace_comes(void *ctx, const struct tv_hash *after,
                                              struct tv_hash *names, size_t cap, size_t *count,
                                              struct tv_error *err)
{
    struct other *other = ctx;
    enum tv_code code = other->files.list(other->files.ctx, after, names, cap, count, err);
    other->fix->store.files = other->files;
    assert_int_equal(keep(other->fix, 2, "def", T0), TV_OK);
    return code;
}

static enum tv_code open_as_it_is(void *ctx, const struct tv_hash *name, int *fd, uint64_t *bytes,
                                  struct tv_error *err)
{
    struct other *other = ctx;
    return other->files.open(other->files.ctx, name, fd, bytes, err);
}

/* The copy has the rows as they are once all files were brought: what came in between is brought
 * then. */
static void backup_has_what_came_while_it_was_made(void **state)
{
    struct fixture *fix = *state;
    struct other other = {.fix = fix, .files = fix->store.files};
    struct tv_store copy;
    struct tv_store_backup done;
    char to[80];
    (void)snprintf(to, sizeof(to), "%s.copy", fix->dir);
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    fix->store.files.ctx = &other;
    fix->store.files.list = list_before_a_trace_comes;
    fix->store.files.open = open_as_it_is;
    assert_int_equal(tv_store_backup(&fix->store, to, T0, &done, &fix->err), TV_OK);
    assert_int_equal(done.files, 2);
    assert_int_equal(tv_store_open_place(&copy, &(struct tv_store_place){.rows = to}, TV_STORE_OPEN,
                                         tv_alloc_libc(), NULL),
                     TV_OK);
    assert_int_equal(check(fix, &copy, NULL, 0).faults, 0);
    tv_store_close(&fix->store);
    fix->store = copy;
    assert_raw(fix, 1, "abc");
    assert_raw(fix, 2, "def");
}

/* What a check finds missing is looked for once more, since others use the store. */
static enum tv_code read_after_its_row_went(void *ctx, const struct tv_hash *name, uint64_t offset,
                                            void *out, size_t cap, size_t *len,
                                            struct tv_error *err)
{
    struct other *other = ctx;
    struct tv_id dropped = id(1);
    if (!other->gcs) {
        assert_int_equal(other->fix->store.db.drop_trace(other->fix->store.db.ctx, &dropped, NULL),
                         TV_OK);
        run_gc(other);
    }
    return other->files.read(other->files.ctx, name, offset, out, cap, len, err);
}

static void a_row_that_went_is_no_missing_file(void **state)
{
    struct fixture *fix = *state;
    struct other other = {.fix = fix, .files = fix->store.files};
    struct tv_trace_row row;
    char path[256];
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    assert_int_equal(keep(fix, 2, "def", T0), TV_OK); /* its name follows that of "abc" */
    assert_int_equal(get(fix, 1, &row), TV_OK);
    path_of(fix, &row.raw, path);
    assert_int_equal(unlink(path), 0);
    fix->store.files.ctx = &other;
    fix->store.files.list = list_as_it_is;
    fix->store.files.read = read_after_its_row_went;
    struct tv_store_check found = check(fix, &fix->store, NULL, 0);
    fix->store.files = other.files;
    assert_int_equal(other.gcs, 1);
    assert_int_equal(found.faults, 0);
    assert_int_equal(found.files, 1);
}

static enum tv_code list_before_files_came(void *ctx, const struct tv_hash *after,
                                           struct tv_hash *names, size_t cap, size_t *count,
                                           struct tv_error *err)
{
    (void)ctx;
    (void)after;
    (void)names;
    (void)cap;
    (void)err;
    *count = 0;
    return TV_OK;
}

static enum tv_code read_as_it_is(void *ctx, const struct tv_hash *name, uint64_t offset, void *out,
                                  size_t cap, size_t *len, struct tv_error *err)
{
    struct other *other = ctx;
    return other->files.read(other->files.ctx, name, offset, out, cap, len, err);
}

static void a_file_that_came_is_not_missing(void **state)
{
    struct fixture *fix = *state;
    struct other other = {.fix = fix, .files = fix->store.files};
    assert_int_equal(keep(fix, 1, "abc", T0), TV_OK);
    fix->store.files.ctx = &other;
    fix->store.files.list = list_before_files_came;
    fix->store.files.read = read_as_it_is;
    struct tv_store_check found = check(fix, &fix->store, NULL, 0);
    fix->store.files = other.files;
    assert_int_equal(found.faults, 0);
    assert_int_equal(found.files, 1);
}

static void only_a_store_is_opened(void **state)
{
    struct fixture *fix = *state;
    struct tv_store other;
    char dir[96];
    char path[128];
    (void)snprintf(dir, sizeof(dir), "%s/none", fix->dir);
    assert_int_equal(tv_store_open_place(&other, &(struct tv_store_place){.rows = dir},
                                         TV_STORE_OPEN, tv_alloc_libc(), NULL),
                     TV_ERR_NOT_FOUND);
    assert_int_equal(access(dir, F_OK), -1);
    (void)snprintf(path, sizeof(path), "%s/letters.txt", fix->dir);
    (void)close(open(path, O_CREAT | O_WRONLY, 0600));
    assert_int_equal(tv_store_open_place(&other, &(struct tv_store_place){.rows = fix->dir},
                                         TV_STORE_MAKE, tv_alloc_libc(), NULL),
                     TV_OK);
    tv_store_close(&other);
    assert_int_equal(mkdir(dir, 0700), 0);
    (void)snprintf(path, sizeof(path), "%s/letters.txt", dir);
    (void)close(open(path, O_CREAT | O_WRONLY, 0600));
    assert_int_equal(tv_store_open_place(&other, &(struct tv_store_place){.rows = dir},
                                         TV_STORE_MAKE, tv_alloc_libc(), &fix->err),
                     TV_ERR_ARGUMENT);
    assert_non_null(strstr(fix->err.text, "letters.txt lies in it"));
    (void)snprintf(path, sizeof(path), "%s/files", dir);
    assert_int_equal(access(path, F_OK), -1);
}

/* More than an upload writes to the journal of the database. */
#define STEP 65536u
#define STEPS 12u

/* What a full disk does at each size of the longest file that is allowed: an upload is refused
 * whole, and nothing else is harmed. */
static void full_disk_refuses_uploads_and_harms_nothing(void **state)
{
    struct fixture *fix = *state;
    struct rlimit old;
    char long_text[200];
    unsigned refused = 0;
    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(keep(fix, 1, "before", T0), TV_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    for (rlim_t most = 0; most <= STEPS * STEP; most += STEP) {
        struct rlimit small = {.rlim_cur = most, .rlim_max = old.rlim_max};
        struct tv_arrival arrival;
        struct tv_trace_row row = {.id = id(2 + (unsigned)(most / STEP)), .created = T0};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        enum tv_code code =
            tv_arrival_begin(&arrival, &fix->store, TV_DIGEST_SHA256_AND_MD5, &fix->err);
        if (code == TV_OK)
            code = tv_arrival_write(&arrival, long_text, strlen(long_text), &fix->err);
        tv_arrival_end(&arrival, &row.raw, row.md5);
        row.bytes = arrival.bytes;
        if (code == TV_OK)
            code =
                tv_store_keep_trace(&fix->store, &arrival, &row, BUILD, NULL, T0, NULL, &fix->err);
        tv_arrival_release(&arrival);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        if (code != TV_OK && code != TV_ERR_LIMIT)
            fail_msg("%lu bytes: %s", (unsigned long)most, fix->err.text);
        refused += code != TV_OK;
        assert_raw(fix, 1, "before");
    }
    assert_in_range(refused, 1, STEPS);
    struct tv_store_check found = check(fix, &fix->store, NULL, 0);
    assert_int_equal(found.faults, 0);
    assert_int_equal(keep(fix, 1000, "after", T0), TV_OK);
}

#define TEST(function)                                                                             \
    {                                                                                              \
#function, function, begin, end, NULL                                                      \
    }

/* The top folder of a file system has "lost+found", and a store may lie there. */
static void a_folder_with_lost_and_found_becomes_a_store(void **state)
{
    struct fixture *fix = *state;
    struct tv_store other;
    char path[256];
    (void)snprintf(path, sizeof(path), "%s.copy", fix->dir);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(path, sizeof(path), "%s.copy/lost+found", fix->dir);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(path, sizeof(path), "%s.copy", fix->dir);
    assert_int_equal(tv_store_open_place(&other, &(struct tv_store_place){.rows = path},
                                         TV_STORE_MAKE, tv_alloc_libc(), &fix->err),
                     TV_OK);
    tv_store_close(&other);
}

/* The number that an earlier call left in errno says nothing about a write that succeeds. */
static void bytes_arrive_once_whatever_errno_was(void **state)
{
    struct fixture *fix = *state;
    int ends[2], waiting = 0;
    struct tv_arrival arrival;
    assert_int_equal(tv_arrival_begin(&arrival, &fix->store, TV_DIGEST_SHA256, NULL), TV_OK);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(dup2(ends[1], arrival.fd), arrival.fd);
    errno = EINTR;
    assert_int_equal(tv_arrival_write(&arrival, "bytes", 5, &fix->err), TV_OK);
    assert_int_equal(ioctl(ends[0], FIONREAD, &waiting), 0);
    assert_int_equal(waiting, 5);
    (void)close(ends[0]);
    (void)close(ends[1]);
    (void)close(arrival.fd);
}

static void a_closed_store_may_be_closed_again(void **state)
{
    (void)state;
    struct tv_store store;
    memset(&store, 0, sizeof(store));
    tv_store_close(&store);
    tv_store_close(&store);
}

/* Of a large piece MD5 is computed by another thread, of a small one by the caller. */
static void sums_are_the_same_in_pieces_of_any_length(void **state)
{
    enum { LEN = 1 << 20 };
    static const size_t pieces[] = {LEN, 100000, 4096, 65536, 65535};
    char sha256[TV_DIGEST_SHA256_LEN + 1];
    char md5[TV_DIGEST_MD5_LEN + 1];
    uint8_t *bytes = malloc(LEN);
    (void)state;
    for (size_t i = 0; i < LEN; i++)
        bytes[i] = (uint8_t)(i * 31 >> 3);
    for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
        struct tv_digest digest;
        char of_pieces[2][TV_DIGEST_SHA256_LEN + 1];
        tv_digest_begin(&digest, TV_DIGEST_SHA256_AND_MD5);
        for (size_t at = 0; at < LEN; at += pieces[i])
            tv_digest_add(&digest, bytes + at, LEN - at < pieces[i] ? LEN - at : pieces[i]);
        tv_digest_end(&digest, of_pieces[0], of_pieces[1]);
        if (!i) {
            memcpy(sha256, of_pieces[0], sizeof(sha256));
            memcpy(md5, of_pieces[1], sizeof(md5));
        }
        assert_string_equal(of_pieces[0], sha256);
        assert_string_equal(of_pieces[1], md5);
    }
    /* Of a file. */
    FILE *file = tmpfile();
    char of_file[TV_DIGEST_MD5_LEN + 1];
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, LEN, file), LEN);
    assert_int_equal(fflush(file), 0);
    assert_true(tv_digest_md5_of(fileno(file), of_file));
    assert_string_equal(of_file, md5);
    (void)fclose(file);
    assert_false(tv_digest_md5_of(-1, of_file));
    assert_string_equal(of_file, "");
    /* One that is given up while its thread sleeps. */
    struct tv_digest digest;
    tv_digest_begin(&digest, TV_DIGEST_SHA256_AND_MD5);
    tv_digest_add(&digest, bytes, LEN);
    tv_digest_release(&digest);
    tv_digest_release(&digest);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_the_same_in_pieces_of_any_length),
        cmocka_unit_test(a_closed_store_may_be_closed_again),
        TEST(trace_is_kept_with_its_sums_and_job),
        TEST(same_bytes_are_two_traces_and_one_file),
        TEST(parts_become_one_file),
        TEST(parts_that_were_hashed_as_they_came_are_not_read_for_their_name),
        TEST(a_part_that_nobody_hashed_is_read_at_the_end),
        TEST(upload_of_other_bytes_than_told_is_refused),
        TEST(upload_of_many_parts_is_joined_in_order),
        TEST(index_is_kept_by_who_has_the_job),
        TEST(gc_removes_what_nobody_needs),
        TEST(bytes_that_a_dead_gc_has_taken_are_refused_soon),
        TEST(nobody_claims_what_gc_is_removing),
        TEST(gc_between_file_and_row_loses_nothing),
        TEST(bytes_that_are_refused_go_within_seconds),
        TEST(gc_adopts_files_without_a_row),
        TEST(lost_rows_are_told_and_their_files_stay),
        TEST(empty_database_beside_files_is_refused),
        TEST(check_says_what_is_damaged_or_lost),
        TEST(shorter_file_is_mended),
        TEST(backup_is_a_store),
        TEST(a_backup_is_renewed),
        TEST(a_backup_is_not_emptied),
        TEST(a_look_leaves_an_earlier_version_as_it_is),
        TEST(no_other_store_is_taken_for_a_backup),
        TEST(backup_has_what_came_while_it_was_made),
        TEST(a_row_that_went_is_no_missing_file),
        TEST(a_file_that_came_is_not_missing),
        TEST(only_a_store_is_opened),
        TEST(a_folder_with_lost_and_found_becomes_a_store),
        TEST(bytes_arrive_once_whatever_errno_was),
        TEST(full_disk_refuses_uploads_and_harms_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
