/*
 * Keeps the rows of traces in step with the store: those that count, by their owners and the rule
 * of the site, have rows made of their index, and no other ones. What is missing after a process
 * was killed, or since somebody changed their mind, a pass over all finds.
 */
#ifndef TV_SITE_JOBS_ROW_KEEPER_H
#define TV_SITE_JOBS_ROW_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "fleet/rows_db.h"
#include "os/file/paths.h"
#include "store/store.h"

struct tv_row_keeper {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool;
    struct tv_store *store;
    const char *build;            /* tv_saved_name of the indexes */
    const struct tv_fleet_db *db; /* of the rows; NULL: nothing is kept */
    enum tv_count_rule rule;
    bool is_new; /* in a pass, rows that are there are made again */
};

/* Where the rows of a store are: in the folder of one that lies in a folder, else where the store's
 * own rows are; or in ClickHouse. */
struct tv_row_place {
    const struct tv_store_place *store;
    const char *clickhouse;    /* http://USER@HOST:8123/DATABASE; "" or NULL: none */
    const char *password_file; /* of ClickHouse's user; "" or NULL: none */
    bool is_read_only;
};
/* Names the database of the rows. `path` gets the file's, and is borrowed by `db`. */
enum tv_code tv_row_keeper_open(struct tv_fleet_db *db, char path[TV_PATH_CAP],
                                const struct tv_row_place *place, const struct tv_alloc *alloc,
                                struct tv_error *err) TV_MUST_CHECK;
/* The index of a job was kept: makes its rows, where a trace of its raw file counts and no mapping
 * gave names; else the next pass does. *made may be false without a failure. Any number of threads.
 */
enum tv_code tv_row_keeper_take(const struct tv_row_keeper *keeper, const struct tv_job *job,
                                int64_t now, bool *made, struct tv_error *err) TV_MUST_CHECK;

struct tv_row_pass {
    uint64_t runs;    /* of traces that count */
    uint64_t made;    /* runs whose rows were made */
    uint64_t dropped; /* no trace that counts has the run any more */
    uint64_t waiting; /* their index is not made yet, or the pass had its most */
    uint64_t bad;     /* they have no index, and get none */
};
/* Compares all traces with all rows, and makes the rows of at most `most` runs. */
enum tv_code tv_row_keeper_pass(const struct tv_row_keeper *keeper, int64_t now, uint64_t most,
                                struct tv_row_pass *pass, struct tv_error *err) TV_MUST_CHECK;

#endif
