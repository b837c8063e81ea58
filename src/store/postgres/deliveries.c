/*
 * Deliveries of the webhook, and tallies of all processes; see store/sqlite/deliveries.c.
 *
 * A delivery is taken by one UPDATE of one row; rows that other processes are taking at that moment
 * are locked and skipped (SKIP LOCKED). Where an earlier try was committed without an answer, the
 * row has this worker's name already, and the next try takes the same delivery again. The end of a
 * delivery counts as written in that case too (is_unsure).
 */
#include "store/postgres/calls.h"

#include <assert.h>

#include "store/row_check.h"

#define COLUMNS "id, app, build, body, state, tries, created, next, ended, status, reason"

static enum tv_code add(struct tv_pg *pg, const struct tv_delivery *delivery, int64_t now,
                        struct tv_error *err)
{
    TV_TRY(tv_pg_run(pg, "DELETE FROM deliveries WHERE state<>0 AND ended<=$1",
                     TV_SQL_VALUES(tv_sql_int(now - TV_STORE_DELIVERED_S)), NULL, err));
    return tv_pg_run(pg,
                     "INSERT INTO deliveries(" COLUMNS ", worker, deadline)"
                     " VALUES($1, $2, $3, $4, 0, 0, $5, $5, 0, 0, '', '', 0)"
                     " ON CONFLICT DO NOTHING",
                     TV_SQL_VALUES(tv_sql_hex(delivery->id.hex), tv_sql_text(delivery->app),
                                   tv_sql_text(delivery->build), tv_sql_text(delivery->body),
                                   tv_sql_int(now)),
                     NULL, err);
}

