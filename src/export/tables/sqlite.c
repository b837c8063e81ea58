/*
 * A trace as an SQLite database: all its tables, its properties and findings, and views for what
 * people ask first. docs/export.md lists them.
 *
 * Tables are STRICT, and a name stands in one table alone: in `methods`, or in `threads`.
 */
#include "analysis/selection/range.h"
#include "base/finding.h"
#include "export/export_context.h"
#include "export/formats.h"
#include "export/tables/database.h"
#include "export/tables/text_set.h"
#include "export/tables/trace_tables.h"

#include <string.h>

/* SQL text; the first failure sticks. */
struct sql {
    struct tv_buffer text;
    enum tv_code code;
    struct tv_error error;
};

static void add(struct sql *sql, const char *text)
{
    if (sql->code == TV_OK)
        sql->code = tv_buffer_append(&sql->text, text, strlen(text), &sql->error);
}

/* A failure while the text was put together is kept until here, so that the functions that add
 * words need not be checked one by one. */
static enum tv_code run(struct sql *sql, const struct tv_database *database, struct tv_error *err)
{
    if (sql->code == TV_OK)
        sql->code = tv_buffer_append(&sql->text, "", 1, &sql->error);
    if (sql->code != TV_OK) {
        *err = sql->error;
        return sql->code;
    }
    return database->run(database->ctx, (const char *)sql->text.bytes, err);
}

static void sql_init(struct sql *sql, const struct tv_alloc *alloc)
{
    *sql = (struct sql){.code = TV_OK};
    tv_buffer_init(&sql->text, alloc);
}

/* Tables */

static const char *type_of(const struct tv_column *column)
{
    return column->type == TV_COLUMN_TEXT ? " TEXT" : " INTEGER";
}

/* "CREATE TABLE ...": the first column is the key unless its texts may be there twice. */
static void add_create(struct sql *sql, const struct tv_table *table)
{
    add(sql, "CREATE TABLE ");
    add(sql, table->name);
    for (size_t c = 0; c < table->column_count; c++) {
        const struct tv_column *column = &table->columns[c];
        if (column->is_repeated)
            continue;
        add(sql, c ? ", " : "(");
        add(sql, column->name);
        add(sql, type_of(column));
        if (c == 0 && column->type != TV_COLUMN_TEXT)
            add(sql, " PRIMARY KEY");
        else if (!column->may_be_absent)
            add(sql, " NOT NULL");
    }
    add(sql, ") STRICT;");
}

/* Parameters stand in the order of the columns. A column whose values another table has too
 * (is_repeated) is left out of the database. */
static void add_insert(struct sql *sql, const struct tv_table *table)
{
    add(sql, "INSERT INTO ");
    add(sql, table->name);
    for (size_t c = 0; c < table->column_count; c++) {
        if (!table->columns[c].is_repeated)
            add(sql, c ? ", ?" : " VALUES(?");
    }
    add(sql, ")");
}

struct inserting {
    const struct tv_table *table;
    struct tv_table_target target;
};

/* The INSERT is prepared by the database's begin_rows, which takes its text as `run` does. */
static enum tv_code begin_insert(const struct tv_table *table, const struct tv_table_target *target,
                                 struct tv_error *err)
{
    struct tv_database insert = *target->database;
    struct sql sql;
    sql_init(&sql, target->alloc);
    add_insert(&sql, table);
    insert.run = insert.begin_rows;
    enum tv_code code = run(&sql, &insert, err);
    tv_buffer_release(&sql.text);
    return code;
}

static void release(void *state)
{
    struct inserting *inserting = state;
    if (!inserting)
        return;
    /* After a failure, of which the first error tells. */
    (void)inserting->target.database->end_rows(inserting->target.database->ctx, NULL);
    tv_alloc_release(inserting->target.alloc, &inserting, 1, sizeof(*inserting));
}

static enum tv_code begin(const struct tv_table *table, const struct tv_table_target *target,
                          void **state, struct tv_error *err)
{
    struct inserting *inserting;
    *state = NULL;
    TV_TRY(tv_alloc_new(target->alloc, &inserting, 1, sizeof(*inserting), err));
    inserting->table = table;
    inserting->target = *target;
    *state = inserting;
    return begin_insert(table, target, err);
}

