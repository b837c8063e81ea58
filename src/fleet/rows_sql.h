/*
 * The schema and all statements of rows (fleet/rows_db.h), in one place: types, keys and clauses
 * are those that SQLite, PostgreSQL and ClickHouse have in common. Parameters are $1, $2, ...,
 * which SQLite numbers by where it first meets each. A parameter in IN($1) is one value for SQLite,
 * and a list for engines that are asked by whole texts (fleet/rows_remote.h). What is particular to
 * one engine is said beside it. Whoever changes the tables raises TV_ROWS_VERSION.
 *
 * The rows of a run stand together: its primary key begins with the run, so that a question reads
 * whole runs in one piece, and the rows of one method by one look for each run.
 */
#ifndef TV_FLEET_ROWS_SQL_H
#define TV_FLEET_ROWS_SQL_H

/* The tables. What is an engine's own: KEY is the type of an id, NUMBER of a number of 64 bits with
 * its sign, HEX of a text of digits, BYTES of a text of any bytes; the rest ends each table. */
#define TV_ROWS_SQL_SCHEMA(KEY, NUMBER, HEX, BYTES, RUNS, METHODS, ROWS, CONTEXTS)                 \
    "CREATE TABLE runs("                                                                           \
    " id " KEY ","                                                                                 \
    " raw " HEX ","                                                                                \
    " trace " HEX "," /* empty: any trace of the raw file */                                       \
    " file " HEX ","                                                                               \
    " calls " NUMBER ","                                                                           \
    " wall_ns " NUMBER ","                                                                         \
    " cpu_ns " NUMBER ","                                                                          \
    " lacks_wall " NUMBER ","                                                                      \
    " lacks_cpu " NUMBER ","                                                                       \
    " has_idle_cpu " NUMBER ","                                                                    \
    " processor " BYTES ","                                                                        \
    " no_counts " BYTES ","                                                                        \
    " cut_calls " NUMBER ","                                                                       \
    " fell_back " NUMBER ","                                                                       \
    " odd_wall " BYTES ","                                                                         \
    " build " BYTES "," /* the id that its methods say; empty: none is known */                    \
    " short_names " NUMBER RUNS ";"                                                                \
    "CREATE TABLE methods("                                                                        \
    " id " KEY ","                                                                                 \
    " class " BYTES ","                                                                            \
    " name " BYTES ","                                                                             \
    " signature " BYTES ","                                                                        \
    " runs " NUMBER METHODS ";" /* that have it */                                                 \
    "CREATE TABLE method_rows("                                                                    \
    " run " NUMBER ","                                                                             \
    " method " NUMBER ","                                                                          \
    " kind " NUMBER ","  /* enum tv_thread_kind */                                                 \
    " calls " NUMBER "," /* outermost ones */                                                      \
    " recursive_calls " NUMBER ","                                                                 \
    " inclusive_wall_ns " NUMBER ","                                                               \
    " exclusive_wall_ns " NUMBER ","                                                               \
    " inclusive_cpu_ns " NUMBER ","                                                                \
    " exclusive_cpu_ns " NUMBER ","                                                                \
    " slowest_ns " NUMBER ","                                                                      \
    " slowest_at_ns " NUMBER ","                                                                   \
    " inclusive_unrecorded_ns " NUMBER "," /* as in struct tv_numbers */                           \
    " exclusive_unrecorded_ns " NUMBER ROWS ";"                                                    \
    "CREATE TABLE context_rows("                                                                   \
    " run " NUMBER ","                                                                             \
    " path " NUMBER ","                                                                            \
    " parent " NUMBER ","                                                                          \
    " method " NUMBER ","                                                                          \
    " depth " NUMBER ","                                                                           \
    " kind " NUMBER ","                                                                            \
    " calls " NUMBER ","                                                                           \
    " inclusive_wall_ns " NUMBER ","                                                               \
    " exclusive_wall_ns " NUMBER ","                                                               \
    " inclusive_cpu_ns " NUMBER ","                                                                \
    " exclusive_cpu_ns " NUMBER CONTEXTS ";"

/* What SQLite and PostgreSQL have at the end of tables: keys. */
#define TV_ROWS_SQL_RUNS_KEY ", UNIQUE(raw, trace))"
#define TV_ROWS_SQL_ROWS_KEY ", PRIMARY KEY(run, method, kind))"
#define TV_ROWS_SQL_CONTEXTS_KEY ", PRIMARY KEY(run, path))"

static const char tv_rows_sql_add_run[] =
    "INSERT INTO runs(raw, trace, file, calls, wall_ns, cpu_ns, lacks_wall, lacks_cpu,"
    " has_idle_cpu, processor, no_counts, cut_calls, fell_back, odd_wall, build, short_names)"
    " VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) RETURNING id";
