/* Statements and transactions; see store/sqlite/run.h. */
#include "store/sqlite/run.h"

#include <errno.h>
#include <string.h>

#include "os/file/paths.h"

struct tv_sql_value tv_sql_int(int64_t number)
{
    return (struct tv_sql_value){.kind = TV_SQL_INT, .number = number};
}

struct tv_sql_value tv_sql_count(uint64_t count)
{
    return tv_sql_int(count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

struct tv_sql_value tv_sql_text(struct tv_str text)
{
    return (struct tv_sql_value){.kind = TV_SQL_TEXT, .text = text};
}

struct tv_sql_value tv_sql_or_null(struct tv_str text)
{
    return text.len ? tv_sql_text(text) : (struct tv_sql_value){.kind = TV_SQL_NULL};
}

struct tv_sql_value tv_sql_hex(const char *digits)
{
    return tv_sql_or_null(tv_str_from(digits));
}

/* A full disk is told apart. SQLite knows ENOSPC; of a user's share of the disk, or of the longest
 * file that is allowed, it tells that writing failed, and leaves the reason in errno. */
enum tv_code tv_sql_failed(sqlite3 *db, struct tv_error *err)
{
    int code = sqlite3_errcode(db);
    if (code == SQLITE_NOMEM)
        return tv_fail(err, TV_ERR_MEMORY, TV_NO_OFFSET, "no memory for the database");
    if (code == SQLITE_FULL || (code == SQLITE_IOERR && tv_is_no_room(errno)))
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "the store has no room: the disk is full");
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "the database of the store: %s",
                   sqlite3_errmsg(db));
}

static enum tv_code prepare(struct tv_sql *sql, const char *text, sqlite3_stmt **prepared,
                            struct tv_error *err)
{
    for (size_t i = 0; i < sql->statement_count; i++) {
        if (sql->statements[i].text == text) {
            *prepared = sql->statements[i].prepared;
            return TV_OK;
        }
    }
    if (sql->statement_count == TV_SQL_STATEMENTS)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "too many kinds of statements");
    if (sqlite3_prepare_v3(sql->db, text, -1, SQLITE_PREPARE_PERSISTENT, prepared, NULL) !=
        SQLITE_OK)
        return tv_sql_failed(sql->db, err);
    sql->statements[sql->statement_count++] =
        (struct tv_sql_statement){.text = text, .prepared = *prepared};
    return TV_OK;
}

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

void tv_sql_leave(sqlite3_stmt *rows)
{
    (void)sqlite3_reset(rows);
    (void)sqlite3_clear_bindings(rows);
}

enum tv_code tv_sql_query(struct tv_sql *sql, const char *text, const struct tv_sql_value *values,
                          size_t count, sqlite3_stmt **rows, struct tv_error *err)
{
    TV_TRY(prepare(sql, text, rows, err));
    for (size_t i = 0; i < count; i++)
        if (bind(*rows, (int)i + 1, &values[i]) != SQLITE_OK)
            return tv_sql_failed(sql->db, err);
    return TV_OK;
}

enum tv_code tv_sql_next(struct tv_sql *sql, sqlite3_stmt *rows, bool *has, struct tv_error *err)
{
    enum tv_code code = TV_OK;
    errno = 0;
    int step = sqlite3_step(rows);
    *has = step == SQLITE_ROW;
    if (*has)
        return TV_OK;
    if (step != SQLITE_DONE)
        code = tv_sql_failed(sql->db, err);
    tv_sql_leave(rows);
    return code;
}

enum tv_code tv_sql_run(struct tv_sql *sql, const char *text, const struct tv_sql_value *values,
                        size_t count, uint64_t *changed, struct tv_error *err)
{
    sqlite3_stmt *rows;
    bool has = true;
    TV_TRY(tv_sql_query(sql, text, values, count, &rows, err));
    while (has)
        TV_TRY(tv_sql_next(sql, rows, &has, err));
    if (changed)
        *changed = (uint64_t)sqlite3_changes64(sql->db);
    return TV_OK;
}

enum tv_code tv_sql_numbers(struct tv_sql *sql, const char *text, const struct tv_sql_value *values,
                            size_t count, int64_t *numbers, size_t number_count, bool *has,
                            struct tv_error *err)
{
    sqlite3_stmt *rows;
    memset(numbers, 0, number_count * sizeof(*numbers));
    TV_TRY(tv_sql_query(sql, text, values, count, &rows, err));
    TV_TRY(tv_sql_next(sql, rows, has, err));
    if (!*has)
        return TV_OK;
    for (size_t i = 0; i < number_count; i++)
        numbers[i] = sqlite3_column_int64(rows, (int)i);
    tv_sql_leave(rows);
    return TV_OK;
}

struct tv_str tv_sql_column(sqlite3_stmt *rows, int column)
{
    const char *at = (const char *)sqlite3_column_text(rows, column);
    return (struct tv_str){at, at ? (size_t)sqlite3_column_bytes(rows, column) : 0};
}

enum tv_code tv_sql_keep(sqlite3_stmt *rows, int column, struct tv_arena *arena,
                         struct tv_str *text, struct tv_error *err)
{
    struct tv_str in_row = tv_sql_column(rows, column);
    char *copy = NULL;
    *text = (struct tv_str){NULL, 0};
    if (in_row.len == 0)
        return TV_OK;
    TV_TRY(tv_arena_take(arena, in_row.len, &copy, err));
    memcpy(copy, in_row.at, in_row.len);
    *text = (struct tv_str){copy, in_row.len};
    return TV_OK;
}

void tv_sql_copy(sqlite3_stmt *rows, int column, char *room, size_t cap)
{
    struct tv_str text = tv_sql_column(rows, column);
    size_t len = text.len < cap ? text.len : cap - 1;
    if (len)
        memcpy(room, text.at, len);
    room[len] = '\0';
}

static const struct tv_sql_value no_values[1];

enum tv_code tv_sql_begin(struct tv_sql *sql, struct tv_error *err)
{
    (void)pthread_mutex_lock(&sql->lock);
    enum tv_code code =
        tv_sql_run(sql, sql->writes ? "BEGIN IMMEDIATE" : "BEGIN", no_values, 0, NULL, err);
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
        tv_sql_leave(sql->statements[i].prepared);
    /* Some failures have taken all back already. */
    if (code != TV_OK && !sqlite3_get_autocommit(sql->db))
        (void)sqlite3_exec(sql->db, "ROLLBACK", NULL, NULL, NULL);
    (void)pthread_mutex_unlock(&sql->lock);
    return code;
}
