/*
 * A copy of a store while others use it; see store/store.h.
 *
 * All files are brought first, then the rows as they are at one moment, then the files that came in
 * between. So a file that a row of the copy names is there, also where gc removed it from the store
 * meanwhile. The database takes its name then: a copy that was cut off is no store, or is still the
 * earlier one where that is renewed. What no row of the copy names is removed last.
 *
 * A folder says of itself that it is a backup, and of which store (TV_STORE_BACKUP_MARK), before it
 * has a database: no other store is ever taken for an earlier copy.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/buffer.h"
#include "os/file/paths.h"
#include "store/folder.h"
#include "store/folder_files.h"
#include "store/store.h"

#define PAGE 256u
#define UNNAMED TV_STORE_DATABASE ".part"

struct backing_up {
    struct tv_store *from;
    struct tv_store_files files; /* of the copy */
    struct tv_store_backup *backup;
};

/* Whether the copy has the file. Names are hashes, so the same length is taken for the same bytes.
 */
static enum tv_code has_file(struct backing_up *run, const struct tv_hash *name, bool *has,
                             struct tv_error *err)
{
    const struct tv_store_files *from = &run->from->files;
    uint64_t here;
    uint64_t there;
    enum tv_code code = run->files.len(run->files.ctx, name, &here, err);
    *has = false;
    if (code != TV_OK)
        return code == TV_ERR_NOT_FOUND ? TV_OK : code;
    TV_TRY(from->len(from->ctx, name, &there, err));
    *has = here == there;
    return TV_OK;
}

/* Copies a file that is not there into the copy of the store. TV_ERR_NOT_FOUND: gc removed the file
 * meanwhile. */
static enum tv_code bring(struct backing_up *run, const struct tv_hash *name, struct tv_error *err)
{
    const struct tv_store_files *from = &run->from->files;
    uint64_t bytes;
    bool has;
    int fd;
    TV_TRY(has_file(run, name, &has, err));
    if (has)
        return TV_OK;
    TV_TRY(from->open(from->ctx, name, &fd, &bytes, err));
    enum tv_code code = run->files.keep(run->files.ctx, fd, name, err);
    (void)close(fd);
    if (code == TV_OK) {
        run->backup->files++;
        run->backup->file_bytes += bytes;
    }
    return code;
}

/* The first pass: all files that are there, needed or not. A file that goes meanwhile is left out.
 */
static enum tv_code bring_all(struct backing_up *run, struct tv_error *err)
{
    const struct tv_store_files *from = &run->from->files;
    struct tv_hash names[PAGE];
    struct tv_hash last = {""};
    size_t count = PAGE;
    while (count == PAGE) {
        TV_TRY(from->list(from->ctx, last.hex[0] ? &last : NULL, names, PAGE, &count, err));
        for (size_t i = 0; i < count; i++) {
            enum tv_code code = bring(run, &names[i], err);
            if (code != TV_OK && code != TV_ERR_NOT_FOUND)
                return code;
            last = names[i];
        }
    }
    return TV_OK;
}

/* A file that a row of the copy names must be in the copy; if it is nowhere, the store is damaged
 * and there is no backup. */
static enum tv_code bring_missing(struct backing_up *run, const struct tv_file_row *row,
                                  struct tv_error *err)
{
    char byte;
    size_t len;
    enum tv_code code = run->files.read(run->files.ctx, &row->name, 0, &byte, 1, &len, err);
    if (code == TV_ERR_NOT_FOUND)
        code = bring(run, &row->name, err);
    return code == TV_ERR_NOT_FOUND
               ? tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                         "the file %s is missing: check the store", row->name.hex)
               : code;
}

/* The second pass: files that came after the first pass had gone by their names. Rows do not change
 * any more, since they are those of the copy. */
static enum tv_code bring_named(struct backing_up *run, const struct tv_store_db *db,
                                struct tv_error *err)
{
    struct tv_file_row rows[PAGE];
    struct tv_hash last = {""};
    size_t count = PAGE;
    while (count == PAGE) {
        TV_TRY(db->list_files(db->ctx, last.hex[0] ? &last : NULL, rows, PAGE, &count, err));
        for (size_t i = 0; i < count; i++) {
            if (rows[i].is_needed)
                TV_TRY(bring_missing(run, &rows[i], err));
            last = rows[i].name;
        }
    }
    return TV_OK;
}

