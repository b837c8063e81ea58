/* Rows of an answer in SQL, as a table for people, as CSV, or as an array of JSON. */
#ifndef TV_CLI_ANSWERS_QUERY_ROWS_H
#define TV_CLI_ANSWERS_QUERY_ROWS_H

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "base/sink.h"
#include "base/sql_rows.h"
#include "base/text/json.h"
#include "cli/cli.h"
#include "cli/terminal/table.h"
#include "cli/wording.h"

enum tv_query_form { TV_QUERY_TABLE, TV_QUERY_CSV, TV_QUERY_JSON };

/* CSV and JSON go to the sink as rows come; a table is laid out when all are there. */
struct tv_query_rows {
    enum tv_query_form form;
    struct tv_sink sink;
    struct tv_arena arena; /* of the names of columns */
    const char **names;
    size_t count;
    bool has_columns; /* of the table: how they are aligned, the first row says */
    struct tv_text_table table;
    struct tv_json json;
    struct tv_buffer room; /* of one row, or cell */
};

void tv_query_rows_init(struct tv_query_rows *rows, const struct tv_cli *cli,
                        enum tv_query_form form, struct tv_sink sink);
void tv_query_rows_release(struct tv_query_rows *rows);
/* What gets the rows. */
struct tv_sql_rows tv_query_rows_taker(struct tv_query_rows *rows);
/* Ends the answer. A table is added to `out`. */
enum tv_code tv_query_rows_finish(struct tv_query_rows *rows, struct tv_text *out,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
