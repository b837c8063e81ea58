/*
 * SQLite on an open file; see sqlite/spooled.h.
 *
 * The file is written once by one thread and then copied out, so all that protects a database costs
 * nothing here: no journal, no locks, no sync. Functions of the file system that would need a
 * second file refuse or do nothing. Clock and random bytes are constants, so the same rows make the
 * same file. The first failure of the file is kept, since SQLite only passes on a number.
 */
#include "sqlite/spooled.h"

#include <stdio.h>
#include <string.h>

/* A page is what is read and written at a time; the largest that SQLite has makes the fewest. */
#define SETTINGS                                                                                   \
    "PRAGMA page_size=16384; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"                     \
    "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-16384;"           \
    "PRAGMA encoding='UTF-8'"

/* The name that the file has inside SQLite. */
static const char FILE_NAME[] = "database";

struct open_file {
    sqlite3_file base;
    struct tv_sqlite_file *sqlite;
    const struct tv_spool *spool; /* the database's, or `own` */
    struct tv_spool own;          /* of a file of intermediate results */
};

static struct tv_sqlite_file *sqlite_of(sqlite3_file *file)
{
    return ((struct open_file *)(void *)file)->sqlite;
}

static const struct tv_spool *spool_of(sqlite3_file *file)
{
    return ((struct open_file *)(void *)file)->spool;
}

/* Only the first failure tells why. */
static struct tv_error *error_of(struct tv_sqlite_file *sqlite, struct tv_error *unused)
{
    return sqlite->error.code == TV_OK ? &sqlite->error : unused;
}

/* The spool of the database is its owner's. */
static int close_file(sqlite3_file *file)
{
    struct open_file *opened = (struct open_file *)(void *)file;
    tv_spool_release(&opened->own);
    return SQLITE_OK;
}

static int read_file(sqlite3_file *file, void *bytes, int len, sqlite3_int64 off)
{
    struct tv_sqlite_file *sqlite = sqlite_of(file);
    struct tv_error unused;
    size_t got = 0;
    if (tv_spool_read_at(spool_of(file), (uint64_t)off, bytes, (size_t)len, &got,
                         error_of(sqlite, &unused)) != TV_OK)
        return SQLITE_IOERR_READ;
    if (got == (size_t)len)
        return SQLITE_OK;
    memset((char *)bytes + got, 0, (size_t)len - got); /* SQLite relies on zeros behind the end */
    return SQLITE_IOERR_SHORT_READ;
}

static int write_file(sqlite3_file *file, const void *bytes, int len, sqlite3_int64 off)
{
    struct tv_sqlite_file *sqlite = sqlite_of(file);
    struct tv_error unused;
    enum tv_code code = tv_spool_write_at(spool_of(file), (uint64_t)off, bytes, (size_t)len,
                                          error_of(sqlite, &unused));
    return code == TV_OK ? SQLITE_OK : SQLITE_IOERR_WRITE;
}

