/*
 * SQL over a trace; see served/query.h. It is an export into a database that, where the file would
 * be written, answers the statement instead.
 */
#include "served/query.h"

#include "export/formats.h"

#ifdef TV_HAS_SQLITE
#include "served/export_database.h"
#include "sqlite/select.h"

/* The database comes first: its functions have it as their `ctx`, and so have those below. */
struct asked {
    struct tv_sqlite_database database;
    struct tv_str sql;
    const struct tv_sql_rows *rows;
};

static enum tv_code wants(void *ctx, const char *table, bool *wants, struct tv_error *err)
{
    struct asked *asked = ctx;
    return tv_select_reads(&asked->database.sqlite, asked->sql, table, wants, err);
}

static enum tv_code answer(void *ctx, struct tv_sink sink, struct tv_error *err)
{
    struct asked *asked = ctx;
    (void)sink;
    return tv_select_run(&asked->database.sqlite, asked->sql, asked->rows, err);
}

static enum tv_code write_nothing(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    (void)ctx, (void)bytes, (void)len, (void)err;
    return TV_OK;
}

enum tv_code tv_query_run(const struct tv_index *index, struct tv_export_opts *opts,
                          struct tv_str sql, const struct tv_sql_rows *rows,
                          const struct tv_alloc *alloc, const struct tv_pool *pool,
                          struct tv_export_result *result, struct tv_error *err)
{
    struct asked asked = {.sql = sql, .rows = rows};
    const struct tv_sink nowhere = {write_nothing, NULL};
    TV_TRY(tv_sqlite_database_open(&asked.database, err));
    asked.database.base.wants = wants;
    asked.database.base.write = answer;
    opts->database = &asked.database.base;
    enum tv_code code =
        tv_export_run(&tv_export_sqlite, index, opts, alloc, pool, nowhere, result, err);
    opts->database = NULL;
    tv_sqlite_database_close(&asked.database);
    return code;
}
#else
/* Without SQLite the format itself says that it has no database. */
enum tv_code tv_query_run(const struct tv_index *index, struct tv_export_opts *opts,
                          struct tv_str sql, const struct tv_sql_rows *rows,
                          const struct tv_alloc *alloc, const struct tv_pool *pool,
                          struct tv_export_result *result, struct tv_error *err)
{
    (void)index, (void)opts, (void)sql, (void)rows, (void)alloc, (void)pool;
    *result = (struct tv_export_result){{0}};
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                   "this traceview was built without SQLite");
}
#endif
