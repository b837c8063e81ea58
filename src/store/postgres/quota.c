/*
 * Sums over rows, and the quotas that are held against them.
 *
 * A quota is checked after the row was inserted, in the same transaction: over the quota, the
 * transaction is taken back. Two uploads at once do not see each other's rows, so each first takes
 * an advisory lock for each sum that its quotas are about, and the second one waits for the end of
 * the first. Sums over traces are computed each time from the rows; that of all files is kept by a
 * trigger (schema.c).
 *
 * What an uploader has deleted counts as theirs until its bytes are gone: otherwise one who uploads
 * and deletes would take the room of all.
 */
#include "store/job_end.h"
#include "store/quota_rules.h"

#include <string.h>

#include "store/postgres/calls.h"

/* A sum of bigint is numeric, and as long as it likes. */
#define SUM(of) "least(coalesce(sum(" of "), 0), 9223372036854775807)::bigint"
#define SUMS(where)                                                                                \
    "SELECT count(*) FILTER (WHERE kind=0 AND raw IS NOT NULL),"                                   \
    " least(coalesce(sum(bytes) FILTER (WHERE raw IS NOT NULL), 0), 9223372036854775807)::bigint," \
    " count(*) - count(raw),"                                                                      \
    " least(coalesce(sum(bytes) FILTER (WHERE raw IS NULL), 0), 9223372036854775807)::bigint"      \
    " FROM traces" where

/* By enum tv_quota_of. */
static const char *const sums_of[TV_QUOTA_KINDS] = {
    [TV_QUOTA_STORE] = SUMS(""),
    [TV_QUOTA_ADDRESS] = SUMS(" WHERE address=$1"),
    [TV_QUOTA_OWNER] = SUMS(" WHERE owner=$1"),
    [TV_QUOTA_USER] = SUMS(" WHERE user_name=$1"),
    [TV_QUOTA_PROJECT] =
        SUMS(" WHERE id IN (SELECT trace FROM labels WHERE key='project' AND value=$1)"),
};

/* What was dropped and is still there, of those that are charged. */
#define DROPPED(where)                                                                             \
    "SELECT " SUM("bytes") " FROM dropped JOIN files ON name=file WHERE " where "=$1"

static const char *const dropped_of[TV_QUOTA_KINDS] = {
    [TV_QUOTA_ADDRESS] = DROPPED("address"),
    [TV_QUOTA_OWNER] = DROPPED("owner"),
    [TV_QUOTA_USER] = DROPPED("user_name"),
};
/* Of a project what was dropped is charged to its uploader alone. */

static enum tv_code sum_files(struct tv_pg *pg, struct tv_store_sums *sums, struct tv_error *err)
{
    static const struct tv_sql_value none[1];
    int64_t numbers[2];
    bool has;
    TV_TRY(tv_pg_numbers(pg, "SELECT files, bytes FROM totals", none, 0, numbers, 2, &has, err));
    sums->files = (uint64_t)numbers[0];
    sums->file_bytes = (uint64_t)numbers[1];
    return TV_OK;
}

static enum tv_code sum_dropped(struct tv_pg *pg, enum tv_quota_of of, struct tv_str who,
                                struct tv_store_sums *sums, struct tv_error *err)
{
    int64_t bytes;
    bool has;
    struct tv_sql_value value = tv_sql_or_null(who);
    sums->dropped_bytes = 0;
    if (!dropped_of[of])
        return TV_OK;
    TV_TRY(tv_pg_numbers(pg, dropped_of[of], &value, 1, &bytes, 1, &has, err));
    sums->dropped_bytes = (uint64_t)bytes;
    return TV_OK;
}

/* Four sums in one row. Uploads in progress count with what they told to have, so that several at
 * once cannot pass a limit together. */
static enum tv_code sum_traces(struct tv_pg *pg, enum tv_quota_of of, struct tv_str who,
                               struct tv_store_sums *sums, struct tv_error *err)
{
    int64_t numbers[4];
    bool has;
    struct tv_sql_value value = tv_sql_or_null(who);
    TV_TRY(tv_pg_numbers(pg, sums_of[of], &value, of == TV_QUOTA_STORE ? 0 : 1, numbers, 4, &has,
                         err));
    sums->traces = (uint64_t)numbers[0];
    sums->trace_bytes = (uint64_t)numbers[1];
    sums->uploads = (uint64_t)numbers[2];
    sums->upload_bytes = (uint64_t)numbers[3];
    return TV_OK;
}

