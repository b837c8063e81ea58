/*
 * query: SQL over a trace, or a part of it (served/query.h). The part is that of `export`, so the
 * answer is what SQLite would say of an export of it.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/answers/query_rows.h"
#include "cli/answers/question.h"
#include "cli/file/load.h"
#include "cli/file/output.h"
#include "cli/terminal/progress.h"
#include "cli/verb.h"
#include "cli/warnings.h"
#include "index/memory.h"
#include "os/memory/mapping.h"
#include "served/query.h"

/* The most bytes of a statement on standard input. */
#define SQL_MOST (1u << 20)

struct query_options {
    struct tv_scope_options shared;
    uint64_t depth; /* 0: all levels */
    bool csv;
    bool schema;
};

/* What the tables and views are, in the words of a statement. */
static const char schema_sql[] =
    "SELECT m.name AS 'table', p.name AS 'column', lower(p.type) AS type,"
    " CASE WHEN p.name GLOB '*_ns' THEN 'ns' WHEN p.name GLOB '*_ms' THEN 'ms' END AS unit"
    " FROM sqlite_schema m JOIN pragma_table_info(m.name) p"
    " WHERE m.type IN ('table', 'view') ORDER BY m.rowid, p.cid";

/* Waits for the rows with a line that tells how far they are, and clears it before the first. */
struct answering {
    struct tv_progress shown;
    struct tv_sql_rows rows;
};

static enum tv_code begin(void *ctx, const char *const *names, size_t count, struct tv_error *err)
{
    struct answering *answering = ctx;
    tv_progress_clear(&answering->shown);
    return answering->rows.begin(answering->rows.ctx, names, count, err);
}

static enum tv_code take(void *ctx, const struct tv_sql_cell *cells, struct tv_error *err)
{
    const struct answering *answering = ctx;
    return answering->rows.take(answering->rows.ctx, cells, err);
}

static enum tv_code ask(struct tv_asking *asking, const struct query_options *options,
                        struct tv_str sql, struct tv_query_rows *rows,
                        struct tv_export_result *result, struct tv_error *err)
{
    struct answering answering = {.rows = tv_query_rows_taker(rows)};
    const struct tv_sql_rows taker = {begin, take, &answering};
    struct tv_export_opts opts = {.levels = (uint32_t)options->depth,
                                  .file = tv_file_label(asking->file),
                                  .tell = tv_progress_tell,
                                  .ctx = &answering.shown};
    TV_TRY(tv_question_scope(asking, &options->shared, &opts.scope, err));
    tv_progress_init(&answering.shown, asking->cli, asking->file);
    tv_progress_phase(&answering.shown, "making tables", 100);
    enum tv_code code = tv_query_run(asking->index, &opts, sql, &taker, asking->cli->alloc,
                                     asking->cli->pool, result, err);
    tv_progress_clear(&answering.shown);
    return code;
}

static enum tv_query_form form_of(const struct query_options *options)
{
    if (options->shared.json)
        return TV_QUERY_JSON;
    return options->csv ? TV_QUERY_CSV : TV_QUERY_TABLE;
}

/* CSV and JSON are written as rows come, so an answer of any length needs no memory. */
static enum tv_code write_out(struct tv_asking *asking, const struct query_options *options,
                              struct tv_str sql, struct tv_text *table,
                              struct tv_export_result *result, struct tv_error *err)
{
    struct tv_output_file output;
    struct tv_query_rows rows;
    TV_TRY(tv_output_open_beside(&output, asking->cli, "-", TV_OUTPUT_TEXT, asking->file, err));
    tv_query_rows_init(&rows, asking->cli, form_of(options), tv_output_sink(&output));
    enum tv_code code = ask(asking, options, sql, &rows, result, err);
    if (code == TV_OK)
        code = tv_query_rows_finish(&rows, table, err);
    code = tv_memory_tell(&asking->limit, code, asking->index,
                          "the answer takes too much memory: take --csv, or a shorter part", err);
    if (code == TV_OK)
        code = tv_mapping_check(asking->index->block, err);
    tv_query_rows_release(&rows);
    return tv_output_close(&output, code, err);
}

