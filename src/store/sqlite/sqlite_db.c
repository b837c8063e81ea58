/*
 * The database of a store in SQLite; see store/sqlite/sqlite_db.h.
 *
 * The database is in WAL mode, so that reading goes on while somebody writes, and each commit waits
 * until the disk has it (synchronous=FULL). There are two connections, one that reads and one that
 * writes, each with a lock (sqlite/sql.h): a request that only asks does not wait for a commit.
 */
#include "store/sqlite/sqlite_db.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file/file.h"
#include "store/sqlite/calls.h"
#include "store/sqlite/schema.h"

/* Most faults of a damaged database that are told. */
#define FAULTS_MOST "100"

/* Both checks of SQLite answer with one line per fault, and the first with "ok" where there is
 * none. */
static enum tv_code check_lines(struct tv_sql *sql, const char *text, struct tv_buffer *faults,
                                struct tv_error *err)
{
    const struct tv_sql_statement *rows;
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

/* Reads the whole database; a store of a million rows takes seconds. FAULTS_MOST ends it early
 * where everything is broken. */
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
    if (code == TV_OK)
        code = check_lines(&sqlite->reader,
                           "SELECT 'it counts '||files||' files of '||bytes||' bytes, and has '"
                           "||has||' of '||sum FROM totals, (SELECT count(*) AS has,"
                           " coalesce(sum(bytes), 0) AS sum FROM files)"
                           " WHERE files<>has OR bytes<>sum",
                           faults, err);
    return tv_sql_end(&sqlite->reader, code, err);
}

static enum tv_code forget_deleted(void *ctx, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    return tv_sql_empty_wal(&sqlite->writer, err);
}

/* A copy of the file has another number, or where it lies on another disk was made at another time.
 */
static enum tv_code note_identity(struct tv_sqlite *sqlite, const char *path, struct tv_error *err)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%.150s cannot be opened: %s", path,
                       strerror(errno));
    (void)snprintf(sqlite->identity, sizeof(sqlite->identity), "sqlite %llu %lld",
                   (unsigned long long)status.st_ino, (long long)tv_file_made_ns(path));
    return TV_OK;
}

static enum tv_code identify(void *ctx, char identity[TV_STORE_OWNER_CAP], struct tv_error *err)
{
    const struct tv_sqlite *sqlite = ctx;
    (void)err; /* it was asked when the database was opened */
    memcpy(identity, sqlite->identity, TV_STORE_OWNER_CAP);
    return TV_OK;
}

static void close_db(void *ctx)
{
    struct tv_sqlite *sqlite = ctx;
    tv_sql_close(&sqlite->reader);
    tv_sql_close(&sqlite->writer);
    tv_alloc_release(sqlite->alloc, &sqlite, 1, sizeof(*sqlite));
}

/* What was written last may stand in the file beside the database, which nothing here may put back
 * into it: a backup of the store has none. */
static enum tv_code check_closed(const char *path, struct tv_error *err)
{
    struct tv_buffer beside;
    struct stat status;
    bool is_there = false;
    tv_buffer_init(&beside, tv_alloc_libc());
    enum tv_code code = tv_buffer_append(&beside, path, strlen(path), err);
    if (code == TV_OK)
        code = tv_buffer_append(&beside, "-wal", sizeof("-wal"), err);
    if (code == TV_OK)
        is_there = stat((const char *)beside.bytes, &status) == 0 && status.st_size > 0;
    tv_buffer_release(&beside);
    if (code == TV_OK && is_there)
        code = tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                       "the store is in use, or was not closed: serve a copy of it, which "
                       "'traceview store backup' makes");
    return code;
}

/* For whoever does not migrate it. */
static enum tv_code check_version(int64_t version, struct tv_error *err)
{
    return version == (int64_t)tv_schema.count
               ? TV_OK
               : tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                         "the store is of an earlier version of traceview (schema %lld, and this "
                         "program's is %zu): 'traceview store make' brings it to this one, and "
                         "the earlier program refuses it then",
                         (long long)version, tv_schema.count);
}

static enum tv_code open_read_only(struct tv_sqlite *sqlite,
                                   const struct tv_sqlite_opening *opening, struct tv_error *err)
{
    int64_t version;
    TV_TRY(check_closed(opening->path, err));
    sqlite->writer.is_read_only = sqlite->reader.is_read_only = true;
    TV_TRY(tv_sql_open(&sqlite->writer, opening->path, false, err));
    TV_TRY(tv_schema_check(&sqlite->writer, &tv_schema, &version, err));
    TV_TRY(check_version(version, err));
    return tv_sql_open(&sqlite->reader, opening->path, false, err);
}

/* An earlier version is read from a copy that SQLite keeps for this connection alone (the path "")
 * and that is migrated in place of the store. */
static enum tv_code read_migrated(struct tv_sqlite *sqlite, struct tv_error *err)
{
    TV_TRY(tv_sql_open(&sqlite->reader, "", true, err));
    TV_TRY(tv_sql_copy_database(&sqlite->writer, &sqlite->reader, err));
    return tv_schema_migrate(&sqlite->reader, &tv_schema, err);
}

static enum tv_code open_look(struct tv_sqlite *sqlite, const char *path, int64_t version,
                              struct tv_error *err)
{
    TV_TRY(version == (int64_t)tv_schema.count ? tv_sql_open(&sqlite->reader, path, false, err)
                                               : read_migrated(sqlite, err));
    TV_TRY(tv_sql_execute(&sqlite->writer, "PRAGMA query_only=ON", err));
    return tv_sql_execute(&sqlite->reader, "PRAGMA query_only=ON", err);
}

/* Refuses an empty database beside files before anything is written: the database was lost, and a
 * new one would let gc remove the files. */
