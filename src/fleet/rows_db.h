/*
 * Rows of all traces of a site that count (fleet/trace_rows.h), in a database beside the store's:
 * SQLite in the folder of a store that lies in one, PostgreSQL where that has the store; or
 * ClickHouse, wherever the store is.
 *
 * A run is a raw file, and two traces of the same bytes are one run. Where a mapping gave names,
 * the run is that of one trace: a mapping is its owner's, and whoever uploads the same bytes is to
 * see nothing of it.
 * What the store knows of a trace, such as its app and its build, is not here: it may change, and
 * the store says at the moment of a question which traces count for whoever asks. So a row of a
 * trace that was deleted is seen by nobody, also before it goes.
 *
 * All of it can be made again from indexes, and each version (fleet/rows_version.h) has a database
 * of its own. The statements stand together in rows_sql.h, in the SQL that PostgreSQL and
 * ClickHouse know, too.
 *
 * Any number of threads and processes may use a database at once, and threads a struct tv_fleet_db;
 * a reader belongs to one thread.
 */
#ifndef TV_FLEET_ROWS_DB_H
#define TV_FLEET_ROWS_DB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "compare/run_clocks.h"
#include "fleet/rows_version.h"
#include "fleet/trace_rows.h"

/* The database of a store, beside store.sqlite: "rows_6_8.sqlite". */
#define TV_FLEET_DATABASE "rows_" TV_ROWS_VERSION_NAME ".sqlite"

/* Names of files in the store: 64 digits. */
#define TV_FLEET_HASH_LEN 64u
/* The digits of a trace's id. */
#define TV_FLEET_ID_LEN 32u

/* Where rows lie. */
struct tv_fleet_place {
    const char *path; /* the database of SQLite; "" or NULL where there is a URL */
    /* postgres://USER@HOST/DATABASE, or of ClickHouse http://USER@HOST:8123/DATABASE; "" or NULL:
     * SQLite. */
    const char *url;
    const char *password_file; /* with a URL, or NULL or "" (postgres/address.h) */
    bool is_read_only;         /* nobody writes meanwhile, and the disk may take nothing */
};

struct tv_rows_engine;
/* The rows of a store. */
struct tv_fleet_db {
    const struct tv_alloc *alloc;
    const struct tv_rows_engine *engine;
    const char *path; /* borrowed */
    bool is_read_only;
    void *ctx; /* the engine's own */
};

/* What is known of a run as a whole. */
struct tv_fleet_run {
    int64_t id;
    char raw[TV_FLEET_HASH_LEN + 1];
    char trace[TV_FLEET_ID_LEN + 1];   /* whose names its rows have; "": those of the raw file */
    char index[TV_FLEET_HASH_LEN + 1]; /* the file that its rows were made of */
    uint64_t calls;
    uint64_t cut_calls; /* as in struct tv_trace_rows: of a method without a row nothing is known */
    uint64_t total_ns[TV_CLOCK_COUNT];
    bool fell_back;              /* as in struct tv_trace_rows */
    struct tv_str odd_wall;      /* the same; empty: wall times are those that were recorded */
    struct tv_run_clocks clocks; /* `lacking` is empty */
    struct tv_run_build build;   /* that the methods of the trace say */
    struct tv_str no_counts;     /* empty: its counts are those of the program */
};

/* Names the database, whose texts are borrowed; it is made when the first row is kept, and one that
 * is away is waited for then. TV_ERR_UNSUPPORTED: this program was built without the engine, or the
 * engine's library is not installed; TV_ERR_ARGUMENT: the URL has a password, or is none. */
enum tv_code tv_fleet_db_open(struct tv_fleet_db *db, const struct tv_fleet_place *place,
                              const struct tv_alloc *alloc, struct tv_error *err) TV_MUST_CHECK;
void tv_fleet_db_close(struct tv_fleet_db *db); /* one that is all 0, too */
/* Which run is meant. */
struct tv_fleet_run_key {
    const char *raw;
    const char *trace; /* as in struct tv_fleet_run; to drop, NULL: all runs of the raw file */
};
/* A key as one text, for maps: the digits of its raw file, and behind them those of its trace. */
struct tv_fleet_run_name {
    char text[TV_FLEET_HASH_LEN + TV_FLEET_ID_LEN + 1];
};
struct tv_fleet_run_name tv_fleet_run_name(const char *raw, const char *trace);
/* Keeps the rows of a run in place of those that it had. */
enum tv_code tv_fleet_db_put(const struct tv_fleet_db *db, const struct tv_fleet_run_key *key,
                             const char *index, const struct tv_trace_rows *rows,
                             struct tv_error *err) TV_MUST_CHECK;
