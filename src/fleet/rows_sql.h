/*
 * The schema and all statements of rows (fleet/rows_db.h), in one place: types, keys and clauses
 * are those that SQLite, PostgreSQL and ClickHouse have in common, so that another engine takes
 * them with its own spelling of parameters. What is particular to one engine is said beside it.
 *
 * The rows of a run stand together: its primary key begins with the run, so that a question reads
 * whole runs in one piece, and the rows of one method by one look for each run.
 */
#ifndef TV_FLEET_ROWS_SQL_H
#define TV_FLEET_ROWS_SQL_H

/* Raised by whoever changes what follows: a database of another version is made anew. */
#define TV_ROWS_SQL_VERSION 2

/* STRICT and WITHOUT ROWID are SQLite's. */
#define TV_ROWS_SQL_SCHEMA                                                                         \
    "CREATE TABLE runs("                                                                           \
    " id INTEGER PRIMARY KEY,"                                                                     \
    " raw TEXT NOT NULL,"                                                                          \
    " trace TEXT NOT NULL," /* empty: any trace of the raw file */                                 \
    " file TEXT NOT NULL,"                                                                         \
    " calls BIGINT NOT NULL,"                                                                      \
    " wall_ns BIGINT NOT NULL,"                                                                    \
    " cpu_ns BIGINT NOT NULL,"                                                                     \
    " lacks_wall SMALLINT NOT NULL,"                                                               \
    " lacks_cpu SMALLINT NOT NULL,"                                                                \
    " has_idle_cpu SMALLINT NOT NULL,"                                                             \
    " processor TEXT NOT NULL,"                                                                    \
    " no_counts TEXT NOT NULL,"                                                                    \
    " UNIQUE(raw, trace));"                                                                        \
    "CREATE TABLE methods("                                                                        \
    " id INTEGER PRIMARY KEY,"                                                                     \
    " class TEXT NOT NULL,"                                                                        \
    " name TEXT NOT NULL,"                                                                         \
    " signature TEXT NOT NULL,"                                                                    \
    " runs BIGINT NOT NULL," /* that have it */                                                    \
    " UNIQUE(class, name, signature));"                                                            \
    "CREATE TABLE method_rows("                                                                    \
    " run BIGINT NOT NULL,"                                                                        \
    " method BIGINT NOT NULL,"                                                                     \
    " kind SMALLINT NOT NULL," /* enum tv_thread_kind */                                           \
    " calls BIGINT NOT NULL,"  /* outermost ones */                                                \
    " recursive_calls BIGINT NOT NULL,"                                                            \
    " inclusive_wall_ns BIGINT NOT NULL,"                                                          \
    " exclusive_wall_ns BIGINT NOT NULL,"                                                          \
    " inclusive_cpu_ns BIGINT NOT NULL,"                                                           \
    " exclusive_cpu_ns BIGINT NOT NULL,"                                                           \
    " slowest_ns BIGINT NOT NULL,"                                                                 \
    " slowest_at_ns BIGINT NOT NULL,"                                                              \
    " PRIMARY KEY(run, method, kind)) WITHOUT ROWID;"                                              \
    "CREATE TABLE context_rows("                                                                   \
    " run BIGINT NOT NULL,"                                                                        \
    " path BIGINT NOT NULL,"                                                                       \
    " parent BIGINT NOT NULL,"                                                                     \
    " method BIGINT NOT NULL,"                                                                     \
    " depth BIGINT NOT NULL,"                                                                      \
    " kind SMALLINT NOT NULL,"                                                                     \
    " calls BIGINT NOT NULL,"                                                                      \
    " inclusive_wall_ns BIGINT NOT NULL,"                                                          \
    " exclusive_wall_ns BIGINT NOT NULL,"                                                          \
    " inclusive_cpu_ns BIGINT NOT NULL,"                                                           \
    " exclusive_cpu_ns BIGINT NOT NULL,"                                                           \
    " PRIMARY KEY(run, path)) WITHOUT ROWID;"

#define TV_ROWS_SQL_DROP_SCHEMA                                                                    \
    "DROP TABLE IF EXISTS runs; DROP TABLE IF EXISTS methods;"                                     \
    "DROP TABLE IF EXISTS method_rows; DROP TABLE IF EXISTS context_rows;"

static const char tv_rows_sql_add_run[] =
    "INSERT INTO runs(raw, trace, file, calls, wall_ns, cpu_ns, lacks_wall, lacks_cpu,"
    " has_idle_cpu, processor, no_counts)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) RETURNING id";
static const char tv_rows_sql_add_method[] =
    "INSERT INTO methods(class, name, signature, runs) VALUES(?1, ?2, ?3, 1)"
    " ON CONFLICT(class, name, signature) DO UPDATE SET runs=methods.runs+1 RETURNING id";
static const char tv_rows_sql_add_row[] =
    "INSERT INTO method_rows VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
static const char tv_rows_sql_add_context[] =
    "INSERT INTO context_rows VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

static const char tv_rows_sql_find_run[] = "SELECT id FROM runs WHERE raw=?1 AND trace=?2";
static const char tv_rows_sql_any_run[] = "SELECT id FROM runs WHERE raw=?1 ORDER BY id LIMIT 1";
static const char tv_rows_sql_leave_methods[] =
    "UPDATE methods SET runs=runs-1 WHERE id IN (SELECT method FROM method_rows WHERE run=?1"
    " UNION SELECT method FROM context_rows WHERE run=?1)";
static const char tv_rows_sql_drop_methods[] =
    "DELETE FROM methods WHERE runs<=0 AND id IN (SELECT method FROM method_rows WHERE run=?1"
    " UNION SELECT method FROM context_rows WHERE run=?1)";
static const char tv_rows_sql_drop_rows[] = "DELETE FROM method_rows WHERE run=?1";
static const char tv_rows_sql_drop_contexts[] = "DELETE FROM context_rows WHERE run=?1";
static const char tv_rows_sql_drop_run[] = "DELETE FROM runs WHERE id=?1";

static const char tv_rows_sql_count_runs[] = "SELECT count(*) FROM runs";
#define TV_ROWS_SQL_RUN                                                                            \
    "SELECT id, raw, file, calls, wall_ns, cpu_ns, lacks_wall, lacks_cpu, has_idle_cpu, "          \
    "processor,"                                                                                   \
    " no_counts, trace FROM runs"
static const char tv_rows_sql_runs[] = TV_ROWS_SQL_RUN " ORDER BY raw, trace";
static const char tv_rows_sql_run_of_trace[] =
    TV_ROWS_SQL_RUN " WHERE raw=?1 AND trace IN(?2, '') ORDER BY trace DESC LIMIT 1";
static const char tv_rows_sql_method[] = "SELECT class, name, signature FROM methods WHERE id=?1";
static const char tv_rows_sql_find_method[] =
    "SELECT id FROM methods WHERE class=?1 AND name=?2 AND signature=?3";
#define TV_ROWS_SQL_ROW                                                                            \
    "SELECT method, kind, calls, recursive_calls, inclusive_wall_ns, exclusive_wall_ns,"           \
    " inclusive_cpu_ns, exclusive_cpu_ns, slowest_ns, slowest_at_ns FROM method_rows"
static const char tv_rows_sql_rows[] = TV_ROWS_SQL_ROW " WHERE run=?1 ORDER BY run, method, kind";
static const char tv_rows_sql_rows_of_method[] =
    TV_ROWS_SQL_ROW " WHERE run=?1 AND method=?2 ORDER BY run, method, kind";

#endif
