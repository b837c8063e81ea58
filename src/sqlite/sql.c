/*
 * Connections, statements and transactions; see sqlite/sql.h.
 *
 * Prepared statements are kept in a small table of the connection and found by the address of their
 * text, so text is never compared. Each failure of SQLite becomes one error of ours in one place
 * (failed), where a full disk is told apart from all else.
 */
#include "sqlite/sql.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/text/out.h"
#include "base/text/percent.h"
#include "base/units.h"
#include "os/clock.h"
#include "os/file/paths.h"
#include "os/file/unnamed_file.h"
#include "os/waits.h"

/* A commit takes milliseconds: whoever waits longer than this waits for a process that hangs. */
#define BUSY_MS 30000u
/* What is left at least of that for whoever waited for other threads meanwhile. */
#define BUSY_LEAST_MS 20u

/* A store has more than one database. The name is SQLite's own copy; of one that could not be
 * opened there may be none. */
static const char *name_of(sqlite3 *db)
{
    const char *path = sqlite3_db_filename(db, "main");
    return path && path[0] ? tv_file_name_of(path) : "a database";
}

/* What may work a moment later is told apart: another process has the database, and has stood still
 * for longer than a statement waits. So is a full disk. SQLite knows ENOSPC; of a user's share of
 * the disk, or of the longest file that is allowed, it tells that writing failed, and leaves the
 * reason in errno. */
static enum tv_code failed(sqlite3 *db, struct tv_error *err)
{
    int code = sqlite3_errcode(db);
    if (code == SQLITE_NOMEM)
        return tv_fail(err, TV_ERR_MEMORY, TV_NO_OFFSET, "not enough memory for SQLite");
    if (code == SQLITE_FULL || (code == SQLITE_IOERR && tv_is_no_room(errno)))
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "the store has no room: the disk is full");
    if (code == SQLITE_BUSY || code == SQLITE_PROTOCOL)
        return tv_fail(err, TV_ERR_AWAY, TV_NO_OFFSET,
                       "%s of the store is locked by a process that does not go on", name_of(db));
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "SQLite cannot use %s of the store: %s",
                   name_of(db), sqlite3_errmsg(db));
}

/* Statements without parameters that run once: PRAGMAs, BEGIN and the steps of a schema. Text of
 * others never comes here, since it would need quoting. */
enum tv_code tv_sql_execute(struct tv_sql *sql, const char *text, struct tv_error *err)
{
    return sqlite3_exec(sql->db, text, NULL, NULL, NULL) == SQLITE_OK ? TV_OK
                                                                      : failed(sql->db, err);
}

/* A database that nothing writes is opened without locks and without files beside it, so it may lie
 * on a disk that takes none. Of a URI everything but letters and digits is escaped. */
static int open_read_only(struct tv_sql *sql, const char *path)
{
    struct tv_buffer uri;
    struct tv_out out;
    int code = SQLITE_NOMEM;
    tv_buffer_init(&uri, tv_alloc_libc());
    tv_out_init(&out, tv_buffer_sink(&uri));
    tv_out_text(&out, TV_STR("file:"));
    tv_percent_put(&out, tv_str_from(path));
    tv_out_text(&out, TV_STR("?immutable=1"));
    tv_out_bytes(&out, "", 1);
    if (tv_out_finish(&out, NULL) == TV_OK)
        code = sqlite3_open_v2((const char *)uri.bytes, &sql->db,
                               SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, NULL);
    tv_buffer_release(&uri);
    return code;
}

/* A file in the folder of the database, for a moment. Its name is taken away at once where it must
 * have one. */
static int open_beside(const char *path)
{
    char beside[TV_PATH_CAP];
    int fd = tv_unnamed_file_open(path, 0600);
    if (fd >= 0 || snprintf(beside, sizeof(beside), "%s-lock-XXXXXX", path) >= (int)sizeof(beside))
        return fd;
    fd = mkstemp(beside);
    if (fd >= 0)
        (void)unlink(beside);
    return fd;
}

/* SQLite says of a file system that refuses locks, as one over a network may, that the database is
 * locked, and waits for it. The database itself is not tried: closing it would end SQLite's locks.
 */
