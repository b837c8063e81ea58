/*
 * A table as exports write it: named columns, and rows that come in batches. What a table is about
 * and how its bytes look do not know each other: a description of its columns serves CSV, lines of
 * JSON, Parquet, Arrow and SQLite alike.
 */
#ifndef TV_EXPORT_TABLES_TABLE_H
#define TV_EXPORT_TABLES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/block_packer.h"
#include "base/sink.h"
#include "base/str.h"

#define TV_COLUMN_LIMIT 24u
/* The most rows that come at a time. */
#define TV_ROWS_LIMIT 1024u
/* A cell without a value, in a column that may have such. */
#define TV_ABSENT INT64_MIN

enum tv_column_type {
    TV_COLUMN_U32,
    TV_COLUMN_I64,
    TV_COLUMN_TRUTH, /* 0 or 1 */
    TV_COLUMN_TEXT,  /* the number of a text in the column's dictionary */
};

/* The texts of a column, each of them once: valid UTF-8 without U+0000. */
struct tv_dictionary {
    const struct tv_str *texts;
    uint32_t count;
};

struct tv_column {
    const char *name; /* letters and _ */
    enum tv_column_type type;
    bool may_be_absent;              /* only of TV_COLUMN_I64 */
    bool is_repeated;                /* another table tells it, for the same key */
    struct tv_dictionary dictionary; /* of TV_COLUMN_TEXT */
};

struct tv_table {
    const char *name; /* letters */
    struct tv_column columns[TV_COLUMN_LIMIT];
    size_t column_count;
};

/* Some rows of a table: cells[c][r] is the cell of column c and row r. */
struct tv_rows {
    size_t len; /* at most TV_ROWS_LIMIT */
    const int64_t *cells[TV_COLUMN_LIMIT];
};

struct tv_database;

/* Where tables are written to. */
struct tv_table_target {
    const struct tv_alloc *alloc;
    struct tv_sink sink;
    const struct tv_block_packer *packer; /* NULL: nothing is packed */
    const struct tv_database *database;   /* of a form that writes into one, in place of the sink */
};

/* A way to write tables. All of it is borrowed until `release`: the table, its dictionaries, the
 * target. */
struct tv_table_form {
    /* Begins a table; *state is NULL on failure. */
    enum tv_code (*begin)(const struct tv_table *table, const struct tv_table_target *target,
                          void **state, struct tv_error *err);
    enum tv_code (*take)(void *state, const struct tv_rows *rows, struct tv_error *err);
    /* Writes what is left and the end. */
    enum tv_code (*finish)(void *state, struct tv_error *err);
    void (*release)(void *state); /* NULL is allowed */
};

#endif
