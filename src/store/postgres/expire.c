/*
 * Rows whose time is over; see expire() in store/store_db.h, and store/sqlite/expire.c. A row is
 * marked when it is first found expired, and dropped only after that mark has stood a while: a
 * clock that runs ahead destroys nothing.
 */
#include <string.h>

#include "store/postgres/calls.h"

/* The time from which on a row of traces is not found; NULL: it is always found. The table has an
 * index on this expression. */
#define ENDS "(CASE WHEN raw IS NULL THEN until ELSE expires END)"

/* Marks rows that are expired now, and takes the mark from those that are not: their owner gave
 * them more time, or the clock was ahead. */
static enum tv_code see(struct tv_pg *pg, int64_t now, struct tv_error *err)
{
    TV_TRY(tv_pg_run(pg,
                     "UPDATE traces SET seen_expired=$1 WHERE " ENDS "<=$1"
                     " AND (seen_expired IS NULL OR seen_expired>$1)",
                     TV_SQL_VALUES(tv_sql_int(now)), NULL, err));
    return tv_pg_run(pg,
                     "UPDATE traces SET seen_expired=NULL WHERE seen_expired IS NOT NULL"
                     " AND (" ENDS " IS NULL OR " ENDS ">$1)",
                     TV_SQL_VALUES(tv_sql_int(now)), NULL, err);
}

/* One row at a time, since dropping it changes the table that is read. */
static enum tv_code drop_expired(struct tv_pg *pg, int64_t seen_by, size_t most,
                                 struct tv_expired *expired, struct tv_error *err)
{
    for (size_t i = 0; i < most; i++) {
        struct tv_id id;
        bool dropped;
        TV_TRY(tv_pg_query(pg,
                           "SELECT id, raw IS NULL FROM traces WHERE seen_expired<=$1 LIMIT 1"
                           " FOR UPDATE SKIP LOCKED",
                           TV_SQL_VALUES(tv_sql_int(seen_by)), err));
        if (!tv_pg_row_count(pg))
            return TV_OK;
        tv_pg_copy(pg, 0, 0, id.hex, sizeof(id.hex));
        bool is_upload = tv_pg_number(pg, 0, 1) != 0;
        TV_TRY(tv_postgres_drop_row(pg, &id, &dropped, err));
        *(is_upload ? &expired->uploads : &expired->traces) += dropped;
    }
    return TV_OK;
}

/* Drops an index of other versions or mappings once a later one has been there for the grace
 * period. An index that is being made (state 1) stays, and so does one of another version that has
 * been worked for meanwhile: two versions that share a store drop nothing of one another. */
static enum tv_code drop_jobs(struct tv_pg *pg, int64_t seen_by, struct tv_expired *expired,
                              struct tv_error *err)
{
    return tv_pg_run(pg,
                     "DELETE FROM jobs WHERE state<>1 AND EXISTS(SELECT 1 FROM jobs AS later"
                     " WHERE later.raw=jobs.raw AND later.state=2 AND later.created>jobs.created"
                     " AND later.changed<=$1 AND (later.build=jobs.build"
                     " OR jobs.build NOT IN (SELECT build FROM jobs WHERE state IN (1, 2)"
                     " AND changed>$1)))",
                     TV_SQL_VALUES(tv_sql_int(seen_by)), &expired->jobs, err);
}

static enum tv_code expire(struct tv_pg *pg, int64_t now, int64_t grace, size_t most,
                           struct tv_expired *expired, struct tv_error *err)
{
    memset(expired, 0, sizeof(*expired));
    TV_TRY(see(pg, now, err));
    TV_TRY(drop_expired(pg, now - grace, most, expired, err));
    return drop_jobs(pg, now - grace, expired, err);
}

enum tv_code tv_postgres_expire(void *ctx, int64_t now, int64_t grace, size_t most,
                                struct tv_expired *expired, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_PATIENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = expire(turn.pg, now, grace, most, expired, &turn.err);
    if (turn.code != TV_OK)
        memset(expired, 0, sizeof(*expired));
    return tv_pg_turn_end(&turn, err);
}

/* An index of a version that nobody works for any more. */
static const char drop_replaced[] =
    "DELETE FROM jobs WHERE state<>1 AND build<>$1 AND EXISTS(SELECT 1 FROM jobs AS own"
    " WHERE own.raw=jobs.raw AND own.mappings=jobs.mappings AND own.build=$1 AND own.state=2)"
    " AND build NOT IN (SELECT build FROM jobs WHERE state IN (1, 2) AND changed>$2)";

enum tv_code tv_postgres_drop_replaced(void *ctx, const char *build, int64_t idle_since,
                                       uint64_t *count, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_PATIENT);
    *count = 0;
    while (tv_pg_turn_tries(&turn))
        turn.code =
            tv_pg_run(turn.pg, drop_replaced,
                      TV_SQL_VALUES(tv_sql_text(tv_str_from(build)), tv_sql_int(idle_since)), count,
                      &turn.err);
    return tv_pg_turn_end(&turn, err);
}
