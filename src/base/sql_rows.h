/* What a statement of SQL answers: rows of cells of any type, as SQLite has them. */
#ifndef TV_BASE_SQL_ROWS_H
#define TV_BASE_SQL_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

/* The most columns of an answer. */
#define TV_SQL_COLUMNS 200u

struct tv_sql_cell {
    enum {
        TV_CELL_OF_NULL,
        TV_CELL_OF_INT,
        TV_CELL_OF_REAL,
        TV_CELL_OF_TEXT,
        TV_CELL_OF_BLOB
    } kind;
    int64_t number; /* of an integer */
    struct tv_str
        text; /* the digits of a real number ("1.5", "Inf"), a text, or the bytes of a blob */
};

/* Who gets them. All is borrowed until the function returns. */
struct tv_sql_rows {
    enum tv_code (*begin)(void *ctx, const char *const *names, size_t count, struct tv_error *err);
    enum tv_code (*take)(void *ctx, const struct tv_sql_cell *cells, struct tv_error *err);
    void *ctx;
};

#endif
