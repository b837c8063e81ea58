/*
 * The database of a store in SQLite; see store/sqlite/sqlite_db.h.
 *
 * The database is in WAL mode, so that reading goes on while somebody writes, and each commit waits
 * until the disk has it (synchronous=FULL).
 */
#include "store/sqlite/sqlite_db.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/sqlite/calls.h"
#include "store/sqlite/schema.h"

/* A commit takes milliseconds: whoever waits longer than this waits for a process that hangs. */
#define BUSY_MS 30000
/* Faults of a damaged database that are told. */
#define FAULTS_MOST "100"

static enum tv_code execute(sqlite3 *db, const char *text, struct tv_error *err)
{
    return sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK ? TV_OK : tv_sql_failed(db, err);
}

/* The first to open a database turns WAL on; SQLite tells others at once that it is in use
 * meanwhile, without the wait that it has for other commands. */
static enum tv_code turn_wal_on(sqlite3 *db, struct tv_error *err)
{
    const struct timespec moment = {.tv_nsec = 5000000};
    for (unsigned i = 0; i < BUSY_MS / 5; i++) {
        int code = sqlite3_exec(db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
        if (code == SQLITE_OK)
            return TV_OK;
        if (code != SQLITE_BUSY)
            break;
        (void)nanosleep(&moment, NULL);
    }
    return tv_sql_failed(db, err);
}

static enum tv_code connect(struct tv_sql *sql, const char *path, int flags, struct tv_error *err)
{
    if (sqlite3_open_v2(path, &sql->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return sql->db ? tv_sql_failed(sql->db, err) : tv_fail_memory(err, sizeof(*sql));
    (void)sqlite3_extended_result_codes(sql->db, 0);
    (void)sqlite3_busy_timeout(sql->db, BUSY_MS);
    return execute(sql->db, "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON", err);
}

static void disconnect(struct tv_sql *sql)
{
    for (size_t i = 0; i < sql->statement_count; i++)
        (void)sqlite3_finalize(sql->statements[i].prepared);
    (void)sqlite3_close(sql->db);
    (void)pthread_mutex_destroy(&sql->lock);
}

static enum tv_code check_lines(struct tv_sql *sql, const char *text, struct tv_buffer *faults,
                                struct tv_error *err)
{
    sqlite3_stmt *rows;
    bool has = true;
    TV_TRY(tv_sql_query(sql, text, NULL, 0, &rows, err));
    for (;;) {
        TV_TRY(tv_sql_next(sql, rows, &has, err));
        if (!has)
            return TV_OK;
        struct tv_str line = tv_sql_column(rows, 0);
        if (tv_str_equal(line, TV_STR("ok")))
            continue;
        TV_TRY(tv_buffer_append(faults, "database: ", strlen("database: "), err));
        TV_TRY(tv_buffer_append(faults, line.at, line.len, err));
        TV_TRY(tv_buffer_append(faults, "\n", 1, err));
    }
}

static enum tv_code check(void *ctx, struct tv_buffer *faults, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    enum tv_code code =
        check_lines(&sqlite->reader, "PRAGMA integrity_check(" FAULTS_MOST ")", faults, err);
    if (code == TV_OK)
        code = check_lines(&sqlite->reader,
                           "SELECT 'a row of '||\"table\"||' names what is not in '||parent"
                           " FROM pragma_foreign_key_check LIMIT " FAULTS_MOST,
                           faults, err);
    return tv_sql_end(&sqlite->reader, code, err);
}

static void close_db(void *ctx)
{
    struct tv_sqlite *sqlite = ctx;
    disconnect(&sqlite->reader);
    disconnect(&sqlite->writer);
    tv_alloc_release(sqlite->alloc, &sqlite, 1, sizeof(*sqlite));
}

static enum tv_code open_both(struct tv_sqlite *sqlite, const char *path, bool may_make,
                              struct tv_error *err)
{
    int flags = SQLITE_OPEN_READWRITE;
    TV_TRY(connect(&sqlite->writer, path, flags | (may_make ? SQLITE_OPEN_CREATE : 0), err));
    TV_TRY(tv_schema_check(sqlite->writer.db, &tv_schema, err));
    TV_TRY(turn_wal_on(sqlite->writer.db, err));
    TV_TRY(tv_schema_migrate(sqlite->writer.db, &tv_schema, err));
    TV_TRY(connect(&sqlite->reader, path, flags, err));
    return execute(sqlite->reader.db, "PRAGMA query_only=ON", err);
}

enum tv_code tv_sqlite_db_open(struct tv_store_db *db, const char *path, bool may_make,
                               const struct tv_alloc *alloc, struct tv_error *err)
{
    struct tv_sqlite *sqlite = NULL;
    struct stat status;
    if (!may_make && stat(path, &status) != 0)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no store in that folder");
    TV_TRY(tv_alloc_new(alloc, &sqlite, 1, sizeof(*sqlite), err));
    sqlite->alloc = alloc;
    sqlite->writer.writes = true;
    (void)pthread_mutex_init(&sqlite->writer.lock, NULL);
    (void)pthread_mutex_init(&sqlite->reader.lock, NULL);
    enum tv_code code = open_both(sqlite, path, may_make, err);
    if (code != TV_OK) {
        close_db(sqlite);
        return code;
    }
    *db = (struct tv_store_db){
        .ctx = sqlite,
        .claim_file = tv_sqlite_claim_file,
        .take_unneeded = tv_sqlite_take_unneeded,
        .forget_file = tv_sqlite_forget_file,
        .list_files = tv_sqlite_list_files,
        .add_trace = tv_sqlite_add_trace,
        .get_trace = tv_sqlite_get_trace,
        .find_md5 = tv_sqlite_find_md5,
        .change_trace = tv_sqlite_change_trace,
        .drop_trace = tv_sqlite_drop_trace,
        .drop_empty_upload = tv_sqlite_drop_empty_upload,
        .list_traces = tv_sqlite_list_traces,
        .get_upload = tv_sqlite_get_upload,
        .add_part = tv_sqlite_add_part,
        .get_parts = tv_sqlite_get_parts,
        .finish_upload = tv_sqlite_finish_upload,
        .want_job = tv_sqlite_want_job,
        .take_job = tv_sqlite_take_job,
        .renew_job = tv_sqlite_renew_job,
        .end_job = tv_sqlite_end_job,
        .expire = tv_sqlite_expire,
        .sums = tv_sqlite_sums,
        .check = check,
        .close = close_db,
    };
    return TV_OK;
}

static enum tv_code copy(sqlite3 *from, sqlite3 *to, struct tv_error *err)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
    if (!backup)
        return tv_sql_failed(to, err);
    int step = sqlite3_backup_step(backup, -1);
    int end = sqlite3_backup_finish(backup);
    return step == SQLITE_DONE && end == SQLITE_OK ? TV_OK : tv_sql_failed(to, err);
}

/* The copy is made in one step, of the database as it is when the step begins; others read and
 * write meanwhile. */
enum tv_code tv_sqlite_db_copy(const char *from, const char *to, struct tv_error *err)
{
    struct tv_sql source = {.db = NULL};
    struct tv_sql target = {.db = NULL};
    (void)pthread_mutex_init(&source.lock, NULL);
    (void)pthread_mutex_init(&target.lock, NULL);
    enum tv_code code = connect(&source, from, SQLITE_OPEN_READWRITE, err);
    if (code == TV_OK)
        code = connect(&target, to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err);
    if (code == TV_OK)
        code = copy(source.db, target.db, err);
    disconnect(&source);
    disconnect(&target);
    return code;
}
