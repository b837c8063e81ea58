/*
 * Removing what nobody needs; see store/store_db.h for the way of a file.
 *
 * A file is taken, removed and forgotten in that order. While it is taken nobody can claim it, so
 * nobody can lose it; a gc that stops between taking and removing leaves the rest of what it took
 * to a later one.
 */
#include <string.h>

#include "base/units.h"
#include "os/clock.h"
#include "store/cached_files.h"
#include "store/merge_join.h"
#include "store/store.h"

/* How many files are taken at a time. Whoever brings the bytes of one waits meanwhile, and for long
 * where this gc is ended, so they are few. What was just dropped is taken one by one: those whose
 * upload broke off bring the same bytes again at once. */
#define BATCH 8u
#define EXPIRED_MOST 500u
/* Copies of which the database is asked at a time. */
#define COPIES_MOST 256u
/* How long gc goes on with a batch that it took; far less than the time after which another gc may
 * take the same files (TV_STORE_GOING_S), with the 90 s that a bucket may take to remove one. */
#define MOST_NS (60 * TV_NS_PER_S)

/* Drops rows whose time is over, in short transactions, so that requests get in between. */
static enum tv_code drop_expired(struct tv_store *store, int64_t now, int64_t grace,
                                 struct tv_expired *sum, struct tv_error *err)
{
    struct tv_expired part = {.traces = EXPIRED_MOST};
    while (part.traces + part.uploads >= EXPIRED_MOST) {
        TV_TRY(store->db.expire(store->db.ctx, now, grace, EXPIRED_MOST, &part, err));
        sum->traces += part.traces;
        sum->uploads += part.uploads;
        sum->jobs += part.jobs;
    }
    return TV_OK;
}

/* Gives a row to each file without one, as they come with a copy of the store or when rows are
 * lost; the file then goes as others do, after the grace period. */
static enum tv_code adopt_strays(struct tv_store *store, int64_t now, struct tv_store_gc *gc,
                                 struct tv_error *err)
{
    struct tv_merge_join merged;
    struct tv_merge_join_file file;
    bool has = true;
    tv_merge_join_init(&merged, store);
    for (;;) {
        uint64_t bytes;
        TV_TRY(tv_merge_join_next(&merged, &file, &has, err));
        if (!has)
            return TV_OK;
        if (file.row)
            continue;
        enum tv_code code = store->files.len(store->files.ctx, &file.name, &bytes, err);
        if (code == TV_ERR_NOT_FOUND)
            continue; /* it went meanwhile */
        TV_TRY(code);
        TV_TRY(store->db.claim_file(store->db.ctx, &file.name, bytes, now, err));
        gc->strays++;
    }
}

/* Where no file has a row the database is the part that was lost, and the files are what it can be
 * mended with: nothing is adopted. */
static enum tv_code adopt_strays_beside_rows(struct tv_store *store, int64_t now,
                                             struct tv_store_gc *gc, struct tv_error *err)
{
    struct tv_file_row row;
    size_t rows;
    TV_TRY(store->db.list_files(store->db.ctx, NULL, &row, 1, &rows, err));
    return rows ? adopt_strays(store, now, gc, err) : TV_OK;
}

/* Each file is forgotten right after it was removed. A batch that takes too long is given up: its
 * files stay taken, and a later gc removes them. */
static enum tv_code remove_batch(struct tv_store *store, const struct tv_file_row *rows,
                                 size_t count, uint64_t taken_ns, struct tv_store_gc *gc,
                                 struct tv_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (tv_now_ns() - taken_ns > MOST_NS)
            return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                           "removing files takes too long; a later gc removes the rest");
        TV_TRY(store->files.remove(store->files.ctx, &rows[i].name, err));
        TV_TRY(store->db.forget_file(store->db.ctx, &rows[i].name, err));
        gc->files++;
        gc->file_bytes += rows[i].bytes;
    }
    return TV_OK;
}

