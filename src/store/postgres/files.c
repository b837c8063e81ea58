/*
 * Rows of files; see store/store_db.h for their way, and store/sqlite/files.c for what `going` is.
 *
 * Many transactions run at once. Whoever makes a row that names a file, drops one, or takes the
 * file to remove it locks the file's row first (TV_POSTGRES_LOCK_FILES), and looks at what names
 * the file by a later statement: it sees all that was committed before the lock was had.
 */
#include "store/postgres/calls.h"
#include "store/row_check.h"

#define IS_NEEDED                                                                                  \
    "(EXISTS(SELECT 1 FROM traces WHERE raw=name)"                                                 \
    " OR EXISTS(SELECT 1 FROM parts WHERE file=name)"                                              \
    " OR EXISTS(SELECT 1 FROM jobs WHERE result=name)"                                             \
    " OR EXISTS(SELECT 1 FROM jobs WHERE raw=name))"

static enum tv_code being_removed(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                   "the same bytes are being removed from the store: try again");
}

static enum tv_code claim(struct tv_pg *pg, const struct tv_hash *name, uint64_t bytes, int64_t now,
                          struct tv_error *err)
{
    uint64_t changed;
    TV_TRY(tv_pg_run(pg,
                     "INSERT INTO files(name, bytes, claimed) VALUES($1, $2, $3)"
                     " ON CONFLICT(name) DO UPDATE SET claimed=$3 WHERE files.going IS NULL",
                     TV_SQL_VALUES(tv_sql_hex(name->hex), tv_sql_count(bytes), tv_sql_int(now)),
                     &changed, err));
    return changed ? TV_OK : being_removed(err);
}

enum tv_code tv_postgres_claim_file(void *ctx, const struct tv_hash *name, uint64_t bytes,
                                    int64_t now, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    TV_TRY(tv_row_check_hash(name, err));
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = claim(turn.pg, name, bytes, now, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

enum tv_code tv_postgres_need_file(struct tv_pg *pg, const struct tv_hash *name,
                                   struct tv_error *err)
{
    int64_t going;
    bool has;
    TV_TRY(tv_row_check_hash(name, err));
    TV_TRY(tv_pg_numbers(pg, "SELECT going IS NOT NULL FROM files WHERE name=$1 FOR NO KEY UPDATE",
                         TV_SQL_VALUES(tv_sql_hex(name->hex)), &going, 1, &has, err));
    if (going)
        return being_removed(err);
    if (!has)
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET, "a file of the store is not claimed");
    return tv_pg_run(pg, "DELETE FROM dropped WHERE file=$1", TV_SQL_VALUES(tv_sql_hex(name->hex)),
                     NULL, err);
}

static void read_files(const struct tv_pg *pg, struct tv_file_row *rows, size_t cap, size_t *count)
{
    size_t found = tv_pg_row_count(pg);
    for (*count = 0; *count < found && *count < cap; ++*count) {
        struct tv_file_row *row = &rows[*count];
        tv_pg_copy(pg, *count, 0, row->name.hex, sizeof(row->name.hex));
        row->bytes = (uint64_t)tv_pg_number(pg, *count, 1);
        row->is_going = tv_pg_number(pg, *count, 2) != 0;
        row->is_needed = tv_pg_number(pg, *count, 3) != 0;
    }
}

/* The rows that this transaction has locked are marked where nothing names them now. */
static enum tv_code mark_going(struct tv_postgres *postgres, struct tv_pg *pg, int64_t now,
                               struct tv_file_row *rows, size_t cap, size_t *count,
                               struct tv_error *err)
{
    struct tv_buffer names;
    size_t found = tv_pg_row_count(pg);
    enum tv_code code = TV_OK;
    tv_buffer_init(&names, postgres->alloc);
    for (size_t i = 0; i < found && code == TV_OK; i++) {
        struct tv_str name = tv_pg_text(pg, i, 0);
        code = tv_buffer_append(&names, i ? "," : "{", 1, err);
        if (code == TV_OK)
            code = tv_buffer_append(&names, name.at, name.len, err);
    }
    if (code == TV_OK && found)
        code = tv_buffer_append(&names, "}", 1, err);
    if (code == TV_OK && found)
        code =
            tv_pg_query(pg,
                        "UPDATE files SET going=$2 WHERE name=ANY($1::text[])"
                        " AND (going IS NOT NULL OR NOT " IS_NEEDED ")"
                        " RETURNING name, bytes, true, false",
                        TV_SQL_VALUES(tv_sql_text(tv_buffer_view(&names)), tv_sql_int(now)), err);
    if (code == TV_OK)
        read_files(pg, rows, found ? cap : 0, count);
    tv_buffer_release(&names);
    return code;
}

static enum tv_code take(struct tv_postgres *postgres, struct tv_pg *pg, int64_t now, int64_t grace,
                         struct tv_file_row *rows, size_t cap, size_t *count, struct tv_error *err)
{
    /* A time in the future was written while the clock was wrong; its waiting begins now. What gc
     * has not taken stays NULL, which least() would pass over. */
    TV_TRY(tv_pg_run(pg,
                     "UPDATE files SET claimed=least(claimed, $1),"
                     " going=CASE WHEN going>$1 THEN $1 ELSE going END"
                     " WHERE claimed>$1 OR going>$1",
                     TV_SQL_VALUES(tv_sql_int(now)), NULL, err));
    TV_TRY(tv_pg_query(pg,
                       "SELECT name FROM files WHERE CASE WHEN going IS NULL"
                       "  THEN claimed<=$1 AND NOT " IS_NEEDED " ELSE going<=$2 END LIMIT $3"
                       " FOR NO KEY UPDATE SKIP LOCKED",
                       TV_SQL_VALUES(tv_sql_int(now - grace), tv_sql_int(now - TV_STORE_GOING_S),
                                     tv_sql_count(cap)),
                       err));
    return mark_going(postgres, pg, now, rows, cap, count, err);
}

static enum tv_code take_dropped(struct tv_postgres *postgres, struct tv_pg *pg, int64_t now,
                                 struct tv_file_row *rows, size_t cap, size_t *count,
                                 struct tv_error *err)
{
    TV_TRY(tv_pg_query(pg,
                       "SELECT name FROM dropped JOIN files ON name=file"
                       " WHERE CASE WHEN going IS NULL"
                       "  THEN claimed<=$1 AND NOT " IS_NEEDED " ELSE going<=$2 END LIMIT $3"
                       " FOR NO KEY UPDATE OF files SKIP LOCKED",
                       TV_SQL_VALUES(tv_sql_int(now - TV_STORE_DROPPED_S),
                                     tv_sql_int(now - TV_STORE_GOING_S), tv_sql_count(cap)),
                       err));
    return mark_going(postgres, pg, now, rows, cap, count, err);
}

/* Where a commit was not confirmed, files stay marked as about to be removed: a later gc removes
 * them. */
enum tv_code tv_postgres_take_unneeded(void *ctx, int64_t now, int64_t grace,
                                       struct tv_file_row *rows, size_t cap, size_t *count,
                                       struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_PATIENT);
    *count = 0;
    while (tv_pg_turn_tries(&turn))
        turn.code = take(postgres, turn.pg, now, grace, rows, cap, count, &turn.err);
    if (turn.code != TV_OK)
        *count = 0;
    return tv_pg_turn_end(&turn, err);
}

