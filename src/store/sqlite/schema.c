/*
 * The schema; see store/sqlite/schema.h, and docs/store.md for what the columns mean.
 *
 * The version is SQLite's user_version; the application_id tells our database from others. `steps`
 * leads from version to version, and all steps that are missing are taken in one transaction, so
 * that a database never stands between two versions.
 */
#include "store/sqlite/schema.h"

#include <stdio.h>

#include "base/compiler.h"

/* "tvst" in ASCII. */
#define APPLICATION 0x74767374

static const char version_1[] =
    "CREATE TABLE files("
    "  name TEXT PRIMARY KEY,"
    "  bytes INTEGER NOT NULL,"
    "  claimed INTEGER NOT NULL,"
    "  going INTEGER" /* when gc took it to remove it; NULL: it stays */
    ") STRICT, WITHOUT ROWID;"

    "CREATE TABLE traces("
    "  id TEXT PRIMARY KEY,"
    "  raw TEXT REFERENCES files(name)," /* NULL: an upload */
    "  md5 TEXT,"
    "  bytes INTEGER NOT NULL,"
    "  file_name TEXT NOT NULL,"
    "  title TEXT NOT NULL,"
    "  note TEXT NOT NULL,"
    "  created INTEGER NOT NULL,"
    "  expires INTEGER," /* NULL: never */
    "  owner TEXT,"
    "  address TEXT,"
    "  user TEXT,"
    "  is_raw_shared INTEGER NOT NULL,"
    "  is_listed INTEGER NOT NULL,"
    "  told INTEGER,"                 /* of an upload: its length as told; NULL: not told */
    "  until INTEGER,"                /* of an upload: kept until then */
    "  seen_expired INTEGER) STRICT;" /* when gc first saw that it has expired */
    "CREATE INDEX traces_by_raw ON traces(raw);"
    "CREATE INDEX traces_by_md5 ON traces(md5, created);"
    "CREATE INDEX traces_by_created ON traces(created, id);"
    "CREATE INDEX traces_by_owner ON traces(owner, created);"
    "CREATE INDEX traces_by_user ON traces(user, created);"
    "CREATE INDEX traces_by_address ON traces(address);"

    "CREATE TABLE labels("
    "  trace TEXT NOT NULL REFERENCES traces(id) ON DELETE CASCADE,"
    "  key TEXT NOT NULL,"
    "  value TEXT NOT NULL,"
    "  PRIMARY KEY(trace, key)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX labels_by_key ON labels(key, value);"

    "CREATE TABLE parts("
    "  trace TEXT NOT NULL REFERENCES traces(id) ON DELETE CASCADE,"
    "  at INTEGER NOT NULL,"
    "  bytes INTEGER NOT NULL,"
    "  file TEXT NOT NULL REFERENCES files(name),"
    "  PRIMARY KEY(trace, at)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX parts_by_file ON parts(file);"

    "CREATE TABLE jobs("
    "  raw TEXT NOT NULL REFERENCES files(name),"
    "  build TEXT NOT NULL,"
    "  state INTEGER NOT NULL CHECK(state BETWEEN 0 AND 3)," /* enum tv_job_state */
    "  worker TEXT NOT NULL,"
    "  deadline INTEGER NOT NULL,"
    "  tries INTEGER NOT NULL,"
    "  result TEXT REFERENCES files(name)," /* the index */
    "  reason TEXT NOT NULL,"
    "  created INTEGER NOT NULL,"
    "  changed INTEGER NOT NULL,"
    "  PRIMARY KEY(raw, build)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX jobs_by_state ON jobs(build, state, created);"
    "CREATE INDEX jobs_by_result ON jobs(result);";

/* Files that were dropped and whose bytes are still there, with who is charged for them. What the
 * quota of the store is held against is kept in one row by triggers, within the transaction that
 * changes it: a sum over all files took as long as the store is large. */
