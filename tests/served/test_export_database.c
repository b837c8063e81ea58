/* A database in a spool: what is written is a whole SQLite file, and a full disk is told as such.
 */
#include "served/export_database.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/memory/buffer.h"

#define OK(call) assert_int_equal((call), TV_OK)

/* A text that makes the file long. */
static char long_text[6000];
static const struct tv_str names[] = {{long_text, sizeof(long_text)}, {"", 0}};
static const struct tv_table table = {
    .name = "t",
    .columns = {{.name = "id", .type = TV_COLUMN_U32},
                {.name = "again", .type = TV_COLUMN_TEXT, .is_repeated = true},
                {.name = "time", .type = TV_COLUMN_I64, .may_be_absent = true},
                {.name = "open", .type = TV_COLUMN_TRUTH},
                {.name = "name", .type = TV_COLUMN_TEXT, .dictionary = {names, 2}}},
    .column_count = 5};

/* Adds rows first, first + 1, ... as far as one batch goes. */
static enum tv_code add_batch(const struct tv_database *database, int64_t first,
                              struct tv_error *err)
{
    static int64_t cells[5][TV_ROWS_LIMIT];
    struct tv_rows rows = {.len = TV_ROWS_LIMIT};
    for (size_t c = 0; c < 5; c++)
        rows.cells[c] = cells[c];
    for (int64_t i = 0; i < (int64_t)TV_ROWS_LIMIT; i++) {
        cells[0][i] = first + i;
        cells[2][i] = i % 3 ? -(first + i) : TV_ABSENT;
        cells[3][i] = i % 2;
        cells[4][i] = i % 2;
    }
    return database->add_rows(database->ctx, &table, &rows, err);
}

/* The only value that a query on the file gives. */
static int64_t ask(const struct tv_buffer *file, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(sqlite3_deserialize(db, "main", file->bytes, (sqlite3_int64)file->len,
                                         (sqlite3_int64)file->len, SQLITE_DESERIALIZE_READONLY),
                     SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return value;
}

static void write_database(struct tv_buffer *file, int64_t batches)
{
    struct tv_sqlite_database database;
    OK(tv_sqlite_database_open(&database, NULL));
    const struct tv_database *base = &database.base;
    OK(base->run(base->ctx,
                 "BEGIN; CREATE TABLE t(id INTEGER PRIMARY KEY, time INTEGER,"
                 " open INTEGER NOT NULL, name TEXT NOT NULL) STRICT",
                 NULL));
    OK(base->begin_rows(base->ctx, "INSERT INTO t VALUES(?, ?, ?, ?)", NULL));
    for (int64_t i = 0; i < batches; i++)
        OK(add_batch(base, i * TV_ROWS_LIMIT, NULL));
    OK(base->end_rows(base->ctx, NULL));
    OK(base->run(base->ctx, "COMMIT", NULL));
    OK(base->write(base->ctx, tv_buffer_sink(file), NULL));
    tv_sqlite_database_close(&database);
}

/* More than SQLite keeps in memory, so that pages go out and come back while it is made. */
static void the_file_is_whole_and_the_same_each_time(void **state)
{
    (void)state;
    enum { BATCHES = 8, ROWS = BATCHES * TV_ROWS_LIMIT };
    struct tv_buffer first, again;
    memset(long_text, 'n', sizeof(long_text));
    tv_buffer_init(&first, tv_alloc_libc());
    tv_buffer_init(&again, tv_alloc_libc());
    write_database(&first, BATCHES);
    write_database(&again, BATCHES);
    assert_true(first.len > (size_t)20 << 20);
    assert_int_equal(first.len, again.len);
    assert_memory_equal(first.bytes, again.bytes, first.len);
    assert_int_equal(ask(&first, "SELECT count(*) FROM t"), ROWS);
    assert_int_equal(ask(&first, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    assert_int_equal(ask(&first, "SELECT time FROM t WHERE id = 5000"), -5000);
    assert_int_equal(ask(&first, "SELECT count(*) FROM t WHERE time IS NULL"),
                     BATCHES * (TV_ROWS_LIMIT / 3 + 1));
    assert_int_equal(ask(&first, "SELECT count(*) FROM t WHERE length(name) = 6000 AND NOT open"),
                     ROWS / 2);
    tv_buffer_release(&first);
    tv_buffer_release(&again);
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    struct tv_sqlite_database database;
    struct tv_error err = {.code = TV_OK};
    int full = open("/dev/full", O_RDWR);
    OK(tv_sqlite_database_open(&database, NULL));
    assert_int_equal(dup2(full, database.spool.fd), database.spool.fd);
    const struct tv_database *base = &database.base;
    enum tv_code code = base->run(base->ctx, "CREATE TABLE t(id INTEGER PRIMARY KEY)", &err);
    assert_int_equal(code, TV_ERR_LIMIT);
    assert_int_equal(err.code, TV_ERR_LIMIT);
    assert_non_null(strstr(err.text, "no room"));
    tv_sqlite_database_close(&database);
    (void)close(full);
}

static void what_sqlite_refuses_is_told(void **state)
{
    (void)state;
    struct tv_sqlite_database database;
    struct tv_error err = {.code = TV_OK};
    OK(tv_sqlite_database_open(&database, NULL));
    const struct tv_database *base = &database.base;
    assert_int_equal(base->begin_rows(base->ctx, "INSERT INTO t VALUES(?)", &err), TV_ERR_SYSTEM);
    assert_non_null(strstr(err.text, "no such table: t"));
    tv_sqlite_database_close(&database); /* nothing was begun */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_is_whole_and_the_same_each_time),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(what_sqlite_refuses_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
