/*
 * A statement of somebody's own SQL; see sqlite/select.h.
 *
 * SQLite asks while it prepares a statement for each thing that it would do (an authorizer), so
 * what may be is a list, and all else is refused. The same questions tell which tables are read.
 */
#include "sqlite/select.h"

#include <limits.h>
#include <string.h>

/* The most bytes of a text or blob that a statement makes. */
#define TEXT_MOST (64 << 20)

/* What is looked for while a statement is prepared; `table` NULL: nothing. */
struct looking {
    const char *table;
    bool is_read;
};

/* Those that say what tables and columns there are. */
static bool is_describing(const char *pragma)
{
    return strcmp(pragma, "table_info") == 0 || strcmp(pragma, "table_xinfo") == 0 ||
           strcmp(pragma, "table_list") == 0;
}

/* A table of which no column is read, as in count(*), is told with an empty column. */
static int allow(void *ctx, int action, const char *first, const char *second, const char *database,
                 const char *trigger)
{
    struct looking *looking = ctx;
    (void)second, (void)database, (void)trigger;
    switch (action) {
    case SQLITE_READ:
        if (looking->table && strcmp(first, looking->table) == 0)
            looking->is_read = true;
        return SQLITE_OK;
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
    case SQLITE_FUNCTION: /* load_extension is off unless a program turns it on */
        return SQLITE_OK;
    case SQLITE_UPDATE: /* asked for tables that functions are, as json_each; none is changed */
        return strcmp(first, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
        return is_describing(first) ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

/* What SQLite says, in one line. A failure of the file comes first, since SQLite only passes on
 * that there was one. */
static enum tv_code refuse(const struct tv_sqlite_file *sqlite, struct tv_error *err)
{
    const int code = sqlite3_errcode(sqlite->db);
    if (sqlite->error.code != TV_OK) {
        if (err)
            *err = sqlite->error;
        return sqlite->error.code;
    }
    if (code == SQLITE_NOMEM)
        return tv_fail(err, TV_ERR_MEMORY, TV_NO_OFFSET, "not enough memory for SQLite");
    if (code == SQLITE_AUTH)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "SQL: a statement may only read: SELECT, WITH, VALUES, EXPLAIN");
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "SQL: %s", sqlite3_errmsg(sqlite->db));
}

/* Whether nothing but blanks and comments is behind the statement. */
static bool is_alone(const struct tv_sqlite_file *sqlite, const char *tail, const char *end)
{
    while (tail < end) {
        sqlite3_stmt *next = NULL;
        const char *from = tail;
        const int code = sqlite3_prepare_v3(sqlite->db, tail, (int)(end - tail), 0, &next, &tail);
        const bool is_empty = code == SQLITE_OK && !next;
        (void)sqlite3_finalize(next);
        if (!is_empty)
            return false;
        if (tail == from)
            break;
    }
    return true;
}

static enum tv_code prepare_only(const struct tv_sqlite_file *sqlite, struct tv_str sql,
                                 sqlite3_stmt **statement, struct tv_error *err)
{
    const char *tail;
    if (sql.len > INT_MAX || (sql.len && memchr(sql.at, '\0', sql.len)))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "SQL: this is no text");
    if (sqlite3_prepare_v3(sqlite->db, sql.at, (int)sql.len, 0, statement, &tail) != SQLITE_OK)
        return refuse(sqlite, err);
    if (!*statement)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "SQL: there is no statement");
    if (!is_alone(sqlite, tail, sql.at + sql.len))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "SQL: one statement at a time, and something follows the first");
    if (sqlite3_column_count(*statement) == 0 || !sqlite3_stmt_readonly(*statement))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "SQL: a statement may only read: SELECT, WITH, VALUES, EXPLAIN");
    return TV_OK;
}