static enum tv_code take(void *state, const struct tv_rows *rows, struct tv_error *err)
{
    const struct inserting *inserting = state;
    const struct tv_database *database = inserting->target.database;
    return database->add_rows(database->ctx, inserting->table, rows, err);
}

static enum tv_code finish(void *state, struct tv_error *err)
{
    const struct inserting *inserting = state;
    return inserting->target.database->end_rows(inserting->target.database->ctx, err);
}

static const struct tv_table_form into_database = {
    .begin = begin, .take = take, .finish = finish, .release = release};

/* Properties and findings */

/* A table of few rows, which are put together one by one. */
struct small_table {
    struct tv_table table;
    struct tv_text_set texts;
    int64_t cells[TV_COLUMN_LIMIT][TV_ROWS_LIMIT];
    size_t len;
};

static enum tv_code put_text(struct small_table *small, size_t column, struct tv_str text,
                             struct tv_error *err)
{
    uint32_t entry;
    TV_TRY(tv_text_set_add(&small->texts, text, &entry, err));
    small->cells[column][small->len] = entry;
    return TV_OK;
}

static void give_columns(struct small_table *small, struct tv_rows *rows)
{
    rows->len = small->len;
    for (size_t c = 0; c < small->table.column_count; c++) {
        rows->cells[c] = small->cells[c];
        small->table.columns[c].dictionary = tv_text_set_view(&small->texts);
    }
    small->len = 0;
}

/* The small tables go the way of the large ones, batch by batch, so that there is one way into the
 * database. */
static enum tv_code put_properties(struct small_table *small,
                                   const struct tv_export_context *context, void *state,
                                   struct tv_error *err)
{
    struct tv_rows rows;
    for (uint32_t i = 0; i < context->names.property_count; i++) {
        const struct tv_export_property *property = &context->names.properties[i];
        TV_TRY(put_text(small, 0, property->key, err));
        TV_TRY(put_text(small, 1, property->value, err));
        if (++small->len < TV_ROWS_LIMIT)
            continue;
        give_columns(small, &rows);
        TV_TRY(take(state, &rows, err));
    }
    give_columns(small, &rows);
    return rows.len ? take(state, &rows, err) : TV_OK;
}

/* Only kinds that were met; at most one row for each, so they fit one batch. */
static enum tv_code put_findings(struct small_table *small, const struct tv_export_context *context,
                                 void *state, struct tv_error *err)
{
    struct tv_rows rows;
    for (unsigned i = 0; i < TV_FINDING_KIND_COUNT; i++) {
        enum tv_finding_kind kind = (enum tv_finding_kind)i;
        const struct tv_finding *finding = &context->index->info->findings.of[i];
        if (!finding->count)
            continue;
        TV_TRY(put_text(small, 0, tv_str_from(tv_finding_name(kind)), err));
        TV_TRY(put_text(small, 1, tv_str_from(tv_severity_name(tv_finding_severity(kind))), err));
        TV_TRY(put_text(small, 4, tv_str_from(tv_finding_text(kind)), err));
        small->cells[2][small->len] =
            finding->count > INT64_MAX ? INT64_MAX : (int64_t)finding->count;
        small->cells[3][small->len] =
            finding->offset == TV_NO_OFFSET ? TV_ABSENT : (int64_t)finding->offset;
        small->len++;
    }
    give_columns(small, &rows);
    return rows.len ? take(state, &rows, err) : TV_OK;
}

/* A kind of small table: its columns, and what writes its rows. */
struct small_kind {
    const char *name;
    struct tv_column columns[5];
    size_t column_count;
    enum tv_code (*put)(struct small_table *small, const struct tv_export_context *context,
                        void *state, struct tv_error *err);
};

static const struct small_kind small_kinds[] = {
    {"properties",
     {{.name = "key", .type = TV_COLUMN_TEXT}, {.name = "value", .type = TV_COLUMN_TEXT}},
     2,
     put_properties},
    {"findings",
     {{.name = "kind", .type = TV_COLUMN_TEXT},
      {.name = "severity", .type = TV_COLUMN_TEXT},
      {.name = "count", .type = TV_COLUMN_I64},
      {.name = "offset", .type = TV_COLUMN_I64, .may_be_absent = true},
      {.name = "text", .type = TV_COLUMN_TEXT}},
     5,
     put_findings},
};

