/*
 * Jobs: rows that workers take for a while.
 *
 * A job is queued, taken, done or bad (enum tv_job_state). A worker takes the first job, by a
 * place that lets small ones of clients with few go before large ones and many (job_end.h), for the
 * length of a lease and renews it while it works; a lease that lapses means that the worker died,
 * and the job is taken again, until it has had its tries and is bad. All that a worker says of a
 * job counts only while the job is in its name.
 */
#include <stdio.h>
#include <string.h>

#include "store/job_end.h"
#include "store/row_check.h"
#include "store/sqlite/calls.h"

#define COLUMNS                                                                                    \
    "raw, build, state, worker, deadline, tries, result, reason, created, changed, mappings"

/* In the order of COLUMNS. */
static void read_job(const struct tv_sql_statement *rows, struct tv_job *job)
{
    memset(job, 0, sizeof(*job));
    tv_sql_copy(rows, 0, job->raw.hex, sizeof(job->raw.hex));
    tv_sql_copy(rows, 1, job->build, sizeof(job->build));
    job->state = (enum tv_job_state)tv_sql_number(rows, 2);
    tv_sql_copy(rows, 3, job->worker, sizeof(job->worker));
    job->deadline = tv_sql_number(rows, 4);
    job->tries = (unsigned)tv_sql_number(rows, 5);
    tv_sql_copy(rows, 6, job->index.hex, sizeof(job->index.hex));
    tv_sql_copy(rows, 7, job->reason, sizeof(job->reason));
    job->created = tv_sql_number(rows, 8);
    job->changed = tv_sql_number(rows, 9);
    tv_sql_copy(rows, 10, job->mappings, sizeof(job->mappings));
}

static enum tv_code find(struct tv_sql *sql, const struct tv_hash *raw, const char *build,
                         const char *mappings, struct tv_job *job, bool *has, struct tv_error *err)
{
    const struct tv_sql_statement *rows;
    TV_TRY(tv_sql_query(sql,
                        "SELECT " COLUMNS " FROM jobs WHERE raw=?1 AND build=?2 AND mappings=?3",
                        TV_SQL_VALUES(tv_sql_hex(raw->hex), tv_sql_text(tv_str_from(build)),
                                      tv_sql_text(tv_str_from(mappings))),
                        &rows, err));
    TV_TRY(tv_sql_next(sql, rows, has, err));
    if (!*has)
        return TV_OK;
    read_job(rows, job);
    tv_sql_leave(rows);
    return TV_OK;
}

/* Whether all of these files are mappings still. */
static enum tv_code have_mappings(struct tv_sql *sql, const char *mappings, bool *have,
                                  struct tv_error *err)
{
    int64_t count;
    bool has;
    TV_TRY(tv_sql_numbers(sql,
                          "SELECT count(DISTINCT raw) FROM traces WHERE kind=1 AND raw IS NOT NULL"
                          " AND instr(?1, raw)",
                          TV_SQL_VALUES(tv_sql_text(tv_str_from(mappings))), &count, 1, &has, err));
    *have = (size_t)count * sizeof(struct tv_hash) == strlen(mappings) + 1;
    return TV_OK;
}

/* Who brought a raw file first. */
#define WHO                                                                                        \
    "ifnull((SELECT ifnull(nullif(user,''), address) FROM traces WHERE traces.raw=?1"              \
    " ORDER BY traces.created, id LIMIT 1), '')"

/* A queued job for which nobody waits. */
#define IS_UNAWAITED "(state=0 AND deadline-created>=" TV_JOB_UNAWAITED_S ")"

/* The place of a job that is queued now; see job_end.h. The conditions of the index stand here as
 * they do in the schema, or SQLite does not take it. */
static enum tv_code find_place(struct tv_sql *sql, const struct tv_hash *raw, const char *build,
                               bool is_awaited, int64_t now, int64_t *place, struct tv_error *err)
{
    static const char awaited[] =
        "SELECT ?3 + min(bytes/1048576, " TV_JOB_MIB_MOST_S ") + 10*(SELECT count(*) FROM (SELECT 1"
        " FROM jobs INDEXED BY jobs_by_who WHERE build=?2 AND who=" WHO
        " AND created<=?3 AND state<2"
        " AND NOT " IS_UNAWAITED " AND raw<>?1 LIMIT " TV_JOB_TURNS_MOST "))"
        " FROM files WHERE name=?1";
    static const char unawaited[] =
        "SELECT ?3 + min(bytes/1048576, " TV_JOB_MIB_MOST_S ") + " TV_JOB_UNAWAITED_S
        " FROM files WHERE name=?1 AND ?2<>''";
    bool has;
    *place = now;
    return tv_sql_numbers(
        sql, is_awaited ? awaited : unawaited,
        TV_SQL_VALUES(tv_sql_hex(raw->hex), tv_sql_text(tv_str_from(build)), tv_sql_int(now)),
        place, 1, &has, err);
}

