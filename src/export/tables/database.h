/*
 * A database that tables are written into, whoever makes it: this folder knows SQL, and nothing of
 * the library that runs it (served/export_database.h).
 */
#ifndef TV_EXPORT_TABLES_DATABASE_H
#define TV_EXPORT_TABLES_DATABASE_H

#include "base/error.h"
#include "base/sink.h"
#include "export/tables/table.h"

struct tv_database {
    /* Runs statements without results. */
    enum tv_code (*run)(void *ctx, const char *sql, struct tv_error *err);
    /* Whether the rows of a table are wanted, which is asked when all tables and views are there;
     * NULL: those of all tables are. */
    enum tv_code (*wants)(void *ctx, const char *table, bool *wants, struct tv_error *err);
    /* Begins to insert rows by a statement with a parameter for each column. */
    enum tv_code (*begin_rows)(void *ctx, const char *sql, struct tv_error *err);
    /* The cells of a row in the order of the columns, those that are repeated left out. */
    enum tv_code (*add_rows)(void *ctx, const struct tv_table *table, const struct tv_rows *rows,
                             struct tv_error *err);
    /* Ends what begin_rows began, also after a failure. */
    enum tv_code (*end_rows)(void *ctx, struct tv_error *err);
    /* Ends the database, and writes its file. */
    enum tv_code (*write)(void *ctx, struct tv_sink sink, struct tv_error *err);
    void *ctx;
};

#endif
