/*
 * Rows in SQLite; see fleet/rows_db.h, and fleet/rows_sql.h for the statements. Whatever is written
 * opens the database anew, so that it may be deleted while nothing is.
 *
 * A run is written in one transaction, so that a reader sees all of its rows or none. A method
 * stays as long as a run has it: names of a trace that was deleted are nowhere.
 */
#include "fleet/rows_engine.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/pool.h"
#include "base/units.h"
#include "fleet/rows_sql.h"
#include "fleet/rows_values.h"
#include "os/file/newest_files.h"
#include "os/file/paths.h"
#include "sqlite/sql.h"

/* A database of another version that nobody wrote for UNWRITTEN_S seconds is nobody's any more. */
#define UNWRITTEN_S (INT64_C(24) * 3600)

/* --- the database --- */

#define SCHEMA                                                                                     \
    TV_ROWS_SQL_SCHEMA("INTEGER PRIMARY KEY", "BIGINT NOT NULL", "TEXT NOT NULL", "TEXT NOT NULL", \
                       TV_ROWS_SQL_RUNS_KEY, ", UNIQUE(class, name, signature))",                  \
                       TV_ROWS_SQL_ROWS_KEY " WITHOUT ROWID",                                      \
                       TV_ROWS_SQL_CONTEXTS_KEY " WITHOUT ROWID")

/* Makes the tables. Looks again under the lock: another process may have made them meanwhile. */
static enum tv_code make_tables(struct tv_sql *sql, struct tv_error *err)
{
    int64_t version;
    char text[64];
    TV_TRY(tv_sql_ask(sql, "PRAGMA user_version", &version, err));
    if (version == TV_ROWS_VERSION)
        return TV_OK;
    (void)snprintf(text, sizeof(text), "PRAGMA user_version=%d", TV_ROWS_VERSION);
    TV_TRY(tv_sql_execute(sql, SCHEMA, err));
    return tv_sql_execute(sql, text, err);
}

static enum tv_code open_writer(struct tv_sql *sql, const char *path, struct tv_error *err)
{
    int64_t version;
    *sql = (struct tv_sql){.writes = true};
    TV_TRY(tv_sql_open(sql, path, true, err));
    TV_TRY(tv_sql_turn_wal_on(sql, err));
    TV_TRY(tv_sql_ask(sql, "PRAGMA user_version", &version, err));
    if (version == TV_ROWS_VERSION)
        return TV_OK;
    TV_TRY(tv_sql_begin(sql, err));
    return tv_sql_end(sql, make_tables(sql, err), err);
}

static void close_db(struct tv_fleet_db *db)
{
    (void)db;
}

/* --- writing --- */

static struct tv_sql_value text_of(const char *text)
{
    return tv_sql_text(tv_str_from(text));
}

static enum tv_code drop_run(struct tv_sql *sql, int64_t id, struct tv_error *err)
{
    static const char *const statements[] = {tv_rows_sql_leave_methods, tv_rows_sql_drop_methods,
                                             tv_rows_sql_drop_rows, tv_rows_sql_drop_contexts,
                                             tv_rows_sql_drop_run};
    for (size_t i = 0; i < TV_COUNT_OF(statements); i++)
        TV_TRY(tv_sql_run(sql, statements[i], TV_SQL_VALUES(tv_sql_int(id)), NULL, err));
    return TV_OK;
}

static enum tv_code drop(struct tv_sql *sql, const struct tv_fleet_run_key *key,
                         struct tv_error *err)
{
    const struct tv_sql_value values[] = {text_of(key->raw), text_of(key->trace ? key->trace : "")};
    bool has = true;
    while (has) {
        int64_t id;
        TV_TRY(tv_sql_numbers(sql, key->trace ? tv_rows_sql_find_run : tv_rows_sql_any_run, values,
                              key->trace ? 2 : 1, &id, 1, &has, err));
        if (has)
            TV_TRY(drop_run(sql, id, err));
    }
    return TV_OK;
}

/* The id of a method of the run, which is added when the first row of it comes. */
static enum tv_code id_of(struct tv_sql *sql, const struct tv_fleet_method *method, int64_t *id,
                          struct tv_error *err)
{
    bool has;
    if (*id)
        return TV_OK;
    return tv_sql_numbers(sql, tv_rows_sql_add_method,
                          TV_SQL_VALUES(tv_sql_text(method->class_name), tv_sql_text(method->name),
                                        tv_sql_text(method->signature)),
                          id, 1, &has, err);
}