/* Somebody waits now for a job that was queued for nobody. */
static enum tv_code bring_forward(struct tv_sql *sql, int64_t now, struct tv_job *job,
                                  struct tv_error *err)
{
    int64_t place;
    TV_TRY(find_place(sql, &job->raw, job->build, true, now, &place, err));
    return tv_sql_run(sql,
                      "UPDATE jobs SET deadline=?4, created=?5, changed=?5 WHERE raw=?1"
                      " AND build=?2 AND mappings=?3 AND " IS_UNAWAITED,
                      TV_SQL_VALUES(tv_sql_hex(job->raw.hex), tv_sql_text(tv_str_from(job->build)),
                                    tv_sql_text(tv_str_from(job->mappings)), tv_sql_int(place),
                                    tv_sql_int(now)),
                      NULL, err);
}

/* A job that is there already stays in its state: a trace that could not be read is not
 * read again for each visitor. */
static enum tv_code queue(struct tv_sql *sql, const struct tv_hash *raw, const char *build,
                          const char *mappings, bool is_awaited, int64_t now, struct tv_job *job,
                          struct tv_error *err)
{
    int64_t traces;
    int64_t place;
    bool has;
    TV_TRY(find(sql, raw, build, mappings, job, &has, err));
    if (has)
        return tv_job_is_to_come_forward(job, is_awaited) ? bring_forward(sql, now, job, err)
                                                          : TV_OK;
    TV_TRY(tv_sql_numbers(sql, "SELECT count(*) FROM traces WHERE raw=?1 AND kind=0",
                          TV_SQL_VALUES(tv_sql_hex(raw->hex)), &traces, 1, &has, err));
    if (!traces)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no trace has that raw file");
    bool have = true;
    if (mappings[0])
        TV_TRY(have_mappings(sql, mappings, &have, err));
    if (!have)
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET, "a mapping was deleted meanwhile");
    TV_TRY(find_place(sql, raw, build, is_awaited, now, &place, err));
    TV_TRY(tv_sql_run(sql,
                      "INSERT INTO jobs(" COLUMNS ", bytes, who) SELECT name, ?2, 0, '', ?5, 0,"
                      " NULL, '', ?3, ?3, ?4, bytes, " WHO " FROM files WHERE name=?1",
                      TV_SQL_VALUES(tv_sql_hex(raw->hex), tv_sql_text(tv_str_from(build)),
                                    tv_sql_int(now), tv_sql_text(tv_str_from(mappings)),
                                    tv_sql_int(place)),
                      NULL, err));
    return find(sql, raw, build, mappings, job, &has, err);
}

/* The job is there almost always, so it is looked for by the reader first, without a write. */
enum tv_code tv_sqlite_want_job(void *ctx, const struct tv_hash *raw, const char *build,
                                const char *mappings, bool is_awaited, int64_t now,
                                struct tv_job *job, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    bool has = false;
    TV_TRY(tv_row_check_job(raw, build, "", err));
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    TV_TRY(tv_sql_end(&sqlite->reader, find(&sqlite->reader, raw, build, mappings, job, &has, err),
                      err));
    if (has && (sqlite->writer.is_read_only || !tv_job_is_to_come_forward(job, is_awaited)))
        return TV_OK;
    if (sqlite->writer.is_read_only) {
        *job = (struct tv_job){.raw = *raw, .state = TV_JOB_BAD, .created = now, .changed = now};
        (void)snprintf(
            job->reason, sizeof(job->reason),
            "this archive has no index of it of version %s, and makes none: a site that is "
            "started on a copy of it does",
            build);
        return TV_OK;
    }
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    return tv_sql_end(&sqlite->writer,
                      queue(&sqlite->writer, raw, build, mappings, is_awaited, now, job, err), err);
}