static int cut_file(sqlite3_file *file, sqlite3_int64 len)
{
    struct tv_sqlite_file *sqlite = sqlite_of(file);
    struct tv_error unused;
    enum tv_code code = tv_spool_cut(spool_of(file), (uint64_t)len, error_of(sqlite, &unused));
    return code == TV_OK ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

/* The file is nobody's database yet: what matters is only that it can be read back by this process.
 */
static int sync_file(sqlite3_file *file, int flags)
{
    (void)file;
    (void)flags;
    return SQLITE_OK;
}

static int len_of_file(sqlite3_file *file, sqlite3_int64 *len)
{
    struct tv_sqlite_file *sqlite = sqlite_of(file);
    struct tv_error unused;
    uint64_t bytes = 0;
    enum tv_code code = tv_spool_file_len(spool_of(file), &bytes, error_of(sqlite, &unused));
    *len = (sqlite3_int64)bytes;
    return code == TV_OK ? SQLITE_OK : SQLITE_IOERR_FSTAT;
}

/* Nobody else has the file. */
static int lock_file(sqlite3_file *file, int level)
{
    (void)file;
    (void)level;
    return SQLITE_OK;
}

static int check_lock(sqlite3_file *file, int *is_locked)
{
    (void)file;
    *is_locked = 0;
    return SQLITE_OK;
}

static int control_file(sqlite3_file *file, int what, void *argument)
{
    (void)file;
    (void)what;
    (void)argument;
    return SQLITE_NOTFOUND;
}

/* What SQLite rounds its writes to. Nothing depends on it without a journal. */
static int sector_len(sqlite3_file *file)
{
    (void)file;
    return 4096;
}

static int characteristics(sqlite3_file *file)
{
    (void)file;
    return 0;
}

static const sqlite3_io_methods METHODS = {
    .iVersion = 1,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = cut_file,
    .xSync = sync_file,
    .xFileSize = len_of_file,
    .xLock = lock_file,
    .xUnlock = lock_file,
    .xCheckReservedLock = check_lock,
    .xFileControl = control_file,
    .xSectorSize = sector_len,
    .xDeviceCharacteristics = characteristics,
};

/* Intermediate results, where the settings do not keep them in memory, get spools of their own. Any
 * other file would be a journal, and there is none. */
static int open_file(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                     int *flags_out)
{
    struct open_file *opened = (struct open_file *)(void *)file;
    (void)name;
    *opened = (struct open_file){.sqlite = vfs->pAppData};
    tv_spool_init(&opened->own);
    opened->spool = opened->sqlite->spool;
    if (flags & (SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_TEMP_JOURNAL)) {
        struct tv_error unused;
        opened->spool = &opened->own;
        if (tv_spool_open(&opened->own, 0, error_of(opened->sqlite, &unused)) != TV_OK)
            return SQLITE_CANTOPEN;
    } else if (!(flags & SQLITE_OPEN_MAIN_DB)) {
        return SQLITE_CANTOPEN;
    }
    opened->base.pMethods = &METHODS;
    if (flags_out)
        *flags_out = flags;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int is_synced)
{
    (void)vfs;
    (void)name;
    (void)is_synced;
    return SQLITE_OK;
}

/* SQLite asks for journals and the like, none of which exist. */
static int look_for_file(sqlite3_vfs *vfs, const char *name, int flags, int *is_there)
{
    (void)vfs;
    (void)flags;
    *is_there = strcmp(name, FILE_NAME) == 0;
    return SQLITE_OK;
}

static int whole_name(sqlite3_vfs *vfs, const char *name, int cap, char *out)
{
    (void)vfs;
    return snprintf(out, (size_t)cap, "%s", name) < cap ? SQLITE_OK : SQLITE_CANTOPEN;
}

/* Always the same bytes, so that a file that is made again is the same file. */
static int take_random(sqlite3_vfs *vfs, int len, char *out)
{
    (void)vfs;
    memset(out, 0, (size_t)len);
    return len;
}

static int take_nap(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    return microseconds;
}

/* A constant, so that nothing in the file depends on when it was made. */
static int tell_time(sqlite3_vfs *vfs, double *days)
{
    (void)vfs;
    *days = 0;
    return SQLITE_OK;
}

static int tell_last_error(sqlite3_vfs *vfs, int cap, char *out)
{
    (void)vfs;
    if (cap > 0)
        out[0] = '\0';
    return 0;
}

static enum tv_code failed(const struct tv_sqlite_file *sqlite, struct tv_error *err)
{
    if (sqlite->error.code != TV_OK) {
        if (err)
            *err = sqlite->error;
        return sqlite->error.code;
    }
    int code = sqlite->db ? sqlite3_errcode(sqlite->db) : SQLITE_NOMEM;
    if (code == SQLITE_NOMEM)
        return tv_fail(err, TV_ERR_MEMORY, TV_NO_OFFSET, "not enough memory for SQLite");
    return tv_fail(err, code == SQLITE_FULL || code == SQLITE_TOOBIG ? TV_ERR_LIMIT : TV_ERR_SYSTEM,
                   TV_NO_OFFSET, "SQLite cannot write the database: %s",
                   sqlite3_errmsg(sqlite->db));
}

enum tv_code tv_sqlite_file_run(struct tv_sqlite_file *sqlite, const char *sql,
                                struct tv_error *err)
{
    return sqlite3_exec(sqlite->db, sql, NULL, NULL, NULL) == SQLITE_OK ? TV_OK
                                                                        : failed(sqlite, err);
}

/* The outcome of a call of SQLite. SQLite keeps the text of its last error in the connection, where
 * `failed` finds it. */
static enum tv_code outcome(const struct tv_sqlite_file *sqlite, int code, struct tv_error *err)
{
    return code == SQLITE_OK ? TV_OK : failed(sqlite, err);
}

enum tv_code tv_sqlite_file_begin_rows(struct tv_sqlite_file *sqlite, const char *sql,
                                       struct tv_error *err)
{
    return outcome(
        sqlite,
        sqlite3_prepare_v3(sqlite->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &sqlite->insert, NULL),
        err);
}

enum tv_code tv_sqlite_file_set_null(struct tv_sqlite_file *sqlite, int parameter,
                                     struct tv_error *err)
{
    return outcome(sqlite, sqlite3_bind_null(sqlite->insert, parameter), err);
}

enum tv_code tv_sqlite_file_set_int(struct tv_sqlite_file *sqlite, int parameter, int64_t number,
                                    struct tv_error *err)
{
    return outcome(sqlite, sqlite3_bind_int64(sqlite->insert, parameter, number), err);
}

enum tv_code tv_sqlite_file_set_text(struct tv_sqlite_file *sqlite, int parameter,
                                     struct tv_str text, struct tv_error *err)
{
    return outcome(sqlite,
                   sqlite3_bind_text64(sqlite->insert, parameter, text.len ? text.at : "", text.len,
                                       SQLITE_STATIC, SQLITE_UTF8),
                   err);
}

/* Values stay bound after the reset; begin_rows demands that every one of them is set anew for each
 * row. */
enum tv_code tv_sqlite_file_add_row(struct tv_sqlite_file *sqlite, struct tv_error *err)
{
    bool is_done = sqlite3_step(sqlite->insert) == SQLITE_DONE;
    return is_done && sqlite3_reset(sqlite->insert) == SQLITE_OK ? TV_OK : failed(sqlite, err);
}

enum tv_code tv_sqlite_file_end_rows(struct tv_sqlite_file *sqlite, struct tv_error *err)
{
    int code = sqlite3_finalize(sqlite->insert);
    sqlite->insert = NULL;
    return outcome(sqlite, code, err);
}

/* The functions that load extensions stay NULL: none is loaded. */
static void describe_vfs(struct tv_sqlite_file *sqlite)
{
    (void)snprintf(sqlite->name, sizeof(sqlite->name), "traceview-%p", (void *)sqlite);
    sqlite->vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = sizeof(struct open_file),
        .mxPathname = 64,
        .zName = sqlite->name,
        .pAppData = sqlite,
        .xOpen = open_file,
        .xDelete = delete_file,
        .xAccess = look_for_file,
        .xFullPathname = whole_name,
        .xRandomness = take_random,
        .xSleep = take_nap,
        .xCurrentTime = tell_time,
        .xGetLastError = tell_last_error,
    };
}