static enum tv_code add_all(struct tv_sql *sql, int64_t run, const struct tv_trace_rows *rows,
                            int64_t *ids, struct tv_error *err)
{
    struct tv_sql_value values[TV_ROWS_VALUES];
    for (size_t i = 0; i < rows->row_count; i++) {
        const struct tv_fleet_row *row = &rows->rows[i];
        TV_TRY(id_of(sql, &rows->methods[row->method], &ids[row->method], err));
        tv_rows_row_values(values, run, ids[row->method], row);
        TV_TRY(tv_sql_run(sql, tv_rows_sql_add_row, values, TV_ROWS_VALUES, NULL, err));
    }
    for (size_t i = 0; i < rows->context_count; i++) {
        const struct tv_fleet_context *context = &rows->contexts[i];
        TV_TRY(id_of(sql, &rows->methods[context->method], &ids[context->method], err));
        tv_rows_context_values(values, run, ids[context->method], context);
        TV_TRY(tv_sql_run(sql, tv_rows_sql_add_context, values, TV_ROWS_CONTEXT_VALUES, NULL, err));
    }
    return TV_OK;
}

static enum tv_code put(struct tv_sql *sql, const struct tv_fleet_run_key *key, const char *index,
                        const struct tv_trace_rows *rows, int64_t *ids, struct tv_error *err)
{
    struct tv_sql_value values[TV_ROWS_RUN_VALUES];
    int64_t run;
    bool has;
    TV_TRY(drop(sql, key, err));
    tv_rows_run_values(values, key, index, rows);
    TV_TRY(
        tv_sql_numbers(sql, tv_rows_sql_add_run, values, TV_ROWS_RUN_VALUES, &run, 1, &has, err));
    return add_all(sql, run, rows, ids, err);
}

static enum tv_code put_run(const struct tv_fleet_db *db, const struct tv_fleet_run_key *key,
                            const char *index, const struct tv_trace_rows *rows,
                            struct tv_error *err)
{
    struct tv_sql sql;
    int64_t *ids;
    TV_TRY(tv_alloc_new(rows->alloc, &ids, rows->method_count, sizeof(*ids), err));
    enum tv_code code = open_writer(&sql, db->path, err);
    if (code == TV_OK)
        code = tv_sql_begin(&sql, err);
    if (code == TV_OK)
        code = tv_sql_end(&sql, put(&sql, key, index, rows, ids, err), err);
    tv_sql_close(&sql);
    tv_alloc_release(rows->alloc, &ids, rows->method_count, sizeof(*ids));
    return code;
}

/* Each by itself, so that others may write meanwhile. */
static enum tv_code drop_runs(const struct tv_fleet_db *db, const struct tv_fleet_run_key *keys,
                              size_t count, struct tv_error *err)
{
    struct tv_sql sql;
    enum tv_code code = open_writer(&sql, db->path, err);
    for (size_t i = 0; code == TV_OK && i < count; i++) {
        code = tv_sql_begin(&sql, err);
        if (code == TV_OK)
            code = tv_sql_end(&sql, drop(&sql, &keys[i], err), err);
    }
    tv_sql_close(&sql);
    return code;
}

/* --- reading --- */

struct reading {
    struct tv_sql sql;
    bool is_in_transaction;
};

/* One transaction is one moment of the database, however many statements the question has. */
static enum tv_code look(struct reading *reading, const char *path, bool *is_there,
                         struct tv_error *err)
{
    int64_t version;
    *is_there = false;
    TV_TRY(tv_sql_open(&reading->sql, path, false, err));
    TV_TRY(tv_sql_execute(&reading->sql, "PRAGMA query_only=ON", err));
    TV_TRY(tv_sql_ask(&reading->sql, "PRAGMA user_version", &version, err));
    if (version != TV_ROWS_VERSION)
        return TV_OK;
    TV_TRY(tv_sql_begin(&reading->sql, err));
    *is_there = reading->is_in_transaction = true;
    return TV_OK;
}

static void close_reader(struct tv_fleet_reader *reader)
{
    struct reading *reading = reader->ctx;
    if (!reading)
        return;
    /* Nothing was written, so there is nothing that could fail to be kept. */
    const enum tv_code code =
        reading->is_in_transaction ? tv_sql_end(&reading->sql, TV_OK, NULL) : TV_OK;
    (void)code;
    tv_sql_close(&reading->sql);
    tv_alloc_release(reader->alloc, &reading, 1, sizeof(*reading));
    reader->ctx = NULL;
}

static enum tv_code open_reader(struct tv_fleet_reader *reader, struct tv_error *err)
{
    struct stat status;
    struct reading *reading;
    bool is_there;
    if (stat(reader->db->path, &status) != 0)
        return TV_OK;
    TV_TRY(tv_alloc_new(reader->alloc, &reading, 1, sizeof(*reading), err));
    reader->ctx = reading;
    reading->sql.is_read_only = reader->db->is_read_only;
    TV_TRY(look(reading, reader->db->path, &is_there, err));
    if (!is_there)
        close_reader(reader);
    return TV_OK;
}

