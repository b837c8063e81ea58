/*
 * Sums over rows, and the quotas that are held against them.
 *
 * A quota is checked after the row was inserted, in the same transaction: over the quota, the
 * transaction is taken back. So two uploads at once cannot both fit into room for one. Sums over
 * traces are computed each time from the rows; that of all files is kept by triggers (schema.c).
 *
 * What an uploader has deleted counts as theirs until its bytes are gone: otherwise one who uploads
 * and deletes would take the room of all.
 */
#include <string.h>

#include "store/job_end.h"
#include "store/quota_rules.h"
#include "store/sqlite/calls.h"

#define SUMS(where)                                                                                \
    "SELECT count(iif(kind=0, raw, NULL)), coalesce(sum(iif(raw IS NULL, 0, bytes)), 0),"          \
    " count(*) - count(raw),"                                                                      \
    " coalesce(sum(iif(raw IS NULL, bytes, 0)), 0) FROM traces" where

/* By enum tv_quota_of. */
static const char *const sums_of[TV_QUOTA_KINDS] = {
    [TV_QUOTA_STORE] = SUMS(""),
    [TV_QUOTA_ADDRESS] = SUMS(" WHERE address=?1"),
    [TV_QUOTA_OWNER] = SUMS(" WHERE owner=?1"),
    [TV_QUOTA_USER] = SUMS(" WHERE user=?1"),
    [TV_QUOTA_PROJECT] =
        SUMS(" WHERE id IN (SELECT trace FROM labels WHERE key='project' AND value=?1)"),
};

/* What was dropped and is still there, of those that are charged. */
#define DROPPED(where)                                                                             \
    "SELECT coalesce(sum(bytes), 0) FROM dropped JOIN files ON name=file WHERE " where "=?1"

static const char *const dropped_of[TV_QUOTA_KINDS] = {
    [TV_QUOTA_ADDRESS] = DROPPED("address"),
    [TV_QUOTA_OWNER] = DROPPED("owner"),
    [TV_QUOTA_USER] = DROPPED("user"),
};
/* Of a project what was dropped is charged to its uploader alone. */

static enum tv_code sum_files(struct tv_sql *sql, struct tv_store_sums *sums, struct tv_error *err)
{
    int64_t numbers[2];
    bool has;
    TV_TRY(tv_sql_numbers(sql, "SELECT files, bytes FROM totals", NULL, 0, numbers, 2, &has, err));
    sums->files = (uint64_t)numbers[0];
    sums->file_bytes = (uint64_t)numbers[1];
    return TV_OK;
}

static enum tv_code sum_dropped(struct tv_sql *sql, enum tv_quota_of of, struct tv_str who,
                                struct tv_store_sums *sums, struct tv_error *err)
{
    int64_t bytes;
    bool has;
    struct tv_sql_value value = tv_sql_or_null(who);
    sums->dropped_bytes = 0;
    if (!dropped_of[of])
        return TV_OK;
    TV_TRY(tv_sql_numbers(sql, dropped_of[of], &value, 1, &bytes, 1, &has, err));
    sums->dropped_bytes = (uint64_t)bytes;
    return TV_OK;
}

/* Four sums in one row. Uploads in progress count with what they told to have, so that several at
 * once cannot pass a limit together. */
static enum tv_code sum_traces(struct tv_sql *sql, enum tv_quota_of of, struct tv_str who,
                               struct tv_store_sums *sums, struct tv_error *err)
{
    int64_t numbers[4];
    bool has;
    struct tv_sql_value value = tv_sql_or_null(who);
    TV_TRY(tv_sql_numbers(sql, sums_of[of], &value, of == TV_QUOTA_STORE ? 0 : 1, numbers, 4, &has,
                          err));
    sums->traces = (uint64_t)numbers[0];
    sums->trace_bytes = (uint64_t)numbers[1];
    sums->uploads = (uint64_t)numbers[2];
    sums->upload_bytes = (uint64_t)numbers[3];
    return TV_OK;
}

/* By state, in the order of enum tv_job_state. */
static enum tv_code sum_jobs(struct tv_sql *sql, struct tv_store_sums *sums, struct tv_error *err)
{
    int64_t numbers[4];
    bool has;
    TV_TRY(tv_sql_numbers(sql,
                          "SELECT sum(state=0), sum(state=1), sum(state=2), sum(state=3)"
                          " FROM jobs",
                          NULL, 0, numbers, 4, &has, err));
    for (size_t i = 0; i < 4; i++)
        sums->jobs[i] = (uint64_t)numbers[i];
    return TV_OK;
}

/* Files and jobs belong to nobody, so only the sum over the whole store has them. */
enum tv_code tv_sqlite_sums(void *ctx, enum tv_quota_of of, const struct tv_trace_row *who,
                            struct tv_store_sums *sums, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    struct tv_sql *sql = &sqlite->reader;
    struct tv_str value = of == TV_QUOTA_STORE ? TV_STR("") : tv_quota_rules_who(of, who);
    memset(sums, 0, sizeof(*sums));
    TV_TRY(tv_sql_begin(sql, err));
    enum tv_code code = sum_traces(sql, of, value, sums, err);
    if (code == TV_OK && of != TV_QUOTA_STORE)
        code = sum_dropped(sql, of, value, sums, err);
    if (code == TV_OK && of == TV_QUOTA_STORE)
        code = sum_files(sql, sums, err);
    if (code == TV_OK && of == TV_QUOTA_STORE)
        code = sum_jobs(sql, sums, err);
    return tv_sql_end(sql, code, err);
}

/* Reads a few rows, and a part of an index for each job that waits: of many all are this version's
 * own (sqlite->indexes), of which nobody asks whether another version has taken them over. */
enum tv_code tv_sqlite_sum_files(void *ctx, struct tv_file_sums *sums, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    int64_t numbers[4];
    bool has;
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    enum tv_code code = tv_sql_numbers(
        &sqlite->reader,
        "SELECT files, bytes, EXISTS(SELECT 1 FROM dropped),"
        " (SELECT coalesce(sum(jobs.bytes), 0) FROM jobs INDEXED BY jobs_by_place WHERE state<2"
        " AND (build=?1 OR NOT " TV_JOB_IS_REPLACED "))"
        " FROM totals",
        TV_SQL_VALUES(tv_sql_text(tv_str_from(sqlite->indexes))), numbers, 4, &has, err);
    TV_TRY(tv_sql_end(&sqlite->reader, code, err));
    *sums = (struct tv_file_sums){.files = (uint64_t)numbers[0],
                                  .bytes = (uint64_t)numbers[1],
                                  .has_dropped = numbers[2] != 0,
                                  .waiting_bytes = (uint64_t)numbers[3]};
    return TV_OK;
}

static enum tv_code sum_held(void *ctx, enum tv_quota_of of, struct tv_str who, bool with_files,
                             struct tv_store_sums *sums, struct tv_error *err)
{
    TV_TRY(sum_traces(ctx, of, who, sums, err));
    TV_TRY(sum_dropped(ctx, of, who, sums, err));
    return with_files ? sum_files(ctx, sums, err) : TV_OK;
}

enum tv_code tv_sqlite_hold_quota(struct tv_sql *sql, const struct tv_quota *quota,
                                  const struct tv_trace_row *who, enum tv_quota_of *over,
                                  struct tv_error *err)
{
    return tv_quota_rules_check(quota, who, sum_held, sql, over, err);
}
