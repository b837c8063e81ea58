/*
 * Comparing a store with what it says of itself; see store/store.h.
 *
 * A check goes on while others use the store, so rows and files are never looked at in one moment:
 * something that seems missing is looked at once more before it counts as a fault. Files are read
 * whole, since the hash of a file's bytes is its name. A fault is one line of text and does not
 * stop the check; only failures of the check itself do.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "store/merge_join.h"
#include "store/store.h"

struct checking {
    struct tv_store *store;
    bool has_rows; /* of any file */
    struct tv_store_check *check;
    struct tv_buffer *faults;
    uint8_t *room;
};

static enum tv_code say(struct checking *checking, const struct tv_hash *name, const char *fault,
                        struct tv_error *err)
{
    char line[192];
    int len = snprintf(line, sizeof(line), "file %s: %s\n", name->hex, fault);
    checking->check->faults++;
    return tv_buffer_append(checking->faults, line, (size_t)len, err);
}

static enum tv_code hash(const struct tv_store_files *files, const struct tv_hash *name,
                         uint8_t *room, struct tv_hash *found, uint64_t *bytes,
                         struct tv_error *err)
{
    struct tv_digest digest;
    size_t len = files->read_len;
    tv_digest_begin(&digest, TV_DIGEST_SHA256);
    for (*bytes = 0; len == files->read_len; *bytes += len) {
        TV_TRY(files->read(files->ctx, name, *bytes, room, files->read_len, &len, err));
        tv_digest_add(&digest, room, len);
    }
    tv_digest_end(&digest, found->hex, NULL);
    return TV_OK;
}

enum tv_code tv_store_hash_file(const struct tv_store *store, const struct tv_hash *name,
                                struct tv_hash *found, uint64_t *bytes, struct tv_error *err)
{
    const struct tv_store_files *files = &store->files;
    uint8_t *room;
    TV_TRY(tv_alloc_new(store->alloc, &room, files->read_len, 1, err));
    const enum tv_code code = hash(files, name, room, found, bytes, err);
    tv_alloc_release(store->alloc, &room, files->read_len, 1);
    return code;
}

/* Reads the whole file, so it finds bytes that a disk has changed. The name is the hash, so no
 * other sum has to be kept. */
static enum tv_code check_bytes(struct checking *checking, const struct tv_merge_join_file *file,
                                struct tv_error *err)
{
    struct tv_hash found;
    struct tv_error reason;
    uint64_t bytes;
    enum tv_code code =
        hash(&checking->store->files, &file->name, checking->room, &found, &bytes, &reason);
    if (code == TV_ERR_NOT_FOUND)
        return TV_OK; /* gc removed it meanwhile */
    if (code != TV_OK)
        return say(checking, &file->name, reason.text, err);
    checking->check->files++;
    checking->check->file_bytes += bytes;
    if (strcmp(found.hex, file->name.hex) != 0)
        return say(checking, &file->name, "its bytes are not those that it was kept with", err);
    if (file->row && file->row->bytes != bytes)
        return say(checking, &file->name, "its row tells another length", err);
    return TV_OK;
}

/* Whether a row needs the file now. The database lists rows behind a name, so the name right before
 * this one is made, by its last digit. */
static enum tv_code look_again(const struct checking *checking, const struct tv_hash *name,
                               bool *is_needed, struct tv_error *err)
{
    const struct tv_store_db *db = &checking->store->db;
    struct tv_hash before = *name; /* sorts before the name, and after every smaller one */
    struct tv_file_row row;
    size_t count;
    before.hex[sizeof(before.hex) - 2]--;
    TV_TRY(db->list_files(db->ctx, &before, &row, 1, &count, err));
    *is_needed = count && row.is_needed && strcmp(row.name.hex, name->hex) == 0;
    return TV_OK;
}

/* A row without a file. The list of files and the row were read at different times: the file may
 * have come since, or its row may have gone. */
static enum tv_code check_missing(struct checking *checking, const struct tv_merge_join_file *file,
                                  struct tv_error *err)
{
    const struct tv_store_files *files = &checking->store->files;
    bool is_needed = file->row->is_needed;
    size_t len;
    if (!is_needed)
        return TV_OK; /* claimed, and its bytes have not come yet */
    enum tv_code code = files->read(files->ctx, &file->name, 0, checking->room, 1, &len, err);
    if (code == TV_OK)
        return check_bytes(checking, file, err);
    if (code == TV_ERR_NOT_FOUND)
        code = look_again(checking, &file->name, &is_needed, err);
    return code == TV_OK && is_needed ? say(checking, &file->name, "it is missing", err) : code;
}

static enum tv_code check_file(struct checking *checking, const struct tv_merge_join_file *file,
                               struct tv_error *err)
{
    if (!file->is_file)
        return check_missing(checking, file, err);
    checking->check->strays += !file->row;
    return check_bytes(checking, file, err);
}

/* Rows and files are walked together by name, batch by batch, so that a store of any size is
 * checked in the same memory. */
static enum tv_code check_files(struct checking *checking, struct tv_error *err)
{
    struct tv_merge_join merged;
    struct tv_merge_join_file file;
    bool has = true;
    tv_merge_join_init(&merged, checking->store);
    for (;;) {
        TV_TRY(tv_merge_join_next(&merged, &file, &has, err));
        if (!has)
            return TV_OK;
        checking->has_rows = checking->has_rows || file.row;
        TV_TRY(check_file(checking, &file, err));
    }
}

/* Files without a row are harmless, since gc takes them. But where no file has a row, the database
 * was lost or emptied, and that is told before gc could remove everything. */
static enum tv_code check_rows(struct checking *checking, struct tv_error *err)
{
    char line[192];
    if (checking->has_rows || !checking->check->strays)
        return TV_OK;
    int len = snprintf(line, sizeof(line),
                       "database: it has no rows, but %llu file%s there: bring back a copy of the "
                       "database before new traces let gc remove what has no row\n",
                       (unsigned long long)checking->check->strays,
                       checking->check->strays == 1 ? " is" : "s are");
    checking->check->faults++;
    return tv_buffer_append(checking->faults, line, (size_t)len, err);
}

/* Faults are lines of text, and counted by their ends: the database's own check (db.check) only
 * writes lines. */
enum tv_code tv_store_check(struct tv_store *store, struct tv_store_check *check,
                            struct tv_buffer *faults, struct tv_error *err)
{
    struct checking checking = {.store = store, .check = check, .faults = faults};
    memset(check, 0, sizeof(*check));
    size_t before = faults->len;
    TV_TRY(store->db.check(store->db.ctx, faults, err));
    for (size_t i = before; i < faults->len; i++)
        check->faults += faults->bytes[i] == '\n';
    TV_TRY(tv_alloc_new(store->alloc, &checking.room, store->files.read_len, 1, err));
    enum tv_code code = check_files(&checking, err);
    if (code == TV_OK)
        code = check_rows(&checking, err);
    tv_alloc_release(store->alloc, &checking.room, store->files.read_len, 1);
    return code;
}