static const char tv_rows_sql_add_method[] =
    "INSERT INTO methods(class, name, signature, runs) VALUES($1, $2, $3, 1)"
    " ON CONFLICT(class, name, signature) DO UPDATE SET runs=methods.runs+1 RETURNING id";
static const char tv_rows_sql_add_row[] =
    "INSERT INTO method_rows VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
static const char tv_rows_sql_add_context[] =
    "INSERT INTO context_rows VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

static const char tv_rows_sql_find_run[] = "SELECT id FROM runs WHERE raw=$1 AND trace=$2";
static const char tv_rows_sql_find_runs[] = "SELECT id FROM runs WHERE (raw, trace) IN($1)";
static const char tv_rows_sql_any_run[] = "SELECT id FROM runs WHERE raw=$1 ORDER BY id";
static const char tv_rows_sql_leave_methods[] =
    "UPDATE methods SET runs=runs-1 WHERE id IN (SELECT method FROM method_rows WHERE run=$1"
    " UNION SELECT method FROM context_rows WHERE run=$1)";
static const char tv_rows_sql_drop_methods[] =
    "DELETE FROM methods WHERE runs<=0 AND id IN (SELECT method FROM method_rows WHERE run=$1"
    " UNION SELECT method FROM context_rows WHERE run=$1)";
static const char tv_rows_sql_drop_rows[] = "DELETE FROM method_rows WHERE run=$1";
static const char tv_rows_sql_drop_contexts[] = "DELETE FROM context_rows WHERE run=$1";
static const char tv_rows_sql_drop_run[] = "DELETE FROM runs WHERE id=$1";

static const char tv_rows_sql_count_runs[] = "SELECT count(*) FROM runs";
#define TV_ROWS_SQL_RUN                                                                            \
    "SELECT id, raw, file, calls, wall_ns, cpu_ns, lacks_wall, lacks_cpu, has_idle_cpu,"           \
    " processor, no_counts, trace, cut_calls, fell_back, odd_wall, build, short_names FROM runs"
static const char tv_rows_sql_runs[] = TV_ROWS_SQL_RUN " ORDER BY raw, trace";
static const char tv_rows_sql_runs_of_traces[] =
    TV_ROWS_SQL_RUN " WHERE raw IN($1) AND trace IN($2, '')";
#define TV_ROWS_SQL_METHOD "SELECT class, name, signature, id FROM methods"
static const char tv_rows_sql_methods[] = TV_ROWS_SQL_METHOD " WHERE id IN($1)";
static const char tv_rows_sql_find_method[] =
    "SELECT id FROM methods WHERE class=$1 AND name=$2 AND signature=$3";
/* Columns of a row, by enum tv_rows_columns (fleet/rows_values.h). */
#define TV_ROWS_SQL_ROW(CLOCK)                                                                     \
    "SELECT run, method, calls, recursive_calls, slowest_ns, slowest_at_ns,"                       \
    " inclusive_" CLOCK "_ns, exclusive_" CLOCK "_ns"
#define TV_ROWS_SQL_UNRECORDED ", inclusive_unrecorded_ns, exclusive_unrecorded_ns"
#define TV_ROWS_SQL_REST ", inclusive_cpu_ns, exclusive_cpu_ns, kind" TV_ROWS_SQL_UNRECORDED
#define TV_ROWS_SQL_EACH(BEHIND)                                                                   \
    {                                                                                              \
        TV_ROWS_SQL_ROW("wall")                                                                    \
        TV_ROWS_SQL_REST BEHIND, TV_ROWS_SQL_ROW("wall") BEHIND,                                   \
            TV_ROWS_SQL_ROW("cpu") TV_ROWS_SQL_UNRECORDED BEHIND                                   \
    }
/* ClickHouse has PREWHERE in place of WHERE: it reads the columns of the key first, and of the rest
 * only what stands beside. */
#define TV_ROWS_SQL_OF_RUNS(WHERE) " FROM method_rows " WHERE " run IN($1)"
#define TV_ROWS_SQL_OF_METHOD " AND method=$2"
#define TV_ROWS_SQL_IN_ORDER " ORDER BY run, method, kind"
static const char *const tv_rows_sql_rows[] =
    TV_ROWS_SQL_EACH(TV_ROWS_SQL_OF_RUNS("WHERE") TV_ROWS_SQL_IN_ORDER);
static const char *const tv_rows_sql_rows_of_method[] =
    TV_ROWS_SQL_EACH(TV_ROWS_SQL_OF_RUNS("WHERE") TV_ROWS_SQL_OF_METHOD TV_ROWS_SQL_IN_ORDER);

#endif