static enum tv_code check_locks(const char *path, struct tv_error *err)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open_beside(path);
    bool is_refused = fd >= 0 && fcntl(fd, F_SETLK, &lock) != 0;
    if (fd >= 0)
        (void)close(fd);
    if (!is_refused)
        return TV_OK;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                   "%s cannot be locked: its file system has no locks: the folder of a store "
                   "belongs on a disk of this machine",
                   tv_file_name_of(path));
}

/* SQLite makes files that all may read, and gives those beside the database its mode: whoever reads
 * the one of a site has the links of all traces. A failure is SQLite's to tell. */
static void make_private(const char *path)
{
    const int made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
    if (made >= 0)
        (void)close(made);
}

/* Foreign keys are not checked unless each connection asks for it, a commit waits for the disk only
 * with synchronous=FULL, and what is deleted stays in the file unless it is overwritten. */
enum tv_code tv_sql_open(struct tv_sql *sql, const char *path, bool may_make, struct tv_error *err)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    sql->was_opened = true;
    (void)pthread_mutex_init(&sql->lock, NULL);
    if (!sql->is_read_only)
        TV_TRY(check_locks(path, err));
    if (may_make && strcmp(path, ":memory:") != 0)
        make_private(path);
    int code =
        sql->is_read_only
            ? open_read_only(sql, path)
            : sqlite3_open_v2(path, &sql->db, flags | (may_make ? SQLITE_OPEN_CREATE : 0), NULL);
    if (code != SQLITE_OK)
        return sql->db ? failed(sql->db, err) : tv_fail_memory(err, sizeof(*sql));
    (void)sqlite3_extended_result_codes(sql->db, 0);
    if (!sql->busy_ms)
        sql->busy_ms = BUSY_MS;
    (void)sqlite3_busy_timeout(sql->db, (int)sql->busy_ms);
    return tv_sql_execute(
        sql, "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON", err);
}

/* Statements go first, because SQLite refuses to close a connection that has any. */
void tv_sql_close(struct tv_sql *sql)
{
    if (!sql->was_opened)
        return;
    for (size_t i = 0; i < sql->statement_count; i++)
        (void)sqlite3_finalize(sql->statements[i].prepared);
    (void)sqlite3_close(sql->db);
    (void)pthread_mutex_destroy(&sql->lock);
}

/* The first to open a database turns WAL on; SQLite tells others at once that it is in use
 * meanwhile, without the wait that it has for other commands. */
