/*
 * Opening a store; see store/store.h.
 *
 * A store is two parts behind interfaces: rows (store/store_db.h) in SQLite or in PostgreSQL, and
 * files (store/store_files.h) in a folder. Both are opened or none. A program that was built
 * without SQLite, or without libpq, has no stores of that kind.
 */
#include "store/store.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/folder.h"
#include "store/folder_files.h"
#ifdef TV_HAS_POSTGRES
#include "store/postgres/postgres_db.h"
#include "store/postgres/schema.h"
#endif
#ifdef TV_HAS_S3
#include "s3/place.h"
#include "store/s3_files.h"
#endif
#ifdef TV_HAS_SQLITE
#include "store/sqlite/schema.h"
#include "store/sqlite/sqlite_db.h"
#endif

bool tv_store_is_url(const char *rows)
{
    struct tv_str text = tv_str_from(rows);
    return tv_str_starts_with(text, TV_STR("postgres://")) ||
           tv_str_starts_with(text, TV_STR("postgresql://"));
}

/* PostgreSQL takes readers beside writers; a database of SQLite that is read alone is one that
 * nobody writes. */
static bool changes_nothing(enum tv_store_opening how)
{
    return how == TV_STORE_READ || how == TV_STORE_LOOK;
}

static enum tv_code open_sqlite(struct tv_store *store, const struct tv_store_place *place,
                                enum tv_store_opening how, bool has_files, struct tv_error *err)
{
#ifdef TV_HAS_SQLITE
    const struct tv_sqlite_opening opening = {.path = store->database,
                                              .may_make = how == TV_STORE_MAKE,
                                              .has_files = has_files,
                                              .is_read_only = how == TV_STORE_READ,
                                              .is_look = how == TV_STORE_LOOK,
                                              .indexes = place->indexes};
    return tv_sqlite_db_open(&store->db, &opening, store->alloc, err);
#else
    (void)store, (void)place, (void)how, (void)has_files;
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "this program was built without SQLite");
#endif
}

static enum tv_code open_postgres(struct tv_store *store, const struct tv_store_place *place,
                                  enum tv_store_opening how, bool has_files, struct tv_error *err)
{
#ifdef TV_HAS_POSTGRES
    const struct tv_postgres_opening opening = {.url = place->rows,
                                                .password_file = place->password_file,
                                                .may_make = how == TV_STORE_MAKE,
                                                .has_files = has_files,
                                                .is_read_only = changes_nothing(how),
                                                .indexes = place->indexes};
    return tv_postgres_db_open(&store->db, &opening, store->alloc, err);
#else
    (void)store, (void)place, (void)how, (void)has_files;
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                   "this traceview was built without libpq: scripts/install build, then make "
                   "build");
#endif
}

/* The only place that knows which databases there are; all others call them through struct
 * tv_store_db. */
static enum tv_code open_db(struct tv_store *store, const struct tv_store_place *place,
                            enum tv_store_opening how, bool has_files, struct tv_error *err)
{
    return tv_store_is_url(place->rows) ? open_postgres(store, place, how, has_files, err)
                                        : open_sqlite(store, place, how, has_files, err);
}

enum tv_code tv_store_copy_rows(const struct tv_store *store, const char *to,
                                struct tv_store_db *copy, struct tv_error *err)
{
#ifdef TV_HAS_SQLITE
    TV_TRY(tv_sqlite_db_copy(store->database, to, err));
    const struct tv_sqlite_opening opening = {.path = to, .is_look = true};
    return tv_sqlite_db_open(copy, &opening, store->alloc, err);
#else
    (void)store, (void)to, (void)copy;
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "this program was built without SQLite");
#endif
}

struct tv_store_schemas tv_store_schemas(void)
{
    return (struct tv_store_schemas){
#ifdef TV_HAS_SQLITE
        .sqlite = tv_schema.count,
#endif
#ifdef TV_HAS_POSTGRES
        .postgres = tv_postgres_schema.count,
#endif
    };
}

bool tv_store_is_bucket(const char *files)
{
    return files && tv_str_starts_with(tv_str_from(files), TV_STR("s3://"));
}

static enum tv_code open_folder(struct tv_store *store, enum tv_store_opening how,
                                struct tv_error *err)
{
    char files[TV_PATH_CAP];
    if (how == TV_STORE_MAKE)
        TV_TRY(tv_store_make_folder(store->folder, err));
    TV_TRY(tv_store_path(files, store->folder, TV_STORE_FILES, err));
    TV_TRY(tv_folder_files_open(&store->files, files, store->alloc, err));
    if (!changes_nothing(how))
        tv_folder_files_sweep(&store->files);
    return TV_OK;
}

