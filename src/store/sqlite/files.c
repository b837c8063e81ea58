/*
 * Rows of files; see store/store_db.h for their way.
 *
 * A file's row says when its bytes were claimed last, and from when on gc removes it (`going`). A
 * file that is going cannot be claimed or named until gc has forgotten it: so nobody relies on
 * bytes that are about to vanish. A gc that died is told by the age of `going`.
 */
#include "store/row_check.h"
#include "store/sqlite/calls.h"

static enum tv_code being_removed(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                   "the same bytes are being removed from the store: try again");
}

/* A claim stands before the file gets its name, so that a crash in between leaves a row that gc
 * finds. A file that is being removed cannot be claimed: the remover would take the new bytes. */
static enum tv_code claim(struct tv_sql *sql, const struct tv_hash *name, uint64_t bytes,
                          int64_t now, struct tv_error *err)
{
    int64_t going;
    bool has;
    TV_TRY(tv_sql_numbers(sql, "SELECT going IS NOT NULL FROM files WHERE name=?1",
                          TV_SQL_VALUES(tv_sql_hex(name->hex)), &going, 1, &has, err));
    if (going)
        return being_removed(err);
    return tv_sql_run(sql,
                      "INSERT INTO files(name, bytes, claimed) VALUES(?1, ?2, ?3)"
                      " ON CONFLICT(name) DO UPDATE SET claimed=?3",
                      TV_SQL_VALUES(tv_sql_hex(name->hex), tv_sql_count(bytes), tv_sql_int(now)),
                      NULL, err);
}

enum tv_code tv_sqlite_claim_file(void *ctx, const struct tv_hash *name, uint64_t bytes,
                                  int64_t now, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_row_check_hash(name, err));
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    return tv_sql_end(&sqlite->writer, claim(&sqlite->writer, name, bytes, now, err), err);
}

/* Runs in the transaction that will name the file. Between its claim and that, gc may have decided
 * to remove the file. Whoever was charged for dropped bytes is not any more: they have a trace
 * again. */
enum tv_code tv_sqlite_need_file(struct tv_sql *sql, const struct tv_hash *name,
                                 struct tv_error *err)
{
    int64_t going;
    bool has;
    TV_TRY(tv_row_check_hash(name, err));
    TV_TRY(tv_sql_numbers(sql, "SELECT going IS NOT NULL FROM files WHERE name=?1",
                          TV_SQL_VALUES(tv_sql_hex(name->hex)), &going, 1, &has, err));
    if (going)
        return being_removed(err);
    if (!has)
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET, "a file of the store is not claimed");
    return tv_sql_run(sql, "DELETE FROM dropped WHERE file=?1",
                      TV_SQL_VALUES(tv_sql_hex(name->hex)), NULL, err);
}

/* A batch of rows. The statement is left open by the batch's end, so it is reset where the rows did
 * not run out. */
static enum tv_code read_files(struct tv_sql *sql, const struct tv_sql_statement *select,
                               struct tv_file_row *rows, size_t cap, size_t *count,
                               struct tv_error *err)
{
    bool has = true;
    for (*count = 0; *count < cap; ++*count) {
        struct tv_file_row *row = &rows[*count];
        TV_TRY(tv_sql_next(sql, select, &has, err));
        if (!has)
            return TV_OK;
        tv_sql_copy(select, 0, row->name.hex, sizeof(row->name.hex));
        row->bytes = (uint64_t)tv_sql_number(select, 1);
        row->is_going = tv_sql_number(select, 2) != 0;
        row->is_needed = tv_sql_number(select, 3) != 0;
    }
    tv_sql_leave(select);
    return TV_OK;
}

#define IS_NEEDED                                                                                  \
    "(EXISTS(SELECT 1 FROM traces WHERE raw=name)"                                                 \
    " OR EXISTS(SELECT 1 FROM parts WHERE file=name)"                                              \
    " OR EXISTS(SELECT 1 FROM jobs WHERE result=name)"                                             \
    " OR EXISTS(SELECT 1 FROM jobs WHERE raw=name))"

static enum tv_code mark_going(struct tv_sql *sql, const struct tv_file_row *rows, size_t count,
                               int64_t now, struct tv_error *err)
{
    for (size_t i = 0; i < count; i++)
        TV_TRY(tv_sql_run(sql, "UPDATE files SET going=?2 WHERE name=?1",
                          TV_SQL_VALUES(tv_sql_hex(rows[i].name.hex), tv_sql_int(now)), NULL, err));
    return TV_OK;
}

/* Takes files that nobody needs: the claim is older than the grace period and no row names them, or
 * a gc that died had taken them. */