/* By state, in the order of enum tv_job_state. */
static enum tv_code sum_jobs(struct tv_pg *pg, struct tv_store_sums *sums, struct tv_error *err)
{
    static const struct tv_sql_value none[1];
    int64_t numbers[4];
    bool has;
    TV_TRY(tv_pg_numbers(pg,
                         "SELECT count(*) FILTER (WHERE state=0), count(*) FILTER (WHERE state=1),"
                         " count(*) FILTER (WHERE state=2), count(*) FILTER (WHERE state=3)"
                         " FROM jobs",
                         none, 0, numbers, 4, &has, err));
    for (size_t i = 0; i < 4; i++)
        sums->jobs[i] = (uint64_t)numbers[i];
    return TV_OK;
}

static enum tv_code sum_all(struct tv_pg *pg, enum tv_quota_of of, struct tv_str who,
                            struct tv_store_sums *sums, struct tv_error *err)
{
    memset(sums, 0, sizeof(*sums));
    TV_TRY(sum_traces(pg, of, who, sums, err));
    if (of != TV_QUOTA_STORE)
        return sum_dropped(pg, of, who, sums, err);
    TV_TRY(sum_files(pg, sums, err));
    return sum_jobs(pg, sums, err);
}

/* Files and jobs belong to nobody, so only the sum over the whole store has them. */
enum tv_code tv_postgres_sums(void *ctx, enum tv_quota_of of, const struct tv_trace_row *who,
                              struct tv_store_sums *sums, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_str value = of == TV_QUOTA_STORE ? TV_STR("") : tv_quota_rules_who(of, who);
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = sum_all(turn.pg, of, value, sums, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

/* Reads a few rows, however many the store has. */
enum tv_code tv_postgres_sum_files(void *ctx, struct tv_file_sums *sums, struct tv_error *err)
{
    static const struct tv_sql_value none[1];
    struct tv_postgres *postgres = ctx;
    int64_t numbers[4] = {0};
    bool has;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code =
            tv_pg_numbers(turn.pg,
                          "SELECT files, bytes, EXISTS(SELECT 1 FROM dropped),"
                          " (SELECT " SUM("bytes") " FROM jobs WHERE state<2"
                                                   " AND (build=" TV_POSTGRES_INDEXES
                                                   "  OR NOT " TV_JOB_IS_REPLACED ")) FROM totals",
                          none, 0, numbers, 4, &has, &turn.err);
    *sums = (struct tv_file_sums){.files = (uint64_t)numbers[0],
                                  .bytes = (uint64_t)numbers[1],
                                  .has_dropped = numbers[2] != 0,
                                  .waiting_bytes = (uint64_t)numbers[3]};
    return tv_pg_turn_end(&turn, err);
}

/* In the order of the rules, so that no two wait for each other. Advisory locks have numbers: two
 * sums that share one by chance only wait for each other. */
enum tv_code tv_postgres_lock_quota(struct tv_pg *pg, const struct tv_quota *quota,
                                    const struct tv_trace_row *who, struct tv_error *err)
{
    for (size_t i = 0; quota && i < TV_QUOTA_KINDS; i++) {
        enum tv_quota_of of = tv_quota_rules_order[i];
        struct tv_str value = tv_quota_rules_who(of, who);
        if (tv_quota_rules_hold(quota, of, value))
            TV_TRY(tv_pg_run(pg, "SELECT pg_advisory_xact_lock(hashtextextended($1, $2))",
                             TV_SQL_VALUES(tv_sql_text(value), tv_sql_int((int64_t)of)), NULL,
                             err));
    }
    return TV_OK;
}

static enum tv_code sum_held(void *ctx, enum tv_quota_of of, struct tv_str who, bool with_files,
                             struct tv_store_sums *sums, struct tv_error *err)
{
    TV_TRY(sum_traces(ctx, of, who, sums, err));
    TV_TRY(sum_dropped(ctx, of, who, sums, err));
    return with_files ? sum_files(ctx, sums, err) : TV_OK;
}

enum tv_code tv_postgres_hold_quota(struct tv_pg *pg, const struct tv_quota *quota,
                                    const struct tv_trace_row *who, enum tv_quota_of *over,
                                    struct tv_error *err)
{
    return tv_quota_rules_check(quota, who, sum_held, pg, over, err);
}