/* Copies the rows under a name that no store has, and renames the database when everything is
 * there. */
static enum tv_code bring_rows(struct backing_up *run, const char *dir, struct tv_error *err)
{
    char unnamed[TV_PATH_CAP];
    char named[TV_PATH_CAP];
    struct tv_store_db db;
    TV_TRY(tv_store_path(unnamed, dir, UNNAMED, err));
    TV_TRY(tv_store_path(named, dir, TV_STORE_DATABASE, err));
    (void)unlink(unnamed); /* of a copy that was cut off */
    TV_TRY(tv_store_copy_rows(run->from, unnamed, &db, err));
    enum tv_code code = bring_named(run, &db, err);
    db.close(db.ctx); /* what it wrote beside the database is in the database now */
    if (code == TV_OK && rename(unnamed, named) != 0)
        code = tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%.150s cannot be written: %s", named,
                       strerror(errno));
    return code == TV_OK ? tv_store_sync_folder(dir, err) : code;
}

/* Files are brought before the rows and after them: a file that a row of the copy names must be in
 * the copy, whether it came or went while the rows were copied. */
static enum tv_code tell_postgres(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                   "the rows are in PostgreSQL, whose own tools copy them: copy the folder of the "
                   "files, then run pg_dump --schema=traceview, then copy the files that came "
                   "since, and delete none");
}

static bool is_in(const char *dir, const char *name)
{
    char path[TV_PATH_CAP];
    return tv_store_path(path, dir, name, NULL) == TV_OK && access(path, F_OK) == 0;
}

/* The store of which the folder says that it is a backup; "": it does not. */
static enum tv_code read_mark(const char *dir, const struct tv_alloc *alloc,
                              char store[TV_PATH_CAP], struct tv_error *err)
{
    char path[TV_PATH_CAP];
    struct tv_buffer mark;
    TV_TRY(tv_store_path(path, dir, TV_STORE_BACKUP_MARK, err));
    tv_buffer_init(&mark, alloc);
    enum tv_code code = tv_file_read_small(path, TV_PATH_CAP - 1, &mark, err);
    if (code == TV_OK && mark.len)
        memcpy(store, mark.bytes, mark.len);
    store[code == TV_OK ? mark.len : 0] = '\0';
    tv_buffer_release(&mark);
    return code == TV_ERR_NOT_FOUND ? TV_OK : code;
}

/* Whether something lies beside its database, which is there while it is used, and would be taken
 * for a part of the new one. */
static bool has_beside(const char *dir)
{
    return is_in(dir, TV_STORE_DATABASE "-wal") || is_in(dir, TV_STORE_DATABASE "-shm");
}

/* What a process that was killed left there goes when the database is closed by who uses it last.
 */
static enum tv_code check_closed(const struct tv_store *store, const char *to, struct tv_error *err)
{
    struct tv_store copy;
    if (!has_beside(to))
        return TV_OK;
    TV_TRY(tv_store_open_place(&copy, &(struct tv_store_place){.rows = to}, TV_STORE_LOOK,
                               store->alloc, err));
    tv_store_close(&copy);
    return has_beside(to) ? tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                                    "%.150s is in use: end who uses it, or name another folder", to)
                          : TV_OK;
}

/* A folder that has another store is refused: its rows would be lost. So is one that is in use. */
static enum tv_code check_earlier(const struct tv_store *store, const char *whole, const char *to,
                                  struct tv_error *err)
{
    char of[TV_PATH_CAP];
    if (!is_in(to, TV_STORE_DATABASE))
        return TV_OK;
    TV_TRY(read_mark(to, store->alloc, of, err));
    if (!of[0])
        return tv_fail(
            err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
            "%.150s is a store already, and no backup: name a folder that is new or empty", to);
    if (strcmp(of, whole) != 0)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%.100s is a backup of another store, %.100s: name another folder", to, of);
    return check_closed(store, to, err);
}

/* A store that has files and no row of one has lost its rows, and its copy would lack the files.
 * Files are looked at first: their rows come before them. */