/* Returns whether SQLite could write what waited. */
static bool close_database(struct tv_sqlite_file *sqlite)
{
    bool is_closed = sqlite3_close(sqlite->db) == SQLITE_OK;
    sqlite->db = NULL;
    if (sqlite->spool)
        (void)sqlite3_vfs_unregister(&sqlite->vfs);
    sqlite->spool = NULL;
    return is_closed && sqlite->error.code == TV_OK;
}

enum tv_code tv_sqlite_file_close(struct tv_sqlite_file *sqlite, struct tv_error *err)
{
    return close_database(sqlite) ? TV_OK : failed(sqlite, err);
}

/* Finalizes the statement first: SQLite does not close a connection that has statements. */
void tv_sqlite_file_abandon(struct tv_sqlite_file *sqlite)
{
    (void)sqlite3_finalize(sqlite->insert);
    sqlite->insert = NULL;
    (void)close_database(sqlite);
}

/* The name of the file system has the address of the struct in it, so several such files can be
 * open at once. */
enum tv_code tv_sqlite_file_open(struct tv_sqlite_file *sqlite, const struct tv_spool *spool,
                                 struct tv_error *err)
{
    *sqlite = (struct tv_sqlite_file){.spool = spool, .error = {.code = TV_OK}};
    describe_vfs(sqlite);
    if (sqlite3_vfs_register(&sqlite->vfs, 0) != SQLITE_OK)
        return failed(sqlite, err);
    int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    enum tv_code code = TV_OK;
    if (sqlite3_open_v2(FILE_NAME, &sqlite->db, flags, sqlite->name) != SQLITE_OK)
        code = failed(sqlite, err);
    if (code == TV_OK)
        code = tv_sqlite_file_run(sqlite, SETTINGS, err);
    if (code != TV_OK)
        tv_sqlite_file_abandon(sqlite);
    return code;
}