static enum tv_code open_bucket(struct tv_store *store, const struct tv_store_place *place,
                                const char *bucket, enum tv_store_opening how, struct tv_error *err)
{
#ifdef TV_HAS_S3
    const struct tv_s3_files_opts opts = {.place = bucket,
                                          .cache = store->cache,
                                          .cache_most = place->cache_most ? place->cache_most
                                                                          : TV_STORE_CACHE_MOST};
    TV_TRY(tv_s3_files_open(&store->files, &opts, store->alloc, err));
    if (!changes_nothing(how))
        tv_s3_files_sweep(&store->files, time(NULL));
    return TV_OK;
#else
    (void)store, (void)place, (void)bucket, (void)how;
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                   "this traceview was built without libcurl: scripts/install build, then make "
                   "build");
#endif
}

/* Whether the files are those of the database. In a folder that has both they are. */
static enum tv_code check_owner(const struct tv_store *store, const struct tv_store_place *place,
                                enum tv_store_opening how, struct tv_error *err)
{
    char own[TV_STORE_OWNER_CAP];
    char owner[TV_STORE_OWNER_CAP];
    if ((store->database[0] && !store->cache[0]) || how == TV_STORE_READ ||
        place->owner == TV_FILES_OF_ANY)
        return TV_OK;
    TV_TRY(store->db.identify(store->db.ctx, own, err));
    enum tv_code code = store->files.read_owner(store->files.ctx, owner, err);
    if (code != TV_OK && code != TV_ERR_NOT_FOUND)
        return code;
    if (code == TV_OK && strcmp(owner, own) == 0)
        return TV_OK;
    if (code == TV_OK && place->owner != TV_FILES_TAKEN)
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                       "the files are of the database %s, and this is %s: each would remove what "
                       "came to the other; where that one is gone, run 'traceview store take'",
                       owner, own);
    return changes_nothing(how) ? TV_OK : store->files.write_owner(store->files.ctx, own, err);
}

/* Opens the files first, to know whether there are any: rows are the only truth of what exists, so
 * an empty database beside files must not be made or used. */
static enum tv_code open_both(struct tv_store *store, const struct tv_store_place *place,
                              const char *bucket, enum tv_store_opening how, struct tv_error *err)
{
    struct tv_hash name;
    size_t count = 0;
    struct tv_error reason = {.code = TV_OK};
    enum tv_code code = bucket[0] ? open_bucket(store, place, bucket, how, &reason)
                                  : open_folder(store, how, &reason);
    if (code == TV_OK)
        TV_TRY(store->files.list(store->files.ctx, NULL, &name, 1, &count, err));
    else if (bucket[0] || how == TV_STORE_MAKE)
        return tv_fail(err, code, TV_NO_OFFSET, "%s", reason.text);
    TV_TRY(open_db(store, place, how, count > 0, err));
    if (code != TV_OK && err)
        *err = reason;
    return code == TV_OK ? check_owner(store, place, how, err) : code;
}

/* Whether the address has a password: behind the user's name, or as a parameter. An address that
 * hides it otherwise libpq reads (tv_pg_check_url), when the store is opened. */
static bool has_password(const char *url)
{
    const char *authority = strstr(url, "://") + 3;
    const size_t len = strcspn(authority, "/?#");
    const char *end = memchr(authority, '@', len);
    return (end && memchr(authority, ':', (size_t)(end - authority))) ||
           strstr(authority + len, "password=");
}

static enum tv_code check_bucket(const char *files, struct tv_error *err)
{
#ifdef TV_HAS_S3
    struct tv_s3_place bucket;
    return tv_s3_place_read(&bucket, files, err);
#else
    (void)files, (void)err; /* opening it says why that cannot be */
    return TV_OK;
#endif
}

enum tv_code tv_store_check_place(const struct tv_store_place *place, struct tv_error *err)
{
    bool is_url = tv_store_is_url(place->rows);
    bool has_files = place->files && place->files[0];
    if (is_url && has_password(place->rows))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "a password has no place in an address, which logs and lists of processes "
                       "show: put it into a file (store-password-file, or ~/.pgpass)");
    if (is_url && !has_files)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "rows in PostgreSQL need a folder for the files, or a bucket: set files");
    if (!is_url && ((has_files && !tv_store_is_bucket(place->files)) ||
                    (place->password_file && place->password_file[0])))
        return tv_fail(
            err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
            "a folder as files, and store-password-file, belong to a store whose rows are "
            "in PostgreSQL: postgres://USER@HOST/DATABASE");
    return tv_store_is_bucket(place->files) ? check_bucket(place->files, err) : TV_OK;
}