static const char dropped_files[] =
    "CREATE TABLE dropped("
    "  file TEXT PRIMARY KEY REFERENCES files(name) ON DELETE CASCADE,"
    "  owner TEXT," /* NULL, as the next two: nobody is charged */
    "  address TEXT,"
    "  user TEXT) STRICT, WITHOUT ROWID;"

    "CREATE TABLE totals("
    "  id INTEGER PRIMARY KEY CHECK(id=1),"
    "  files INTEGER NOT NULL,"
    "  bytes INTEGER NOT NULL) STRICT;"
    "INSERT INTO totals SELECT 1, count(*), coalesce(sum(bytes), 0) FROM files;"
    "CREATE TRIGGER files_come AFTER INSERT ON files BEGIN"
    "  UPDATE totals SET files=files+1, bytes=bytes+new.bytes; END;"
    "CREATE TRIGGER files_go AFTER DELETE ON files BEGIN"
    "  UPDATE totals SET files=files-1, bytes=bytes-old.bytes; END;"
    "CREATE TRIGGER files_change AFTER UPDATE OF bytes ON files BEGIN"
    "  UPDATE totals SET bytes=bytes+new.bytes-old.bytes; END;"

    "CREATE INDEX jobs_unended ON jobs(raw) WHERE state<2;";

/* Mappings are rows of traces. A job has the mappings that it tries, since their names are in its
 * index; its key is made anew, which SQLite does by another table. */
static const char mappings[] =
    "ALTER TABLE traces ADD COLUMN keeps_names INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE traces ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;" /* enum tv_kept_kind */
    "ALTER TABLE traces ADD COLUMN is_for_all INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE traces ADD COLUMN map_id TEXT;"
    "ALTER TABLE traces ADD COLUMN map_hash TEXT;"
    "CREATE INDEX mappings_by_owner ON traces(owner) WHERE kind=1;"
    "CREATE INDEX mappings_by_user ON traces(user) WHERE kind=1;"
    "CREATE INDEX mappings_for_all ON traces(created) WHERE kind=1 AND is_for_all=1;"

    "CREATE TABLE map_ids("
    "  raw TEXT PRIMARY KEY REFERENCES files(name) ON DELETE CASCADE,"
    "  id TEXT NOT NULL) STRICT, WITHOUT ROWID;"

    "CREATE TABLE named_jobs("
    "  raw TEXT NOT NULL REFERENCES files(name),"
    "  build TEXT NOT NULL,"
    "  mappings TEXT NOT NULL," /* names of files, with a blank between two */
    "  state INTEGER NOT NULL CHECK(state BETWEEN 0 AND 3),"
    "  worker TEXT NOT NULL,"
    "  deadline INTEGER NOT NULL,"
    "  tries INTEGER NOT NULL,"
    "  result TEXT REFERENCES files(name),"
    "  reason TEXT NOT NULL,"
    "  created INTEGER NOT NULL,"
    "  changed INTEGER NOT NULL,"
    "  PRIMARY KEY(raw, build, mappings)) STRICT, WITHOUT ROWID;"
    "INSERT INTO named_jobs SELECT raw, build, '', state, worker, deadline, tries, result, reason,"
    " created, changed FROM jobs;"
    "DROP TABLE jobs;"
    "ALTER TABLE named_jobs RENAME TO jobs;"
    "CREATE INDEX jobs_by_state ON jobs(build, state, created);"
    "CREATE INDEX jobs_by_result ON jobs(result);"
    "CREATE INDEX jobs_unended ON jobs(raw) WHERE state<2;"
    "CREATE INDEX jobs_named ON jobs(mappings) WHERE mappings<>'';";

/* Tokens by which programs ask in the name of a user. */
static const char program_tokens[] =
    "CREATE TABLE program_tokens("
    "  id TEXT PRIMARY KEY,"
    "  hash TEXT NOT NULL UNIQUE,"
    "  user TEXT NOT NULL,"
    "  name TEXT NOT NULL,"
    "  scopes INTEGER NOT NULL," /* bits, TV_SCOPE_UPLOAD and the like */
    "  created INTEGER NOT NULL,"
    "  expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE INDEX program_tokens_by_user ON program_tokens(user, created);";

