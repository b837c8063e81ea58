/*
 * Tokens of programs; see store/sqlite/program_tokens.c. Whoever adds one waits for others who add
 * one of the same user, so that no two pass the limit together.
 */
#include "store/postgres/calls.h"
#include "store/row_check.h"

#define COLUMNS "id, hash, user_name, name, scopes, created, expires"
/* Among the numbers of advisory locks, beside those of quotas (enum tv_quota_of). */
#define LOCK "64"

static enum tv_code add(struct tv_pg *pg, const struct tv_program_token *token,
                        struct tv_error *err)
{
    int64_t count;
    bool has;
    TV_TRY(tv_pg_run(pg, "SELECT pg_advisory_xact_lock(hashtextextended($1, " LOCK "))",
                     TV_SQL_VALUES(tv_sql_text(token->user)), NULL, err));
    TV_TRY(tv_pg_numbers(pg, "SELECT count(*) FROM program_tokens WHERE user_name=$1 AND id<>$2",
                         TV_SQL_VALUES(tv_sql_text(token->user), tv_sql_hex(token->id.hex)), &count,
                         1, &has, err));
    if (count >= (int64_t)TV_STORE_PROGRAM_TOKENS_MOST)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "a user has %u tokens at most: revoke one before",
                       TV_STORE_PROGRAM_TOKENS_MOST);
    return tv_pg_run(pg,
                     "INSERT INTO program_tokens(" COLUMNS ") VALUES($1, $2, $3, $4, $5, $6, $7)"
                     " ON CONFLICT DO NOTHING",
                     TV_SQL_VALUES(tv_sql_hex(token->id.hex), tv_sql_hex(token->hash.hex),
                                   tv_sql_text(token->user), tv_sql_text(token->name),
                                   tv_sql_int(token->scopes), tv_sql_int(token->created),
                                   tv_sql_int(token->expires)),
                     NULL, err);
}

enum tv_code tv_postgres_add_program_token(void *ctx, const struct tv_program_token *token,
                                           struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    TV_TRY(tv_row_check_program_token(token, err));
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_TRANSACTION);
    while (tv_pg_turn_tries(&turn))
        turn.code = add(turn.pg, token, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

static enum tv_code read_row(const struct tv_pg *pg, size_t at, struct tv_arena *arena,
                             struct tv_program_token *token, struct tv_error *err)
{
    *token = (struct tv_program_token){.scopes = (unsigned)tv_pg_number(pg, at, 4) & TV_SCOPE_ALL,
                                       .created = tv_pg_number(pg, at, 5),
                                       .expires = tv_pg_number(pg, at, 6)};
    tv_pg_copy(pg, at, 0, token->id.hex, sizeof(token->id.hex));
    tv_pg_copy(pg, at, 1, token->hash.hex, sizeof(token->hash.hex));
    TV_TRY(tv_pg_keep(pg, at, 2, arena, &token->user, err));
    return tv_pg_keep(pg, at, 3, arena, &token->name, err);
}

static enum tv_code find(struct tv_pg *pg, const struct tv_hash *hash, int64_t now,
                         struct tv_arena *arena, struct tv_program_token *token,
                         struct tv_error *err)
{
    TV_TRY(tv_pg_query(pg, "SELECT " COLUMNS " FROM program_tokens WHERE hash=$1 AND expires>$2",
                       TV_SQL_VALUES(tv_sql_hex(hash->hex), tv_sql_int(now)), err));
    if (!tv_pg_row_count(pg))
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no such token");
    return read_row(pg, 0, arena, token, err);
}

enum tv_code tv_postgres_find_program_token(void *ctx, const struct tv_hash *hash, int64_t now,
                                            struct tv_arena *arena, struct tv_program_token *token,
                                            struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = find(turn.pg, hash, now, arena, token, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

static const char of_user[] = "SELECT " COLUMNS " FROM program_tokens WHERE user_name=$1"
                              " ORDER BY created DESC, id LIMIT $2";
static const char behind_id[] =
    "SELECT " COLUMNS " FROM program_tokens WHERE id>$1 ORDER BY id LIMIT $2";

static enum tv_code list(struct tv_pg *pg, const char *text, struct tv_str which,
                         struct tv_arena *arena, struct tv_program_token *tokens, size_t cap,
                         size_t *count, struct tv_error *err)
{
    TV_TRY(tv_pg_query(pg, text, TV_SQL_VALUES(tv_sql_text(which), tv_sql_count(cap)), err));
    size_t found = tv_pg_row_count(pg);
    for (*count = 0; *count < found && *count < cap; ++*count)
        TV_TRY(read_row(pg, *count, arena, &tokens[*count], err));
    return TV_OK;
}

enum tv_code tv_postgres_list_program_tokens(void *ctx, struct tv_str user, struct tv_arena *arena,
                                             struct tv_program_token *tokens, size_t cap,
                                             size_t *count, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    *count = 0;
    while (tv_pg_turn_tries(&turn))
        turn.code = list(turn.pg, of_user, user, arena, tokens, cap, count, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

enum tv_code tv_postgres_list_all_program_tokens(void *ctx, const struct tv_id *after,
                                                 struct tv_arena *arena,
                                                 struct tv_program_token *tokens, size_t cap,
                                                 size_t *count, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    *count = 0;
    while (tv_pg_turn_tries(&turn))
        turn.code = list(turn.pg, behind_id, tv_str_from(after ? after->hex : ""), arena, tokens,
                         cap, count, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

static enum tv_code drop(struct tv_pg *pg, const struct tv_id *id, struct tv_str user,
                         bool is_unsure, struct tv_error *err)
{
    uint64_t changed;
    TV_TRY(tv_pg_run(pg,
                     "DELETE FROM program_tokens WHERE id=$1 AND user_name=coalesce($2, user_name)",
                     TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_or_null(user)), &changed, err));
    return changed || is_unsure
               ? TV_OK
               : tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no such token");
}

enum tv_code tv_postgres_drop_program_token(void *ctx, const struct tv_id *id, struct tv_str user,
                                            struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = drop(turn.pg, id, user, turn.is_unsure, &turn.err);
    return tv_pg_turn_end(&turn, err);
}