static struct tv_sql *sql_of(const struct tv_fleet_reader *reader)
{
    struct reading *reading = reader->ctx;
    return &reading->sql;
}

static int64_t number_of(const void *ctx, size_t row, int column)
{
    (void)row;
    return tv_sql_number(ctx, column);
}

static enum tv_code keep(const void *ctx, size_t row, int column, struct tv_arena *arena,
                         struct tv_str *text, struct tv_error *err)
{
    (void)row;
    return tv_sql_keep(ctx, column, arena, text, err);
}

static struct tv_rows_cells cells_of(const struct tv_sql_statement *of)
{
    return (struct tv_rows_cells){.ctx = of, .number = number_of, .keep = keep};
}

/* Of at most two runs, that of the trace and that of the raw file, the first. */
static enum tv_code find_run(struct tv_sql *sql, const struct tv_fleet_run_key *key,
                             struct tv_arena *arena, struct tv_fleet_run **run,
                             struct tv_error *err)
{
    const struct tv_sql_statement *of;
    bool has = true;
    TV_TRY(tv_sql_query(sql, tv_rows_sql_runs_of_traces,
                        TV_SQL_VALUES(text_of(key->raw), text_of(key->trace)), &of, err));
    for (;;) {
        TV_TRY(tv_sql_next(sql, of, &has, err));
        if (!has)
            return TV_OK;
        const struct tv_rows_cells cells = cells_of(of);
        enum tv_code code = *run ? TV_OK : tv_arena_take(arena, sizeof(**run), run, err);
        if (code == TV_OK && (!(*run)->id || !(*run)->trace[0]))
            code = tv_rows_read_run(&cells, arena, *run, err);
        if (code != TV_OK) {
            tv_sql_leave(of);
            return code;
        }
    }
}

static enum tv_code find_runs(struct tv_fleet_reader *reader, const struct tv_fleet_run_key *keys,
                              size_t count, struct tv_arena *arena, struct tv_fleet_run **runs,
                              struct tv_error *err)
{
    for (size_t i = 0; i < count; i++) {
        TV_TRY(tv_check_wanted(reader->is_unwanted, err));
        TV_TRY(find_run(sql_of(reader), &keys[i], arena, &runs[i], err));
    }
    return TV_OK;
}

static enum tv_code read_runs(struct tv_fleet_reader *reader, struct tv_arena *arena,
                              struct tv_fleet_run **runs, size_t *count, struct tv_error *err)
{
    static const struct tv_sql_value none[1];
    const struct tv_sql_statement *of;
    struct tv_sql *sql = sql_of(reader);
    struct tv_fleet_run *all = NULL;
    int64_t room = 0;
    bool has = true;
    TV_TRY(tv_sql_numbers(sql, tv_rows_sql_count_runs, none, 0, &room, 1, &has, err));
    if (!room)
        return TV_OK;
    TV_TRY(tv_arena_take(arena, (size_t)room * sizeof(*all), &all, err));
    TV_TRY(tv_sql_query(sql, tv_rows_sql_runs, none, 0, &of, err));
    for (;;) {
        TV_TRY(tv_sql_next(sql, of, &has, err));
        if (!has)
            break;
        const struct tv_rows_cells cells = cells_of(of);
        if (*count < (size_t)room)
            TV_TRY(tv_rows_read_run(&cells, arena, &all[(*count)++], err));
    }
    *runs = all;
    return TV_OK;
}

static enum tv_code read_rows_of(struct tv_fleet_reader *reader,
                                 const struct tv_fleet_wanted *wanted, size_t place,
                                 tv_fleet_each *each, void *ctx, struct tv_error *err)
{
    const enum tv_rows_columns columns = tv_rows_columns(wanted);
    const struct tv_sql_statement *of;
    struct tv_sql *sql = sql_of(reader);
    bool has = true;
    const struct tv_sql_value values[] = {tv_sql_int(wanted->runs[place]->id),
                                          tv_sql_int(wanted->method)};
    const char *const *statements = wanted->method ? tv_rows_sql_rows_of_method : tv_rows_sql_rows;
    TV_TRY(tv_sql_query(sql, statements[columns], values, wanted->method ? 2 : 1, &of, err));
    for (;;) {
        TV_TRY(tv_sql_next(sql, of, &has, err));
        if (!has)
            return TV_OK;
        const struct tv_rows_cells cells = cells_of(of);
        const struct tv_fleet_read_row row = tv_rows_read_row(&cells, columns, place);
        enum tv_code code = tv_check_wanted(reader->is_unwanted, err);
        if (code == TV_OK)
            code = each(ctx, &row, err);
        if (code != TV_OK) {
            tv_sql_leave(of);
            return code;
        }
    }
}

