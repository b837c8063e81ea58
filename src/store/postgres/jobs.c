/*
 * Jobs: rows that workers take for a while; see store/sqlite/jobs.c for their states.
 *
 * A worker takes the first job that no other one is taking (SKIP LOCKED), so that none waits for
 * another. Whoever makes a job notifies a channel in the same transaction: the server tells all
 * workers, wherever they are, when the job is there to be seen. Whoever takes or ends one tells
 * those who wait for its trace in the same manner; workers are not told of one that was given back,
 * or those whose disk is full would take it in turns without a rest.
 */
#include <stdio.h>
#include <string.h>

#include "store/job_end.h"
#include "store/postgres/calls.h"
#include "store/row_check.h"

#define COLUMNS                                                                                    \
    "jobs.raw, jobs.build, state, worker, deadline, tries, result, reason, jobs.created, changed," \
    " jobs.mappings"

/* In the order of COLUMNS. */
static void read_job(const struct tv_pg *pg, struct tv_job *job)
{
    memset(job, 0, sizeof(*job));
    tv_pg_copy(pg, 0, 0, job->raw.hex, sizeof(job->raw.hex));
    tv_pg_copy(pg, 0, 1, job->build, sizeof(job->build));
    job->state = (enum tv_job_state)tv_pg_number(pg, 0, 2);
    tv_pg_copy(pg, 0, 3, job->worker, sizeof(job->worker));
    job->deadline = tv_pg_number(pg, 0, 4);
    job->tries = (unsigned)tv_pg_number(pg, 0, 5);
    tv_pg_copy(pg, 0, 6, job->index.hex, sizeof(job->index.hex));
    tv_pg_copy(pg, 0, 7, job->reason, sizeof(job->reason));
    job->created = tv_pg_number(pg, 0, 8);
    job->changed = tv_pg_number(pg, 0, 9);
    tv_pg_copy(pg, 0, 10, job->mappings, sizeof(job->mappings));
}

static const char by_key[] =
    "SELECT " COLUMNS " FROM jobs WHERE raw=$1 AND build=$2 AND mappings=$3";
static const char by_key_to_change[] =
    "SELECT " COLUMNS " FROM jobs WHERE raw=$1 AND build=$2 AND mappings=$3 FOR UPDATE";

static enum tv_code find(struct tv_pg *pg, const char *text, const struct tv_hash *raw,
                         const char *build, const char *mappings, struct tv_job *job, bool *has,
                         struct tv_error *err)
{
    TV_TRY(tv_pg_query(pg, text,
                       TV_SQL_VALUES(tv_sql_hex(raw->hex), tv_sql_text(tv_str_from(build)),
                                     tv_sql_text(tv_str_from(mappings))),
                       err));
    *has = tv_pg_row_count(pg) > 0;
    if (*has)
        read_job(pg, job);
    return TV_OK;
}

/* `text` is one of the two below. */
static enum tv_code tell(struct tv_pg *pg, const char *text, const struct tv_hash *raw,
                         struct tv_error *err)
{
    return tv_pg_run(pg, text, TV_SQL_VALUES(tv_sql_text(tv_str_from(raw ? raw->hex : ""))), NULL,
                     err);
}

static const char job_waits[] = "SELECT pg_notify('" TV_POSTGRES_JOBS "', $1)";
static const char state_changed[] = "SELECT pg_notify('" TV_POSTGRES_STATES "', $1)";

/* --- making a job --- */

/* Locks the rows of the raw file and of the mappings, so that nobody drops the last trace that has
 * one of them meanwhile. */
static enum tv_code lock_files(struct tv_pg *pg, const struct tv_hash *raw, const char *mappings,
                               struct tv_error *err)
{
    return tv_pg_run(
        pg, TV_POSTGRES_LOCK_FILES("SELECT $1 UNION SELECT unnest(string_to_array($2, ' '))"),
        TV_SQL_VALUES(tv_sql_hex(raw->hex), tv_sql_text(tv_str_from(mappings))), NULL, err);
}

