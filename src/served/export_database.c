/*
 * A database for an export; see served/export_database.h. SQLite writes into a spool, a file
 * without a name, through which the finished database is then sent: nothing is left on the disk
 * when the program is killed.
 */
#include "served/export_database.h"

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
    return tv_sqlite_file_begin_rows(&database->sqlite, sql, err);
}

static enum tv_code set_cell(struct tv_sqlite_file *sqlite, int parameter,
                             const struct tv_column *column, int64_t cell, struct tv_error *err)
{
    if (column->type == TV_COLUMN_TEXT)
        return tv_sqlite_file_set_text(sqlite, parameter, column->dictionary.texts[cell], err);
    if (cell == TV_ABSENT)
        return tv_sqlite_file_set_null(sqlite, parameter, err);
    return tv_sqlite_file_set_int(sqlite, parameter, cell, err);
}

/* Columns that another table has too are left out, as in the statement that made the table. */
static enum tv_code add_row(struct tv_sqlite_database *database, const struct tv_table *table,
                            const struct tv_rows *rows, size_t row, struct tv_error *err)
{
    int parameter = 1;
    for (size_t c = 0; c < table->column_count; c++) {
        if (!table->columns[c].is_repeated)
            TV_TRY(set_cell(&database->sqlite, parameter++, &table->columns[c], rows->cells[c][row],
                            err));
    }
    return tv_sqlite_file_add_row(&database->sqlite, err);
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
    return tv_sqlite_file_end_rows(&database->sqlite, err);
}

/* The database is closed first, which writes what SQLite still kept; only then is the file whole.
 */
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

/* The exporter sees functions alone, since it is pure (export/tables/database.h). */
enum tv_code tv_sqlite_database_open(struct tv_sqlite_database *database, struct tv_error *err)
{
    database->base = (struct tv_database){.run = run,
                                          .begin_rows = begin_rows,
                                          .add_rows = add_rows,
                                          .end_rows = end_rows,
                                          .write = write_file,
                                          .ctx = database};
    TV_TRY(tv_spool_open(&database->spool, 0, err));
    enum tv_code code = tv_sqlite_file_open(&database->sqlite, &database->spool, err);
    if (code != TV_OK)
        tv_spool_release(&database->spool);
    return code;
}

void tv_sqlite_database_close(struct tv_sqlite_database *database)
{
    tv_sqlite_file_abandon(&database->sqlite);
    tv_spool_release(&database->spool);
}