/* The authorizer and the limits stay until the caller is done with the statement. */
static enum tv_code prepare(const struct tv_sqlite_file *sqlite, struct tv_str sql,
                            struct looking *looking, sqlite3_stmt **statement, struct tv_error *err)
{
    *statement = NULL;
    (void)sqlite3_set_authorizer(sqlite->db, allow, looking);
    (void)sqlite3_limit(sqlite->db, SQLITE_LIMIT_COLUMN, (int)TV_SQL_COLUMNS);
    (void)sqlite3_limit(sqlite->db, SQLITE_LIMIT_LENGTH, TEXT_MOST);
    (void)sqlite3_limit(sqlite->db, SQLITE_LIMIT_ATTACHED, 0);
    return prepare_only(sqlite, sql, statement, err);
}

static void end(const struct tv_sqlite_file *sqlite, sqlite3_stmt *statement)
{
    (void)sqlite3_finalize(statement);
    (void)sqlite3_set_authorizer(sqlite->db, NULL, NULL);
}

enum tv_code tv_select_reads(struct tv_sqlite_file *sqlite, struct tv_str sql, const char *table,
                             bool *reads, struct tv_error *err)
{
    struct looking looking = {.table = table};
    sqlite3_stmt *statement;
    const enum tv_code code = prepare(sqlite, sql, &looking, &statement, err);
    end(sqlite, statement);
    *reads = looking.is_read;
    return code;
}

/* Real numbers come as SQLite writes them, with at most 15 digits. */
static struct tv_sql_cell cell_of(sqlite3_stmt *statement, int column)
{
    struct tv_sql_cell cell = {.kind = TV_CELL_OF_NULL};
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        cell.kind = TV_CELL_OF_INT;
        cell.number = sqlite3_column_int64(statement, column);
        return cell;
    case SQLITE_FLOAT:
        cell.kind = TV_CELL_OF_REAL;
        break;
    case SQLITE_TEXT:
        cell.kind = TV_CELL_OF_TEXT;
        break;
    case SQLITE_BLOB:
        cell.kind = TV_CELL_OF_BLOB;
        cell.text.at = sqlite3_column_blob(statement, column);
        cell.text.len = (size_t)sqlite3_column_bytes(statement, column);
        return cell;
    default:
        return cell;
    }
    cell.text.at = (const char *)sqlite3_column_text(statement, column);
    cell.text.len = cell.text.at ? (size_t)sqlite3_column_bytes(statement, column) : 0;
    return cell;
}

static enum tv_code give(const struct tv_sqlite_file *sqlite, sqlite3_stmt *statement,
                         const struct tv_sql_rows *rows, struct tv_error *err)
{
    const char *names[TV_SQL_COLUMNS];
    struct tv_sql_cell cells[TV_SQL_COLUMNS];
    const int count = sqlite3_column_count(statement);
    int step;
    for (int c = 0; c < count; c++) {
        names[c] = sqlite3_column_name(statement, c);
        if (!names[c])
            return tv_fail(err, TV_ERR_MEMORY, TV_NO_OFFSET, "not enough memory for SQLite");
    }
    TV_TRY(rows->begin(rows->ctx, names, (size_t)count, err));
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int c = 0; c < count; c++)
            cells[c] = cell_of(statement, c);
        TV_TRY(rows->take(rows->ctx, cells, err));
    }
    return step == SQLITE_DONE ? TV_OK : refuse(sqlite, err);
}

enum tv_code tv_select_run(struct tv_sqlite_file *sqlite, struct tv_str sql,
                           const struct tv_sql_rows *rows, struct tv_error *err)
{
    struct looking looking = {.table = NULL};
    sqlite3_stmt *statement;
    enum tv_code code = tv_sqlite_file_run(sqlite, "PRAGMA temp_store=FILE", err);
    if (code != TV_OK)
        return code;
    code = prepare(sqlite, sql, &looking, &statement, err);
    if (code == TV_OK)
        code = give(sqlite, statement, rows, err);
    end(sqlite, statement);
    return code;
}
