/*
 * Opening a store; see store/store.h.
 *
 * A store is two parts behind interfaces: rows (store/store_db.h) in SQLite, and files
 * (store/store_files.h) in a folder. Both are opened or none. A program that was built without
 * SQLite has no stores.
 */
#include "store/store.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "store/folder.h"
#include "store/folder_files.h"
#ifdef TV_HAS_SQLITE
#include "store/sqlite/sqlite_db.h"
#endif

/* The only place that knows which database there is; all others call it through struct tv_store_db.
 */
static enum tv_code open_db(struct tv_store *store, enum tv_store_opening how, bool has_files,
                            struct tv_error *err)
{
#ifdef TV_HAS_SQLITE
    const struct tv_sqlite_opening opening = {.path = store->database,
                                              .may_make = how == TV_STORE_MAKE,
                                              .has_files = has_files,
                                              .is_read_only = how == TV_STORE_READ};
    return tv_sqlite_db_open(&store->db, &opening, store->alloc, err);
#else
    (void)store, (void)how, (void)has_files;
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "this program was built without SQLite");
#endif
}

enum tv_code tv_store_copy_rows(const struct tv_store *store, const char *to,
                                struct tv_store_db *copy, struct tv_error *err)
{
#ifdef TV_HAS_SQLITE
    TV_TRY(tv_sqlite_db_copy(store->database, to, err));
    return tv_sqlite_db_open(copy, &(struct tv_sqlite_opening){.path = to}, store->alloc, err);
#else
    (void)store, (void)to, (void)copy;
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "this program was built without SQLite");
#endif
}

/* Opens the files first, to know whether there are any: rows are the only truth of what exists, so
 * an empty database beside files must not be made or used. */
static enum tv_code open_both(struct tv_store *store, const char *files, enum tv_store_opening how,
                              struct tv_error *err)
{
    struct tv_hash name;
    size_t count = 0;
    struct tv_error reason = {.code = TV_OK};
    enum tv_code code = tv_folder_files_open(&store->files, files, store->alloc, &reason);
    if (code == TV_OK && how != TV_STORE_READ)
        tv_folder_files_sweep(&store->files);
    if (code == TV_OK)
        TV_TRY(store->files.list(store->files.ctx, NULL, &name, 1, &count, err));
    TV_TRY(open_db(store, how, count > 0, err));
    if (code != TV_OK && err)
        *err = reason;
    return code;
}

/* Closing a store that is half open is safe, so every failure goes one way out. */
enum tv_code tv_store_open(struct tv_store *store, const char *dir, enum tv_store_opening how,
                           const struct tv_alloc *alloc, struct tv_error *err)
{
    char files[TV_PATH_CAP];
    *store = (struct tv_store){.alloc = alloc};
    TV_TRY(tv_store_path(store->database, dir, TV_STORE_DATABASE, err));
    TV_TRY(tv_store_path(files, dir, TV_STORE_FILES, err));
    if (how == TV_STORE_MAKE)
        TV_TRY(tv_store_make_folder(dir, err));
    enum tv_code code = open_both(store, files, how, err);
    if (code != TV_OK)
        tv_store_close(store);
    return code;
}

void tv_store_close(struct tv_store *store)
{
    if (store->files.close)
        store->files.close(store->files.ctx);
    if (store->db.close)
        store->db.close(store->db.ctx);
    memset(store, 0, sizeof(*store));
}
