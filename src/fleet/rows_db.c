/*
 * Rows in SQLite; see fleet/rows_db.h, and fleet/rows_sql.h for the statements.
 *
 * A run is written in one transaction, so that a reader sees all of its rows or none. A method
 * stays as long as a run has it: names of a trace that was deleted are nowhere.
 */
#include "fleet/rows_db.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/memory/pool.h"
#include "fleet/rows_sql.h"

/* --- the database --- */

/* Makes the tables, in place of those of another version. Looks again under the lock: another
 * process may have made them meanwhile. */
static enum tv_code make_tables(struct tv_sql *sql, struct tv_error *err)
{
    int64_t version;
    char text[64];
    TV_TRY(tv_sql_ask(sql, "PRAGMA user_version", &version, err));
    if (version == TV_ROWS_SQL_VERSION)
        return TV_OK;
    (void)snprintf(text, sizeof(text), "PRAGMA user_version=%d", TV_ROWS_SQL_VERSION);
    TV_TRY(tv_sql_execute(sql, TV_ROWS_SQL_DROP_SCHEMA, err));
    TV_TRY(tv_sql_execute(sql, TV_ROWS_SQL_SCHEMA, err));
    return tv_sql_execute(sql, text, err);
}

static enum tv_code open_writer(struct tv_fleet_db *db, struct tv_error *err)
{
    int64_t version;
    db->writer.writes = true;
    TV_TRY(tv_sql_open(&db->writer, db->path, true, err));
    TV_TRY(tv_sql_turn_wal_on(&db->writer, err));
    TV_TRY(tv_sql_ask(&db->writer, "PRAGMA user_version", &version, err));
    if (version == TV_ROWS_SQL_VERSION)
        return TV_OK;
    TV_TRY(tv_sql_begin(&db->writer, err));
    return tv_sql_end(&db->writer, make_tables(&db->writer, err), err);
}

enum tv_code tv_fleet_db_open(struct tv_fleet_db *db, const char *path, struct tv_error *err)
{
    *db = (struct tv_fleet_db){.path = path};
    const enum tv_code code = open_writer(db, err);
    if (code != TV_OK)
        tv_fleet_db_close(db);
    return code;
}