static struct tv_table table_of(const struct small_kind *kind)
{
    struct tv_table table = {.name = kind->name, .column_count = kind->column_count};
    memcpy(table.columns, kind->columns, sizeof(kind->columns));
    return table;
}

/* Properties and findings are no tables of calls, so they have columns and rows of their own; they
 * go through the same writer as all other tables. */
static enum tv_code write_small(const struct tv_export_context *context,
                                const struct small_kind *kind, const struct tv_table_target *target,
                                struct tv_error *err)
{
    struct small_table *small;
    void *state = NULL;
    TV_TRY(tv_alloc_new(target->alloc, &small, 1, sizeof(*small), err));
    tv_text_set_init(&small->texts, target->alloc);
    small->table = table_of(kind);
    enum tv_code code = begin(&small->table, target, &state, err);
    if (code == TV_OK)
        code = kind->put(small, context, state, err);
    if (code == TV_OK)
        code = finish(state, err);
    release(state);
    tv_text_set_release(&small->texts);
    tv_alloc_release(target->alloc, &small, 1, sizeof(*small));
    return code;
}

/* Views */

/* Adds a text for each clock of the trace, with "wall" or "cpu" for each @. */
static void add_clocks(struct sql *sql, const struct tv_index *index, const char *text)
{
    static const char *const words[TV_CLOCK_COUNT] = {"wall", "cpu"};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!index->info->has_clock[clock])
            continue;
        for (const char *at = text; *at; at++) {
            char letter[2] = {*at, '\0'};
            add(sql, *at == '@' ? words[clock] : letter);
        }
    }
}

/* The profile as `top` prints it, and that of each thread. */
static void add_profiles(struct sql *sql, const struct tv_index *index)
{
    const char *default_clock = tv_index_default_clock(index) == TV_CLOCK_WALL ? "wall" : "cpu";
    bool has_clock = index->info->has_clock[TV_CLOCK_WALL] || index->info->has_clock[TV_CLOCK_CPU];
    add(sql, "CREATE VIEW profile AS SELECT rank, method, calls, recursive_calls");
    add_clocks(sql, index,
               ", exclusive_@_ns / 1e6 AS exclusive_@_ms, inclusive_@_ns / 1e6 AS inclusive_@_ms");
    add(sql, " FROM methods");
    if (has_clock) {
        add(sql, " ORDER BY exclusive_");
        add(sql, default_clock);
        add(sql, "_ns DESC, rank");
    }
    add(sql, ";CREATE VIEW thread_profile AS SELECT n.thread_id, t.thread, n.rank, m.method,"
             " sum(n.calls * (1 - n.recursive)) AS calls,"
             " sum(n.calls * n.recursive) AS recursive_calls");
    add_clocks(sql, index,
               ", sum(n.exclusive_@_ns) AS exclusive_@_ns"
               ", sum(n.inclusive_@_ns * (1 - n.recursive)) AS inclusive_@_ns");
    add(sql, " FROM nodes n JOIN threads t USING (thread_id) JOIN methods m USING (rank)"
             " GROUP BY n.thread_id, n.rank;");
}

/* The view joins what the tables of calls hold as numbers, for whoever asks by hand. @ stands for
 * each clock that the trace has. */
static void add_named_calls(struct sql *sql, const struct tv_index *index)
{
    add(sql, "CREATE VIEW named_calls AS SELECT c.call, c.caller, t.thread, c.depth, m.class,"
             " m.method");
    if (index->info->has_clock[TV_CLOCK_WALL] || index->info->has_clock[TV_CLOCK_CPU])
        add(sql, ", c.start_ns");
    add_clocks(sql, index, ", c.@_ns, c.exclusive_@_ns");
    add(sql, ", c.recursive, c.adopted, c.open_at_end, c.cut FROM calls c"
             " JOIN threads t USING (thread_id) JOIN methods m USING (rank);");
}