/* Whether a lease has lapsed. A lease that began more than its own length after now was taken while
 * the clock was ahead; it would hold until the clock is there again, so it has lapsed as well. */
#define HAS_LAPSED "state=1 AND (deadline<=?2 OR ?2<changed-(deadline-changed))"

/* The first by place; one whose lease has lapsed by its age. Read in the order of an index, whose
 * expression stands here as it does in the schema: before it are those that are taken. */
#define FIRST                                                                                      \
    " FROM jobs INDEXED BY jobs_by_place"                                                          \
    " WHERE build=?1 AND state<2 AND (state=0 OR " HAS_LAPSED ")"                                  \
    " ORDER BY iif(state=0, deadline, created), created, raw LIMIT 1"

/* Takes the first job that is queued or whose lease has lapsed. Jobs that have used up their tries
 * become bad first. */
static enum tv_code take(struct tv_sql *sql, const char *build, const char *worker, int64_t now,
                         int64_t lease, unsigned tries, struct tv_job *job, struct tv_error *err)
{
    const struct tv_sql_statement *rows;
    const struct tv_str of = tv_str_from(build);
    bool has;
    TV_TRY(tv_sql_run(
        sql,
        "UPDATE jobs SET state=3, changed=?2, reason=iif(reason='',"
        " 'the worker ended without a word', reason)"
        " WHERE build=?1 AND " HAS_LAPSED " AND tries>=?3",
        TV_SQL_VALUES(tv_sql_text(tv_str_from(build)), tv_sql_int(now), tv_sql_count(tries)), NULL,
        err));
    TV_TRY(tv_sql_query(sql, "SELECT " COLUMNS FIRST,
                        TV_SQL_VALUES(tv_sql_text(of), tv_sql_int(now)), &rows, err));
    TV_TRY(tv_sql_next(sql, rows, &has, err));
    if (!has) /* no job, but the update above is committed */
        return TV_OK;
    read_job(rows, job);
    tv_sql_leave(rows);
    job->state = TV_JOB_TAKEN;
    job->tries++;
    job->deadline = now + lease;
    job->changed = now;
    (void)snprintf(job->worker, sizeof(job->worker), "%s", worker);
    return tv_sql_run(sql,
                      "UPDATE jobs SET state=1, tries=?3, deadline=?4, changed=?5, worker=?6"
                      " WHERE raw=?1 AND build=?2 AND mappings=?7",
                      TV_SQL_VALUES(tv_sql_hex(job->raw.hex), tv_sql_text(tv_str_from(build)),
                                    tv_sql_count(job->tries), tv_sql_int(job->deadline),
                                    tv_sql_int(now), tv_sql_text(tv_str_from(worker)),
                                    tv_sql_text(tv_str_from(job->mappings))),
                      NULL, err);
}

/* Whether there is a job to take. Workers ask often and mostly in vain, so the question must not
 * need the writer. */
static enum tv_code look(struct tv_sql *sql, const char *build, int64_t now, bool *has,
                         struct tv_error *err)
{
    int64_t number;
    return tv_sql_numbers(
        sql, "SELECT 1 FROM jobs WHERE build=?1 AND (state=0 OR " HAS_LAPSED ") LIMIT 1",
        TV_SQL_VALUES(tv_sql_text(tv_str_from(build)), tv_sql_int(now)), &number, 1, has, err);
}

/* Looks first with the reader, because workers ask every few seconds, and nearly always in vain;
 * the lock for writing is taken only where something waits. What was seen may be taken by another
 * worker meanwhile, so `take` looks again. */
enum tv_code tv_sqlite_take_job(void *ctx, const char *build, const char *worker, int64_t now,
                                int64_t lease, unsigned tries, struct tv_job *job,
                                struct tv_error *err)
{
    static const struct tv_hash any = {
        "0000000000000000000000000000000000000000000000000000000000000000"};
    struct tv_sqlite *sqlite = ctx;
    bool has = false;
    memset(job, 0, sizeof(*job));
    TV_TRY(tv_row_check_job(&any, build, worker, err));
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    TV_TRY(tv_sql_end(&sqlite->reader, look(&sqlite->reader, build, now, &has, err), err));
    if (has) {
        TV_TRY(tv_sql_begin(&sqlite->writer, err));
        TV_TRY(tv_sql_end(&sqlite->writer,
                          take(&sqlite->writer, build, worker, now, lease, tries, job, err), err));
    }
    return job->raw.hex[0] ? TV_OK
                           : tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no job is waiting");
}

