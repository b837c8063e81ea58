/*
 * Rows whose time is over; see expire() in store/store_db.h.
 *
 * A clock that jumps ahead must not drop rows. So a row is first marked with the time at which it
 * was seen expired, and dropped by a later call, when that mark is older than the grace period. A
 * clock that was put right takes the mark away again.
 */
#include <string.h>

#include "store/sqlite/calls.h"

/* The time from which on a row of traces is not found; NULL: it is always found. */
#define ENDS "iif(raw IS NULL, until, expires)"

/* Marks rows that are expired now, and takes the mark from those that are not: their owner gave
 * them more time, or the clock was ahead. */
static enum tv_code see(struct tv_sql *sql, int64_t now, struct tv_error *err)
{
    TV_TRY(tv_sql_run(sql,
                      "UPDATE traces SET seen_expired=?1 WHERE " ENDS "<=?1"
                      " AND (seen_expired IS NULL OR seen_expired>?1)",
                      TV_SQL_VALUES(tv_sql_int(now)), NULL, err));
    return tv_sql_run(sql,
                      "UPDATE traces SET seen_expired=NULL WHERE seen_expired IS NOT NULL"
                      " AND (" ENDS " IS NULL OR " ENDS ">?1)",
                      TV_SQL_VALUES(tv_sql_int(now)), NULL, err);
}

/* One row at a time, since the next statement changes the table that this one reads. */
static enum tv_code find_one(struct tv_sql *sql, int64_t seen_by, struct tv_id *id, bool *is_upload,
                             bool *has, struct tv_error *err)
{
    const struct tv_sql_statement *rows;
    TV_TRY(tv_sql_query(sql, "SELECT id, raw IS NULL FROM traces WHERE seen_expired<=?1 LIMIT 1",
                        TV_SQL_VALUES(tv_sql_int(seen_by)), &rows, err));
    TV_TRY(tv_sql_next(sql, rows, has, err));
    if (!*has)
        return TV_OK;
    tv_sql_copy(rows, 0, id->hex, sizeof(id->hex));
    *is_upload = tv_sql_number(rows, 1) != 0;
    tv_sql_leave(rows);
    return TV_OK;
}

/* `most` bounds the transaction: the site's own writes wait for as long as it runs. */
static enum tv_code drop_expired(struct tv_sql *sql, int64_t seen_by, size_t most,
                                 struct tv_expired *expired, struct tv_error *err)
{
    bool has = true;
    for (size_t i = 0; i < most && has; i++) {
        struct tv_id id;
        bool is_upload = false;
        TV_TRY(find_one(sql, seen_by, &id, &is_upload, &has, err));
        if (!has)
            break;
        TV_TRY(tv_sqlite_drop_row(sql, &id, &has, err));
        *(is_upload ? &expired->uploads : &expired->traces) += has;
    }
    return TV_OK;
}

/* Drops an index of other versions or mappings once a later one has been there for the grace
 * period. An index that is being made (state 1) stays, and so does one of another version that has
 * been worked for meanwhile: two versions that share a store drop nothing of one another. */
static enum tv_code drop_jobs(struct tv_sql *sql, int64_t seen_by, struct tv_expired *expired,
                              struct tv_error *err)
{
    return tv_sql_run(sql,
                      "DELETE FROM jobs WHERE state<>1 AND EXISTS(SELECT 1 FROM jobs AS later"
                      " WHERE later.raw=jobs.raw AND later.state=2 AND later.created>jobs.created"
                      " AND later.changed<=?1 AND (later.build=jobs.build"
                      " OR jobs.build NOT IN (SELECT build FROM jobs WHERE state IN (1, 2)"
                      " AND changed>?1)))",
                      TV_SQL_VALUES(tv_sql_int(seen_by)), &expired->jobs, err);
}

/* A trace is first *seen* to be expired, and dropped when that was seen a grace period ago. A clock
 * that jumps ahead by a day therefore removes nothing at once. */
enum tv_code tv_sqlite_expire(void *ctx, int64_t now, int64_t grace, size_t most,
                              struct tv_expired *expired, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    struct tv_sql *sql = &sqlite->writer;
    memset(expired, 0, sizeof(*expired));
    TV_TRY(tv_sql_begin(sql, err));
    enum tv_code code = see(sql, now, err);
    if (code == TV_OK)
        code = drop_expired(sql, now - grace, most, expired, err);
    if (code == TV_OK)
        code = drop_jobs(sql, now - grace, expired, err);
    code = tv_sql_end(sql, code, err);
    if (code != TV_OK)
        memset(expired, 0, sizeof(*expired));
    return code;
}

/* An index of a version that nobody works for any more. */
static const char drop_replaced[] =
    "DELETE FROM jobs WHERE state<>1 AND build<>?1 AND EXISTS(SELECT 1 FROM jobs AS own"
    " WHERE own.raw=jobs.raw AND own.mappings=jobs.mappings AND own.build=?1 AND own.state=2)"
    " AND build NOT IN (SELECT build FROM jobs WHERE state IN (1, 2) AND changed>?2)";

enum tv_code tv_sqlite_drop_replaced(void *ctx, const char *build, int64_t idle_since,
                                     uint64_t *count, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    struct tv_sql *sql = &sqlite->writer;
    *count = 0;
    TV_TRY(tv_sql_begin(sql, err));
    return tv_sql_end(
        sql,
        tv_sql_run(sql, drop_replaced,
                   TV_SQL_VALUES(tv_sql_text(tv_str_from(build)), tv_sql_int(idle_since)), count,
                   err),
        err);
}