/* Whether all of these files are mappings still. */
static enum tv_code check_mappings(struct tv_pg *pg, const char *mappings, struct tv_error *err)
{
    int64_t count;
    bool has;
    TV_TRY(tv_pg_numbers(pg,
                         "SELECT count(DISTINCT raw) FROM traces WHERE kind=1"
                         " AND raw=ANY(string_to_array($1, ' '))",
                         TV_SQL_VALUES(tv_sql_text(tv_str_from(mappings))), &count, 1, &has, err));
    return (size_t)count * sizeof(struct tv_hash) == strlen(mappings) + 1
               ? TV_OK
               : tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET, "a mapping was deleted meanwhile");
}

/* Who brought the raw file first; a queued job for which nobody waits; and the place of one that is
 * queued now (job_end.h). */
#define WHO                                                                                        \
    "coalesce((SELECT coalesce(nullif(user_name, ''), address) FROM traces"                        \
    "  WHERE traces.raw=$1 ORDER BY traces.created, id LIMIT 1), '')"
#define IS_UNAWAITED "(state=0 AND deadline-jobs.created>=" TV_JOB_UNAWAITED_S ")"
#define PLACE                                                                                      \
    "$3 + least(bytes/1048576, " TV_JOB_MIB_MOST_S ") + CASE WHEN $5=0 THEN " TV_JOB_UNAWAITED_S   \
    " ELSE 10*(SELECT count(*) FROM (SELECT 1 FROM jobs WHERE jobs.build=$2 AND jobs.who=" WHO     \
    "  AND jobs.created<=$3 AND state<2 AND NOT " IS_UNAWAITED                                     \
    " AND jobs.raw<>name LIMIT " TV_JOB_TURNS_MOST ") AS waiting) END"
static const char insert[] =
    "INSERT INTO jobs(raw, build, state, worker, deadline, tries, result, reason, created, changed,"
    " mappings, bytes, who) SELECT name, $2, 0, '', " PLACE ", 0, NULL, '', $3, $3, $4, bytes, " WHO
    " FROM files WHERE name=$1 ON CONFLICT DO NOTHING";
static const char bring_forward[] =
    "UPDATE jobs SET deadline=(SELECT " PLACE " FROM files WHERE name=$1), created=$3, changed=$3"
    " WHERE raw=$1 AND build=$2 AND mappings=$4 AND " IS_UNAWAITED;

/* A job that is there already stays in its state: a trace that could not be read is not
 * read again for each visitor. */
static enum tv_code queue(struct tv_pg *pg, const struct tv_hash *raw, const char *build,
                          const char *mappings, bool is_awaited, int64_t now, struct tv_job *job,
                          struct tv_error *err)
{
    int64_t traces;
    bool has;
    TV_TRY(lock_files(pg, raw, mappings, err));
    TV_TRY(tv_pg_numbers(pg, "SELECT count(*) FROM traces WHERE raw=$1 AND kind=0",
                         TV_SQL_VALUES(tv_sql_hex(raw->hex)), &traces, 1, &has, err));
    if (!traces)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no trace has that raw file");
    if (mappings[0])
        TV_TRY(check_mappings(pg, mappings, err));
    const struct tv_sql_value values[] = {tv_sql_hex(raw->hex), tv_sql_text(tv_str_from(build)),
                                          tv_sql_int(now), tv_sql_text(tv_str_from(mappings)),
                                          tv_sql_int(is_awaited)};
    TV_TRY(tv_pg_run(pg, insert, values, TV_COUNT_OF(values), NULL, err));
    TV_TRY(find(pg, by_key, raw, build, mappings, job, &has, err));
    if (tv_job_is_to_come_forward(job, is_awaited))
        TV_TRY(tv_pg_run(pg, bring_forward, values, TV_COUNT_OF(values), NULL, err));
    TV_TRY(find(pg, by_key, raw, build, mappings, job, &has, err));
    return tell(pg, job_waits, NULL, err);
}

