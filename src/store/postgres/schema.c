/*
 * The schema; see store/postgres/schema.h, and docs/store.md for what the columns mean.
 *
 * All tables lie in the schema `traceview` of the database (search_path, postgres_db.c), one row of
 * whose table `schema_version` tells the version. All steps that are missing are taken in one
 * transaction, under an advisory lock. Texts are compared by their bytes (COLLATE "C"), as ids and
 * the pages of lists are, whatever language the database is in.
 */
#include "store/postgres/schema.h"

#include <stdio.h>

#include "base/compiler.h"

/* Any number that no other program takes: "tvst" in ASCII. */
#define LOCK "1953920884"

#define TEXT "text COLLATE \"C\""

static const char version_1[] =
    "CREATE TABLE schema_version(version bigint NOT NULL);"
    "INSERT INTO schema_version VALUES(0);"

    "CREATE TABLE files("
    "  name " TEXT " PRIMARY KEY,"
    "  bytes bigint NOT NULL,"
    "  claimed bigint NOT NULL,"
    "  going bigint);" /* when gc took it to remove it; NULL: it stays */
    "CREATE INDEX files_going ON files(going) WHERE going IS NOT NULL;"

    "CREATE TABLE traces("
    "  id " TEXT " PRIMARY KEY,"
    "  raw " TEXT " REFERENCES files(name)," /* NULL: an upload */
    "  md5 " TEXT ","
    "  bytes bigint NOT NULL,"
    "  file_name " TEXT " NOT NULL,"
    "  title " TEXT " NOT NULL,"
    "  note " TEXT " NOT NULL,"
    "  created bigint NOT NULL,"
    "  expires bigint," /* NULL: never */
    "  owner " TEXT ","
    "  address " TEXT ","
    "  user_name " TEXT ","
    "  is_raw_shared boolean NOT NULL,"
    "  is_listed boolean NOT NULL,"
    "  keeps_names boolean NOT NULL,"
    "  kind integer NOT NULL," /* enum tv_kept_kind */
    "  is_for_all boolean NOT NULL,"
    "  map_id " TEXT ","
    "  map_hash " TEXT ","
    "  counting integer NOT NULL," /* enum tv_counting */
    "  told bigint,"               /* of an upload: its length as told; NULL: not told */
    "  until bigint,"              /* of an upload: kept until then */
    "  seen_expired bigint);"      /* when gc first saw that it has expired */
    "CREATE INDEX traces_by_raw ON traces(raw);"
    "CREATE INDEX traces_by_md5 ON traces(md5, created);"
    "CREATE INDEX traces_by_created ON traces(created, id);"
    "CREATE INDEX traces_by_owner ON traces(owner, created);"
    "CREATE INDEX traces_by_user ON traces(user_name, created);"
    "CREATE INDEX traces_by_address ON traces(address);"
    "CREATE INDEX traces_by_end ON traces((CASE WHEN raw IS NULL THEN until ELSE expires END));"
    "CREATE INDEX traces_seen ON traces(seen_expired) WHERE seen_expired IS NOT NULL;"
    "CREATE INDEX mappings_by_owner ON traces(owner) WHERE kind=1;"
    "CREATE INDEX mappings_by_user ON traces(user_name) WHERE kind=1;"
    "CREATE INDEX mappings_for_all ON traces(created) WHERE kind=1 AND is_for_all;"

    "CREATE TABLE labels("
    "  trace " TEXT " NOT NULL REFERENCES traces(id) ON DELETE CASCADE,"
    "  key " TEXT " NOT NULL,"
    "  value " TEXT " NOT NULL,"
    "  PRIMARY KEY(trace, key));"
    "CREATE INDEX labels_by_key ON labels(key, value);"

    "CREATE TABLE parts("
    "  trace " TEXT " NOT NULL REFERENCES traces(id) ON DELETE CASCADE,"
    "  at bigint NOT NULL,"
    "  bytes bigint NOT NULL,"
    "  file " TEXT " NOT NULL REFERENCES files(name),"
    "  PRIMARY KEY(trace, at));"
    "CREATE INDEX parts_by_file ON parts(file);"

    "CREATE TABLE dropped("
    "  file " TEXT " PRIMARY KEY REFERENCES files(name) ON DELETE CASCADE,"
    "  owner " TEXT "," /* NULL, as the next two: nobody is charged */
    "  address " TEXT ","
    "  user_name " TEXT ");"

    "CREATE TABLE totals("
    "  id integer PRIMARY KEY CHECK(id=1),"
    "  files bigint NOT NULL,"
    "  bytes bigint NOT NULL);"
    "INSERT INTO totals VALUES(1, 0, 0);"
    "CREATE FUNCTION count_files() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
    "  IF TG_OP='INSERT' THEN UPDATE totals SET files=files+1, bytes=bytes+NEW.bytes;"
    "  ELSIF TG_OP='DELETE' THEN UPDATE totals SET files=files-1, bytes=bytes-OLD.bytes;"
    "  ELSE UPDATE totals SET bytes=bytes+NEW.bytes-OLD.bytes; END IF;"
    "  RETURN NULL; END $$;"
    "CREATE TRIGGER files_come_and_go AFTER INSERT OR DELETE OR UPDATE OF bytes ON files"
    "  FOR EACH ROW EXECUTE FUNCTION count_files();"

    "CREATE TABLE map_ids("
    "  raw " TEXT " PRIMARY KEY REFERENCES files(name) ON DELETE CASCADE,"
    "  id " TEXT " NOT NULL);"

    "CREATE TABLE figures("
    "  raw " TEXT " PRIMARY KEY REFERENCES files(name) ON DELETE CASCADE,"
    "  duration_ns bigint NOT NULL,"
    "  threads bigint NOT NULL,"
    "  worst_frame_ns bigint NOT NULL," /* 0: there is none */
    "  startup_ns bigint NOT NULL);";