void tv_fleet_db_close(struct tv_fleet_db *db)
{
    tv_sql_close(&db->writer);
    *db = (struct tv_fleet_db){.path = NULL};
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

static enum tv_code add_run(struct tv_sql *sql, const struct tv_fleet_run_key *key,
                            const char *index, const struct tv_trace_rows *rows, int64_t *id,
                            struct tv_error *err)
{
    bool has;
    return tv_sql_numbers(
        sql, tv_rows_sql_add_run,
        TV_SQL_VALUES(
            text_of(key->raw), text_of(key->trace), text_of(index), tv_sql_count(rows->calls),
            tv_sql_count(rows->total_ns[TV_CLOCK_WALL]), tv_sql_count(rows->total_ns[TV_CLOCK_CPU]),
            tv_sql_int(rows->clocks.lacks[TV_CLOCK_WALL]),
            tv_sql_int(rows->clocks.lacks[TV_CLOCK_CPU]), tv_sql_int(rows->clocks.has_idle_cpu),
            tv_sql_text(tv_str_from(rows->clocks.processor)),
            tv_sql_text(tv_str_from(rows->no_counts.code == TV_OK ? "" : rows->no_counts.text))),
        id, 1, &has, err);
}

static enum tv_code add_row(struct tv_sql *sql, int64_t run, int64_t method,
                            const struct tv_fleet_row *row, struct tv_error *err)
{
    const struct tv_numbers *numbers = &row->numbers.numbers;
    return tv_sql_run(
        sql, tv_rows_sql_add_row,
        TV_SQL_VALUES(tv_sql_int(run), tv_sql_int(method), tv_sql_int((int64_t)row->kind),
                      tv_sql_count(numbers->calls), tv_sql_count(row->numbers.recursive_calls),
                      tv_sql_count(numbers->inclusive_ns[TV_CLOCK_WALL]),
                      tv_sql_count(numbers->exclusive_ns[TV_CLOCK_WALL]),
                      tv_sql_count(numbers->inclusive_ns[TV_CLOCK_CPU]),
                      tv_sql_count(numbers->exclusive_ns[TV_CLOCK_CPU]),
                      tv_sql_count(row->slowest_ns), tv_sql_count(row->slowest_at_ns)),
        NULL, err);
}

/* A hash is kept as the signed number of the same bits. */
static enum tv_code add_context(struct tv_sql *sql, int64_t run, int64_t method,
                                const struct tv_fleet_context *context, struct tv_error *err)
{
    const struct tv_numbers *numbers = &context->numbers.numbers;
    return tv_sql_run(sql, tv_rows_sql_add_context,
                      TV_SQL_VALUES(tv_sql_int(run), tv_sql_int((int64_t)context->path),
                                    tv_sql_int((int64_t)context->parent), tv_sql_int(method),
                                    tv_sql_int(context->depth), tv_sql_int((int64_t)context->kind),
                                    tv_sql_count(numbers->calls),
                                    tv_sql_count(numbers->inclusive_ns[TV_CLOCK_WALL]),
                                    tv_sql_count(numbers->exclusive_ns[TV_CLOCK_WALL]),
                                    tv_sql_count(numbers->inclusive_ns[TV_CLOCK_CPU]),
                                    tv_sql_count(numbers->exclusive_ns[TV_CLOCK_CPU])),
                      NULL, err);
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
    for (size_t i = 0; i < rows->row_count; i++) {
        const struct tv_fleet_row *row = &rows->rows[i];
        TV_TRY(id_of(sql, &rows->methods[row->method], &ids[row->method], err));
        TV_TRY(add_row(sql, run, ids[row->method], row, err));
    }
    for (size_t i = 0; i < rows->context_count; i++) {
        const struct tv_fleet_context *context = &rows->contexts[i];
        TV_TRY(id_of(sql, &rows->methods[context->method], &ids[context->method], err));
        TV_TRY(add_context(sql, run, ids[context->method], context, err));
    }
    return TV_OK;
}

static enum tv_code put(struct tv_sql *sql, const struct tv_fleet_run_key *key, const char *index,
                        const struct tv_trace_rows *rows, int64_t *ids, struct tv_error *err)
{
    int64_t run;
    TV_TRY(drop(sql, key, err));
    TV_TRY(add_run(sql, key, index, rows, &run, err));
    return add_all(sql, run, rows, ids, err);
}

enum tv_code tv_fleet_db_put(struct tv_fleet_db *db, const struct tv_fleet_run_key *key,
                             const char *index, const struct tv_trace_rows *rows,
                             struct tv_error *err)
{
    int64_t *ids;
    TV_TRY(tv_alloc_new(rows->alloc, &ids, rows->method_count, sizeof(*ids), err));
    enum tv_code code = tv_sql_begin(&db->writer, err);
    if (code == TV_OK)
        code = tv_sql_end(&db->writer, put(&db->writer, key, index, rows, ids, err), err);
    tv_alloc_release(rows->alloc, &ids, rows->method_count, sizeof(*ids));
    return code;
}

enum tv_code tv_fleet_db_drop(struct tv_fleet_db *db, const struct tv_fleet_run_key *key,
                              struct tv_error *err)
{
    TV_TRY(tv_sql_begin(&db->writer, err));
    return tv_sql_end(&db->writer, drop(&db->writer, key, err), err);
}

/* --- reading --- */

static enum tv_code look(struct tv_fleet_reader *reader, const char *path, struct tv_error *err)
{
    struct stat status;
    int64_t version;
    if (stat(path, &status) != 0)
        return TV_OK;
    TV_TRY(tv_sql_open(&reader->sql, path, false, err));
    TV_TRY(tv_sql_execute(&reader->sql, "PRAGMA query_only=ON", err));
    TV_TRY(tv_sql_ask(&reader->sql, "PRAGMA user_version", &version, err));
    if (version != TV_ROWS_SQL_VERSION)
        return TV_OK;
    TV_TRY(tv_sql_begin(&reader->sql, err));
    reader->is_there = true;
    return TV_OK;
}

/* One transaction is one moment of the database, however many statements the question has. */
enum tv_code tv_fleet_reader_open(struct tv_fleet_reader *reader, const char *path,
                                  enum tv_fleet_reading how, const struct tv_alloc *alloc,
                                  struct tv_error *err)
{
    *reader = (struct tv_fleet_reader){.alloc = alloc};
    reader->sql.is_read_only = how == TV_FLEET_ARCHIVE;
    const enum tv_code code = look(reader, path, err);
    if (code != TV_OK)
        tv_fleet_reader_close(reader);
    return code;
}

void tv_fleet_reader_close(struct tv_fleet_reader *reader)
{
    /* Nothing was written, so there is nothing that could fail to be kept. */
    const enum tv_code code = reader->is_there ? tv_sql_end(&reader->sql, TV_OK, NULL) : TV_OK;
    (void)code;
    tv_sql_close(&reader->sql);
    *reader = (struct tv_fleet_reader){.alloc = reader->alloc};
}

static enum tv_code read_run(const struct tv_sql_statement *of, struct tv_arena *arena,
                             struct tv_fleet_run *run, struct tv_error *err)
{
    *run = (struct tv_fleet_run){
        .id = tv_sql_number(of, 0),
        .calls = (uint64_t)tv_sql_number(of, 3),
        .clocks = {.has_idle_cpu = tv_sql_number(of, 8) != 0},
    };
    tv_sql_copy(of, 1, run->raw, sizeof(run->raw));
    tv_sql_copy(of, 2, run->index, sizeof(run->index));
    run->total_ns[TV_CLOCK_WALL] = (uint64_t)tv_sql_number(of, 4);
    run->total_ns[TV_CLOCK_CPU] = (uint64_t)tv_sql_number(of, 5);
    run->clocks.lacks[TV_CLOCK_WALL] = tv_sql_number(of, 6) != 0;
    run->clocks.lacks[TV_CLOCK_CPU] = tv_sql_number(of, 7) != 0;
    tv_sql_copy(of, 9, run->clocks.processor, sizeof(run->clocks.processor));
    tv_sql_copy(of, 11, run->trace, sizeof(run->trace));
    return tv_sql_keep(of, 10, arena, &run->no_counts, err);
}

enum tv_code tv_fleet_find_run(struct tv_fleet_reader *reader, const struct tv_fleet_run_key *key,
                               struct tv_arena *arena, struct tv_fleet_run **run,
                               struct tv_error *err)
{
    const struct tv_sql_statement *of;
    bool has;
    *run = NULL;
    TV_TRY(tv_check_wanted(reader->is_unwanted, err));
    if (!reader->is_there)
        return TV_OK;
    TV_TRY(tv_sql_query(&reader->sql, tv_rows_sql_run_of_trace,
                        TV_SQL_VALUES(text_of(key->raw), text_of(key->trace)), &of, err));
    TV_TRY(tv_sql_next(&reader->sql, of, &has, err));
    if (!has)
        return TV_OK;
    enum tv_code code = tv_arena_take(arena, sizeof(**run), run, err);
    if (code == TV_OK)
        code = read_run(of, arena, *run, err);
    tv_sql_leave(of);
    return code;
}

enum tv_code tv_fleet_read_runs(struct tv_fleet_reader *reader, struct tv_arena *arena,
                                struct tv_fleet_run **runs, size_t *count, struct tv_error *err)
{
    static const struct tv_sql_value none[1];
    const struct tv_sql_statement *of;
    struct tv_fleet_run *all = NULL;
    int64_t room = 0;
    bool has = true;
    *runs = NULL;
    *count = 0;
    if (!reader->is_there)
        return TV_OK;
    TV_TRY(tv_sql_numbers(&reader->sql, tv_rows_sql_count_runs, none, 0, &room, 1, &has, err));
    if (!room)
        return TV_OK;
    TV_TRY(tv_arena_take(arena, (size_t)room * sizeof(*all), &all, err));
    TV_TRY(tv_sql_query(&reader->sql, tv_rows_sql_runs, none, 0, &of, err));
    for (;;) {
        TV_TRY(tv_sql_next(&reader->sql, of, &has, err));
        if (!has)
            break;
        if (*count < (size_t)room)
            TV_TRY(read_run(of, arena, &all[(*count)++], err));
    }
    *runs = all;
    return TV_OK;
}

static struct tv_fleet_read_row read_row(const struct tv_sql_statement *of)
{
    struct tv_fleet_read_row read = {.method = tv_sql_number(of, 0),
                                     .row = {.kind = (enum tv_thread_kind)tv_sql_number(of, 1),
                                             .slowest_ns = (uint64_t)tv_sql_number(of, 8),
                                             .slowest_at_ns = (uint64_t)tv_sql_number(of, 9)}};
    struct tv_numbers *numbers = &read.row.numbers.numbers;
    numbers->calls = (uint64_t)tv_sql_number(of, 2);
    read.row.numbers.recursive_calls = (uint64_t)tv_sql_number(of, 3);
    numbers->inclusive_ns[TV_CLOCK_WALL] = (uint64_t)tv_sql_number(of, 4);
    numbers->exclusive_ns[TV_CLOCK_WALL] = (uint64_t)tv_sql_number(of, 5);
    numbers->inclusive_ns[TV_CLOCK_CPU] = (uint64_t)tv_sql_number(of, 6);
    numbers->exclusive_ns[TV_CLOCK_CPU] = (uint64_t)tv_sql_number(of, 7);
    return read;
}

enum tv_code tv_fleet_read_rows(struct tv_fleet_reader *reader, int64_t run, int64_t method,
                                enum tv_code (*each)(void *ctx, const struct tv_fleet_read_row *row,
                                                     struct tv_error *err),
                                void *ctx, struct tv_error *err)
{
    const struct tv_sql_statement *of;
    bool has = true;
    const struct tv_sql_value values[] = {tv_sql_int(run), tv_sql_int(method)};
    TV_TRY(tv_check_wanted(reader->is_unwanted, err));
    TV_TRY(tv_sql_query(&reader->sql, method ? tv_rows_sql_rows_of_method : tv_rows_sql_rows,
                        values, method ? 2 : 1, &of, err));
    for (;;) {
        TV_TRY(tv_sql_next(&reader->sql, of, &has, err));
        if (!has)
            return TV_OK;
        const struct tv_fleet_read_row row = read_row(of);
        enum tv_code code = tv_check_wanted(reader->is_unwanted, err);
        if (code == TV_OK)
            code = each(ctx, &row, err);
        if (code != TV_OK) {
            tv_sql_leave(of);
            return code;
        }
    }
}

static enum tv_code no_method(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no trace that counts has this method");
}

enum tv_code tv_fleet_read_method(struct tv_fleet_reader *reader, int64_t method,
                                  struct tv_arena *arena, struct tv_fleet_method *names,
                                  struct tv_error *err)
{
    const struct tv_sql_statement *of;
    bool has;
    TV_TRY(tv_sql_query(&reader->sql, tv_rows_sql_method, TV_SQL_VALUES(tv_sql_int(method)), &of,
                        err));
    TV_TRY(tv_sql_next(&reader->sql, of, &has, err));
    if (!has)
        return no_method(err);
    enum tv_code code = tv_sql_keep(of, 0, arena, &names->class_name, err);
    if (code == TV_OK)
        code = tv_sql_keep(of, 1, arena, &names->name, err);
    if (code == TV_OK)
        code = tv_sql_keep(of, 2, arena, &names->signature, err);
    tv_sql_leave(of);
    return code;
}

enum tv_code tv_fleet_find_method(struct tv_fleet_reader *reader,
                                  const struct tv_fleet_method *names, int64_t *method,
                                  struct tv_error *err)
{
    bool has = false;
    if (reader->is_there)
        TV_TRY(
            tv_sql_numbers(&reader->sql, tv_rows_sql_find_method,
                           TV_SQL_VALUES(tv_sql_text(names->class_name), tv_sql_text(names->name),
                                         tv_sql_text(names->signature)),
                           method, 1, &has, err));
    return has ? TV_OK : no_method(err);
}
