/* A program that was built without SQLite keeps no rows: there are no stores either. */
#include "fleet/rows_db.h"

static enum tv_code lacks(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "this program was built without SQLite");
}

enum tv_code tv_fleet_db_open(struct tv_fleet_db *db, const char *path, struct tv_error *err)
{
    *db = (struct tv_fleet_db){.path = path};
    return lacks(err);
}

void tv_fleet_db_close(struct tv_fleet_db *db)
{
    (void)db;
}

enum tv_code tv_fleet_db_put(struct tv_fleet_db *db, const struct tv_fleet_run_key *key,
                             const char *index, const struct tv_trace_rows *rows,
                             struct tv_error *err)
{
    (void)db, (void)key, (void)index, (void)rows;
    return lacks(err);
}

enum tv_code tv_fleet_db_drop(struct tv_fleet_db *db, const struct tv_fleet_run_key *key,
                              struct tv_error *err)
{
    (void)db, (void)key;
    return lacks(err);
}

enum tv_code tv_fleet_reader_open(struct tv_fleet_reader *reader, const char *path,
                                  enum tv_fleet_reading how, const struct tv_alloc *alloc,
                                  struct tv_error *err)
{
    (void)path, (void)how;
    *reader = (struct tv_fleet_reader){.alloc = alloc};
    return lacks(err);
}

void tv_fleet_reader_close(struct tv_fleet_reader *reader)
{
    (void)reader;
}

enum tv_code tv_fleet_find_run(struct tv_fleet_reader *reader, const struct tv_fleet_run_key *key,
                               struct tv_arena *arena, struct tv_fleet_run **run,
                               struct tv_error *err)
{
    (void)reader, (void)key, (void)arena, (void)run;
    return lacks(err);
}

enum tv_code tv_fleet_read_runs(struct tv_fleet_reader *reader, struct tv_arena *arena,
                                struct tv_fleet_run **runs, size_t *count, struct tv_error *err)
{
    (void)reader, (void)arena, (void)runs, (void)count;
    return lacks(err);
}

enum tv_code tv_fleet_read_rows(struct tv_fleet_reader *reader, int64_t run, int64_t method,
                                enum tv_code (*each)(void *ctx, const struct tv_fleet_read_row *row,
                                                     struct tv_error *err),
                                void *ctx, struct tv_error *err)
{
    (void)reader, (void)run, (void)method, (void)each, (void)ctx;
    return lacks(err);
}

enum tv_code tv_fleet_read_method(struct tv_fleet_reader *reader, int64_t method,
                                  struct tv_arena *arena, struct tv_fleet_method *names,
                                  struct tv_error *err)
{
    (void)reader, (void)method, (void)arena, (void)names;
    return lacks(err);
}

enum tv_code tv_fleet_find_method(struct tv_fleet_reader *reader,
                                  const struct tv_fleet_method *names, int64_t *method,
                                  struct tv_error *err)
{
    (void)reader, (void)names, (void)method;
    return lacks(err);
}