/* A lease that has lapsed belongs to no worker. What another version has taken over waits for
 * nobody; of this one's own, which may be very many, that is not asked.
 */
static enum tv_code find_unserved(struct tv_sql *sql, const char *own, int64_t now,
                                  int64_t patience, struct tv_unserved *unserved,
                                  struct tv_error *err)
{
    const struct tv_sql_statement *rows;
    bool has;
    TV_TRY(tv_sql_query(
        sql,
        "SELECT build, count(*), min(created) FROM jobs INDEXED BY jobs_by_place"
        " WHERE state<2"
        " AND (build=?3 OR state=1 AND deadline>?1 OR NOT " TV_JOB_IS_REPLACED ")"
        " GROUP BY build HAVING sum(state=1 AND deadline>?1)=0"
        " AND min(created)<=?2 ORDER BY min(created) LIMIT 1",
        TV_SQL_VALUES(tv_sql_int(now), tv_sql_int(now - patience), tv_sql_text(tv_str_from(own))),
        &rows, err));
    TV_TRY(tv_sql_next(sql, rows, &has, err));
    if (!has)
        return TV_OK;
    tv_sql_copy(rows, 0, unserved->build, sizeof(unserved->build));
    unserved->jobs = (uint64_t)tv_sql_number(rows, 1);
    unserved->oldest = tv_sql_number(rows, 2);
    tv_sql_leave(rows);
    return TV_OK;
}

enum tv_code tv_sqlite_find_unserved(void *ctx, int64_t now, int64_t patience,
                                     struct tv_unserved *unserved, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    memset(unserved, 0, sizeof(*unserved));
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    return tv_sql_end(&sqlite->reader,
                      find_unserved(&sqlite->reader, sqlite->indexes, now, patience, unserved, err),
                      err);
}

static const char left_job[] =
    "SELECT " COLUMNS
    " FROM jobs WHERE state<2 AND (state=0 OR deadline<=?2) AND build<>?1 AND created<=?3"
    " AND NOT EXISTS(SELECT 1 FROM jobs AS own WHERE own.raw=jobs.raw AND own.build=?1)"
    " AND NOT EXISTS(SELECT 1 FROM jobs AS taken WHERE taken.build=jobs.build AND taken.state=1"
    "  AND taken.deadline>?2) ORDER BY created, raw LIMIT 1";

static enum tv_code find_left(struct tv_sql *sql, const char *build, int64_t now, int64_t patience,
                              struct tv_job *job, struct tv_error *err)
{
    const struct tv_sql_statement *rows;
    bool has;
    TV_TRY(tv_sql_query(
        sql, left_job,
        TV_SQL_VALUES(tv_sql_text(tv_str_from(build)), tv_sql_int(now), tv_sql_int(now - patience)),
        &rows, err));
    TV_TRY(tv_sql_next(sql, rows, &has, err));
    if (!has)
        return TV_OK;
    read_job(rows, job);
    tv_sql_leave(rows);
    return TV_OK;
}

enum tv_code tv_sqlite_find_left_job(void *ctx, const char *build, int64_t now, int64_t patience,
                                     struct tv_job *job, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    memset(job, 0, sizeof(*job));
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    return tv_sql_end(&sqlite->reader, find_left(&sqlite->reader, build, now, patience, job, err),
                      err);
}

/* Changes nothing where the worker's lease has run out and another has the job: that is how the
 * first one learns that its result is no longer wanted. */
enum tv_code tv_sqlite_renew_job(void *ctx, const struct tv_hash *raw, const char *build,
                                 const char *mappings, const char *worker, int64_t now,
                                 int64_t lease, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    uint64_t changed = 0;
    TV_TRY(tv_row_check_job(raw, build, worker, err));
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    enum tv_code code =
        tv_sql_run(&sqlite->writer,
                   "UPDATE jobs SET deadline=?4, changed=?5 WHERE raw=?1 AND build=?2 AND state=1"
                   " AND worker=?3 AND mappings=?6",
                   TV_SQL_VALUES(tv_sql_hex(raw->hex), tv_sql_text(tv_str_from(build)),
                                 tv_sql_text(tv_str_from(worker)), tv_sql_int(now + lease),
                                 tv_sql_int(now), tv_sql_text(tv_str_from(mappings))),
                   &changed, err);
    TV_TRY(tv_sql_end(&sqlite->writer, code, err));
    return changed ? TV_OK : tv_job_end_not_yours(err);
}