/* The job is there almost always, so it is looked for first, without a lock. */
enum tv_code tv_postgres_want_job(void *ctx, const struct tv_hash *raw, const char *build,
                                  const char *mappings, bool is_awaited, int64_t now,
                                  struct tv_job *job, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    bool has = false;
    TV_TRY(tv_row_check_job(raw, build, "", err));
    struct tv_pg_turn look = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&look))
        look.code = find(look.pg, by_key, raw, build, mappings, job, &has, &look.err);
    TV_TRY(tv_pg_turn_end(&look, err));
    if (has && (postgres->is_read_only || !tv_job_is_to_come_forward(job, is_awaited)))
        return TV_OK;
    if (postgres->is_read_only) {
        *job = (struct tv_job){.raw = *raw, .state = TV_JOB_BAD, .created = now, .changed = now};
        (void)snprintf(
            job->reason, sizeof(job->reason),
            "this archive has no index of it of version %s, and makes none: a site that is "
            "started on a copy of it does",
            build);
        return TV_OK;
    }
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_TRANSACTION);
    while (tv_pg_turn_tries(&turn))
        turn.code = queue(turn.pg, raw, build, mappings, is_awaited, now, job, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

/* --- taking one --- */

/* Whether a lease has lapsed. A lease that began more than its own length after now was taken while
 * the clock was ahead; it would hold until the clock is there again, so it has lapsed as well. */
#define HAS_LAPSED "(state=1 AND (deadline<=$2 OR $2<changed-(deadline-changed)))"

/* The first by place that nobody else is taking; one whose lease has lapsed by its age. The state
 * is asked of the row that is locked, too: another worker may have taken it since the statement
 * began.
 */
static const char first_job[] =
    "SELECT " COLUMNS " FROM jobs WHERE build=$1 AND state<2 AND (state=0 OR " HAS_LAPSED ")"
    " ORDER BY CASE state WHEN 0 THEN deadline ELSE created END, created, raw LIMIT 1"
    " FOR UPDATE SKIP LOCKED";

/* Jobs that have used up their tries become bad. */
static const char give_up[] =
    "UPDATE jobs SET state=3, changed=$2, reason=CASE WHEN reason=''"
    " THEN 'the worker ended without a word' ELSE reason END"
    " WHERE (raw, build, mappings) IN (SELECT raw, build, mappings FROM jobs"
    "  WHERE build=$1 AND " HAS_LAPSED " AND tries>=$3 FOR UPDATE SKIP LOCKED)";

/* What this worker has taken by a try whose end it did not hear of; nothing where the try was taken
 * back, whatever that one has left in *job. */
static enum tv_code find_taken(struct tv_pg *pg, const char *build, const char *worker,
                               int64_t deadline, struct tv_job *job, struct tv_error *err)
{
    memset(job, 0, sizeof(*job));
    TV_TRY(tv_pg_query(pg,
                       "SELECT " COLUMNS " FROM jobs WHERE build=$1 AND state=1 AND worker=$2"
                       " AND deadline=$3 LIMIT 1",
                       TV_SQL_VALUES(tv_sql_text(tv_str_from(build)),
                                     tv_sql_text(tv_str_from(worker)), tv_sql_int(deadline)),
                       err));
    if (tv_pg_row_count(pg))
        read_job(pg, job);
    return TV_OK;
}

static enum tv_code take(struct tv_pg *pg, const char *build, const char *worker, int64_t now,
                         int64_t lease, unsigned tries, struct tv_job *job, struct tv_error *err)
{
    memset(job, 0, sizeof(*job));
    TV_TRY(tv_pg_run(
        pg, give_up,
        TV_SQL_VALUES(tv_sql_text(tv_str_from(build)), tv_sql_int(now), tv_sql_count(tries)), NULL,
        err));
    TV_TRY(tv_pg_query(pg, first_job,
                       TV_SQL_VALUES(tv_sql_text(tv_str_from(build)), tv_sql_int(now)), err));
    if (!tv_pg_row_count(pg)) /* no job, but the update above is committed */
        return TV_OK;
    read_job(pg, job);
    job->state = TV_JOB_TAKEN;
    job->tries++;
    job->deadline = now + lease;
    job->changed = now;
    (void)snprintf(job->worker, sizeof(job->worker), "%s", worker);
    TV_TRY(tv_pg_run(pg,
                     "UPDATE jobs SET state=1, tries=$3, deadline=$4, changed=$5, worker=$6"
                     " WHERE raw=$1 AND build=$2 AND mappings=$7",
                     TV_SQL_VALUES(tv_sql_hex(job->raw.hex), tv_sql_text(tv_str_from(build)),
                                   tv_sql_count(job->tries), tv_sql_int(job->deadline),
                                   tv_sql_int(now), tv_sql_text(tv_str_from(worker)),
                                   tv_sql_text(tv_str_from(job->mappings))),
                     NULL, err));
    return tell(pg, state_changed, &job->raw, err);
}

static enum tv_code look(struct tv_pg *pg, const char *build, int64_t now, bool *has,
                         struct tv_error *err)
{
    int64_t number;
    return tv_pg_numbers(pg,
                         "SELECT 1 FROM jobs WHERE build=$1 AND state<2 AND (state=0"
                         " OR " HAS_LAPSED ") LIMIT 1",
                         TV_SQL_VALUES(tv_sql_text(tv_str_from(build)), tv_sql_int(now)), &number,
                         1, has, err);
}

static enum tv_code take_one(struct tv_pg_turn *turn, const char *build, const char *worker,
                             int64_t now, int64_t lease, unsigned tries, struct tv_job *job)
{
    if (turn->is_unsure)
        TV_TRY(find_taken(turn->pg, build, worker, now + lease, job, &turn->err));
    return job->raw.hex[0] && turn->is_unsure
               ? TV_OK
               : take(turn->pg, build, worker, now, lease, tries, job, &turn->err);
}

/* Looks first without a lock, because workers ask often and nearly always in vain. */
enum tv_code tv_postgres_take_job(void *ctx, const char *build, const char *worker, int64_t now,
                                  int64_t lease, unsigned tries, struct tv_job *job,
                                  struct tv_error *err)
{
    static const struct tv_hash any = {
        "0000000000000000000000000000000000000000000000000000000000000000"};
    struct tv_postgres *postgres = ctx;
    bool has = false;
    memset(job, 0, sizeof(*job));
    TV_TRY(tv_row_check_job(&any, build, worker, err));
    struct tv_pg_turn before = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&before))
        before.code = look(before.pg, build, now, &has, &before.err);
    TV_TRY(tv_pg_turn_end(&before, err));
    if (has) {
        struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_TRANSACTION);
        while (tv_pg_turn_tries(&turn))
            turn.code = take_one(&turn, build, worker, now, lease, tries, job);
        TV_TRY(tv_pg_turn_end(&turn, err));
    }
    return job->raw.hex[0] ? TV_OK
                           : tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no job is waiting");
}