/* Drops the rows of runs, and the methods that no other one has; TV_OK where there are none. */
enum tv_code tv_fleet_db_drop(const struct tv_fleet_db *db, const struct tv_fleet_run_key *keys,
                              size_t count, struct tv_error *err) TV_MUST_CHECK;
/* Removes databases of SQLite beside this one that are of other versions, and that nobody has
 * written for a day: the program that had them is gone. `now` is in seconds since 1970. */
void tv_fleet_db_remove_others(const struct tv_fleet_db *db, int64_t now);

/* A connection for one question. A database that is not there has no runs. */
struct tv_fleet_reader {
    const struct tv_alloc *alloc;
    const struct tv_fleet_db *db;
    void *ctx; /* the engine's own; NULL: the database is not there */
    /* Becomes true when nobody waits for the answer any more (base/memory/pool.h): then reading
     * rows and looking for runs ends with TV_ERR_CANCELLED. NULL, as it is at first: somebody does.
     */
    const atomic_bool *is_unwanted;
    bool is_patient; /* no request waits for it: a statement may take longer */
};
enum tv_code tv_fleet_reader_open(struct tv_fleet_reader *reader, const struct tv_fleet_db *db,
                                  struct tv_error *err) TV_MUST_CHECK;
void tv_fleet_reader_close(struct tv_fleet_reader *reader); /* one that is all 0, too */
/* The runs of traces: the trace's own one, else that of its raw file. NULL: there is none. `runs`
 * has room for `count`. */
enum tv_code tv_fleet_find_runs(struct tv_fleet_reader *reader, const struct tv_fleet_run_key *keys,
                                size_t count, struct tv_arena *arena, struct tv_fleet_run **runs,
                                struct tv_error *err) TV_MUST_CHECK;
/* All runs, by raw file. */
enum tv_code tv_fleet_read_runs(struct tv_fleet_reader *reader, struct tv_arena *arena,
                                struct tv_fleet_run **runs, size_t *count,
                                struct tv_error *err) TV_MUST_CHECK;

/* A row as it is read. */
struct tv_fleet_read_row {
    size_t run;              /* place in the list of runs */
    int64_t method;          /* id */
    struct tv_fleet_row row; /* its `method` is unused */
};
/* Which rows are read, and what of them. */
struct tv_fleet_wanted {
    const struct tv_fleet_run *const *runs; /* different ones */
    size_t count;
    int64_t method; /* of this one alone; 0: of all */
    /* Rows of a run stand together, by method and kind, and runs come in any order; with this all
     * rows do, which takes an engine less. */
    bool in_any_order;
    /* The times of `clock` alone are asked for: rows have zeros for the other one, and no kind of
     * thread. An engine reads and sends a quarter less. */
    bool one_clock;
    enum tv_clock clock;
};
typedef enum tv_code tv_fleet_each(void *ctx, const struct tv_fleet_read_row *row,
                                   struct tv_error *err);
/* Gives the rows. An error of `each` ends it. `each` may ask for the names of the row's method. */
enum tv_code tv_fleet_read_rows(struct tv_fleet_reader *reader,
                                const struct tv_fleet_wanted *wanted, tv_fleet_each *each,
                                void *ctx, struct tv_error *err) TV_MUST_CHECK;
/* The names of a method. TV_ERR_NOT_FOUND: it went meanwhile. */
enum tv_code tv_fleet_read_method(struct tv_fleet_reader *reader, int64_t method,
                                  struct tv_arena *arena, struct tv_fleet_method *names,
                                  struct tv_error *err) TV_MUST_CHECK;
/* The id of a method. TV_ERR_NOT_FOUND: no run has it. */
enum tv_code tv_fleet_find_method(struct tv_fleet_reader *reader,
                                  const struct tv_fleet_method *names, int64_t *method,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