/* What was found in the index of a raw file (struct tv_trace_figures). A trace whose index was made
 * before has none. */
static const char figures[] = "CREATE TABLE figures("
                              "  raw TEXT PRIMARY KEY REFERENCES files(name) ON DELETE CASCADE,"
                              "  duration_ns INTEGER NOT NULL,"
                              "  threads INTEGER NOT NULL,"
                              "  worst_frame_ns INTEGER NOT NULL," /* 0: there is none */
                              "  startup_ns INTEGER NOT NULL) STRICT, WITHOUT ROWID;";

/* Whether a trace counts in questions over all traces: enum tv_counting. */
static const char counting[] = "ALTER TABLE traces ADD COLUMN counting INTEGER NOT NULL DEFAULT 0;";

/* What the webhook tells (struct tv_delivery), and enum tv_tally. */
static const char deliveries[] =
    "CREATE TABLE deliveries("
    "  id TEXT PRIMARY KEY,"
    "  app TEXT NOT NULL,"
    "  build TEXT NOT NULL,"
    "  body TEXT NOT NULL,"
    "  state INTEGER NOT NULL CHECK(state BETWEEN 0 AND 2)," /* enum tv_delivery_state */
    "  tries INTEGER NOT NULL,"
    "  created INTEGER NOT NULL,"
    "  next INTEGER NOT NULL,"
    "  worker TEXT NOT NULL,"
    "  deadline INTEGER NOT NULL," /* until then it is that worker's; 0: nobody's */
    "  ended INTEGER NOT NULL,"
    "  status INTEGER NOT NULL,"
    "  reason TEXT NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE INDEX deliveries_due ON deliveries(next) WHERE state=0;"
    "CREATE INDEX deliveries_by_time ON deliveries(created);"
    "CREATE TABLE tallies(which INTEGER PRIMARY KEY, value INTEGER NOT NULL) STRICT;";

/* The hash of an upload to the end of each part (struct tv_part); NULL: not known, as of parts that
 * came before. */
static const char hashes_so_far[] = "ALTER TABLE parts ADD COLUMN so_far TEXT;";

/* Figures are those of the index of one build, which may be found otherwise by another. What is
 * there was found in the index that was made last; where that is gone nobody knows in which. */
static const char build_figures[] =
    "CREATE TABLE build_figures("
    "  raw TEXT NOT NULL REFERENCES files(name) ON DELETE CASCADE,"
    "  build TEXT NOT NULL," /* as in jobs */
    "  duration_ns INTEGER NOT NULL,"
    "  threads INTEGER NOT NULL,"
    "  worst_frame_ns INTEGER NOT NULL," /* 0: there is none */
    "  startup_ns INTEGER NOT NULL,"
    "  PRIMARY KEY(raw, build)) STRICT, WITHOUT ROWID;"
    "INSERT INTO build_figures SELECT raw, build, duration_ns, threads, worst_frame_ns, startup_ns"
    " FROM (SELECT raw, (SELECT build FROM jobs WHERE jobs.raw=figures.raw AND state=2"
    "   ORDER BY changed DESC LIMIT 1) AS build, duration_ns, threads, worst_frame_ns, startup_ns"
    "  FROM figures) WHERE build IS NOT NULL;"
    "DROP TABLE figures;";

/* What is asked of the jobs that wait is asked of one index each: the first one and the sums of
 * all, and those of an uploader. */
