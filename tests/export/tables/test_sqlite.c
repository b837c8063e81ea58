/*
 * The SQL of an export into a database: its tables, and views with the clocks that the trace has.
 * SQLite itself reads the result in tests/readers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "export/formats.h"
#include "export/probe.h"

static void expect(const struct tv_buffer *out, const char *text)
{
    if (tv_str_find(tv_buffer_view(out), tv_str_from(text), TV_CASE_EXACT) == SIZE_MAX)
        fail_msg("'%s' is not in %.*s", text, (int)out->len, (const char *)out->bytes);
}

static void tables_views_and_rows(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_begin(&w);
    world_enter(&w, 1, 0, 10, 1);
    world_enter(&w, 1, 2, 20, 2);
    world_leave(&w, 1, 2, 50, 9);
    world_end(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    probe_run(&w, &tv_export_sqlite, &(struct probe_opts){0}, &out);
    expect(&out, "BEGIN\nCREATE TABLE properties(key TEXT NOT NULL, value TEXT NOT NULL) STRICT;"
                 "CREATE TABLE findings(");
    /* All tables and views are there before the first row. */
    expect(&out, " GROUP BY p.rank, p.recursive, n.rank\nINSERT INTO properties VALUES(?, ?)\n");
    expect(&out, "offset INTEGER, text TEXT NOT NULL) STRICT;CREATE TABLE calls(");
    expect(&out, "INSERT INTO findings VALUES(?, ?, ?, ?, ?)\nopen_at_end|note|1|");
    expect(&out,
           "CREATE TABLE calls(call INTEGER PRIMARY KEY, caller INTEGER, thread_id INTEGER NOT "
           "NULL, depth INTEGER NOT NULL, node INTEGER NOT NULL, rank INTEGER NOT NULL, "
           "start_ns INTEGER NOT NULL");
    expect(&out, "\n1|0|1|1|1|1|20000|30000|30000|2000|7000|7000|0|0|0|0|\n");
    expect(&out, "\n0|0x4|com.app.Main|run|()V|com.app.Main.run ()V|Main.java|10|1|0|");
    expect(&out, "CREATE VIEW profile AS SELECT rank, method, calls, recursive_calls, "
                 "exclusive_wall_ns / 1e6 AS exclusive_wall_ms, inclusive_wall_ns / 1e6 AS "
                 "inclusive_wall_ms, exclusive_cpu_ns / 1e6");
    expect(&out, " FROM methods ORDER BY exclusive_cpu_ns DESC, rank;");
    expect(&out, "\nCOMMIT\n");
    tv_buffer_release(&out);
    world_release(&w);
}

static void without_a_database_it_is_refused(void **state)
{
    (void)state;
    static struct world w;
    struct tv_error err;
    struct tv_export_result result;
    struct tv_export_opts opts = {.file = TV_STR("x.trace")};
    world_begin(&w);
    world_end(&w);
    tv_scope_init(&opts.scope, &w.index);
    assert_int_equal(tv_export_run(&tv_export_sqlite, &w.index, &opts, tv_alloc_libc(), NULL,
                                   (struct tv_sink){.write = NULL}, &result, &err),
                     TV_ERR_UNSUPPORTED);
    assert_string_equal(err.text, "this traceview was built without SQLite");
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_views_and_rows),
        cmocka_unit_test(without_a_database_it_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