/* A lease that has lapsed belongs to no worker. What another version has taken over waits for
 * nobody; of this one's own, which may be very many, that is not asked.
 */
static enum tv_code find_unserved(struct tv_pg *pg, int64_t now, int64_t patience,
                                  struct tv_unserved *unserved, struct tv_error *err)
{
    memset(unserved, 0, sizeof(*unserved));
    TV_TRY(tv_pg_query(pg,
                       "SELECT build, count(*), min(created) FROM jobs WHERE state<2"
                       " AND (build=" TV_POSTGRES_INDEXES " OR state=1 AND deadline>$1"
                       "  OR NOT " TV_JOB_IS_REPLACED ")"
                       " GROUP BY build HAVING count(*) FILTER (WHERE state=1 AND deadline>$1)=0"
                       " AND min(created)<=$2 ORDER BY min(created) LIMIT 1",
                       TV_SQL_VALUES(tv_sql_int(now), tv_sql_int(now - patience)), err));
    if (!tv_pg_row_count(pg))
        return TV_OK;
    tv_pg_copy(pg, 0, 0, unserved->build, sizeof(unserved->build));
    unserved->jobs = (uint64_t)tv_pg_number(pg, 0, 1);
    unserved->oldest = tv_pg_number(pg, 0, 2);
    return TV_OK;
}

