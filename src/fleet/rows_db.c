/* Rows of all traces; see fleet/rows_db.h. Each engine is a table of functions, and what holds for
 * all of them stands here. */
#include "fleet/rows_db.h"

#include <stdio.h>
#include <string.h>

#include "base/memory/pool.h"
#include "fleet/rows_engine.h"

static bool is_given(const char *text)
{
    return text && text[0];
}

static enum tv_code choose_engine(struct tv_fleet_db *db, const struct tv_fleet_place *place,
                                  struct tv_error *err)
{
    if (is_given(place->url) && !tv_str_starts_with(tv_str_from(place->url), TV_STR("postgres")))
        return tv_rows_in_clickhouse(db, place, err);
    if (is_given(place->url)) {
#ifdef TV_HAS_POSTGRES
        return tv_rows_in_postgres(db, place, err);
#else
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "this program was built without PostgreSQL");
#endif
    }
#ifdef TV_HAS_SQLITE
    db->engine = &tv_rows_in_sqlite;
    return TV_OK;
#else
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "this program was built without SQLite");
#endif
}

enum tv_code tv_fleet_db_open(struct tv_fleet_db *db, const struct tv_fleet_place *place,
                              const struct tv_alloc *alloc, struct tv_error *err)
{
    *db = (struct tv_fleet_db){
        .alloc = alloc, .path = place->path, .is_read_only = place->is_read_only};
    const enum tv_code code = choose_engine(db, place, err);
    if (code != TV_OK)
        *db = (struct tv_fleet_db){.alloc = NULL};
    return code;
}

void tv_fleet_db_close(struct tv_fleet_db *db)
{
    if (db->engine)
        db->engine->close(db);
    *db = (struct tv_fleet_db){.alloc = NULL};
}

struct tv_fleet_run_name tv_fleet_run_name(const char *raw, const char *trace)
{
    struct tv_fleet_run_name name;
    (void)snprintf(name.text, sizeof(name.text), "%s%s", raw, trace);
    return name;
}

enum tv_code tv_fleet_db_put(const struct tv_fleet_db *db, const struct tv_fleet_run_key *key,
                             const char *index, const struct tv_trace_rows *rows,
                             struct tv_error *err)
{
    return db->engine->put(db, key, index, rows, err);
}

enum tv_code tv_fleet_db_drop(const struct tv_fleet_db *db, const struct tv_fleet_run_key *keys,
                              size_t count, struct tv_error *err)
{
    return count ? db->engine->drop(db, keys, count, err) : TV_OK;
}

void tv_fleet_db_remove_others(const struct tv_fleet_db *db, int64_t now)
{
    if (db->engine->remove_others)
        db->engine->remove_others(db, now);
}

enum tv_code tv_fleet_reader_open(struct tv_fleet_reader *reader, const struct tv_fleet_db *db,
                                  struct tv_error *err)
{
    *reader = (struct tv_fleet_reader){.alloc = db->alloc, .db = db};
    const enum tv_code code = db->engine->open_reader(reader, err);
    if (code != TV_OK)
        tv_fleet_reader_close(reader);
    return code;
}

void tv_fleet_reader_close(struct tv_fleet_reader *reader)
{
    if (reader->db)
        reader->db->engine->close_reader(reader);
    *reader = (struct tv_fleet_reader){.alloc = NULL};
}

enum tv_code tv_fleet_find_runs(struct tv_fleet_reader *reader, const struct tv_fleet_run_key *keys,
                                size_t count, struct tv_arena *arena, struct tv_fleet_run **runs,
                                struct tv_error *err)
{
    for (size_t i = 0; i < count; i++)
        runs[i] = NULL;
    TV_TRY(tv_check_wanted(reader->is_unwanted, err));
    if (!reader->ctx || !count)
        return TV_OK;
    return reader->db->engine->find_runs(reader, keys, count, arena, runs, err);
}

enum tv_code tv_fleet_read_runs(struct tv_fleet_reader *reader, struct tv_arena *arena,
                                struct tv_fleet_run **runs, size_t *count, struct tv_error *err)
{
    *runs = NULL;
    *count = 0;
    return reader->ctx ? reader->db->engine->read_runs(reader, arena, runs, count, err) : TV_OK;
}

enum tv_code tv_fleet_read_rows(struct tv_fleet_reader *reader,
                                const struct tv_fleet_wanted *wanted, tv_fleet_each *each,
                                void *ctx, struct tv_error *err)
{
    TV_TRY(tv_check_wanted(reader->is_unwanted, err));
    return wanted->count ? reader->db->engine->read_rows(reader, wanted, each, ctx, err) : TV_OK;
}

static enum tv_code no_method(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no trace that counts has this method");
}

enum tv_code tv_fleet_read_method(struct tv_fleet_reader *reader, int64_t method,
                                  struct tv_arena *arena, struct tv_fleet_method *names,
                                  struct tv_error *err)
{
    bool has;
    TV_TRY(reader->db->engine->read_method(reader, method, arena, names, &has, err));
    return has ? TV_OK : no_method(err);
}

enum tv_code tv_fleet_find_method(struct tv_fleet_reader *reader,
                                  const struct tv_fleet_method *names, int64_t *method,
                                  struct tv_error *err)
{
    bool has = false;
    if (reader->ctx)
        TV_TRY(reader->db->engine->find_method(reader, names, method, &has, err));
    return has ? TV_OK : no_method(err);
}