/* Returns a status. */
static int answer(struct tv_asking *asking, const struct query_options *options, struct tv_str sql)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_export_result result;
    struct tv_text table;
    int status;
    tv_text_init(&table, asking->cli->alloc);
    if (write_out(asking, options, sql, &table, &result, &err) != TV_OK) {
        status = tv_asking_fail(asking, &err);
    } else {
        if (form_of(options) == TV_QUERY_TABLE)
            tv_cli_answer(asking->cli, tv_text_view(&table));
        status = tv_warn_of_export(asking->cli, asking->file, "SQL", &result);
    }
    tv_text_release(&table);
    return status;
}

static enum tv_code read_standard_input(struct tv_buffer *sql, struct tv_error *err)
{
    char part[4096];
    size_t got;
    while ((got = fread(part, 1, sizeof(part), stdin)) != 0) {
        if (sql->len + got > SQL_MOST)
            return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "the statement is longer than 1 MiB");
        TV_TRY(tv_buffer_append(sql, part, got, err));
    }
    return ferror(stdin) ? tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be read") : TV_OK;
}

static int run_on(const struct tv_cli *cli, const struct query_options *options, const char *name,
                  struct tv_str sql)
{
    struct tv_index index;
    struct tv_asking asking;
    tv_index_init(&index);
    int status = tv_load_for_verb(cli, name, TV_WARNINGS_TOLD, &index);
    if (status == TV_STATUS_FINE) {
        tv_asking_init(&asking, cli, name, &index);
        status = answer(&asking, options, sql);
        tv_asking_release(&asking);
    }
    tv_index_release(&index);
    return status;
}

/* The statement is there before the trace is read. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct query_options *options = values;
    const char *name = arguments->of[0];
    const char *sql = arguments->count > 1 ? arguments->of[1] : NULL;
    struct tv_error err;
    struct tv_buffer given;
    int status = TV_STATUS_FINE;
    if (options->schema ? sql != NULL : sql == NULL)
        return tv_cli_misuse(cli, "query: it takes a statement of SQL, or --schema");
    if (options->csv && options->shared.json)
        return tv_cli_misuse(cli, "query: --csv and --json: the answer has one form");
    const bool is_given = sql && strcmp(sql, "-") == 0;
    if (is_given && strcmp(name, "-") == 0)
        return tv_cli_misuse(cli, "query: FILE and SQL cannot both be standard input");
    tv_buffer_init(&given, cli->alloc);
    if (is_given && read_standard_input(&given, &err) != TV_OK)
        status = tv_cli_fail(cli, "standard input", &err);
    if (status == TV_STATUS_FINE)
        status = run_on(cli, options, name,
                        is_given ? tv_buffer_view(&given) : tv_str_from(sql ? sql : schema_sql));
    tv_buffer_release(&given);
    return status;
}

static const struct tv_option option_table[] = {
    {.name = "schema",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct query_options, schema),
     .help = "the tables and views, their columns and units, in place of SQL"},
    {.name = "depth",
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct query_options, depth),
     .argument = "LEVELS",
     .help = "only so many levels of calls; 0 is all (0)",
     .most = UINT32_MAX,
     .group = TV_GROUP_PART},
    {.name = "csv",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct query_options, csv),
     .help = "the answer as CSV",
     .group = TV_GROUP_OUTPUT},
    {.name = "json",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct query_options, shared.json),
     .help = "the answer as JSON: an array with an object for each row",
     .group = TV_GROUP_OUTPUT},
    TV_PART_OPTIONS(struct query_options, TV_RANGE_END_OPTION(struct query_options)),
    TV_SET_OPTIONS(struct query_options),
};

const struct tv_verb tv_verb_query = {
    .name = "query",
    .summary = "SQL over the trace, or a part of it",
    .arguments = "FILE [SQL]",
    .argument_count = 2,
    .may_lack = 1,
    .uses_index = true,
    .prints_tables = true,
    .options = TV_OPTIONS(option_table),
    .values_len = TV_VALUES_LEN(struct query_options),
    .notes = "SQL is one statement that reads, in the words of SQLite; - is standard input.\n"
             "Tables and views are those of 'traceview export --to sqlite'.",
    .examples = {{"traceview query app.trace 'SELECT * FROM profile LIMIT 5'",
                  "the methods with the most exclusive time"},
                 {"traceview query app.trace --schema", "what can be asked for"}},
    .run = run,
};