static const char jobs_and_tokens[] =
    "CREATE TABLE jobs("
    "  raw " TEXT " NOT NULL REFERENCES files(name),"
    "  build " TEXT " NOT NULL,"
    "  mappings " TEXT " NOT NULL," /* names of files, with a blank between two */
    "  state integer NOT NULL CHECK(state BETWEEN 0 AND 3)," /* enum tv_job_state */
    "  worker " TEXT " NOT NULL,"
    "  deadline bigint NOT NULL,"
    "  tries bigint NOT NULL,"
    "  result " TEXT " REFERENCES files(name)," /* the index */
    "  reason " TEXT " NOT NULL,"
    "  created bigint NOT NULL,"
    "  changed bigint NOT NULL,"
    /* For the order of jobs: the length of the raw file, and whoever brought it first. */
    "  bytes bigint NOT NULL,"
    "  who " TEXT " NOT NULL,"
    "  PRIMARY KEY(raw, build, mappings));"
    "CREATE INDEX jobs_unended ON jobs(build, state, created, bytes, raw) WHERE state<2;"
    "CREATE INDEX jobs_by_result ON jobs(result);"
    "CREATE INDEX jobs_named ON jobs(mappings) WHERE mappings<>'';"

    "CREATE TABLE program_tokens("
    "  id " TEXT " PRIMARY KEY,"
    "  hash " TEXT " NOT NULL UNIQUE,"
    "  user_name " TEXT " NOT NULL,"
    "  name " TEXT " NOT NULL,"
    "  scopes bigint NOT NULL," /* bits, TV_SCOPE_UPLOAD and the like */
    "  created bigint NOT NULL,"
    "  expires bigint NOT NULL);"
    "CREATE INDEX program_tokens_by_user ON program_tokens(user_name, created);";

/* From which version on programs may use the store that a later one has brought up. */
static const char rolling[] =
    "ALTER TABLE schema_version ADD COLUMN least bigint NOT NULL DEFAULT 3;";