enum tv_code tv_postgres_take_dropped(void *ctx, int64_t now, struct tv_file_row *rows, size_t cap,
                                      size_t *count, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_PATIENT);
    *count = 0;
    while (tv_pg_turn_tries(&turn))
        turn.code = take_dropped(postgres, turn.pg, now, rows, cap, count, &turn.err);
    if (turn.code != TV_OK)
        *count = 0;
    return tv_pg_turn_end(&turn, err);
}

/* A row that names the file by now keeps it out: then it is no rubbish. */
static enum tv_code drop_claim(struct tv_pg *pg, const struct tv_hash *name, struct tv_error *err)
{
    TV_TRY(tv_pg_run(pg, TV_POSTGRES_LOCK_FILES("$1"), TV_SQL_VALUES(tv_sql_hex(name->hex)), NULL,
                     err));
    return tv_pg_run(pg,
                     "INSERT INTO dropped(file) SELECT name FROM files WHERE name=$1"
                     " AND NOT " IS_NEEDED " ON CONFLICT DO NOTHING",
                     TV_SQL_VALUES(tv_sql_hex(name->hex)), NULL, err);
}

enum tv_code tv_postgres_drop_claim(void *ctx, const struct tv_hash *name, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    TV_TRY(tv_row_check_hash(name, err));
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_TRANSACTION);
    while (tv_pg_turn_tries(&turn))
        turn.code = drop_claim(turn.pg, name, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

enum tv_code tv_postgres_forget_file(void *ctx, const struct tv_hash *name, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = tv_pg_run(turn.pg, "DELETE FROM files WHERE name=$1 AND going IS NOT NULL",
                              TV_SQL_VALUES(tv_sql_hex(name->hex)), NULL, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

static enum tv_code list(struct tv_pg *pg, const struct tv_hash *after, struct tv_file_row *rows,
                         size_t cap, size_t *count, struct tv_error *err)
{
    TV_TRY(tv_pg_query(
        pg,
        "SELECT name, bytes, going IS NOT NULL, " IS_NEEDED " FROM files WHERE name>$1"
        " ORDER BY name LIMIT $2",
        TV_SQL_VALUES(tv_sql_text(tv_str_from(after ? after->hex : "")), tv_sql_count(cap)), err));
    read_files(pg, rows, cap, count);
    return TV_OK;
}

enum tv_code tv_postgres_list_files(void *ctx, const struct tv_hash *after,
                                    struct tv_file_row *rows, size_t cap, size_t *count,
                                    struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    *count = 0;
    while (tv_pg_turn_tries(&turn))
        turn.code = list(turn.pg, after, rows, cap, count, &turn.err);
    return tv_pg_turn_end(&turn, err);
}