/* Ends one try. A second call with the same result is fine, since a worker that heard no answer
 * asks again. */
static enum tv_code end_try(struct tv_sql *sql, struct tv_job *job, int64_t now,
                            enum tv_job_state state, const struct tv_hash *index,
                            const char *reason, struct tv_error *err)
{
    const char *result = state == TV_JOB_DONE ? index->hex : "";
    if (tv_job_end_is_repeated(job, state, index))
        return TV_OK;
    if (job->state != TV_JOB_TAKEN)
        return tv_job_end_not_yours(err);
    if (state == TV_JOB_DONE)
        TV_TRY(tv_sqlite_need_file(sql, index, err));
    if (state == TV_JOB_TAKEN) {
        job->deadline = now + TV_JOB_PAUSE_S;
        job->worker[0] = '\0';
    }
    (void)snprintf(job->reason, sizeof(job->reason), "%s", reason ? reason : "");
    return tv_sql_run(sql,
                      "UPDATE jobs SET state=?3, result=?4, reason=?5, changed=?6, tries=?8, "
                      "deadline=?9, worker=?10"
                      " WHERE raw=?1 AND build=?2 AND mappings=?7",
                      TV_SQL_VALUES(tv_sql_hex(job->raw.hex), tv_sql_text(tv_str_from(job->build)),
                                    tv_sql_int((int64_t)state), tv_sql_hex(result),
                                    tv_sql_text(tv_str_from(job->reason)), tv_sql_int(now),
                                    tv_sql_text(tv_str_from(job->mappings)),
                                    tv_sql_count(job->tries), tv_sql_int(job->deadline),
                                    tv_sql_text(tv_str_from(job->worker))),
                      NULL, err);
}

/* The worker's name is compared inside the transaction, so only the last one that took the job can
 * end it. */
enum tv_code tv_sqlite_end_job(void *ctx, const struct tv_hash *raw, const char *build,
                               const char *mappings, const char *worker, int64_t now,
                               enum tv_job_end end, unsigned tries, const struct tv_hash *index,
                               const char *reason, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    struct tv_job job;
    bool has = false;
    TV_TRY(tv_row_check_job(raw, build, worker, err));
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    enum tv_code code = find(&sqlite->writer, raw, build, mappings, &job, &has, err);
    if (code == TV_OK && (!has || strcmp(job.worker, worker) != 0))
        code = tv_job_end_not_yours(err);
    if (code == TV_OK) {
        const enum tv_job_state state = tv_job_end_state(&job, end, tries);
        job.tries = tv_job_end_tries(&job, end, tries);
        code = end_try(&sqlite->writer, &job, now, state, index, reason, err);
    }
    return tv_sql_end(&sqlite->writer, code, err);
}

static enum tv_code retry(struct tv_sql *sql, const struct tv_hash *raw, const char *build,
                          int64_t now, uint64_t *count, struct tv_error *err)
{
    const struct tv_sql_value values[] = {tv_sql_text(tv_str_from(build)), tv_sql_int(now),
                                          tv_sql_hex(raw ? raw->hex : "")};
    uint64_t before;
    TV_TRY(tv_sql_run(
        sql,
        "UPDATE jobs SET state=0, worker='', deadline=?2, tries=0, reason='', created=?2,"
        " changed=?2 WHERE build=?1 AND state=3 AND raw=coalesce(?3, raw)",
        values, TV_COUNT_OF(values), count, err));
    TV_TRY(
        tv_sql_run(sql,
                   "INSERT INTO jobs(" COLUMNS ", bytes, who) SELECT raw, ?1, 0, '', ?2, 0, NULL,"
                   " '', ?2, ?2, '', min(bytes), min(who) FROM jobs AS failed"
                   " WHERE raw=coalesce(?3, raw) AND " TV_JOB_FAILED_BEFORE("?1") " GROUP BY raw",
                   values, TV_COUNT_OF(values), &before, err));
    *count += before;
    return TV_OK;
}

enum tv_code tv_sqlite_retry_jobs(void *ctx, const struct tv_hash *raw, const char *build,
                                  int64_t now, uint64_t *count, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    return tv_sql_end(&sqlite->writer, retry(&sqlite->writer, raw, build, now, count, err), err);
}