enum tv_code tv_sql_turn_wal_on(struct tv_sql *sql, struct tv_error *err)
{
    const struct timespec moment = {.tv_nsec = 5000000};
    for (unsigned i = 0; i < BUSY_MS / 5; i++) {
        int code = sqlite3_exec(sql->db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
        if (code == SQLITE_OK)
            return TV_OK;
        if (code != SQLITE_BUSY)
            break;
        (void)nanosleep(&moment, NULL);
    }
    return failed(sql->db, err);
}

/* While it waits for readers nobody can write, so it waits for less than anybody notices. */
enum tv_code tv_sql_empty_wal(struct tv_sql *sql, struct tv_error *err)
{
    tv_wait_expect();
    (void)pthread_mutex_lock(&sql->lock);
    (void)sqlite3_busy_timeout(sql->db, (int)BUSY_LEAST_MS);
    int result = sqlite3_wal_checkpoint_v2(sql->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    enum tv_code code = result == SQLITE_OK || result == SQLITE_BUSY ? TV_OK : failed(sql->db, err);
    (void)sqlite3_busy_timeout(sql->db, (int)sql->busy_ms);
    (void)pthread_mutex_unlock(&sql->lock);
    return code;
}

/* All pages in one step: between two steps another connection might write, and SQLite would begin
 * the copy again, without end on a busy site. */
enum tv_code tv_sql_copy_database(struct tv_sql *from, struct tv_sql *to, struct tv_error *err)
{
    sqlite3_backup *backup = sqlite3_backup_init(to->db, "main", from->db, "main");
    if (!backup)
        return failed(to->db, err);
    int step = sqlite3_backup_step(backup, -1);
    int end = sqlite3_backup_finish(backup);
    return step == SQLITE_DONE && end == SQLITE_OK ? TV_OK : failed(to->db, err);
}

/* The statement is not kept: it asks what is wanted once per connection, such as the version of the
 * schema. */
enum tv_code tv_sql_ask(struct tv_sql *sql, const char *text, int64_t *number, struct tv_error *err)
{
    sqlite3_stmt *rows = NULL;
    bool has = sqlite3_prepare_v2(sql->db, text, -1, &rows, NULL) == SQLITE_OK &&
               sqlite3_step(rows) == SQLITE_ROW;
    enum tv_code code = has ? TV_OK : failed(sql->db, err);
    *number = has ? sqlite3_column_int64(rows, 0) : 0;
    (void)sqlite3_finalize(rows);
    return code;
}

/* SQLite itself takes a transaction back after some failures (a full disk, a lack of memory); a
 * second ROLLBACK would then be an error of its own, so it is asked first. */
void tv_sql_take_back(struct tv_sql *sql)
{
    if (!sqlite3_get_autocommit(sql->db))
        (void)sqlite3_exec(sql->db, "ROLLBACK", NULL, NULL, NULL);
}

/* The table never loses an entry, so a pointer into it stays good as long as the connection. */
static enum tv_code prepare(struct tv_sql *sql, const char *text,
                            const struct tv_sql_statement **prepared, struct tv_error *err)
{
    for (size_t i = 0; i < sql->statement_count; i++) {
        if (sql->statements[i].text == text) {
            *prepared = &sql->statements[i];
            return TV_OK;
        }
    }
    if (sql->statement_count == TV_SQL_STATEMENTS)
        return tv_fail(
            err, TV_ERR_SYSTEM, TV_NO_OFFSET,
            "a fault of this program: one connection has more than %u different statements",
            TV_SQL_STATEMENTS);
    struct tv_sql_statement *made = &sql->statements[sql->statement_count];
    if (sqlite3_prepare_v3(sql->db, text, -1, SQLITE_PREPARE_PERSISTENT, &made->prepared, NULL) !=
        SQLITE_OK)
        return failed(sql->db, err);
    made->text = text;
    sql->statement_count++;
    *prepared = made;
    return TV_OK;
}

/* An empty text is bound as "" and not by a NULL pointer, which SQLite would store as NULL. */
static int bind(sqlite3_stmt *prepared, int parameter, const struct tv_sql_value *value)
{
    switch (value->kind) {
    case TV_SQL_INT:
        return sqlite3_bind_int64(prepared, parameter, value->number);
    case TV_SQL_TEXT:
        return sqlite3_bind_text64(prepared, parameter, value->text.len ? value->text.at : "",
                                   value->text.len, SQLITE_STATIC, SQLITE_UTF8);
    case TV_SQL_NULL:
        break;
    }
    return sqlite3_bind_null(prepared, parameter);
}

/* Texts are bound without a copy (SQLITE_STATIC), so bindings are cleared before their owner may
 * free them. */
void tv_sql_leave(const struct tv_sql_statement *rows)
{
    (void)sqlite3_reset(rows->prepared);
    (void)sqlite3_clear_bindings(rows->prepared);
}

enum tv_code tv_sql_query(struct tv_sql *sql, const char *text, const struct tv_sql_value *values,
                          size_t count, const struct tv_sql_statement **rows, struct tv_error *err)
{
    TV_TRY(prepare(sql, text, rows, err));
    for (size_t i = 0; i < count; i++)
        if (bind((*rows)->prepared, (int)i + 1, &values[i]) != SQLITE_OK)
            return failed(sql->db, err);
    return TV_OK;
}

/* errno is cleared first, because `failed` looks at it to tell a full disk from other failures of
 * writing. */
enum tv_code tv_sql_next(struct tv_sql *sql, const struct tv_sql_statement *rows, bool *has,
                         struct tv_error *err)
{
    enum tv_code code = TV_OK;
    errno = 0;
    int step = sqlite3_step(rows->prepared);
    *has = step == SQLITE_ROW;
    if (*has)
        return TV_OK;
    if (step != SQLITE_DONE)
        code = failed(sql->db, err);
    tv_sql_leave(rows);
    return code;
}

/* Steps to the end also where rows come: a statement that was left in its middle holds a lock. */
enum tv_code tv_sql_run(struct tv_sql *sql, const char *text, const struct tv_sql_value *values,
                        size_t count, uint64_t *changed, struct tv_error *err)
{
    const struct tv_sql_statement *rows;
    bool has = true;
    TV_TRY(tv_sql_query(sql, text, values, count, &rows, err));
    while (has)
        TV_TRY(tv_sql_next(sql, rows, &has, err));
    if (changed)
        *changed = (uint64_t)sqlite3_changes64(sql->db);
    return TV_OK;
}

int64_t tv_sql_number(const struct tv_sql_statement *rows, int column)
{
    return sqlite3_column_int64(rows->prepared, column);
}

/* The first row alone is read. It is left in its middle, so the statement is reset here and not by
 * tv_sql_next. */
enum tv_code tv_sql_numbers(struct tv_sql *sql, const char *text, const struct tv_sql_value *values,
                            size_t count, int64_t *numbers, size_t number_count, bool *has,
                            struct tv_error *err)
{
    const struct tv_sql_statement *rows;
    memset(numbers, 0, number_count * sizeof(*numbers));
    TV_TRY(tv_sql_query(sql, text, values, count, &rows, err));
    TV_TRY(tv_sql_next(sql, rows, has, err));
    if (!*has)
        return TV_OK;
    for (size_t i = 0; i < number_count; i++)
        numbers[i] = tv_sql_number(rows, (int)i);
    tv_sql_leave(rows);
    return TV_OK;
}

struct tv_str tv_sql_column(const struct tv_sql_statement *rows, int column)
{
    const char *at = (const char *)sqlite3_column_text(rows->prepared, column);
    return (struct tv_str){at, at ? (size_t)sqlite3_column_bytes(rows->prepared, column) : 0};
}

/* SQLite's own copy of the text is gone with the next row, so what outlives the row is copied into
 * the arena. */
enum tv_code tv_sql_keep(const struct tv_sql_statement *rows, int column, struct tv_arena *arena,
                         struct tv_str *text, struct tv_error *err)
{
    struct tv_str in_row = tv_sql_column(rows, column);
    *text = (struct tv_str){NULL, 0};
    return in_row.len ? tv_arena_keep(arena, in_row, text, err) : TV_OK;
}

void tv_sql_copy(const struct tv_sql_statement *rows, int column, char *room, size_t cap)
{
    struct tv_str text = tv_sql_column(rows, column);
    size_t len = text.len < cap ? text.len : cap - 1;
    if (len)
        memcpy(room, text.at, len);
    room[len] = '\0';
}

static const struct tv_sql_value no_values[1];

/* Threads wait for a process that hangs beside each other, not each as long as all before it: what
 * one waited for the connection is a part of its wait. */
static enum tv_code begin_by(struct tv_sql *sql, uint64_t since_ns, struct tv_error *err)
{
    const uint64_t waited = tv_passed_ns(since_ns, tv_now_ns()) / TV_NS_PER_MS;
    const uint64_t left =
        waited + BUSY_LEAST_MS < sql->busy_ms ? sql->busy_ms - waited : BUSY_LEAST_MS;
    (void)sqlite3_busy_timeout(sql->db, (int)left);
    enum tv_code code = tv_sql_run(sql, "BEGIN IMMEDIATE", no_values, 0, NULL, err);
    (void)sqlite3_busy_timeout(sql->db, (int)sql->busy_ms);
    return code;
}

/* The lock is held from here to tv_sql_end, so a connection that threads share has one transaction
 * at a time. "IMMEDIATE" takes the lock of the database at once: a transaction that reads first and
 * writes later could otherwise fail in the middle. */
enum tv_code tv_sql_begin(struct tv_sql *sql, struct tv_error *err)
{
    /* Whoever writes waits for other processes that write, and whoever reads for the disk. */
    tv_wait_expect();
    const uint64_t since_ns = tv_now_ns();
    (void)pthread_mutex_lock(&sql->lock);
    enum tv_code code = sql->writes ? begin_by(sql, since_ns, err)
                                    : tv_sql_run(sql, "BEGIN", no_values, 0, NULL, err);
    if (code != TV_OK)
        (void)pthread_mutex_unlock(&sql->lock);
    return code;
}

enum tv_code tv_sql_end(struct tv_sql *sql, enum tv_code code, struct tv_error *err)
{
    if (code == TV_OK)
        code = tv_sql_run(sql, "COMMIT", no_values, 0, NULL, err);
    /* A statement that was left in its middle would hold the state of the database as it was. */
    for (size_t i = 0; code != TV_OK && i < sql->statement_count; i++)
        tv_sql_leave(&sql->statements[i]);
    if (code != TV_OK)
        tv_sql_take_back(sql);
    (void)pthread_mutex_unlock(&sql->lock);
    return code;
}