static enum tv_code take(struct tv_sql *sql, int64_t now, int64_t grace, struct tv_file_row *rows,
                         size_t cap, size_t *count, struct tv_error *err)
{
    const struct tv_sql_statement *select;
    /* A time in the future was written while the clock was wrong; its waiting begins now. */
    TV_TRY(tv_sql_run(sql, "UPDATE files SET claimed=?1 WHERE claimed>?1",
                      TV_SQL_VALUES(tv_sql_int(now)), NULL, err));
    TV_TRY(tv_sql_run(sql, "UPDATE files SET going=?1 WHERE going>?1",
                      TV_SQL_VALUES(tv_sql_int(now)), NULL, err));
    TV_TRY(tv_sql_query(sql,
                        "SELECT name, bytes, 1, 0 FROM files"
                        " WHERE CASE WHEN going IS NULL"
                        "  THEN claimed<=?1 AND NOT " IS_NEEDED " ELSE going<=?2 END LIMIT ?3",
                        TV_SQL_VALUES(tv_sql_int(now - grace), tv_sql_int(now - TV_STORE_GOING_S),
                                      tv_sql_count(cap)),
                        &select, err));
    TV_TRY(read_files(sql, select, rows, cap, count, err));
    return mark_going(sql, rows, *count, now, err);
}

/* Takes files whose last row was dropped, without a look at any other file; those that a gc which
 * died had taken, too. */
static enum tv_code take_dropped(struct tv_sql *sql, int64_t now, struct tv_file_row *rows,
                                 size_t cap, size_t *count, struct tv_error *err)
{
    const struct tv_sql_statement *select;
    TV_TRY(tv_sql_query(sql,
                        "SELECT name, bytes, 1, 0 FROM dropped JOIN files ON name=file"
                        " WHERE CASE WHEN going IS NULL"
                        "  THEN claimed<=?1 AND NOT " IS_NEEDED " ELSE going<=?2 END LIMIT ?3",
                        TV_SQL_VALUES(tv_sql_int(now - TV_STORE_DROPPED_S),
                                      tv_sql_int(now - TV_STORE_GOING_S), tv_sql_count(cap)),
                        &select, err));
    TV_TRY(read_files(sql, select, rows, cap, count, err));
    return mark_going(sql, rows, *count, now, err);
}

/* Marks files as going, in one transaction, before any of them is removed: from then on nobody can
 * need them. */
enum tv_code tv_sqlite_take_unneeded(void *ctx, int64_t now, int64_t grace,
                                     struct tv_file_row *rows, size_t cap, size_t *count,
                                     struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    *count = 0;
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    enum tv_code code = take(&sqlite->writer, now, grace, rows, cap, count, err);
    code = tv_sql_end(&sqlite->writer, code, err);
    if (code != TV_OK)
        *count = 0;
    return code;
}

enum tv_code tv_sqlite_take_dropped(void *ctx, int64_t now, struct tv_file_row *rows, size_t cap,
                                    size_t *count, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    *count = 0;
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    enum tv_code code = take_dropped(&sqlite->writer, now, rows, cap, count, err);
    code = tv_sql_end(&sqlite->writer, code, err);
    if (code != TV_OK)
        *count = 0;
    return code;
}

/* A row that names the file by now keeps it out: then it is no rubbish. */
enum tv_code tv_sqlite_drop_claim(void *ctx, const struct tv_hash *name, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_row_check_hash(name, err));
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    enum tv_code code = tv_sql_run(&sqlite->writer,
                                   "INSERT OR IGNORE INTO dropped(file) SELECT name FROM files"
                                   " WHERE name=?1 AND NOT " IS_NEEDED,
                                   TV_SQL_VALUES(tv_sql_hex(name->hex)), NULL, err);
    return tv_sql_end(&sqlite->writer, code, err);
}

enum tv_code tv_sqlite_forget_file(void *ctx, const struct tv_hash *name, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    enum tv_code code =
        tv_sql_run(&sqlite->writer, "DELETE FROM files WHERE name=?1 AND going IS NOT NULL",
                   TV_SQL_VALUES(tv_sql_hex(name->hex)), NULL, err);
    return tv_sql_end(&sqlite->writer, code, err);
}

/* Whether a file is needed is computed for each row (IS_NEEDED), and not kept in it: a count that
 * is kept would be wrong after the first crash. */
enum tv_code tv_sqlite_list_files(void *ctx, const struct tv_hash *after, struct tv_file_row *rows,
                                  size_t cap, size_t *count, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    const struct tv_sql_statement *select;
    *count = 0;
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    enum tv_code code = tv_sql_query(
        &sqlite->reader,
        "SELECT name, bytes, going IS NOT NULL, " IS_NEEDED " FROM files WHERE name>?1"
        " ORDER BY name LIMIT ?2",
        TV_SQL_VALUES(tv_sql_text(tv_str_from(after ? after->hex : "")), tv_sql_count(cap)),
        &select, err);
    if (code == TV_OK)
        code = read_files(&sqlite->reader, select, rows, cap, count, err);
    return tv_sql_end(&sqlite->reader, code, err);
}