/* What the webhook tells (struct tv_delivery), and enum tv_tally. */
static const char deliveries[] =
    "CREATE TABLE deliveries("
    "  id " TEXT " PRIMARY KEY,"
    "  app " TEXT " NOT NULL,"
    "  build " TEXT " NOT NULL,"
    "  body " TEXT " NOT NULL,"
    "  state integer NOT NULL CHECK(state BETWEEN 0 AND 2)," /* enum tv_delivery_state */
    "  tries bigint NOT NULL,"
    "  created bigint NOT NULL,"
    "  next bigint NOT NULL,"
    "  worker " TEXT " NOT NULL,"
    "  deadline bigint NOT NULL," /* until then it is that worker's; 0: nobody's */
    "  ended bigint NOT NULL,"
    "  status bigint NOT NULL,"
    "  reason " TEXT " NOT NULL);"
    "CREATE INDEX deliveries_due ON deliveries(next) WHERE state=0;"
    "CREATE INDEX deliveries_by_time ON deliveries(created);"
    "CREATE TABLE tallies(which integer PRIMARY KEY, value bigint NOT NULL);";

/* What a search looks for in the labels of a trace: their values with a blank between two, which no
 * word of a search has. Looked for in `labels` itself, a word that none of 10^5 traces has took
 * several times as long. Kept by triggers, so that earlier programs keep it, too; a trace that is
 * dropped is gone before its labels go. */
static const char label_texts[] =
    "ALTER TABLE traces ADD COLUMN label_text " TEXT " NOT NULL DEFAULT '';"
    "UPDATE traces SET label_text=found.text FROM"
    "  (SELECT trace, string_agg(value, ' ') AS text FROM labels GROUP BY trace) AS found"
    "  WHERE id=found.trace;"
    "CREATE FUNCTION note_labels() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
    "  UPDATE traceview.traces SET label_text=coalesce((SELECT string_agg(value, ' ')"
    "    FROM traceview.labels WHERE trace=id), '') WHERE id IN (SELECT trace FROM changed);"
    "  RETURN NULL; END $$;"
    "CREATE TRIGGER labels_come AFTER INSERT ON labels REFERENCING NEW TABLE AS changed"
    "  FOR EACH STATEMENT EXECUTE FUNCTION note_labels();"
    "CREATE TRIGGER labels_change AFTER UPDATE ON labels REFERENCING NEW TABLE AS changed"
    "  FOR EACH STATEMENT EXECUTE FUNCTION note_labels();"
    "CREATE TRIGGER labels_go AFTER DELETE ON labels REFERENCING OLD TABLE AS changed"
    "  FOR EACH STATEMENT EXECUTE FUNCTION note_labels();";

/* The hash of an upload to the end of each part (struct tv_part); NULL: not known, as of parts that
 * came before, or to a program of before. */
static const char hashes_so_far[] = "ALTER TABLE parts ADD COLUMN so_far " TEXT;

/* Figures are those of the index of one build, which may be found otherwise by another. What is
 * there was found in the index that was made last. The table `figures` is that of servers of
 * before. */
static const char build_figures[] =
    "CREATE TABLE build_figures("
    "  raw " TEXT " NOT NULL REFERENCES files(name) ON DELETE CASCADE,"
    "  build " TEXT " NOT NULL," /* as in jobs */
    "  duration_ns bigint NOT NULL,"
    "  threads bigint NOT NULL,"
    "  worst_frame_ns bigint NOT NULL," /* 0: there is none */
    "  startup_ns bigint NOT NULL,"
    "  PRIMARY KEY(raw, build));"
    "INSERT INTO build_figures SELECT raw, build, duration_ns, threads, worst_frame_ns, startup_ns"
    " FROM figures JOIN (SELECT DISTINCT ON (raw) raw, build FROM jobs WHERE state=2"
    "   ORDER BY raw, changed DESC) AS last USING (raw);";

/* A worker finds the first job, and an upload those of its uploader that wait, without a look at
 * all that wait. */
static const char ordered_jobs[] =
    "CREATE INDEX jobs_by_place ON jobs(build, (CASE state WHEN 0 THEN deadline ELSE created END),"
    "  created, raw) WHERE state<2;"
    "CREATE INDEX jobs_by_who ON jobs(build, who, created, state, deadline, raw)"
    "  WHERE state<2 AND NOT (state=0 AND deadline-created>=86400);";

static const char *const steps[] = {version_1,   jobs_and_tokens, rolling,       deliveries,
                                    label_texts, hashes_so_far,   build_figures, ordered_jobs};