enum tv_code tv_postgres_find_unserved(void *ctx, int64_t now, int64_t patience,
                                       struct tv_unserved *unserved, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = find_unserved(turn.pg, now, patience, unserved, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

static const char left_job[] =
    "SELECT " COLUMNS
    " FROM jobs WHERE state<2 AND (state=0 OR deadline<=$2) AND jobs.build<>$1 AND jobs.created<=$3"
    " AND NOT EXISTS(SELECT 1 FROM jobs AS own WHERE own.raw=jobs.raw AND own.build=$1)"
    " AND NOT EXISTS(SELECT 1 FROM jobs AS taken WHERE taken.build=jobs.build AND taken.state=1"
    "  AND taken.deadline>$2) ORDER BY jobs.created, jobs.raw LIMIT 1";

static enum tv_code find_left(struct tv_pg *pg, const char *build, int64_t now, int64_t patience,
                              struct tv_job *job, struct tv_error *err)
{
    memset(job, 0, sizeof(*job));
    TV_TRY(tv_pg_query(
        pg, left_job,
        TV_SQL_VALUES(tv_sql_text(tv_str_from(build)), tv_sql_int(now), tv_sql_int(now - patience)),
        err));
    if (tv_pg_row_count(pg))
        read_job(pg, job);
    return TV_OK;
}

enum tv_code tv_postgres_find_left_job(void *ctx, const char *build, int64_t now, int64_t patience,
                                       struct tv_job *job, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = find_left(turn.pg, build, now, patience, job, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

/* --- keeping and ending one --- */

/* Changes nothing where the worker's lease has run out and another has the job: that is how the
 * first one learns that its result is no longer wanted. */
static enum tv_code renew(struct tv_pg *pg, const struct tv_hash *raw, const char *build,
                          const char *mappings, const char *worker, int64_t now, int64_t lease,
                          struct tv_error *err)
{
    uint64_t changed;
    TV_TRY(tv_pg_run(pg,
                     "UPDATE jobs SET deadline=$4, changed=$5 WHERE raw=$1 AND build=$2 AND state=1"
                     " AND worker=$3 AND mappings=$6",
                     TV_SQL_VALUES(tv_sql_hex(raw->hex), tv_sql_text(tv_str_from(build)),
                                   tv_sql_text(tv_str_from(worker)), tv_sql_int(now + lease),
                                   tv_sql_int(now), tv_sql_text(tv_str_from(mappings))),
                     &changed, err));
    return changed ? TV_OK : tv_job_end_not_yours(err);
}

enum tv_code tv_postgres_renew_job(void *ctx, const struct tv_hash *raw, const char *build,
                                   const char *mappings, const char *worker, int64_t now,
                                   int64_t lease, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    TV_TRY(tv_row_check_job(raw, build, worker, err));
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = renew(turn.pg, raw, build, mappings, worker, now, lease, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

/* Ends one try. A second call with the same result is fine, since a worker that heard no answer
 * asks again. */
static enum tv_code end_try(struct tv_pg *pg, struct tv_job *job, int64_t now,
                            enum tv_job_state state, const struct tv_hash *index,
                            const char *reason, struct tv_error *err)
{
    const char *result = state == TV_JOB_DONE ? index->hex : "";
    if (tv_job_end_is_repeated(job, state, index))
        return TV_OK;
    if (job->state != TV_JOB_TAKEN)
        return tv_job_end_not_yours(err);
    if (state == TV_JOB_DONE)
        TV_TRY(tv_postgres_need_file(pg, index, err));
    if (state == TV_JOB_TAKEN) {
        job->deadline = now + TV_JOB_PAUSE_S;
        job->worker[0] = '\0';
    }
    (void)snprintf(job->reason, sizeof(job->reason), "%s", reason ? reason : "");
    TV_TRY(
        tv_pg_run(pg,
                  "UPDATE jobs SET state=$3, result=$4, reason=$5, changed=$6, tries=$8, "
                  "deadline=$9, worker=$10"
                  " WHERE raw=$1 AND build=$2 AND mappings=$7",
                  TV_SQL_VALUES(tv_sql_hex(job->raw.hex), tv_sql_text(tv_str_from(job->build)),
                                tv_sql_int((int64_t)state), tv_sql_hex(result),
                                tv_sql_text(tv_str_from(job->reason)), tv_sql_int(now),
                                tv_sql_text(tv_str_from(job->mappings)), tv_sql_count(job->tries),
                                tv_sql_int(job->deadline), tv_sql_text(tv_str_from(job->worker))),
                  NULL, err));
    return tell(pg, state_changed, &job->raw, err);
}

/* The worker's name is compared inside the transaction, so only the last one that took the job can
 * end it. */
enum tv_code tv_postgres_end_job(void *ctx, const struct tv_hash *raw, const char *build,
                                 const char *mappings, const char *worker, int64_t now,
                                 enum tv_job_end end, unsigned tries, const struct tv_hash *index,
                                 const char *reason, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    TV_TRY(tv_row_check_job(raw, build, worker, err));
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_TRANSACTION);
    while (tv_pg_turn_tries(&turn)) {
        struct tv_job job;
        bool has = false;
        turn.code = find(turn.pg, by_key_to_change, raw, build, mappings, &job, &has, &turn.err);
        if (turn.code == TV_OK && (!has || strcmp(job.worker, worker) != 0))
            turn.code = tv_job_end_not_yours(&turn.err);
        if (turn.code == TV_OK) {
            const enum tv_job_state state = tv_job_end_state(&job, end, tries);
            job.tries = tv_job_end_tries(&job, end, tries);
            turn.code = end_try(turn.pg, &job, now, state, index, reason, &turn.err);
        }
    }
    return tv_pg_turn_end(&turn, err);
}

/* Those of other versions get jobs of this one, whose files are locked as by whoever makes a job.
 */
#define FAILED_BEFORE                                                                              \
    " FROM jobs AS failed WHERE raw=coalesce($2, raw) AND " TV_JOB_FAILED_BEFORE("$1")

static enum tv_code retry_of_before(struct tv_pg *pg, const struct tv_hash *raw, const char *build,
                                    int64_t now, uint64_t *count, struct tv_error *err)
{
    const struct tv_sql_value values[] = {tv_sql_text(tv_str_from(build)),
                                          tv_sql_hex(raw ? raw->hex : ""), tv_sql_int(now)};
    TV_TRY(tv_pg_run(pg, TV_POSTGRES_LOCK_FILES("SELECT raw" FAILED_BEFORE), values, 2, NULL, err));
    return tv_pg_run(pg,
                     "INSERT INTO jobs(raw, build, state, worker, deadline, tries, result, reason,"
                     " created, changed, mappings, bytes, who) SELECT raw, $1, 0, '', $3, 0, NULL,"
                     " '', $3, $3, '', min(bytes), min(who)" FAILED_BEFORE " GROUP BY raw"
                     " ON CONFLICT DO NOTHING",
                     values, TV_COUNT_OF(values), count, err);
}

static enum tv_code retry(struct tv_pg *pg, const struct tv_hash *raw, const char *build,
                          int64_t now, uint64_t *count, struct tv_error *err)
{
    uint64_t before;
    TV_TRY(tv_pg_run(pg,
                     "UPDATE jobs SET state=0, worker='', deadline=$2, tries=0, reason='',"
                     " created=$2, changed=$2 WHERE build=$1 AND state=3 AND raw=coalesce($3, raw)",
                     TV_SQL_VALUES(tv_sql_text(tv_str_from(build)), tv_sql_int(now),
                                   tv_sql_hex(raw ? raw->hex : "")),
                     count, err));
    TV_TRY(retry_of_before(pg, raw, build, now, &before, err));
    *count += before;
    TV_TRY(tell(pg, state_changed, raw, err));
    return tell(pg, job_waits, NULL, err);
}

enum tv_code tv_postgres_retry_jobs(void *ctx, const struct tv_hash *raw, const char *build,
                                    int64_t now, uint64_t *count, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_TRANSACTION);
    while (tv_pg_turn_tries(&turn))
        turn.code = retry(turn.pg, raw, build, now, count, &turn.err);
    return tv_pg_turn_end(&turn, err);
}
