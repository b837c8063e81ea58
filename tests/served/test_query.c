/* SQL over a trace: what a statement reads is there, and it can do nothing but read. */
#include "served/query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "indexed.h"
#include "support/failing_alloc.h"

/* Rows as text: cells between bars, rows between line ends. */
struct written {
    char text[2000];
    size_t len;
    size_t columns;
    size_t rows;
    size_t rows_most; /* the next one fails */
};

static void put(struct written *written, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int len = vsnprintf(written->text + written->len, sizeof(written->text) - written->len,
                              format, arguments);
    va_end(arguments);
    if (len > 0 && written->len + (size_t)len < sizeof(written->text))
        written->len += (size_t)len;
}

static enum tv_code begin(void *ctx, const char *const *names, size_t count, struct tv_error *err)
{
    struct written *written = ctx;
    (void)err;
    written->columns = count;
    for (size_t c = 0; c < count; c++)
        put(written, c ? "|%s" : "%s", names[c]);
    put(written, "\n");
    return TV_OK;
}

static enum tv_code take(void *ctx, const struct tv_sql_cell *cells, struct tv_error *err)
{
    static const char *const kinds[] = {"null", "int", "real", "text", "blob"};
    struct written *written = ctx;
    if (written->rows++ == written->rows_most)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no more");
    for (size_t c = 0; c < written->columns; c++) {
        put(written, c ? "|%s" : "%s", kinds[cells[c].kind]);
        if (cells[c].kind == TV_CELL_OF_INT)
            put(written, " %lld", (long long)cells[c].number);
        else if (cells[c].kind == TV_CELL_OF_BLOB)
            put(written, " %zu", cells[c].text.len);
        else if (cells[c].kind != TV_CELL_OF_NULL)
            put(written, " %.*s", (int)cells[c].text.len, cells[c].text.at);
    }
    put(written, "\n");
    return TV_OK;
}

static enum tv_code ask_with(const struct tv_alloc *alloc, struct tv_str sql,
                             struct written *written, struct tv_error *err)
{
    struct indexed indexed;
    struct tv_export_opts opts = {.levels = 0};
    struct tv_export_result result;
    const struct tv_sql_rows rows = {begin, take, written};
    indexed_init(&indexed);
    enum tv_code code = tv_query_run(&indexed.index, &opts, sql, &rows, alloc, NULL, &result, err);
    assert_null(opts.database);
    indexed_release(&indexed);
    return code;
}

static enum tv_code ask(const char *sql, struct written *written, struct tv_error *err)
{
    *written = (struct written){.rows_most = SIZE_MAX};
    *err = (struct tv_error){.code = TV_OK};
    return ask_with(tv_alloc_libc(), tv_str_from(sql), written, err);
}

#ifdef TV_HAS_SQLITE
static void expect(const char *sql, const char *text)
{
    struct written written;
    struct tv_error err;
    if (ask(sql, &written, &err) != TV_OK)
        fail_msg("%s: %s", sql, err.text);
    assert_string_equal(written.text, text);
}

static void expect_refused(const char *sql, const char *why)
{
    struct written written;
    struct tv_error err;
    assert_int_equal(ask(sql, &written, &err), TV_ERR_ARGUMENT);
    assert_string_equal(err.text, why);
    assert_int_equal(written.rows, 0);
}

static void tables_that_are_read_have_rows(void **state)
{
    (void)state;
    expect("SELECT calls, exclusive_wall_ns FROM methods",
           "calls|exclusive_wall_ns\nint 1|int 100000\n");
    expect("SELECT count(*) FROM calls", "count(*)\nint 1\n");
    expect("SELECT count(*) AS n FROM nodes", "n\nint 1\n");
    expect("SELECT caller, depth FROM calls JOIN threads USING (thread_id)",
           "caller|depth\nnull|int 0\n");
    expect("WITH a AS (SELECT * FROM named_calls) SELECT thread, cut FROM a",
           "thread|cut\ntext main|int 0\n");
    expect("SELECT value FROM properties WHERE key = 'clock'", "value\ntext dual\n");
    expect("SELECT calls FROM METHODS WHERE 0", "calls\n");
    expect("SELECT (SELECT calls FROM Profile) AS c", "c\nint 1\n");
}

static void cells_are_of_all_kinds(void **state)
{
    (void)state;
    expect("SELECT NULL AS a, -9223372036854775808 AS b, 0.1 AS c, 'it''s' AS d, x'00ff' AS e, "
           "9e999 AS f, x'' AS g",
           "a|b|c|d|e|f|g\nnull|int -9223372036854775808|real 0.1|text it's|blob 2|real Inf|"
           "blob 0\n");
    expect("SELECT value FROM json_each('[1,\"x\"]'); -- the end", "value\nint 1\ntext x\n");
    expect("SELECT name FROM pragma_table_info('threads') LIMIT 1", "name\ntext thread_id\n");
}