/* A step that an earlier program can live with (a table, an index, a column that may be left out)
 * leaves the last number as it is; any other raises it to its own version. */
const struct tv_postgres_schema tv_postgres_schema = {steps, TV_COUNT_OF(steps), 3};

/* A later version is none of this program's affair where it says so. */
static enum tv_code look_at_later(struct tv_pg *pg, const struct tv_postgres_schema *schema,
                                  int64_t version, struct tv_error *err)
{
    static const struct tv_sql_value none[1];
    int64_t least;
    bool has;
    TV_TRY(tv_pg_numbers(pg, "SELECT least FROM traceview.schema_version", none, 0, &least, 1, &has,
                         err));
    if (least <= (int64_t)schema->count)
        return TV_OK;
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                   "the store was written by a later version of traceview: its schema is %lld, "
                   "which programs from %lld on may use, and this one knows up to %zu",
                   (long long)version, (long long)least, schema->count);
}

/* The version; 0: there is no store. Tables of others are let be, since the store has a schema of
 * its own. The catalogue is asked by a query: to_regclass() may answer from what the connection
 * remembers, which an advisory lock does not refresh. */
static enum tv_code look(struct tv_pg *pg, const struct tv_postgres_schema *schema,
                         int64_t *version, struct tv_error *err)
{
    static const struct tv_sql_value none[1];
    int64_t is_there;
    bool has;
    *version = 0;
    TV_TRY(tv_pg_numbers(pg,
                         "SELECT count(*) FROM pg_catalog.pg_class AS class JOIN"
                         " pg_catalog.pg_namespace AS space ON space.oid=class.relnamespace"
                         " WHERE nspname='traceview' AND relname='schema_version'",
                         none, 0, &is_there, 1, &has, err));
    if (!is_there)
        return TV_OK;
    TV_TRY(tv_pg_numbers(pg, "SELECT version FROM traceview.schema_version", none, 0, version, 1,
                         &has, err));
    return *version > (int64_t)schema->count ? look_at_later(pg, schema, *version, err) : TV_OK;
}

/* Looks behind the lock, since another process may have taken the steps while this one waited for
 * it. */
static enum tv_code take_steps(struct tv_pg *pg, const struct tv_postgres_schema *schema,
                               struct tv_error *err)
{
    int64_t version;
    char text[96];
    TV_TRY(tv_pg_execute(pg, "SELECT pg_advisory_xact_lock(" LOCK ")", err));
    TV_TRY(look(pg, schema, &version, err));
    if (version >= (int64_t)schema->count)
        return TV_OK;
    if (version == 0)
        TV_TRY(tv_pg_execute(pg, "CREATE SCHEMA IF NOT EXISTS traceview", err));
    for (size_t i = (size_t)version; i < schema->count; i++)
        TV_TRY(tv_pg_execute(pg, schema->steps[i], err));
    (void)snprintf(text, sizeof(text), "UPDATE schema_version SET version=%zu, least=%zu",
                   schema->count, schema->least);
    return tv_pg_execute(pg, text, err);
}

enum tv_code tv_postgres_schema_check(struct tv_pg_pool *pool,
                                      const struct tv_postgres_schema *schema, int64_t *version,
                                      struct tv_error *err)
{
    struct tv_pg_turn turn = tv_pg_turn(pool, TV_PG_STATEMENT);
    *version = 0;
    while (tv_pg_turn_tries(&turn))
        turn.code = look(turn.pg, schema, version, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

enum tv_code tv_postgres_schema_migrate(struct tv_pg_pool *pool,
                                        const struct tv_postgres_schema *schema,
                                        struct tv_error *err)
{
    int64_t version;
    TV_TRY(tv_postgres_schema_check(pool, schema, &version, err));
    if (version >= (int64_t)schema->count)
        return TV_OK;
    struct tv_pg_turn turn = tv_pg_turn(pool, TV_PG_ENDLESS);
    while (tv_pg_turn_tries(&turn))
        turn.code = take_steps(turn.pg, schema, &turn.err);
    return tv_pg_turn_end(&turn, err);
}