static enum tv_code open_both(struct tv_sqlite *sqlite, const struct tv_sqlite_opening *opening,
                              struct tv_error *err)
{
    int64_t version;
    if (opening->is_read_only)
        return open_read_only(sqlite, opening, err);
    TV_TRY(tv_sql_open(&sqlite->writer, opening->path, opening->may_make, err));
    TV_TRY(tv_schema_check(&sqlite->writer, &tv_schema, &version, err));
    if (!version && opening->has_files)
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                       "the database of the store is empty or new, but there are files: bring back "
                       "a copy of the database, or remove the files");
    if (opening->is_look)
        return open_look(sqlite, opening->path, version, err);
    if (version && !opening->may_make)
        TV_TRY(check_version(version, err));
    TV_TRY(tv_sql_turn_wal_on(&sqlite->writer, err));
    TV_TRY(tv_schema_migrate(&sqlite->writer, &tv_schema, err));
    TV_TRY(tv_sql_open(&sqlite->reader, opening->path, false, err));
    return tv_sql_execute(&sqlite->reader, "PRAGMA query_only=ON", err);
}

/* Two connections: reading goes on while the other one writes, and a reader never waits for a
 * writer (WAL mode). */
enum tv_code tv_sqlite_db_open(struct tv_store_db *db, const struct tv_sqlite_opening *opening,
                               const struct tv_alloc *alloc, struct tv_error *err)
{
    struct tv_sqlite *sqlite = NULL;
    struct stat status;
    if (!opening->may_make && stat(opening->path, &status) != 0)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no store in that folder");
    TV_TRY(tv_alloc_new(alloc, &sqlite, 1, sizeof(*sqlite), err));
    sqlite->alloc = alloc;
    sqlite->writer.writes = true;
    (void)snprintf(sqlite->indexes, sizeof(sqlite->indexes), "%s",
                   opening->indexes ? opening->indexes : "");
    enum tv_code code = open_both(sqlite, opening, err);
    if (code == TV_OK)
        code = note_identity(sqlite, opening->path, err);
    if (code != TV_OK) {
        close_db(sqlite);
        return code;
    }
    *db = (struct tv_store_db){
        .ctx = sqlite,
        .claim_file = tv_sqlite_claim_file,
        .take_unneeded = tv_sqlite_take_unneeded,
        .take_dropped = tv_sqlite_take_dropped,
        .drop_claim = tv_sqlite_drop_claim,
        .forget_file = tv_sqlite_forget_file,
        .list_files = tv_sqlite_list_files,
        .add_trace = tv_sqlite_add_trace,
        .get_trace = tv_sqlite_get_trace,
        .find_md5 = tv_sqlite_find_md5,
        .change_trace = tv_sqlite_change_trace,
        .drop_trace = tv_sqlite_drop_trace,
        .drop_empty_upload = tv_sqlite_drop_empty_upload,
        .list_traces = tv_sqlite_list_traces,
        .find_other_projects = tv_sqlite_find_other_projects,
        .add_program_token = tv_sqlite_add_program_token,
        .find_program_token = tv_sqlite_find_program_token,
        .list_program_tokens = tv_sqlite_list_program_tokens,
        .list_all_program_tokens = tv_sqlite_list_all_program_tokens,
        .drop_program_token = tv_sqlite_drop_program_token,
        .add_delivery = tv_sqlite_add_delivery,
        .take_delivery = tv_sqlite_take_delivery,
        .end_delivery = tv_sqlite_end_delivery,
        .list_deliveries = tv_sqlite_list_deliveries,
        .count_deliveries = tv_sqlite_count_deliveries,
        .add_tallies = tv_sqlite_add_tallies,
        .set_tally = tv_sqlite_set_tally,
        .read_tallies = tv_sqlite_read_tallies,
        .get_upload = tv_sqlite_get_upload,
        .add_part = tv_sqlite_add_part,
        .get_parts = tv_sqlite_get_parts,
        .finish_upload = tv_sqlite_finish_upload,
        .choose_mappings = tv_sqlite_choose_mappings,
        .note_map_id = tv_sqlite_note_map_id,
        .lacks_md5 = tv_sqlite_lacks_md5,
        .note_md5 = tv_sqlite_note_md5,
        .counts_raw = tv_sqlite_counts_raw,
        .note_figures = tv_sqlite_note_figures,
        .note_mapping = tv_sqlite_note_mapping,
        .want_job = tv_sqlite_want_job,
        .take_job = tv_sqlite_take_job,
        .find_unserved = tv_sqlite_find_unserved,
        .find_left_job = tv_sqlite_find_left_job,
        .renew_job = tv_sqlite_renew_job,
        .end_job = tv_sqlite_end_job,
        .identify = identify,
        .retry_jobs = tv_sqlite_retry_jobs,
        .expire = tv_sqlite_expire,
        .drop_replaced = tv_sqlite_drop_replaced,
        .sums = tv_sqlite_sums,
        .sum_files = tv_sqlite_sum_files,
        .forget_deleted = forget_deleted,
        .check = check,
        .close = close_db,
    };
    return TV_OK;
}

/* Copies the database as it is at one moment, while others read and write it. */
enum tv_code tv_sqlite_db_copy(const char *from, const char *to, struct tv_error *err)
{
    struct tv_sql source = {.db = NULL};
    struct tv_sql target = {.db = NULL};
    enum tv_code code = tv_sql_open(&source, from, false, err);
    if (code == TV_OK)
        code = tv_sql_open(&target, to, true, err);
    if (code == TV_OK)
        code = tv_sql_copy_database(&source, &target, err);
    tv_sql_close(&target);
    tv_sql_close(&source);
    return code;
}