static const char ordered_jobs[] =
    "ALTER TABLE jobs ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;" /* of the raw file */
    "ALTER TABLE jobs ADD COLUMN who TEXT NOT NULL DEFAULT '';"     /* brought it first */
    "UPDATE jobs SET bytes=(SELECT bytes FROM files WHERE name=raw),"
    " who=ifnull((SELECT ifnull(nullif(user, ''), address) FROM traces"
    "  WHERE traces.raw=jobs.raw ORDER BY traces.created, id LIMIT 1), '');"
    "CREATE INDEX jobs_by_place ON jobs(build, iif(state=0, deadline, created), created, raw,"
    "  state, deadline, bytes) WHERE state<2;"
    "CREATE INDEX jobs_by_who ON jobs(build, who, created, state, deadline)"
    "  WHERE state<2 AND NOT (state=0 AND deadline-created>=86400);";

static const char *const steps[] = {version_1,     dropped_files, mappings,   program_tokens,
                                    figures,       counting,      deliveries, hashes_so_far,
                                    build_figures, ordered_jobs};

const struct tv_schema tv_schema = {steps, TV_COUNT_OF(steps)};

/* Reads the version. A database that belongs to another program, or that a later traceview wrote,
 * is refused; an empty one has version 0 and becomes ours. */
static enum tv_code look(struct tv_sql *sql, const struct tv_schema *schema, int64_t *version,
                         struct tv_error *err)
{
    int64_t application;
    int64_t tables;
    TV_TRY(tv_sql_ask(sql, "PRAGMA user_version", version, err));
    TV_TRY(tv_sql_ask(sql, "PRAGMA application_id", &application, err));
    TV_TRY(tv_sql_ask(sql, "SELECT count(*) FROM sqlite_master", &tables, err));
    bool is_empty = tables == 0 && application == 0 && *version == 0;
    if (!is_empty && (application != APPLICATION || *version < 1))
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "the database is not that of a store of traceview");
    if (*version > (int64_t)schema->count)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "the store was written by a later version of traceview: its schema is %lld, "
                       "and this program knows up to %zu",
                       (long long)*version, schema->count);
    return TV_OK;
}

/* Looks again first: another process may have taken the steps while this one waited for the lock.
 */
static enum tv_code take_steps(struct tv_sql *sql, const struct tv_schema *schema,
                               struct tv_error *err)
{
    int64_t version;
    char text[128];
    TV_TRY(look(sql, schema, &version, err));
    for (size_t i = (size_t)version; i < schema->count; i++)
        TV_TRY(tv_sql_execute(sql, schema->steps[i], err));
    (void)snprintf(text, sizeof(text), "PRAGMA application_id=%d; PRAGMA user_version=%zu",
                   APPLICATION, schema->count);
    return tv_sql_execute(sql, text, err);
}

/* Looks in one transaction, so that no other process makes the database its own between two
 * questions. */
static enum tv_code look_at_once(struct tv_sql *sql, const struct tv_schema *schema,
                                 int64_t *version, struct tv_error *err)
{
    TV_TRY(tv_sql_execute(sql, "BEGIN", err));
    enum tv_code code = look(sql, schema, version, err);
    tv_sql_take_back(sql);
    return code;
}

enum tv_code tv_schema_check(struct tv_sql *sql, const struct tv_schema *schema, int64_t *version,
                             struct tv_error *err)
{
    return look_at_once(sql, schema, version, err);
}

/* Several processes may start at once after an update. Each looks without a lock first; the one
 * that gets the lock looks again (take_steps) and finds what is left to do. */
enum tv_code tv_schema_migrate(struct tv_sql *sql, const struct tv_schema *schema,
                               struct tv_error *err)
{
    int64_t version;
    TV_TRY(look_at_once(sql, schema, &version, err));
    if (version == (int64_t)schema->count)
        return TV_OK;
    TV_TRY(tv_sql_execute(sql, "BEGIN IMMEDIATE", err));
    enum tv_code code = take_steps(sql, schema, err);
    if (code == TV_OK)
        code = tv_sql_execute(sql, "COMMIT", err);
    if (code != TV_OK)
        tv_sql_take_back(sql);
    return code;
}