static void a_statement_only_reads(void **state)
{
    (void)state;
    static const char *const others[] = {
        "DELETE FROM calls",
        "INSERT INTO methods SELECT * FROM methods",
        "UPDATE methods SET calls = 0",
        "CREATE TABLE x(a)",
        "CREATE TEMP TABLE x(a)",
        "CREATE VIRTUAL TABLE x USING dbstat",
        "DROP VIEW profile",
        "ATTACH 'here.sqlite' AS here",
        "DETACH main",
        "VACUUM",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA page_size",
        "BEGIN",
        "COMMIT",
        "REINDEX",
        "ANALYZE",
    };
    for (size_t i = 0; i < TV_COUNT_OF(others); i++)
        expect_refused(others[i], "SQL: a statement may only read: SELECT, WITH, VALUES, EXPLAIN");
    struct written written;
    struct tv_error err;
    assert_int_equal(ask("VACUUM INTO 'here.sqlite'", &written, &err), TV_ERR_ARGUMENT);
    assert_int_equal(ask("SELECT load_extension('x')", &written, &err), TV_ERR_ARGUMENT);
    assert_int_equal(ask("UPDATE sqlite_master SET name = 'x'", &written, &err), TV_ERR_ARGUMENT);
    FILE *file = fopen("here.sqlite", "rb");
    assert_null(file);
}

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    struct written written = {.rows_most = 0};
    struct tv_error err;
    expect_refused("SELEC", "SQL: near \"SELEC\": syntax error");
    expect_refused("SELECT * FROM nosuch", "SQL: no such table: nosuch");
    expect_refused("SELECT 1; SELECT 2",
                   "SQL: one statement at a time, and something follows the first");
    expect_refused("SELECT 1; nonsense",
                   "SQL: one statement at a time, and something follows the first");
    expect_refused(" -- nothing", "SQL: there is no statement");
    expect_refused("SELECT abs(-9223372036854775808)", "SQL: integer overflow");
    expect_refused("SELECT zeroblob(100000000)", "SQL: string or blob too big");
    assert_int_equal(ask_with(tv_alloc_libc(), (struct tv_str){"SELECT 1\0", 9}, &written, &err),
                     TV_ERR_ARGUMENT);
    /* Who gets the rows may want no more. */
    assert_int_equal(ask_with(tv_alloc_libc(), TV_STR("SELECT 1"), &written, &err), TV_ERR_SYSTEM);
    assert_string_equal(err.text, "no more");
}

/* More than SQLite keeps in memory: what it sorts goes to a file. */
static void a_long_answer_is_sorted(void **state)
{
    (void)state;
    expect("WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 200000),"
           " r AS MATERIALIZED (SELECT i, printf('%0200d', (i * 7919) % 200003) AS t FROM n)"
           " SELECT i FROM (SELECT i, t FROM r ORDER BY t LIMIT -1 OFFSET 199998)",
           "i\nint 65287\nint 132645\n");
    expect("WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 200000)"
           " SELECT count(*) AS n FROM (SELECT printf('%0200d', (i * 7919) % 200003) AS t FROM n"
           " GROUP BY t)",
           "n\nint 200000\n");
}

static void want_of_memory_leaves_nothing(void **state)
{
    (void)state;
    struct tv_error err;
    enum tv_code code = TV_ERR_MEMORY;
    for (size_t allowed = 0; code != TV_OK; allowed++) {
        struct failing_alloc failing;
        struct written written = {.rows_most = SIZE_MAX};
        failing_alloc_init(&failing, allowed);
        code = ask_with(&failing.alloc, TV_STR("SELECT calls FROM methods"), &written, &err);
        assert_int_equal(failing.live, 0);
        assert_true(code == TV_OK || code == TV_ERR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_that_are_read_have_rows),
        cmocka_unit_test(cells_are_of_all_kinds),
        cmocka_unit_test(a_statement_only_reads),
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(a_long_answer_is_sorted),
        cmocka_unit_test(want_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void a_build_without_sqlite_says_so(void **state)
{
    (void)state;
    struct written written;
    struct tv_error err;
    assert_int_equal(ask("SELECT 1", &written, &err), TV_ERR_UNSUPPORTED);
    assert_string_equal(err.text, "this traceview was built without SQLite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_build_without_sqlite_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