static enum tv_code read_rows(struct tv_fleet_reader *reader, const struct tv_fleet_wanted *wanted,
                              tv_fleet_each *each, void *ctx, struct tv_error *err)
{
    for (size_t i = 0; i < wanted->count; i++)
        TV_TRY(read_rows_of(reader, wanted, i, each, ctx, err));
    return TV_OK;
}

static enum tv_code read_method(struct tv_fleet_reader *reader, int64_t method,
                                struct tv_arena *arena, struct tv_fleet_method *names, bool *has,
                                struct tv_error *err)
{
    const struct tv_sql_statement *of;
    struct tv_sql *sql = sql_of(reader);
    TV_TRY(tv_sql_query(sql, tv_rows_sql_methods, TV_SQL_VALUES(tv_sql_int(method)), &of, err));
    TV_TRY(tv_sql_next(sql, of, has, err));
    if (!*has)
        return TV_OK;
    const struct tv_rows_cells cells = cells_of(of);
    const enum tv_code code = tv_rows_read_names(&cells, arena, names, err);
    tv_sql_leave(of);
    return code;
}

static enum tv_code find_method(struct tv_fleet_reader *reader, const struct tv_fleet_method *names,
                                int64_t *method, bool *has, struct tv_error *err)
{
    return tv_sql_numbers(sql_of(reader), tv_rows_sql_find_method,
                          TV_SQL_VALUES(tv_sql_text(names->class_name), tv_sql_text(names->name),
                                        tv_sql_text(names->signature)),
                          method, 1, has, err);
}

/* --- databases of other versions --- */

/* "rows.sqlite", as programs named it before indexes had a part in the version, or with another
 * version in it. */
static bool is_of_another(const char *name, const char *own)
{
    const struct tv_str text = tv_str_from(name);
    return tv_str_starts_with(text, TV_STR("rows")) && tv_str_ends_with(text, TV_STR(".sqlite")) &&
           (name[4] == '.' || name[4] == '_') && strcmp(name, own) != 0;
}

/* When it was written last: what was not brought into the file yet lies beside it. */
static int64_t last_written_s(const struct tv_newest_files *files,
                              const struct tv_newest_file *database)
{
    char journal[sizeof(database->name) + 8];
    int64_t last_ns = database->changed_ns;
    (void)snprintf(journal, sizeof(journal), "%s-wal", database->name);
    for (size_t i = 0; i < files->count; i++) {
        if (strcmp(files->of[i].name, journal) == 0 && files->of[i].changed_ns > last_ns)
            last_ns = files->of[i].changed_ns;
    }
    return last_ns / (int64_t)TV_NS_PER_S;
}

static void remove_database(const char *folder, const char *name)
{
    static const char *const ends[] = {"-wal", "-shm", ""};
    char path[TV_PATH_CAP + 300];
    for (size_t i = 0; i < TV_COUNT_OF(ends); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s%s", folder, name, ends[i]);
        (void)unlink(path);
    }
}

/* What cannot be looked at or removed stays: nothing reads it. */
static void remove_others(const struct tv_fleet_db *db, int64_t now)
{
    char folder[TV_PATH_CAP];
    struct tv_newest_files *files;
    const char *slash = strrchr(db->path, '/');
    if (!slash || tv_alloc_new(db->alloc, &files, 1, sizeof(*files), NULL) != TV_OK)
        return;
    (void)snprintf(folder, sizeof(folder), "%.*s", (int)(slash - db->path), db->path);
    enum tv_code code = tv_newest_files_find(files, folder, NULL);
    for (size_t i = 0; code == TV_OK && i < files->count; i++) {
        if (is_of_another(files->of[i].name, slash + 1) &&
            last_written_s(files, &files->of[i]) < now - UNWRITTEN_S)
            remove_database(folder, files->of[i].name);
    }
    tv_alloc_release(db->alloc, &files, 1, sizeof(*files));
}

const struct tv_rows_engine tv_rows_in_sqlite = {
    .close = close_db,
    .put = put_run,
    .drop = drop_runs,
    .remove_others = remove_others,
    .open_reader = open_reader,
    .close_reader = close_reader,
    .find_runs = find_runs,
    .read_runs = read_runs,
    .read_rows = read_rows,
    .read_method = read_method,
    .find_method = find_method,
};
