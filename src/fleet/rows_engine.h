/* What an engine of rows does, which fleet/rows_db.h tells; each is one table. */
#ifndef TV_FLEET_ROWS_ENGINE_H
#define TV_FLEET_ROWS_ENGINE_H

#include "fleet/rows_db.h"

struct tv_rows_engine {
    void (*close)(struct tv_fleet_db *db);
    enum tv_code (*put)(const struct tv_fleet_db *db, const struct tv_fleet_run_key *key,
                        const char *index, const struct tv_trace_rows *rows, struct tv_error *err);
    enum tv_code (*drop)(const struct tv_fleet_db *db, const struct tv_fleet_run_key *keys,
                         size_t count, struct tv_error *err);
    void (*remove_others)(const struct tv_fleet_db *db, int64_t now); /* NULL: writing does it */
    /* Leaves reader->ctx NULL where the database is not there; then none of the others is called
     * but close_reader, which also follows a failure. */
    enum tv_code (*open_reader)(struct tv_fleet_reader *reader, struct tv_error *err);
    void (*close_reader)(struct tv_fleet_reader *reader);
    /* `runs` is all NULL at first. */
    enum tv_code (*find_runs)(struct tv_fleet_reader *reader, const struct tv_fleet_run_key *keys,
                              size_t count, struct tv_arena *arena, struct tv_fleet_run **runs,
                              struct tv_error *err);
    enum tv_code (*read_runs)(struct tv_fleet_reader *reader, struct tv_arena *arena,
                              struct tv_fleet_run **runs, size_t *count, struct tv_error *err);
    enum tv_code (*read_rows)(struct tv_fleet_reader *reader, const struct tv_fleet_wanted *wanted,
                              tv_fleet_each *each, void *ctx, struct tv_error *err);
    /* *has is false where it is not there. */
    enum tv_code (*read_method)(struct tv_fleet_reader *reader, int64_t method,
                                struct tv_arena *arena, struct tv_fleet_method *names, bool *has,
                                struct tv_error *err);
    enum tv_code (*find_method)(struct tv_fleet_reader *reader, const struct tv_fleet_method *names,
                                int64_t *method, bool *has, struct tv_error *err);
};

#ifdef TV_HAS_SQLITE
extern const struct tv_rows_engine tv_rows_in_sqlite;
#endif
/* Fills in `ctx` of a database whose engine this is to be. */
enum tv_code tv_rows_in_clickhouse(struct tv_fleet_db *db, const struct tv_fleet_place *place,
                                   struct tv_error *err) TV_MUST_CHECK;
#ifdef TV_HAS_POSTGRES
/* Fills in `ctx` of a database whose engine this is to be. */
enum tv_code tv_rows_in_postgres(struct tv_fleet_db *db, const struct tv_fleet_place *place,
                                 struct tv_error *err) TV_MUST_CHECK;
#endif

#endif
