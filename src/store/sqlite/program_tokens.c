/*
 * Tokens of programs.
 *
 * The row has a hash of the token, by which it is found: whoever reads the database has none of
 * them. Expired ones are not found, and stay in the list of their user until they are dropped, so
 * that it is seen why a program is refused. Each function is one transaction.
 */
#include "store/row_check.h"
#include "store/sqlite/calls.h"

#define COLUMNS "id, hash, user, name, scopes, created, expires"

static enum tv_code add(struct tv_sql *sql, const struct tv_program_token *token,
                        struct tv_error *err)
{
    int64_t count;
    bool has;
    TV_TRY(tv_sql_numbers(sql, "SELECT count(*) FROM program_tokens WHERE user=?1 AND id<>?2",
                          TV_SQL_VALUES(tv_sql_text(token->user), tv_sql_hex(token->id.hex)),
                          &count, 1, &has, err));
    if (count >= (int64_t)TV_STORE_PROGRAM_TOKENS_MOST)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "a user has %u tokens at most: revoke one before",
                       TV_STORE_PROGRAM_TOKENS_MOST);
    return tv_sql_run(
        sql, "INSERT OR IGNORE INTO program_tokens(" COLUMNS ") VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        TV_SQL_VALUES(tv_sql_hex(token->id.hex), tv_sql_hex(token->hash.hex),
                      tv_sql_text(token->user), tv_sql_text(token->name), tv_sql_int(token->scopes),
                      tv_sql_int(token->created), tv_sql_int(token->expires)),
        NULL, err);
}

enum tv_code tv_sqlite_add_program_token(void *ctx, const struct tv_program_token *token,
                                         struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_row_check_program_token(token, err));
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    return tv_sql_end(&sqlite->writer, add(&sqlite->writer, token, err), err);
}

/* The row at hand. */
static enum tv_code read_row(const struct tv_sql_statement *rows, struct tv_arena *arena,
                             struct tv_program_token *token, struct tv_error *err)
{
    *token = (struct tv_program_token){.scopes = (unsigned)tv_sql_number(rows, 4) & TV_SCOPE_ALL,
                                       .created = tv_sql_number(rows, 5),
                                       .expires = tv_sql_number(rows, 6)};
    tv_sql_copy(rows, 0, token->id.hex, sizeof(token->id.hex));
    tv_sql_copy(rows, 1, token->hash.hex, sizeof(token->hash.hex));
    TV_TRY(tv_sql_keep(rows, 2, arena, &token->user, err));
    return tv_sql_keep(rows, 3, arena, &token->name, err);
}

static enum tv_code find(struct tv_sql *sql, const struct tv_hash *hash, int64_t now,
                         struct tv_arena *arena, struct tv_program_token *token,
                         struct tv_error *err)
{
    const struct tv_sql_statement *rows;
    bool has;
    TV_TRY(tv_sql_query(sql, "SELECT " COLUMNS " FROM program_tokens WHERE hash=?1 AND expires>?2",
                        TV_SQL_VALUES(tv_sql_hex(hash->hex), tv_sql_int(now)), &rows, err));
    TV_TRY(tv_sql_next(sql, rows, &has, err));
    if (!has)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no such token");
    enum tv_code code = read_row(rows, arena, token, err);
    tv_sql_leave(rows);
    return code;
}

enum tv_code tv_sqlite_find_program_token(void *ctx, const struct tv_hash *hash, int64_t now,
                                          struct tv_arena *arena, struct tv_program_token *token,
                                          struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    return tv_sql_end(&sqlite->reader, find(&sqlite->reader, hash, now, arena, token, err), err);
}

static const char of_user[] = "SELECT " COLUMNS " FROM program_tokens WHERE user=?1"
                              " ORDER BY created DESC, id LIMIT ?2";
static const char behind_id[] =
    "SELECT " COLUMNS " FROM program_tokens WHERE id>?1 ORDER BY id LIMIT ?2";

static enum tv_code list(struct tv_sql *sql, const char *text, struct tv_str which,
                         struct tv_arena *arena, struct tv_program_token *tokens, size_t cap,
                         size_t *count, struct tv_error *err)
{
    const struct tv_sql_statement *rows;
    bool has = true;
    TV_TRY(
        tv_sql_query(sql, text, TV_SQL_VALUES(tv_sql_text(which), tv_sql_count(cap)), &rows, err));
    while (*count < cap) {
        TV_TRY(tv_sql_next(sql, rows, &has, err));
        if (!has)
            return TV_OK;
        TV_TRY(read_row(rows, arena, &tokens[*count], err));
        ++*count;
    }
    tv_sql_leave(rows);
    return TV_OK;
}

enum tv_code tv_sqlite_list_program_tokens(void *ctx, struct tv_str user, struct tv_arena *arena,
                                           struct tv_program_token *tokens, size_t cap,
                                           size_t *count, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    struct tv_sql *sql = &sqlite->reader;
    *count = 0;
    TV_TRY(tv_sql_begin(sql, err));
    return tv_sql_end(sql, list(sql, of_user, user, arena, tokens, cap, count, err), err);
}

enum tv_code tv_sqlite_list_all_program_tokens(void *ctx, const struct tv_id *after,
                                               struct tv_arena *arena,
                                               struct tv_program_token *tokens, size_t cap,
                                               size_t *count, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    struct tv_sql *sql = &sqlite->reader;
    struct tv_str which = tv_str_from(after ? after->hex : "");
    *count = 0;
    TV_TRY(tv_sql_begin(sql, err));
    return tv_sql_end(sql, list(sql, behind_id, which, arena, tokens, cap, count, err), err);
}

enum tv_code tv_sqlite_drop_program_token(void *ctx, const struct tv_id *id, struct tv_str user,
                                          struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    uint64_t changed = 0;
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    enum tv_code code = tv_sql_run(
        &sqlite->writer, "DELETE FROM program_tokens WHERE id=?1 AND user=ifnull(?2, user)",
        TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_or_null(user)), &changed, err);
    TV_TRY(tv_sql_end(&sqlite->writer, code, err));
    return changed ? TV_OK : tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no such token");
}