/* Callers and callees in the groups of docs/numbers.md: those of outermost and of recursive calls
 * are apart. */
static void add_relations(struct sql *sql, const struct tv_index *index)
{
    add(sql, "CREATE VIEW callers AS SELECT m.method, n.recursive, c.method AS caller,"
             " sum(n.calls) AS calls");
    add_clocks(sql, index, ", sum(n.inclusive_@_ns) AS inclusive_@_ns");
    add(sql, " FROM nodes n JOIN nodes p ON p.node = n.parent JOIN methods m ON m.rank = n.rank"
             " JOIN methods c ON c.rank = p.rank GROUP BY n.rank, n.recursive, p.rank;"
             "CREATE VIEW callees AS SELECT m.method, p.recursive, c.method AS callee,"
             " sum(n.calls) AS calls");
    add_clocks(sql, index, ", sum(n.inclusive_@_ns) AS inclusive_@_ns");
    add(sql, " FROM nodes n JOIN nodes p ON p.node = n.parent JOIN methods m ON m.rank = p.rank"
             " JOIN methods c ON c.rank = n.rank GROUP BY p.rank, p.recursive, n.rank");
}

/* Makes all tables, and behind them the views that name them, before the first row: so whoever runs
 * the database can look at a question and tell whose rows it needs. */
static enum tv_code create_all(const struct tv_export_context *context,
                               const struct tv_database *database, struct tv_error *err)
{
    struct sql sql;
    sql_init(&sql, context->alloc);
    for (size_t i = 0; i < TV_COUNT_OF(small_kinds); i++) {
        const struct tv_table table = table_of(&small_kinds[i]);
        add_create(&sql, &table);
    }
    for (unsigned which = 0; tv_export_table_words[which]; which++) {
        struct tv_table table;
        tv_trace_table_describe(context->index, (enum tv_export_table)which, &table);
        add_create(&sql, &table);
    }
    add_profiles(&sql, context->index);
    add_named_calls(&sql, context->index);
    add_relations(&sql, context->index);
    enum tv_code code = run(&sql, database, err);
    tv_buffer_release(&sql.text);
    return code;
}

static enum tv_code is_wanted(const struct tv_database *database, const char *table, bool *wants,
                              struct tv_error *err)
{
    *wants = true;
    return database->wants ? database->wants(database->ctx, table, wants, err) : TV_OK;
}

static enum tv_code write_rows(struct tv_export_context *context,
                               const struct tv_table_target *target, struct tv_error *err)
{
    bool wants;
    for (size_t i = 0; i < TV_COUNT_OF(small_kinds); i++) {
        TV_TRY(is_wanted(target->database, small_kinds[i].name, &wants, err));
        if (wants)
            TV_TRY(write_small(context, &small_kinds[i], target, err));
    }
    for (unsigned table = 0; tv_export_table_words[table]; table++) {
        TV_TRY(is_wanted(target->database, tv_export_table_words[table], &wants, err));
        if (wants)
            TV_TRY(tv_trace_table_write(context, (enum tv_export_table)table, &into_database,
                                        target, err));
    }
    return TV_OK;
}

/* All rows and views are one transaction; the finished database then goes to the sink. */
static enum tv_code write_sqlite(struct tv_export_context *context, struct tv_error *err)
{
    const struct tv_database *database = context->opts->database;
    const struct tv_table_target target = {.alloc = context->alloc, .database = database};
    if (!database)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "this traceview was built without SQLite");
    TV_TRY(database->run(database->ctx, "BEGIN", err));
    TV_TRY(create_all(context, database, err));
    TV_TRY(write_rows(context, &target, err));
    TV_TRY(database->run(database->ctx, "COMMIT", err));
    return database->write(database->ctx, context->out.sink, err);
}

const struct tv_export tv_export_sqlite = {
    .name = "sqlite",
    .suffix = ".sqlite",
    .media_type = "application/vnd.sqlite3",
    .summary = "all tables and views as an SQLite database: every language",
    .needs_database = true,
    .held_names = TV_HELD_UTF8_WITHOUT_NUL,
    .names_files = true,
    .write = write_sqlite,
};
