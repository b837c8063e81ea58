/* A database for an export; see query/sqlite_database.h. */
#include "query/sqlite_database.h"

#include "base/str.h"

/* Bytes of the file that are written out at a time. */
#define PART_LEN 65536u

static enum tv_code run(void *ctx, const char *sql, struct tv_error *err)
{
    struct tv_sqlite_database *database = ctx;
    return tv_sqlite_file_run(&database->sqlite, sql, err);
}

static enum tv_code begin_rows(void *ctx, const char *sql, struct tv_error *err)
{
    struct tv_sqlite_database *database = ctx;
    return sqlite3_prepare_v3(database->sqlite.db, sql, -1, SQLITE_PREPARE_PERSISTENT,
                              &database->insert, NULL) == SQLITE_OK
               ? TV_OK
               : tv_sqlite_file_failed(&database->sqlite, err);
}

static int bind_cell(sqlite3_stmt *insert, int parameter, const struct tv_column *column,
                     int64_t cell)
{
    if (column->type != TV_COLUMN_TEXT)
        return cell == TV_ABSENT ? sqlite3_bind_null(insert, parameter)
                                 : sqlite3_bind_int64(insert, parameter, cell);
    struct tv_str text = column->dictionary.texts[cell];
    return sqlite3_bind_text64(insert, parameter, text.len ? text.at : "", text.len, SQLITE_STATIC,
                               SQLITE_UTF8);
}

static enum tv_code add_row(struct tv_sqlite_database *database, const struct tv_table *table,
                            const struct tv_rows *rows, size_t row, struct tv_error *err)
{
    int parameter = 1;
    for (size_t c = 0; c < table->column_count; c++) {
        if (table->columns[c].is_repeated)
            continue;
        if (bind_cell(database->insert, parameter++, &table->columns[c], rows->cells[c][row]) !=
            SQLITE_OK)
            return tv_sqlite_file_failed(&database->sqlite, err);
    }
    bool is_done = sqlite3_step(database->insert) == SQLITE_DONE;
    return is_done && sqlite3_reset(database->insert) == SQLITE_OK
               ? TV_OK
               : tv_sqlite_file_failed(&database->sqlite, err);
}

static enum tv_code add_rows(void *ctx, const struct tv_table *table, const struct tv_rows *rows,
                             struct tv_error *err)
{
    for (size_t row = 0; row < rows->len; row++)
        TV_TRY(add_row(ctx, table, rows, row, err));
    return TV_OK;
}

static enum tv_code end_rows(void *ctx, struct tv_error *err)
{
    struct tv_sqlite_database *database = ctx;
    int code = sqlite3_finalize(database->insert);
    database->insert = NULL;
    return code == SQLITE_OK ? TV_OK : tv_sqlite_file_failed(&database->sqlite, err);
}

static enum tv_code write_file(void *ctx, struct tv_sink sink, struct tv_error *err)
{
    struct tv_sqlite_database *database = ctx;
    uint8_t part[PART_LEN];
    size_t got = PART_LEN;
    TV_TRY(tv_sqlite_file_close(&database->sqlite, err));
    for (uint64_t off = 0; got == PART_LEN; off += got) {
        TV_TRY(tv_spool_read_at(&database->spool, off, part, PART_LEN, &got, err));
        if (got)
            TV_TRY(sink.write(sink.ctx, part, got, err));
    }
    return TV_OK;
}

enum tv_code tv_sqlite_database_open(struct tv_sqlite_database *database, struct tv_error *err)
{
    database->base = (struct tv_database){.run = run,
                                          .begin_rows = begin_rows,
                                          .add_rows = add_rows,
                                          .end_rows = end_rows,
                                          .write = write_file,
                                          .ctx = database};
    database->insert = NULL;
    TV_TRY(tv_spool_open(&database->spool, 0, err));
    enum tv_code code = tv_sqlite_file_open(&database->sqlite, &database->spool, err);
    if (code != TV_OK)
        tv_spool_release(&database->spool);
    return code;
}

void tv_sqlite_database_close(struct tv_sqlite_database *database)
{
    (void)sqlite3_finalize(database->insert);
    database->insert = NULL;
    tv_sqlite_file_abandon(&database->sqlite);
    tv_spool_release(&database->spool);
}