/* The folder for drafts and copies where files are in a bucket. */
static enum tv_code find_cache(struct tv_store *store, const struct tv_store_place *place,
                               struct tv_error *err)
{
    if (!place->cache || !place->cache[0])
        return tv_path_cache(store->cache, "files", err);
    if (snprintf(store->cache, TV_PATH_CAP, "%s", place->cache) >= TV_PATH_CAP)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "%.100s...: the name is too long",
                       place->cache);
    return TV_OK;
}

/* Finds where the files are, the folder, and the database in it where it is there. */
static enum tv_code find_folder(struct tv_store *store, const struct tv_store_place *place,
                                enum tv_store_opening how, char bucket[TV_PATH_CAP],
                                struct tv_error *err)
{
    bool is_url = tv_store_is_url(place->rows);
    const char *files = place->files ? place->files : "";
    bucket[0] = '\0';
    TV_TRY(tv_store_check_place(place, err));
    if (!is_url)
        TV_TRY(tv_store_find_files(bucket, place->rows, files, how == TV_STORE_MAKE, store->alloc,
                                   err));
    else if (tv_store_is_bucket(files))
        (void)snprintf(bucket, TV_PATH_CAP, "%s", files);
    if (bucket[0])
        TV_TRY(find_cache(store, place, err));
    const char *folder = !is_url ? place->rows : bucket[0] ? store->cache : files;
    if (snprintf(store->folder, TV_PATH_CAP, "%s", folder) >= TV_PATH_CAP)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "%.100s...: the name is too long", folder);
    return is_url ? TV_OK : tv_store_path(store->database, folder, TV_STORE_DATABASE, err);
}

/* A backup that is opened as a store of its own is none any more: it would be renewed by what it is
 * a backup of, and lose its rows. */
static enum tv_code end_backup(const char *dir, struct tv_error *err)
{
    char mark[TV_PATH_CAP];
    TV_TRY(tv_store_path(mark, dir, TV_STORE_BACKUP_MARK, err));
    if (unlink(mark) == 0)
        return tv_store_sync_folder(dir, err);
    return errno == ENOENT ? TV_OK
                           : tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                                     "%.150s cannot be removed: %s", mark, strerror(errno));
}

/* Closing a store that is half open is safe, so every failure goes one way out. */
enum tv_code tv_store_open_place(struct tv_store *store, const struct tv_store_place *place,
                                 enum tv_store_opening how, const struct tv_alloc *alloc,
                                 struct tv_error *err)
{
    char bucket[TV_PATH_CAP];
    *store = (struct tv_store){.alloc = alloc};
    TV_TRY(find_folder(store, place, how, bucket, err));
    enum tv_code code = open_both(store, place, bucket, how, err);
    if (code == TV_OK && how == TV_STORE_MAKE && store->database[0])
        code = end_backup(place->rows, err);
    if (code != TV_OK)
        tv_store_close(store);
    return code;
}

int64_t tv_store_now(const struct tv_store *store, int64_t own)
{
    int64_t now;
    return store->db.clock && store->db.clock(store->db.ctx, &now, NULL) == TV_OK ? now : own;
}

static int64_t compare_with_database(const struct tv_store *store, int64_t (*own)(void))
{
    const int64_t before = own();
    int64_t now;
    if (!store->db.clock || store->db.clock(store->db.ctx, &now, NULL) != TV_OK)
        return 0;
    const int64_t after = own();
    return before > now ? before - now : after < now ? after - now : 0;
}

struct tv_store_clocks tv_store_compare_clocks(const struct tv_store *store, int64_t (*own)(void))
{
    return (struct tv_store_clocks){
        .database_s = compare_with_database(store, own),
        .files_s = store->files.ahead_s ? store->files.ahead_s(store->files.ctx) : 0};
}

void tv_store_close(struct tv_store *store)
{
    if (store->files.close)
        store->files.close(store->files.ctx);
    if (store->db.close)
        store->db.close(store->db.ctx);
    memset(store, 0, sizeof(*store));
}