/* Titles and notes of what was deleted, too, are not to be found any more. */
static enum tv_code forget_deleted(const struct tv_store *store, struct tv_error *err)
{
    return store->db.forget_deleted ? store->db.forget_deleted(store->db.ctx, err) : TV_OK;
}

static enum tv_code remove_dropped(struct tv_store *store, int64_t now, struct tv_store_gc *gc,
                                   struct tv_error *err)
{
    struct tv_file_row row;
    size_t count = 1;
    while (count) {
        uint64_t taken_ns = tv_now_ns();
        TV_TRY(store->db.take_dropped(store->db.ctx, now, &row, 1, &count, err));
        TV_TRY(remove_batch(store, &row, count, taken_ns, gc, err));
    }
    return TV_OK;
}

static enum tv_code remove_unneeded(struct tv_store *store, int64_t now, int64_t grace,
                                    struct tv_store_gc *gc, struct tv_error *err)
{
    struct tv_file_row rows[BATCH];
    size_t count = BATCH;
    while (count == BATCH) {
        uint64_t taken_ns = tv_now_ns();
        TV_TRY(store->db.take_unneeded(store->db.ctx, now, grace, rows, BATCH, &count, err));
        TV_TRY(remove_batch(store, rows, count, taken_ns, gc, err));
    }
    return TV_OK;
}

enum tv_code tv_store_gc_dropped(struct tv_store *store, int64_t now, struct tv_store_gc *gc,
                                 struct tv_error *err)
{
    memset(gc, 0, sizeof(*gc));
    TV_TRY(remove_dropped(store, now, gc, err));
    return gc->files ? forget_deleted(store, err) : TV_OK;
}

enum tv_code tv_store_gc_files(struct tv_store *store, int64_t now, int64_t grace,
                               struct tv_store_gc *gc, struct tv_error *err)
{
    memset(gc, 0, sizeof(*gc));
    return remove_unneeded(store, now, grace, gc, err);
}

/* Whether a row has the file; true where the database does not say. Rows are listed behind a name,
 * so the name right before this one is made, by its last digit. */
static bool has_row(void *ctx, const struct tv_hash *name)
{
    const struct tv_store *store = ctx;
    struct tv_hash before = *name;
    struct tv_file_row row;
    size_t count;
    before.hex[sizeof(before.hex) - 2]--;
    return store->db.list_files(store->db.ctx, &before, &row, 1, &count, NULL) != TV_OK ||
           (count && strcmp(row.name.hex, name->hex) == 0);
}

void tv_store_gc_copies(struct tv_store *store, unsigned *folder, int64_t now)
{
    const struct tv_store_files *files = &store->files;
    size_t asked = 0;
    for (unsigned i = 0; files->sift_copies && i < TV_CACHED_FOLDERS && asked < COPIES_MOST; i++) {
        asked += files->sift_copies(files->ctx, *folder, now, has_row, store);
        *folder = (*folder + 1) % TV_CACHED_FOLDERS;
    }
}

enum tv_code tv_store_gc_alone(struct tv_store *store, int64_t now, struct tv_store_gc *gc,
                               struct tv_error *err)
{
    memset(gc, 0, sizeof(*gc));
    TV_TRY(adopt_strays(store, now, gc, err));
    return remove_unneeded(store, now, 0, gc, err);
}

/* In three steps, each of which may be broken off at any moment: rows that have expired go, files
 * without a row get one, and files that were dropped, or that no row has needed for the grace
 * period, are removed batch by batch. */
enum tv_code tv_store_gc(struct tv_store *store, int64_t now, int64_t grace, struct tv_store_gc *gc,
                         struct tv_error *err)
{
    memset(gc, 0, sizeof(*gc));
    TV_TRY(drop_expired(store, now, grace, &gc->expired, err));
    TV_TRY(adopt_strays_beside_rows(store, now, gc, err));
    TV_TRY(remove_dropped(store, now, gc, err));
    TV_TRY(remove_unneeded(store, now, grace, gc, err));
    return forget_deleted(store, err);
}