static enum tv_code check_rows(const struct tv_store *store, struct tv_error *err)
{
    struct tv_file_row row;
    struct tv_hash name;
    size_t rows, files;
    TV_TRY(store->files.list(store->files.ctx, NULL, &name, 1, &files, err));
    TV_TRY(store->db.list_files(store->db.ctx, NULL, &row, 1, &rows, err));
    return files && !rows
               ? tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                         "there are files and no rows, which were lost: bring back a copy of it")
               : TV_OK;
}

/* A copy with traces is not renewed by a store that has none: it may be all that is left of them. A
 * copy that cannot be opened is of no such use. */
static enum tv_code refuse_to_empty(const struct tv_store *store, const char *to,
                                    struct tv_error *err)
{
    struct tv_store copy;
    struct tv_store_sums has, had = {.traces = 0};
    TV_TRY(store->db.sums(store->db.ctx, TV_QUOTA_STORE, NULL, &has, err));
    if (has.traces || !is_in(to, TV_STORE_DATABASE) ||
        tv_store_open_place(&copy, &(struct tv_store_place){.rows = to}, TV_STORE_LOOK,
                            store->alloc, NULL) != TV_OK)
        return TV_OK;
    enum tv_code code = copy.db.sums(copy.db.ctx, TV_QUOTA_STORE, NULL, &had, err);
    tv_store_close(&copy);
    return code == TV_OK && had.traces
               ? tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                         "the store has no traces, and its copy has some, which may be all that is "
                         "left of them: bring it back, or name another folder")
               : code;
}

/* Made before there is a database, so that no copy is without. */
static enum tv_code write_mark(const char *whole, const char *to, struct tv_error *err)
{
    char path[TV_PATH_CAP];
    TV_TRY(tv_store_path(path, to, TV_STORE_BACKUP_MARK, err));
    return is_in(to, TV_STORE_BACKUP_MARK) && is_in(to, TV_STORE_DATABASE)
               ? TV_OK
               : tv_file_replace(path, tv_str_from(whole), err);
}

/* A copy of an earlier version stays one, for the program that uses the store; it keeps what it
 * needs no more until the store has this version. */
static enum tv_code remove_rest(const struct tv_store *store, const char *to, int64_t now,
                                struct tv_store_backup *backup, struct tv_error *err)
{
    struct tv_store copy;
    struct tv_store_gc done;
    enum tv_code code = tv_store_open_place(&copy, &(struct tv_store_place){.rows = to},
                                            TV_STORE_OPEN, store->alloc, err);
    if (code == TV_ERR_UNSUPPORTED)
        return TV_OK;
    TV_TRY(code);
    code = tv_store_gc_alone(&copy, now, &done, err);
    backup->removed = done.files;
    tv_store_close(&copy);
    return code;
}

/* A copy that was cut off is gone on with: files that it has are not copied a second time. */
enum tv_code tv_store_backup(struct tv_store *store, const char *to, int64_t now,
                             struct tv_store_backup *backup, struct tv_error *err)
{
    struct backing_up run = {.from = store, .backup = backup};
    char path[TV_PATH_CAP];
    char whole[TV_PATH_CAP];
    memset(backup, 0, sizeof(*backup));
    if (!store->database[0])
        return tell_postgres(err);
    if (!tv_path_real(whole, store->folder))
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%.150s: its whole name is not known",
                       store->folder);
    TV_TRY(check_earlier(store, whole, to, err));
    TV_TRY(check_rows(store, err));
    TV_TRY(refuse_to_empty(store, to, err));
    TV_TRY(tv_store_make_folder(to, err));
    TV_TRY(write_mark(whole, to, err));
    TV_TRY(tv_store_path(path, to, TV_STORE_FILES, err));
    TV_TRY(tv_folder_files_open(&run.files, path, store->alloc, err));
    tv_folder_files_sweep(&run.files);
    enum tv_code code = bring_all(&run, err);
    if (code == TV_OK)
        code = bring_rows(&run, to, err);
    run.files.close(run.files.ctx);
    return code == TV_OK ? remove_rest(store, to, now, backup, err) : code;
}