enum tv_code tv_postgres_add_delivery(void *ctx, const struct tv_delivery *delivery, int64_t now,
                                      struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    TV_TRY(tv_row_check_delivery(delivery, err));
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_TRANSACTION);
    while (tv_pg_turn_tries(&turn))
        turn.code = add(turn.pg, delivery, now, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

static enum tv_code read_row(const struct tv_pg *pg, size_t at, struct tv_arena *arena,
                             struct tv_delivery *delivery, struct tv_error *err)
{
    *delivery = (struct tv_delivery){.state = (enum tv_delivery_state)tv_pg_number(pg, at, 4),
                                     .tries = (unsigned)tv_pg_number(pg, at, 5),
                                     .created = tv_pg_number(pg, at, 6),
                                     .next = tv_pg_number(pg, at, 7),
                                     .ended = tv_pg_number(pg, at, 8),
                                     .status = (unsigned)tv_pg_number(pg, at, 9)};
    tv_pg_copy(pg, at, 0, delivery->id.hex, sizeof(delivery->id.hex));
    TV_TRY(tv_pg_keep(pg, at, 1, arena, &delivery->app, err));
    TV_TRY(tv_pg_keep(pg, at, 2, arena, &delivery->build, err));
    TV_TRY(tv_pg_keep(pg, at, 3, arena, &delivery->body, err));
    return tv_pg_keep(pg, at, 10, arena, &delivery->reason, err);
}

static enum tv_code take(struct tv_pg *pg, const char *worker, int64_t now, int64_t lease,
                         struct tv_arena *arena, struct tv_delivery *delivery, struct tv_error *err)
{
    TV_TRY(tv_pg_query(
        pg,
        "UPDATE deliveries SET worker=$3, deadline=$1+$2, tries=tries+1 WHERE id=("
        "SELECT id FROM deliveries WHERE state=0 AND next<=$1"
        " AND (deadline<=$1 OR deadline>$1+$2 OR worker=$3)"
        " ORDER BY next, id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING " COLUMNS,
        TV_SQL_VALUES(tv_sql_int(now), tv_sql_int(lease), tv_sql_text(tv_str_from(worker))), err));
    if (!tv_pg_row_count(pg))
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no delivery is due");
    return read_row(pg, 0, arena, delivery, err);
}

enum tv_code tv_postgres_take_delivery(void *ctx, const char *worker, int64_t now, int64_t lease,
                                       struct tv_arena *arena, struct tv_delivery *delivery,
                                       struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = take(turn.pg, worker, now, lease, arena, delivery, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

static enum tv_code end_one(struct tv_pg *pg, const struct tv_id *id, const char *worker,
                            int64_t now, const struct tv_delivery_end *end, bool is_unsure,
                            struct tv_error *err)
{
    uint64_t changed;
    TV_TRY(tv_pg_run(
        pg,
        "UPDATE deliveries SET state=$3, next=$4, ended=$5, status=$6, reason=$7, deadline=0"
        " WHERE id=$1 AND worker=$2 AND state=0",
        TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_text(tv_str_from(worker)), tv_sql_int(end->state),
                      tv_sql_int(end->next),
                      tv_sql_int(end->state == TV_DELIVERY_WAITING ? 0 : now),
                      tv_sql_int(end->status), tv_sql_text(tv_row_cut_reason(end->reason))),
        &changed, err));
    return changed || is_unsure ? TV_OK
                                : tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                                          "the delivery is not this worker's any more");
}

enum tv_code tv_postgres_end_delivery(void *ctx, const struct tv_id *id, const char *worker,
                                      int64_t now, const struct tv_delivery_end *end,
                                      struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = end_one(turn.pg, id, worker, now, end, turn.is_unsure, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

static enum tv_code list(struct tv_pg *pg, struct tv_arena *arena, struct tv_delivery *rows,
                         size_t cap, size_t *count, struct tv_error *err)
{
    TV_TRY(tv_pg_query(pg,
                       "SELECT " COLUMNS " FROM deliveries ORDER BY created DESC, id DESC LIMIT $1",
                       TV_SQL_VALUES(tv_sql_count(cap)), err));
    const size_t found = tv_pg_row_count(pg);
    for (*count = 0; *count < found && *count < cap; ++*count)
        TV_TRY(read_row(pg, *count, arena, &rows[*count], err));
    return TV_OK;
}

enum tv_code tv_postgres_list_deliveries(void *ctx, struct tv_arena *arena,
                                         struct tv_delivery *rows, size_t cap, size_t *count,
                                         struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    *count = 0;
    while (tv_pg_turn_tries(&turn))
        turn.code = list(turn.pg, arena, rows, cap, count, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

enum tv_code tv_postgres_count_deliveries(void *ctx, uint64_t counts[TV_DELIVERY_STATES],
                                          struct tv_error *err)
{
    static const struct tv_sql_value none[1];
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    int64_t numbers[TV_DELIVERY_STATES] = {0};
    bool has;
    while (tv_pg_turn_tries(&turn))
        turn.code = tv_pg_numbers(turn.pg,
                                  "SELECT count(*) FILTER (WHERE state=0),"
                                  " count(*) FILTER (WHERE state=1),"
                                  " count(*) FILTER (WHERE state=2) FROM deliveries",
                                  none, 0, numbers, TV_COUNT_OF(numbers), &has, &turn.err);
    for (size_t i = 0; i < TV_DELIVERY_STATES; i++)
        counts[i] = (uint64_t)numbers[i];
    return tv_pg_turn_end(&turn, err);
}

/* --- tallies --- */

static enum tv_code change_tallies(void *ctx, const char *text, const struct tv_sql_value *values,
                                   size_t count, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = turn.is_unsure /* a number that is added twice is wrong for ever */
                        ? TV_OK
                        : tv_pg_run(turn.pg, text, values, count, NULL, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

/* In the order of their numbers: two processes that add to the same ones wait for each other. */
enum tv_code tv_postgres_add_tallies(void *ctx, const uint64_t by[TV_TALLY_COUNT],
                                     struct tv_error *err)
{
    static const char text[] =
        "INSERT INTO tallies(which, value) SELECT column1, column2 FROM (VALUES"
        " (0, $1::bigint), (1, $2::bigint), (2, $3::bigint), (3, $4::bigint), (4, $5::bigint),"
        " (5, $6::bigint), (6, $7::bigint), (7, $8::bigint)) AS told WHERE column2>0"
        " ORDER BY column1"
        " ON CONFLICT(which) DO UPDATE SET value=tallies.value+excluded.value";
    struct tv_sql_value values[TV_TALLY_COUNT];
    static_assert(TV_TALLY_COUNT == 8, "the statement has them all");
    for (size_t i = 0; i < TV_TALLY_COUNT; i++)
        values[i] = tv_sql_count(by[i]);
    return change_tallies(ctx, text, values, TV_TALLY_COUNT, err);
}

enum tv_code tv_postgres_set_tally(void *ctx, enum tv_tally which, uint64_t value,
                                   struct tv_error *err)
{
    return change_tallies(ctx,
                          "INSERT INTO tallies(which, value) VALUES($1, $2)"
                          " ON CONFLICT(which) DO UPDATE SET value=excluded.value",
                          TV_SQL_VALUES(tv_sql_int(which), tv_sql_count(value)), err);
}

static enum tv_code read_tallies(struct tv_pg *pg, uint64_t values[TV_TALLY_COUNT],
                                 struct tv_error *err)
{
    static const struct tv_sql_value none[1];
    TV_TRY(tv_pg_query(pg, "SELECT which, value FROM tallies", none, 0, err));
    for (size_t i = 0; i < tv_pg_row_count(pg); i++) {
        const int64_t which = tv_pg_number(pg, i, 0);
        if (which >= 0 && which < (int64_t)TV_TALLY_COUNT)
            values[which] = (uint64_t)tv_pg_number(pg, i, 1);
    }
    return TV_OK;
}

enum tv_code tv_postgres_read_tallies(void *ctx, uint64_t values[TV_TALLY_COUNT],
                                      struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    for (size_t i = 0; i < TV_TALLY_COUNT; i++)
        values[i] = 0;
    while (tv_pg_turn_tries(&turn))
        turn.code = read_tallies(turn.pg, values, &turn.err);
    return tv_pg_turn_end(&turn, err);
}
